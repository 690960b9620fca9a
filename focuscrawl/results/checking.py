"""Looking over a topic's data without changing it: what is damaged, and what has lost its other half.

A problem is a line for people. What only one side knows is told as a problem of both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import exists, select, text

from focuscrawl.results.kinds.articles import ARTICLES
from focuscrawl.results.kinds.pages import PAGES
from focuscrawl.results.kinds.versions import ARTICLE

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from focuscrawl.results.kind import Kinds
    from focuscrawl.store.sqlite_checking import CrawlLook

FURTHER = ("paging", "article_paging", "search")
"""Classes of pages that may be fetched without being links of their own."""

EXAMPLES = 3
"""Keys that are named of each kind of problem."""


def results_problems(connection: Connection, kinds: Kinds, topic: str) -> list[str]:
    """Return what is wrong with a topic's results in themselves."""
    if connection.dialect.name == "sqlite":
        damage = integrity(connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars())
        if damage:
            return [f"results: {one}" for one in damage]  # what is read of it could be anything
    found = []
    for kind in kinds:
        for what, name, where in kind.orphans:
            of_topic = f"FROM {kind.table.name} WHERE topic = :topic AND {where}"
            count = connection.scalar(text(f"SELECT count(*) {of_topic}"), {"topic": topic})
            if count:
                some = text(f"SELECT {name} {of_topic} LIMIT {EXAMPLES}")
                names = connection.scalars(some, {"topic": topic})
                found.append(f"results: {told(count, what, list(names))}")
    return found


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
    named = ", ".join(str(one) for one in examples[:EXAMPLES])
    return f"{count:,} {what} ({named}{', …' if count > EXAMPLES else ''})"


def integrity(said: Iterable[str]) -> list[str]:
    """Return what SQLite's integrity check complains of."""
    try:
        return [f"damaged: {one}" for one in said if one != "ok"]
    except sqlite3.Error as error:
        return [f"damaged: {error}"]
