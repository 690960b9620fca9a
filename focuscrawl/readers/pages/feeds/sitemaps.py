"""Sitemaps: urlset, sitemapindex, lists of addresses line by line, gzipped or not.

Made by programs that get wrong what can be got wrong: a urlset in a urlset, the address of an image beside
that of its page, more entries than the protocol allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.readers.pages.document import Joiner
from focuscrawl.readers.pages.feeds.feeds import (
    MOST_FEED_ENTRIES,
    ROOTS,
    element_name,
    parse_xml,
    prefix_of,
    unpack,
    without_warnings,
)
from focuscrawl.readers.text.dates import read_date
from focuscrawl.values import DatedLink, PageClass

_NAME_WORDS = re.compile(r"[a-z]{2,30}")
_NUMBERS = re.compile(r"\d{1,12}")
NO_SUBJECT = frozenset({"sitemap", "sitemaps", "site", "map", "index", "xml", "gz", "php", "wp"})
"""Words of a sitemap's name that do not say what it is about."""


class SitemapEntry(NamedTuple):
    """One address of a sitemap and its lastmod in seconds since 1970 UTC or None.

    The date is precise to ``precision`` seconds.
    """

    url: str
    modified: float | None
    precision: float = 1.0


class Sitemap(NamedTuple):
    """Pages and the addresses of further sitemaps, the newest first; ``problem`` says in words what was wrong, "" when nothing."""

    pages: list[SitemapEntry]
    sitemaps: list[str]
    problem: str = ""


def read_sitemap(
    body: bytes, url: str, *, content_type: str = "", now: float | None = None
) -> Sitemap:
    """Read a urlset, a sitemapindex or a list of addresses line by line, gzipped or not."""
    unpacked, problem = unpack(body)
    unpacked = without_warnings(unpacked)
    join = Joiner(url).join
    if unpacked.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
        listed = _read_addresses(unpacked, join)
        return listed._replace(problem=problem or listed.problem)
    root, flaw = parse_xml(unpacked, content_type)
    if root is None or ROOTS.get(element_name(root).encode()) is not PageClass.SITEMAP:
        return Sitemap(
            [], [], problem or flaw or f"no sitemap: the first element is <{element_name(root)}>"
        )
    entries: list[SitemapEntry] = []
    sitemaps: list[SitemapEntry] = []
    located = list(islice(_located(root), MOST_FEED_ENTRIES + 1))
    if len(located) > MOST_FEED_ENTRIES:
        problem = f"cut at {MOST_FEED_ENTRIES} entries"
    for element in located[:MOST_FEED_ENTRIES]:
        if (entry := _read_entry(element, join, now)) is not None:
            (sitemaps if element_name(element) == "sitemap" else entries).append(entry)
    return Sitemap(entries, newest_first(sitemaps, url), problem or flaw)


def _read_addresses(text: bytes, join: Callable[[str], str | None]) -> Sitemap:
    """Read a list of addresses, one a line."""
    lines = text.decode("utf-8-sig", "replace").splitlines()[:MOST_FEED_ENTRIES]
    addresses = [line.strip() for line in lines if line.strip().startswith(("http://", "https://"))]
    flaw = "" if addresses else "no sitemap: neither XML nor a list of addresses"
    pages = [SitemapEntry(found, None) for line in addresses if (found := join(line))]
    return Sitemap(pages, [], flaw)


def _read_entry(
    element: etree._Element, join: Callable[[str], str | None], now: float | None
) -> SitemapEntry | None:
    """Read an element that has an address, and when that has changed; None for one without an address."""
    texts: dict[str, str] = {}
    for child in element:
        if prefix_of(child) == prefix_of(element):  # image:loc is the address of an image
            texts.setdefault(element_name(child), (child.text or "").strip())
    location = join(texts["loc"]) if texts.get("loc") else None
    if location is None:
        return None
    modified = read_date(texts.get("lastmod", ""), now=now)
    if modified is None:
        return SitemapEntry(location, None)
    return SitemapEntry(location, modified.seconds, modified.unit)


def newest_first(sitemaps: list[SitemapEntry], url: str) -> list[str]:
    """Return the addresses of an index's sitemaps in the order in which they are worth reading.

    First those named like the index at ``url`` (news-index.xml: news-1.xml before images-1.xml), then by the day of
    their change, then by the numbers in their names: a site that counts its sitemaps, or names them by months, adds
    the newest with the largest.
    """
    asked = {*_NAME_WORDS.findall(url.rpartition("/")[2].lower())} - NO_SUBJECT

    def place(entry: SitemapEntry) -> tuple[bool, float, list[int]]:
        name = entry.url.rpartition("/")[2].lower()
        is_like = bool(asked) and not asked.isdisjoint(_NAME_WORDS.findall(name))
        day = (entry.modified or 0.0) // 86_400
        return is_like, day, [int(number) for number in _NUMBERS.findall(name)]

    return [entry.url for entry in sorted(sitemaps, key=place, reverse=True)]


def _located(root: etree._Element) -> Iterator[etree._Element]:
    """Go through the elements that have an address: children of the root, and those in a root of its own."""
    for element in root:
        if ROOTS.get(element_name(element).encode()) is PageClass.SITEMAP:
            yield from element
        else:
            yield element


def told_by_sitemap(sitemap: Sitemap) -> tuple[DatedLink, ...]:
    """Return when its pages have changed, as a sitemap tells."""
    return tuple(
        DatedLink(page.url, page.modified, precision=page.precision)
        for page in sitemap.pages
        if page.modified is not None
    )
