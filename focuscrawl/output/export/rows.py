"""What the results remember of exports: up to when each destination has what is stored."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, delete, insert, select

from focuscrawl.stores.results.columns import (
    KEY_COLUMN,
    TextColumn,
    Time,
    key_column,
    must,
    table,
)
from focuscrawl.stores.results.kind import RowKind

EXPORTS = table(
    "exports",
    key_column("destination", KEY_COLUMN, "MD5 of the file's name and the table that goes out."),
    must("path", TextColumn, "The file, with its placeholders."),
    must("at", Time, "When it was written last.", "UTC"),
    must("until", Time, "Up to when it has what is stored; last-export goes on from there.", "UTC"),
    about="Files that were written of these results, and up to when each has them.",
)

EXPORT_ROWS = RowKind(EXPORTS)


def destination_key(path: str, table_name: str) -> str:
    """Return the key of a destination: where it goes, with its placeholders, and of what it is."""
    return hashlib.md5(f"{path}\n{table_name}".encode()).hexdigest()


def last_export(connection: Connection, topic: str, destination: str) -> float | None:
    """Return up to when a destination has what is stored; None: it has nothing yet."""
    mine = (EXPORTS.c.topic == topic, EXPORTS.c.destination == destination)
    found: float | None = connection.execute(select(EXPORTS.c.until).where(*mine)).scalar()
    return found


def note_export(
    connection: Connection, topic: str, destination: str, path: str, at: float, until: float
) -> None:
    """Note in the caller's transaction that a file was written ``at``, and has all ``until``."""
    mine = (EXPORTS.c.topic == topic, EXPORTS.c.destination == destination)
    connection.execute(delete(EXPORTS).where(*mine))
    connection.execute(
        insert(EXPORTS).values(topic=topic, destination=destination, path=path, at=at, until=until)
    )
