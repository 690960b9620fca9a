"""Compares what a crawl of the demo web did with what is really there. Reads, prints nothing."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.demo.pages import canonical
from focuscrawl.demo.truth import Page
from focuscrawl.values import PageClass

REFRESHED = frozenset({PageClass.BOARD, PageClass.PAGING, PageClass.FEED, PageClass.SITEMAP})
"""Classes that every run may read again."""

MEMBERS = """
SELECT p.url, l.url AS like_url, m.story_id, m.relation FROM story_members m
JOIN pages p ON p.topic = m.topic AND p.url_key = m.url_key
LEFT JOIN pages l ON l.topic = m.topic AND l.url_key = m.like_key WHERE m.topic = ?
"""

GOOD = frozenset({200, 301, 302, 303, 307, 308})


class Request(NamedTuple):
    """One line of the access log; ``status`` 0: no answer, ``short``: its body was cut.

    ``day`` is the web's virtual day.
    """

    at: float
    host: str
    url: str
    status: int
    short: bool
    day: float = 0.0

    @property
    def good(self) -> bool:
        """Whether the page was given whole."""
        return self.status in GOOD and not self.short


@dataclass(frozen=True, slots=True)
class Kept:
    """The results database: rows of ``pages`` and ``articles`` by plain address, and of ``records``
    by type and id; their ``data`` as they are, not as text. ``members`` are those of stories by
    plain address, with ``like_url``, the address of the member each was matched with.
    """

    pages: Mapping[str, Mapping[str, object]]
    articles: Mapping[str, Mapping[str, object]]
    records: tuple[Mapping[str, Any], ...] = ()
    members: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: ``right`` of ``total``; ``misses`` are addresses, with a reason.

    ``fatal``: a miss means that something was lost.
    """

    name: str
    right: int
    total: int
    misses: tuple[str, ...] = ()
    fatal: bool = False
    note: str = ""

    @property
    def lost(self) -> bool:
        """Whether this line makes the demo fail."""
        return self.fatal and bool(self.misses)


def plain(url: str) -> str:
    """One spelling for the addresses of truth, log and database."""
    return canonical(url).rstrip("/")


def read_log(path: Path) -> list[Request]:
    """Read an access log; a last line still being written is left out."""
    requests = []
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            row = json.loads(line)
            short = bool(row.get("short"))
            day = row.get("day", 0.0)
            requests.append(Request(row["t"], row["host"], row["url"], row["status"], short, day))
    return requests


def read_results(path: Path, topic: str) -> Kept:
    """Read the results database of a topic."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row

        def rows(table: str) -> dict[str, dict[str, object]]:
            query = f"SELECT * FROM {table} WHERE topic = ?"  # noqa: S608 - our own two names
            found = connection.execute(query, (topic,)).fetchall()
            return {plain(row["url"]): dict(row) for row in found}

        found = connection.execute("SELECT * FROM records WHERE topic = ?", (topic,)).fetchall()
        records = ({**dict(row), "data": json.loads(row["data"])} for row in found)
        told = connection.execute(MEMBERS, (topic,)).fetchall()
        members = {plain(row["url"]): dict(row) for row in told}
        return Kept(rows("pages"), rows("articles"), tuple(records), members)


def fetching(
    expected: Mapping[str, Page],
    forbidden: Iterable[str],
    log: list[Request],
    killed_at: float | None,
) -> list[Finding]:
    """Judge the requests: what was fetched, missed, fetched twice, and what the kill cost."""
    pages = {plain(url): page for url, page in expected.items()}
    good = {plain(r.url) for r in log if r.good and not r.url.endswith("/robots.txt")}
    asked = {plain(request.url) for request in log}
    never = {url for url, page in pages.items() if page.trouble and page.trouble.times is None}
    wanted = pages.keys() - never
    missed = sorted(wanted - good)
    trespassed = sorted({plain(url) for url in forbidden} & asked)
    troubled = {url for url in wanted if pages[url].trouble}
    before = _counted(log, pages, lambda at: killed_at is None or at <= killed_at)
    after = _counted(log, pages, lambda at: killed_at is not None and at > killed_at)
    both = before.keys() & after.keys()
    again = sum(pages[url].page_class in REFRESHED for url in both)
    cost = sorted(url for url in both if pages[url].page_class not in REFRESHED)
    twice = sorted(
        f"{url} ({times} times)"
        for counted in (before, after)
        for url, times in counted.items()
        if times > 1
    )
    others = good - pages.keys() - set(trespassed)
    return [
        Finding("pages reached", len(wanted) - len(missed), len(wanted), tuple(missed), fatal=True),
        Finding("errors recovered", len(troubled & good), len(troubled), tuple(sorted(troubled - good))),
        Finding("never to be had, tried", len(never & asked), len(never), tuple(sorted(never - asked)), fatal=True),
        Finding("forbidden left alone", len(set(forbidden)) - len(trespassed), len(set(forbidden)), tuple(trespassed)),
        Finding("fetched once in a run", len(before) + len(after) - len(twice), len(before) + len(after), tuple(twice)),
        Finding("fetched again for the kill", len(cost), len(good), note=f"and {again} lists read again"),
        Finding("fetched beyond the truth", len(others), len(good), note=", ".join(sorted(others)[:3])),
    ]  # fmt: skip


def _counted(
    log: list[Request], pages: Mapping[str, Page], during: Callable[[float], bool]
) -> Counter[str]:
    """How often each expected page, redirects apart, was given whole in one run."""
    return Counter(
        plain(request.url)
        for request in log
        if request.status == 200
        and request.good
        and during(request.at)
        and plain(request.url) in pages
    )
