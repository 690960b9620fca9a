"""Loading a template with everything it extends, and finding the topics of a project.

A template is a file, a shipped template or an inline text. Topics are the TOML files in the topics
folders that are no parts of others.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from focuscrawl.config import SettingsReader, project_dir, read_config
from focuscrawl.locale.messages import IN_ENGLISH, _
from focuscrawl.template import merge
from focuscrawl.template.check import Layer, check_key, check_tree, unknown
from focuscrawl.template.files import FileError, Reach, SecretError, read_file
from focuscrawl.template.keys import Language, Table
from focuscrawl.template.kinds.kind import KeyPlace
from focuscrawl.template.merge import Merged, resolve
from focuscrawl.template.table import RESERVED, time_zone_of
from focuscrawl.template.template import Template, build, language_of
from focuscrawl.template.toml import (
    ARGUMENT,
    Origin,
    Problem,
    TemplateErrors,
    decode,
    key_parts,
    parse,
    sorted_problems,
    toml_text,
)

_T = TypeVar("_T", bound=Table)

_DEEPEST = 4
"""Files that may extend each other in a row."""

_OF_EXAMPLES = ("name", "title", "keywords", "require", "exclude", "tags")
"""Keys of [topic] that a shipped template holds as examples; extending it does not inherit them."""

INLINE = "inline template"


@dataclass(frozen=True)
class LoadedTemplate:
    """A template that can be used, where each value comes from, and what is worth a warning."""

    template: Template
    merged: Merged
    file: str
    doubts: Iterable[Problem]

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """What is worth a warning, in order; found when it is asked for.

        A start loads its template three times and shows warnings once: they took a quarter of each load.
        """
        return sorted_problems(self.file, self.doubts)


def load(
    source: Path | str,
    overrides: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    reach: Reach | None = None,
    language: Language | None = None,
) -> LoadedTemplate:
    """Load a template with everything it extends.

    ``source`` is a path, the name of a shipped template, or an inline template (TOML or JSON
    text); ``folder`` is what an inline template's files are relative to (default: the current
    directory). ``overrides`` are the arguments of one run, dotted key → TOML value with or without quotes; names that start with _
    are ignored. With an ``environment`` the secrets are read: a missing one is a problem, and
    headers, cookies and proxies hold them; without one they stay out. ``reach`` is where an inline
    template may read and write, and the arguments that go with it (None: everywhere). ``language`` is
    ours with the tables of a user's features (None: ours alone).

    Raises TemplateErrors, which tells every problem at once.
    """
    reach = reach if isinstance(source, str) and is_inline(source) else None
    language = language or language_of()
    reading = _Reading(language, reach)
    if isinstance(source, str) and is_inline(source):
        file, path, root, name = INLINE, None, folder or Path(), ""
        reading.read(_inline_text(source), file, root, root)
    elif isinstance(source, str) and source in shipped_names() and not Path(source).exists():
        file, path, root, name = f"{source} (shipped)", None, folder or Path(), source
        reading.read(shipped_text(source), file, root, root)
    else:
        path = Path(source)
        file, root, name = shown(path), path.parent, path.stem
        reading.read_file(path, file, root)
    layers = [*reversed(reading.layers), _arguments_layer(language, overrides or {}, root, reach)]
    problems = [problem for layer in layers for problem in layer.problems]
    merged = Merged(language, layers)
    resolved = resolve(merged, name)
    complete = not reading.broken and not problems
    around = KeyPlace(root, time_zone_of(resolved), environment, reach)
    problems += merge.problems(merged, resolved, around, complete=complete)
    if problems:
        raise TemplateErrors(file, problems)
    template = build(resolved, path, language, around)
    doubts = merge.warnings(merged, resolved, around)
    return LoadedTemplate(template, merged, file, doubts)


def readable_tables(
    path: Path, table: type[_T], environment: Mapping[str, str], language: Language
) -> list[_T]:
    """Return those repeated tables of one kind that can be read, with secrets, in a template that may have mistakes."""
    name = table.form.path[0]
    reading = _Reading(language, None, only=("extends", name))
    with suppress(TemplateErrors):
        reading.read_file(path, shown(path), path.parent)
    resolved = resolve(Merged(language, [*reversed(reading.layers)]), path.stem)
    around, found = KeyPlace(path.parent, time_zone_of(resolved), environment), []
    for plain in resolved[name]:
        with suppress(SecretError, ValueError, OSError):
            found.append(table.built(plain, around))
    return found


def plain_template(name: str) -> Template:
    """Return the template of a spider that has no topic: nothing but defaults, in UTC."""
    language = language_of()
    resolved = resolve(Merged(language, []), name)
    resolved["topic"]["timezone"] = "UTC"
    around = KeyPlace(Path(), time_zone_of(resolved))
    return replace(build(resolved, None, language, around), resolved={}, hash="")


def is_inline(source: str) -> bool:
    """Whether a text is a template itself, not the name or path of one."""
    return "\n" in source or source.lstrip()[:1] == "{" or ("[" in source and "=" in source)


def shown(path: Path) -> str:
    """Return a path as messages show it: relative to the current directory if it is below."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def shipped_names() -> list[str]:
    """Return the names of the shipped templates."""
    folder = files("focuscrawl.template.presets")
    return sorted(one.name[:-5] for one in folder.iterdir() if one.name.endswith(".toml"))


