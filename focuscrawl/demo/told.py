"""Pairs what was planted on the demo web's days with what a crawl told of them (B)."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from focuscrawl.demo.report import plain
from focuscrawl.demo.truth import DAY_ZERO, ChangeTruth

DAY = 86400.0
OF_TEXT = frozenset({"minor", "major"})
QUERY = "SELECT at, url, kind, what, fields FROM changes WHERE topic = ? ORDER BY at"


class Told(NamedTuple):
    """One row of ``changes``; ``day`` is the virtual day, ``url`` a plain address."""

    day: float
    url: str
    kind: str
    what: str
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.url} ({self.kind} told on day {self.day:.2f})"


class Pair(NamedTuple):
    """A planted change and the row that tells it."""

    planted: ChangeTruth
    told: Told


@dataclass(slots=True)
class Match:
    """What came of the planted changes: ``right`` and ``wrong``, told as another kind, or ``missed``.

    ``again`` was told before, ``odd`` tells of nothing that has happened.
    """

    right: list[Pair] = field(default_factory=list)
    wrong: list[Pair] = field(default_factory=list)
    missed: list[ChangeTruth] = field(default_factory=list)
    again: list[Told] = field(default_factory=list)
    odd: list[Told] = field(default_factory=list)

    def add(self, other: Match) -> None:
        """Add what came of other changes."""
        self.right += other.right
        self.wrong += other.wrong
        self.missed += other.missed
        self.again += other.again
        self.odd += other.odd


def read_changes(path: Path, topic: str) -> list[Told]:
    """Read the changes of a results database, in order."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute(QUERY, (topic,)).fetchall()
    return [
        Told(_day_of(at), plain(url), kind, what, json.loads(fields) if fields else {})
        for at, url, kind, what, fields in rows
    ]


def _day_of(text: str) -> float:
    return (datetime.fromisoformat(text).timestamp() - DAY_ZERO.timestamp()) / DAY


Must = Callable[[ChangeTruth], bool]
"""Whether a crawl must tell a planted change; it may tell others."""


def match_all(planted: Iterable[ChangeTruth], told: Iterable[Told], must: Must) -> Match:
    """Pair all that was planted with all that was told, address by address; both are in order."""
    wanted: dict[str, list[ChangeTruth]] = defaultdict(list)
    for change in planted:
        wanted[plain(change.url)].append(change)
    rows: dict[str, list[Told]] = defaultdict(list)
    for row in told:
        rows[row.url].append(row)
    whole = Match()
    for url in dict.fromkeys([*wanted, *rows]):
        whole.add(match(wanted[url], rows[url], must))
    return whole


def match(planted: Sequence[ChangeTruth], told: Sequence[Told], must: Must) -> Match:
    """Pair what was planted at one address with what was told of it; both are in order.

    The first row of its kind since a change was planted tells it; for an edit that has none, the
    first one of another kind of edit does, wrongly.
    """
    found, rest = Match(), list(told)
    for kinds, pairs in ((None, found.right), (OF_TEXT, found.wrong)):
        taken = {pair.planted for pair in (*found.right, *found.wrong)}
        for change in planted:
            if change in taken or (kinds is not None and change.kind not in kinds):
                continue
            row = _first(rest, change, kinds or {change.kind})
            if row is not None:
                pairs.append(Pair(change, row))
                rest.remove(row)
    taken = {pair.planted for pair in (*found.right, *found.wrong)}
    found.missed = [change for change in planted if change not in taken and must(change)]
    known = {pair.told.kind for pair in found.right}
    found.again = [row for row in rest if row.kind in known]
    found.odd = [row for row in rest if row.kind not in known]
    return found


def _first(rows: Iterable[Told], change: ChangeTruth, kinds: Collection[str]) -> Told | None:
    return next((row for row in rows if row.kind in kinds and row.day >= change.day), None)
