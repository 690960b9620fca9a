"""Feeds and sitemaps: RSS 0.9x, 1.0 and 2.0, Atom, urlset, sitemapindex, text sitemaps, gzip.

Half of what is called XML is not: bare ampersands, HTML entities, a wrong encoding, blanks before
the declaration, an end that never came. So the text is decoded as pages are, mended, and read by a
forgiving parser without document types, entities or network.
"""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from lxml import etree

from focuscrawl.pages.addresses import Joiner
from focuscrawl.pages.content import ROOTS
from focuscrawl.pages.xml import element_name, parse_xml, unpack
from focuscrawl.text.dates import read_date
from focuscrawl.values import PageClass

_MOST_ENTRIES = 50_000
"""Entries read from one file (the sitemap protocol's own limit)."""

LONGEST_SUMMARY = 10_000
_MARKUP = re.compile(r"<[^>]{0,2000}>")
DATE_NAMES = ("pubdate", "published", "issued", "date", "updated", "modified", "lastbuilddate")


class FeedEntry(NamedTuple):
    """One entry: ``published`` in seconds since 1970 UTC or None, ``summary`` plain text.

    ``modified`` is the latest date it gives, precise to ``precision`` seconds.
    """

    url: str
    title: str
    published: float | None
    summary: str
    modified: float | None = None
    precision: float = 1.0


class Feed(NamedTuple):
    """Entries in the feed's order; ``problem`` says in words what was wrong, "" when nothing."""

    entries: list[FeedEntry]
    problem: str = ""


class SitemapEntry(NamedTuple):
    """One address of a sitemap and its lastmod in seconds since 1970 UTC or None.

    The date is precise to ``precision`` seconds.
    """

    url: str
    modified: float | None
    precision: float = 1.0


class Sitemap(NamedTuple):
    """Pages and the addresses of further sitemaps; ``problem`` says in words what was wrong, "" when nothing."""

    pages: list[SitemapEntry]
    sitemaps: list[str]
    problem: str = ""


def read_feed(
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    timezone: str = "UTC",
    now: float | None = None,
) -> Feed:
    """Read RSS or Atom; entries without an address are left out. Never fails: see ``problem``.

    Dates without a zone are in ``timezone``; those after ``now`` (the fetch) are refused.
    """
    unpacked, problem = unpack(body)
    root, flaw = parse_xml(unpacked, content_type)
    if root is None or ROOTS.get(element_name(root).encode()) is not PageClass.FEED:
        return Feed([], problem or flaw or f"no feed: the first element is <{element_name(root)}>")
    join = Joiner(_xml_base(root, url)).join
    entries: list[FeedEntry] = []
    for element in root.iter():
        if element_name(element) in {"item", "entry"} and (address := _entry_address(element)):
            if (absolute := join(address)) is None:
                continue
            entries.append(_entry(element, absolute, timezone, now))
            if len(entries) >= _MOST_ENTRIES:
                problem = f"cut at {_MOST_ENTRIES} entries"
                break
    return Feed(entries, problem or flaw)


def read_sitemap(
    body: bytes, url: str, *, content_type: str = "", now: float | None = None
) -> Sitemap:
    """Read a urlset, a sitemapindex or a list of addresses line by line, gzipped or not."""
    unpacked, problem = unpack(body)
    join = Joiner(url).join
    if unpacked.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"<":
        lines = unpacked.decode("utf-8-sig", "replace").splitlines()[:_MOST_ENTRIES]
        addresses = [
            line.strip() for line in lines if line.strip().startswith(("http://", "https://"))
        ]
        flaw = "" if addresses else "no sitemap: neither XML nor a list of addresses"
        pages = [SitemapEntry(found, None) for line in addresses if (found := join(line))]
        return Sitemap(pages, [], problem or flaw)
    root, flaw = parse_xml(unpacked, content_type)
    if root is None or ROOTS.get(element_name(root).encode()) is not PageClass.SITEMAP:
        return Sitemap(
            [], [], problem or flaw or f"no sitemap: the first element is <{element_name(root)}>"
        )
    entries: list[SitemapEntry] = []
    sitemaps: list[str] = []
    if len(root) > _MOST_ENTRIES:
        problem = f"cut at {_MOST_ENTRIES} entries"
    for element in islice(root, _MOST_ENTRIES):
        texts = {element_name(child): (child.text or "").strip() for child in element}
        location = join(texts["loc"]) if texts.get("loc") else None
        if location is None:
            continue
        if element_name(element) == "sitemap":
            sitemaps.append(location)
        else:
            modified = read_date(texts.get("lastmod", ""), now=now)
            entries.append(
                SitemapEntry(location, modified.seconds, modified.unit)
                if modified
                else SitemapEntry(location, None)
            )
    return Sitemap(entries, sitemaps, problem or flaw)


def _xml_base(root: etree._Element, url: str) -> str:
    base = root.get("{http://www.w3.org/XML/1998/namespace}base")
    return (Joiner(url).join(base) or url) if base else url


def _entry_address(element: etree._Element) -> str:
    """Return an entry's address: Atom's alternate link, RSS's link, a guid that is an address."""
    other = guid = ""
    for child in element:
        name, text = element_name(child), (child.text or "").strip()
        if name == "link":
            href = (child.get("href") or text).strip()
            if href and child.get("rel", "alternate") == "alternate":
                return href
            other = other or href
        elif name in {"guid", "id"} and text.startswith(("http://", "https://")):
            guid = text if child.get("isPermaLink", "true") != "false" else guid
    return other or guid


def _entry(element: etree._Element, url: str, timezone: str, now: float | None) -> FeedEntry:
    texts: dict[str, str] = {}
    for child in element:
        texts.setdefault(element_name(child), "".join(map(str, child.itertext())))
    dates = [
        found
        for name in DATE_NAMES
        if name in texts and (found := read_date(texts[name], timezone=timezone, now=now))
    ]
    latest = max(dates, key=itemgetter(0), default=None)
    summary = (
        texts.get("description")
        or texts.get("summary")
        or texts.get("encoded")
        or texts.get("content", "")
    )
    return FeedEntry(
        url=url,
        title=_plain(texts.get("title", ""))[:1000],
        published=dates[0].seconds if dates else None,
        summary=_plain(summary),
        modified=latest.seconds if latest else None,
        precision=latest.unit if latest else 1.0,
    )


def _plain(markup: str) -> str:
    """Return the text of what a feed calls HTML (it may be escaped twice)."""
    text = unescape(_MARKUP.sub(" ", unescape(markup[: 4 * LONGEST_SUMMARY])))
    return " ".join(text.split())[:LONGEST_SUMMARY]
