"""The crawl file itself: its lock, opening, making, migrating and copying it, and its errors for people."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from focuscrawl.locale.messages import _
from focuscrawl.stores.state import migrations, sqlite_stories, sqlite_urls
from focuscrawl.stores.state.crawl_lock import CrawlLock, advice_on, no_handle
from focuscrawl.stores.state.protocol import StoreError, unseen_since
from focuscrawl.values import PageState

_T = TypeVar("_T")

_decode_page = msgspec.msgpack.Decoder(PageState).decode

APPLICATION_ID = 0x666F6372  # "focr": tells our files from other people's databases
OLDEST_VERSION = 1
BUSY_TIMEOUT = 10.0
MOVED = ".moved"  # ending of a file whose crawl is on a Redis by now
DRAFT = ".new"  # ending of a file that is being made

SCHEMA = f"""
{sqlite_urls.URL_SCHEMA}
CREATE TABLE facts (
    kind TEXT, key TEXT, value BLOB, partition INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE TABLE inbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT, partition INTEGER NOT NULL, links BLOB NOT NULL);
CREATE TABLE sites (number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, parts BLOB);
CREATE TABLE seen (id INTEGER PRIMARY KEY, numbers BLOB NOT NULL);
CREATE TABLE pages (
    key BLOB PRIMARY KEY, next_visit REAL, body BLOB NOT NULL, unseen REAL,
    partition INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX pages_due ON pages (next_visit) WHERE next_visit IS NOT NULL;
CREATE INDEX pages_unseen ON pages (unseen) WHERE unseen IS NOT NULL;
{sqlite_stories.STORY_SCHEMA}
"""


class SqliteFile:
    """The file at ``path``, held by one process at a time; the rest as for SQLiteStore."""

    def __init__(
        self, path: Path, synchronous: str, failed: Callable[[StoreError], object]
    ) -> None:
        self.path = path
        self._failed = failed
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
                _("{folder}: cannot write here ({reason}); {advice}").format(
                    folder=self.path.parent,
                    reason=error.strerror,
                    advice=advice_on(error, self.path.parent),
                )
            ) from error

    def open(self) -> sqlite3.Connection:
        """Open the file, making or migrating it when needed; the caller holds the lock."""
        if not self.is_finished():
            if (moved := _beside(self.path, MOVED)).exists():
                raise StoreError(
                    _(
                        "{path}: this crawl was moved to a Redis, which REDIS_URL must name (scrapy topic"
                        " move NAME --to file brings it back); to begin anew, delete {name}"
                    ).format(path=self.path, name=moved.name)
                )
            self._make()
        database = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT, isolation_level=None)
        self._database = database
        database.execute("PRAGMA journal_mode = WAL")
        # A commit of one row was measured at 0.08 ms with NORMAL, 3.4 ms with FULL; in windows of 500
        # both cost about the same.
        database.execute(f"PRAGMA synchronous = {self._synchronous}")
        database.execute("PRAGMA wal_autocheckpoint = 4000")
        database.execute("PRAGMA cache_size = -16000")
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
            raise StoreError(_("{path}: the store is closed").format(path=self.path))
        return self._database

    def ask(self, query: str, *values: object) -> list[Any]:
        """Return the rows of a question."""
        with self.explained():
            return self.connection().execute(query, values).fetchall()

    def one(self, decode: Callable[[bytes], _T], query: str, *values: object) -> _T | None:
        """Return the value that the one column of a row holds; None without a row, or where it is empty."""
        with self.explained():
            row = self.connection().execute(query, values).fetchone()
            return decode(row[0]) if row and row[0] else None

    def each(self, found: Iterator[_T]) -> Iterator[_T]:
        """Go through what is read bit by bit; SQLite may fail at any of them."""
        with self.explained():
            yield from found

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turn SQLite's errors, and those of rows, into ones that say where and what to do."""
        try:
            yield
        except StoreError as error:
            self._failed(error)
            raise
        except (sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError, OSError) as error:
            told = self._told(error)
            self._failed(told)
            raise told from error

    def _told(
        self, error: sqlite3.Error | msgspec.MsgspecError | UnicodeDecodeError | OSError
    ) -> StoreError:
        message = str(error)
        if isinstance(error, OSError):
            why = _("{path}: cannot be written ({reason}); {advice}").format(
                path=self.path, reason=error.strerror, advice=advice_on(error, self.path.parent)
            )
        elif isinstance(error, msgspec.MsgspecError | UnicodeDecodeError):
            why = _damaged(self.path, _("a row of it is broken: {message}").format(message=message))
        elif "full" in message:
            why = _(
                "{path}: the disk is full; free some space and run again (nothing that was stored is"
                " lost)"
            ).format(path=self.path)
        elif "unable to open" in message and (refusal := no_handle()):
            why = _("{path}: cannot be written ({reason}); {advice}").format(
                path=self.path, reason=refusal.strerror, advice=advice_on(refusal, self.path.parent)
            )
        elif "readonly" in message or "unable to open" in message:
            why = _(
                "{path}: cannot be written ({message}); check its owner and permissions, or set"
                " FOCUSCRAWL_DATA_DIR to another folder"
            ).format(path=self.path, message=message)
        elif "locked" in message:
            why = _(
                "{path}: another program holds the file ({message}); close it and run again"
            ).format(path=self.path, message=message)
        elif "disk I/O" in message:  # a disk with no room for SQLite's own files says so, too
            why = _(
                "{path}: the disk failed while reading or writing ({message}); check the disk and"
                " its space, and run again (nothing that was stored is lost)"
            ).format(path=self.path, message=message)
        else:
            why = _damaged(self.path, message)
        return StoreError(why)

    def _make(self) -> None:
        """Make the file under another name, and give it its own when all of it is there.

        A kill on the way leaves no crawl file; what is left of an earlier try is overwritten.
        """
        draft = _beside(self.path, DRAFT)
        for path in (draft, *_logs(draft)):
            path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous = FULL")
            database.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; {SCHEMA}"
                f" PRAGMA user_version = {migrations.VERSION}; COMMIT;"
            )
            database.execute("PRAGMA journal_mode = WAL")
        for path in _logs(self.path):  # they would be taken for the new file's
            path.unlink(missing_ok=True)
        draft.replace(self.path)

    def is_finished(self) -> bool:
        """Whether there is a file, and more in it than a making that was cut short has left.

        It is not changed. Raises StoreError when it cannot be read, or must not.
        """
        if not self.path.exists() or self.path.stat().st_size == 0:
            return False
        # A journal is of a transaction that was cut short: only a connection that may write can take it back.
        mode = "rw" if _beside(self.path, "-journal").exists() else "ro"
        with contextlib.closing(
            sqlite3.connect(f"{self.path.absolute().as_uri()}?mode={mode}", uri=True)
        ) as database:
            (application,) = database.execute("PRAGMA application_id").fetchone()
            (version,) = database.execute("PRAGMA user_version").fetchone()
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            (page_size,) = database.execute("PRAGMA page_size").fetchone()
            (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application in (0, APPLICATION_ID) and version == 0 and not tables:
            return False  # earlier versions made it in its place, and so may a log that was lost
        if application != APPLICATION_ID:
            raise StoreError(
                _(
                    "{path}: a SQLite file, but not one of focuscrawl's crawls; move it away or set"
                    " FOCUSCRAWL_DATA_DIR to another folder (nothing was changed)"
                ).format(path=self.path)
            )
        if version > migrations.VERSION:
            raise StoreError(
                _(
                    "{path}: written by a newer focuscrawl (crawl file version {version}, this one reads"
                    " up to {known}); update focuscrawl (nothing was changed)"
                ).format(path=self.path, version=version, known=migrations.VERSION)
            )
        if version < OLDEST_VERSION:
            raise StoreError(
                _damaged(
                    self.path, _("there is no version {version} of it").format(version=version)
                )
            )
        has_log = _beside(self.path, "-wal").exists()
        if not has_log and self.path.stat().st_size < pages * page_size:
            raise StoreError(_damaged(self.path, _("the file is shorter than it says")))
        return True

    def is_current(self) -> bool:
        """Whether the file is of this version, so that it can be read as it is."""
        with contextlib.closing(open_read_only(self.path)) as database:
            (version,) = database.execute("PRAGMA user_version").fetchone()
        return bool(version == migrations.VERSION)

    def _migrate(self, database: sqlite3.Connection) -> None:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version == migrations.VERSION:
            return
        backup, draft = _beside(self.path, f".v{version}.bak"), _beside(self.path, DRAFT)
        draft.unlink(missing_ok=True)
        copy_database(self.path, draft)
        draft.replace(backup)
        database.create_function("last_seen", 1, _last_seen, deterministic=True)
        database.create_function("fact_home", 4, migrations.fact_home, deterministic=True)
        database.create_function("key_bytes", 1, migrations.key_bytes, deterministic=True)
        database.create_function("page_home", 1, migrations.page_home, deterministic=True)
        for step in range(version, migrations.VERSION):
            statements = migrations.STEPS[step]
            database.executescript(
                f"BEGIN; {statements}; PRAGMA user_version = {step + 1}; COMMIT;"
            )


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _logs(path: Path) -> tuple[Path, ...]:
    """Return the files in which SQLite keeps what is on its way into a file."""
    return tuple(_beside(path, ending) for ending in ("-wal", "-shm", "-journal"))


def _last_seen(body: bytes) -> float | None:
    return unseen_since(_decode_page(body))


def _damaged(path: Path, why: str) -> str:
    return _(
        "{path}: cannot be read as a crawl file ({why}); it was left as it is. Restore it"
        " from a backup, or move it away to start anew (the results beside it stay)"
    ).format(path=path, why=why)


# Reading and copying files of others ------------------------------------------------------------


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a SQLite file for reading; programs that write to it, now or later, go on.

    Raises StoreError.
    """
    # Without a log, reading it needs one made, which goes when the file is closed; only where none can be
    # made no program can write either. A file with a log is opened so that the log stays.
    has_log = _beside(path, "-wal").exists()
    for mode in ("mode=ro",) if has_log else ("mode=rw", "mode=ro&immutable=1"):
        database = None
        try:
            database = sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True)
            database.execute("PRAGMA query_only = 1")
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            if database is not None:
                database.close()
            why = error
        else:
            return database
    raise StoreError(_("{path}: cannot be read as a database ({why})").format(path=path, why=why))


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite file as it is at one moment, while others may write, and check the copy.

    Raises StoreError; then there is no copy to rely on.
    """
    try:
        with (
            contextlib.closing(open_read_only(source)) as database,
            contextlib.closing(sqlite3.connect(target)) as copy,
        ):
            database.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
            problems = [text for (text,) in copy.execute("PRAGMA quick_check(3)") if text != "ok"]
    except sqlite3.Error as error:
        raise StoreError(
            _("{source}: cannot be copied ({error})").format(source=source, error=error)
        ) from error
    if problems:
        raise StoreError(
            _("{source}: is damaged ({problems}): run scrapy topic check-data").format(
                source=source, problems="; ".join(problems)
            )
        )
