"""What a page states about itself: meta elements, JSON-LD, and its short lines of text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from lxml import etree

MOST_LINES = 1_500
"""Pieces of text that are looked through for a date."""

LONGEST_LINE = 200
"""Characters of a line that may hold a date, a source or an author."""

MOST_OBJECTS = 200
"""JSON-LD objects that are looked at."""

FIND_META = etree.XPath("//meta[@content and (@name or @property or @itemprop)]")
FIND_JSON = etree.XPath("//script[@type='application/ld+json']/text()")
FIND_LINES = etree.XPath(
    "//body//text()[string-length(.) > 3 and string-length(.) < 400 and not(parent::script or parent::style"
    " or parent::noscript or parent::textarea or parent::option or parent::a)]"
)


class Line(NamedTuple):
    """A piece of text and its element."""

    text: str
    element: etree._Element


class Statements(NamedTuple):
    """``metas`` by lower-case name (the first of each), ``described`` JSON-LD objects of an article,
    ``lines`` of text short enough for a date or a byline, in page order.
    """

    metas: dict[str, str]
    described: list[dict[str, Any]]
    lines: list[Line]


def read_statements(root: etree._Element) -> Statements:
    """Gather what a page states about itself."""
    return Statements(_metas(root), list(_described(root)), _lines(root))


def _metas(root: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in cast("list[etree._Element]", FIND_META(root)):
        content = " ".join(element.get("content", "").split())[:500]
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        if content:
            found.setdefault(name.strip().lower(), content)
    return found


def _described(root: etree._Element) -> Iterator[dict[str, Any]]:
    """Go through the JSON-LD objects of a page that describe an article."""
    for text in cast("list[str]", FIND_JSON(root))[:20]:
        try:
            value = json.loads(text[:200_000], strict=False)
        except (ValueError, RecursionError):
            continue
        yield from filter(_is_article, _objects(value))


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
            waiting.append(value.get("@graph"))


def _is_article(value: dict[str, Any]) -> bool:
    kind = str(value.get("@type", ""))
    return "Article" in kind or "Posting" in kind or "datePublished" in value or "pubDate" in value


def _lines(root: etree._Element) -> list[Line]:
    lines = []
    for piece in cast("list[Any]", FIND_LINES(root))[:MOST_LINES]:
        text = " ".join(piece.split())
        if 3 < len(text) <= LONGEST_LINE:
            element = piece.getparent()
            lines.append(Line(text, element.getparent() if piece.is_tail else element))
    return lines


def comparable(text: str) -> str:
    """Return letters and digits only, in lower case, to compare titles by."""
    return re.sub(r"[\W_]+", "", text.lower())
