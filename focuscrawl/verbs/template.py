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

from focuscrawl.features.politeness.table import PolitenessTable
from focuscrawl.features.search.table import SearchTable, all_queries
from focuscrawl.locale.messages import _, message_language, ngettext
from focuscrawl.output.summary.lines import counted, listed_words
from focuscrawl.readers.links.admission_rules import scope_of
from focuscrawl.readers.links.table import FollowTable
from focuscrawl.template.kinds.kind import NAME, NAME_ADVICE
from focuscrawl.template.load import LoadedTemplate, shipped_names, shipped_text, shown
from focuscrawl.template.show import json_schema, shown_template
from focuscrawl.template.toml import problem_lines
from focuscrawl.verbs.call import Call, CannotDo, write_error


def choices_text() -> str:
    """Name the shipped templates."""
    return ", ".join(shipped_names())


def new(call: Call, args: Sequence[str]) -> str:
    """Copy a shipped template into the topics folder."""
    if len(args) != 1:
        raise UsageError(_("name the new topic: scrapy topic new my-topic"))
    name, wanted = args[0].removesuffix(".toml"), call.options.template
    if not re.fullmatch(NAME, name) or name == "topic":
        reserved = _("; topic itself is taken by scrapy crawl topic") if name == "topic" else ""
        raise CannotDo(f"{name!r}: {_(NAME_ADVICE)}{reserved}")
    if wanted not in shipped_names():
        raise CannotDo(
            _("no shipped template {wanted!r}; shipped: {choices}").format(
                wanted=wanted, choices=choices_text()
            )
        )
    path = call.folders()[0] / f"{name}.toml"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(shipped_text(wanted, message_language()))
    except FileExistsError:
        raise CannotDo(
            _("{path} is already there; choose another name").format(path=shown(path))
        ) from None
    except OSError as error:
        raise write_error(path, error) from None
    return _(
        "{path} written. Put your own words and addresses into it, then:\n  scrapy topic"
        " check {name}\n  scrapy crawl {name}"
    ).format(path=shown(path), name=name)


_FILE_HEADING = re.compile(r"^=== (.+)\n", re.MULTILINE)
"""Begins each file in the text of a project; behind it stands its path."""


def start(call: Call, args: Sequence[str]) -> str:
    """Write a project (PATH) of its own, a folder that is not there yet; its name is that of a package."""
    folder, wanted = Path(args[0]), call.options.template
    name = folder.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise CannotDo(
            _("{name!r}: a project is a package of Python: a-z, 0-9 and _, a letter first").format(
                name=name
            )
        )
    if name in sys.stdlib_module_names or find_spec(name):
        raise CannotDo(
            _("{name!r} is the name of a package that is installed; choose another").format(
                name=name
            )
        )
    if wanted not in shipped_names():
        raise CannotDo(
            _("no shipped template {wanted!r}; shipped: {choices}").format(
                wanted=wanted, choices=choices_text()
            )
        )
    text = (files("focuscrawl.template.presets") / "project.txt").read_text("utf-8")
    _before, *parts = _FILE_HEADING.split(text.replace("$project", name))
    written = dict(zip(parts[::2], parts[1::2], strict=True))
    written["topics/example.toml"] = shipped_text(wanted, message_language())
    try:
        folder.mkdir(parents=True)
        for path, content in written.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            with (folder / path).open("x", encoding="utf-8") as file:
                file.write(content)
    except FileExistsError:
        raise CannotDo(
            _("{folder} is already there; nothing was written").format(folder=shown(folder))
        ) from None
    except OSError as error:
        raise write_error(folder, error) from None
    return _(
        "{folder} written. Put your own words and addresses into topics/example.toml, then:\n"
        "  cd {folder}\n  scrapy topic check example\n  scrapy crawl example\nTo deploy it:"
        " scrapyd-deploy (docs/deploy.md)"
    ).format(folder=shown(folder))


def check(call: Call, args: Sequence[str]) -> str:
    """Return what a topic will read; its mistakes are raised."""
    loaded = call.loaded(args, secrets=not call.options.against_stored)
    if call.options.against_stored:
        from focuscrawl.verbs.explain.template_effect import compare_with_stored  # noqa: PLC0415 - brings results

        return compare_with_stored(call, loaded)
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
    asked = [counted(groups, "keyword group") if groups else _("no keywords")]
    if topic.require:
        asked.append(_("{count} required").format(count=len(topic.require.groups)))
    if topic.exclude:
        asked.append(_("{count} excluded").format(count=len(topic.exclude.groups)))
    where = {
        "sources": _("links of these sites"),
        "listed": _("links of follow.sites"),
        "web": _("links anywhere"),
    }[follow.scope]
    if (hosts := scope_of(template)) is not None:
        where += _(" ({words})").format(words=counted(len(hosts.written), "host"))
    starts = []
    if addresses or not search.engines:
        sources = counted(len(template.sources), "source")
        starts.append(
            _("{addresses} in {sources}").format(
                addresses=counted(addresses, "address", "es"), sources=sources
            )
        )
    if search.engines:
        searches = len(all_queries(search, topic))
        engines = ", ".join(search.engines)
        starts.append(
            _("{searches} of {engines}").format(
                searches=counted(searches, "search", "es"), engines=engines
            )
        )
    summary = _(
        "{file}: topic {name} ({title}): {starts}; {asked}; {where}, {depth} clicks deep;"
        " one request every {delay:g} s and site"
    ).format(
        file=loaded.file,
        name=template.name,
        title=topic.title,
        starts=_(" and ").join(starts),
        asked=listed_words(asked),
        where=where,
        depth=follow.depth,
        delay=template.of(PolitenessTable).delay,
    )
    if not loaded.warnings:
        return summary
    count = len(loaded.warnings)
    title = ngettext("{file}: {count} warning", "{file}: {count} warnings", count).format(
        file=loaded.file, count=count
    )
    return "\n".join([title, *problem_lines(loaded.file, loaded.warnings), summary])
