"""The log book: every address that was taken at least once, for reports and for fetching it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Boolean, ColumnElement, Index, and_, case, literal_column, or_, select

from focuscrawl.stores.results.columns import (
    KEY_COLUMN,
    SMALL_COUNT,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.stores.results.database import parts_of
from focuscrawl.stores.results.kind import RowContext, RowKind, RowValues
from focuscrawl.stores.results.upsert import Columns, Merge, first, last, most
from focuscrawl.values import CONTENT, Page

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ZERO_PAGES: ColumnElement[int] = literal_column("0")
_ONE_PAGE: ColumnElement[int] = literal_column("1")
NOT_MODIFIED: ColumnElement[int] = literal_column("304")

PAGES = table(
    "pages",
    key_column("url_key", KEY_COLUMN, "The page's key: MD5 of its canonical address."),
    must("url", TextColumn, "Its canonical address."),
    must("host", LineColumn(255), "Its host."),
    must(
        "page_class",
        LineColumn(16),
        "What it is: board, article, thread, paging, article_paging, feed, sitemap, record, file, search, other.",
    ),
    may("level", SMALL_COUNT, "The level of the queue it was taken from."),
    may("step", SMALL_COUNT, "How many irrelevant pages in a row end with it.", "pages"),
    may("source_id", LineColumn(64), "The source it was found through."),
    may("parent_key", KEY_COLUMN, "The page it was found on first."),
    may("anchor", LineColumn(300), "The text of the link there."),
    must("first_seen", Time, "When it was found.", "UTC"),
    may("first_fetched", Time, "When it was fetched first.", "UTC"),
    may("last_fetched", Time, "When it was fetched last.", "UTC"),
    may("last_changed", Time, "When it changed last.", "UTC"),
    may("next_visit", Time, "When it is visited next; empty: no more.", "UTC"),
    must("visits", SMALL_COUNT, "How often it was fetched.", "times"),
    must("changes", SMALL_COUNT, "How often it had changed.", "times"),
    may("status", SMALL_COUNT, "The HTTP status of its last answer; 0: none."),
    must(
        "outcome",
        LineColumn(16),
        "What became of it: stored, part, irrelevant, copy, short, old, unchanged, list, alias, dropped, error, gone, refused, parked.",
    ),
    may("reason", LineColumn(40), "The rule behind that, e.g. robots, ban, quota, exclude:招聘."),
    may("score", Figure, "How much it belongs to the topic.", "0 to 1"),
    may("relevant", Boolean, "Whether that is enough."),
    may("label", LineColumn(10), "What a person said of it; it wins over the score."),
    may("title", LineColumn(300), "Its title."),
    may("content_type", LineColumn(80), "What its server calls it."),
    may("bytes", SMALL_COUNT, "Its length.", "bytes"),
    may(
        "encoding",
        LineColumn(20),
        "What it was read in; with ! where it says something else itself.",
    ),
    may("gone_at", Time, "Since when it is gone for sure; empty: it is there.", "UTC"),
    may("run_id", LineColumn(40), "The run that fetched it last."),
    Index("pages_fetched", "topic", "last_fetched"),
    Index("pages_host", "topic", "host", "outcome"),
    Index("pages_next", "topic", "next_visit"),
    Index("pages_outcome", "topic", "outcome", "page_class"),
    about="Every address that was taken at least once: the crawl's log book, one row per address, latest state.",
)

READ_OF_A_PAGE = ("score", "relevant", "step", "content_type", "bytes", "encoding")

DEEPEST = 50  # so far back the way of a page is followed

PARTS = frozenset({"paging", "article_paging"})
"""Classes of pages that a click to counts for nothing."""


def page_row(page: Page, context: RowContext) -> RowValues:
    """Return the row of one visit; the database adds the visit to those before it."""
    fetched = page.last_fetched
    return {
        "topic": context.topic,
        "url_key": page.url_key,
        "url": page.url,
        "host": page.host,
        "page_class": page.page_class.value,
        "level": page.level,
        "step": page.step,
        "source_id": page.source_id or None,
        "parent_key": page.parent_key or None,
        "anchor": page.anchor or None,
        "first_seen": page.first_seen or fetched or 0.0,
        "first_fetched": fetched,
        "last_fetched": fetched,
        "visits": 0 if fetched is None else 1,
        "changes": page.changes,
        "last_changed": page.last_changed,
        "next_visit": page.next_visit,
        "gone_at": page.gone_at,
        "status": page.status,
        "outcome": page.outcome,
        "reason": page.reason or None,
        "score": page.score,
        "relevant": page.relevant,
        "title": page.title or None,
        "content_type": page.content_type or None,
        "bytes": page.bytes,
        "encoding": page.encoding or None,
        "run_id": page.run_id or None,
    }


def _visits(old: Columns, new: Columns) -> ColumnElement[Any]:
    """A visit is known by its run and its moment: written twice, it counts once."""
    another = or_(
        old.last_fetched.is_distinct_from(new.last_fetched), old.run_id.is_distinct_from(new.run_id)
    )
    fetched = new.last_fetched.is_not(None)
    visits: ColumnElement[Any] = old.visits
    return visits + case((and_(fetched, another), _ONE_PAGE), else_=_ZERO_PAGES)


def _of_what_was_read(name: str) -> Merge:
    """A 304 brings no page: what was read of it before holds."""
    return lambda old, new: case((new.status == NOT_MODIFIED, old[name]), else_=new[name])


PAGE_ROWS = RowKind(
    PAGES,
    page_row,
    item=Page,
    keep={"first_seen"},
    merge={
        **{name: _of_what_was_read(name) for name in READ_OF_A_PAGE},
        "visits": _visits,  # before what it reads: MySQL assigns from left to right
        "run_id": lambda old, new: case(
            (new.last_fetched.is_not(None), new.run_id), else_=old.run_id
        ),
        "last_fetched": last("last_fetched"),
        "first_fetched": first("first_fetched"),
        "parent_key": first("parent_key"),
        "anchor": first("anchor"),
        "title": last("title"),
        "changes": most("changes"),
        "last_changed": last("last_changed"),
    },
    besides={"label"},
    address="url_key",
)


# Those who want pages fetched again -----------------------------------------------------------


class KnownPage(NamedTuple):
    """A page of the log book; keys in hex, ``depth`` in clicks from where the crawl began."""

    url_key: str
    url: str
    host: str
    page_class: str
    level: int
    depth: int
    parent_key: str
    anchor: str
    source_id: str
    outcome: str


def known_pages(
    connection: Connection, topic: str, condition: ColumnElement[bool]
) -> list[KnownPage]:
    """Return the pages of a topic that fulfil a condition on the table pages."""
    rows = connection.execute(select(PAGES).where(PAGES.c.topic == topic, condition)).all()
    depths = _depths(connection, topic, [row.url_key for row in rows])
    return [
        KnownPage(
            *(row.url_key, row.url, row.host, row.page_class, row.level or 1),
            *(depths[row.url_key], row.parent_key or "", row.anchor or ""),
            *(row.source_id or "", row.outcome),
        )
        for row in rows
    ]


def pages_by_key(connection: Connection, topic: str, keys: Sequence[str]) -> list[KnownPage]:
    """Return the pages of some addresses."""
    return [
        page
        for some in parts_of(keys)
        for page in known_pages(connection, topic, PAGES.c.url_key.in_(some))
    ]


def _depths(connection: Connection, topic: str, keys: Sequence[str]) -> dict[str, int]:
    """Count the clicks that led to pages, back along the pages they were first found on."""
    parents: dict[str, tuple[str, bool]] = {}
    asked = set(keys)
    for _ in range(DEEPEST):
        if not asked:
            break
        for some in parts_of(sorted(asked)):
            query = select(PAGES.c.url_key, PAGES.c.parent_key, PAGES.c.page_class).where(
                PAGES.c.topic == topic, PAGES.c.url_key.in_(some)
            )
            for key, parent, page_class in connection.execute(query):
                parents[key] = (parent or "", page_class not in PARTS)
        asked = {parent for parent, _ in parents.values() if parent and parent not in parents}
    return {key: _depth(key, parents) for key in keys}


def _depth(key: str, parents: dict[str, tuple[str, bool]]) -> int:
    depth = 0
    passed = {key}
    while key in parents:
        parent, is_click = parents[key]
        if not parent or parent in passed:
            break
        depth += is_click
        passed.add(parent)
        key = parent
    return depth


REASONS = ("keywords", "score")
REASON_BEGINS = ("require:", "exclude:")  # reasons by which the words of a topic refuse a page


def refused_by_words() -> ColumnElement[bool]:
    """Return the condition on pages that the words of the topic refused."""
    begins = (PAGES.c.reason.startswith(one, autoescape=True) for one in REASON_BEGINS)
    return and_(PAGES.c.outcome == "irrelevant", or_(PAGES.c.reason.in_(REASONS), *begins))


MOST_THERE, _MOST_LOOKED_AT = 50, 1_000
"""Pages of a host among which those beside one are looked for."""

_MAY_BE_THERE = ("stored", "unchanged", "refused", "error")


def pages_there(connection: Connection, topic: str, host: str) -> list[str]:
    """Return addresses of pages of a host that are visited again, whatever their last visit has found: a few of any."""
    of_host = select(PAGES.c.url, PAGES.c.page_class, PAGES.c.next_visit, PAGES.c.gone_at).where(
        PAGES.c.topic == topic, PAGES.c.host == host, PAGES.c.outcome.in_(_MAY_BE_THERE)
    )
    some = of_host.limit(_MOST_LOOKED_AT).subquery()
    is_there = and_(some.c.next_visit.is_not(None), some.c.gone_at.is_(None))
    is_page = some.c.page_class.in_([one.value for one in CONTENT])
    return [*connection.scalars(select(some.c.url).where(is_there, is_page).limit(MOST_THERE))]
