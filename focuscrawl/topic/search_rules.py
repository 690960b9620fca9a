"""What must hold between the keys of [search], and what is worth a warning there."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from focuscrawl.search.engines import SEARXNG_ADDRESS, built_in
from focuscrawl.template.keys import table_at
from focuscrawl.template.problems import Problem
from focuscrawl.template.toml import toml_text
from focuscrawl.topic.merge import Merged
from focuscrawl.topic.queries import all_queries
from focuscrawl.topic.tables import ENGINES, TABLES
from focuscrawl.topic.template import Template
from focuscrawl.values import Json

MOST_SEARCHES = 200
"""More searches in one cycle are seldom meant: 42 pages an hour at the usual pause."""

SELECTORS = ("results", "link", "target", "title", "snippet", "date", "ads")


def problems(merged: Merged, resolved: Json, *, whole: bool) -> Iterator[Problem]:
    """Go through what is wrong; ``whole`` is false when lines of the file were left out."""
    search = resolved["search"]
    engines: dict[str, Json] = search["engine"]
    origin = merged.origin("search", "engines")
    for name in search["engines"] or ():
        if name not in engines:
            known = sorted({*built_in(), *engines})
            near = get_close_matches(name, known, 1)
            hint = f"; nearest: {toml_text(near[0])}" if near else ""
            advice = f"known are {', '.join(known)}, or describe it in {_title(name)}"
            yield Problem(
                origin, f"[search] engines = {toml_text(name)}: no such engine{hint}; {advice}"
            )
    for name, engine in engines.items():
        yield from _engine(merged, name, engine)
    topic = resolved["topic"]
    asks = any(not engines[name]["urls"] for name in search["engines"] or () if name in engines)
    if asks and whole and not (search["queries"] or topic["keywords"] or topic["require"]):
        advice = 'write queries = ["…"], or keywords in [topic]'
        yield Problem(origin, f"[search] queries: nothing to search for; {advice}")


def _engine(merged: Merged, name: str, engine: Json) -> Iterator[Problem]:
    title = _title(name)

    def problem(key: str, text: str) -> Problem:
        origin = merged.origin(*ENGINES, name, key)
        if not origin.file:
            origin = merged.origin(*ENGINES, name)
        if not origin.file:
            origin = merged.origin("search", "engines")
        return Problem(origin, f"{title} {key}{text}")

    if engine["urls"]:
        if (*ENGINES, name, "url") in merged.values:
            yield problem("url", ": one of url and urls; an engine with urls is not asked")
        return
    if (*ENGINES, name, "urls") in merged.values:
        yield problem("urls", ": no address in it")
        return
    if not engine["url"]:
        if name in built_in():
            yield problem(
                "url", f": the address of an instance: url = {toml_text(SEARXNG_ADDRESS)}"
            )
        else:
            form = 'url = "https://s.example.com/find?q={query}", or urls = ["@seeds.txt"]'
            yield problem("url", f": missing: {form}")
    elif not engine["results"]:
        form = "json:results" if engine["format"] == "json" else "css:li.hit"
        yield problem("results", f': missing: one element for each result, as in "{form}"')
    for key in SELECTORS:
        written: Any = engine[key]
        if written and written.startswith("json:") != (engine["format"] == "json"):
            wanted = '"json:…"' if engine["format"] == "json" else '"css:…" or "xpath:…"'
            text = f" = {toml_text(written)}: format is {engine['format']}, so write {wanted}"
            yield problem(key, text)


def warnings(merged: Merged, template: Template) -> Iterator[Problem]:
    """Go through what works but is seldom meant."""
    search = template.search
    engines = [search.engine[name] for name in search.engines]
    asked = [engine for engine in engines if not engine.urls]
    if not asked:
        return
    count = sum(1 for query in all_queries(search, template.topic) if query.text)
    origin = merged.origin("search", "engines")
    if count > MOST_SEARCHES:
        text = f"[search]: {count} searches per cycle: more than {MOST_SEARCHES} seldom end in time; name fewer queries, areas or sites"
        yield Problem(origin, text)
    if search.delay < 1:
        given = toml_text(merged.values.get(("search", "delay")))
        text = f"[search] delay = {given}: under 1 s; search engines block that"
        yield Problem(merged.origin("search", "delay"), text)
    if not search.robots and template.politeness.robots:
        text = "[search] robots = false: robots.txt of the engines is not obeyed"
        yield Problem(merged.origin("search", "robots"), text)
    for engine in asked:
        if search.within and not engine.within:
            text = f"[search] within: {engine.name} cannot be asked for an age"
            yield Problem(merged.origin("search", "within"), text)
        if not (engine.url and engine.url.paged):
            text = f"{_title(engine.name)} url: without {{page}} or {{first}} there is only the first page"
            yield Problem(merged.origin(*ENGINES, engine.name, "url"), text)


def _title(name: str) -> str:
    table = table_at(TABLES, ENGINES)
    assert table is not None
    return table.title(name)
