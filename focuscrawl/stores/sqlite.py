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
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import msgspec

from focuscrawl.stores import migrations, sqlite_forgetting, sqlite_stories
from focuscrawl.stores.base import (
    PARTITIONS,
    WAITING,
    Aside,
    Changes,
    Folder,
    Loaded,
    Place,
    Row,
    Run,
    StoreBusy,
    StoreError,
    StoryArticle,
    StoryState,
)
from focuscrawl.values import PROMISE_BITS, Json, Lane, PageState, Waiting

APPLICATION_ID = 0x666F6372  # "focr": tells our files from other people's databases
BUSY_TIMEOUT = 10.0
SCHEMA = """
CREATE TABLE used (sequence INTEGER NOT NULL);
INSERT INTO used VALUES (0);
CREATE TABLE facts (kind TEXT, key TEXT, value BLOB, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE sites (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, parts BLOB);
CREATE TABLE urls (
    sequence INTEGER PRIMARY KEY, site INTEGER NOT NULL, level INTEGER NOT NULL,
    state INTEGER NOT NULL, next_try REAL, priority INTEGER NOT NULL, body BLOB NOT NULL,
    lane INTEGER NOT NULL DEFAULT 0);
CREATE INDEX urls_state ON urls (state) WHERE state <> 0;
CREATE TABLE seen (id INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TABLE pages (key BLOB PRIMARY KEY, next_visit REAL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX pages_due ON pages (next_visit) WHERE next_visit IS NOT NULL;
"""
ROWS_WAITING = """
SELECT sequence, state, next_try, level, body FROM urls WHERE state = ? ORDER BY sequence
"""
# "state <> 0" lets SQLite use the small index of rows that are not simply waiting.
ROWS_ASIDE = """
SELECT sequence, state, next_try, level, body FROM urls
WHERE state <> 0 AND state = ? ORDER BY sequence
"""


NEAR, MOST_NEAR = 127, 24
ROWS_NEAR = """
SELECT sequence, state, next_try, level, body FROM urls
WHERE sequence BETWEEN ? AND ? AND (sequence = ? OR level = ? AND state = 0)
ORDER BY sequence LIMIT ?
"""
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
ONE_FACT = "SELECT value FROM facts WHERE kind = ? AND key = ?"
PLACES_ASIDE = """
SELECT sequence, site, level, priority, state, next_try, lane FROM urls WHERE state <> 0
"""
PAGES_DUE = """
SELECT body FROM pages WHERE next_visit <= ? AND (next_visit, key) > (?, ?)
ORDER BY next_visit, key LIMIT ?
"""


SEQUENCE = itemgetter(0)

