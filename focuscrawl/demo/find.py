"""The second half of the demo: from a search engine alone, with a budget of pages (C, E)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from focuscrawl.demo.engine import ENGINE
from focuscrawl.demo.oddities import CALENDAR
from focuscrawl.demo.press import GIANT
from focuscrawl.demo.report import Finding, Request, plain
from focuscrawl.demo.truth import Page
from focuscrawl.demo.web import DemoWeb

TOPIC = "find"
FIND_FILE = "find.toml"

MOST_FETCHED = 0.35
"""The part of the web a crawl may fetch."""

ENOUGH_FOUND = 0.95
"""The part of the relevant pages it is to find with that."""

MOST_OF_TRAP = 50
"""Pages of the calendar after which a crawl should leave it."""


class Search(NamedTuple):
    """What there is to find: ``relevant`` are the pages in reach of the engine's results.

    ``pages`` are all pages of the web, traps not entered; ``budget`` is how many may be fetched.
    """

    relevant: Mapping[str, Page]
    pages: int
    budget: int


def topic_text() -> str:
    """Return the topic's template."""
    return files("focuscrawl.demo").joinpath(FIND_FILE).read_text("utf-8")


def search(web: DemoWeb) -> Search:
    """Walk from what the engine answers to the topic's queries, and over the whole web."""
    queries = tomllib.loads(topic_text())["search"]["queries"]
    engine = web.engine(ENGINE)
    results = [
        result.url for query in queries for result in engine.results(query.replace("+", " "), 0.0)
    ]
    reached = web.walk(results)
    relevant = {
        plain(url): page
        for url, page in reached.items()
        if page.relevant
        and not page.redirect
        and (page.trouble is None or page.trouble.times is not None)
    }
    pages = len(reached.keys() | web.walk(web.homes()).keys())
    return Search(relevant, pages, int(pages * MOST_FETCHED))


def found(what: Search, log: list[Request]) -> list[Finding]:
    """Judge the requests of the crawl."""
    asked = {plain(request.url) for request in log if not request.url.endswith("/robots.txt")}
    good = {plain(request.url) for request in log if request.good}
    lost = sorted(what.relevant.keys() - good)
    channel = {url for url in what.relevant if urlsplit(url).hostname == GIANT}
    hidden = sorted(channel - good)
    trap = {url for url in asked if urlsplit(url).hostname == CALENDAR}
    have = len(what.relevant) - len(lost)
    return [
        Finding("relevant pages fetched", have, len(what.relevant), tuple(lost), note=f"{_share(have, len(what.relevant))}, {ENOUGH_FOUND:.0%} is good"),
        Finding("of all pages fetched", len(asked), what.pages, note=f"{_share(len(asked), what.pages)}, {MOST_FETCHED:.0%} is allowed"),
        Finding("relevant channel of the portal", len(channel) - len(hidden), len(channel), tuple(hidden)),
        Finding("calendar trap left after", len(trap), MOST_OF_TRAP, note="or less" if len(trap) <= MOST_OF_TRAP else "too late"),
    ]  # fmt: skip


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "none"


def write_topic(folder: Path) -> None:
    """Put the topic where the crawl looks for it."""
    (folder / "topics").mkdir(parents=True, exist_ok=True)
    (folder / "topics" / FIND_FILE).write_text(topic_text(), "utf-8")
