"""What must hold between keys, and what is worth a warning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from focuscrawl.template.files import FileError, Reach
from focuscrawl.template.keys import table_at
from focuscrawl.template.kinds.addresses import host_of
from focuscrawl.template.kinds.kind import NAME, NAME_ADVICE
from focuscrawl.template.problems import Problem
from focuscrawl.template.secrets import SecretError, is_secret, read_cookies, reveal
from focuscrawl.template.toml import shortened, toml_text
from focuscrawl.topic import record_rules, revisit_rules, search_rules
from focuscrawl.topic.merge import FEEDS, Merged
from focuscrawl.topic.model import ModelError, PageModel
from focuscrawl.topic.output import DELIVERING, LATER_FORMATS, format_of
from focuscrawl.topic.scoring import most_by_keywords
from focuscrawl.topic.tables import TABLES
from focuscrawl.topic.template import Template
from focuscrawl.values import Json

RESERVED = "topic"
BATCH = re.compile(r"%\(batch_(?:id\)\d*d|time\)s)")
SECRET_KEYS = ("headers", "cookies", "proxy")


def problems(merged: Merged, resolved: Json, *, whole: bool) -> Iterator[Problem]:
    """Go through what is wrong between keys.

    ``whole`` is false when lines were left out: then nothing is called missing.
    """
    yield from _name(merged, resolved)
    yield from _sources(merged, resolved, whole=whole)
    yield from search_rules.problems(merged, resolved, whole=whole)
    levels = resolved["queues"]["levels"]
    for host, site in resolved["site"].items():
        if (site.get("level") or 1) > levels:
            where = f"[site.{toml_text(host)}] level = {site['level']}"
            advice = f"there are {levels} levels (queues.levels)"
            yield Problem(merged.origin("site", host, "level"), f"{where}: {advice}")
    yield from record_rules.problems(merged, resolved, whole=whole)
    yield from revisit_rules.problems(merged, resolved)
    for uri, feed in resolved["output"]["feeds"].items():
        yield from _feed(merged, uri, feed)


def _name(merged: Merged, resolved: Json) -> Iterator[Problem]:
    name = resolved["topic"]["name"]
    origin = merged.origin("topic", "name")
    given = ("topic", "name") in merged.values
    if not name:
        yield Problem(origin, "[topic] name: an inline template needs one")
    elif name == RESERVED:
        reason = f'"{RESERVED}" is the spider of scrapy crawl topic -a template=…; choose another'
        yield Problem(origin, f"[topic] name = {toml_text(name)}: {reason}")
    elif not given and not re.fullmatch(NAME, name):
        where = f"the file's name gives the topic's, {shortened(name)}"
        advice = f'{NAME_ADVICE}: rename the file or write [topic] name = "…"'
        yield Problem(origin, f"{where}: {advice}")


def _sources(merged: Merged, resolved: Json, *, whole: bool) -> Iterator[Problem]:
    levels = resolved["queues"]["levels"]
    if not resolved["source"] and not resolved["search"]["engines"] and whole:
        advice = 'write at least one [[source]] with urls = ["https://…"], or [search] engines'
        yield Problem(merged.origin("source"), f"nowhere to start: {advice}")
    for number, source in enumerate(resolved["source"]):
        origin = merged.origin("source", number)
        given = ("source", number, "urls") in merged.values
        if not source["urls"] and whole and not given:
            yield Problem(origin, '[[source]]: an address is missing: url = "https://…" or urls')
        elif not source["urls"] and given and whole:
            yield Problem(
                merged.origin("source", number, "urls"), "[[source]] urls: no address in it"
            )
        if (source["level"] or 1) > levels:
            where = f"[[source]] level = {source['level']}"
            advice = f"there are {levels} levels (queues.levels)"
            yield Problem(merged.origin("source", number, "level"), f"{where}: {advice}")


def _feed(merged: Merged, uri: str, feed: Json) -> Iterator[Problem]:
    title = f"[output.feeds.{toml_text(uri)}]"
    origin = merged.origin(*FEEDS, uri, "format")
    origin = origin if origin.file else merged.origin(*FEEDS, uri)
    kind = feed["format"]
    if kind is None:
        yield Problem(
            origin, f'{title}: the suffix tells no format; write format = "csv" or "jsonl"'
        )
    elif kind in LATER_FORMATS:
        yield Problem(origin, f"{title}: {kind}: not built yet; it comes with {DELIVERING}")
    elif kind in {"json", "xml"} and not feed["overwrite"]:
        other = uri.removesuffix(f".{kind}") + ".jsonl"
        reason = f"a second run cannot go on with a finished {kind} file"
        advice = f"write overwrite = true, or use jsonl: [output.feeds.{toml_text(other)}]"
        yield Problem(origin, f"{title} overwrite = false: {reason}; {advice}")
    if feed["batch_item_count"] and not BATCH.search(uri):
        where = merged.origin(*FEEDS, uri, "batch_item_count")
        advice = 'the address needs %(batch_id)d, as in "items-%(batch_id)d.csv"'
        yield Problem(where, f"{title} batch_item_count = {feed['batch_item_count']}: {advice}")


def missing_secrets(
    merged: Merged, environment: Mapping[str, str], folder: Path, reach: Reach | None = None
) -> Iterator[Problem]:
    """Go through the secrets that cannot be read."""
    for path, plain in merged.values.items():
        if path[-1] not in SECRET_KEYS or path[0] not in {"request", "site"}:
            continue
        table = table_at(TABLES, (str(path[0]),))
        title = table.title(str(path[1])) if table else ""
        if path[-1] == "cookies" and isinstance(plain, str):
            entries = [plain]
        else:
            entries = list(plain.values() if isinstance(plain, dict) else plain)
        for entry in filter(is_secret, entries):
            try:
                if entry is plain:
                    read_cookies(entry, environment, folder, reach)
                else:
                    reveal(entry, environment, folder, reach)
            except SecretError as error:
                where = f"{title} {path[-1]} = {toml_text(entry)}"
                yield Problem(merged.origin(*path), f"{where}: {error}")


def out_of_reach(merged: Merged, resolved: Json, reach: Reach) -> Iterator[Problem]:
    """Go through the feeds and settings by which an inline template would write elsewhere."""
    for uri in resolved["output"]["feeds"]:
        path = reach.feed_file(uri)
        title, origin = f"[output.feeds.{toml_text(uri)}]", merged.origin(*FEEDS, uri)
        try:
            reach.check_placeholders(uri)
            if path is not None:
                reach.check(path)
        except FileError as error:
            yield Problem(origin, f"{title}: {error}")
        if path is not None and format_of(uri) is None:  # the databases lie there, too
            advice = 'an inline template writes files whose suffix is their format: "x.csv"'
            yield Problem(origin, f"{title}: {advice}")
    for name, why in reach.setting_problems(resolved["settings"]):
        yield Problem(merged.origin("settings", name), f"[settings] {name}: {why}")


def unusable_model(
    merged: Merged, resolved: Json, folder: Path, reach: Reach | None = None
) -> Iterator[Problem]:
    """Go through what is wrong with relevance.model, which a crawl needs."""
    given = resolved["relevance"]["model"]
    if given:
        try:
            path = folder / Path(given).expanduser()
            if reach is not None:
                reach.check(path)
            PageModel.read(path)
        except (FileError, ModelError) as error:
            where = f"[relevance] model = {toml_text(given)}"
            yield Problem(merged.origin("relevance", "model"), f"{where}: {error}")


def warnings(merged: Merged, template: Template) -> Iterator[Problem]:
    """Go through what works but is seldom meant."""
    if not template.politeness.contact:
        advice = 'site owners cannot reach you; write contact = "mailto:you@example.com"'
        yield Problem(
            merged.origin("politeness", "contact"), f"[politeness] contact: none: {advice}"
        )
    yield from _impolite(merged, template)
    yield from search_rules.warnings(merged, template)
    yield from _words(merged, template)
    yield from _threshold(merged, template)
    if template.follow.sites:
        for number, source in enumerate(template.sources):
            for url in source.urls:
                if host_of(url) not in template.follow.sites:
                    origin = merged.origin("source", number, "urls")
                    origin = origin if origin.file else merged.origin("source", number, "url")
                    yield Problem(origin, f"[[source]] {shortened(url)}: outside follow.sites")


def _impolite(merged: Merged, template: Template) -> Iterator[Problem]:
    yield from _habits(
        merged, ("politeness",), template.politeness.delay, template.politeness.robots
    )
    for host, site in template.sites.items():
        delay, robots = site.values.get("delay", 1.0), site.values.get("robots", True)
        yield from _habits(merged, ("site", host), delay, robots)


def _habits(merged: Merged, path: tuple[str, ...], delay: float, robots: bool) -> Iterator[Problem]:
    title = f"[{'.'.join([path[0], *map(toml_text, path[1:])])}]"
    if delay < 1:
        given = toml_text(merged.values.get((*path, "delay")))
        text = f"{title} delay = {given}: under 1 s; many sites block that"
        yield Problem(merged.origin(*path, "delay"), text)
    if not robots:
        text = f"{title} robots = false: robots.txt is not obeyed"
        yield Problem(merged.origin(*path, "robots"), text)


def _words(merged: Merged, template: Template) -> Iterator[Problem]:
    excluded = {
        synonym.key: synonym.written
        for group in template.topic.exclude.groups
        for synonym in group.synonyms
    }
    origin = merged.origin("topic", "keywords")
    for group in template.topic.keywords.groups:
        for synonym in group.synonyms:
            if len(synonym.key) == 1:
                text = f"{toml_text(synonym.written)}: one character is found on almost every page"
                yield Problem(origin, f"[topic] keywords = {text}")
            if synonym.key in excluded:
                text = f"{toml_text(synonym.written)}: also in exclude"
                yield Problem(origin, f"[topic] keywords = {text}")


def _threshold(merged: Merged, template: Template) -> Iterator[Problem]:
    """Warn of a threshold that no page can reach by its keywords."""
    relevance = template.relevance
    most = most_by_keywords(template.topic)
    if most <= relevance.threshold and template.topic.keywords and relevance.model is None:
        text = f"a page full of every keyword scores {most:.2g}: no page can be relevant"
        where = f"[relevance] threshold = {relevance.threshold:g}"
        yield Problem(merged.origin("relevance", "threshold"), f"{where}: {text}")
