"""What one commit window adds to a topic's results, and the writing of it.

It is one transaction. When the database refuses it for a value in it, the window is written item by
item: each goes behind a savepoint of its own, and one that cannot be written is left out, and reported. So
what one hostile page says loses that row, and neither the window nor the crawl.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError

from focuscrawl.locale.messages import _
from focuscrawl.stores.results.database import OF_DRIVERS, UNFIT, Unfit, is_unfit
from focuscrawl.stores.results.kind import (
    _NOTHING,
    HistoryKept,
    RowContext,
    RowOutcome,
    RowValues,
    TextIndex,
    TextKept,
    WriteWindow,
)
from focuscrawl.stores.results.upsert import OF_VALUES

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.stores.results.kind import Kinds, RowKind, Upserts
    from focuscrawl.stores.results.kinds.runs import RunRow
    from focuscrawl.stores.results.upsert import AtOnce
    from focuscrawl.values import CutLines

LONGEST_WHY = 200  # characters of a driver's message that are shown; it may repeat the value

_CHANGES = "changes"  # the part that tells of the others: what is left out of them has not changed


class ResultBatch:
    """Everything one commit window adds to the results; written as a whole or not at all.

    ``rows`` are items by the part they belong to (RowKind.part). ``gone`` says by page since when it
    is gone (None: it is back), ``record_visits`` at which visit a page was found to say something
    else of a record, ``at_once`` has statements that may be written with the last rows. ``unless_gone``:
    it is not written by a process that others have taken for one that is gone. ``cut`` says by page what is cut from the
    ends of its stored text, which is corrected so and no new version.
    """

    __slots__ = ("at_once", "cut", "gone", "record_visits", "rows", "run", "unless_gone")

    def __init__(
        self,
        *,
        run: RunRow | None = None,
        gone: Mapping[str, float | None] | None = None,
        record_visits: Mapping[tuple[str, str], int] | None = None,
        at_once: AtOnce | None = None,
        **rows: Sequence[Any],
    ) -> None:
        self.rows: defaultdict[str, list[Any]] = defaultdict(list)
        self.rows.update((part, list(items)) for part, items in rows.items())
        self.run = run
        self.at_once = at_once
        self.unless_gone = False
        self.gone = dict(gone or {})
        self.cut: dict[str, CutLines] = {}
        self.record_visits = dict(record_visits or {})

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return any(self.rows.values()) or bool(self.gone or self.cut) or self.run is not None


class LeftOut(NamedTuple):
    """A row that the database cannot take: ``of`` is what it is about, an address or a key."""

    table: str
    of: str
    why: str


@dataclass(frozen=True, slots=True)
class Written:
    """What has become of a window: ``outcomes`` by part, ``left_out`` the rows that are not there.

    ``was_gone``: nothing of it is, since others have taken this process for one that is gone.
    """

    outcomes: Mapping[str, RowOutcome] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    was_gone: bool = False

    def of(self, part: str) -> RowOutcome:
        """Return what has become of the rows of a part."""
        return self.outcomes.get(part, _NOTHING)


PreparedRows = list[tuple["RowKind", list[RowValues]]]
"""A batch as rows, made before its transaction begins."""


@dataclass(frozen=True, slots=True)
class Writer:
    """How one topic's batches are written; ``text`` and ``history`` as for Results.open."""

    kinds: Kinds
    upserts: Upserts
    topic: str
    text: TextKept
    indexes: Mapping[str, TextIndex]
    history: HistoryKept

    def prepare(self, batch: ResultBatch, run_id: str | None, now: float) -> PreparedRows:
        """Return the rows of a batch. Raises TypeError for an item that is none of its kind."""
        parts = self.kinds.parts
        if unknown := batch.rows.keys() - parts.keys():
            raise RuntimeError(f"no kind of rows is called {', '.join(sorted(unknown))}")
        context = RowContext(self.topic, run_id, now, self.text)
        given = ((kind, batch.rows.get(part)) for part, kind in parts.items())
        return [(kind, kind.rows(items, context)) for kind, items in given if items]

    def write(self, connection: Connection, batch: ResultBatch, prepared: PreparedRows) -> Written:
        """Write a batch inside the caller's transaction; writing it again changes nothing."""
        window = self._window(connection, batch)
        window.at_once = batch.at_once
        for kind, rows in prepared:
            kind.put(window, rows)
        if batch.at_once:
            batch.at_once.write(connection)
        self._mark_gone(connection, batch.gone)
        if batch.cut:
            self._cut(window, batch.cut)
        return _written(window, [])

    def write_apart(
        self, connection: Connection, batch: ResultBatch, run_id: str | None, now: float
    ) -> Written:
        """Write a batch inside the caller's transaction, each item by itself.

        Raises what has nothing to do with a value.
        """
        window = self._window(connection, batch)
        left: list[LeftOut] = []
        without: set[str] = set()
        context = RowContext(self.topic, run_id, now, self.text)
        parts = self.kinds.parts.items()
        for kind, item in (
            (kind, item) for part, kind in parts for item in batch.rows.get(part, ())
        ):
            if kind.part == _CHANGES and str(item.url_key) in without:
                continue  # what it is about is not stored
            known = len(left)
            with _behind_savepoint(connection, left, kind.part, item):
                kind.put(window, self._row(kind, item, context))
            if len(left) > known and kind.what:
                without.add(str(getattr(item, kind.own_key or kind.address, "")))
        for key, date in batch.gone.items():
            with _behind_savepoint(connection, left, "gone", key):
                self._mark_gone(connection, {key: date})
        for key, lines in batch.cut.items():
            with _behind_savepoint(connection, left, "cut", key):
                self._cut(window, {key: lines})
        return _written(window, left)

    def _cut(self, window: WriteWindow, cut: Mapping[str, CutLines]) -> None:
        for kind in self.kinds.parts.values():
            if kind.cut:
                kind.cut(window, cut)

    def _window(self, connection: Connection, batch: ResultBatch) -> WriteWindow:
        return WriteWindow(
            connection,
            self.topic,
            self.kinds,
            self.upserts,
            self.history,
            self.indexes,
            batch.record_visits,
        )

    def _row(self, kind: RowKind, item: Any, context: RowContext) -> list[RowValues]:
        try:
            return kind.rows([item], context)
        except OF_VALUES as error:
            raise Unfit(f"{_(UNFIT)} ({type(error).__name__}: {error})") from error

    def _mark_gone(self, connection: Connection, gone: Mapping[str, float | None]) -> None:
        """Say since when pages are gone, or with None that they are back, in all that is from them."""
        by_date: dict[float | None, list[str]] = {}
        for key, date in gone.items():
            by_date.setdefault(date, []).append(key)
        for date, keys in by_date.items():
            for kind in self.kinds.finds:
                of_them = kind.table.c[kind.address].in_(keys)
                statement = update(kind.table).where(kind.table.c.topic == self.topic, of_them)
                connection.execute(statement.values(gone_at=date))


def _written(window: WriteWindow, left: Sequence[LeftOut]) -> Written:
    outcomes = {part: outcome for part, outcome in window.outcomes.items() if any(outcome)}
    return Written(outcomes, tuple(left))


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
        why = f"{_(UNFIT)} ({getattr(error, 'orig', None) or error})"
    left.append(LeftOut(table, _name_of(item), " ".join(why.split())[:LONGEST_WHY]))


def _name_of(item: object) -> str:
    """Return what an item is about: an address if it has one, else a key or a name."""
    for name in ("url", "host", "story_id", "thread_key", "url_key", "key"):
        value = item.get(name) if isinstance(item, dict) else getattr(item, name, None)
        if value:
            return value.hex() if isinstance(value, bytes) else str(value)
    return str(item)
