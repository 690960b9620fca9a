"""The table of URLs in a crawl file: one row for each that waits, failed or is parked.

New rows are appended in order of their sequence numbers, many with one statement. What the
frontier needs of a waiting row stands in columns of its own; the rest is one packed ``body``.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from focuscrawl.stores.state.protocol import (
    WAITING,
    Aside,
    Folder,
    Row,
    RowPlace,
    WaitingRun,
    packed,
)
from focuscrawl.values import PROMISE_BITS, Lane, Waiting

URL_SCHEMA = """
CREATE TABLE used (sequence INTEGER NOT NULL);
INSERT INTO used VALUES (0);
CREATE TABLE urls (
    sequence INTEGER PRIMARY KEY, site INTEGER NOT NULL, level INTEGER NOT NULL,
    state INTEGER NOT NULL, next_try REAL, priority INTEGER NOT NULL, body BLOB NOT NULL,
    lane INTEGER NOT NULL DEFAULT 0);
CREATE INDEX urls_state ON urls (state) WHERE state <> 0;
"""
_ROWS_AT_ONCE = 64  # plain rows that go with one statement: less than half the price of one each

VALUES = 5
INSERT_PLAIN = "INSERT INTO urls VALUES (?, ?, ?, 0, NULL, 0, ?, ?)"
INSERT_MANY = INSERT_PLAIN + ", (?, ?, ?, 0, NULL, 0, ?, ?)" * (_ROWS_AT_ONCE - 1)
REPLACE = "INSERT OR REPLACE INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
ROWS_WAITING = """
SELECT sequence, state, next_try, level, body FROM urls WHERE state = ? ORDER BY sequence
"""
# "state <> 0" lets SQLite use the small index of rows that are not simply waiting.
ROWS_ASIDE = """
SELECT sequence, state, next_try, level, body FROM urls
WHERE state <> 0 AND state = ? ORDER BY sequence
"""
NEAR, MOST_NEAR = 127, 24
_MOST_AHEAD = 4096
"""Rows kept because they were read together with one that was asked for: a megabyte."""
# One is read for nearly every URL taken, so it reads no column that is known.
WAITING_NEAR = """
SELECT sequence, body FROM urls
WHERE sequence BETWEEN ? AND ? AND level = ? AND state = 0 ORDER BY sequence LIMIT ?
"""
ROW_ALONE = "SELECT sequence, state, next_try, level, body FROM urls WHERE sequence = ?"
# Most rows have neither priority nor lane: two columns are read of them instead of five.
LINES_WAITING = """
SELECT sequence, site << 8 | level FROM urls
WHERE state = 0 AND priority = 0 AND lane = 0 ORDER BY sequence
"""
PLACES_WAITING = """
SELECT sequence, site, level, priority, lane FROM urls
WHERE state = 0 AND priority <> 0 ORDER BY sequence
"""
# As Lane.packed has them: folder above 17 bits; score and step, which go before the sequence.
FOLDERS_WAITING = """
SELECT (site << 36) | ((lane >> 17) << 4) | level, ((lane >> 1 & 65535) << ?) | sequence
FROM urls WHERE state = 0 AND priority = 0 AND lane <> 0 ORDER BY sequence
"""
PLACES_ASIDE = """
SELECT sequence, site, level, priority, state, next_try, lane FROM urls WHERE state <> 0
"""

# What a row keeps besides its columns: the URL, tries, first_failed, reason.
_decode_body: Final = msgspec.msgpack.Decoder(tuple[Waiting, int, float, str]).decode

_Columns = tuple[int, int, int, int, float | None, int, bytes, int]


def add(database: sqlite3.Connection, rows: Iterable[Row], sites: Mapping[str, int]) -> None:
    """Append new rows, in order of sequence; ``sites`` gives the number of every site."""
    plain: list[Any] = []
    others: list[_Columns] = []
    for row in rows:
        sequence, waiting, state, tries, first_failed, next_try, reason = row
        if state != WAITING or next_try is not None or waiting.priority:
            others.append(_columns(row, sites))
            continue
        body = packed((waiting, tries, first_failed, reason))
        lane = Lane.of(waiting).packed() if waiting.explore else 0
        plain += (sequence, sites[waiting.site], waiting.level, body, lane)
    size = VALUES * _ROWS_AT_ONCE
    whole = len(plain) - len(plain) % size
    if whole:
        many = [plain[first : first + size] for first in range(0, whole, size)]
        database.executemany(INSERT_MANY, many)
    if whole < len(plain):
        single = [plain[first : first + VALUES] for first in range(whole, len(plain), VALUES)]
        database.executemany(INSERT_PLAIN, single)
    if others:
        database.executemany(REPLACE, others)


def replace(database: sqlite3.Connection, rows: Iterable[Row], sites: Mapping[str, int]) -> None:
    """Write rows that may be there already."""
    database.executemany(REPLACE, [_columns(row, sites) for row in rows])


def remove(database: sqlite3.Connection, sequences: Sequence[int]) -> None:
    """Take rows out, at least one."""
    database.executemany("DELETE FROM urls WHERE sequence = ?", [(one,) for one in sequences])
    # The next sequence number must not fall back to one that was used.
    database.execute("UPDATE used SET sequence = max(sequence, ?)", (max(sequences),))


class RowsAhead:
    """Reads rows; the next ones of a row's level come with it, since they mostly lie on one page.

    They wait here as the file has them, undecoded: most are asked for soon.
    """

    def __init__(self) -> None:
        self._bodies: dict[int, bytes] = {}

    def read(self, database: sqlite3.Connection, sequence: int, level: int) -> Row | None:
        """Return a row, which most likely waits in ``level`` (0: no others come with it)."""
        bodies = self._bodies
        body = bodies.pop(sequence, None)
        if body is None and level:
            if len(bodies) > _MOST_AHEAD:  # the sites of the oldest rest
                for oldest in list(islice(bodies, _MOST_AHEAD // 2)):
                    del bodies[oldest]
            window = (sequence, sequence + NEAR, level, MOST_NEAR)
            bodies.update(database.execute(WAITING_NEAR, window).fetchall())
            body = bodies.pop(sequence, None)
        if body is not None:
            waiting, tries, first_failed, reason = _decode_body(body)
            if waiting.level == level:
                values = (sequence, waiting, WAITING, tries, first_failed, None, reason)
                return tuple.__new__(Row, values)  # a third of the price of Row(…)
        # It failed, or its level is another one.
        found = database.execute(ROW_ALONE, (sequence,)).fetchone()
        return one_row(*found) if found else None

    def forget(self, sequences: Iterable[int]) -> None:
        """Drop the bodies of rows that have changed."""
        for sequence in self._bodies.keys() & sequences:
            del self._bodies[sequence]

    def clear(self) -> None:
        """Forget all."""
        self._bodies.clear()


def of_state(database: sqlite3.Connection, state: int) -> Iterator[Row]:
    """Go through the rows of one state."""
    for found in database.execute(ROWS_WAITING if state == WAITING else ROWS_ASIDE, (state,)):
        yield one_row(*found)


def waiting_runs(database: sqlite3.Connection) -> Iterator[WaitingRun]:
    """Go through the plain rows that wait: the links of a page lie together."""
    last, run = -1, list[int]()
    for sequence, line in database.execute(LINES_WAITING):
        if line == last:
            run.append(sequence)
            continue
        if run:
            yield WaitingRun(last >> 8, last & 255, run)
        last, run = line, [sequence]
    if run:
        yield WaitingRun(last >> 8, last & 255, run)


def folders(database: sqlite3.Connection) -> Iterator[Folder]:
    """Go through the rows that explore."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    for place, promise in database.execute(FOLDERS_WAITING, (PROMISE_BITS,)):
        found[place].append(promise)
    for place, promises in found.items():
        yield Folder(place >> 36, place >> 4 & 0xFFFFFFFF, place & 15, promises)


