"""XML as it is found: mended text, a forgiving parser, no document types, entities or network."""

from __future__ import annotations

import re
import zlib
from html.entities import name2codepoint

from lxml import etree

from focuscrawl.pages.encodings import find_encoding

MOST_UNPACKED = 52_428_800
"""Bytes a compressed sitemap may have unpacked (the protocol's own limit); more is refused."""

MOST_XML = 10_000_000
"""Bytes of a feed or sitemap that are read; a full sitemap of 50,000 addresses has about half."""

MOST_AMPERSANDS = 500_000
"""Ampersands that are mended one by one; a file with more is left to the parser."""

GZIP = b"\x1f\x8b"
PROLOGUE = re.compile(
    r"[^<]{0,200}+(?><\?xml.{0,400}?\?>)?(?>\s*<!--.{0,4000}?-->)*+"
    r"(?>\s*<!DOCTYPE[^>\[]{0,1000}+(?:\[.{0,100000}?\]\s*)?>)?",
    re.DOTALL | re.IGNORECASE,
)
"""What stands before the first element; left out, so that no document type reaches the parser."""

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
