"""Judge a content page: is it about the topic, and is it kept (the table [article])."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from focuscrawl.articles.article import ArticleText, read_article
from focuscrawl.articles.selected import PageSelectors
from focuscrawl.articles.stitch import WHOLE
from focuscrawl.articles.text.main_text import FirstSight, at_first_sight
from focuscrawl.articles.titles import all_titles
from focuscrawl.crawl.articles import judge_first, judged_by, piece_of
from focuscrawl.crawl.compare import ignored_in
from focuscrawl.crawl.fetched import Fetched, Judged, Judging
from focuscrawl.crawl.files import with_files
from focuscrawl.crawl.further import later_page_of
from focuscrawl.crawl.tell_apart import selectors_of, told_apart
from focuscrawl.crawl.verdict import Content, Verdict, verdict_of
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.topic.scoring import NO_WORD
from focuscrawl.values import LinkBatch, Page, PageClass, Waiting

logger = logging.getLogger(__name__)


def judge_article(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    document: Document,
    links: Sequence[FoundLink],
    page: Page,
    why: str,
) -> Judged:
    """Judge a content page or one of its further parts."""
    later = None
    if page.page_class is PageClass.ARTICLE and (
        later := later_page_of(document, links, waiting, judging)
    ):
        waiting, page.page_class = later[0], PageClass.ARTICLE_PAGING
    selectors = selectors_of(judging.template, waiting.site)
    ordinary, further, missed = told_apart(document, links, page.page_class, selectors)
    if waiting.page_number == WHOLE:
        further = ()  # what shows all has no further pages
    if later:
        ordinary = (*ordinary, later[1])
    batch = LinkBatch(page.page_class, ordinary, further, title=document.title)
    ignored = ignored_in(document, judging.template, waiting.site)
    judged = Judged(page, batch, why=why, part=waiting if later else None, ignored=ignored)
    seen = None
    try:
        if page.page_class is PageClass.ARTICLE and not further and not any(selectors):
            seen = at_first_sight(document)
        verdict = _is_silent(document, seen, fetched, waiting, judging) if seen else None
        if verdict is not None:
            return judged_by(verdict, judged)
        plain = seen.plain if seen else None
        text = _read(fetched, judging, document, selectors, plain)
    except Exception as error:
        # A library stumbled over the page: its links are still good, and others must not wait.
        logger.exception("cannot read %s", fetched.url)
        page.outcome, page.reason = "error", f"reading: {type(error).__name__}"
        return judged
    judged = judged._replace(missed=missed + (text.missed if text else ()))
    if page.page_class is PageClass.ARTICLE_PAGING:
        images, wanted = text.images if text else (), judging.template.article.files
        judged = judged._replace(batch=with_files(batch, images, wanted, judging.rules)[0])
        page.outcome = "part"
        return judged._replace(piece=piece_of(fetched, waiting, judging, text, further))
    if text is None and not further:
        page.outcome, page.reason = "short", "no text"
        return judged
    return judge_first(judged, text or ArticleText(document.title, ""), fetched, waiting, judging)


def _is_silent(
    document: Document, seen: FirstSight, fetched: Fetched, waiting: Waiting, judging: Judging
) -> Verdict | None:
    """Return the verdict on a page that has no word of the topic; None when it is to be read.

    What is seen of it at first sight has next to nothing of its text missing, and more around it:
    where that and everything like a title holds no word, the careful reading would find none.
    """
    template = judging.template
    if template.relevance.model is not None:
        return None
    source = judging.sources.get(waiting.source_id)
    text = f"{seen.plain}\n{seen.listings}"
    content = Content(all_titles(document), text, None, "", False, waiting.layer)
    verdict = verdict_of(content, template, source, waiting.site, fetched.at)
    is_silent = verdict.outcome == "irrelevant" and verdict.reason == NO_WORD
    return verdict if is_silent else None


def _read(
    fetched: Fetched,
    judging: Judging,
    document: Document,
    selectors: PageSelectors,
    plain: str | None,
) -> ArticleText | None:
    topic = judging.template.topic
    return read_article(
        document,
        fetched=fetched.at,
        timezone=str(topic.timezone),
        language=topic.language,
        selectors=selectors,
        plain=plain,
    )
