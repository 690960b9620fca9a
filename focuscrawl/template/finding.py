"""Which topics there are: every TOML file in the topics folders that is not a part of others."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from focuscrawl.template.load import shown
from focuscrawl.template.problems import Origin, Problem, TemplateErrors
from focuscrawl.template.table import RESERVED
from focuscrawl.template.toml import toml_text


class NoSuchTopic(LookupError):
    """There is no topic of this name; the message says where they are and what comes nearest."""


class _Found(NamedTuple):
    """``topics``: name → file. ``refused``: name → why no file of that name can be used."""

    topics: dict[str, Path]
    refused: dict[str, TemplateErrors]
    folders: tuple[Path, ...]

    def path_of(self, name: str, others: Iterable[str] = ()) -> Path:
        """Return the file of a topic; ``others`` are names that may have been meant, too.

        Raises TemplateErrors when files of that name are refused, else NoSuchTopic.
        """
        if name in self.topics:
            return self.topics[name]
        if name in self.refused:
            raise self.refused[name]
        near = get_close_matches(name, [*self.topics, *others], 1)
        hint = f"; nearest: {near[0]}" if near else ""
        places = ", ".join(map(shown, self.folders))
        raise NoSuchTopic(f"no topic {name!r} (topics are in {places}){hint}")


def find_topics(folders: Iterable[Path]) -> _Found:
    """Look for topics by file name and topic.name, without loading them.

    Files that start with _ are parts for ``extends``. Two files with one name are both refused,
    and so is the name ``topic``. Folders that are not there hold no topics.
    """
    folders = tuple(folders)
    by_name: dict[str, list[Path]] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            if not path.name.startswith(("_", ".")):
                by_name.setdefault(_name(path), []).append(path)
    topics: dict[str, Path] = {}
    refused: dict[str, TemplateErrors] = {}
    for name, paths in by_name.items():
        others = {path.resolve(): path for path in paths}
        if name == RESERVED:
            text = f'the name "{RESERVED}" is taken by scrapy crawl topic -a template=…'
            file = shown(paths[0])
            advice = "rename the file or give it another topic.name"
            refused[name] = TemplateErrors(file, [Problem(Origin(file), f"{text}: {advice}")])
        elif len(others) > 1:
            refused[name] = _same_name(name, list(others.values()))
        else:
            topics[name] = paths[0]
    return _Found(topics, refused, folders)


def _same_name(name: str, paths: list[Path]) -> TemplateErrors:
    files = [shown(path) for path in paths]
    text = f"the same name {toml_text(name)} as {' and '.join(files[1:])}"
    advice = "give one of them another topic.name"
    return TemplateErrors(files[0], [Problem(Origin(files[0]), f"{text}: {advice}")])


def _name(path: Path) -> str:
    """Return topic.name of a file, else the file's name."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeError):
        return path.stem
    try:
        topic = tomllib.loads(text).get("topic")
    except (tomllib.TOMLDecodeError, RecursionError):
        given = re.search(
            r"^\s*\[topic\][^\[]*?^\s*name\s*=\s*[\"']([^\"'\n]+)", text, re.MULTILINE
        )
        return given[1] if given else path.stem
    name = topic.get("name") if isinstance(topic, dict) else None
    return name if isinstance(name, str) and name else path.stem
