"""The results database: what people query (SQLite, PostgreSQL, MySQL) through SQLAlchemy Core.

Every write is an insert-or-update on a key computed from what is written, so that a page processed
twice after a crash gives the same rows. The crawl commits here before it acknowledges a URL.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sqlalchemy import Connection, Engine, Table, and_, func, insert, select, true, update
from sqlalchemy.exc import DBAPIError

from focuscrawl.stores.results_changes import (
    StoredArticle,
    as_written,
    change_row,
    fill_versions,
    is_complete,
    mark_gone,
    stored_article,
)
from focuscrawl.stores.results_database import connect, explaining, make_ready, place_of
from focuscrawl.stores.results_errors import ResultsError
from focuscrawl.stores.results_forgetting import delete_addresses
from focuscrawl.stores.results_judging import JudgedCounts, judged_counts
from focuscrawl.stores.results_outdated import MOST_AT_ONCE, forget_old
from focuscrawl.stores.results_records import RecordKey, merge_records, record_row, stored_records
from focuscrawl.stores.results_rows import (
    ResultBatch,
    RunRow,
    RunStart,
    TextKept,
    Written,
    article_row,
    page_row,
    run_counters,
    site_row,
)
from focuscrawl.stores.results_rules import Upserts, upserts
from focuscrawl.stores.results_schema import ARTICLES, CRAWL_RUNS, RECORDS, THREADS
from focuscrawl.stores.results_search import SearchIndex, search_index
from focuscrawl.stores.results_series import DAY, minute_of, thin_series
from focuscrawl.stores.results_stories import member_row, read_members, story_row
from focuscrawl.stores.results_threads import new_among, post_row, thread_row
from focuscrawl.stores.results_versions import (
    ARTICLE,
    HistoryKept,
    Version,
    article_versions,
    read_versions,
)

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import ColumnElement

    from focuscrawl.stores.base import StoryArticle
    from focuscrawl.values import Article, Clock

SILENCE = 300.0
"""Seconds without a heartbeat after which a run of another worker counts as crashed."""

T = TypeVar("T")


class Results:
    """One topic's results. ``place`` says for people where they are, without a password.

    Every method raises ResultsError (a StoreError) when the database cannot be used.
    """

    def __init__(
        self,
        engine: Engine,
        statements: Upserts,
        topic: str,
        clock: Clock,
        text: TextKept,
        index: SearchIndex | None,
        history: HistoryKept,
    ) -> None:
        self.place = place_of(engine)
        self.run_id: str | None = None
        self._engine = engine
        self._statements = statements
        self._topic = topic
        self._clock = clock
        self._text = text
        self._index = index
        self._history = history
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
                _index_all(engine, index, topic)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, upserts(engine.dialect), topic, clock, text, index, history)

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
        """
        if not batch:
            return Written()
        topic = self._topic
        now = self._clock.wall()
        pages = [page_row(topic, page) for page in batch.pages]
        articles = [self._article_row(article, now) for article in batch.articles]
        records = [
            record_row(topic, record, run_id=self.run_id, now=now) for record in batch.records
        ]
        threads = [thread_row(topic, thread, now) for thread in batch.threads]
        posts = [post_row(topic, post, now, text=self._text) for post in batch.posts]
        stories = [story_row(topic, story) for story in batch.stories]
        members = [member_row(topic, article) for article in batch.members]
        sites = [{**site_row(topic, site), "updated": site.updated or now} for site in batch.sites]
        series = [
            {"topic": topic, "minute": minute_of(moment), "name": name, "value": value}
            for moment, name, value in batch.series
        ]

        def work(connection: Connection) -> Written:
            written, kept = self._compare(connection, articles)
            self._statements.pages.write(connection, pages)
            left = article_versions(connection, kept, self._history, written.new)
            self._leave(connection, left)
            self._statements.articles.write(connection, kept)
            if self._index is not None:
                self._index.write(connection, kept)
            self._statements.sites.write(connection, sites)
            self._statements.series.write(connection, series)
            self._statements.seeds.write(connection, list(batch.seeds))
            new_threads = new_among(connection, threads)
            self._statements.threads.write(connection, threads)
            self._statements.posts.write(connection, posts)
            self._statements.stories.write(connection, stories)
            self._statements.members.write(connection, members)
            new, changed = merge_records(
                connection,
                records,
                self._statements.records.write,
                self._leave if self._history != "none" else _leave_none,
            )
            written = replace(
                written, records_new=new, records_changed=changed, threads_new=new_threads
            )
            told = as_written(batch.changes, written, batch.record_visits)
            fill_versions(connection, topic, told)
            rows = [change_row(topic, change, self.run_id) for change in told]
            self._statements.changes.write(connection, rows)
            mark_gone(connection, topic, batch.gone)
            if batch.run is not None:
                self._beat(connection, batch.run, now)
            return written

        return self._transaction(work)

    def begin_run(self, run: RunStart, *, alone: bool = True) -> None:
        """Write the row of a run that begins; earlier runs that never ended are called crashed.

        ``alone``: this process owns the topic, so no other run can be alive. Otherwise only runs
        without a heartbeat for 5 minutes have crashed.
        """
        now = self._clock.wall()
        sign = func.coalesce(CRAWL_RUNS.c.heartbeat, CRAWL_RUNS.c.started)
        earlier = and_(
            CRAWL_RUNS.c.topic == self._topic,
            CRAWL_RUNS.c.run_id != run.run_id,
            CRAWL_RUNS.c.ended.is_(None),
            CRAWL_RUNS.c.end_reason.is_(None),
            true() if alone else sign < now - SILENCE,
        )
        detail = f"Gave no sign of life any more; the run {run.run_id} went on from there."

        def work(connection: Connection) -> None:
            connection.execute(
                update(CRAWL_RUNS).where(earlier).values(end_reason="crashed", end_detail=detail)
            )
            connection.execute(insert(CRAWL_RUNS).values(self._run_values(run, now)))
            thin_series(connection, self._topic, now, self._statements.series)

        self._transaction(work)
        self.run_id = run.run_id
        self._thinned = now

    def heartbeat(self, run: RunRow | None = None) -> None:
        """Say that the run is alive, with its counters when given; call it each minute."""
        now = self._clock.wall()

        def work(connection: Connection) -> None:
            self._beat(connection, run, now)
            if now - self._thinned >= DAY:
                thin_series(connection, self._topic, now, self._statements.series)

        self._transaction(work)
        if now - self._thinned >= DAY:
            self._thinned = now

    def end_run(
        self, end_reason: str, end_detail: str, exit_code: int, run: RunRow | None = None
    ) -> None:
        """Write why the run ended (``end_reason`` as in END_REASONS) and its last counters."""
        now = self._clock.wall()
        ended = {
            "ended": now,
            "end_reason": end_reason,
            "end_detail": end_detail,
            "exit_code": exit_code,
        }

        def work(connection: Connection) -> None:
            self._beat(connection, run, now)
            connection.execute(update(CRAWL_RUNS).where(self._this_run()).values(ended))

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

        tables = (ARTICLES, RECORDS, THREADS)
        return self._transaction(
            lambda connection: any(self._has_row(connection, table) for table in tables)
        )

    def search(self, query: str, most: int = 50) -> list[str]:
        """Return keys of articles that have all words of a query, latest found first.

        Raises ResultsError when there is no index.
        """
        index = self._index
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

    def is_complete(self, key: str) -> bool | None:
        """Return whether an article that is stored misses no part; None when it is not stored."""
        return self._transaction(lambda connection: is_complete(connection, self._topic, key))

    def records(self, keys: Sequence[RecordKey]) -> dict[RecordKey, dict[str, Any]]:
        """Return the rows of records that are stored, by type and id."""
        return self._transaction(lambda connection: stored_records(connection, self._topic, keys))

    def versions(self, key: str, kind: str = ARTICLE) -> list[Version]:
        """Return earlier versions of an article (or of a record of a kind), newest first.

        Raises ResultsError, too, when one of them is damaged.
        """
        return self._transaction(
            lambda connection: read_versions(connection, self._topic, key, kind)
        )

    def last_run(self) -> str | None:
        """Return the id of the run that began last; None before the first."""
        query = (
            select(CRAWL_RUNS.c.run_id)
            .where(CRAWL_RUNS.c.topic == self._topic)
            .order_by(CRAWL_RUNS.c.started.desc())
            .limit(1)
        )
        return self._transaction(lambda connection: connection.execute(query).scalar())

    def has_articles(self) -> bool:
        """Whether an article of the topic is stored."""
        return self._transaction(lambda connection: self._has_row(connection, ARTICLES))

    def story_members(self, *, more_than: int) -> list[StoryArticle]:
        """Return all members of stories when there are more than so many, else none.

        The index of stories knows fewer after a kill between the two commits of a window.
        """
        return self._transaction(
            lambda connection: read_members(connection, self._topic, more_than=more_than)
        )

    def _has_row(self, connection: Connection, table: Table) -> bool:
        query = select(table.c.topic).where(table.c.topic == self._topic).limit(1)
        return connection.execute(query).first() is not None

    def _leave(self, connection: Connection, versions: list[dict[str, object]]) -> None:
        self._statements.versions.write(connection, versions)

    def _article_row(self, article: Article, now: float) -> dict[str, object]:
        row = article_row(self._topic, article, run_id=self.run_id, text=self._text)
        if not article.fetched:
            row.update(fetched=now, found=now, updated=now)
        return row

    def _compare(
        self, connection: Connection, articles: list[dict[str, object]]
    ) -> tuple[Written, list[dict[str, object]]]:
        """Return what the articles are to those that are stored, and which are to be written."""
        if not articles:
            return Written(), articles
        keys = {str(row["url_key"]) for row in articles}
        found = connection.execute(
            select(ARTICLES.c.url_key, ARTICLES.c.text_md5, ARTICLES.c.complete).where(
                ARTICLES.c.topic == self._topic, ARTICLES.c.url_key.in_(keys)
            )
        )
        stored = {row.url_key: row for row in found}
        whole = {key for key, row in stored.items() if row.complete}
        kept = [row for row in articles if row["complete"] or row["url_key"] not in whole]
        fresh = {str(row["url_key"]): row for row in kept}
        known = fresh.keys() & stored.keys()
        different = {key for key in known if fresh[key]["text_md5"] != stored[key].text_md5}
        written = Written(
            new=frozenset(fresh.keys() - stored.keys()),
            changed=frozenset(different & whole),
            completed=frozenset(key for key in known - whole if fresh[key]["complete"]),
        )
        return written, kept

    def _run_values(self, run: RunStart, now: float) -> dict[str, object]:
        return {
            "topic": self._topic,
            "run_id": run.run_id,
            "job": run.job or None,
            "worker": run.worker or None,
            "started": now,
            "heartbeat": now,
            "template_hash": hashlib.md5(run.template.encode()).hexdigest(),
            "template": run.template,
            "versions": run.versions,
            **run_counters(RunRow()),
        }

    def _beat(self, connection: Connection, run: RunRow | None, now: float) -> None:
        values: dict[str, object] = {"heartbeat": now}
        if run is not None:
            values |= run_counters(run)
        connection.execute(update(CRAWL_RUNS).where(self._this_run()).values(values))

    def _this_run(self) -> ColumnElement[bool]:
        if self.run_id is None:
            raise RuntimeError("begin_run comes before heartbeat, end_run and a batch with a run")
        return and_(CRAWL_RUNS.c.topic == self._topic, CRAWL_RUNS.c.run_id == self.run_id)

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in one transaction, once more when the server had closed the connection."""
        with explaining(self.place):
            try:
                with self._engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            with self._engine.begin() as connection:
                return work(connection)


def _leave_none(connection: Connection, versions: list[dict[str, object]]) -> None:
    """``output.history`` is none."""


def _index_all(engine: Engine, index: SearchIndex, topic: str) -> None:
    """Make the index and take in what was stored without it, a few articles at a time."""
    with explaining(place_of(engine)):
        with engine.begin() as connection:
            index.make(connection)
        while True:
            with engine.begin() as connection:
                if not index.catch_up(connection, topic):
                    return
