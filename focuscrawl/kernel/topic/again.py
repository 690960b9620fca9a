"""What a person wants done again: pages fetched, though nothing leads to them any more; stored articles
judged anew, after the words of a topic or its threshold have changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection, and_, func, select

from focuscrawl.articles.rows.articles import ARTICLES, ArticleToJudge, Judgement
from focuscrawl.records.rows import RECORDS
from focuscrawl.relevance.page_score import PageScorer
from focuscrawl.results.kinds.pages import PAGES, KnownPage, refused_by_words
from focuscrawl.store.protocol import FAILED, PARKED, PARTITIONS, WAITING, Changes, Row, Store
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

_FOUND_OUT = frozenset({PageClass.RECORD, PageClass.OTHER})
"""Classes a page has only after it was read."""

_FURTHER = frozenset({PageClass.ARTICLE_PAGING, PageClass.PAGING, PageClass.FILE, PageClass.SEARCH})
"""Classes of what another page leads to, when it is fetched again."""

READ = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})
"""Classes of pages that are read for what they say."""


async def queue_again(
    store: Store, pages: Iterable[KnownPage], waiting: Collection[bytes] = ()
) -> int:
    """Let pages of the log book wait again, behind all that waits; returns how many do now.

    ``waiting`` are keys of those that wait already.
    """
    sequence = (await store.load(range(PARTITIONS))).next_sequence
    changes: dict[int, Changes] = {}
    count = 0
    for page in pages:
        url = as_waiting(page)
        if url is None or url.key in waiting:
            continue
        partition = partition_of(url.site)
        part = changes.setdefault(partition, Changes())
        part.added.append(Row(sequence + count, url))
        part.seen.append(key_number(url.key, partition))
        count += 1
    if changes:
        store.commit(changes)
    return count


def as_waiting(page: KnownPage) -> Waiting | None:
    """Return a page as a URL that waits; None for one that comes with another."""
    page_class = PageClass(page.page_class)
    if page_class in _FURTHER:
        return None
    return Waiting(
        url=page.url,
        key=bytes.fromhex(page.url_key),
        site=page.host,
        level=page.level,
        passed_level=page.level,
        page_class=None if page_class in _FOUND_OUT else page_class,
        depth=page.depth,
        anchor=page.anchor,
        parent_key=bytes.fromhex(page.parent_key),
        source_id=page.source_id,
        first_walk=False,
    )


class Rejudged(NamedTuple):
    """An article judged anew, and what that changes; ``judgement`` None: nothing."""

    article: ArticleToJudge
    judgement: Judgement | None

    @property
    def is_another(self) -> bool:
        """Whether it belongs to the topic now and did not, or the reverse."""
        return self.judgement is not None and bool(self.article.relevant) != self.judgement.relevant


def rejudge(
    articles: Iterable[ArticleToJudge], template: Template, sources: Mapping[str, Source]
) -> list[Rejudged]:
    """Judge articles by their stored texts; those without are left out."""
    found = []
    for article in articles:
        if article.text is None:
            continue
        score = template.once(PageScorer.of).score(article.title, article.text)
        source = sources.get(article.source_id)
        relevant = score.relevant or template.site(article.host).relevant == "all"
        relevant = relevant or (source is not None and source.relevant == "all")
        same = (article.score, article.relevant, dict(article.hits)) == (
            score.score,
            relevant,
            score.hits,
        )
        judged = Judgement(article.url_key, score.score, relevant, score.hits)
        found.append(Rejudged(article, None if same else judged))
    return found


def keys_waiting(store: Store) -> set[bytes]:
    """Return the keys of all URLs that stand in a store."""
    return {row.waiting.key for state in (WAITING, FAILED, PARKED) for row in store.rows(state)}


def make_due(store: Store, keys: Iterable[bytes], now: float) -> set[bytes]:
    """Let pages that are watched be visited at once, and asked for whatever their version.

    Returns the keys of those there are: the others are not watched.
    """
    states = asyncio.run(store.pages(list(keys)))
    changes: dict[int, Changes] = {}
    for state in states.values():
        partition = partition_of(state.site)
        changes.setdefault(partition, Changes()).pages.append(due_at_once(state, now))
    if changes:
        store.commit(changes)
    return set(states)


def due_at_once(state: PageState, now: float) -> PageState:
    """Return a page that is due, and comes whole whether it has changed or not."""
    return _read_anew(state)._replace(next_visit=now, leased=None)


def _read_anew(state: PageState) -> PageState:
    """Return a page that comes whole at its next visit, whether it has changed or not."""
    return state._replace(etag="", modified="")


class JudgedCounts(NamedTuple):
    """How much there is to judge or read anew: articles with a text, refused pages, records."""

    articles: int
    refused: int
    records: int


def judged_counts(connection: Connection, topic: str) -> JudgedCounts:
    """Count what could be judged or read anew."""
    texts = and_(ARTICLES.c.topic == topic, ARTICLES.c.text.is_not(None))
    refused = and_(PAGES.c.topic == topic, refused_by_words())
    counts = (
        connection.scalar(select(func.count()).select_from(table).where(condition)) or 0
        for table, condition in ((ARTICLES, texts), (PAGES, refused), (RECORDS, RECORDS.c.topic == topic))
    )  # fmt: skip
    return JudgedCounts(*counts)
