"""What kind of thing was fetched: a page, a feed, a sitemap, a file (B5)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from focuscrawl.pages.xml import GZIP, unpack
from focuscrawl.values import PageClass

ROOTS = {
    b"rss": PageClass.FEED,
    b"feed": PageClass.FEED,
    b"rdf": PageClass.FEED,
    b"channel": PageClass.FEED,
    b"urlset": PageClass.SITEMAP,
    b"sitemapindex": PageClass.SITEMAP,
}
PAGE_ROOTS = frozenset((b"html", b"head", b"body", b"div", b"p"))
FIRST_ELEMENT = re.compile(
    rb"(?>\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]{0,400}(?:\[[^\]]{0,4000}\]\s*)?>))*+"
    rb"\s*<(?:[\w.-]+:)?([\w.-]+)",
    re.DOTALL | re.IGNORECASE,
)
TEXT_TYPES = re.compile(
    r"text/(?!css|javascript|csv|calendar|x-)|application/(?:xhtml|xml|rss|atom|rdf|[\w.-]+\+xml)|unknown/unknown$"
)
BINARY_TYPES = re.compile(
    r"image/|audio/|video/|font/|text/(?:css|javascript|csv|calendar)"
    r"|application/(?:pdf|zip|x-|vnd\.|msword|json|javascript|wasm|rtf|java)"
)
SIGNATURES = (
    b"%PDF", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"Rar!", b"7z\xbc\xaf", GZIP, b"BZh",
    b"MZ", b"\x7fELF", b"OggS", b"RIFF", b"ID3", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"wOFF", b"wOF2", b"FLV\x01",
    b"\x00\x00\x01\x00", b"CWS", b"FWS",
)  # fmt: skip


def sniff(body: bytes, content_type: str = "", url: str = "") -> PageClass | None:
    """Tell FEED and SITEMAP by their first element, FILE by bytes that are no text or other XML.

    None: a page, whose class its content tells (page_kind).
    """
    packed = body.startswith(GZIP)
    if packed:
        body, _ = unpack(body, most=100_000)
    if found := FIRST_ELEMENT.match(body[:20_000].removeprefix(b"\xef\xbb\xbf")):
        kind = ROOTS.get(found.group(1).lower())
        if kind is not None:
            return kind
        declared_xml = content_type.lower().startswith(("application/xml", "text/xml"))
        if declared_xml and found.group(1).lower() not in PAGE_ROOTS:
            return PageClass.FILE
    if not is_text_document(content_type, body):
        return PageClass.FILE
    path = urlsplit(url).path.lower()
    lines_of_addresses = body.lstrip()[:7].lower().startswith((b"http://", b"https:/"))
    if "sitemap" in path and path.endswith((".txt", ".txt.gz")) and lines_of_addresses:
        return PageClass.SITEMAP
    return PageClass.FILE if packed else None


def is_text_document(content_type: str, body: bytes) -> bool:
    """Whether a page is analysed at all (B5): text by its header and by its first bytes.

    Style sheets, scripts, JSON and tables are text to a computer but no document. The bytes count
    more than the header: a PDF called HTML is a file, HTML called octet-stream a document.
    """
    start = body[:2048]
    if start.startswith(SIGNATURES):
        return False
    if not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        controls = sum(start.count(bytes((code,))) for code in (0, 1, 2, 3, 4, 5, 6, 7, 14, 15, 16))
        if controls > len(start) / 100:
            return False
    kind = content_type.partition(";")[0].strip().lower()
    if not kind or TEXT_TYPES.match(kind):
        return True
    if BINARY_TYPES.match(kind):
        return False
    return bool(re.match(rb"\s*<(?:!doctype|html|head|body|\?xml|rss|feed)", start, re.IGNORECASE))
