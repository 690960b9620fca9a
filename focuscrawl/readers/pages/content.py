"""What was fetched: a page, a feed, a sitemap, a file (B5); and whether a body that came packed has come whole.

Who unpacks bodies hands out what there is of one that ends early, and says nothing of it: of half a
gzip body half a page. Brotli and zstd are not looked into: servers that speak them say how long a
body is, or cut it into chunks, and then its transport knows.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from focuscrawl.readers.pages.encodings import Encoding
from focuscrawl.readers.pages.feeds.feeds import (
    GZIP,
    MOST_BEFORE,
    ROOTS,
    is_json_feed,
    unpack,
    without_warnings,
)
from focuscrawl.readers.pages.feeds.json_lists import read_json_list
from focuscrawl.values import Article, File, LinkBatch, Page, PageClass, Record, Waiting

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


_MARK = b"\xef\xbb\xbf"  # of UTF-8, before the first element
_OF_NO_TEXT = bytes((0, 1, 2, 3, 4, 5, 6, 7, 14, 15, 16))  # control characters that no text has


def sniff(body: bytes, content_type: str = "", url: str = "") -> PageClass | None:
    """Tell FEED and SITEMAP by their first element, FILE by bytes that are no text or other XML.

    None: a page, whose class its content tells (page_kind).
    """
    packed = body.startswith(GZIP)
    if packed:
        body, _ = unpack(body, most=100_000)
    if is_json_feed(body, content_type) or read_json_list(body, url) is not None:
        return PageClass.FEED
    found = FIRST_ELEMENT.match(body[:MOST_BEFORE].removeprefix(_MARK))
    if found is None or found.group(1).lower() != b"html":  # else a page begins: most do
        start = without_warnings(body[: 2 * MOST_BEFORE])[:MOST_BEFORE]
        found = FIRST_ELEMENT.match(start.removeprefix(_MARK))
    if found:
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
        controls = len(start) - len(start.translate(None, _OF_NO_TEXT))
        if controls > len(start) / 100:
            return False
    kind = content_type.partition(";")[0].strip().lower()
    if not kind or TEXT_TYPES.match(kind):
        return True
    if BINARY_TYPES.match(kind):
        return False
    return bool(re.match(rb"\s*<(?:!doctype|html|head|body|\?xml|rss|feed)", start, re.IGNORECASE))


PAGE_END = b"</html"
LAST_BYTES = 256  # bytes at the end of a page in which it is closed: comments of servers may follow
# Bytes that are packed or unpacked at once: a slice is copied, never the rest of a body.
_BYTES_AT_ONCE = 65_536
# Streams of a body that are looked through. Servers send one or two; 3 MB of empty ones took
# seconds, and a body that begins with so many is taken as it is.
MOST_STREAMS = 50
# Forms of a stream, as zlib counts them; many servers call raw streams deflate.
GZIP_FORM, DEFLATE_FORM, RAW_DEFLATE_FORM = 31, 15, -15
FORMS = {"gzip": (GZIP_FORM,), "x-gzip": (GZIP_FORM,), "deflate": (DEFLATE_FORM, RAW_DEFLATE_FORM)}


def is_whole(packed: bytes, encoding: str, unpacked: bytes) -> bool:
    """Whether a packed body has its end; ``encoding`` is as in Content-Encoding, lower case.

    ``unpacked`` is what became of it: a page that is closed, as most are, is not looked at twice.
    """
    if not unpacked:
        return not packed
    if PAGE_END in unpacked[-LAST_BYTES:].lower():
        return True
    forms = FORMS.get(encoding)
    return forms is None or any(_has_end(packed, form) for form in forms)


def _has_end(packed: bytes, form: int) -> bool:
    """Whether every stream of a body has its end; what follows the last may be anything."""
    start = 0
    for _ in range(MOST_STREAMS):
        stream = zlib.decompressobj(wbits=form)
        try:
            while start < len(packed) and not stream.eof:
                part = packed[start : start + _BYTES_AT_ONCE]
                stream.decompress(part, _BYTES_AT_ONCE)
                rest = stream.unused_data if stream.eof else stream.unconsumed_tail
                start += len(part) - len(rest)
        except zlib.error:
            return False
        following = packed[start : start + len(GZIP)]
        if not stream.eof or form != GZIP_FORM or following not in {GZIP, GZIP[:1]}:
            return stream.eof
    return True


class Fetched(NamedTuple):
    """An answer: ``content_type`` is its header, ``at`` wall time.

    ``encoding`` is what the body was found to be written in; None: not asked yet. ``robots`` are its
    X-Robots-Tag headers, separated by line feeds.
    """

    url: str
    status: int
    body: bytes
    content_type: str
    at: float
    encoding: Encoding | None = None
    robots: str = ""


@dataclass(slots=True)
class Judged:
    """What a page gave: its row, its links, perhaps an article, perhaps records.

    ``why`` says in words how the class was found; ``by_pattern``: it was a close call that the learnt
    pattern of its address decided, so it teaches none. ``missed`` names the site's selectors that found
    nothing on it, ``beyond`` the counts that are too large to be any. ``is_scripted``: scripts fill it, which
    are not run. ``ignored`` are the lines that never count as a change. ``piece`` is what it gives to an article of
    several pages; then there is no ``article`` yet. ``read`` is what it gives to its thread. ``part`` is the URL as
    what it has shown itself to be: a later page of an article that was not known. ``shown`` is a digest of what it
    shows, b"" where nothing is learnt by it. ``items`` are given out as they are, ``goes_on_after``: it is a list of
    so many entries, of which scripts show more. ``unclear`` is what it should be, and could not be made out.
    ``groups`` are the numbers of the topic's word groups that were found on it; None where they were not looked for.
    ``is_noindex``: it asks robots not to take it in. ``withheld`` is what stands in front of the page that was asked
    for, as it seems, and shows these ``headings``. ``canonical`` is where it says that it stands.
    ``cut`` are the lines of its site that stood before and behind the article's text, ``cut_at`` their places (CUT_AT),
    ``edges`` the lines that still stand there.
    """

    page: Page
    batch: LinkBatch | None = None
    article: Article | None = None
    why: str = ""
    piece: Any = None
    records: tuple[Record, ...] = ()
    part: Waiting | None = None
    missed: tuple[str, ...] = ()
    read: Any = None
    ignored: tuple[str, ...] = ()
    by_pattern: bool = False
    is_scripted: bool = False
    goes_on_after: int = 0
    beyond: tuple[str, ...] = ()
    file: File | None = None
    shown: bytes = b""
    unclear: str = ""
    items: list[Any] = field(default_factory=list)
    groups: frozenset[int] | None = None
    is_noindex: bool = False
    withheld: str = ""
    headings: tuple[str, ...] = ()
    canonical: str = ""
    cut: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    cut_at: tuple[int, ...] = ()
    edges: Any = None


def page_of(fetched: Fetched, waiting: Waiting, page_class: PageClass) -> Page:
    """Return the row of the log book for an answer, its outcome still to be found."""
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
