"""Judge a fetched page: its class, its links, and what of it is kept."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.extract.article import ArticleText, read_article
from focuscrawl.extract.content import sniff
from focuscrawl.extract.document import Document
from focuscrawl.extract.feeds import read_feed, read_sitemap
from focuscrawl.extract.kind import page_kind
from focuscrawl.extract.links import FoundLink, find_links
from focuscrawl.extract.paging import find_paging
from focuscrawl.topic.relevance import Verdict
from focuscrawl.topic.relevance import judge as judge_text
from focuscrawl.values import Article, Link, LinkBatch, Page, PageClass, PageState, Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.topic.template import Source, Template

logger = logging.getLogger(__name__)

LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})
PARTS = {PageClass.PAGING: PageClass.BOARD, PageClass.ARTICLE_PAGING: PageClass.ARTICLE}


class Fetched(NamedTuple):
    """An answer: ``content_type`` is its header, ``at`` wall time."""

    url: str
    status: int
    body: bytes
    content_type: str
    at: float


@dataclass(frozen=True, slots=True)
class Judging:
    """What pages are judged by in one run. ``visited`` are the states of pages visited again."""

    template: Template
    rules: AdmissionRules
    sources: Mapping[str, Source]
    visited: Mapping[bytes, PageState] = field(default_factory=dict)


class Judged(NamedTuple):
    """What a page gave: its row, its links, perhaps an article, perhaps a state to come back with.

    ``why`` says in words how the class was found.
    """

    page: Page
    batch: LinkBatch | None = None
    article: Article | None = None
    state: PageState | None = None
    why: str = ""


def judge(fetched: Fetched, waiting: Waiting, judging: Judging) -> Judged:
    """Judge an answer. A page that is nothing we read is noted and left."""
    look = judging.rules.look(fetched.url)
    hint = look.page_class or waiting.page_class
    found = sniff(fetched.body, fetched.content_type, fetched.url)
    if found in (PageClass.FEED, PageClass.SITEMAP):
        return _judge_feed(fetched, waiting, judging, found)
    if found is PageClass.FILE:
        page = _page(fetched, waiting, hint or PageClass.FILE)
        page.outcome, page.reason = "refused", "content type"
        return Judged(page, why=f"not text: {fetched.content_type or 'unknown type'}")
    document = Document.read(fetched.body, url=fetched.url, content_type=fetched.content_type)
    links = find_links(document)
    if hint in (None, PageClass.OTHER, PageClass.FEED, PageClass.SITEMAP):
        kind = page_kind(document, links)
        page_class, why = kind.page_class, kind.reason
    else:
        page_class, why = hint, "template" if look.page_class else "link or source"
    page = _page(fetched, waiting, page_class)
    page.title = document.title
    page.encoding = document.encoding + ("!" if document.contradicts else "")
    plain = PARTS.get(page_class, page_class)
    if plain is PageClass.ARTICLE:
        return _judge_article(fetched, waiting, judging, document, links, page, why)
    page.outcome = "list"
    ordinary, continuations = _told_apart(document, links, page_class)
    batch = LinkBatch(
        page_class,
        ordinary,
        continuations,
        until_known=not waiting.first_walk
        and judging.template.site(waiting.site).paging == "until-known",
    )
    return Judged(page, batch, state=_state(fetched, waiting, judging, page_class), why=why)


def _judge_article(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    document: Document,
    links: Sequence[FoundLink],
    page: Page,
    why: str,
) -> Judged:
    template = judging.template
    batch = LinkBatch(page.page_class, *_told_apart(document, links, page.page_class))
    state = _state(fetched, waiting, judging, page.page_class)
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
    page.relevant, page.score = verdict.relevant, float(verdict.relevant)
    page.outcome, page.reason = _kept(template, verdict, text, waiting, fetched.at)
    article = None
    if page.outcome == "stored":
        article = _article(fetched, waiting, template, source, text, verdict, batch)
    return Judged(page, batch, article, state, why)


def _told_apart(
    document: Document, links: Sequence[FoundLink], page_class: PageClass
) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """Return the links to other pages, and the further pages of the same article or board.

    Links of the pager that do not lead on (to page 1, to the last page) are neither.
    """
    paging = find_paging(document, links, page_class)
    ordinary = tuple(Link(link.url, link.anchor) for link in links if link.url not in paging.pager)
    further = tuple(
        Link(found.url, str(found.page_number) if found.page_number else found.anchor, paging.kind)
        for found in paging.next
    )
    return ordinary, further


def _verdict(template: Template, source: Source | None, site: str, text: ArticleText) -> Verdict:
    verdict = judge_text(template.topic, text.title, text.text)
    everything = (source is not None and source.relevant == "all") or (
        template.site(site).relevant == "all"
    )
    return verdict._replace(relevant=True, reason="") if everything else verdict


def _kept(
    template: Template, verdict: Verdict, text: ArticleText, waiting: Waiting, now: float
) -> tuple[str, str]:
    """Return outcome and reason by the table [article]."""
    rules = template.article
    if rules.keep == "none":
        return "irrelevant", "article.keep"
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
    verdict: Verdict,
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
        score=float(verdict.relevant),
        images=list(text.images) if template.article.images == "urls" else [],
        complete=not batch.continuations,
        fetched=fetched.at,
        source_id=waiting.source_id,
    )


def _judge_feed(
    fetched: Fetched, waiting: Waiting, judging: Judging, page_class: PageClass
) -> Judged:
    page = _page(fetched, waiting, page_class)
    page.outcome = "list"
    oldest = judging.template.article.oldest(fetched.at)
    if page_class is PageClass.FEED:
        feed = read_feed(fetched.body, fetched.url)
        links = [
            Link(entry.url, entry.title, PageClass.ARTICLE, published=entry.published)
            for entry in feed.entries
        ]
        problem = feed.problem
    else:
        sitemap = read_sitemap(fetched.body, fetched.url)
        links = [Link(url, page_class=PageClass.SITEMAP) for url in sitemap.sitemaps]
        links += [Link(entry.url, published=entry.modified) for entry in sitemap.pages]
        problem = sitemap.problem
    if oldest is not None and page_class is PageClass.FEED:
        links = [link for link in links if link.published is None or link.published >= oldest]
    page.reason = problem[:40]
    batch = LinkBatch(page_class, tuple(links))
    state = _state(fetched, waiting, judging, page_class)
    return Judged(page, batch, state=state, why=problem or "its content")


def _page(fetched: Fetched, waiting: Waiting, page_class: PageClass) -> Page:
    return Page(
        url_key=waiting.key.hex(),
        url=waiting.url,
        host=waiting.site,
        page_class=page_class,
        outcome="list",
        level=waiting.level,
        source_id=waiting.source_id,
        parent_key=waiting.parent_key.hex(),
        anchor=waiting.anchor,
        first_seen=fetched.at,
        last_fetched=fetched.at,
        status=fetched.status,
        content_type=fetched.content_type,
        bytes=len(fetched.body),
    )


def _state(
    fetched: Fetched, waiting: Waiting, judging: Judging, page_class: PageClass
) -> PageState | None:
    """Return what the next run needs to visit a list page or source again; None for others."""
    is_source = not waiting.parent_key and waiting.page_class is not PageClass.ARTICLE
    if page_class not in LISTS and not is_source:
        return None
    before = judging.visited.get(waiting.key)
    return PageState(
        key=waiting.key,
        url=waiting.url,
        site=waiting.site,
        page_class=page_class,
        level=waiting.passed_level,
        first_fetched=before.first_fetched if before else fetched.at,
        last_fetched=fetched.at,
        next_visit=fetched.at,
        visits=(before.visits if before else 0) + 1,
        source_id=waiting.source_id,
        facts={"depth": waiting.depth, "parent": waiting.parent_key},
    )
