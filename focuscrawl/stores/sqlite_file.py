"""The crawl file itself: its lock, opening, making and migrating it, and its errors for people."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from focuscrawl.stores import migrations, sqlite_stories, sqlite_urls
from focuscrawl.stores.base import StoreError
from focuscrawl.stores.crawl_lock import CrawlLock

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


class CrawlFile:
    """The file at ``path``, held by one process at a time; ``synchronous`` as for SQLiteStore."""

    def __init__(self, path: Path, synchronous: str) -> None:
        self.path = path
        self._synchronous = synchronous
        self._lock = CrawlLock(path)
        self._database: sqlite3.Connection | None = None

    def lock(self) -> None:
        """Make the folder and take the lock. Raises StoreBusy when another process has it."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.take()
        except OSError as error:
            raise StoreError(
                f"{self.path.parent}: cannot write here ({error.strerror});"
                " make the folder writable or set FOCUSCRAWL_DATA_DIR to another one"
            ) from error

    def open(self) -> sqlite3.Connection:
        """Open the file, making or migrating it when needed; the caller holds the lock."""
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
        self._lock.hold()
        return database

    def check_held(self) -> None:
        """Raise StoreError when the file of this name is another one by now."""
        self._lock.check()

    def close(self) -> None:
        """Close the file and give the lock back."""
        if self._database is not None:
            self._database.close()
            self._database = None
        self._lock.release()

    def connection(self) -> sqlite3.Connection:
        """Return the open database; raises StoreError when it is closed."""
        if self._database is None:
            raise StoreError(f"{self.path}: the store is closed")
        return self._database

    def each(self, found: Iterator[T]) -> Iterator[T]:
        """Go through what is read bit by bit; SQLite may fail at any of them."""
        with self.explained():
            yield from found

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
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


def _damaged(path: Path, why: str) -> str:
    return (
        f"{path}: cannot be read as a crawl file ({why}); it was left as it is. Restore it from a"
        " backup, or move it away to start anew (the results beside it stay)"
    )
