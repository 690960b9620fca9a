"""What an article of several pages is by all that is there of it (A2)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.article_parts import Gathered
from focuscrawl.crawl.verdict import Content, verdict_of
from focuscrawl.values import Article, Page

if TYPE_CHECKING:
    from focuscrawl.topic.table import Source
    from focuscrawl.topic.template import Template

_LONGEST_REASON = 40


class Outcome(NamedTuple):
    """What an article of several pages came to: its first page's row, the article if it is kept."""

    page: Page
    article: Article | None


def put_together(gathered: Gathered, template: Template, source: Source | None) -> Outcome | None:
    """Return what the article is by all that is there of it now; None without its first page.

    A first page that is good enough alone stays so; else the whole text is judged.
    """
    first = gathered.first
    if first is None or first.article is None or first.page is None:
        return None
    joined, pages = gathered.joined()
    article = replace(
        first.article,
        text=joined.text,
        images=list(joined.images) if template.article.images == "urls" else [],
        page_count=pages,
        complete=not (why := gathered.why_incomplete()),
        fetched=max(piece.at for piece in gathered.pieces.values()),
    )
    page = first.page
    content = Content(
        article.title,
        article.text,
        article.published,
        article.language,
        bool(joined.images),
        first.layer,
    )
    verdict = verdict_of(content, template, source, page.host, page.last_fetched or 0.0)
    page.score = article.score = verdict.score.score
    article.hits = verdict.score.hits
    if page.outcome != "stored":
        page.relevant, page.outcome, page.reason = verdict.score.relevant, *verdict[1:]
    if page.outcome != "stored":
        return Outcome(page, None)
    page.reason = why[:_LONGEST_REASON]
    return Outcome(page, article)
