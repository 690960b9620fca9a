"""Judge a content page: is it about the topic, is it kept (the table [article]), and what is made of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.articles.article import ArticleText, read_article
from focuscrawl.articles.main_text import FirstSight, at_first_sight
from focuscrawl.articles.parts import LONGEST_TEXT, Piece
from focuscrawl.articles.table import ArticleTable
from focuscrawl.articles.titles import all_titles
from focuscrawl.crawl.articles.files import with_files
from focuscrawl.crawl.articles.parts import later_page_of, parts_named
from focuscrawl.links.continuations import selectors_of, told_apart
from focuscrawl.links.criteria import Criteria
from focuscrawl.links.verdict import Content, PageVerdict, may_change, verdict_of
from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.pages.paging import WHOLE
from focuscrawl.pages.selectors import PageSelectors
from focuscrawl.relevance.page_score import NO_WORD, PageScore
from focuscrawl.relevance.table import RelevanceTable
from focuscrawl.revisit.change.visit_comparison import ignored_in
from focuscrawl.text.keywords import general_idf, keywords
from focuscrawl.values import Article, Link, LinkBatch, Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

LONGEST_PART = 200_000  # characters that one of several pages gives to an article


def judge_article(
    fetched: Fetched,
    waiting: Waiting,
    criteria: Criteria,
    document: Document,
    links: Sequence[FoundLink],
    page: Page,
    why: str,
) -> Judged:
    """Judge a content page or one of its further parts."""
    later = None
    if page.page_class is PageClass.ARTICLE and (
        later := later_page_of(document, links, waiting, criteria)
    ):
        waiting, page.page_class = later[0], PageClass.ARTICLE_PAGING
    selectors = selectors_of(criteria.template, waiting.site)
    ordinary, further, missed = told_apart(document, links, page.page_class, selectors)
    if waiting.page_number == WHOLE:
        further = ()  # what shows all has no further pages
    if later:
        ordinary = (*ordinary, later[1])
    batch = LinkBatch(page.page_class, ordinary, further, title=document.title)
    ignored = ignored_in(document, criteria.template, waiting.site)
    judged = Judged(page, batch, why=why, part=waiting if later else None, ignored=ignored)
    seen = None
    try:
        if page.page_class is PageClass.ARTICLE and not further and not any(selectors):
            seen = at_first_sight(document)
        verdict = _is_silent(document, seen, fetched, waiting, criteria) if seen else None
        if verdict is not None:
            return judged_by(verdict, judged)
        plain = seen.plain if seen else None
        text = _read(fetched, criteria, document, selectors, plain)
    except Exception as error:
        # A library stumbled over the page: its links are still good, and others must not wait.
        logger.exception("cannot read %s", fetched.url)
        page.outcome, page.reason = "error", f"reading: {type(error).__name__}"
        return judged
    judged = replace(judged, missed=missed + (text.missed if text else ()))
    if page.page_class is PageClass.ARTICLE_PAGING:
        images, wanted = text.images if text else (), criteria.template.of(ArticleTable).files
        judged = replace(judged, batch=with_files(batch, images, wanted, criteria.rules)[0])
        page.outcome = "part"
        return replace(judged, piece=piece_of(fetched, waiting, criteria, text, further))
    if text is None and not further:
        page.outcome, page.reason = "short", "no text"
        return judged
    return judge_first(judged, text or ArticleText(document.title, ""), fetched, waiting, criteria)


def _is_silent(
    document: Document, seen: FirstSight, fetched: Fetched, waiting: Waiting, criteria: Criteria
) -> PageVerdict | None:
    """Return the verdict on a page that has no word of the topic; None when it is to be read.

    What is seen of it at first sight has next to nothing of its text missing, and more around it:
    where that and everything like a title holds no word, the careful reading would find none.
    """
    template = criteria.template
    if template.of(RelevanceTable).model is not None:
        return None
    source = criteria.sources.get(waiting.source_id)
    text = f"{seen.plain}\n{seen.listings}"
    content = Content(all_titles(document), text, None, "", False, waiting.layer)
    verdict = verdict_of(content, template, source, waiting.site, fetched.at)
    is_silent = verdict.outcome == "irrelevant" and verdict.reason == NO_WORD
    return verdict if is_silent else None


def _read(
    fetched: Fetched,
    criteria: Criteria,
    document: Document,
    selectors: PageSelectors,
    plain: str | None,
) -> ArticleText | None:
    topic = criteria.template.topic
    return read_article(
        document,
        fetched=fetched.at,
        timezone=str(topic.timezone),
        language=topic.language,
        selectors=selectors,
        plain=plain,
    )


def judged_by(verdict: PageVerdict, judged: Judged) -> Judged:
    """Return a judged page with what a verdict says of it, and its links with its score."""
    page, batch, score = judged.page, judged.batch, verdict.score
    page.relevant, page.score = score.relevant, score.score
    page.outcome, page.reason = verdict.outcome, verdict.reason
    batch = replace(batch, score=score.score, relevant=score.relevant) if batch else None
    return replace(judged, batch=batch)


def judge_first(
    judged: Judged, text: ArticleText, fetched: Fetched, waiting: Waiting, criteria: Criteria
) -> Judged:
    """Judge an article, or the first page of one: then it is kept when its other parts are there."""
    page, template = judged.page, criteria.template
    source = criteria.sources.get(waiting.source_id)
    page.title = text.title or page.title
    content = Content(
        text.title, text.text, text.published, text.language, bool(text.images), waiting.layer
    )
    verdict = verdict_of(content, template, source, waiting.site, fetched.at)
    judged = judged_by(verdict, judged)
    article = _article(fetched, waiting, template, source, text, verdict.score)
    if judged.batch is not None and verdict.outcome == "stored":
        wanted = template.of(ArticleTable).files
        batch, article.files = with_files(judged.batch, text.images, wanted, criteria.rules)
        judged = replace(judged, batch=batch)
    further = judged.batch.continuations if judged.batch else ()
    piece = piece_of(fetched, waiting, criteria, text, further)
    if piece.named and may_change(verdict):
        return replace(judged, piece=piece._replace(article=article, page=page))
    if verdict.outcome != "stored":
        return judged
    if piece.left_out:
        article.complete, page.reason = False, "article.pages"
    return replace(judged, article=article)


def piece_of(
    fetched: Fetched,
    waiting: Waiting,
    criteria: Criteria,
    text: ArticleText | None,
    further: Sequence[Link],
) -> Piece:
    """Return what a page gives to an article of several pages."""
    named, left_out = parts_named(further, waiting, criteria.rules)
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
        images=list(text.images) if template.of(ArticleTable).images == "urls" else [],
        fetched=fetched.at,
        source_id=waiting.source_id,
    )


def keywords_of(
    article: Article, template: Template, idf: Callable[[str], float] = general_idf
) -> list[tuple[str, float]]:
    """Return what an article is about: its heaviest words, title and text together, with weights."""
    cut = template.splitter.cut
    return keywords(cut(article.title) + cut(article.text), idf=idf)
