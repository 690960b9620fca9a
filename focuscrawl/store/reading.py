"""Databases as a person reads them: nothing is changed, and no crawl is held up."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from focuscrawl.store.protocol import StoreError


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a SQLite file for reading; whoever writes to it, now or later, goes on.

    Raises StoreError.
    """
    # Without a log, reading it needs one made, which goes when the file is closed; only where none
    # can be made nobody can write either. A file with a log is opened so that it stays.
    has_log = path.with_name(path.name + "-wal").exists()
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
    raise StoreError(f"{path}: cannot be read as a database ({why})")


def copy_database(source: Path, target: Path) -> None:
    """Copy a SQLite file as it is at one moment, while others may write, and check the copy.

    Raises StoreError; then there is no copy to rely on.
    """
    try:
        with closing(open_read_only(source)) as database, closing(sqlite3.connect(target)) as copy:
            database.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
            problems = [text for (text,) in copy.execute("PRAGMA quick_check(3)") if text != "ok"]
    except sqlite3.Error as error:
        raise StoreError(f"{source}: cannot be copied ({error})") from error
    if problems:
        raise StoreError(
            f"{source}: is damaged ({'; '.join(problems)}): run scrapy topic check-data"
        )
