"""Judge a content page: is it about the topic, and is it kept (the table [article])."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.crawl.fetched import Fetched, Judged, Judging, state_of, told_apart
from focuscrawl.extract.article_text import ArticleText, read_article
from focuscrawl.extract.document import Document
from focuscrawl.extract.links import FoundLink
from focuscrawl.topic.layers import is_last
from focuscrawl.topic.scoring import PageScore
from focuscrawl.values import Article, LinkBatch, Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.template import Source, Template

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
    template = judging.template
    further = told_apart(document, links, page.page_class)
    batch = LinkBatch(page.page_class, *further, title=document.title)
    state = state_of(fetched, waiting, judging, page.page_class)
    if page.page_class is PageClass.ARTICLE_PAGING:
        page.outcome = "part"
        return Judged(page, batch, state=state, why=why)
    try:
        text = read_article(
            document,
            fetched=fetched.at,
            timezone=str(template.topic.timezone),
            language=template.topic.language,
        )
    except Exception as error:
        # A library stumbled over the page: its links are still good, and others must not wait.
        logger.exception("cannot read %s", fetched.url)
        page.outcome, page.reason = "error", f"reading: {type(error).__name__}"
        return Judged(page, batch, state=state, why=why)
    if text is None:
        page.outcome, page.reason = "short", "no text"
        return Judged(page, batch, state=state, why=why)
    page.title = text.title or page.title
    source = judging.sources.get(waiting.source_id)
    verdict = _verdict(template, source, waiting.site, text)
    page.relevant, page.score = verdict.relevant, verdict.score
    page.outcome, page.reason = _kept(template, verdict, text, waiting, fetched.at)
    batch = replace(batch, score=verdict.score, relevant=verdict.relevant)
    article = None
    if page.outcome == "stored":
        article = _article(fetched, waiting, template, source, text, verdict, batch)
    return Judged(page, batch, article, state, why)


def _verdict(template: Template, source: Source | None, site: str, text: ArticleText) -> PageScore:
    verdict = template.page_scorer.score(text.title, text.text)
    everything = (source is not None and source.relevant == "all") or (
        template.site(site).relevant == "all"
    )
    return verdict._replace(relevant=True, reason="") if everything else verdict


def _kept(
    template: Template, verdict: PageScore, text: ArticleText, waiting: Waiting, now: float
) -> tuple[str, str]:
    """Return outcome and reason by the table [article]."""
    rules = template.article
    if rules.keep == "none":
        return "irrelevant", "article.keep"
    if not is_last(waiting.layer, template.follow.layers):
        return "irrelevant", "layer"
    if not verdict.relevant and rules.keep != "all":
        return "irrelevant", verdict.reason
    oldest = rules.oldest(now)
    if oldest is not None and text.published is not None and text.published < oldest:
        return "old", "article.since"
    if len(text.text) < rules.min_length and not text.images:
        return "short", "article.min_length"
    if rules.languages and text.language and text.language not in rules.languages:
        return "irrelevant", f"language:{text.language}"
    return "stored", ""


def _article(
    fetched: Fetched,
    waiting: Waiting,
    template: Template,
    source: Source | None,
    text: ArticleText,
    verdict: PageScore,
    batch: LinkBatch,
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
        hits=verdict.hits,
        score=verdict.score,
        images=list(text.images) if template.article.images == "urls" else [],
        complete=not batch.continuations,
        fetched=fetched.at,
        source_id=waiting.source_id,
    )
