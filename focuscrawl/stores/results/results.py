"""The results database: what people query (SQLite, PostgreSQL, MySQL) through SQLAlchemy Core.

Every write is an insert-or-update on a key computed from what is written, so that a page processed
twice after a crash gives the same rows. The crawl commits here before it acknowledges a URL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, Self, TypeVar

from sqlalchemy import Connection, Engine, Table, select

from focuscrawl.locale.messages import _
from focuscrawl.stores.results.database import (
    ResultsError,
    Unfit,
    connect,
    file_number,
    results_to_read,
)
from focuscrawl.stores.results.forgetting import MOST_AT_ONCE, delete_addresses, forget_old
from focuscrawl.stores.results.kind import HistoryKept, Kinds, TextKept, Upserts
from focuscrawl.stores.results.kinds import runs
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.schema import make_ready
from focuscrawl.stores.results.transactions import GIVEN_UP_AFTER, Transactions
from focuscrawl.stores.results.upsert import OF_VALUES
from focuscrawl.stores.results.writing import ResultBatch, Writer, Written

if TYPE_CHECKING:
    from focuscrawl.stores.results.kinds.runs import RunRow, RunStart
    from focuscrawl.stores.results.schema import Fields
    from focuscrawl.values import Clock

_P = ParamSpec("_P")
_T = TypeVar("_T")


class StoredText(NamedTuple):
    """What is stored of a page that has a text; "" when no text is. ``length`` is that of the whole text,
    whatever is stored of it; ``complete``: no part is missing.
    """

    title: str
    text: str
    complete: bool
    length: int


class Results:
    """One topic's results. ``place`` says for people where they are, without a password.

    Every method raises ResultsError (a StoreError) when the database cannot be used.
    """

    def __init__(self, engine: Engine, writer: Writer, clock: Clock) -> None:
        self.run_id: str | None = None
        self.mark = runs.CommitMark()
        self._engine = engine
        self._transaction = Transactions(engine)
        self.place = self._transaction.place
        self._writer = writer
        self._topic = writer.topic
        self._clock = clock
        self._file = file_number(engine)

    @classmethod
    def open(
        cls,
        url: str | Path,
        topic: str,
        *,
        kinds: Kinds,
        clock: Clock,
        timezone: str = "UTC",
        text: TextKept = "full",
        history: HistoryKept = "diff",
        text_index: bool = False,
        synchronous: str = "NORMAL",
        busy_timeout: float = 30.0,
        records: Fields | None = None,
    ) -> Self:
        """Open the database and make what is missing of tables, columns, indexes and views.

        ``url`` is FOCUSCRAWL_RESULTS, or the path of a SQLite file. ``kinds`` are all kinds of rows there
        are, ``timezone`` (IANA) is that of the views, ``text`` is ``output.text``, ``history`` ``output.history``, ``text_index`` FOCUSCRAWL_TEXT_INDEX (articles that
        were stored without it are indexed now), ``synchronous`` SQLite's, ``busy_timeout`` the
        seconds a write waits for another program that writes to the same SQLite file. ``records``
        are the fields of each kind of record, which get a view of their own.

        Raises ResultsError when the file is truncated or not ours, the schema newer than this
        program, the folder unwritable or on a network, the server away; nothing is changed then.
        """
        engine = connect(url, synchronous=synchronous, busy_timeout=busy_timeout)
        try:
            make_ready(engine, kinds, now=clock.wall(), timezone=timezone, records=records or {})
            opened = [
                (kind.part, kind.index(engine, topic))
                for kind in (kinds if text_index else ())
                if kind.index is not None
            ]
        except BaseException:
            engine.dispose()
            raise
        upserts = Upserts(kinds, engine.dialect)
        indexes = {part: index for part, index in opened if index is not None}
        return cls(engine, Writer(kinds, upserts, topic, text, indexes, history), clock)

    @property
    def embedded(self) -> bool:
        """Whether the database is a file of this machine, quick enough to write in between."""
        return self._engine.dialect.name == "sqlite"

    @property
    def is_away(self) -> bool:
        """Whether the server has not answered when it was last asked, and is waited for."""
        return self._transaction.outage.is_on

    def wait_when_away(self) -> None:
        """Wait for a server that is away from now on, where that holds up no event loop."""
        self._transaction.waits = not self.embedded

    def stop_waiting(self, given_up_after: float = GIVEN_UP_AFTER) -> None:
        """Wait no longer than so many seconds from when the server went away: the run is to end."""
        self._transaction.outage.stop(given_up_after)

    def close(self) -> None:
        """Close the connection; SQLite then folds its write-ahead log into the file."""
        self.stop_waiting(0.0)
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, batch: ResultBatch) -> Written:
        """Write a batch in one transaction; writing it again changes nothing.

        An article that misses a part never replaces one that is complete: such a row stays as it
        is. Returns what became of the rows, by kind.

        A batch that is refused for a value in it is written item by item, without those that cannot
        be written: they are ``left_out`` of what is returned. One that is not to be written by a process
        that is gone (``unless_gone``) is not when this one was called so, once.
        """
        if not batch:
            return Written()
        now, writer = self._clock.wall(), self._writer
        before = after = self.mark

        def beat(connection: Connection) -> None:
            if batch.run is not None:
                runs.beat(connection, self._topic, self.run_id, batch.run, now)

        was_gone = False

        def is_refused(connection: Connection) -> bool:
            nonlocal was_gone  # called again when it is unknown what became of this transaction
            was_gone = was_gone or self._was_gone(connection, batch, now)
            return was_gone

        def whole(connection: Connection) -> Written:
            if is_refused(connection):
                return Written(was_gone=True)
            return finished(connection, writer.write(connection, batch, rows))

        def apart(connection: Connection) -> Written:
            if is_refused(connection):
                return Written(was_gone=True)
            return finished(connection, writer.write_apart(connection, batch, self.run_id, now))

        def finished(connection: Connection, written: Written) -> Written:
            nonlocal after
            beat(connection)
            if self.run_id is not None:
                new = sum(len(written.of(kind.part).new) for kind in writer.kinds.finds)
                after = runs.CommitMark(before.commits + 1, before.found + new)
                runs.mark_commit(connection, self._topic, self.run_id, after, now)
            return written

        try:
            rows = writer.prepare(batch, self.run_id, now)
        except OF_VALUES:
            written = self._transaction(apart)
        else:
            try:
                written = self._transaction(whole)
            except Unfit:
                written = self._transaction(apart)
        self._check_file()
        self.mark = after
        return written

    def _check_file(self) -> None:
        """Raise ResultsError when what was written went into a file that stands in its place no more."""
        if file_number(self._engine) != self._file:
            raise ResultsError(
                _(
                    "{path}: was moved, deleted or replaced while the crawl was running; nothing more is"
                    " written. Put the file back where it was, or leave what is there, and run again"
                ).format(path=self.place)
            )

    def _was_gone(self, connection: Connection, batch: ResultBatch, now: float) -> bool:
        """Whether a batch is not to be written, since this run was called gone; the next one is."""
        if not (batch.unless_gone and runs.was_called_gone(connection, self._topic, self.run_id)):
            return False
        runs.beat(connection, self._topic, self.run_id, None, now)
        return True

    def begin_run(self, run: RunStart, *, alone: bool = True) -> None:
        """Write the row of a run that begins; earlier runs that never ended are called crashed.

        ``alone``: this process owns the topic, so no other run can be alive. Otherwise only runs
        without a heartbeat for 5 minutes have crashed.
        """
        now = self._clock.wall()

        self._transaction(
            lambda connection: runs.begin(connection, self._topic, run, now, alone=alone)
        )
        self.run_id = run.run_id

    def thin_series(self) -> int:
        """Let numbers that are older than two weeks be there by the hour; call it each day, and from one
        process only. Returns how many rows went.
        """
        now, series = self._clock.wall(), self._writer.upserts[runs.SERIES.name]
        return self._transaction(
            lambda connection: runs.thin_series(connection, self._topic, now, series)
        )

    def rewrite_templates(self, rewritten: Callable[[str], str]) -> None:
        """Write the templates of earlier runs anew where a login may stand in an address."""
        self._transaction(lambda one: runs.rewrite_templates(one, self._topic, rewritten))

    def end_run(
        self,
        end_reason: str,
        end_detail: str,
        exit_code: int,
        run: RunRow | None = None,
        *,
        is_last: bool = False,
    ) -> None:
        """Write why the run ended (``end_reason`` as in output/summary/summary.py) and its last counters.

        ``is_last``: no other run of the topic is alive, so those that have no end have crashed.
        """
        now = self._clock.wall()
        ended = runs.End(now, end_reason, end_detail, exit_code)

        def work(connection: Connection) -> None:
            runs.beat(connection, self._topic, self.run_id, run, now)
            runs.end(connection, self._topic, self.run_id, ended)
            if is_last:
                runs.call_crashed(connection, self._topic, self.run_id, silent_since=None)

        self._transaction(work)

    def delete(self, keys: Sequence[str]) -> Counter[str]:
        """Delete all rows of some addresses ([search] strict); returns rows by table."""
        return self._transaction(
            lambda connection: delete_addresses(connection, self._writer.kinds, self._topic, keys)
        )

    def forget_old(self, keep: float, most: int = MOST_AT_ONCE) -> Counter[str]:
        """Delete what was not seen for ``keep`` seconds (``output.keep``), about ``most`` rows.

        Returns how many of each table.
        """
        return forget_old(
            self._transaction, self._writer.kinds, self._topic, self._clock.wall() - keep, most
        )

    def ask(
        self,
        question: Callable[Concatenate[Connection, str, _P], _T],
        *args: _P.args,
        **named: _P.kwargs,
    ) -> _T:
        """Return what a function finds that gets a connection, the topic and these arguments; it writes
        nothing."""
        return self._transaction(
            lambda connection: question(connection, self._topic, *args, **named), looks=True
        )

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open them as they are at one moment, over a connection of its own that only reads.

        So a long read holds up no window. Raises ResultsError.
        """
        url = self._engine.url
        place: str | Path = url.render_as_string(hide_password=False)
        if self.embedded and url.database:
            place = Path(url.database).absolute()
        with results_to_read(place) as connection:
            yield connection

    def ask_and_write(
        self,
        question: Callable[[Connection, str], tuple[_T, ResultBatch]],
        *,
        locked: Callable[[str], int] | None = None,
    ) -> tuple[_T, Written]:
        """Return what a function finds, and what became of the rows that it gives: in one transaction.

        ``locked`` names by the topic a lock to begin with where a database can: the function takes it elsewhere.
        """
        now, writer = self._clock.wall(), self._writer

        def work(connection: Connection) -> tuple[_T, Written]:
            found, batch = question(connection, self._topic)
            rows = writer.prepare(batch, self.run_id, now)
            return found, writer.write(connection, batch, rows)

        return self._transaction(work, locked=locked and locked(self._topic))

    def ever_found(self) -> bool:
        """Whether this run or an earlier one stored what crawls are for (exit status)."""
        return any(self.ask(has_rows, kind.table) for kind in self._writer.kinds.finds)

    def title(self, key: str) -> str:
        """Return the title of what is stored of a page, else that of the log book; "" when none is."""
        for table in (*(kind.table for kind in self._writer.kinds.finds), PAGES):
            row = "title" in table.c and self.ask(_row, table, key, ("title",))
            if row and row.title:
                return str(row.title)
        return ""

    def text(self, key: str) -> StoredText | None:
        """Return what is stored of a page that has a text; None when nothing is."""
        row = self._stored(key, ("title", "text", "complete", "length"))
        if not row:
            return None
        text, length = row.text or "", row.length
        length = len(text) if length is None else int(length)  # other programs may write none
        return StoredText(row.title or "", text, bool(row.complete), length)

    def is_complete(self, key: str) -> bool | None:
        """Return whether no part of what is stored of a page is missing; None when nothing is stored."""
        row = self._stored(key, ("complete",))
        return bool(row.complete) if row else None

    def _stored(self, key: str, columns: tuple[str, ...]) -> Any:
        """Return the row of the first kind of find that has these columns; None: there is none."""
        for kind in self._writer.kinds.finds:
            if all(name in kind.table.c for name in columns) and (
                row := self.ask(_row, kind.table, key, columns)
            ):
                return row
        return None

    def search(self, query: str, most: int = 50) -> list[str]:
        """Return keys of articles that have all words of a query, latest found first.

        Raises ResultsError when there is no index.
        """
        index = next(iter(self._writer.indexes.values()), None)
        if index is None:
            raise ResultsError(
                f"results in {self.place}: there is no full-text index: set FOCUSCRAWL_TEXT_INDEX"
            )
        return self._transaction(
            lambda connection: index.find(connection, self._topic, query, most)
        )


def has_rows(connection: Connection, topic: str, table: Table) -> bool:
    """Return whether a table has a row of a topic."""
    query = select(table.c.topic).where(table.c.topic == topic).limit(1)
    return connection.execute(query).first() is not None


def _row(
    connection: Connection, topic: str, table: Table, key: str, columns: tuple[str, ...]
) -> Any:
    wanted = select(*(table.c[name] for name in columns))
    return connection.execute(
        wanted.where(table.c.topic == topic, table.c.url_key == key).limit(1)
    ).first()
