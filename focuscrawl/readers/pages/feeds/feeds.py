"""Feeds: RSS 0.9x, 1.0 and 2.0, Atom, JSON Feed, gzip; and which feeds and sitemaps
a site names in its robots.txt and in the head of its pages.

Half of what is called XML is not: bare ampersands, HTML entities, a wrong encoding, blanks before
the declaration, warnings of a program before it, an end that never came. So the text is decoded as pages are, mended, and read by a
forgiving parser without document types, entities or network.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from hashlib import md5
from html import unescape
from html.entities import name2codepoint
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lxml import etree

from focuscrawl.readers.pages.document import Document, Joiner
from focuscrawl.readers.pages.encodings import find_encoding
from focuscrawl.readers.pages.feeds.json_lists import JsonList, read_json_list
from focuscrawl.readers.text.dates import read_date
from focuscrawl.values import DatedLink, PageClass, ShownText

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
MOST_BEFORE = 20_000  # bytes before a feed or sitemap: warnings of the program that makes it
# Where XML or a feed begins behind them, and what says that it is a page that speaks of one.
XML_BEGINS = re.compile(
    rb"<\?xml\b|<(?:rss|urlset|sitemapindex|rdf:RDF)[\s>]|<feed\s[^<>]{0,2000}\bxmlns",
    re.IGNORECASE,
)
PAGE_BEGINS = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|script|pre|textarea|xmp)\b", re.IGNORECASE
)
JSON_FEED = b"jsonfeed.org/version"
JSON_FEED_TYPE = "application/feed+json"
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


def without_warnings(body: bytes) -> bytes:
    """Return bytes from where XML or a feed begins, if only what a program says of itself stands before."""
    begins = XML_BEGINS.search(body, 0, MOST_BEFORE)
    if begins is None or not begins.start() or PAGE_BEGINS.search(body, 0, begins.start()):
        return body
    return body[begins.start() :]


def is_json_feed(body: bytes, content_type: str) -> bool:
    """Whether bytes are a JSON Feed: by their type, or by the version that it must name."""
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
        return False
    kind = content_type.partition(";")[0].strip().lower()
    # Servers escape slashes: https:\/\/jsonfeed.org\/version\/1.1
    return kind == JSON_FEED_TYPE or JSON_FEED in body[:MOST_XML].replace(b"\\/", b"/")


def parse_xml(body: bytes, content_type: str) -> tuple[etree._Element | None, str]:
    """Return the first element, None when there is none, and what was wrong with the text."""
    if not body:
        return None, "empty"
    body = without_warnings(body)
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


MOST_FEED_ENTRIES = 50_000  # entries read from one file (the sitemap protocol's own limit)
LONGEST_SUMMARY = 10_000  # characters of the text of an entry
_MARKUP = re.compile(r"<[^>]{0,2000}>")
TEXT_NAMES = ("description", "summary", "encoded", "content")
DATE_NAMES = ("pubdate", "published", "issued", "date", "updated", "modified", "lastbuilddate")


class FeedEntry(NamedTuple):
    """One entry: ``published`` in seconds since 1970 UTC or None, ``summary`` plain text.

    ``modified`` is the latest date it gives, precise to ``precision`` seconds. ``letters`` are those of the longest
    text that it shows, whole, and ``number`` is that text's and the title's (values.ShownText).
    """

    url: str
    title: str
    published: float | None
    summary: str
    modified: float | None = None
    precision: float = 1.0
    letters: int = 0
    number: int = 0


class Feed(NamedTuple):
    """Entries in the feed's order; ``problem`` says in words what was wrong, "" when nothing. ``following`` is the
    address of what goes on with it."""

    entries: list[FeedEntry]
    problem: str = ""
    following: str = ""


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
    if is_json_feed(unpacked, content_type):
        return _read_json(unpacked, url, problem, timezone, now)
    if (listed := read_json_list(unpacked, url)) is not None:
        return _of_json_list(listed, url, problem, timezone, now)
    root, flaw = parse_xml(unpacked, content_type)
    if root is None or ROOTS.get(element_name(root).encode()) is not PageClass.FEED:
        return Feed([], problem or flaw or f"no feed: the first element is <{element_name(root)}>")
    bases = Bases(url, _site_of(root))
    entries: list[FeedEntry] = []
    for element in root.iter():
        if element_name(element) in {"item", "entry"} and (found := _entry_address(element)):
            address, said_by = found
            if (absolute := bases.join(said_by, address)) is None:
                continue
            entries.append(_entry(element, absolute, timezone, now))
            if len(entries) >= MOST_FEED_ENTRIES:
                problem = f"cut at {MOST_FEED_ENTRIES} entries"
                break
    return Feed(entries, problem or flaw)


def prefix_of(element: etree._Element) -> str:
    """Return what stands before an element's name, "" for nothing; also where it is not declared."""
    tag = element.tag if isinstance(element.tag, str) else ""
    return element.prefix or tag.rpartition("}")[2].rpartition(":")[0]


