"""Feeds and sitemaps: RSS 0.9x, 1.0 and 2.0, Atom, urlset, sitemapindex, text sitemaps, gzip; and which of them
a site names in its robots.txt and in the head of its pages.

Half of what is called XML is not: bare ampersands, HTML entities, a wrong encoding, blanks before
the declaration, an end that never came. So the text is decoded as pages are, mended, and read by a
forgiving parser without document types, entities or network.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import unescape
from html.entities import name2codepoint
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from lxml import etree

from focuscrawl.pages.document import Document, Joiner
from focuscrawl.pages.encodings import find_encoding
from focuscrawl.text.dates import read_date
from focuscrawl.values import DatedLink, PageClass

# Bytes a compressed sitemap may have unpacked (the protocol's own limit); more is refused.
MOST_UNPACKED = 52_428_800
# Bytes of a feed or sitemap that are read; a full sitemap of 50,000 addresses has about half.
MOST_XML = 10_000_000
# Ampersands that are mended one by one; a file with more is left to the parser.
MOST_AMPERSANDS = 500_000
# First elements of feeds and sitemaps.
ROOTS = {
    b"rss": PageClass.FEED,
    b"feed": PageClass.FEED,
    b"rdf": PageClass.FEED,
    b"channel": PageClass.FEED,
    b"urlset": PageClass.SITEMAP,
    b"sitemapindex": PageClass.SITEMAP,
}
GZIP = b"\x1f\x8b"
# What stands before the first element; left out, so that no document type reaches the parser.
PROLOGUE = re.compile(
    r"[^<]{0,200}+(?><\?xml.{0,400}?\?>)?(?>\s*<!--.{0,4000}?-->)*+"
    r"(?>\s*<!DOCTYPE[^>\[]{0,1000}+(?:\[.{0,100000}?\]\s*)?>)?",
    re.DOTALL | re.IGNORECASE,
)
NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
AMPERSAND = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(#\d{1,7};|#x[\da-fA-F]{1,6};|\w{1,32};)?", re.DOTALL
)
PLAIN_ENTITIES = frozenset(("amp;", "lt;", "gt;", "quot;", "apos;"))


def unpack(body: bytes, most: int = MOST_UNPACKED) -> tuple[bytes, str]:
    """Undo gzip as far as ``most`` bytes; returns the bytes and what was wrong, "" when nothing."""
    if not body.startswith(GZIP):
        return body, ""
    machine = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        unpacked = machine.decompress(body, most)
    except zlib.error as error:
        return b"", f"broken gzip: {error}"
    if machine.unconsumed_tail:
        return unpacked if most < MOST_UNPACKED else b"", f"unpacks to more than {most} bytes"
    return unpacked, "" if machine.eof else "the gzip file is cut off"


def parse_xml(body: bytes, content_type: str) -> tuple[etree._Element | None, str]:
    """Return the first element, None when there is none, and what was wrong with the text."""
    if not body:
        return None, "empty"
    encoding = find_encoding(body[:MOST_XML], content_type=content_type).name
    text = body[:MOST_XML].decode(encoding, "replace")
    text = text.lstrip("\ufeff")
    if prologue := PROLOGUE.match(text):
        text = text[prologue.end() :]
    mended = text = NOT_XML.sub("", text)
    if text.count("&") <= MOST_AMPERSANDS:
        mended = AMPERSAND.sub(_ampersand, text)
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    try:
        root = etree.fromstring(mended.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        return None, f"not XML: {error.msg}"
    if len(body) > MOST_XML:
        return root, f"cut at {MOST_XML} of {len(body)} bytes"
    flaw = parser.error_log[0].message if len(parser.error_log) else ""
    if not flaw and mended != text:
        flaw = "bare ampersands or HTML entities"
    return root, f"not well-formed: {flaw}" if flaw else ""


def _ampersand(match: re.Match[str]) -> str:
    name = match.group(1)
    if match.group().startswith("<") or (name and (name[0] == "#" or name in PLAIN_ENTITIES)):
        return match.group()
    if name and name[:-1] in name2codepoint:
        return f"&#{name2codepoint[name[:-1]]};"
    return f"&amp;{name or ''}"


def element_name(element: etree._Element | None) -> str:
    """Return an element's name without namespace, in lower case; "" for no element."""
    tag = "" if element is None else element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


_MOST_ENTRIES = 50_000  # entries read from one file (the sitemap protocol's own limit)
LONGEST_SUMMARY = 10_000  # characters of the text of an entry
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
    base = root.get("{http://www.w3.org/XML/1998/namespace}base")
    join = Joiner((Joiner(url).join(base) or url) if base else url).join
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


MOST_NAMED = 5  # files that are taken from one robots.txt or page: the site's own stand first
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
SITEMAP_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
# A feed of comments says of a page that somebody has said something below it.
COMMENTS = re.compile(r"comment|评论", re.IGNORECASE)


def told_by_feed(feed: Feed) -> tuple[DatedLink, ...]:
    """Return when its entries have changed, as a feed tells."""
    return tuple(
        DatedLink(entry.url, entry.modified, precision=entry.precision)
        for entry in feed.entries
        if entry.modified is not None
    )


def told_by_sitemap(sitemap: Sitemap) -> tuple[DatedLink, ...]:
    """Return when its pages have changed, as a sitemap tells."""
    return tuple(
        DatedLink(page.url, page.modified, precision=page.precision)
        for page in sitemap.pages
        if page.modified is not None
    )


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
