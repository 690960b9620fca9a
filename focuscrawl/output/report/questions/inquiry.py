"""What is asked of a results database for a report: each question is counted, and its first rows are read.

A database of an earlier version may miss a table or a column: then there is nothing of it, and no error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, Table, func, select

from focuscrawl.output.report.contents import FIRST_ROWS, Anchor, Cell, Listing
from focuscrawl.stores.results.columns import cut
from focuscrawl.stores.results.news import LAST, News
from focuscrawl.stores.results.stored_tables import StoredTables

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from focuscrawl.stores.results.kind import Kinds

EVERY_ROW = 1 << 40
"""A bound that bounds nothing, for all databases."""

MOST_WORDS = 160
"""Characters that are shown of a title: some pages have titles of a megabyte."""

NAME_SHOWN, REASON_SHOWN, ERROR_SHOWN = 40, 60, 80
"""Characters that are shown of names and words, of reasons and titles of topics, of errors: a line of a
table on a telephone has 40."""


class Inquiry:
    """Asks about one topic. ``since`` and ``now`` are wall time, ``span`` is ``since`` as it was written.

    ``only`` names one listing that is read whole; then the others are not read at all.
    """

    def __init__(
        self,
        connection: Connection,
        kinds: Kinds,
        topic: str,
        *,
        since: float,
        now: float,
        span: str = "last",
        only: str = "",
    ) -> None:
        self.connection = connection
        self.topic = topic
        self.since = since
        self.now = now
        self.only = only
        self._span = span
        self._stored = StoredTables(connection, kinds.tables)

    @cached_property
    def news(self) -> News:
        """What is new of the topic."""
        return News(self.connection, self._stored.tables, self.topic, self.since)

    @cached_property
    def baseline(self) -> News:
        """What of the topic was found since then and is no news: it was there before the topic was crawled."""
        return News(self.connection, self._stored.tables, self.topic, self.since, is_known=True)

    @cached_property
    def is_first(self) -> bool:
        """Whether the last run is the first one, whose finds are known."""
        if self._span != LAST or not self.has("crawl_runs"):
            return False
        runs = self.table("crawl_runs")
        began = select(func.min(runs.c.started)).where(runs.c.topic == self.topic)
        first = self.connection.execute(began).scalar()
        return first is not None and first >= self.since

    def has(self, table: str) -> bool:
        """Whether the database has a table."""
        return self._stored.has(table)

    def table(self, name: str) -> Table:
        """Return a table; ``has`` says whether it is there."""
        return self._stored.tables[name]

    def column(self, table: str, name: str) -> ColumnElement[Any]:
        """Return a column, NULL where an earlier version has made the table without it."""
        return self._stored.column(table, name)

    def is_asked(self, name: str) -> bool:
        """Whether a listing is to be read."""
        return not self.only or self.only == name

    @property
    def most(self) -> int | None:
        """How many rows are read; None: all."""
        return None if self.only else FIRST_ROWS

    def rows(self, query: Select[Any]) -> Sequence[Any]:
        """Return the rows that a report opens."""
        return self.connection.execute(query.limit(self.most)).all()

    def all_rows(self, query: Select[Any]) -> Sequence[Any]:
        """Return all rows of a question that has few."""
        return self.connection.execute(query).all()

    def count(self, query: Select[Any]) -> int:
        """Count the rows of a question."""
        counted = select(func.count()).select_from(query.order_by(None).subquery())
        return int(self.connection.execute(counted).scalar_one())

    def command(self, name: str) -> str:
        """Return what shows all rows of a listing."""
        since = "" if self._span == "last" else f" --since {quote(self._span)}"
        return f"scrapy report {quote(self.topic)} --list {quote(name)}{since}"

    def listing(
        self,
        name: str,
        columns: tuple[str, ...],
        query: Select[Any],
        row: Callable[[Any], tuple[Cell, ...]],
        **more: Any,
    ) -> Listing:
        """Return how many rows a question has, with the first of them as ``row`` makes them cells."""
        if not self.is_asked(name):
            return Listing(name, 0, columns, ())
        total = self.count(query)
        rows = [row(one) for one in self.rows(query)] if total else []
        command = self.command(name) if total else ""
        return Listing(name, total, columns, rows, command, **more)


def shorten(text: object, most: int = MOST_WORDS) -> str:
    """Return the beginning of a text, with what says that it was cut."""
    words = " ".join(str(text or "")[: 4 * most].split())
    return words if len(words) <= most else cut(words, most - 1) + "…"


def title_link(url: str, title: str | None) -> Anchor:
    """Return a title that leads to its page; the address where there is none."""
    return Anchor(url, shorten(title or url))
