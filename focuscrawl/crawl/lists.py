"""Judge a page of links, a feed or a sitemap: what it leads to, and what it says of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.crawl.fetched import Judging
from focuscrawl.crawl.forums import with_threads, without_jumps
from focuscrawl.crawl.links.continuations import selectors_of, told_apart
from focuscrawl.forums.board import Board
from focuscrawl.pages.content import Fetched, Judged, page_of
from focuscrawl.pages.document import Document
from focuscrawl.pages.feeds import (
    named_by_page,
    read_feed,
    read_sitemap,
    told_by_feed,
    told_by_sitemap,
)
from focuscrawl.pages.links import FoundLink, dated_entries, entry_dates
from focuscrawl.revisit.signals.files import only_signals
from focuscrawl.values import DatedLink, Link, LinkBatch, Page, PageClass, Waiting, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

MOST_INSIDE = 100
"""Sitemaps that are taken from an index which another index has named."""

FEWEST_DATES = 3
"""Entries with a date that a board must show to be taken for an old one."""


def judge_list(
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
    are_heard = template.revisit.hears_signals
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
    beyond: tuple[str, ...] = ()
    batch = LinkBatch(
        page.page_class,
        ordinary,
        continuations,
        until_known=not waiting.first_walk
        and template.site(waiting.site).follow.paging == "until-known",
        score=promise,
        relevant=relevant,
        title=document.title,
        told=_told_by_board(links, template, fetched.at)
        if page.page_class is PageClass.BOARD and not waiting.first_walk and are_heard
        else (),
        signal_files=named_by_page(document) if are_heard else (),
    )
    if board is not None:
        batch = without_jumps(batch, links)
    if board is not None and board.threads:
        batch, missed = with_threads(batch, board), (*missed, *board.missed)
        beyond = board.beyond
    return Judged(page, batch, missed=missed, beyond=beyond)


def _is_past(links: Sequence[FoundLink], template: Template, now: float) -> bool:
    """Whether all entries of a board are older than article.since: its further pages are, too."""
    oldest = template.article.oldest(now)
    if oldest is None:
        return False
    dates = entry_dates(links, timezone=str(template.topic.timezone), now=now)
    return len(dates) >= FEWEST_DATES and max(dates) < oldest


def _told_by_board(
    links: Sequence[FoundLink], template: Template, now: float
) -> tuple[DatedLink, ...]:
    """Return the dates that a board shows beside its links."""
    dated = dated_entries(links, timezone=str(template.topic.timezone), now=now)
    return tuple(DatedLink(link.url, date.seconds, precision=date.unit) for link, date in dated)


def judge_feed(
    fetched: Fetched, waiting: Waiting, judging: Judging, page_class: PageClass
) -> Judged:
    """Judge a feed or a sitemap."""
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
        further = sitemap.sitemaps
        if waiting.page_number > 1:  # an index in an index, which the protocol does not know
            further = further[:MOST_INSIDE]
        links = [Link(url, page_class=PageClass.SITEMAP) for url in further]
        links += [Link(entry.url, published=entry.modified) for entry in sitemap.pages]
        problem, told = sitemap.problem, told_by_sitemap(sitemap)
    if oldest is not None and page_class is PageClass.FEED:
        links = [link for link in links if link.published is None or link.published >= oldest]
    page.reason = problem[:40]
    heard = told if judging.template.revisit.hears_signals else ()
    batch = LinkBatch(page_class, tuple(links), told=heard)
    if is_signal_file(waiting.source_id):
        batch = only_signals(batch)
    return Judged(page, batch, why=problem or "its content")
