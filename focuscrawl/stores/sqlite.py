"""The embedded store: one SQLite file beside the results, owned by one process.

Rows are append-only in order of sequence, which is what makes writing cheap; the numbers of seen
URLs are packed, one blob a commit. All partitions belong to whoever holds the lock file.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import socket
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from focuscrawl.stores import migrations, sqlite_forgetting, sqlite_stories, sqlite_urls
from focuscrawl.stores.base import (
    PARTITIONS,
    Changes,
    Loaded,
    Row,
    StoreBusy,
    StoreError,
    StoryArticle,
    StoryState,
)
from focuscrawl.values import Json, PageState

T = TypeVar("T")

APPLICATION_ID = 0x666F6372  # "focr": tells our files from other people's databases
BUSY_TIMEOUT = 10.0
SCHEMA = f"""
{sqlite_urls.SCHEMA}
CREATE TABLE facts (kind TEXT, key TEXT, value BLOB, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE sites (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, parts BLOB);
CREATE TABLE seen (id INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TABLE pages (key BLOB PRIMARY KEY, next_visit REAL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX pages_due ON pages (next_visit) WHERE next_visit IS NOT NULL;
{sqlite_stories.SCHEMA}
"""
ONE_FACT = "SELECT value FROM facts WHERE kind = ? AND key = ?"
PAGES_DUE = """
SELECT body FROM pages WHERE next_visit <= ? AND (next_visit, key) > (?, ?)
ORDER BY next_visit, key LIMIT ?
"""

PAGES_UNDATED = "SELECT body FROM pages WHERE next_visit IS NULL AND key > ? ORDER BY key LIMIT ?"

SEQUENCE = itemgetter(0)

_encode = msgspec.msgpack.Encoder().encode
_decode_page = msgspec.msgpack.Decoder(PageState).decode
_decode_json = msgspec.msgpack.Decoder().decode


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


class SQLiteStore:
    """A store in ``path``; see stores.base.Store for the contract.

    ``synchronous`` FULL survives a power cut with the last commit, NORMAL may lose the last ones
    but never the file. Raises StoreError for a file that is not ours, newer, or damaged; it is
    never changed then.
    """

    def __init__(self, path: Path, *, synchronous: str = "NORMAL") -> None:
        self.path = path
        self._synchronous = synchronous
        self._lock: IO[str] | None = None
        self._sites = SiteNumbers()
        self._database: sqlite3.Connection | None = None

    # Owning -------------------------------------------------------------------------------------

    def own(self) -> Sequence[int]:
        """Take the lock and open the file, making or migrating it when needed."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._take_lock()
        except OSError as error:
            raise StoreError(
                f"{self.path.parent}: cannot write here ({error.strerror});"
                " make the folder writable or set FOCUSCRAWL_DATA_DIR to another one"
            ) from error
        try:
            with self._explained():
                self._open()
        except BaseException:
            self.release()
            raise
        return range(PARTITIONS)

    def release(self) -> None:
        """Close the file and give the lock back."""
        if self._database is not None:
            self._database.close()
            self._database = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _take_lock(self) -> None:
        # A file of its own: closing any handle of the database file would drop SQLite's own locks.
        path = self.path.with_suffix(".lock")
        lock = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            owner = lock.read().strip() or "another process"
            lock.close()
            raise StoreBusy(
                f"{self.path.name}: this topic is already running ({owner}); wait for it to end,"
                " or stop it"
            ) from error
        lock.truncate(0)
        lock.write(f"{socket.gethostname()}:{os.getpid()}")
        lock.flush()
        self._lock = lock

    def _open(self) -> None:
        is_new = not self.path.exists() or self.path.stat().st_size == 0
        if not is_new:
            self._check_file()
        database = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT, isolation_level=None)
        self._database = database
        if is_new:
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(f"PRAGMA synchronous = {self._synchronous}")
        database.execute("PRAGMA wal_autocheckpoint = 4000")
        database.execute("PRAGMA cache_size = -16000")
        if is_new:
            statements = f"BEGIN; {SCHEMA} PRAGMA user_version = {migrations.VERSION}; COMMIT;"
            database.executescript(statements)
        else:
            self._migrate(database)
        self._sites.read(database)

    def _check_file(self) -> None:
        """Look at a file that is there without changing it."""
        with contextlib.closing(
            sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
        ) as database:
            (application,) = database.execute("PRAGMA application_id").fetchone()
            (version,) = database.execute("PRAGMA user_version").fetchone()
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            (page_size,) = database.execute("PRAGMA page_size").fetchone()
        if application != APPLICATION_ID:
            raise StoreError(
                f"{self.path}: a SQLite file, but not one of focuscrawl's crawls; move it away or"
                " set FOCUSCRAWL_DATA_DIR to another folder (nothing was changed)"
            )
        if version > migrations.VERSION:
            raise StoreError(
                f"{self.path}: written by a newer focuscrawl (crawl file version {version}, this"
                f" one reads up to {migrations.VERSION}); update focuscrawl (nothing was changed)"
            )
        has_log = self.path.with_name(self.path.name + "-wal").exists()
        if not has_log and self.path.stat().st_size < pages * page_size:
            raise StoreError(_damaged(self.path, "the file is shorter than it says"))

    def _migrate(self, database: sqlite3.Connection) -> None:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version == migrations.VERSION:
            return
        backup = self.path.with_name(f"{self.path.name}.v{version}.bak")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy2(self.path, backup)
        for step in range(version, migrations.VERSION):
            statements = migrations.STEPS[step]
            database.executescript(
                f"BEGIN; {statements}; PRAGMA user_version = {step + 1}; COMMIT;"
            )

    # Writing ------------------------------------------------------------------------------------

    def commit(self, changes: Mapping[int, Changes]) -> None:
        """Write the changes of all partitions in one transaction."""
        database = self._open_database()
        try:
            with self._explained():
                database.execute("BEGIN IMMEDIATE")
                self._write(database, _together(changes.values()))
                database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
            # Numbers given to sites in the lost transaction must not be used by the next one.
            with contextlib.suppress(sqlite3.Error):
                self._sites.read(database)
            raise

    def forget(
        self, keys: Collection[bytes], site: str = "", numbers: Collection[int] = (), *, again: bool
    ) -> sqlite_forgetting.Held:
        """Take addresses, or all of a site, out of the file; returns what it had of them.

        They, and addresses of these ``numbers``, are never fetched any more; or with ``again`` they
        are when they are found again.
        """
        database = self._open_database()
        with self._explained(), database:
            database.execute("BEGIN IMMEDIATE")
            held = sqlite_forgetting.held_of(database, keys, site)
            sqlite_forgetting.forget(database, held, numbers, again=again)
        return held

    def _write(self, database: sqlite3.Connection, changes: Changes) -> None:
        if changes.sites:
            self._write_sites(database, changes.sites)
        if changes.added:
            sqlite_urls.add(database, changes.added, self._sites)
        if changes.moved:
            sqlite_urls.replace(database, changes.moved, self._sites)
        if changes.seen:
            numbers = b"".join([number.to_bytes(8, "little") for number in changes.seen])
            database.execute("INSERT INTO seen (numbers) VALUES (?)", (numbers,))
        if changes.removed:
            sqlite_urls.remove(database, changes.removed)
        if changes.pages:
            database.executemany(
                "INSERT OR REPLACE INTO pages VALUES (?, ?, ?)",
                [(page.key, page.next_visit, _encode(page)) for page in changes.pages],
            )
        for (kind, key), value in changes.facts.items():
            if value is None:
                database.execute("DELETE FROM facts WHERE kind = ? AND key = ?", (kind, key))
            else:
                database.execute(
                    "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (kind, key, _encode(value))
                )

        if changes.story_articles or changes.stories:
            sqlite_stories.write(database, changes.story_articles, changes.stories)

    def _write_sites(self, database: sqlite3.Connection, sites: Mapping[str, Json]) -> None:
        for name, parts in sites.items():
            number = self._sites[name]
            query = "SELECT parts FROM sites WHERE number = ?"
            (old,) = database.execute(query, (number,)).fetchone()
            merged = _encode({**(_decode_json(old) if old else {}), **parts})
            database.execute("UPDATE sites SET parts = ? WHERE number = ?", (merged, number))

    # Reading ------------------------------------------------------------------------------------

    def read(self, sequence: int, level: int) -> list[Row]:
        """Return a row and the next ones of its level: they mostly lie on the same page."""
        with self._explained():
            return sqlite_urls.near(self._open_database(), sequence, level)

    def rows(self, state: int) -> Iterator[Row]:
        """Go through the rows of one state."""
        return self._each(sqlite_urls.of_state(self._open_database(), state))

    async def load(self, partitions: Sequence[int]) -> Loaded:
        """Read everything; an embedded store owns all partitions."""
        database = self._open_database()
        with self._explained():
            sites = [name for (name,) in database.execute("SELECT name FROM sites ORDER BY number")]
            records = {
                name: _decode_json(parts)
                for name, parts in database.execute(
                    "SELECT name, parts FROM sites WHERE parts IS NOT NULL"
                )
            }
            seen = [numbers for (numbers,) in database.execute("SELECT numbers FROM seen")]
            aside = sqlite_urls.aside(database)
            next_sequence = sqlite_urls.next_sequence(database)
        return Loaded(
            sites=sites,
            runs=self._each(sqlite_urls.runs(database)),
            folders=self._each(sqlite_urls.folders(database)),
            places=self._each(sqlite_urls.places(database)),
            aside=aside,
            seen=seen,
            records=records,
            next_sequence=next_sequence,
        )

    async def pages(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of pages."""
        database = self._open_database()
        found = {}
        for key in keys:
            row = database.execute("SELECT body FROM pages WHERE key = ?", (key,)).fetchone()
            if row:
                found[key] = _decode_page(row[0])
        return found

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the pages whose next visit has come."""
        date, key = after or (-inf, b"")
        with self._explained():
            rows = self._open_database().execute(PAGES_DUE, (now, date, key, most))
            return [_decode_page(body) for (body,) in rows]

    async def due_count(self, now: float) -> int:
        """Return how many pages' next visit has come."""
        with self._explained():
            query = "SELECT count(*) FROM pages WHERE next_visit <= ?"
            return int(self._open_database().execute(query, (now,)).fetchone()[0])

    async def undated(self, most: int, after: bytes = b"") -> list[PageState]:
        """Return pages that are not visited again, by key."""
        with self._explained():
            rows = self._open_database().execute(PAGES_UNDATED, (after, most))
            return [_decode_page(body) for (body,) in rows]

    async def sites(self, names: Sequence[str]) -> dict[str, Json]:
        """Return the records of sites."""
        database = self._open_database()
        found = {}
        for name in names:
            row = database.execute("SELECT parts FROM sites WHERE name = ?", (name,)).fetchone()
            if row and row[0]:
                found[name] = _decode_json(row[0])
        return found

    async def facts(self, kind: str, keys: Sequence[str] | None = None) -> dict[str, Any]:
        """Return facts of a kind; those of ``keys`` are looked up one by one, there may be many."""
        database = self._open_database()
        if keys is None:
            rows = database.execute("SELECT key, value FROM facts WHERE kind = ?", (kind,))
            return {key: _decode_json(value) for key, value in rows}
        found = {}
        for key in keys:
            row = database.execute(ONE_FACT, (kind, key)).fetchone()
            if row is not None:
                found[key] = _decode_json(row[0])
        return found

    # Stories ------------------------------------------------------------------------------------

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return the newest articles of each term."""
        with self._explained():
            return sqlite_stories.candidates(self._open_database(), terms, since, until, most)

    async def story_articles(self, numbers: Sequence[int]) -> dict[int, StoryArticle]:
        """Return articles of the index of stories."""
        with self._explained():
            return sqlite_stories.articles(self._open_database(), numbers)

    async def story_article(self, key: bytes) -> StoryArticle | None:
        """Return an article of the index by its key."""
        with self._explained():
            return sqlite_stories.article_of(self._open_database(), key)

    async def stories(self, ids: Sequence[str]) -> dict[str, StoryState]:
        """Return stories."""
        with self._explained():
            return sqlite_stories.stories(self._open_database(), ids)

    async def last_story_article(self) -> int:
        """Return the highest number of an article."""
        with self._explained():
            return sqlite_stories.last_number(self._open_database())

    # Inside -------------------------------------------------------------------------------------

    def _open_database(self) -> sqlite3.Connection:
        if self._database is None:
            raise StoreError(f"{self.path}: the store is closed")
        return self._database

    def _each(self, found: Iterator[T]) -> Iterator[T]:
        """Go through what is read bit by bit; SQLite may fail at any of them."""
        with self._explained():
            yield from found

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones that say where and what to do."""
        try:
            yield
        except sqlite3.Error as error:
            message = str(error)
            if "full" in message:
                raise StoreError(
                    f"{self.path}: the disk is full; free some space and run again"
                    " (nothing that was stored is lost)"
                ) from error
            if "readonly" in message or "unable to open" in message:
                raise StoreError(
                    f"{self.path}: cannot be written ({message}); check its owner and permissions,"
                    " or set FOCUSCRAWL_DATA_DIR to another folder"
                ) from error
            if "locked" in message:
                raise StoreError(
                    f"{self.path}: another program holds the file ({message}); close it and run"
                    " again"
                ) from error
            if "disk I/O" in message:  # a disk with no room for SQLite's own files says so, too
                raise StoreError(
                    f"{self.path}: the disk failed while reading or writing ({message}); check the"
                    " disk and its space, and run again (nothing that was stored is lost)"
                ) from error
            raise StoreError(_damaged(self.path, message)) from error


def _together(parts: Iterable[Changes]) -> Changes:
    """Join the changes of all partitions: one statement for many rows costs a part of many."""
    whole = Changes()
    for part in parts:
        whole.added += part.added
        whole.moved += part.moved
        whole.removed += part.removed
        whole.seen += part.seen
        whole.pages += part.pages
        whole.sites |= part.sites
        whole.facts |= part.facts
        whole.story_articles += part.story_articles
        whole.stories += part.stories
    whole.added.sort(key=SEQUENCE)  # appended to the end of the table, page after page
    return whole


def _damaged(path: Path, why: str) -> str:
    return (
        f"{path}: cannot be read as a crawl file ({why}); it was left as it is. Restore it from a"
        " backup, or move it away to start anew (the results beside it stay)"
    )
