"""``scrapy topic rejudge|reread``: what is stored, by what the topic says now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import and_

from focuscrawl.articles.rows.articles import (
    ArticleToJudge,
    Judgement,
    all_articles,
    count_refused,
    write_judgements,
)
from focuscrawl.politeness.table import PolitenessTable
from focuscrawl.relevance.page_score import PageScorer
from focuscrawl.results.kinds.pages import PAGES, known_pages, refused_by_words
from focuscrawl.store.sqlite import SQLiteStore
from focuscrawl.template.table import Source
from focuscrawl.template.template import Template
from focuscrawl.verbs.call import Call
from focuscrawl.verbs.data import (
    READ,
    Places,
    crawl_held_still,
    keys_waiting,
    make_due,
    places_of,
    queue_again,
    results_to_write,
)

SHOWN = 5
"""Articles that are named when their relevance changes."""


def rejudge_stored(call: Call, args: Sequence[str]) -> str:
    """Judge stored articles (NAME) by the words and threshold the topic has now; deletes nothing."""
    loaded = call.loaded(args, secrets=False)
    places = places_of(call, loaded, results=True)
    with crawl_held_still(places) as store:
        judged, refused = _rejudge(places, loaded.template)
        again = _refetch(places, store) if call.options.refetch else 0
    lines = [
        f"{places.name}: {len(judged):,} articles judged anew by their stored texts",
        *_told(judged),
    ]
    if call.options.refetch:
        lines.append(f"  {again:,} pages that were refused are fetched anew by the next crawl")
    elif refused:
        lines.append(
            f"  {refused:,} pages were refused by the words it had before, and no text of them is"
            " stored: --refetch fetches them anew"
        )
    return "\n".join(lines)


def reread(call: Call, args: Sequence[str]) -> str:
    """Let the next crawl read every stored article and record (NAME) once more, as after new fields."""
    loaded = call.loaded(args, secrets=False)
    places = places_of(call, loaded, results=True)
    with crawl_held_still(places) as store:
        with results_to_write(places) as connection:
            stored = and_(
                PAGES.c.outcome.in_(("stored", "unchanged")),
                PAGES.c.page_class.in_([one.value for one in READ]),
            )
            pages = known_pages(connection, places.name, stored)
        keys = [bytes.fromhex(page.url_key) for page in pages]
        watched = make_due(store, keys, places.config.clock.wall())
        queued = asyncio.run(queue_again(store, pages, watched | keys_waiting(store)))
    return (
        f"{places.name}: {len(watched) + queued:,} pages are due now; there is no archive of them, so"
        f" the next crawl fetches them again ({loaded.template.of(PolitenessTable).delay:g} s between two of a"
        " site) and reads them anew"
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


def _rejudge(places: Places, template: Template) -> tuple[list[Rejudged], int]:
    """Judge and write, a few articles at a time; returns them, without their texts, and how many
    pages had been refused.
    """
    sources = {source.source_id: source for source in template.sources}
    judged: list[Rejudged] = []
    with results_to_write(places) as connection:
        for articles in all_articles(connection, places.name):
            some = rejudge(articles, template, sources)
            changed = [one.judgement for one in some if one.judgement is not None]
            write_judgements(connection, places.name, changed)
            judged += [one._replace(article=one.article._replace(text=None)) for one in some]
        return judged, count_refused(connection, places.name)


def _refetch(places: Places, store: SQLiteStore) -> int:
    with results_to_write(places) as connection:
        pages = known_pages(connection, places.name, refused_by_words())
    return asyncio.run(queue_again(store, pages, keys_waiting(store)))


def _told(judged: Sequence[Rejudged]) -> list[str]:
    """Say whose relevance has changed."""
    lines = []
    for relevant, words in (
        (True, "belong to the topic now"),
        (False, "do not belong to it any more"),
    ):
        others = [
            one.article
            for one in judged
            if one.is_another and one.judgement and one.judgement.relevant is relevant
        ]
        lines.append(
            f"  {len(others):,} {words}" + (", but stay stored" if others and not relevant else "")
        )
        lines += [f"    {article.title} {article.url}" for article in others[:SHOWN]]
    return lines
