"""What a page states about itself: meta elements, JSON-LD, and its short lines of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple, cast

from lxml import etree

_MOST_LINES = 1_500
"""Pieces of text that are looked through for a date."""

_MOST_PIECES = 10_000
"""Pieces of text among which those are found."""

_LONGEST_LINE = 200
"""Characters of a line that may hold a date, a source or an author."""

MOST_OBJECTS = 200
"""JSON-LD objects that are looked at."""

FIND_META = etree.XPath("//meta[@content and (@name or @property or @itemprop)]")
FIND_JSON = etree.XPath("//script[starts-with(@type, 'application/ld+json')]/text()")
FIND_LINES = etree.XPath(
    f"(//body/descendant::text())[position() <= {_MOST_PIECES}]"
    "[string-length(normalize-space(.)) > 1 and string-length(.) < 400 and not(parent::script or parent::style"
    " or parent::noscript or parent::textarea or parent::option"
    " or (parent::a and (string-length(.) > 28 or not(contains(., '19') or contains(., '20')))))]"
)
"""Texts that are no links; of links those that may be a date, which blogs link to their pages."""

SHORT_LABEL = re.compile(
    r"[时時][间間][:：]?|日期[:：]?|..?[于於]|1[楼樓#]|[楼樓]主|on", re.IGNORECASE
)
"""Texts that are too short for a date and may introduce one."""

INTRODUCES = re.compile(
    r"(?:来源|來源|出处|转自|转载自|作\s*者|撰文|记者|文|source|author)\s*[:：]$|(?:^|\s)(?:posted |written )?by:?$",
    re.IGNORECASE,
)
NO_PART = re.compile(r"[:：。！？!?]|^[\W\d]+$")
_LONGEST_NAME = 40
MOST_BEHIND = 12
"""Texts behind a label in which the name it introduces is looked for."""

WRAPPED = re.compile(r"^\s*(?://\s*)?(?:<!\[CDATA\[|<!--)|(?://\s*)?(?:\]\]>|-->)\s*$")
LAST_COMMA = re.compile(r",(\s*[}\]])")
SAYS_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"]{8,40})"')
SOMETHING_ELSE = frozenset({
    "Comment", "Review", "Person", "Event", "ImageObject", "VideoObject", "AudioObject", "Product", "Book", "Movie", "ListItem",
    "UserComments", "Answer", "Organization", "SoftwareApplication", "MobileApplication", "WebApplication", "VideoGame", "WebSite",
    "Blog", "CollectionPage", "ItemList", "MusicAlbum", "MusicRecording", "MusicGroup", "TVSeries", "TVEpisode", "Course", "Periodical",
    "CreativeWorkSeries", "BookSeries", "MovieSeries", "UserReview", "CriticReview", "AggregateRating", "Offer",
})  # fmt: skip
"""What a page may speak of, and parts of a page: their dates are not the page's."""


class Line(NamedTuple):
    """A piece of text, its element, and which of the page's pieces it is; shorter ones are no lines."""

    text: str
    element: etree._Element
    number: int


class Statements(NamedTuple):
    """``metas`` by lower-case name (the first of each), ``described`` JSON-LD objects of an article,
    ``lines`` of text short enough for a date or a byline, in page order.
    """

    metas: dict[str, str]
    described: list[dict[str, Any]]
    lines: list[Line]


def read_statements(root: etree._Element, url: str = "") -> Statements:
    """Gather what a page states about itself; ``url`` is its address."""
    return Statements(_metas(root), _of_this_page(list(_described(root)), url), _lines(root))


