"""Judge a fetched page: its class, its links, and what of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.crawl.boards import FEWEST_THREADS, board_of, thread_of, with_threads
from focuscrawl.crawl.fetched import (
    Fetched,
    Judged,
    Judging,
    page_of,
    selectors_of,
    told_apart,
)
from focuscrawl.crawl.keep import judge_article
from focuscrawl.crawl.records import with_records
from focuscrawl.crawl.signals import are_heard, told_by_board, told_by_feed, told_by_sitemap
from focuscrawl.crawl.threads import judge_thread
from focuscrawl.extract.content import sniff
from focuscrawl.extract.document import Document
from focuscrawl.extract.entries import entry_dates
from focuscrawl.extract.feeds import read_feed, read_sitemap
from focuscrawl.extract.forum_board import Board
from focuscrawl.extract.kind import PageKind, page_kind
from focuscrawl.extract.links import MOST_LINKS, FoundLink, find_links
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, LinkBatch, Page, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template

FEWEST_DATES = 3
"""Entries with a date that a board must show to be taken for an old one."""

FOUND_OUT = frozenset({None, PageClass.OTHER, PageClass.FEED, PageClass.SITEMAP, PageClass.THREAD})
"""What a page was taken for when it is still to be found out what it is."""

PARTS = {PageClass.PAGING: PageClass.BOARD, PageClass.ARTICLE_PAGING: PageClass.ARTICLE}


def judge(fetched: Fetched, waiting: Waiting, judging: Judging) -> Judged:
    """Judge an answer. A page that is nothing we read is noted and left."""
    look = judging.rules.look(fetched.url)
    hint = _hint(look.page_class, waiting.page_class)
    found = sniff(fetched.body, fetched.content_type, fetched.url)
    if found in (PageClass.FEED, PageClass.SITEMAP):
        return _judge_feed(fetched, waiting, judging, found)
    if found is PageClass.FILE:
        page = page_of(fetched, waiting, hint or PageClass.FILE)
        page.outcome, page.reason = "refused", "content type"
        return Judged(page, why=f"not text: {fetched.content_type or 'unknown type'}")
    document = Document.read(
        fetched.body,
        url=fetched.url,
        content_type=fetched.content_type,
        forced=judging.template.site(host_of(waiting.site)).encoding,
        found=fetched.encoding,
    )
    links = find_links(document)
    thread = thread_of(fetched, waiting, judging, document, hint)
    board = board_of(fetched, waiting, judging, document, links) if thread is None else None
    if board is not None and len(board.threads) >= FEWEST_THREADS and hint in FOUND_OUT:
        kind = PageKind(PageClass.BOARD, "its threads")
    elif hint in FOUND_OUT and thread is None:
        kind = page_kind(document, links)
    else:
        kind = PageKind(
            hint or PageClass.THREAD, "template" if look.page_class else "link or source"
        )
    page = page_of(fetched, waiting, kind.page_class)
    page.title = document.title
    page.encoding = document.encoding + ("!" if document.contradicts else "")
    if thread is not None:
        judged = judge_thread(fetched, waiting, judging, document, links, page, thread)
    elif PARTS.get(kind.page_class, kind.page_class) is PageClass.ARTICLE:
        judged = judge_article(fetched, waiting, judging, document, links, page, kind.reason)
    else:
        judged = _judge_list(fetched, waiting, judging, document, links, page, board)
        judged = judged._replace(why=kind.reason)
    judged = with_records(judged, document, fetched, waiting, judging)
    page.reason = "; ".join(filter(None, (page.reason, _what_was_cut(document, links))))
    return judged


def _judge_list(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    document: Document,
    links: Sequence[FoundLink],
    page: Page,
    board: Board | None,
) -> Judged:
    """Judge a page of links, or one that is neither that nor an article."""
    template = judging.template
    page.outcome = "list"
    selectors = selectors_of(template, waiting.site)
    ordinary, continuations, missed = told_apart(document, links, page.page_class, selectors)
    if _is_past(links, template, fetched.at):
        continuations = ()
    promise, relevant = 0.0, False
    if template.explore.enabled:  # else nobody asks what the links of a list promise
        found_words = " ".join(link.anchor for link in links)
        score = template.page_scorer.score(document.title, found_words)
        promise, relevant = score.score, score.relevant
    batch = LinkBatch(
        page.page_class,
        ordinary,
        continuations,
        until_known=not waiting.first_walk and template.site(waiting.site).paging == "until-known",
        score=promise,
        relevant=relevant,
        title=document.title,
        told=told_by_board(links, template, fetched.at)
        if page.page_class is PageClass.BOARD and not waiting.first_walk and are_heard(template)
        else (),
    )
    if board is not None and board.threads:
        batch, missed = with_threads(batch, board), (*missed, *board.missed)
    return Judged(page, batch, missed=missed)


def _what_was_cut(document: Document, links: Sequence[FoundLink]) -> str:
    """Say what of a page was not read; "" for nearly every page."""
    if document.limits:
        return document.limits[0]
    return f"cut: first {MOST_LINKS} links taken" if len(links) >= MOST_LINKS else ""


def _hint(by_template: PageClass | None, by_link: PageClass | None) -> PageClass | None:
    """Return the class a page is taken for: the template's, but page 2 of its boards stays that."""
    is_part = by_link is not None and PARTS.get(by_link) is by_template
    return by_link if by_template is None or is_part else by_template


def _is_past(links: Sequence[FoundLink], template: Template, now: float) -> bool:
    """Whether all entries of a board are older than article.since: its further pages are, too."""
    oldest = template.article.oldest(now)
    if oldest is None:
        return False
    dates = entry_dates(links, timezone=str(template.topic.timezone), now=now)
    return len(dates) >= FEWEST_DATES and max(dates) < oldest


def _judge_feed(
    fetched: Fetched, waiting: Waiting, judging: Judging, page_class: PageClass
) -> Judged:
    page = page_of(fetched, waiting, page_class)
    page.outcome = "list"
    oldest = judging.template.article.oldest(fetched.at)
    if page_class is PageClass.FEED:
        feed = read_feed(
            fetched.body,
            fetched.url,
            content_type=fetched.content_type,
            timezone=str(judging.template.topic.timezone),
            now=fetched.at,
        )
        links = [
            Link(entry.url, entry.title, PageClass.ARTICLE, published=entry.published)
            for entry in feed.entries
        ]
        problem, told = feed.problem, told_by_feed(feed)
    else:
        sitemap = read_sitemap(
            fetched.body, fetched.url, content_type=fetched.content_type, now=fetched.at
        )
        links = [Link(url, page_class=PageClass.SITEMAP) for url in sitemap.sitemaps]
        links += [Link(entry.url, published=entry.modified) for entry in sitemap.pages]
        problem, told = sitemap.problem, told_by_sitemap(sitemap)
    if oldest is not None and page_class is PageClass.FEED:
        links = [link for link in links if link.published is None or link.published >= oldest]
    page.reason = problem[:40]
    heard = told if are_heard(judging.template) else ()
    batch = LinkBatch(page_class, tuple(links), told=heard)
    return Judged(page, batch, why=problem or "its content")
