"""What is news since a moment: what a user gets in the morning, in a report, a file or a mail.

New is what was found behind the baseline (``known`` is false); rows of earlier versions, which do not say,
count as known. Every question takes a bound and returns with it how many there are in all. Moments are
seconds since 1970 UTC; a row belongs to a span that begins with ``since`` and ends before ``until``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from math import inf
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from sqlalchemy import and_, false, func, select

from focuscrawl.config import DURATIONS, seconds
from focuscrawl.locale.messages import _
from focuscrawl.readers.text.moments import read_moment
from focuscrawl.stores.results.columns import within_calendar
from focuscrawl.stores.results.database import parts_of
from focuscrawl.stores.results.kinds.story_roots import root_of
from focuscrawl.stores.results.stored_tables import StoredTables

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table
    from sqlalchemy.engine import RowMapping

    from focuscrawl.values import Json

_R = TypeVar("_R")

MOST_STORIES, MOST_OF_A_STORY, MOST_ROWS = 50, 20, 50
"""What a person reads in one go: behind that there is a file to look into."""

LAST = "last"


class SinceError(ValueError):
    """A moment that cannot be read; the message says what is allowed."""


def moment_of(text: str, *, now: float, zone: tzinfo, last: float | None) -> float:
    """Return the moment that ``--since`` means, in seconds since 1970 UTC.

    ``text`` is ``last``, an age as in 24h or 7d, or a date or time (in ``zone`` where it has none);
    ``last`` is when the user last got news, None: never, so that all that is new counts. Raises SinceError.
    """
    text = text.strip()
    if text == LAST:
        return 0.0 if last is None else last
    if DURATIONS.fullmatch(text):
        return within_calendar(now - seconds(text, "--since"))
    try:
        moment = within_calendar(read_moment(text, zone))
    except ValueError:
        raise SinceError(
            _(
                "--since {text}: write last, an age as in 24h or 7d, or a date as in 2026-11-20"
            ).format(text=text)
        ) from None
    if moment > now:
        raise SinceError(
            _("--since {text}: that is still to come; write a moment that has passed").format(
                text=text
            )
        )
    return moment


class Bounded(NamedTuple, Generic[_R]):
    """The first of some rows, and how many there are in all."""

    rows: tuple[_R, ...]
    total: int


class NewArticle(NamedTuple):
    """An article that is new. ``medium`` is who publishes it, for people; times are None when unknown."""

    url_key: str
    url: str
    host: str
    medium: str
    title: str
    published: float | None
    published_date: str
    found: float
    score: float | None
    hits: Mapping[str, int]
    is_copy: bool
    source_id: str
    story_id: str


class NewStory(NamedTuple):
    """A story that has new articles, an article that tells one alone included.

    ``sites``, ``articles`` and ``copies`` count all of it, what was known before, too; ``is_new``: nothing
    of it was. ``new`` are its new articles, the oldest first. ``first_date`` is the date of the first one as it is
    printed, "" where that is not known.
    """

    story_id: str
    title: str
    first_at: float
    newest: float
    sites: int
    articles: int
    copies: int
    is_new: bool
    new: Bounded[NewArticle]
    first_date: str = ""


class Teller(NamedTuple):
    """A site that tells a story, with the address of its first text; ``medium`` is who publishes there, for people."""

    url: str
    medium: str
    host: str


class Changed(NamedTuple):
    """A row of ``changes``: ``fields`` is name → [old, new], ``diff`` the sentences that went and came."""

    change_id: str
    at: float
    url_key: str
    url: str
    title: str
    kind: str
    what: str
    fields: Json
    diff: str
    version: int | None


class NewRecord(NamedTuple):
    """A record that is new."""

    record_type: str
    record_id: str
    url: str
    host: str
    data: Json
    found: float
    complete: bool


class NewThread(NamedTuple):
    """A thread that is new; ``replies`` are what its board says, else those that are stored."""

    url_key: str
    url: str
    host: str
    title: str
    author: str
    started: float | None
    replies: int
    found: float


class News:
    """What is new of a topic from ``since`` on and before ``until``.

    ``tables`` are those of all kinds of rows (Kinds.tables). ``is_known``: it is asked of what the baseline holds
    where else of what is new. Every question raises SQLAlchemy's errors. A caller that must miss nothing,
    though rows are written seconds after they were found, notes keys and no moments.
    """

    def __init__(
        self,
        connection: Connection,
        tables: Mapping[str, Table],
        topic: str,
        since: float,
        until: float = inf,
        *,
        is_known: bool = False,
    ) -> None:
        self._is_known = is_known
        self._connection = connection
        self._stored = StoredTables(connection, tables)
        self._tables = tables
        self._topic = topic
        self._span = (since, until)

    def stories(
        self,
        most: int = MOST_STORIES,
        most_of_one: int = MOST_OF_A_STORY,
        *,
        fewest_sites: int = 1,
    ) -> Bounded[NewStory]:
        """Return stories with new articles, those that most sites tell first.

        ``fewest_sites`` leaves out what fewer tell.
        """
        articles = self._tables["articles"].c
        wanted = select(articles.url_key, articles.story_id, articles.found)
        by_story: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
        merged = self.merged()
        for key, story, found in self._connection.execute(wanted.where(self._new("articles"))):
            by_story[root_of(story, merged) if story else key].append((found, key))
        rows = self._stories_of(by_story)

        def sites(story: str) -> int:
            return int(rows[story]["hosts"]) if story in rows else 1

        def weight(story: str) -> tuple[int, int, float]:
            return -sites(story), -len(by_story[story]), -max(by_story[story])[0]

        told = [story for story in by_story if sites(story) >= fewest_sites]
        chosen = sorted(told, key=weight)[:most]
        keys = {story: [key for _, key in sorted(by_story[story])] for story in chosen}
        shown = self._articles([key for some in keys.values() for key in some[:most_of_one]])
        made = []
        for story, some in keys.items():
            new = Bounded(tuple(shown[key] for key in some[:most_of_one]), len(some))
            made.append(_story(story, rows.get(story), max(by_story[story])[0], new))
        return Bounded(tuple(made), len(told))

    def tellers(self, stories: Iterable[str]) -> dict[str, list[Teller]]:
        """Return who tells each of some stories, the earliest first, each site once.

        A copy may be no article: then the log book knows its address.
        """
        if not (self._stored.has("story_members") and self._stored.has("pages")):
            return {}
        members, articles, pages = (
            self._tables[name] for name in ("story_members", "articles", "pages")
        )
        merged, asked = self.merged(), {*stories}
        roots = {one: one for one in asked}
        roots |= {one: root for one in merged if (root := root_of(one, merged)) in asked}
        found: defaultdict[str, dict[str, Teller]] = defaultdict(dict)
        for some in parts_of(sorted(roots)):
            places = (
                func.coalesce(articles.c[name], pages.c[name]).label(name)
                for name in ("url", "host")
            )
            names = (self._stored.column("articles", one) for one in ("medium", "source_name"))
            query = (
                select(members.c.story_id, *places, *names)
                .select_from(members)
                .outerjoin(articles, _same_page(articles, members))
                .outerjoin(pages, _same_page(pages, members))
                .where(members.c.topic == self._topic, members.c.story_id.in_(some))
                .order_by(members.c.at, members.c.url_key)
            )
            for row in self._connection.execute(query):
                if row.url:
                    told = Teller(row.url, row.medium or row.source_name or row.host, row.host)
                    found[roots[row.story_id]].setdefault(row.host, told)
        return {story: [*some.values()] for story, some in found.items()}

    def articles(self, most: int = MOST_ROWS) -> Bounded[NewArticle]:
        """Return new articles, those published latest first; one without a date counts by when it was found."""
        table = self._tables["articles"]
        when = func.coalesce(self._stored.column("articles", "published"), table.c.found)
        latest = select(table.c.url_key).order_by(when.desc(), table.c.url_key)
        keys = list(self._connection.scalars(latest.where(self._new("articles")).limit(most)))
        shown = self._articles(keys)
        return Bounded(tuple(shown[key] for key in keys), self._count("articles"))

    def changed_articles(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return changes of what articles say, the latest first."""
        return self._changes("article", ("minor", "major", "completed"), most)

    def moved(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return what stands at another address now, of all kinds, the latest first."""
        return self._changes("", ("moved",), most)

    def gone(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return what is gone, of all kinds, the latest first."""
        return self._changes("", ("gone",), most)

    def back(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return what was gone and is back, of all kinds, the latest first."""
        return self._changes("", ("back",), most)

    def redesigned(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return sites that show their pages in a new design, the latest first."""
        return self._changes("site", ("redesign",), most)

    def changed_records(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return changes of records with their fields, the latest first."""
        return self._changes("record", ("minor", "major"), most)

    def replies(self, most: int = MOST_ROWS) -> Bounded[Changed]:
        """Return threads that have new replies, whose text is ``diff``, the latest first."""
        return self._changes("thread", ("reply",), most)

    def new_records(self, most: int = MOST_ROWS) -> Bounded[NewRecord]:
        """Return new records, by their types, the latest first."""
        table = self._tables["records"].c
        rows = self._rows("records", [table.record_type, table.found.desc(), table.record_id], most)
        made = (
            NewRecord(
                *(row["record_type"], row["record_id"], row["url"], row["host"] or ""),
                *(row["data"], row["found"], row["complete"]),
            )
            for row in rows
        )
        return Bounded(tuple(made), self._count("records"))

    def new_threads(self, most: int = MOST_ROWS) -> Bounded[NewThread]:
        """Return new threads, the latest first."""
        table = self._tables["threads"].c
        rows = self._rows("threads", [table.found.desc(), table.url_key], most)
        made = (
            NewThread(
                *(row["url_key"], row["url"], row["host"] or "", row["title"] or ""),
                *(row["author"] or "", row["started"]),
                row["replies"] if row["replies"] is not None else max(0, row["replies_seen"] - 1),
                row["found"],
            )
            for row in rows
        )
        return Bounded(tuple(made), self._count("threads"))

    def count(self) -> int:
        """Return how much is new: articles, records and threads."""
        kinds = ("articles", "records", "threads")
        return sum(self._count(name) for name in kinds if self._stored.has(name))

    def merged(self) -> dict[str, str]:
        """Return by stories that others have swallowed which did so."""
        table = self._tables["stories"].c
        query = select(table.story_id, table.merged_into).where(
            table.topic == self._topic, table.merged_into.is_not(None)
        )
        return {row.story_id: row.merged_into for row in self._connection.execute(query)}

    # How it is asked ----------------------------------------------------------------------------

    def _new(self, name: str) -> ColumnElement[bool]:
        """Return the condition that a row is new and of this span."""
        if "known" not in self._stored.columns(
            name
        ):  # of an earlier version, and no crawl has been since
            return false()
        table = self._tables[name]
        return and_(self._within(table, "found"), table.c.known.is_(self._is_known))

    def _within(self, table: Table, column: str) -> ColumnElement[bool]:
        since, until = self._span
        conditions = [table.c.topic == self._topic]
        if since > 0:
            conditions.append(table.c[column] >= since)
        if until != inf:
            conditions.append(table.c[column] < until)
        return and_(*conditions)

    def _wanted(self, name: str) -> list[ColumnElement[Any]]:
        """Return the columns of a table; those that it does not have yet are empty."""
        names = (one.name for one in self._tables[name].columns if one.name != "text")
        return [self._stored.column(name, one) for one in names]

    def _count(self, name: str) -> int:
        counted = select(func.count()).select_from(self._tables[name]).where(self._new(name))
        return self._connection.execute(counted).scalar_one()

    def _rows(
        self, name: str, order: Sequence[ColumnElement[Any]], most: int
    ) -> Sequence[RowMapping]:
        query = select(*self._wanted(name)).where(self._new(name)).order_by(*order).limit(most)
        return self._connection.execute(query).mappings().all()

    def _changes(self, what: str, kinds: Sequence[str], most: int) -> Bounded[Changed]:
        table = self._tables["changes"]
        told = and_(self._within(table, "at"), table.c.kind.in_(kinds))
        if what:
            told = and_(told, table.c.what == what)
        latest = select(table).where(told).order_by(table.c.at.desc(), table.c.change_id)
        rows = self._connection.execute(latest.limit(most)).mappings()
        made = tuple(
            Changed(
                *(row["change_id"], row["at"], row["url_key"], row["url"], row["title"] or ""),
                *(row["kind"], row["what"], row["fields"] or {}, row["diff"] or "", row["version"]),
            )
            for row in rows
        )
        counted = select(func.count()).select_from(table).where(told)
        return Bounded(made, self._connection.execute(counted).scalar_one())

    def _articles(self, keys: Sequence[str]) -> dict[str, NewArticle]:
        table, found = self._tables["articles"], dict[str, NewArticle]()
        for some in parts_of(keys):
            query = select(*self._wanted("articles")).where(
                table.c.topic == self._topic, table.c.url_key.in_(some)
            )
            for row in self._connection.execute(query).mappings():
                found[row["url_key"]] = _article(row)
        return found

    def _stories_of(self, stories: Iterable[str]) -> dict[str, RowMapping]:
        table, found = self._tables["stories"], dict[str, "RowMapping"]()
        for some in parts_of([*stories]):
            query = select(table).where(table.c.topic == self._topic, table.c.story_id.in_(some))
            found |= {row["story_id"]: row for row in self._connection.execute(query).mappings()}
        return found


def _same_page(one: Table, other: Table) -> ColumnElement[bool]:
    return and_(one.c.topic == other.c.topic, one.c.url_key == other.c.url_key)


def _article(row: RowMapping) -> NewArticle:
    return NewArticle(
        url_key=row["url_key"],
        url=row["url"],
        host=row["host"],
        medium=row["medium"] or row["source_name"] or row["host"],
        title=row["title"] or "",
        published=row["published"],
        published_date=row["published_date"] or "",
        found=row["found"],
        score=row["score"],
        hits=row["hits"] or {},
        is_copy=row["is_copy"],
        source_id=row["source_id"] or "",
        story_id=row["story_id"] or "",
    )


def _story(
    story_id: str, row: RowMapping | None, newest: float, new: Bounded[NewArticle]
) -> NewStory:
    """Make a story of its row, None: an article tells it alone, and of its first new articles."""
    first = new.rows[0]
    if row is None:
        at = first.found if first.published is None else first.published
        printed = "" if first.published is None else first.published_date
        return NewStory(first.story_id, first.title, at, newest, 1, 1, 0, True, new, printed)
    return NewStory(
        story_id=story_id,
        title=row["title"] or first.title,
        first_at=row["first_at"],
        newest=newest,
        sites=row["hosts"],
        articles=row["articles"],
        copies=row["copies"],
        is_new=new.total >= row["articles"] - row["copies"],
        new=new,
        first_date=next(
            (one.published_date for one in new.rows if one.published == row["first_at"]), ""
        ),
    )