_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_MOST_BASES = 8  # elements around a link that may change what its address starts from


class Bases:
    """What the addresses of a feed start from: xml:base of the elements around, each relative to the next, then
    the feed's own address. A feed that another host hands out starts from its ``site``, as its channel names it.
    """

    def __init__(self, url: str, site: str) -> None:
        joined = Joiner(url).join(site) if site else None
        is_elsewhere = joined is not None and urlsplit(joined).netloc != urlsplit(url).netloc
        self._first = joined if joined is not None and is_elsewhere else url
        self._url = url
        self._joiners: dict[str, Joiner] = {}

    def join(self, element: etree._Element, address: str) -> str | None:
        """Return an address that an element says, absolute; None when there is nothing to fetch."""
        said = [
            base
            for one in (element, *islice(element.iterancestors(), _MOST_BASES))
            if (base := one.get(_XML_BASE))
        ]
        base = self._url if said else self._first
        for one in reversed(said):
            base = self._from(base).join(one) or base
        return self._from(base).join(address)

    def _from(self, base: str) -> Joiner:
        if base not in self._joiners:
            self._joiners[base] = Joiner(base)
        return self._joiners[base]


def _site_of(root: etree._Element) -> str:
    """Return the address of the site a feed is of, as it names it; "" when it does not."""
    channel = next((one for one in root if element_name(one) == "channel"), root)
    for child in channel:
        if element_name(child) in {"item", "entry"}:
            break
        if element_name(child) == "link" and child.get("rel", "alternate") == "alternate":
            said = (child.get("href") or child.text or "").strip()
            if said.lower().startswith(("http://", "https://")):
                return said
    return ""


# Links of an entry that lead to no page of it: to what edits it, to a file, a picture, a licence.
_NO_PAGE = frozenset(
    ("edit", "enclosure", "hub", "icon", "image", "license", "next", "prev", "replies", "search")
)


def _entry_address(element: etree._Element) -> tuple[str, etree._Element] | None:
    """Return an entry's address and which element says it: Atom's alternate link, RSS's link, a guid that is
    an address, another link. What leads to the entry in a feed is the last resort.
    """
    others: list[tuple[int, str, etree._Element]] = []
    for child in element:
        name, text = element_name(child), (child.text or "").strip()
        if name == "link":
            href, rel = (child.get("href") or text).strip(), child.get("rel", "alternate").lower()
            if href and rel == "alternate":
                return href, child
            if href and rel not in _NO_PAGE:
                others.append((2 if rel == "self" else 1, href, child))
        elif (
            name in {"guid", "id"}
            and text.startswith(("http://", "https://"))
            and child.get("isPermaLink", "true") != "false"
        ):
            others.append((0, text, child))
    best = min(others, key=itemgetter(0), default=None)
    return None if best is None else (best[1], best[2])


def _entry(element: etree._Element, url: str, timezone: str, now: float | None) -> FeedEntry:
    texts: dict[str, str] = {}
    for child in sorted(element, key=lambda one: prefix_of(one) != prefix_of(element)):
        texts.setdefault(element_name(child), "".join(map(str, child.itertext())))
    return _told(texts, url, timezone, now)


