"""Feeds and sitemaps that a site names: in its robots.txt, and in the head of its pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from focuscrawl.pages.addresses import Joiner
from focuscrawl.pages.document import Document

MOST_NAMED = 5
"""Files that are taken from one robots.txt or page: the site's own stand first."""

FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
SITEMAP_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
COMMENTS = re.compile(r"comment|评论", re.IGNORECASE)
"""A feed of comments says of a page that somebody has said something below it."""


def named_by_page(document: Document) -> tuple[str, ...]:
    """Return the sitemaps and the first feed that a page names in its head, absolute."""
    join = Joiner(document.base_url).join
    feeds: list[str] = []
    sitemaps: list[str] = []
    for element in document.root.iter("link"):
        rels, reference = element.get("rel", "").lower().split(), element.get("href")
        if not rels or not reference:
            continue
        url = join(reference)
        if url is None or COMMENTS.search(f"{url} {element.get('title', '')}"):
            continue
        if "sitemap" in rels:
            sitemaps.append(url)
        elif "alternate" in rels and element.get("type", "").strip().lower() in FEED_TYPES:
            feeds.append(url)
    return tuple(dict.fromkeys([*sitemaps[: MOST_NAMED - 1], *feeds[:1]]))


def named_by_robots(text: str) -> Iterator[str]:
    """Go through the first sitemaps of a robots.txt; they are absolute, or they are none."""
    found = (line[1] for line in SITEMAP_LINE.finditer(text))
    for _, url in zip(range(MOST_NAMED), found, strict=False):
        if url.lower().startswith(("http://", "https://")):
            yield url