_encode = msgspec.msgpack.Encoder().encode
# What a row keeps besides its columns: the URL, tries, first_failed, reason.
_decode_body = msgspec.msgpack.Decoder(tuple[Waiting, int, float, str]).decode
_decode_page = msgspec.msgpack.Decoder(PageState).decode
_decode_json = msgspec.msgpack.Decoder().decode


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
        self._numbers: dict[str, int] = {}
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
            schema = SCHEMA + sqlite_stories.SCHEMA
            statements = f"BEGIN; {schema} PRAGMA user_version = {migrations.VERSION}; COMMIT;"
            database.executescript(statements)
        else:
            self._migrate(database)
        self._numbers = dict(database.execute("SELECT name, number FROM sites"))

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
                self._numbers = dict(database.execute("SELECT name, number FROM sites"))
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
        rows = [*changes.added, *changes.moved]
        if rows:
            database.executemany(
                "INSERT OR REPLACE INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [self._columns(database, row) for row in rows],
            )
        if changes.seen:
            numbers = b"".join([number.to_bytes(8, "little") for number in changes.seen])
            database.execute("INSERT INTO seen (numbers) VALUES (?)", (numbers,))
        if changes.removed:
            database.executemany(
                "DELETE FROM urls WHERE sequence = ?", [(sequence,) for sequence in changes.removed]
            )
            # The next sequence number must not fall back to one that was used.
            database.execute("UPDATE used SET sequence = max(sequence, ?)", (max(changes.removed),))
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

    def _columns(
        self, database: sqlite3.Connection, row: Row
    ) -> tuple[int, int, int, int, float | None, int, bytes, int]:
        waiting = row.waiting
        number = self._numbers.get(waiting.site)
        if number is None:
            number = self._number(database, waiting.site)
        body = _encode((waiting, row.tries, row.first_failed, row.reason))
        return (
            row.sequence,
            number,
            waiting.level,
            row.state,
            row.next_try,
            waiting.priority,
            body,
            Lane.of(waiting).packed() if waiting.explore else 0,
        )

    def _number(self, database: sqlite3.Connection, name: str) -> int:
        number = len(self._numbers)
        database.execute("INSERT INTO sites (number, name) VALUES (?, ?)", (number, name))
        self._numbers[name] = number
        return number

    def _write_sites(self, database: sqlite3.Connection, sites: Mapping[str, Json]) -> None:
        for name, parts in sites.items():
            if name not in self._numbers:
                self._number(database, name)
            (old,) = database.execute("SELECT parts FROM sites WHERE name = ?", (name,)).fetchone()
            merged = {**(_decode_json(old) if old else {}), **parts}
            database.execute("UPDATE sites SET parts = ? WHERE name = ?", (_encode(merged), name))

    # Reading ------------------------------------------------------------------------------------

    def read(self, sequence: int, level: int) -> list[Row]:
        """Return a row and the next ones of its level: they mostly lie on the same page."""
        last = sequence + NEAR if level else sequence
        with self._explained():
            found = (
                self._open_database()
                .execute(ROWS_NEAR, (sequence, last, sequence, level, MOST_NEAR))
                .fetchall()
            )
        return _rows(found)

    def rows(self, state: int) -> Iterator[Row]:
        """Go through the rows of one state."""
        query = ROWS_WAITING if state == WAITING else ROWS_ASIDE
        with self._explained():
            for found in self._open_database().execute(query, (state,)):
                yield from _rows([found])

    def _runs(self) -> Iterator[Run]:
        """Go through the plain rows that wait: the links of a page lie together."""
        with self._explained():
            last, run = -1, list[int]()
            for sequence, line in self._open_database().execute(LINES_WAITING):
                if line == last:
                    run.append(sequence)
                    continue
                if run:
                    yield Run(last >> 8, last & 255, run)
                last, run = line, [sequence]
            if run:
                yield Run(last >> 8, last & 255, run)

    def _folders(self) -> Iterator[Folder]:
        """Go through the rows that explore."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        with self._explained():
            for place, promise in self._open_database().execute(FOLDERS_WAITING, (PROMISE_BITS,)):
                found[place].append(promise)
        for place, promises in found.items():
            yield Folder(place >> 36, place >> 4 & 0xFFFFFFFF, place & 15, promises)

    def _places(self) -> Iterator[Place]:
        """Go through the other rows that wait."""
        with self._explained():
            yield from self._open_database().execute(PLACES_WAITING)

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
            (last,) = database.execute("SELECT max(sequence) FROM urls").fetchone()
            (used,) = database.execute("SELECT sequence FROM used").fetchone()
            aside = [Aside(*columns) for columns in database.execute(PLACES_ASIDE)]
        return Loaded(
            sites=sites,
            runs=self._runs(),
            folders=self._folders(),
            places=self._places(),
            aside=aside,
            seen=seen,
            records=records,
            next_sequence=max(last or 0, used) + 1,
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


def _rows(found: Iterable[tuple[int, int, float | None, int, bytes]]) -> list[Row]:
    """Read rows: sequence, state, next_try, level, body. One is read for every URL taken."""
    rows = []
    for sequence, state, next_try, level, body in found:
        try:
            waiting, tries, first_failed, reason = _decode_body(body)
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"row {sequence} of the crawl file cannot be read ({error})"
            ) from error
        if waiting.level != level:
            waiting = waiting._replace(level=level)
        values = (sequence, waiting, state, tries, first_failed, next_try, reason)
        rows.append(tuple.__new__(Row, values))  # a third of the price of Row(…)
    return rows
