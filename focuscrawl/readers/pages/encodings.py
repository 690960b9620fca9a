"""Which encoding a page is really in (C4): what it says is believed only where its bytes agree.

Chinese pages lie: a gb2312 meta over UTF-8 bytes, a server that calls everything ISO-8859-1, a meta
that stands after nine thousand bytes of script. Order of belief: the template, a byte order mark,
bytes that are UTF-8 without a fault, a declaration (header, then page) that decodes without a
fault and belongs to the family the detector names, the detector.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import NamedTuple

from resiliparse.parse.encoding import detect_encoding

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What a page means by a name is the larger set that browsers read it with.
SUPERSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "hz": "gb18030", "big5": "big5hkscs", "cp950": "big5hkscs",
    "shift_jis": "cp932", "euc_kr": "cp949", "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254",
    "tis-620": "cp874", "utf-16": "utf-16-le",
}  # fmt: skip
UNKNOWN_TO_PYTHON = {
    "x-gbk": "gb18030", "gb_2312-80": "gb18030", "utf8mb4": "utf-8", "windows-874": "cp874", "iso-8859-8-i": "iso8859-8",
    "x-mac-cyrillic": "mac-cyrillic", "x-sjis": "cp932", "x-user-defined": "cp1252", "replacement": "utf-8",
}  # fmt: skip
WESTERN = frozenset({"cp1252", "iso8859-15", "mac-roman", "cp1254"})
OF_TWO_BYTES = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"})
DECLARED_IN_PAGE = re.compile(
    rb"""<(?:meta\b[^>]{0,400}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s*=\s*["']?\s*([\w.:-]{2,40})""",
    re.IGNORECASE,
)
DECLARED_IN_HEADER = re.compile(r"""charset\s*+=\s*+["']?\s*+([\w.:-]{2,40})""", re.IGNORECASE)
# Bytes of a page in which a declaration is looked for: real ones stand after 9,000.
DECLARATION_WITHIN = 65_536
MOST_DECLARATIONS = 8
# Share of faults in the bytes above 127 above which bytes are not UTF-8, though the detector says so (0xFF misleads it).
MOST_FAULTS = 0.1
# So many bytes above 127 that happen to be UTF-8 are UTF-8; fewer may be a short GBK text.
CERTAIN_BYTES = 16
_FIRST_BYTES = 2_048  # in which a page of another script than Latin has as many, as a rule


_CHINESE = re.compile(rb"""\blang\s*=\s*["']?zh(?:-(?:cn|hans))?\b""", re.IGNORECASE)
# A run of frequent characters in GBK whose bytes could be UTF-8: 食品 is CA B3 C6 B7.
COMMON_HAN = re.compile(rb"(?<![\x80-\xff])(?:[\xb0-\xd7][\xa1-\xbf]){2,}(?![\x80-\xff])")


class Encoding(NamedTuple):
    """A Python codec's name, and whether the header or the page names another one.

    ``is_faultless``: all bytes were found to be UTF-8, so that none asks again.
    """

    name: str
    contradicts: bool
    is_faultless: bool = False


def codec_name(label: str | None) -> str | None:
    """Return the codec a browser would read ``label`` with, None when there is none."""
    if not label:
        return None
    label = label.strip().lower()
    try:
        name = codecs.lookup(UNKNOWN_TO_PYTHON.get(label, label)).name
        "".encode(name)  # rot13, zlib and the like are codecs too, but not of text
    except (LookupError, ValueError, TypeError):
        return None
    return SUPERSETS.get(name, name)


def declared_in_page(body: bytes) -> str | None:
    """Return the label a page's meta element or XML declaration gives: the first that names an encoding.

    What stands in a comment is no declaration: it is often the one of a template that was taken over.
    """
    first = None
    found = DECLARED_IN_PAGE.finditer(_without_comments(body[:DECLARATION_WITHIN]))
    for declaration in islice(found, MOST_DECLARATIONS):
        label = declaration[1].decode("ascii")
        if codec_name(label):
            return label
        first = first or label
    return first


def _without_comments(markup: bytes) -> bytes:
    """Return markup without its comments; one that never ends is none, for browsers show what follows."""
    parts, at = [], 0
    while (start := markup.find(b"<!--", at)) >= 0 and (end := markup.find(b"-->", start + 2)) >= 0:
        parts.append(markup[at:start])
        at = end + len(b"-->")
    return b"".join((*parts, markup[at:]))


def declared_in_header(content_type: str) -> str | None:
    """Return the charset parameter of a Content-Type."""
    found = DECLARED_IN_HEADER.search(content_type)
    return found.group(1) if found else None


def find_encoding(
    body: bytes,
    *,
    content_type: str = "",
    declared: str | None = None,
    forced: str | None = None,
    url: str = "",
) -> Encoding:
    """Decide how to read a page; ``Document.read`` says what each argument is."""
    if name := codec_name(forced):
        return Encoding(name, contradicts=False)
    in_header = codec_name(declared or declared_in_header(content_type))
    for mark, name in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return Encoding(name, contradicts=in_header not in {None, name})
    in_page = codec_name(declared_in_page(body))
    if in_page and in_page.startswith("utf-16"):
        in_page = "utf-8"  # a declaration that could be read byte by byte cannot be true
    claims = [name for name in (in_header, in_page) if name]
    is_faultless = is_utf8(body)
    name = _decide(body, claims, url, is_faultless=is_faultless)
    families = {_family(claim) for claim in claims}
    contradicts = not body.isascii() and bool(families - {_family(name)})
    return Encoding(name, contradicts, is_faultless=is_faultless)


def _decide(body: bytes, claims: list[str], url: str, *, is_faultless: bool) -> str:
    if body.isascii() and b"\x1b" not in body:
        return next((claim for claim in claims if not claim.startswith("utf-16")), "utf-8")
    if is_faultless:
        return _utf8_or_rival(body, claims, url)
    detected = codec_name(detect_encoding(body)) or "utf-8"
    for claim in claims:
        if _family(claim) == _family(detected) and _decodes(body, claim):
            return claim
    faults = body.decode("utf-8", "replace").count("\ufffd") if detected == "utf-8" else 0
    if faults > MOST_FAULTS * (_high_bytes(body) or 1):
        return next((claim for claim in claims if claim != "utf-8"), "gb18030")
    return detected


def _utf8_or_rival(body: bytes, claims: list[str], url: str) -> str:
    """Decide for UTF-8 where it is claimed or long enough to be no coincidence; of few characters two
    bytes each may be one of GB 18030 or Big5.
    """
    if "utf-8" in claims or any(
        _high_bytes(part) >= CERTAIN_BYTES for part in (body[:_FIRST_BYTES], body)
    ):
        return "utf-8"
    rivals = [name for name in claims if name in OF_TWO_BYTES]
    if not claims and _is_of_china(body, url) and COMMON_HAN.search(body):
        rivals = ["gb18030"]
    return next((name for name in rivals if _decodes(body, name)), "utf-8")


def _is_of_china(body: bytes, url: str) -> bool:
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    return host.endswith(".cn") or _CHINESE.search(body) is not None


def is_utf8(body: bytes) -> bool:
    """Whether the bytes are UTF-8 without a fault; a character cut off at the end is none."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data" and len(body) - error.start <= 3
    return True


def _high_bytes(body: bytes) -> int:
    return len(body) - len(body.decode("ascii", "ignore"))


def _decodes(body: bytes, name: str) -> bool:
    try:
        body.decode(name)
    except UnicodeDecodeError as error:
        return len(body) - error.start <= 3
    return True


def _family(name: str) -> str:
    return "western" if name in WESTERN else name
