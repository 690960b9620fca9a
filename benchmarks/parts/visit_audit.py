"""Holds the schedule of a crawl that was killed, and what it told, against a web that changes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.parts.changing_web import GONE, ChangingWeb, said
from benchmarks.parts.kill_audit import copies
from focuscrawl.features.revisit.visit_queue import ROW
from focuscrawl.frontier.retries import comes_now
from focuscrawl.stores.state.protocol import FAILED, PARKED, WAITING
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.values import Json, PageState


class Schedule(NamedTuple):
    """A crawl file: the states of the web's pages, and by key the rows of visits that are to come."""

    states: dict[str, PageState]
    rows: dict[bytes, int]

    def due(self, now: float) -> set[str]:
        """Return the pages that are to be visited in a run that begins now.

        All lists lead to all articles that have ever been there.
        """
        return {
            url
            for url, state in self.states.items()
            if state.gone is not None or (state.next_visit is not None and state.next_visit <= now)
        }

    def may_come(self, now: float) -> set[str]:
        """Return the pages that a run may visit until now: what is due soon may come before its date."""
        return {
            url
            for url, state in self.states.items()
            if comes_now(state.next_visit or 0.0, state.last_fetched, now)
        }

    def reserved(self) -> list[PageState]:
        """Return the states of pages that are queued."""
        return [state for state in self.states.values() if state.reserved is not None]


def schedule_of(crawl_file: Path, web: ChangingWeb) -> Schedule:
    """Read a copy of the crawl file."""
    canonical = Canonicalizer()
    urls = {
        address.key: url
        for url in web.articles() | web.lists()
        if (address := canonical.address(url)) is not None
    }
    with copies(crawl_file) as folder:
        store = SQLiteStore(folder / crawl_file.name)
        store.own()
        states = asyncio.run(store.pages([*urls]))
        rows = [row for state in (WAITING, FAILED, PARKED) for row in store.rows(state)]
        store.release()
    visits = {row.waiting.key: row.sequence for row in rows if not row.waiting.first_walk}
    return Schedule(
        {urls[key]: state for key, state in states.items()},
        {key: sequence for key, sequence in visits.items() if key in urls},
    )


def compare(found: Schedule, known: Collection[str], off: Counter[str]) -> None:
    """Add up what is not as it must be at any time; ``known`` had a state before."""
    states = found.states.values()
    off["states_lost"] += len(known - found.states.keys())
    off["undated"] += sum(one.gone is None and one.next_visit is None for one in states)
    reservations = {one.key: one.facts.get(ROW) for one in found.reserved()}
    off["reservations_alone"] += sum(
        found.rows.get(key) != row for key, row in reservations.items()
    )
    off["rows_alone"] += len(found.rows.keys() - reservations.keys())


def compare_day(
    web: ChangingWeb,
    before: Schedule,
    after: Schedule,
    began: float,
    ended: float,
    off: Counter[str],
) -> None:
    """Add up what is not as it must be at the end of a day, which lasted from ``began`` to ``ended``.

    On a busy machine a day lasts so long that more becomes due in it.
    """
    asked = {url for day, url in web.answered if day == web.day}
    due = before.due(began)
    off["not_visited"] += len(due - asked)
    off["undue"] += sum(
        web.served[web.day, url] == _last_served(web, url, web.day)
        for url in (asked & before.states.keys()) - due - before.may_come(ended)
    )
    off["reservations_left"] += len(after.reserved())
    answered = {url for url in asked if web.served[web.day, url] != GONE}
    watched = answered & (web.articles() | web.lists())
    off["states_lost"] += len(watched - after.states.keys())
    off["fetched_again"] += sum(
        times - 1 for (day, _), times in web.answered.items() if day == web.day
    )


def _last_served(web: ChangingWeb, url: str, before: int) -> int | None:
    days = [day for day in range(before) if (day, url) in web.served]
    return web.served[days[-1], url] if days else None


# What was told -----------------------------------------------------------------------------------


class Told(NamedTuple):
    """What the results must say: changes by address and kind, and versions by address, in order."""

    changes: Counter[tuple[str, str]]
    versions: dict[str, list[int]]


def to_be_told(web: ChangingWeb) -> Told:
    """Return what there is to tell of what the web has answered; what it had on day 0 is known, not new."""
    changes: Counter[tuple[str, str]] = Counter()
    versions: dict[str, list[int]] = {}
    for url in web.articles():
        days = [day for day in range(web.day + 1) if (day, url) in web.served]
        is_gone = False
        for version in (web.served[day, url] for day in days):
            known = versions.setdefault(url, [])
            if version == GONE:
                changes[url, "gone"] += not is_gone and bool(known)
                is_gone = True
                continue
            changes[url, "back"] += is_gone
            is_gone = False
            changes[url, "changed"] += bool(known) and known[-1] != version
            changes[url, "new"] += not known and days[0] > 0
            if not known or known[-1] != version:
                known.append(version)
    return Told(+changes, versions)


def compare_results(results: Path, web: ChangingWeb) -> Json:
    """Hold the results against what the web has answered."""
    must = to_be_told(web)
    names = {"minor": "changed", "major": "changed"}
    with closing(sqlite3.connect(results)) as database:
        changes = database.execute("SELECT url, kind FROM changes").fetchall()
        rows = database.execute("SELECT url, text, version FROM articles").fetchall()
    told = Counter((url, names.get(kind, kind)) for url, kind in changes)
    stored = Counter(url for url, _, _ in rows)
    texts = {url: text for url, text, _ in rows}
    numbers = {url: version for url, _, version in rows}
    kept = {url: found for url, found in must.versions.items() if found and url in texts}
    return {
        "changes_missing": (must.changes - told).total(),
        "changes_twice": (told - must.changes).total(),
        "items_missing": sum(bool(found) for found in must.versions.values()) - len(kept),
        "items_twice": stored.total() - len(stored),
        "items_old": sum(said(found[-1]) not in texts[url] for url, found in kept.items()),
        "versions_off": sum(len(found) != numbers[url] for url, found in kept.items()),
    }
