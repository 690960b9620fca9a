"""Judge a page of links, a feed or a sitemap: what it leads to, and what it says of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.articles.table import ArticleTable
from focuscrawl.explore.table import ExploreTable
from focuscrawl.links.continuations import selectors_of, told_apart
from focuscrawl.links.criteria import Criteria, OpenPage
from focuscrawl.links.table import FollowTable
from focuscrawl.pages.content import Fetched, Judged, page_of
from focuscrawl.pages.feeds import Feed, Sitemap, read_feed, read_sitemap
from focuscrawl.pages.links import FoundLink, entry_dates
from focuscrawl.relevance.page_score import PageScorer
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

MOST_INSIDE = 100
"""Sitemaps that are taken from an index which another index has named."""

FEWEST_DATES = 3
"""Entries with a date that a board must show to be taken for an old one."""


def judge_list(page: OpenPage) -> Judged:
    """Judge a page of links, or one that is neither that nor an article."""
    fetched, waiting, row = page.fetched, page.waiting, page.row
    template, document, links = page.criteria.template, page.document, page.links
    row.outcome = "list"
    selectors = selectors_of(template, waiting.site)
    ordinary, continuations, missed = told_apart(document, links, row.page_class, selectors)
    if _is_past(links, template, fetched.at):
        continuations = ()
    promise, relevant = 0.0, False
    if template.of(ExploreTable).enabled:  # else nobody asks what the links of a list promise
        found_words = " ".join(link.anchor for link in links)
        score = template.once(PageScorer.of).score(document.title, found_words)
        promise, relevant = score.score, score.relevant
    batch = LinkBatch(
        row.page_class,
        ordinary,
        continuations,
        until_known=not waiting.first_walk
        and template.site(waiting.site).of(FollowTable).paging == "until-known",
        score=promise,
        relevant=relevant,
        title=document.title,
    )
    return Judged(row, batch, why=page.kind.reason, missed=missed)


def _is_past(links: Sequence[FoundLink], template: Template, now: float) -> bool:
    """Whether all entries of a board are older than article.since: its further pages are, too."""
    oldest = template.of(ArticleTable).oldest(now)
    if oldest is None:
        return False
    dates = entry_dates(links, timezone=str(template.topic.timezone), now=now)
    return len(dates) >= FEWEST_DATES and max(dates) < oldest


def judge_feed(
    fetched: Fetched, waiting: Waiting, criteria: Criteria, page_class: PageClass
) -> tuple[Judged, Feed | Sitemap]:
    """Judge a feed or a sitemap; returns what it says, too."""
    page = page_of(fetched, waiting, page_class)
    page.outcome = "list"
    oldest = criteria.template.of(ArticleTable).oldest(fetched.at)
    read: Feed | Sitemap
    if page_class is PageClass.FEED:
        read = feed = read_feed(
            fetched.body,
            fetched.url,
            content_type=fetched.content_type,
            timezone=str(criteria.template.topic.timezone),
            now=fetched.at,
        )
        links = [
            Link(entry.url, entry.title, PageClass.ARTICLE, published=entry.published)
            for entry in feed.entries
        ]
    else:
        read = sitemap = read_sitemap(
            fetched.body, fetched.url, content_type=fetched.content_type, now=fetched.at
        )
        further = sitemap.sitemaps
        if waiting.page_number > 1:  # an index in an index, which the protocol does not know
            further = further[:MOST_INSIDE]
        links = [Link(url, page_class=PageClass.SITEMAP) for url in further]
        links += [Link(entry.url, published=entry.modified) for entry in sitemap.pages]
    if oldest is not None and page_class is PageClass.FEED:
        links = [link for link in links if link.published is None or link.published >= oldest]
    page.reason = read.problem[:40]
    batch = LinkBatch(page_class, tuple(links))
    return Judged(page, batch, why=read.problem or "its content"), read
