"""How much waits in a crawl, for users to look at, also while it runs; nothing is changed.

A file is read as it is at one moment. Of a crawl on Redis the URLs are not gone through, which would hold
up its workers: how much waits in which level stands in the numbers that they write each minute.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.locale.messages import _
from focuscrawl.stores.state.crawl_lock import holder_of
from focuscrawl.stores.state.protocol import FAILED, PARKED, PARTITIONS, Row, StoreError
from focuscrawl.stores.state.sqlite_file import open_read_only
from focuscrawl.stores.state.sqlite_urls import of_state

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.stores.redis.server import Server

SITES_SEEN = 50
"""Sites that are named of those for which URLs wait: as many rows as a report opens."""

WAITING_BY_SITE = """
SELECT sites.name, level, count(*) FROM urls LEFT JOIN sites ON sites.number = urls.site
WHERE state = 0 GROUP BY urls.site, level
"""


class QueuesSeen(NamedTuple):
    """``total`` URLs wait, ``waiting`` by their level (empty: unknown), and ``sites`` for which
    most do, of ``site_count``; the first rows of those that failed or are parked."""

    total: int
    failed: int
    parked: int
    waiting: Mapping[int, int]
    sites: Sequence[tuple[str, int]] = ()
    site_count: int = 0
    failed_rows: Sequence[Row] = ()
    parked_rows: Sequence[Row] = ()


MOST_DUE_COUNTED = 200_000
"""Pages in a Redis of which those that are due are counted: each is read for it, a second for so many."""


class WorkLeft(NamedTuple):
    """What is left to do: URLs that wait, that have failed or are parked, pages that are due (None: too many
    to count); and by whom."""

    waiting: int = 0
    failed: int = 0
    due: int | None = 0
    workers: tuple[str, ...] = ()


def queues_in_file(path: Path, most: int | None) -> QueuesSeen:
    """Look at a crawl file; ``most`` rows of those put aside are read. Raises StoreError."""
    try:
        with closing(open_read_only(path)) as database:
            database.execute("BEGIN")  # one moment
            levels: Counter[int] = Counter()
            sites: Counter[str] = Counter()
            for site, level, number in database.execute(WAITING_BY_SITE):
                levels[level] += number
                sites[site or ""] += number
            counts = dict(
                database.execute("SELECT state, count(*) FROM urls WHERE state <> 0 GROUP BY state")
            )
            return QueuesSeen(
                levels.total(),
                counts.get(FAILED, 0),
                counts.get(PARKED, 0),
                levels,
                sites.most_common(SITES_SEEN),
                len(sites),
                [*islice(of_state(database, FAILED), most)],
                [*islice(of_state(database, PARKED), most)],
            )
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error


def work_in_file(path: Path, now: float) -> WorkLeft:
    """Count what is left to do in a crawl file; ``now`` is wall time. Raises StoreError."""
    owner = holder_of(path)
    try:
        with closing(open_read_only(path)) as database:

            def count(query: str, *values: object) -> int:
                return int(database.execute(query, values).fetchone()[0])

            return WorkLeft(
                waiting=count("SELECT count(*) FROM urls WHERE state = 0"),
                failed=count("SELECT count(*) FROM urls WHERE state <> 0"),
                due=count("SELECT count(*) FROM pages WHERE next_visit <= ?", now),
                workers=(owner,) if owner else (),
            )
    except sqlite3.Error as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: sqlite3.Error) -> StoreError:
    told = _("{path}: cannot be read as a crawl file ({error})")
    return StoreError(told.format(path=path, error=error))


def queues_on_server(server: Server, most: int | None) -> QueuesSeen:
    """Look at a crawl on Redis. Raises ServerAway, StoreError."""
    from focuscrawl.stores.redis.rows import row_of  # noqa: PLC0415 - brings redis

    every = range(PARTITIONS)
    (*counts,) = server.send([("HLEN", server.key("rows", one)) for one in every])
    # Those put aside are few: what was tried in vain, and what a rule of the topic holds back.
    aside = (row_of(*pair) for one in every for pair in server.hash("aside", one))
    found: dict[int, list[Row]] = {FAILED: [], PARKED: []}
    numbers: Counter[int] = Counter()
    for row in aside:
        numbers[row.state] += 1
        if most is None or len(found[row.state]) < most:
            found[row.state].append(row)
    return QueuesSeen(
        sum(counts),
        numbers[FAILED],
        numbers[PARKED],
        {},
        failed_rows=found[FAILED],
        parked_rows=found[PARKED],
    )


def work_on_server(server: Server, now: float) -> WorkLeft:
    """Count what is left to do of a crawl on Redis; ``now`` is wall time. Raises ServerAway, StoreError."""
    from focuscrawl.stores.redis.rows import page_from  # noqa: PLC0415 - brings redis
    from focuscrawl.stores.redis.workers import crawl_seen  # noqa: PLC0415

    every, due = range(PARTITIONS), None
    seen = crawl_seen(server, PARTITIONS)
    sizes = server.send([("HLEN", server.key("pages", one)) for one in every])
    if sum(sizes) <= MOST_DUE_COUNTED:
        pages = (page_from(value) for one in every for _, value in server.hash("pages", one))
        due = sum(page.next_visit is not None and page.next_visit <= now for page in pages)
    workers = tuple(worker.name for worker in seen.workers if worker.left >= 0)
    return WorkLeft(seen.waiting + seen.inbox, seen.failed, due, workers)
