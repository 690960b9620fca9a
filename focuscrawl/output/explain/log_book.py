"""What the results have of an address, of a host, of a title."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Table, func, select

from focuscrawl.output.explain.facts import ListSeen, Stored
from focuscrawl.stores.results.kinds.history import CHANGES
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.news import News
from focuscrawl.stores.results.stored_tables import StoredTables
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.stores.results.kind import Kinds

OF_ADDRESS = ("pages", "articles", "threads", "records", "story_members", "changes")
"""Tables with rows of an address."""

_MOST_LOG_ROWS = 50
MOST_MATCHES = 20
"""Pages that are listed when a title fits more than one."""

MOST_LISTS = 5
"""Lists that are named: the nearest by address, since a list mostly stands above what it lists."""

MOST_TELLERS = 8
"""Other sites that are named of a story."""

HOSTS_READ = 20_000
"""Sites among which those near an unknown one are looked for: to compare it with so many takes a second."""

LISTS_READ = 5_000
"""Lists of one site among which these are chosen."""

_LIST_CLASSES = (PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP)

_Rows = list[Mapping[str, Any]]


class LogBook:
    """The results of one topic, opened to be read."""

    def __init__(self, connection: Connection, kinds: Kinds, topic: str) -> None:
        self._connection = connection
        self._stored = StoredTables(connection, kinds.tables)
        self._topic = topic

    def stored(self, key: str) -> Stored:
        """Return the rows of an address, whose key is ``key`` in hexadecimal."""
        return {name: rows for name in OF_ADDRESS if (rows := self._of(name, "url_key", key))}

    def page(self, key: str) -> Mapping[str, Any]:
        """Return a row of the log book; {} when there is none."""
        return next(iter(self._of("pages", "url_key", key)), {})

    def story(self, story_id: str) -> Mapping[str, Any]:
        """Return a story; {} when there is none."""
        return next(iter(self._of("stories", "story_id", story_id)), {})

    def tellers(self, story_id: str, host: str | None) -> list[tuple[str, str]]:
        """Return who else tells a story than a host, by name and address, the earliest first."""
        news = News(self._connection, self._stored.tables, self._topic, 0.0)
        told = news.tellers([story_id]).get(story_id, ())
        return [(one.medium, one.url) for one in told if one.host != host][:MOST_TELLERS]

    def article_of_part(self, page: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the page of the article that a page is a further part of; {} when it is not stored."""
        for _ in range(_MOST_LOG_ROWS):
            if not page or (
                page["page_class"] != PageClass.ARTICLE_PAGING and page["outcome"] != "part"
            ):
                break
            page = self.page(page["parent_key"] or "")
        return page

    def lists_of(self, host: str, url: str) -> list[ListSeen]:
        """Return the lists of a site, those first whose address has the most in common with ``url``."""
        table = self._table("pages")
        if table is None:
            return []
        query = select(PAGES).where(
            PAGES.c.topic == self._topic,
            PAGES.c.host == host,
            PAGES.c.page_class.in_([one.value for one in _LIST_CLASSES]),
        )
        columns = query.with_only_columns(*self._columns(table))
        rows = self._rows(columns.limit(LISTS_READ))
        rows.sort(key=lambda row: (-_in_common(row["url"], url), row["url"]))
        return [
            ListSeen(
                *(row["url"], row["page_class"], row["outcome"]),
                *(row["last_fetched"], row["next_visit"]),
            )
            for row in rows[:MOST_LISTS]
        ]

    def with_title(self, part: str) -> dict[str, str]:
        """Return by their addresses the titles of the pages that have some words in theirs, the newest first."""
        found: dict[str, str] = {}
        for name, moment in (
            ("articles", "found"),
            ("threads", "found"),
            ("pages", "last_fetched"),
        ):
            table = self._table(name)
            if table is None or moment not in table.c:
                continue
            fits = table.c.title.contains(part, autoescape=True)
            query = (
                select(table.c.url, table.c.title)
                .where(table.c.topic == self._topic, fits)
                .order_by(table.c[moment].desc(), table.c.url)
                .limit(MOST_MATCHES + 1)
            )
            for row in self._connection.execute(query):
                found.setdefault(row.url, row.title)
        return found

    def has_host(self, host: str) -> bool:
        """Whether a page of a site was ever asked for."""
        if self._table("pages") is None:
            return False
        query = select(PAGES.c.url).where(PAGES.c.topic == self._topic, PAGES.c.host == host)
        return self._connection.scalar(query.limit(1)) is not None

    def outcomes_of(self, host: str) -> list[tuple[str, str, str, int]]:
        """Count the pages of a site by outcome, class and reason, the most first."""
        if self._table("pages") is None:
            return []
        columns = (PAGES.c.outcome, PAGES.c.page_class, func.coalesce(PAGES.c.reason, ""))
        count = func.count()
        query = (
            select(*columns, count)
            .where(PAGES.c.topic == self._topic, PAGES.c.host == host)
            .group_by(*columns)
            .order_by(count.desc(), *columns)
        )
        return [(row[0], row[1], row[2], row[3]) for row in self._connection.execute(query)]

    def hosts(self) -> list[str]:
        """Return the sites of which pages were asked for, those with the most first."""
        if self._table("pages") is None:
            return []
        query = select(PAGES.c.host).where(PAGES.c.topic == self._topic).group_by(PAGES.c.host)
        ordered = query.order_by(func.count().desc(), PAGES.c.host).limit(HOSTS_READ)
        return [*self._connection.scalars(ordered)]

    def pages_beginning(self, host: str, begins: Collection[str]) -> dict[str, tuple[str, str]]:
        """Return class and address of pages of a site by how their keys begin, in eight hexadecimal digits."""
        if self._table("pages") is None or not begins:
            return {}
        begin = func.substr(PAGES.c.url_key, 1, 8)
        query = select(begin, PAGES.c.page_class, PAGES.c.url).where(
            PAGES.c.topic == self._topic, PAGES.c.host == host, begin.in_(sorted(begins))
        )
        return {row[0]: (row[1], row[2]) for row in self._connection.execute(query)}

    def redesigns_of(self, home: str) -> list[float]:
        """Return when new designs of a site were told, the earliest first; ``home`` is its address."""
        if self._table("changes") is None:
            return []
        query = select(CHANGES.c.at).where(
            CHANGES.c.topic == self._topic, CHANGES.c.kind == "redesign", CHANGES.c.url == home
        )
        return sorted(self._connection.scalars(query))

    # Inside -------------------------------------------------------------------------------------

    def _of(self, name: str, column: str, value: str) -> _Rows:
        table = self._table(name)
        if table is None or not value:
            return []
        query = select(*self._columns(table)).where(
            table.c.topic == self._topic, table.c[column] == value
        )
        return self._rows(query.limit(_MOST_LOG_ROWS))

    def _rows(self, query: Any) -> _Rows:
        return [dict(row) for row in self._connection.execute(query).mappings()]

    def _table(self, name: str) -> Table | None:
        return self._stored.tables[name] if self._stored.has(name) else None

    def _columns(self, table: Table) -> Sequence[ColumnElement[Any]]:
        """Return those columns that are there."""
        names = self._stored.columns(table.name)
        return [one for one in table.c if one.name in names]


def _in_common(one: str, other: str) -> int:
    """Return how many parts of their paths two addresses begin with alike."""
    parts = zip(one.split("/")[3:], other.split("/")[3:], strict=False)
    same = 0
    for first, second in parts:
        if first != second:
            break
        same += 1
    return same
