"""Writing a window item by item, when the database has refused it as a whole for a value in it.

Every item goes behind a savepoint of its own; one that cannot be written is left out, and said. So
what one hostile page says loses that row, and neither the window nor the crawl.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from focuscrawl.results.batch import LeftOut, ResultBatch, Written
from focuscrawl.results.changes import mark_gone
from focuscrawl.results.errors import OF_DRIVERS, UNFIT, Unfit, is_unfit
from focuscrawl.results.upsert import OF_VALUES

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.results.writing import Prepared, Writer

LONGEST_WHY = 200
"""Characters of a driver's message that are told; it may repeat the value."""

PARTS = (
    "articles",
    "pages",
    "sites",
    "series",
    "seeds",
    "counts",
    "threads",
    "posts",
    "files",
    "stories",
    "members",
    "records",
)
"""The parts of a batch that are lists of items, in the order they are written."""

TOGETHER = frozenset({"changes", "gone", "record_visits", "run"})
"""What a batch has besides: it belongs to what was written of the others, or to the whole."""

OF_CHANGES = {"articles": "url_key", "records": "record_id", "threads": "url_key"}
"""What the changes of an item name as their ``url_key``."""


def write_apart(
    connection: Connection, writer: Writer, batch: ResultBatch, run_id: str | None, now: float
) -> Written:
    """Write a batch inside the caller's transaction, each item by itself.

    Raises what has nothing to do with a value.
    """
    written = Written()
    left: list[LeftOut] = []
    without: set[str] = set()
    for name, item, part in _parts(batch):
        known = len(left)
        with _behind_savepoint(connection, left, name, item):
            written += writer.write_found(connection, _prepared(writer, part, run_id, now))
        if len(left) > known:
            without.add(str(getattr(item, OF_CHANGES.get(name, ""), "")))
    for change in batch.changes:
        if str(change.url_key) in without:
            continue  # nobody has what it is about
        one = ResultBatch(changes=[change], record_visits=batch.record_visits)
        with _behind_savepoint(connection, left, "changes", change):
            _ = _prepared(writer, one, run_id, now)
            writer.write_changes(connection, one, written, run_id)
    for key, date in batch.gone.items():
        with _behind_savepoint(connection, left, "gone", key):
            mark_gone(connection, writer.topic, {key: date})
    return replace(written, left_out=tuple(left))


def _parts(batch: ResultBatch) -> Iterator[tuple[str, object, ResultBatch]]:
    """Cut a batch into its items: the name of the part, the item, a batch of it alone."""
    for name in PARTS:
        for item in getattr(batch, name):
            part = ResultBatch()
            setattr(part, name, [item])
            yield name, item, part


def _prepared(writer: Writer, part: ResultBatch, run_id: str | None, now: float) -> Prepared:
    try:
        return writer.prepare(part, run_id, now)
    except OF_VALUES as error:
        raise Unfit(f"{UNFIT} ({type(error).__name__}: {error})") from error


@contextmanager
def _behind_savepoint(
    connection: Connection, left: list[LeftOut], table: str, item: object
) -> Iterator[None]:
    """Do something, or nothing of it when a value is refused, which is noted."""
    try:
        with connection.begin_nested():
            yield
        return
    except (Unfit, *OF_DRIVERS) as error:
        why = str(error)
    except SQLAlchemyError as error:
        if not is_unfit(error):
            raise
        why = f"{UNFIT} ({getattr(error, 'orig', None) or error})"
    left.append(LeftOut(table, _name_of(item), " ".join(why.split())[:LONGEST_WHY]))


def _name_of(item: object) -> str:
    """Return what an item is about: an address if it has one, else a key or a name."""
    for name in ("url", "host", "story_id", "thread_key", "url_key", "key"):
        value = item.get(name) if isinstance(item, dict) else getattr(item, name, None)
        if value:
            return value.hex() if isinstance(value, bytes) else str(value)
    return str(item)