def shipped_text(name: str, language: str = IN_ENGLISH) -> str:
    """Return the text of a shipped template, its comments in ``language`` where there is such a form."""
    folder = files("focuscrawl.template.presets")
    own = folder / language / f"{name}.toml"
    return (own if own.is_file() else folder / f"{name}.toml").read_text("utf-8")


def reach_of(settings: SettingsReader, source: Path | str) -> Reach | None:
    """Return where a template may read and write; None for one of a file: everywhere.

    Raises ConfigError.
    """
    if not isinstance(source, str) or not is_inline(source):
        return None
    config = read_config(settings, os.environ, project_dir())
    return Reach(config.inline_folders, config.data_dir)


class _Reading:
    """Reads a file and all it extends; ``layers`` are the strongest first. ``only`` names what is read at the top of
    each, where that is not all.
    """

    def __init__(self, language: Language, reach: Reach | None, only: Sequence[str] = ()) -> None:
        self.only = only
        self.language = language
        self.reach = reach
        self.layers: list[Layer] = []
        self.broken = False
        self.chain: list[str] = []

    def read_file(self, path: Path, file: str, root: Path) -> None:
        try:
            raw = read_file(path)
        except (OSError, FileError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise _refused(file, _("cannot be read: {reason}").format(reason=reason)) from None
        text, problems = decode(raw, file)
        if problems:
            self.broken = True
            self.layers.append(Layer(self.language, file, path.parent, problems=problems))
        else:
            self.chain.append(str(path.resolve()))
            self.read(text, file, path.parent, root)

    def read(
        self, text: str, file: str, folder: Path, root: Path, *, shipped: bool = False
    ) -> None:
        parsed = parse(text, file, self.language.repeatable)
        self.broken |= parsed.broken
        layer = Layer(
            self.language, file, folder, parsed.lines, problems=parsed.problems, reach=self.reach
        )
        kept = {
            name: one for name, one in parsed.tree.items() if not self.only or name in self.only
        }
        check_tree(layer, kept)
        _forget(layer, extended=bool(self.layers), shipped=shipped)
        self.layers.append(layer)
        wanted = layer.values.pop(("extends",), None)
        if wanted is not None:
            complaint = self._extend(wanted, file, folder, root)
            if complaint:
                layer.complain(("extends",), f"extends = {toml_text(wanted)}: {complaint}")

    def _extend(self, wanted: str, file: str, folder: Path, root: Path) -> str:
        """Read what a file extends; return what is wrong with that, or ""."""
        if len(self.layers) > _DEEPEST:
            return _("at most {most} files deep").format(most=_DEEPEST)
        if not wanted.endswith(".toml") and "/" not in wanted:
            if wanted in self.chain:
                return "a circle"
            if wanted in shipped_names():
                self.chain.append(wanted)
                self.read(shipped_text(wanted), f"{wanted} (shipped)", folder, root, shipped=True)
                return ""
            names = ", ".join(shipped_names())
            return _('a shipped template ({names}) or a file such as "_house.toml"').format(
                names=names
            )
        path = folder / wanted
        if self.reach is not None:
            try:
                self.reach.check(path)
            except FileError as error:
                return str(error)
        if not path.resolve().is_relative_to(root.resolve()):
            return _("outside the folder of the template ({root})").format(root=root)
        if str(path.resolve()) in self.chain:
            return "a circle: " + " → ".join(Path(one).name for one in (*self.chain, str(path)))
        if not path.is_file():
            return _("no such file in {parent}").format(parent=path.parent)
        self.read_file(path, shown(path), root)
        return ""


def _forget(layer: Layer, *, extended: bool, shipped: bool) -> None:
    """Take out what is not inherited: a name, and the examples of a shipped template."""
    for path in list(layer.origins):
        named = extended and path == ("topic", "name")
        example = shipped and (
            path[0] == "source" or (path[0] == "topic" and path[-1] in _OF_EXAMPLES)
        )
        if named or example:
            layer.values.pop(path, None)
            layer.origins.pop(path)


def _inline_text(source: str) -> str:
    """Return an inline template as TOML; JSON becomes TOML first."""
    if source.lstrip()[:1] != "{":
        return source
    try:
        tree = json.loads(source)
    except ValueError as error:
        raise _refused(INLINE, _("not JSON: {error}").format(error=error)) from None
    return "\n".join(f"{toml_text(str(name))} = {toml_text(value)}" for name, value in tree.items())


def _arguments_layer(
    language: Language, overrides: Mapping[str, str], folder: Path, reach: Reach | None
) -> Layer:
    """Check the arguments of one run as a layer of its own."""
    layer = Layer(language, ARGUMENT, folder, reach=reach)
    for name, text in overrides.items():
        if not name.startswith("_"):
            _argument(layer, name, text)
    return layer


def _argument(layer: Layer, name: str, text: str) -> None:
    language, parts = layer.language, key_parts(name)
    forms = [one for one in language.forms[1:] if parts[: len(one.path)] == one.path]
    form = max(forms, key=lambda one: len(one.path), default=None)
    if form is None or len(parts) < len(form.path) + 1:
        hint = unknown(language, language.at(), name) if len(parts) == 1 else "unknown table"
        layer.complain(
            (),
            _("{name}: {hint}; an argument looks like limits.pages=100").format(
                name=name, hint=hint
            ),
        )
        return
    if form.shape == "repeated":
        layer.complain(
            (),
            _("{name}: {title} can only be set in the file").format(name=name, title=form.title()),
        )
        return
    if form.shape == "named" and form.called:  # names with dots, in quotes or not
        inner = [*parts[-2:]] if parts[-2] in language.inside(form) else [parts[-1]]
        middle = ".".join(parts[len(form.path) : -len(inner)])
        parts = (*form.path, *([middle] if middle else []), *inner)
    attempts = []
    for value in _readings(text):
        attempt = Layer(language, ARGUMENT, layer.folder, reach=layer.reach)
        if form.shape in {"named", "fields", "open"}:
            tree: Any = value
            for part in reversed(parts):
                tree = {part: tree}
            check_tree(attempt, tree)
        else:
            check_key(attempt, form, ".".join(parts[len(form.path) :]), value, parts)
        attempts.append(attempt)
        if not attempt.problems:
            break
    best = attempts[-1] if not attempts[-1].problems else attempts[0]
    layer.values |= best.values
    layer.origins |= best.origins
    layer.problems += best.problems


def _readings(text: str) -> Sequence[Any]:
    """Return what an argument may mean: the TOML value, else the text as it is."""
    try:
        return [tomllib.loads(f"value = {text}")["value"], text]
    except (tomllib.TOMLDecodeError, RecursionError):
        return [text]


class NoSuchTopic(LookupError):
    """There is no topic of this name; the message says where they are and what comes nearest."""


class FoundTopics(NamedTuple):
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
        hint = _("; nearest: {name}").format(name=near[0]) if near else ""
        places = ", ".join(map(shown, self.folders))
        raise NoSuchTopic(
            _("no topic {name!r} (topics are in {places}){hint}").format(
                name=name, places=places, hint=hint
            )
        )


def find_topics(folders: Iterable[Path]) -> FoundTopics:
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
            text = _('the name "{name}" is taken by scrapy crawl topic -a template=…').format(
                name=RESERVED
            )
            advice = _("rename the file or give it another topic.name")
            refused[name] = _refused(shown(paths[0]), f"{text}: {advice}")
        elif len(others) > 1:
            files = [shown(path) for path in others.values()]
            text = _("the same name {name} as {files}").format(
                name=toml_text(name), files=" and ".join(files[1:])
            )
            refused[name] = _refused(
                files[0], _("{text}: give one of them another topic.name").format(text=text)
            )
        else:
            topics[name] = paths[0]
    return FoundTopics(topics, refused, folders)


def _refused(file: str, text: str) -> TemplateErrors:
    return TemplateErrors(file, [Problem(Origin(file), text)])


def _name(path: Path) -> str:
    """Return topic.name of a file, else the file's name."""
    try:
        text = read_file(path).decode("utf-8-sig")
    except (OSError, UnicodeError, FileError):
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
