"""Judging stored articles anew: what is stored of them, and what is written back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, func, or_, select, update

from focuscrawl.results.kinds.articles import ARTICLES
from focuscrawl.results.kinds.pages import PAGES
from focuscrawl.results.kinds.records import RECORDS

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

_AT_A_TIME = 200
REASONS = ("keywords", "score")
REASON_BEGINS = ("require:", "exclude:")
"""Reasons by which the words of a topic refuse a page."""


class ArticleToJudge(NamedTuple):
    """An article as it is stored; ``text`` is None when no text is, ``relevant`` its page's."""

    url_key: str
    url: str
    host: str
    source_id: str
    title: str
    text: str | None
    score: float | None
    relevant: bool | None
    hits: Mapping[str, int]


class Judgement(NamedTuple):
    """What is written of an article that was judged anew."""

    url_key: str
    score: float
    relevant: bool
    hits: Mapping[str, int]


class JudgedCounts(NamedTuple):
    """How much there is to judge or read anew: articles with a text, refused pages, records."""

    articles: int
    refused: int
    records: int


def stored_articles(connection: Connection, topic: str, after: str = "") -> list[ArticleToJudge]:
    """Return the next articles behind a key."""
    page = and_(PAGES.c.topic == topic, PAGES.c.url_key == ARTICLES.c.url_key)
    query = (
        select(ARTICLES, PAGES.c.relevant)
        .select_from(ARTICLES.outerjoin(PAGES, page))
        .where(ARTICLES.c.topic == topic, ARTICLES.c.url_key > after)
        .order_by(ARTICLES.c.url_key)
        .limit(_AT_A_TIME)
    )
    return [
        ArticleToJudge(
            row.url_key,
            row.url,
            row.host,
            row.source_id or "",
            row.title or "",
            row.text,
            row.score,
            row.relevant,
            row.hits or {},
        )
        for row in connection.execute(query)
    ]


def write_judgements(connection: Connection, topic: str, judged: Sequence[Judgement]) -> None:
    """Write scores, hits and relevance; what a person said (``label``) stays beside them."""
    for one in judged:
        article = and_(ARTICLES.c.topic == topic, ARTICLES.c.url_key == one.url_key)
        page = and_(PAGES.c.topic == topic, PAGES.c.url_key == one.url_key)
        connection.execute(
            update(ARTICLES).where(article).values(score=one.score, hits=dict(one.hits))
        )
        connection.execute(update(PAGES).where(page).values(score=one.score, relevant=one.relevant))


def refused_by_words() -> ColumnElement[bool]:
    """Return the condition on pages that the words of the topic refused."""
    begins = (PAGES.c.reason.startswith(one, autoescape=True) for one in REASON_BEGINS)
    return and_(PAGES.c.outcome == "irrelevant", or_(PAGES.c.reason.in_(REASONS), *begins))


def judged_counts(connection: Connection, topic: str) -> JudgedCounts:
    """Count what could be judged or read anew."""
    texts = and_(ARTICLES.c.topic == topic, ARTICLES.c.text.is_not(None))
    refused = and_(PAGES.c.topic == topic, refused_by_words())
    counts = (
        connection.scalar(select(func.count()).select_from(table).where(condition)) or 0
        for table, condition in ((ARTICLES, texts), (PAGES, refused), (RECORDS, RECORDS.c.topic == topic))
    )  # fmt: skip
    return JudgedCounts(*counts)


def all_articles(connection: Connection, topic: str) -> Iterator[list[ArticleToJudge]]:
    """Go through all articles, a few at a time."""
    after = ""
    while some := stored_articles(connection, topic, after):
        yield some
        after = some[-1].url_key