def _told(texts: dict[str, str], url: str, timezone: str, now: float | None) -> FeedEntry:
    dates = [
        found
        for name in DATE_NAMES
        if name in texts and (found := read_date(texts[name], timezone=timezone, now=now))
    ]
    latest = max(dates, key=itemgetter(0), default=None)
    summary = next(filter(None, map(texts.get, TEXT_NAMES)), "")
    title = _plain(texts.get("title", ""))[:1000]
    letters = _letters_of(max((texts.get(name, "") for name in TEXT_NAMES), key=len))
    return FeedEntry(
        url=url,
        title=title,
        published=dates[0].seconds if dates else None,
        summary=_plain(summary),
        modified=latest.seconds if latest else None,
        precision=latest.unit if latest else 1.0,
        letters=len(letters),
        number=int.from_bytes(md5(f"{title}\n{letters}".encode("utf-8", "replace")).digest()[:8]),
    )


def _read_json(body: bytes, url: str, problem: str, timezone: str, now: float | None) -> Feed:
    """Read a JSON Feed; what it is made of is as hostile as any page."""
    try:
        said: Any = json.loads(body[:MOST_XML].decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        return Feed([], problem or f"not JSON: {str(error)[:200]}")
    items = said.get("items") if isinstance(said, dict) else None
    bases = Bases(url, _text(said.get("home_page_url")) if isinstance(said, dict) else "")
    entries: list[FeedEntry] = []
    for item in items[:MOST_FEED_ENTRIES] if isinstance(items, list) else ():
        if not isinstance(item, dict):
            continue
        named = (_text(item.get(name)) for name in ("url", "id", "external_url"))
        address = next((one for one in named if one.startswith(("http://", "https://", "/"))), "")
        if not address or (absolute := bases.join(_NOWHERE, address)) is None:
            continue
        summary = next(filter(None, (_text(item.get(name)) for name in ("summary", "content_text", "content_html"))), "")  # fmt: skip
        texts = {"title": _text(item.get("title")), "summary": summary}
        texts["published"] = _text(item.get("date_published"))
        texts["modified"] = _text(item.get("date_modified"))
        entries.append(_told(texts, absolute, timezone, now))
    return Feed(entries, problem)


def _of_json_list(
    listed: JsonList, url: str, problem: str, timezone: str, now: float | None
) -> Feed:
    """Return a list that scripts of a page would show as a feed of its entries."""
    join = Joiner(url).join
    entries = [
        _told({"title": entry.title, "published": entry.date}, absolute, timezone, now)
        for entry in listed.entries
        if (absolute := join(entry.address)) is not None
    ]
    return Feed(entries, problem, (listed.following and join(listed.following)) or "")


_NOWHERE = etree.Element("nowhere")  # what stands in JSON is in no element


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _plain(markup: str) -> str:
    """Return the text of what a feed calls HTML (it may be escaped twice)."""
    text = unescape(_MARKUP.sub(" ", unescape(markup[: 4 * LONGEST_SUMMARY])))
    return " ".join(text.split())[:LONGEST_SUMMARY]


def _letters_of(markup: str) -> str:
    """Return the text of what a feed calls HTML, whole and without blanks."""
    return "".join(unescape(_MARKUP.sub(" ", unescape(markup))).split())


MOST_NAMED = 5  # files that are taken from one robots.txt or page: the site's own stand first
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", JSON_FEED_TYPE})
SITEMAP_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
# A feed of comments says of a page that there are new comments below it.
COMMENTS = re.compile(r"comment|评论", re.IGNORECASE)


def told_by_feed(feed: Feed) -> tuple[DatedLink, ...]:
    """Return when its entries have changed, as a feed tells."""
    return tuple(
        DatedLink(entry.url, entry.modified, precision=entry.precision)
        for entry in feed.entries
        if entry.modified is not None
    )


MOST_ENTRY_TEXTS = 200
"""Entries of a feed, the first, whose texts are remembered: feeds of blogs show ten to a hundred."""


def shown_by_feed(feed: Feed) -> tuple[ShownText, ...]:
    """Return the texts of its first entries, as a feed shows them."""
    first = feed.entries[:MOST_ENTRY_TEXTS]
    return tuple(ShownText(one.url, one.letters, one.number) for one in first if one.letters)


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
