"""Judge the text of an article or of its first page, and make of it what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.articles.article import ArticleText
from focuscrawl.articles.article_parts import Piece
from focuscrawl.articles.stitch import LONGEST_TEXT, WHOLE
from focuscrawl.crawl.fetched import Fetched, Judged, Judging
from focuscrawl.crawl.files import with_files
from focuscrawl.crawl.further import parts_named
from focuscrawl.crawl.verdict import Content, Verdict, may_change, verdict_of
from focuscrawl.topic.scoring import PageScore
from focuscrawl.values import Article, Link, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.table import Source
    from focuscrawl.topic.template import Template

LONGEST_PART = 200_000
"""Characters that one of several pages gives to an article."""


def judged_by(verdict: Verdict, judged: Judged) -> Judged:
    """Return a judged page with what a verdict says of it, and its links with its score."""
    page, batch, score = judged.page, judged.batch, verdict.score
    page.relevant, page.score = score.relevant, score.score
    page.outcome, page.reason = verdict.outcome, verdict.reason
    batch = replace(batch, score=score.score, relevant=score.relevant) if batch else None
    return judged._replace(batch=batch)


def judge_first(
    judged: Judged, text: ArticleText, fetched: Fetched, waiting: Waiting, judging: Judging
) -> Judged:
    """Judge an article, or the first page of one: then it is kept when its other parts are there."""
    page, template = judged.page, judging.template
    source = judging.sources.get(waiting.source_id)
    page.title = text.title or page.title
    content = Content(
        text.title, text.text, text.published, text.language, bool(text.images), waiting.layer
    )
    verdict = verdict_of(content, template, source, waiting.site, fetched.at)
    judged = judged_by(verdict, judged)
    article = _article(fetched, waiting, template, source, text, verdict.score)
    if judged.batch is not None and verdict.outcome == "stored":
        wanted = template.article.files
        batch, article.files = with_files(judged.batch, text.images, wanted, judging.rules)
        judged = judged._replace(batch=batch)
    further = judged.batch.continuations if judged.batch else ()
    piece = piece_of(fetched, waiting, judging, text, further)
    if piece.named and may_change(verdict):
        return judged._replace(piece=piece._replace(article=article, page=page))
    if verdict.outcome != "stored":
        return judged
    if piece.left_out:
        article.complete, page.reason = False, "article.pages"
    return judged._replace(article=article)


def piece_of(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    text: ArticleText | None,
    further: Sequence[Link],
) -> Piece:
    """Return what a page gives to an article of several pages."""
    named, left_out = parts_named(further, waiting, judging.rules)
    return Piece(
        first_key=(waiting.first_key or waiting.key).hex(),
        key=waiting.key.hex(),
        number=waiting.page_number,
        at=fetched.at,
        url=waiting.url,
        title=text.title if text else "",
        text=text.text[: LONGEST_TEXT if waiting.page_number == WHOLE else LONGEST_PART]
        if text
        else "",
        images=text.images if text else (),
        named={key.hex(): number for key, number in named.items()},
        left_out=left_out,
        layer=waiting.layer,
    )


def _article(
    fetched: Fetched,
    waiting: Waiting,
    template: Template,
    source: Source | None,
    text: ArticleText,
    score: PageScore,
) -> Article:
    site = template.site(waiting.site)
    tags = [*template.topic.tags, *(source.tags if source else ()), *site.tags]
    return Article(
        url_key=waiting.key.hex(),
        url=waiting.url,
        host=waiting.site,
        title=text.title,
        text=text.text,
        published=text.published,
        published_raw=text.published_raw,
        published_by=text.published_by,
        source_name=text.source_name,
        author=text.author,
        language=text.language,
        tags=list(dict.fromkeys(tags)),
        hits=score.hits,
        score=score.score,
        images=list(text.images) if template.article.images == "urls" else [],
        fetched=fetched.at,
        source_id=waiting.source_id,
    )