def waiting_places(database: sqlite3.Connection) -> Iterator[RowPlace]:
    """Go through the other rows that wait."""
    for found in database.execute(PLACES_WAITING):
        yield RowPlace(*found)


def aside(database: sqlite3.Connection) -> list[Aside]:
    """Return where the rows belong that do not simply wait."""
    return [Aside(*found) for found in database.execute(PLACES_ASIDE)]


def next_sequence(database: sqlite3.Connection) -> int:
    """Return the first sequence number that was never used."""
    (last,) = database.execute("SELECT max(sequence) FROM urls").fetchone()
    found = database.execute("SELECT sequence FROM used").fetchone()
    if found is None:
        raise sqlite3.DatabaseError("it does not say which numbers were used")
    (used,) = found
    return int(max(last or 0, used)) + 1


def _columns(row: Row, sites: Mapping[str, int]) -> _Columns:
    waiting = row.waiting
    return (
        row.sequence,
        sites[waiting.site],
        waiting.level,
        row.state,
        row.next_try,
        waiting.priority,
        packed((waiting, row.tries, row.first_failed, row.reason)),
        Lane.of(waiting).packed() if waiting.explore else 0,
    )


def one_row(sequence: int, state: int, next_try: float | None, level: int, body: bytes) -> Row:
    """Return what ROW_ALONE, and the like, has found."""
    waiting, tries, first_failed, reason = _decode_body(body)
    if waiting.level != level:
        waiting = waiting._replace(level=level)
    return Row(sequence, waiting, state, tries, first_failed, next_try, reason)
