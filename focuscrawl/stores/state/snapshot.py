"""A crawl file as it stood at one moment, looked at while its owner goes on; nothing is ever written.

There is no index by key, since it would cost every new URL 3 µs where it costs 1.3 in all: a URL is found by
going through the rows of its site, which takes a tenth of a second in a file of 10^6 rows, and only where the
set of seen URLs has it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import (
    Changes,
    Fate,
    QueuePlace,
    Row,
    SentLink,
    SiteQueue,
    StoreError,
    ignore,
)
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import SqliteFile, copy_database, open_read_only
from focuscrawl.stores.state.sqlite_urls import ROW_ALONE, one_row

MAPPED = 1 << 33
"""Bytes that are read where the file lies: going through 10^6 rows takes 65 ms instead of 100."""

# One at a time: the driver looks for the row after the one it gives, mostly to the end of the file.
OF_KEY = "SELECT sequence FROM urls WHERE sequence > ? AND site = ? AND instr(body, ?) LIMIT 1"
# In two halves, since sums over all rows would be 182 ms of CPU in a file of 10^6 rows instead of 112.
BEFORE_IN_LEVEL = """
SELECT count(*), count(*) FILTER (WHERE site = ?)
FROM urls WHERE level = ? AND state = 0 AND lane = 0 AND sequence < ?
"""
FROM_IN_LEVEL = """
SELECT count(*) FROM urls WHERE level = ? AND state = 0 AND lane = 0 AND sequence >= ?
"""
IN_LANE = """
SELECT count(*), 0, coalesce(sum(lane >> 1 & 65535 > ? AND site = ?), 0)
FROM urls WHERE state = 0 AND lane <> 0
"""
OF_SITE = """
SELECT state, level, lane <> 0, count(*) FROM urls WHERE site = ? GROUP BY 1, 2, 3 ORDER BY 1, 2 DESC
"""
SEEN_IN = "SELECT 1 FROM seen WHERE instr(numbers, ?) LIMIT 1"

_decode_links = msgspec.msgpack.Decoder(list[SentLink]).decode


def _no_crawl(path: Path) -> StoreError:
    return StoreError(_("{path}: there is no crawl in this file yet").format(path=path))


class SnapshotFile(SqliteFile):
    """A crawl file that is only read, though a process may hold it."""

    def lock(self) -> None:
        """Take nothing."""

    def open(self) -> sqlite3.Connection:
        """Open the file as it is now. Raises StoreError, also for a newer one."""
        if not self.is_finished():
            raise _no_crawl(self.path)
        database = self._database = open_read_only(self.path)
        database.isolation_level = None
        database.execute(f"PRAGMA mmap_size = {MAPPED}")
        database.execute("BEGIN")
        return database


class Snapshot(SQLiteStore):
    """The store of a command that only looks: own it, ask it, release it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._file = SnapshotFile(path, "OFF", lambda _: None)

    @classmethod
    def of(cls, path: Path, folder: Path) -> Snapshot:
        """Return a snapshot of a crawl file, of an older version through a copy in ``folder`` that is
        brought up to this one. Raises StoreError."""
        whole = SnapshotFile(path, "OFF", lambda _: None)
        if not whole.is_finished():
            raise _no_crawl(path)
        if whole.is_current():
            return cls(path)
        copy = folder / path.name
        copy_database(path, copy)
        migrated = SQLiteStore(copy)
        migrated.own()
        migrated.release()
        return cls(copy)

    def commit(
        self, changes: Mapping[int, Changes], heard: Callable[[Fate], object] = ignore
    ) -> None:
        """Raise StoreError: nothing is written here."""
        raise StoreError(_("{path}: is only looked at").format(path=self.path))

    # What is there of an address ----------------------------------------------------------------

    def has_seen(self, number: int) -> bool:
        """Whether a URL was ever queued, by its key number."""
        # A number may also be found across two; one in 10^12 is.
        return bool(self._file.ask(SEEN_IN, number.to_bytes(8, "little")))

    def row_of_key(self, key: bytes, site: str) -> Row | None:
        """Return the row of a URL of a site: the last one, when a visit waits besides."""
        if site not in self._sites:
            return None
        found: Row | None = None
        number, last = self._sites[site], -1
        while place := self._file.ask(OF_KEY, last, number, key):
            last = place[0][0]
            row = one_row(*self._file.ask(ROW_ALONE, last)[0])
            if row.waiting.key == key:  # else the key is that of the page it was found on
                found = row
                if not row.state:
                    break
        return found

    def place_of(self, row: Row) -> QueuePlace:
        """Return where a row waits."""
        waiting = row.waiting
        number = self._sites[waiting.site]
        if waiting.explore:
            score = round(waiting.score * 1023) << 6
            return QueuePlace(*self._file.ask(IN_LANE, score, number)[0])
        level, at = waiting.level, row.sequence
        before, of_site = self._file.ask(BEFORE_IN_LEVEL, number, level, at)[0]
        behind = self._file.ask(FROM_IN_LEVEL, level, at)[0][0]
        return QueuePlace(before + behind, before, of_site)

    def sent_to_others(self, key: bytes) -> bool:
        """Whether a URL is on its way to the holder of its site."""
        links = self._file.ask("SELECT links FROM inbox")
        with suppress(msgspec.MsgspecError):
            return any(one.waiting.key == key for (some,) in links for one in _decode_links(some))
        return False

    def queues_of_site(self, site: str) -> list[SiteQueue]:
        """Return what waits, has failed or is parked of a site."""
        if site not in self._sites:
            return []
        rows = self._file.ask(OF_SITE, self._sites[site])
        return [SiteQueue(state, level, bool(lane), count) for state, level, lane, count in rows]
