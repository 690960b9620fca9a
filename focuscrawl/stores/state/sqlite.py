"""The embedded store: one SQLite file beside the results, owned by one process.

Rows are append-only in order of sequence, which is what makes writing cheap; the numbers of seen
URLs are packed, one blob a commit. All partitions belong to the process that holds the lock.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np

from focuscrawl.stores.state import sqlite_maintenance, sqlite_urls
from focuscrawl.stores.state.protocol import (
    KEPT,
    PARTITIONS,
    WAITING,
    Changes,
    Fate,
    InboxBatch,
    Loaded,
    Row,
    SentLink,
    StoreError,
    WorkerState,
    ignore,
    packed,
    unseen_since,
)
from focuscrawl.stores.state.sqlite_file import SqliteFile
from focuscrawl.stores.state.sqlite_stories import StoryTables, write_stories
from focuscrawl.urls.sites import KEY_BITS, Partitions, partition_of
from focuscrawl.values import Json, PageState

ONE_FACT = "SELECT key, value FROM facts WHERE kind = ? AND key = ?"
OF_SITES = (
    "DELETE FROM urls WHERE site IN (SELECT value FROM json_each(?))",
    "UPDATE sites SET parts = NULL WHERE number IN (SELECT value FROM json_each(?))",
)
OF_PARTITIONS = (
    "DELETE FROM pages WHERE partition IN (SELECT value FROM json_each(?))",
    "DELETE FROM facts WHERE partition IN (SELECT value FROM json_each(?))",
)
BEFORE_ALL = (-inf, b"")  # date and key before those of all pages

PAGES_DUE = """
SELECT body FROM pages WHERE next_visit <= ? AND (next_visit, key) > (?, ?)
ORDER BY next_visit, key LIMIT ?
"""

PAGES_UNDATED = "SELECT body FROM pages WHERE next_visit IS NULL AND key > ? ORDER BY key LIMIT ?"

PAGES_UNSEEN = """
SELECT body FROM pages WHERE unseen <= ? AND (unseen, key) > (?, ?)
ORDER BY unseen, key LIMIT ?
"""

_decode_page = msgspec.msgpack.Decoder(PageState).decode
_decode_json = msgspec.msgpack.Decoder().decode
_decode_links = msgspec.msgpack.Decoder(list[SentLink]).decode


class SiteNumbers(dict[str, int]):
    """The numbers of sites by name; one that is new is written down as soon as it is asked for."""

    def read(self, database: sqlite3.Connection) -> None:
        """Take those of a file."""
        self._database = database
        self.clear()
        self.update(database.execute("SELECT name, number FROM sites"))

    def __missing__(self, name: str) -> int:
        """Give a site the next number."""
        number = self[name] = len(self)
        self._database.execute("INSERT INTO sites (number, name) VALUES (?, ?)", (number, name))
        return number


class SQLiteStore(StoryTables):
    """A store in ``path``; see stores.state.protocol.Store for the contract.

    ``synchronous`` FULL survives a power cut with the last commit, NORMAL may lose the last ones
    but never the file. Raises StoreError for a file that is not ours, newer, or damaged; it is
    never changed then. ``failed`` receives every error that is found later, while the file is read or
    written: any code may be the caller, and the crawl is to end.
    """

    is_shared, is_last, vanished = False, True, 0

    def __init__(
        self,
        path: Path,
        *,
        synchronous: str = "NORMAL",
        failed: Callable[[StoreError], object] = lambda _: None,
    ) -> None:
        self.path = path
        super().__init__(SqliteFile(path, synchronous, failed))
        self._sites = SiteNumbers()
        self._ahead = sqlite_urls.RowsAhead()

    # Owning -------------------------------------------------------------------------------------

    async def reach(self, alone: str = "") -> None:
        """Wait for nothing: a file is there."""

    def own(self, alone: str = "") -> Sequence[int]:
        """Take the lock and open the file, making or migrating it when needed."""
        self._file.lock()
        try:
            with self._file.explained():
                self._sites.read(self._file.open())
        except BaseException:
            self.release()
            raise
        return range(PARTITIONS)

    async def give_back(self, partitions: Collection[int], pauses: Mapping[str, float]) -> None:
        """Give nothing back: the lock is for all partitions."""

    def seconds_held(self) -> float:
        """Return how long the lock holds: until it is given back."""
        return inf

    def draw(self) -> range:
        """Return no numbers: the next ones are this process's without asking."""
        return range(0)

    def top(self) -> int:
        """Return nothing: the owner knows which number it gave last."""
        return 0

    def tell(self, state: WorkerState) -> None:
        """Do nothing: there is no other process."""

    def begin_anew(self) -> None:
        """Do nothing: no other process ever holds them."""

    async def recount(self, counter: str, worker: str, least: int) -> None:
        """Do nothing: there is no other process."""

    def release(self) -> None:
        """Close the file and give the lock back."""
        self._ahead.clear()
        self._file.close()

    # Writing ------------------------------------------------------------------------------------

    def commit(
        self, changes: Mapping[int, Changes], heard: Callable[[Fate], object] = ignore
    ) -> None:
        """Write the changes of all partitions in one transaction."""
        database = self._file.connection()
        self._file.check_held()
        try:
            with self._file.explained():
                database.execute("BEGIN IMMEDIATE")
                _write(database, _joint(changes.values()), self._sites, self._ahead)
                for partition, part in changes.items():
                    _write_facts(database, partition, part.facts)
                    _write_inbox(database, partition, part)
                database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
            # Numbers given to sites in the lost transaction must not be used by the next one.
            with contextlib.suppress(sqlite3.Error):
                self._sites.read(database)
            raise
        heard(KEPT)

    def held(self, keys: Collection[bytes], site: str = "") -> sqlite_maintenance.Held:
        """Return what there is of addresses, or of all of a site."""
        with self._file.explained():
            return sqlite_maintenance.held_of(self._file.connection(), keys, site)

    def forget(
        self, keys: Collection[bytes], site: str = "", numbers: Collection[int] = (), *, again: bool
    ) -> sqlite_maintenance.Held:
        """Take addresses, or all of a site, out of the file; returns what was there of them.

        They, and addresses of these ``numbers``, are never fetched any more; or with ``again`` they
        are when they are found again.
        """
        database = self._file.connection()
        self._file.check_held()
        with self._file.explained(), database:
            database.execute("BEGIN IMMEDIATE")
            held = sqlite_maintenance.held_of(database, keys, site)
            sqlite_maintenance.forget_urls(database, held, numbers, again=again)
        self._ahead.clear()
        return held

    def leave(self, partitions: Partitions) -> None:
        """Forget some partitions, in a file that only mirrors what stands elsewhere; sites keep their
        numbers.
        """
        database = self._file.connection()
        sites = [number for name, number in self._sites.items() if partitions.has(name)]
        with self._file.explained(), database:
            database.execute("BEGIN IMMEDIATE")
            for query in OF_SITES:
                database.execute(query, (json.dumps(sites),))
            for query in OF_PARTITIONS:
                database.execute(query, (json.dumps(sorted(partitions)),))
        self._ahead.clear()

    async def is_left(self) -> bool:
        """Whether any URL waits; no other process can work on the file."""
        return any(self.rows(WAITING))

    def clear(self) -> None:
        """Empty all tables in one transaction: a kill leaves all of it or nothing."""
        database = self._file.connection()
        self._file.check_held()
        with self._file.explained(), database:
            # The one row of "used" says which numbers were given away, and must be there.
            tables = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'used'"
            ).fetchall()
            database.execute("BEGIN IMMEDIATE")
            for (table,) in tables:
                database.execute(f'DELETE FROM "{table}"')  # noqa: S608 - a name of the schema
        self._ahead.clear()
        self._sites.read(database)

    # Reading ------------------------------------------------------------------------------------

    def read(self, sequence: int, level: int) -> Row | None:
        """Return a row."""
        try:  # for nearly every URL taken: a context costs 0.9 µs, a row at hand 0.9 in all
            return self._ahead.read(self._file.connection(), sequence, level)
        except (StoreError, sqlite3.Error, msgspec.MsgspecError):
            with self._file.explained():
                raise

    def rows(self, state: int) -> Iterator[Row]:
        """Go through the rows of one state."""
        return self._file.each(sqlite_urls.of_state(self._file.connection(), state))

    async def load(self, partitions: Collection[int]) -> Loaded:
        """Read what lies in some partitions."""
        database = self._file.connection()
        with self._file.explained():
            sites = _in_order(database.execute("SELECT number, name FROM sites ORDER BY number"))
            chosen = _Chosen(sites, Partitions(partitions))
            records = {
                sites[number]: _decode_json(parts)
                for number, parts in database.execute(
                    "SELECT number, parts FROM sites WHERE parts IS NOT NULL"
                )
                if chosen.is_in[number]
            }
            seen = [
                chosen.numbers(numbers)
                for (numbers,) in database.execute("SELECT numbers FROM seen")
            ]
            aside = [*chosen.of(sqlite_urls.aside(database))]
            next_sequence = sqlite_urls.next_sequence(database)
            inbox: defaultdict[int, list[InboxBatch]] = defaultdict(list)
            for position, partition, links in database.execute("SELECT * FROM inbox ORDER BY 1"):
                if partition in chosen.partitions:
                    inbox[partition].append(InboxBatch(position, _decode_links(links)))
        return Loaded(
            sites=sites,
            runs=self._file.each(chosen.of(sqlite_urls.waiting_runs(database))),
            folders=self._file.each(chosen.of(sqlite_urls.folders(database))),
            places=self._file.each(chosen.of(sqlite_urls.waiting_places(database))),
            aside=aside,
            seen=seen,
            records=records,
            next_sequence=next_sequence,
            inbox=dict(inbox),
        )

    async def pages(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of pages."""
        query = "SELECT body FROM pages WHERE key = ?"
        found = ((key, self._file.one(_decode_page, query, key)) for key in keys)
        return {key: page for key, page in found if page is not None}

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the pages whose next visit has come."""
        return self._pages(PAGES_DUE, now, *(after or BEFORE_ALL), most)

    async def due_count(self, now: float) -> int:
        """Return how many pages' next visit has come."""
        return int(self._file.ask("SELECT count(*) FROM pages WHERE next_visit <= ?", now)[0][0])

    async def undated(self, most: int, after: bytes = b"") -> list[PageState]:
        """Return pages that are not visited again, by key."""
        return self._pages(PAGES_UNDATED, after, most)

    async def unseen(
        self, until: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return pages without a next visit, the longest unseen first."""
        return self._pages(PAGES_UNSEEN, until, *(after or BEFORE_ALL), most)

    async def unseen_count(self) -> int:
        """Return how many pages ``unseen`` would go through in all."""
        return int(self._file.ask("SELECT count(*) FROM pages WHERE unseen IS NOT NULL")[0][0])

    def _pages(self, query: str, *values: object) -> list[PageState]:
        rows = self._file.ask(query, *values)
        with self._file.explained():
            return [_decode_page(body) for (body,) in rows]

    async def sites(self, names: Sequence[str]) -> dict[str, Json]:
        """Return the records of sites."""
        query = "SELECT parts FROM sites WHERE name = ?"
        found = ((name, self._file.one(_decode_json, query, name)) for name in names)
        return {name: record for name, record in found if record is not None}

    async def facts(self, kind: str, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Return facts of a kind; those of ``keys`` are looked up one by one, there may be many."""
        if keys is None:
            rows = self._file.ask("SELECT key, value FROM facts WHERE kind = ?", kind)
        else:
            rows = [row for key in keys for row in self._file.ask(ONE_FACT, kind, key)]
        with self._file.explained():
            return {key: _decode_json(value) for key, value in rows}

    async def facts_in(self, partitions: Collection[int], kind: str) -> dict[int, dict[str, Any]]:
        """Return facts of a kind by partition."""
        query = "SELECT partition, key, value FROM facts WHERE kind = ?"
        found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
        for partition, key, value in self._file.ask(query, kind):
            if partition in partitions:
                with self._file.explained():
                    found[partition][key] = _decode_json(value)
        return dict(found)


class _OfSite(Protocol):
    @property
    def site(self) -> int: ...


Located = TypeVar("Located", bound=_OfSite)


def _in_order(rows: Iterable[tuple[int, str]]) -> list[str]:
    """Return the names of sites by their numbers; when one is missing, the file is damaged."""
    names: list[str] = []
    for number, name in rows:
        if number != len(names):
            raise sqlite3.DatabaseError(f"site {len(names)} is missing")
        names.append(name)
    return names


class _Chosen:
    """The sites whose partitions are read."""

    def __init__(self, sites: Sequence[str], partitions: Partitions) -> None:
        self.partitions = partitions
        self._are_all = len(partitions) == PARTITIONS
        self.is_in = [True] * len(sites) if self._are_all else [*map(partitions.has, sites)]

    def of(self, rows: Iterable[Located]) -> Iterator[Located]:
        """Pass on the rows of these sites. Raises sqlite3.DatabaseError for a site that is not there."""
        for row in rows:
            if row.site >= len(self.is_in):
                raise sqlite3.DatabaseError(f"site {row.site} is missing")
            if self.is_in[row.site]:
                yield row

    def numbers(self, packed_numbers: bytes) -> bytes:
        """Return those of the numbers of seen URLs that belong to these partitions."""
        if self._are_all:
            return packed_numbers
        numbers = np.frombuffer(packed_numbers, dtype="<u8")
        chosen = np.isin(numbers >> np.uint64(KEY_BITS), [*self.partitions])
        return numbers[chosen].tobytes()


# Writing ---------------------------------------------------------------------------------------


OF_EACH = {"facts", "sent", "taken_in"}
"""What of changes belongs to one partition, and is written alone."""

JOINED = tuple(name for name in Changes.__slots__ if name not in OF_EACH)


def _joint(parts: Iterable[Changes]) -> Changes:
    """Join the changes of all partitions: one statement for many rows costs a part of many."""
    whole = Changes()
    for part in parts:
        for name in JOINED:
            joined, some = getattr(whole, name), getattr(part, name)
            (joined.update if isinstance(joined, dict) else joined.extend)(some)
    whole.added.sort(key=itemgetter(0))  # appended to the end of the table, page after page
    return whole


def _write(
    database: sqlite3.Connection,
    changes: Changes,
    sites: SiteNumbers,
    ahead: sqlite_urls.RowsAhead,
) -> None:
    """Write changes, inside the caller's transaction."""
    if changes.sites:
        _write_sites(database, changes.sites, sites)
    # Appended by sequence: 1.3 µs with the blob below; in a tree by site and level a new URL cost 4.5 µs.
    if changes.added:
        sqlite_urls.add(database, changes.added, sites)
    if changes.moved:
        sqlite_urls.replace(database, changes.moved, sites)
        ahead.forget(row.sequence for row in changes.moved)
    # One blob a commit: so a new URL cost 1.3 µs in all, with a row for its number 7.9 (200,000 URLs).
    if changes.seen:
        numbers = b"".join([number.to_bytes(8, "little") for number in changes.seen])
        database.execute("INSERT INTO seen (numbers) VALUES (?)", (numbers,))
    if changes.removed:
        sqlite_urls.remove(database, changes.removed)
        ahead.forget(changes.removed)
    if changes.pages:
        database.executemany(
            "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?)",
            [
                (
                    page.key,
                    page.next_visit,
                    packed(page),
                    unseen_since(page),
                    partition_of(page.site),
                )
                for page in changes.pages
            ],
        )
    if changes.story_articles or changes.stories:
        write_stories(database, changes.story_articles, changes.stories)


def _write_inbox(database: sqlite3.Connection, partition: int, changes: Changes) -> None:
    if changes.sent:
        row = (partition, packed(changes.sent))
        database.execute("INSERT INTO inbox (partition, links) VALUES (?, ?)", row)
    if changes.taken_in:
        taken = (partition, changes.taken_in)
        database.execute("DELETE FROM inbox WHERE partition = ? AND position <= ?", taken)


def _write_facts(
    database: sqlite3.Connection, partition: int, facts: Mapping[tuple[str, str], Any]
) -> None:
    for (kind, key), value in facts.items():
        if value is None:
            database.execute("DELETE FROM facts WHERE kind = ? AND key = ?", (kind, key))
        else:
            row = (kind, key, packed(value), partition)
            database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)", row)


def _write_sites(
    database: sqlite3.Connection, records: Mapping[str, Json], numbers: SiteNumbers
) -> None:
    for name, parts in records.items():
        number = numbers[name]
        query = "SELECT parts FROM sites WHERE number = ?"
        (old,) = database.execute(query, (number,)).fetchone()
        merged = packed({**(_decode_json(old) if old else {}), **parts})
        database.execute("UPDATE sites SET parts = ? WHERE number = ?", (merged, number))
