"""A fetched page, read once: its encoding, its element tree, its base address, its title.

Every page is hostile. What could cost more than its size allows is cut before the parser sees it:
markup past four megabytes or 120,000 elements, an element with hundreds of attributes, nesting past
256 levels (2048 on small pages, where it cannot be made to hurt). The parser compares each attribute
of an element with all before it: four megabytes of them keep it busy for hours. Nothing can stop it
then, so it must not begin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import md5
from itertools import islice
from typing import cast
from urllib.parse import quote_from_bytes, urljoin, urlsplit

import can_ada
import numpy as np
from lxml import etree
from numpy.typing import NDArray

from focuscrawl.readers.pages.encodings import Encoding, find_encoding, is_utf8
from focuscrawl.readers.pages.markup.dialogs import drop_boxes, find_boxes, may_have_boxes
from focuscrawl.readers.pages.markup.hidden_mail import shown_mail
from focuscrawl.readers.pages.texts import MOST_BLANKS, element_text

# Elements times depth from which resiliparse takes more than about half a second.
_MOST_STEPS = 4_000_000
LESS_THAN, SLASH, GREATER_THAN = ord("<"), ord("/"), ord(">")
LOWER_CASE, LETTERS = 0x20, 26

MOST_ATTRIBUTES = 300  # attributes one element may have; real ones have a dozen
# Elements of a page that are read: fifteen readers go through all of them, each in some
# microseconds an element. Of 900 real pages the largest has 12,000.
MOST_TAGS = 120_000
_LONGEST_TAG_NAME = 8  # letters of an element's name that are compared
_MOST_TAG_NAMES = 200  # names of elements one page uses; real ones have thirty
FEWEST_SUSPECT = 20_000  # bytes under which no element can have enough attributes to hurt
ATTRIBUTE = (
    rb"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|["'][^>]*+))?+"""
)
FEW_ATTRIBUTES = rb"(?:%b){0,%d}+(?!%b)" % (ATTRIBUTE, MOST_ATTRIBUTES, ATTRIBUTE)
RAW_TEXT = b"|".join(
    rb"(?><%b(?=[\s/>])%b[^>]*+>(?:[^<]++|<(?!/%b))*+)" % (name, FEW_ATTRIBUTES, name)
    for name in (b"script", b"style", b"textarea", b"title")
)
# Matches a page up to its first element with too many attributes, in linear time. Comments,
# scripts and their like are passed over as the parser passes them over: ``i<a.length`` opens no
# element there. Possessive throughout, so that nothing is looked at twice.
_HARMLESS = re.compile(
    rb"(?:[^<]++|(?><!--(?:-?>|.*?(?:--!?>|\Z)))|%b|<[a-zA-Z][^\s/>]*+%b|<(?![a-zA-Z]))*+"
    % (RAW_TEXT, FEW_ATTRIBUTES),
    re.DOTALL | re.IGNORECASE,
)


def harmless_length(markup: bytes) -> int:
    """Return how many bytes stand before the first element that would keep the parser busy."""
    if len(markup) <= FEWEST_SUSPECT:
        return len(markup)
    found = _HARMLESS.match(markup)
    return found.end() if found else 0


def length_of_tags(markup: bytes) -> int:
    """Return how many bytes stand before the first element that is one too many."""
    if markup.count(b"<") <= MOST_TAGS:
        return len(markup)
    behind, _, starts = _tags(markup)
    opened = behind[starts]
    return int(opened[MOST_TAGS]) - 1 if len(opened) > MOST_TAGS else len(markup)


def _tags(markup: bytes) -> tuple[NDArray[np.intp], NDArray[np.uint8], NDArray[np.bool_]]:
    """Return the places behind each <, what stands there, and whether a start tag's name does."""
    octets = np.frombuffer(markup, dtype=np.uint8)
    behind = np.flatnonzero(octets[:-1] == LESS_THAN) + 1
    letters = octets[behind]
    # Unsigned: what is below a is far above z.
    return behind, letters, (letters | LOWER_CASE) - ord("a") < LETTERS


