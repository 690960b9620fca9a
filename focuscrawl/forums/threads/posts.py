"""What the block of a post says: who wrote it, when, and its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from lxml import etree

from focuscrawl.forums.elements import (
    LONGEST_NAME,
    BoardRow,
    ForumSelectors,
    TextPiece,
    elements_of,
    names_somebody,
    pieces,
)
from focuscrawl.forums.words import (
    FLOOR_BESIDE,
    LONGEST_FLOOR,
    NAMED_FLOORS,
    NUMBER_ONLY_FLOOR,
    POSTED,
    floor_in,
)
from focuscrawl.pages.selectors import text_of
from focuscrawl.pages.texts import element_text
from focuscrawl.text.dates import FoundDate, find_dates, read_date


class Mark(NamedTuple):
    """A date in a page."""

    element: etree._Element
    date: FoundDate


def dates_in(row: BoardRow, timezone: str, now: float | None, most: int = 400) -> Iterator[Mark]:
    """Go through the elements that say a date, with the time of day or how long ago."""
    for element in islice(elements_of(row), most):
        # Whatever shows "5m" may say the date in its title: <li>, <div>, <small>.
        texts = [element.get("title", ""), element.get("datetime", ""), element.text or ""]
        texts += [child.tail or "" for child in element]
        for text in texts:
            if 3 < len(text.strip()) < LONGEST_NAME:
                date = next(find_dates(text, timezone=timezone, now=now), None)
                if date is not None and date.precision != "month":
                    yield Mark(element, date)
                    break


def author_of(
    row: BoardRow, selectors: ForumSelectors, missed: list[str]
) -> tuple[str, etree._Element | None]:
    """Return who wrote a post, and the element of the name where no selector gave it; "" when nobody."""
    if selectors.poster is not None:
        name = next(filter(None, (text_of(one, selectors.poster) for one in row.elements)), "")
        if name:
            return name[:LONGEST_NAME], None
        missed.append("poster")
    for element in elements_of(row):
        if names_somebody(element):
            return element_text(element), element
    return "", None


def posted_at(
    row: BoardRow,
    mark: Mark | None,
    selectors: ForumSelectors,
    missed: list[str],
    timezone: str,
    now: float | None,
) -> float | None:
    """Return when a post was written, by its site's selector or by its ``mark``."""
    if selectors.posted is not None:
        text = next(filter(None, (text_of(one, selectors.posted) for one in row.elements)), "")
        date = read_date(POSTED.sub("", text), timezone=timezone, now=now) if text else None
        if date is not None:
            return date.seconds
        missed.append("posted")
    if selectors.post is not None:  # its marks were found without a zone
        mark = next(dates_in(row, timezone, now), None)
    return mark.date.seconds if mark is not None else None


def floors_of(rows: Sequence[BoardRow]) -> list[tuple[int, etree._Element] | None]:
    """Return the number each post has on its page; numbers that do not ascend are none."""
    found = [_floor(row) for row in rows]
    numbers = [floor[0] for floor in found if floor]
    if len(set(numbers)) < len(numbers):  # 楼主 is a rank, too
        found = [floor if floor and not floor[2] else None for floor in found]
        numbers = [floor[0] for floor in found if floor]
    rises = all(a < b for a, b in pairwise(numbers))
    falls = all(a > b for a, b in pairwise(numbers))
    return [(floor[0], floor[1]) if floor and (rises or falls) else None for floor in found]


def _floor(row: BoardRow) -> tuple[int, etree._Element, bool] | None:
    named: tuple[int, etree._Element, bool] | None = None
    for piece in pieces(row)[:80]:
        number, element = _floor_of(piece)
        if number is None:
            continue
        if piece.text in NAMED_FLOORS and not piece.text[0].isdigit():
            named = named or (number, element, True)
        else:
            return number, element, False
    return named


def _floor_of(piece: TextPiece) -> tuple[int | None, etree._Element]:
    element = piece.element
    number = floor_in(piece.text)
    if number is not None:
        return number, element
    if not any(map(str.isdigit, piece.text)):
        return None, element
    if len(piece.text) > 12:
        inside = FLOOR_BESIDE.search(piece.text) if len(piece.text) < LONGEST_NAME else None
        dated = inside and next(find_dates(piece.text), None)
        return (int(next(filter(None, inside.groups()))) if inside and dated else None), element
    if (
        piece.text.isdecimal()
        and len(piece.text) <= LONGEST_FLOOR
        and NUMBER_ONLY_FLOOR.search(element.get("class", ""))
    ):
        return int(piece.text), element
    above = element.getparent()
    if above is not None and len(above) <= 3:
        return floor_in(element_text(above).replace(" ", "")), above
    return None, element
