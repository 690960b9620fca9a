"""What a page says of people and of time, element by element, taken once for all ways to cut it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.features.forums.elements import LONGEST_NAME, UNREAD
from focuscrawl.features.forums.threads.authors import PersonName, name_in
from focuscrawl.features.forums.threads.times import DayOrder, Stamp, moments_by, stamp_in
from focuscrawl.features.forums.words import floor_in

MOST_ELEMENTS = 20_000  # of a page; the largest of 900 real pages has 12,000
_NO_PROSE = (UNREAD - {"noscript"}) | {"a", "svg", "iframe"}
# post_123, p123, comment-12, answer-7: one of many that software counts.
_NUMBERED_ID = re.compile(r"([a-z][a-z_-]*?)[_-]?(\d{1,12})", re.IGNORECASE)


class Outline(NamedTuple):
    """``elements`` in the page's order, ``above`` the place of each one's parent (-1: none),
    ``prose`` the characters of its own text outside of links, names, times and numbers.
    """

    elements: list[etree._Element]
    above: list[int]
    prose: list[int]
    names: dict[int, PersonName]
    stamps: dict[int, Stamp]
    floors: dict[int, int]
    numbered: dict[int, str]


def outline_of(
    root: etree._Element, timezone: str, now: float | None, order: DayOrder = None
) -> Outline:
    """Look at each element of a page once; ``order`` is that of day and month in 03/04/2026."""
    outline = Outline([], [], [], {}, {}, {}, {})
    elements, places = outline.elements, {}
    silent: list[bool] = []
    moment_of = moments_by(timezone, now, order)
    for element in islice(_read(root), MOST_ELEMENTS):
        place = len(elements)
        places[element] = place
        elements.append(element)
        parent = element.getparent()
        above = places.get(parent, -1) if parent is not None else -1
        outline.above.append(above)
        silent.append(element.tag in _NO_PROSE or (above >= 0 and silent[above]))
        said = _said(element)
        outline.prose.append(0 if silent[place] else len(said))
        name = name_in(element)
        if name is not None:
            outline.names[place] = name
        stamp = stamp_in(element, moment_of)
        if stamp is not None:
            outline.stamps[place] = stamp
        floor = floor_in(said) if 0 < len(said) <= 12 else None
        if floor is not None:
            outline.floors[place] = floor
        if (name or stamp or floor is not None) and len(said) <= LONGEST_NAME:
            outline.prose[place] = 0
        numbered = _NUMBERED_ID.fullmatch(element.get("id", "")[:40])
        if numbered:
            outline.numbered[place] = numbered[1].lower()
    return outline


def _read(root: etree._Element) -> Iterator[etree._Element]:
    """Go through what may be seen."""
    stack = [root]
    while stack:
        element = stack.pop()
        if isinstance(element.tag, str) and element.tag not in {"script", "style", "head"}:
            yield element
            stack.extend(reversed(element))


def _said(element: etree._Element) -> str:
    """Return an element's own text."""
    pieces = [element.text or "", *(child.tail or "" for child in element)]
    return " ".join(" ".join(pieces).split())
