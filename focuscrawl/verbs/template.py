"""``scrapy topic new|check|show|schema`` and ``focuscrawl start``: write a template or a project, and see
what a template means.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from scrapy.exceptions import UsageError

from focuscrawl.links.admission_rules import scope_of
from focuscrawl.links.table import FollowTable
from focuscrawl.politeness.table import PolitenessTable
from focuscrawl.report.lines import counted
from focuscrawl.search.table import SearchTable, all_queries
from focuscrawl.template.kinds.kind import NAME, NAME_ADVICE
from focuscrawl.template.load import LoadedTemplate, shipped_names, shipped_text, shown
from focuscrawl.template.show import json_schema, shown_template
from focuscrawl.template.toml import problem_lines
from focuscrawl.verbs.call import Call, CannotDo


def choices_text() -> str:
    """Name the shipped templates."""
    return ", ".join(shipped_names())


def new(call: Call, args: Sequence[str]) -> str:
    """Copy a shipped template into the topics folder."""
    if len(args) != 1:
        raise UsageError("name the new topic: scrapy topic new my-topic")
    name, wanted = args[0].removesuffix(".toml"), call.options.template
    if not re.fullmatch(NAME, name) or name == "topic":
        reserved = "; topic itself is taken by scrapy crawl topic" if name == "topic" else ""
        raise CannotDo(f"{name!r}: {NAME_ADVICE}{reserved}")
    if wanted not in shipped_names():
        raise CannotDo(f"no shipped template {wanted!r}; shipped: {choices_text()}")
    path = call.folders()[0] / f"{name}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(shipped_text(wanted))
    except FileExistsError:
        raise CannotDo(f"{shown(path)} is already there; choose another name") from None
    except OSError as error:
        raise CannotDo(f"{shown(path)} cannot be written: {error.strerror}") from None
    return (
        f"{shown(path)} written. Put your own words and addresses into it, then:\n"
        f"  scrapy topic check {name}\n"
        f"  scrapy crawl {name}"
    )


_FILE = re.compile(r"^=== (.+)\n", re.MULTILINE)
"""Begins each file in the text of a project; behind it stands its path."""


def start(call: Call, args: Sequence[str]) -> str:
    """Write a project (PATH) of its own, a folder that is not there yet; its name is that of a package."""
    folder, wanted = Path(args[0]), call.options.template
    name = folder.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise CannotDo(
            f"{name!r}: a project is a package of Python: a-z, 0-9 and _, a letter first"
        )
    if name in sys.stdlib_module_names or find_spec(name):
        raise CannotDo(f"{name!r} is the name of a package that is installed; choose another")
    if wanted not in shipped_names():
        raise CannotDo(f"no shipped template {wanted!r}; shipped: {choices_text()}")
    text = (files("focuscrawl.templates") / "project.txt").read_text("utf-8")
    _, *parts = _FILE.split(text.replace("$project", name))
    written = dict(zip(parts[::2], parts[1::2], strict=True))
    written["topics/example.toml"] = shipped_text(wanted)
    try:
        folder.mkdir(parents=True)
        for path, content in written.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("x", encoding="utf-8") as file:
                file.write(content)
    except FileExistsError:
        raise CannotDo(f"{shown(folder)} is already there; nothing was written") from None
    except OSError as error:
        raise CannotDo(f"{shown(folder)} cannot be written: {error.strerror}") from None
    return (
        f"{shown(folder)} written. Put your own words and addresses into topics/example.toml, then:\n"
        f"  cd {shown(folder)}\n"
        "  scrapy topic check example\n"
        "  scrapy crawl example\n"
        "To deploy it: scrapyd-deploy (docs/deploy.md)"
    )


def check(call: Call, args: Sequence[str]) -> str:
    """Return what a topic will read; its mistakes are raised."""
    loaded = call.loaded(args, secrets=not call.options.against_stored)
    if call.options.against_stored:
        from focuscrawl.verbs.explain.against import against_stored  # noqa: PLC0415 - brings results

        return against_stored(call, loaded)
    return check_text(loaded)


def show(call: Call, args: Sequence[str]) -> str:
    """Return the topic that results, each value with where it comes from."""
    return shown_template(call.loaded(args, secrets=False))


def schema(call: Call, args: Sequence[str]) -> str:
    """Return a JSON Schema of the language."""
    return json.dumps(json_schema(call.language()), indent=2, ensure_ascii=False)


def check_text(loaded: LoadedTemplate) -> str:
    """Return warnings, or one line that says what will be read."""
    template = loaded.template
    topic, follow, search = template.topic, template.of(FollowTable), template.of(SearchTable)
    addresses = sum(len(source.urls) for source in template.sources)
    groups = len(topic.keywords.groups)
    asked = [counted(groups, "keyword group") if groups else "no keywords"]
    if topic.require:
        asked.append(f"{len(topic.require.groups)} required")
    if topic.exclude:
        asked.append(f"{len(topic.exclude.groups)} excluded")
    where = {
        "sources": "links of these sites",
        "listed": "links of follow.sites",
        "web": "links anywhere",
    }[follow.scope]
    if (hosts := scope_of(template)) is not None:
        where += f" ({counted(len(hosts.written), 'host')})"
    starts = []
    if addresses or not search.engines:
        sources = counted(len(template.sources), "source")
        starts.append(f"{counted(addresses, 'address', 'es')} in {sources}")
    if search.engines:
        searches = len(all_queries(search, topic))
        engines = ", ".join(search.engines)
        starts.append(f"{counted(searches, 'search', 'es')} of {engines}")
    summary = (
        f"{loaded.file}: topic {template.name} ({topic.title}): "
        f"{' and '.join(starts)}; {', '.join(asked)}; {where}, {follow.depth}"
        f" clicks deep; one request every {template.of(PolitenessTable).delay:g} s and site"
    )
    if not loaded.warnings:
        return summary
    count = len(loaded.warnings)
    title = f"{loaded.file}: {count} warning" + "s" * (count != 1)
    return "\n".join([title, *problem_lines(loaded.file, loaded.warnings), summary])
