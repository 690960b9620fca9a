"""The results database: what people query (SQLite, PostgreSQL, MySQL) through SQLAlchemy Core.

Every write is an insert-or-update on a key computed from what is written, so that a page processed
twice after a crash gives the same rows. The crawl commits here before it acknowledges a URL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Connection, Engine

from focuscrawl.results import runs
from focuscrawl.results.apart import write_apart
from focuscrawl.results.batch import ResultBatch, RunRow, RunStart, TextKept, Written
from focuscrawl.results.changes import (
    StoredArticle,
    has_rows,
    is_complete,
    stored_article,
    stored_title,
)
from focuscrawl.results.database import connect, make_ready
from focuscrawl.results.errors import ResultsError, Unfit
from focuscrawl.results.forgetting import delete_addresses
from focuscrawl.results.judging import JudgedCounts, judged_counts
from focuscrawl.results.outdated import MOST_AT_ONCE, forget_old
from focuscrawl.results.records import RecordKey, stored_records
from focuscrawl.results.rules import upserts
from focuscrawl.results.schema import ARTICLES, RECORDS, THREADS
from focuscrawl.results.search import index_all, search_index
from focuscrawl.results.series import SECONDS_OF_DAY, thin_series
from focuscrawl.results.stories import read_members
from focuscrawl.results.threads import StoredPost, stored_posts
from focuscrawl.results.transactions import Transactions
from focuscrawl.results.upsert import OF_VALUES
from focuscrawl.results.versions import ARTICLE, HistoryKept, Version, read_versions
from focuscrawl.results.writing import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.store.protocol import StoryArticle
    from focuscrawl.values import Clock


class Results:
    """One topic's results. ``place`` says for people where they are, without a password.

    Every method raises ResultsError (a StoreError) when the database cannot be used.
    """

    def __init__(self, engine: Engine, writer: Writer, clock: Clock) -> None:
        self.run_id: str | None = None
        self._engine = engine
        self._transaction = Transactions(engine)
        self.place = self._transaction.place
        self._writer = writer
        self._topic = writer.topic
        self._clock = clock
        self._thinned = 0.0

    @classmethod
    def open(
        cls,
        url: str | Path,
        topic: str,
        *,
        clock: Clock,
        timezone: str = "UTC",
        text: TextKept = "full",
        history: HistoryKept = "diff",
        text_index: bool = False,
        synchronous: str = "NORMAL",
        busy_timeout: float = 30.0,
        records: Mapping[str, Sequence[str]] | None = None,
    ) -> Self:
        """Open the database and make what is missing of tables, columns, indexes and views.

        ``url`` is FOCUSCRAWL_RESULTS, or the path of a SQLite file. ``timezone`` (IANA) is that of
        the views, ``text`` is ``output.text``, ``history`` ``output.history``, ``text_index`` FOCUSCRAWL_TEXT_INDEX (articles that
        were stored without it are indexed now), ``synchronous`` SQLite's, ``busy_timeout`` the
        seconds a write waits for another program that writes to the same SQLite file. ``records``
        are the fields of each kind of record, which get a view of their own.

        Raises ResultsError when the file is truncated or not ours, the schema newer than this
        program, the folder unwritable or on a network, the server away; nothing is changed then.
        """
        engine = connect(url, synchronous=synchronous, busy_timeout=busy_timeout)
        try:
            make_ready(engine, now=clock.wall(), timezone=timezone, records=records or {})
            index = search_index(engine.dialect.name) if text_index else None
            if index is not None:
                index_all(engine, index, topic)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, Writer(upserts(engine.dialect), topic, text, index, history), clock)

    @property
    def embedded(self) -> bool:
        """Whether the database is a file of this machine, quick enough to write in between."""
        return self._engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Close the connection; SQLite then folds its write-ahead log into the file."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, batch: ResultBatch) -> Written:
        """Write a batch in one transaction; writing it again changes nothing.

        An article that misses a part never replaces one that is complete: such a row stays as it
        is. Returns the keys of the articles that were new or had another text than before.

        A batch that is refused for a value in it is written item by item, without those that cannot
        be written: they are ``left_out`` of what is returned.
        """
        if not batch:
            return Written()
        now, writer = self._clock.wall(), self._writer

        def beat(connection: Connection) -> None:
            if batch.run is not None:
                runs.beat(connection, self._topic, self.run_id, batch.run, now)

        def whole(connection: Connection) -> Written:
            written = writer.write(connection, rows)
            beat(connection)
            return written

        def apart(connection: Connection) -> Written:
            written = write_apart(connection, writer, batch, self.run_id, now)
            beat(connection)
            return written

        try:
            rows = writer.prepare(batch, self.run_id, now)
        except OF_VALUES:
            return self._transaction(apart)
        try:
            return self._transaction(whole)
        except Unfit:
            return self._transaction(apart)

    def begin_run(self, run: RunStart, *, alone: bool = True) -> None:
        """Write the row of a run that begins; earlier runs that never ended are called crashed.

        ``alone``: this process owns the topic, so no other run can be alive. Otherwise only runs
        without a heartbeat for 5 minutes have crashed.
        """
        now = self._clock.wall()

        def work(connection: Connection) -> None:
            runs.begin(connection, self._topic, run, now, alone=alone)
            thin_series(connection, self._topic, now, self._writer.statements.series)

        self._transaction(work)
        self.run_id = run.run_id
        self._thinned = now

    def rewrite_templates(self, rewritten: Callable[[str], str]) -> None:
        """Write the templates of earlier runs anew where a login may stand in an address."""
        self._transaction(lambda one: runs.rewrite_templates(one, self._topic, rewritten))

    def heartbeat(self, run: RunRow | None = None) -> None:
        """Say that the run is alive, with its counters when given; call it each minute."""
        now = self._clock.wall()

        def work(connection: Connection) -> None:
            runs.beat(connection, self._topic, self.run_id, run, now)
            if now - self._thinned >= SECONDS_OF_DAY:
                thin_series(connection, self._topic, now, self._writer.statements.series)

        self._transaction(work)
        if now - self._thinned >= SECONDS_OF_DAY:
            self._thinned = now

    def end_run(
        self, end_reason: str, end_detail: str, exit_code: int, run: RunRow | None = None
    ) -> None:
        """Write why the run ended (``end_reason`` as in END_REASONS) and its last counters."""
        now = self._clock.wall()
        ended = runs.End(now, end_reason, end_detail, exit_code)

        def work(connection: Connection) -> None:
            runs.beat(connection, self._topic, self.run_id, run, now)
            runs.end(connection, self._topic, self.run_id, ended)

        self._transaction(work)

    def delete(self, keys: Sequence[str]) -> Counter[str]:
        """Delete all rows of some addresses ([search] strict); returns rows by table."""
        return self._transaction(lambda connection: delete_addresses(connection, self._topic, keys))

    def forget_old(self, keep: float, most: int = MOST_AT_ONCE) -> Counter[str]:
        """Delete what was not seen for ``keep`` seconds (``output.keep``), about ``most`` rows.

        Returns how many of each table.
        """
        return forget_old(self._transaction, self._topic, self._clock.wall() - keep, most)

    def judged_counts(self) -> JudgedCounts:
        """Return how much there is that could be judged or read anew."""
        return self._transaction(lambda connection: judged_counts(connection, self._topic))

    def ever_found(self) -> bool:
        """Whether this run or an earlier one stored an article, record or thread (exit status)."""
        return self._transaction(
            lambda connection: has_rows(connection, self._topic, ARTICLES, RECORDS, THREADS)
        )

    def search(self, query: str, most: int = 50) -> list[str]:
        """Return keys of articles that have all words of a query, latest found first.

        Raises ResultsError when there is no index.
        """
        index = self._writer.index
        if index is None:
            raise ResultsError(
                f"results in {self.place}: there is no full-text index: set FOCUSCRAWL_TEXT_INDEX"
            )
        return self._transaction(
            lambda connection: index.find(connection, self._topic, query, most)
        )

    def article(self, key: str) -> StoredArticle | None:
        """Return title and text of an article as it is stored; None when it is not."""
        return self._transaction(lambda connection: stored_article(connection, self._topic, key))

    def title(self, key: str) -> str:
        """Return the title of what is stored of a page; "" when nothing is."""
        return self._transaction(lambda connection: stored_title(connection, self._topic, key))

    def is_complete(self, key: str) -> bool | None:
        """Return whether an article that is stored misses no part; None when it is not stored."""
        return self._transaction(lambda connection: is_complete(connection, self._topic, key))

    def records(self, keys: Sequence[RecordKey]) -> dict[RecordKey, dict[str, Any]]:
        """Return the rows of records that are stored, by type and id."""
        return self._transaction(lambda connection: stored_records(connection, self._topic, keys))

    def posts(self, key: str, first: int, last: int) -> dict[int, StoredPost]:
        """Return the posts of a thread that are stored, by number, from ``first`` to ``last``."""
        return self._transaction(
            lambda connection: stored_posts(connection, self._topic, key, first, last)
        )

    def versions(self, key: str, kind: str = ARTICLE) -> list[Version]:
        """Return earlier versions of an article (or of a record of a kind), newest first.

        Raises ResultsError, too, when one of them is damaged.
        """
        return self._transaction(
            lambda connection: read_versions(connection, self._topic, key, kind)
        )

    def last_run(self) -> str | None:
        """Return the id of the run that began last; None before the first."""
        return self._transaction(lambda connection: runs.last_run(connection, self._topic))

    def has_run(self, run_id: str) -> bool:
        """Whether the row of a run is here."""
        return self._transaction(lambda connection: runs.has_run(connection, self._topic, run_id))

    def has_articles(self) -> bool:
        """Whether an article of the topic is stored."""
        return self._transaction(lambda connection: has_rows(connection, self._topic, ARTICLES))

    def story_members(self, *, more_than: int) -> list[StoryArticle]:
        """Return all members of stories when there are more than so many, else none.

        The index of stories knows fewer after a kill between the two commits of a window.
        """
        return self._transaction(
            lambda connection: read_members(connection, self._topic, more_than=more_than)
        )
