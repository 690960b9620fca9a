"""Looking over a topic's data without changing it: what is damaged, and what has lost its other half.

A problem is a line for people. What only one side knows is told as a problem of both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, exists, func, or_, select

from focuscrawl.results.errors import ResultsError
from focuscrawl.results.schema import (
    ARTICLES,
    PAGES,
    POSTS,
    RECORDS,
    STORIES,
    STORY_MEMBERS,
    THREADS,
    VERSIONS,
)
from focuscrawl.results.versions import ARTICLE, read_versions
from focuscrawl.store.sqlite_checking import CrawlLook

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

FURTHER = ("paging", "article_paging", "search")
"""Classes of pages that may be fetched without being links of their own."""

_EXAMPLES = 3
"""Keys that are named of each kind of problem."""


class Orphans(NamedTuple):
    """Rows that must not be: ``rows`` says which, ``what`` what is wrong, ``name`` names one."""

    table: Table
    rows: ColumnElement[bool]
    what: str
    name: Any


def results_problems(connection: Connection, topic: str) -> list[str]:
    """Return what is wrong with a topic's results in themselves."""
    if connection.dialect.name == "sqlite":
        damage = integrity(connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars())
        if damage:
            return [f"results: {one}" for one in damage]  # what is read of it could be anything
    found = []
    for orphans in _orphans(topic):
        condition = and_(orphans.table.c.topic == topic, orphans.rows)
        count = connection.scalar(select(func.count()).select_from(orphans.table).where(condition))
        if count:
            names = connection.scalars(select(orphans.name).where(condition).limit(_EXAMPLES))
            found.append(f"results: {told(count, orphans.what, list(names))}")
    return [*found, *_broken_versions(connection, topic)]


def disagreements(connection: Connection, topic: str, crawl: CrawlLook) -> dict[str, list[str]]:
    """Return what the results and the crawl file say differently, each with the addresses.

    Not told is what the next run mends by itself: addresses of which something is still to do.
    """
    pages = select(PAGES.c.url_key, PAGES.c.url, PAGES.c.host).where(PAGES.c.topic == topic)
    article = exists().where(ARTICLES.c.topic == topic, ARTICLES.c.url_key == PAGES.c.url_key)
    page = exists().where(PAGES.c.topic == topic, PAGES.c.url_key == ARTICLES.c.url_key)
    fetched = pages.where(PAGES.c.last_fetched.is_not(None), PAGES.c.page_class.not_in(FURTHER))
    stored = pages.where(PAGES.c.outcome == "stored", PAGES.c.page_class == ARTICLE, ~article)
    articles = select(ARTICLES.c.url_key, ARTICLES.c.url, ARTICLES.c.host).where(
        ARTICLES.c.topic == topic, ~page
    )
    found = {
        "pages in the results are unknown to the crawl, which would fetch them again": [
            row.url for row in connection.execute(fetched) if not crawl.knows(row.url_key, row.host)
        ],
        "pages are called stored, but their articles are not there": [
            row.url for row in connection.execute(stored) if not crawl.has_to_do(row.url_key)
        ],
        "articles have no page in the log book": [
            row.url
            for row in connection.execute(articles)
            if crawl.knows(row.url_key, row.host) and not crawl.has_to_do(row.url_key)
        ],
    }
    return {what: urls for what, urls in found.items() if urls}


def told(count: int, what: str, examples: Sequence[object]) -> str:
    """Say a problem in one line."""
    named = ", ".join(str(one) for one in examples[:_EXAMPLES])
    return f"{count:,} {what} ({named}{', …' if count > _EXAMPLES else ''})"


def integrity(said: Iterator[str] | Any) -> list[str]:
    """Return what SQLite's integrity check complains of."""
    try:
        return [f"damaged: {one}" for one in said if one != "ok"]
    except sqlite3.Error as error:
        return [f"damaged: {error}"]


def _orphans(topic: str) -> list[Orphans]:
    def there(table: Table, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
        return exists().where(table.c.topic == topic, *conditions)

    article = there(
        ARTICLES,
        ARTICLES.c.url_key == VERSIONS.c.url_key,
        ARTICLES.c.version > VERSIONS.c.version,
    )
    record = there(
        RECORDS,
        RECORDS.c.record_id == VERSIONS.c.url_key,
        RECORDS.c.record_type == VERSIONS.c.kind,
        RECORDS.c.version > VERSIONS.c.version,
    )
    is_article = VERSIONS.c.kind == ARTICLE
    swallower = STORIES.alias("swallower")
    return [
        Orphans(
            VERSIONS,
            or_(and_(is_article, ~article), and_(~is_article, ~record)),
            "earlier versions are of nothing that is stored",
            VERSIONS.c.url_key,
        ),
        Orphans(
            POSTS,
            ~there(THREADS, THREADS.c.url_key == POSTS.c.thread_key),
            "posts are of no thread",
            POSTS.c.thread_key,
        ),
        Orphans(
            STORY_MEMBERS,
            ~there(STORIES, STORIES.c.story_id == STORY_MEMBERS.c.story_id),
            "members are of no story",
            STORY_MEMBERS.c.url_key,
        ),
        Orphans(
            ARTICLES,
            and_(
                ARTICLES.c.story_id.is_not(None),
                ~there(STORIES, STORIES.c.story_id == ARTICLES.c.story_id),
            ),
            "articles name a story that is not there",
            ARTICLES.c.url,
        ),
        Orphans(
            STORIES,
            and_(
                STORIES.c.merged_into.is_not(None),
                ~exists().where(
                    swallower.c.topic == topic, swallower.c.story_id == STORIES.c.merged_into
                ),
            ),
            "stories lead on to one that is not there",
            STORIES.c.story_id,
        ),
    ]


def _broken_versions(connection: Connection, topic: str) -> Iterator[str]:
    """Read every earlier version, and yield those that cannot be read."""
    query = select(VERSIONS.c.url_key, VERSIONS.c.kind).where(VERSIONS.c.topic == topic).distinct()
    for row in connection.execute(query).all():
        try:
            read_versions(connection, topic, row.url_key, row.kind)
        except ResultsError as error:
            yield f"results: {error}"