def _greatest_depth(
    markup: bytes,
    behind: NDArray[np.intp],
    ends: NDArray[np.bool_],
    starts: NDArray[np.bool_],
) -> int:
    """Return how deep elements nest at most: of each name, start tags less end tags so far.

    An end tag closes nothing of another name: eight thousand ``<div></h1>`` are as deep as that.
    """
    octets = np.append(
        np.frombuffer(markup, dtype=np.uint8), np.zeros(_LONGEST_TAG_NAME + 1, np.uint8)
    )
    names, is_name = np.zeros(len(behind), np.uint64), starts | ends
    for place in range(_LONGEST_TAG_NAME):
        letter = octets[behind + ends + place] | LOWER_CASE
        is_name = is_name & (letter > SLASH) & (letter != GREATER_THAN)
        names = names << np.uint64(8) | np.where(is_name, letter, 0).astype(np.uint64)
    known, which = np.unique(names, return_inverse=True)
    if len(known) > _MOST_TAG_NAMES:
        return int(starts.sum())
    step = starts.astype(np.int64) - ends
    total = np.zeros(len(behind), np.int64)
    for name in range(len(known)):
        own = np.cumsum(np.where(which == name, step, 0))
        total += own - np.minimum(np.minimum.accumulate(own), 0)
    return int(total.max(initial=0))


def is_quickly_read(markup: bytes) -> bool:
    """Whether resiliparse reads UTF-8 markup as it is in well under a second.

    It takes minutes for what is nested ten thousand deep, and as long as any parser for an element
    of many attributes. Elements that have no end tag count as open to the end, so that some large
    pages are called slow that are not.
    """
    behind, letters, starts = _tags(markup)
    opened = behind[starts]
    if len(opened) ** 2 > _MOST_STEPS:
        depth = _greatest_depth(markup, behind, letters == SLASH, starts)
        if depth * len(opened) > _MOST_STEPS:
            return False
    ends = np.append(opened[1:], len(markup))
    for start in np.flatnonzero(ends - opened > FEWEST_SUSPECT):
        begin, end = int(opened[start]) - 1, int(ends[start]) - 1
        found = _HARMLESS.match(markup, begin, end)
        if found is None or found.end() < end:
            return False
    return True


MOST_MARKUP = 4_000_000  # bytes of a page that are parsed; the rest is not read
# Bytes of a page that is parsed again, eight times as deep, when it is nested past 256 levels.
MOST_DEEP_MARKUP = 300_000
# Control characters become blanks: a tree can be read with them but not written back.
WITHOUT_CONTROLS = bytes(
    32 if (code < 32 and code not in b"\t\n\r") or code == 127 else code for code in range(256)
)
MOST_SCRIPTS, _MOST_IMAGES = 50, 100  # those of a page that count in its digest
LEAST_TEXT = 40  # bytes without blanks that a page must show to be told from another
_LONGEST_TITLE = 1_000  # characters of a title


@dataclass(frozen=True, slots=True)
class Document:
    """A page whose bytes have been read. ``root`` is shared: copy it before a change.

    ``encoding`` is a Python codec's name; ``contradicts`` says that header or page name another.
    ``markup`` is what was parsed, as UTF-8. ``base_url`` is where its links start from.
    ``limits`` names in words what was cut, empty for nearly every page.
    """

    url: str
    encoding: str
    contradicts: bool
    markup: bytes
    root: etree._Element
    base_url: str
    title: str
    limits: tuple[str, ...] = ()

    @classmethod
    def read(
        cls,
        body: bytes,
        *,
        url: str,
        content_type: str = "",
        declared: str | None = None,
        forced: str | None = None,
        found: Encoding | None = None,
    ) -> Document:
        """Decide the encoding (C4) and parse; never fails, an unreadable page is an empty one.

        ``content_type`` is the response's header. ``declared`` is an encoding the server named
        elsewhere and stands for the header's; ``forced`` is the template's word and is obeyed.
        ``found`` is find_encoding's answer when that has been asked before.
        """
        limits: list[str] = []
        if len(body) > MOST_MARKUP:
            limits.append(f"cut: {MOST_MARKUP} of {len(body)} bytes read")
            body = body[:MOST_MARKUP]
        encoding = found or find_encoding(
            body, content_type=content_type, declared=declared, forced=forced, url=url
        )
        markup = shown_mail(_as_utf8(body, encoding))
        end = harmless_length(markup)
        if end < len(markup):
            limits.append(f"cut: over {MOST_ATTRIBUTES} attributes in one tag")
            markup = markup[:end]
        end = length_of_tags(markup)
        if end < len(markup):
            limits.append(f"cut: first {MOST_TAGS} elements read")
            markup = markup[:end]
        root = _parse(markup, limits)
        if not limits and may_have_boxes(markup) and find_boxes(root):
            markup = _without_boxes(markup)
            root = _parse(markup, limits)
        return cls(
            url=url,
            encoding=encoding.name,
            contradicts=encoding.contradicts,
            markup=markup,
            root=root,
            base_url=_base_url(root, url, encoding.name),
            title=_title(root),
            limits=tuple(limits),
        )