def _metas(root: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in cast("list[etree._Element]", FIND_META(root)):
        content = " ".join(element.get("content", "").split())[:500]
        name = element.get("property") or element.get("name") or ""
        if not name and is_of_something_else(element):
            continue
        name = name or element.get("itemprop", "")
        if content:
            found.setdefault(name.strip().lower(), content)
    return found


def is_of_something_else(element: etree._Element) -> bool:
    """Whether an element is marked as the property of a comment, a book, a product."""
    for above in element.iterancestors():
        if above.get("itemscope") is not None:
            kind = above.get("itemtype", "").rstrip("/").rpartition("/")[2]
            return kind in SOMETHING_ELSE or above.get("itemprop") == "comment"
    return False


def _described(root: etree._Element) -> Iterator[dict[str, Any]]:
    """Go through the JSON-LD objects of a page that describe an article."""
    for text in cast("list[str]", FIND_JSON(root))[:20]:
        objects = list(_objects(_read_json(WRAPPED.sub("", text[:200_000]))))
        names = {str(value["@id"]): value.get("name") for value in objects if "@id" in value}
        for value in filter(_is_article, objects):
            author = value.get("author")
            if isinstance(author, dict) and "name" not in author:
                value["author"] = names.get(str(author.get("@id")))
            yield value


def _read_json(text: str) -> Any:
    """Read what is meant to be JSON. Of what cannot be read its date is taken, if it has one only."""
    for one in (text, LAST_COMMA.sub(r"\1", text)):
        with suppress(ValueError, RecursionError):
            return json.loads(one, strict=False)
    dates = set(SAYS_PUBLISHED.findall(text))
    return {"datePublished": dates.pop()} if len(dates) == 1 else None


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Go through the objects of a JSON-LD value: itself, a list's, a graph's."""
    waiting = [value]
    for _ in range(MOST_OBJECTS):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, list):
            waiting.extend(value[:MOST_OBJECTS])
        elif isinstance(value, dict):
            yield value
            waiting += (value.get("@graph"), value.get("mainEntity"))


def _is_article(value: dict[str, Any]) -> bool:
    kinds = value.get("@type", "")
    kinds = [str(kind) for kind in kinds] if isinstance(kinds, list) else [str(kinds)]
    if any("Article" in kind or "Posting" in kind for kind in kinds):
        return True
    if "Question" in kinds:
        return "dateCreated" in value or "datePublished" in value
    return ("datePublished" in value or "pubDate" in value) and SOMETHING_ELSE.isdisjoint(kinds)


def _of_this_page(described: list[dict[str, Any]], url: str) -> list[dict[str, Any]]:
    """Put first what says that it describes this page; several that name others are a list."""
    path = _path(url)
    own = [value for value in described if path and _path(_address(value)) == path]
    rest = [value for value in described if value not in own]
    others = {address for value in rest if (address := _path(_address(value)))}
    if own or len(others) > 1:
        rest = [value for value in rest if not _path(_address(value))]
    return own + rest


def _address(value: dict[str, Any]) -> str:
    for name in ("url", "mainEntityOfPage", "@id"):
        said = value.get(name)
        said = said.get("@id") if isinstance(said, dict) else said
        if isinstance(said, str) and "://" in said:
            return said
    return ""


def _path(url: str) -> str:
    """Return the path of an address: the host may be that of its page for phones."""
    return url.partition("://")[2].partition("/")[2].partition("#")[0].rstrip("/")


def _lines(root: etree._Element) -> list[Line]:
    lines = []
    for number, piece in enumerate(cast("list[Any]", FIND_LINES(root))[:_MOST_LINES]):
        text = " ".join(piece.split())
        if INTRODUCES.search(text):
            text = f"{text} {_introduced(piece)}".rstrip()
        if 3 < len(text) <= _LONGEST_LINE or SHORT_LABEL.fullmatch(text):
            element = piece.getparent()
            element = element.getparent() if piece.is_tail else element
            lines.append(Line(text, element, number))
    return lines


def _introduced(piece: Any) -> str:
    """Return the name behind a label that ends its piece of text: in the next element, or a link."""
    for text in islice(_texts_behind(piece.getparent(), inside=not piece.is_tail), MOST_BEHIND):
        if text and (name := " ".join(text.split())):
            return name if len(name) <= _LONGEST_NAME and not NO_PART.search(name) else ""
    return ""


def _texts_behind(element: etree._Element, *, inside: bool) -> Iterator[str | None]:
    """Go through the texts in an element and behind it; those behind its tail when not ``inside``."""
    if inside:
        for one in element.iterdescendants():
            yield from (one.text, one.tail)
        yield element.tail
    current: etree._Element | None = element
    while current is not None:
        following = current.getnext()
        if following is None:
            current = current.getparent()
            yield None if current is None else current.tail
            continue
        yield following.text
        for one in following.iterdescendants():
            yield from (one.text, one.tail)
        yield following.tail
        current = following


def comparable(text: str) -> str:
    """Return letters and digits only, in lower case, to compare titles by."""
    return re.sub(r"[\W_]+", "", text.lower())
