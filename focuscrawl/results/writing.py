"""Writing what one commit window adds to a topic's results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from focuscrawl.results.batch import Written, article_row, file_row, page_row, site_row
from focuscrawl.results.changes import as_written, change_row, fill_versions, mark_gone
from focuscrawl.results.records import merge_records, record_row
from focuscrawl.results.schema import ARTICLES
from focuscrawl.results.series import minute_of
from focuscrawl.results.stories import member_row, story_row
from focuscrawl.results.threads import new_among, post_row, thread_row, write_counts
from focuscrawl.results.versions import article_versions

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.results.batch import ResultBatch, TextKept
    from focuscrawl.results.rules import Upserts
    from focuscrawl.results.search import SearchIndex
    from focuscrawl.results.versions import HistoryKept
    from focuscrawl.values import Article

_Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A batch as rows, made before its transaction begins."""

    batch: ResultBatch
    run_id: str | None
    pages: _Rows
    articles: _Rows
    records: _Rows
    threads: _Rows
    posts: _Rows
    files: _Rows
    stories: _Rows
    members: _Rows
    sites: _Rows
    series: _Rows


@dataclass(frozen=True, slots=True)
class Writer:
    """How one topic's batches are written; ``text`` and ``history`` as for Results.open."""

    statements: Upserts
    topic: str
    text: TextKept
    index: SearchIndex | None
    history: HistoryKept

    def prepare(self, batch: ResultBatch, run_id: str | None, now: float) -> Prepared:
        """Return the rows of a batch. Raises TypeError for an item that is none of its kind."""
        topic = self.topic
        _check_kinds(batch)
        return Prepared(
            batch=batch,
            run_id=run_id,
            pages=[page_row(topic, page) for page in batch.pages],
            articles=[self._article_row(article, run_id, now) for article in batch.articles],
            records=[record_row(topic, record, run_id=run_id, now=now) for record in batch.records],
            threads=[thread_row(topic, thread, now) for thread in batch.threads],
            posts=[post_row(topic, post, now, text=self.text) for post in batch.posts],
            files=[file_row(topic, file) for file in batch.files],
            stories=[story_row(topic, story) for story in batch.stories],
            members=[member_row(topic, article) for article in batch.members],
            sites=[
                {**site_row(topic, site), "updated": site.updated or now} for site in batch.sites
            ],
            series=[
                {"topic": topic, "minute": minute_of(moment), "name": name, "value": value}
                for moment, name, value in batch.series
            ],
        )

    def write(self, connection: Connection, rows: Prepared) -> Written:
        """Write a batch inside the caller's transaction; writing it again changes nothing."""
        written = self.write_found(connection, rows)
        self.write_changes(connection, rows.batch, written, rows.run_id)
        mark_gone(connection, self.topic, rows.batch.gone)
        return written

    def write_found(self, connection: Connection, rows: Prepared) -> Written:
        """Write all of a batch but its changes, and what is gone."""
        statements, batch = self.statements, rows.batch
        written, kept = self._compare(connection, rows.articles)
        statements.pages.write(connection, rows.pages)
        left = article_versions(connection, kept, self.history, written.new)
        self._leave(connection, left)
        statements.articles.write(connection, kept)
        if self.index is not None:
            self.index.write(connection, kept)
        statements.sites.write(connection, rows.sites)
        statements.series.write(connection, rows.series)
        statements.seeds.write(connection, list(batch.seeds))
        write_counts(connection, self.topic, batch.counts)  # a thread that is read counts itself
        new_threads = new_among(connection, rows.threads)
        statements.threads.write(connection, rows.threads)
        statements.posts.write(connection, rows.posts)
        statements.files.write(connection, rows.files)
        statements.stories.write(connection, rows.stories)
        statements.members.write(connection, rows.members)
        new, changed = merge_records(
            connection,
            rows.records,
            statements.records.write,
            self._leave if self.history != "none" else _leave_none,
        )
        return replace(written, records_new=new, records_changed=changed, threads_new=new_threads)

    def write_changes(
        self, connection: Connection, batch: ResultBatch, written: Written, run_id: str | None
    ) -> None:
        """Write those changes of a batch that have become so by what was ``written`` of it."""
        told = as_written(batch.changes, written, batch.record_visits)
        fill_versions(connection, self.topic, told)
        changes = [change_row(self.topic, change, run_id) for change in told]
        self.statements.changes.write(connection, changes)

    def _leave(self, connection: Connection, versions: list[dict[str, object]]) -> None:
        self.statements.versions.write(connection, versions)

    def _article_row(self, article: Article, run_id: str | None, now: float) -> dict[str, Any]:
        row = article_row(self.topic, article, run_id=run_id, text=self.text)
        if not article.fetched:
            row.update(fetched=now, found=now, updated=now)
        return row

    def _compare(self, connection: Connection, articles: _Rows) -> tuple[Written, _Rows]:
        """Return what the articles are to those that are stored, and which are to be written."""
        if not articles:
            return Written(), articles
        keys = {str(row["url_key"]) for row in articles}
        found = connection.execute(
            select(ARTICLES.c.url_key, ARTICLES.c.text_md5, ARTICLES.c.complete).where(
                ARTICLES.c.topic == self.topic, ARTICLES.c.url_key.in_(keys)
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


def _check_kinds(batch: ResultBatch) -> None:
    """Look at what rows are told apart and merged by: pipelines of a user's own may set anything."""
    wanted: list[tuple[object, type]] = [(one.url_key, str) for one in batch.articles]
    wanted += [(thread.url_key, str) for thread in batch.threads]
    wanted += [(count.url_key, str) for count in batch.counts]
    for record in batch.records:
        wanted += [(record.record_type, str), (record.record_id, str), (record.url, str)]
        wanted += [(record.data, dict), (record.evidence, dict), (record.missing, list)]
    for change in batch.changes:
        wanted += [(change.url_key, str), (change.change_id, str), (change.kind, str)]
    for value, kind in wanted:
        if not isinstance(value, kind):
            raise TypeError(f"a {kind.__name__} is needed, not {type(value).__name__}")


def _leave_none(connection: Connection, versions: list[dict[str, object]]) -> None:
    """``output.history`` is none."""