def fresh_root(markup: bytes, parser: etree.HTMLParser) -> etree._Element:
    """Parse UTF-8 markup; markup without any element gives an empty body."""
    try:
        root = etree.fromstring(_without_early_ends(markup), parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        root = None
    if root is None:
        return etree.fromstring(b"<html><body></body></html>", parser)
    _move_out_of_head(root)
    body, *others = cast("list[etree._Element]", _FIND_BODIES(root)) or [root]
    for one in others:
        # Two pages in one, as frames and includes leave them. //body/descendant::text() goes by the square
        # of what two bodies hold together: .97 s for a page of 50,000 elements.
        one.tag = "div"
        if body not in one.iterancestors():
            body.append(one)
    return root


OF_HEAD = frozenset(
    (
        "title",
        "meta",
        "link",
        "script",
        "style",
        "base",
        "noscript",
        "template",
        "object",
        "bgsound",
    )
)


def _move_out_of_head(root: etree._Element) -> None:
    """Put into the body what libxml2 left in the head: it knows no header, main or article, with which a page
    without <body> may begin.
    """
    head = root.find("head")
    first = None if head is None else next((one for one in head if one.tag not in OF_HEAD), None)
    if head is None or first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    text, body.text = body.text, None
    moved = [first, *first.itersiblings()]
    for place, one in enumerate(moved):
        body.insert(place, one)
    moved[-1].tail = f"{moved[-1].tail or ''}{text or ''}" or None


# Ends of the page. Browsers show what stands behind them as if they were not there; libxml2 stops at </html>.
_END_TAGS = re.compile(rb"</(?:html|body)(?:\s[^>]{0,100}+)?>", re.IGNORECASE)
_NOTHING_MORE = re.compile(
    rb"(?:%b|\s++|<!--(?:(?!-->).){0,5000}+-->)*+\Z" % _END_TAGS.pattern, re.IGNORECASE | re.DOTALL
)


def _without_early_ends(markup: bytes) -> bytes:
    """Return markup without the ends of the page that stand before its end, as includes leave them."""
    first = _END_TAGS.search(markup)
    if first is None or _NOTHING_MORE.match(markup, first.start()):
        return markup
    return _END_TAGS.sub(b"", markup)


PARSER = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
DEEP_PARSER = etree.HTMLParser(
    encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True
)
_WITH_COMMENTS = etree.HTMLParser(encoding="utf-8", remove_pis=True)
_FIND_BODIES = etree.XPath("/descendant::body")
FIND_BASE = etree.XPath("string(//base[@href][1]/@href)")


def text_digest(document: Document) -> bytes:
    """Return the MD5 of what a page shows: its title and text without scripts, its images' addresses.

    Two pages with the same are one page to who reads them. b"" when there is next to nothing. Made
    of every new page: 30 µs for 14 kB, a hundredth of what a page costs at least.
    """
    root = document.root
    text: bytes = etree.tostring(root, encoding="utf-8", method="text", with_tail=False)
    for element in islice(root.iter("script", "style", "noscript"), MOST_SCRIPTS):
        if element.text:
            text = text.replace(element.text.encode("utf-8", "replace"), b"", 1)
    if len(text) < MOST_BLANKS * LEAST_TEXT and sum(map(len, text.split())) < LEAST_TEXT:
        return b""
    images = islice(root.iter("img"), _MOST_IMAGES)
    shown = "\n".join([document.title, *(image.get("src", "") for image in images)])
    return md5(text + shown.encode("utf-8", "replace"), usedforsecurity=False).digest()


def _as_utf8(body: bytes, encoding: Encoding) -> bytes:
    if encoding.name == "utf-8":
        body = body.removeprefix(b"\xef\xbb\xbf")
        if not (encoding.is_faultless or is_utf8(body)):
            body = body.decode("utf-8", "replace").encode()
    else:
        body = body.decode(encoding.name, "replace").encode("utf-8", "replace")
    return body.translate(WITHOUT_CONTROLS)


def _parse(markup: bytes, limits: list[str]) -> etree._Element:
    root = fresh_root(markup, PARSER)
    if _too_deep(PARSER):
        if len(markup) <= MOST_DEEP_MARKUP:
            root = fresh_root(markup, DEEP_PARSER)
            if not _too_deep(DEEP_PARSER):
                return root
        limits.append("cut: nested too deep")
    return root


def _without_boxes(markup: bytes) -> bytes:
    """Return markup without the boxes that lie over the page; comments stay, forums hide lists in them."""
    root = fresh_root(markup, _WITH_COMMENTS)
    drop_boxes(root)
    return etree.tostring(root, encoding="utf-8", method="html")


def _too_deep(parser: etree.HTMLParser) -> bool:
    log = parser.error_log
    return len(log) > 0 and "xcessive depth" in log[-1].message


def _base_url(root: etree._Element, url: str, encoding: str) -> str:
    href = cast("str", FIND_BASE(root))
    return (Joiner(url, encoding).join(href) or url) if href else url


def _title(root: etree._Element) -> str:
    for element in islice(root.iter("title"), 20):
        if not any(above.tag == "svg" for above in element.iterancestors()):  # a drawing's
            return element_text(element)[:_LONGEST_TITLE]
    return ""


_NUMBER_AT_END = re.compile(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)\.?(?::\d{1,5})?", re.IGNORECASE)
"""A host whose last part is a number is an IPv4 address, or none that answers (192.168.0.257)."""

_HOST_AND_PORT = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?(:\d{1,5})?", re.IGNORECASE)
_LONGEST_REFERENCE = (
    8_192  # characters of an address; longer ones are dropped (servers refuse them)
)
QUERY_SAFE = "!$&'()*+,-./:;=?@_~%[]{}|^`\\"


class Joiner:
    """Joins what a page's links say to the page's base address; http and https only.

    ``encoding`` is the page's: characters outside ASCII in a query are escaped in it (so a GBK
    page's ``?k=中文`` becomes ``?k=%D6%D0%CE%C4``), those in a path always in UTF-8.
    """

    __slots__ = ("_base", "_encoding", "base_url")

    def __init__(self, base_url: str, encoding: str = "utf-8") -> None:
        self.base_url = base_url
        self._encoding = None if encoding.startswith("utf-") else encoding
        try:
            self._base: can_ada.URL | None = can_ada.parse(base_url)
        except ValueError:
            self._base = None

    def join(self, reference: str) -> str | None:
        """Return the absolute address without its fragment, None when there is nothing to fetch."""
        if reference[:1] == "#" or len(reference) > _LONGEST_REFERENCE:
            return None
        if self._encoding and not reference.isascii():
            reference = _query_escaped(reference, self._encoding)
        url = self._absolute(reference)
        if url is None or not url.startswith(("http://", "https://")):
            return None
        return url.partition("#")[0] if "#" in url else url

    def _absolute(self, reference: str) -> str | None:
        try:
            if self._base is not None:
                return str(self._base + reference)
        except ValueError:
            pass  # a host that is no legal name may still be one that answers
        try:
            url = urljoin(self.base_url, reference.strip())
            host = urlsplit(url).netloc
        except ValueError:
            return None
        is_host = _HOST_AND_PORT.fullmatch(host) and not _NUMBER_AT_END.fullmatch(host)
        return url if is_host and url.isascii() and " " not in url else None


def _query_escaped(reference: str, encoding: str) -> str:
    before, mark, query = reference.partition("?")
    if not mark or query.isascii():
        return reference
    query, mark, fragment = query.partition("#")
    data = query.encode(encoding, "xmlcharrefreplace")
    return f"{before}?{quote_from_bytes(data, QUERY_SAFE)}{mark}{fragment}"
