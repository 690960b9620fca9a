"""What the block of a post says: who wrote it, when, its number, and its text, which is the place at
which blocks say most that is not repeated.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
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
    path_in,
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
from focuscrawl.pages.selectors import find, text_of
from focuscrawl.pages.texts import element_text, paragraphs
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


class PostBlock(NamedTuple):
    """A block with what was found in it besides text: a date, a name, a number, and their elements."""

    row: BoardRow
    mark: Mark | None = None
    author: str = ""
    named: etree._Element | None = None
    floor: tuple[int, etree._Element] | None = None

    @property
    def marked(self) -> set[etree._Element]:
        """The elements of date, name and number: they are no text."""
        return {
            one
            for one in (self.named, self.mark and self.mark.element, self.floor and self.floor[1])
            if one is not None
        }


def author_of(row: BoardRow) -> tuple[str, etree._Element | None]:
    """Return who wrote a post, and the element of the name; "" when nobody is named."""
    element = next(filter(names_somebody, elements_of(row)), None)
    return (element_text(element), element) if element is not None else ("", None)


def author_selected(
    row: BoardRow, selectors: ForumSelectors, missed: list[str]
) -> tuple[str, etree._Element | None]:
    """Return who wrote a post by its site's selector, without an element, else as found out."""
    if selectors.poster is not None:
        name = next(filter(None, (text_of(one, selectors.poster) for one in row.elements)), "")
        if name:
            return name[:LONGEST_NAME], None
        missed.append("poster")
    return author_of(row)


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


LONGEST_POST = 100_000
ABOUT_SOMEBODY = re.compile(
    r"sign|user|member|avatar|profile|pls|poster|author|rate|tool|button|action|foot|quick",
    re.IGNORECASE,
)
HOLDS_TEXT = re.compile(
    r"content|message|t_f|t_msg|body|post_?text|cooked|wrapper|reply_?con", re.IGNORECASE
)


def islands_in(row: BoardRow, marked: set[etree._Element]) -> Iterator[etree._Element]:
    """Go through the largest elements of a block that hold no name, no date and no number."""
    around = {above for one in marked for above in (one, *one.iterancestors())}
    stack = [*reversed(row.elements)]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str) or element in marked or element in row.others:
            continue
        if element in around:
            stack.extend(reversed(element))
        else:
            yield element


def text_place(blocks: Sequence[PostBlock]) -> tuple[str, ...] | None:
    """Return the place of the text in blocks: that with most to say; what differs, counts."""
    said: dict[tuple[str, ...], set[str]] = defaultdict(set)
    weights: Counter[tuple[str, ...]] = Counter()
    for block in blocks:
        for element in islands_in(block.row, block.marked):
            text = element_text(element)
            place = path_in(element, block.row)
            if text and text not in said[place]:
                said[place].add(text)
                weights[place] += len(text) * worth_of(element)
    return max(weights, key=weights.__getitem__, default=None)


def worth_of(element: etree._Element) -> int:
    """Weigh an element by its class: what is called a message is, what is called a user is not."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    inner = " ".join(one.get("class", "") for one in islice(element.iter("div", "td", "p"), 8))
    if HOLDS_TEXT.search(names) or (HOLDS_TEXT.search(inner) and not ABOUT_SOMEBODY.search(names)):
        return 20
    return 1 if ABOUT_SOMEBODY.search(names) else 4


def says_something(element: etree._Element) -> bool:
    """Whether an element has a text that is not about who wrote it, by its class."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return not ABOUT_SOMEBODY.search(names) and len(element_text(element)) > 1


def text_selected(
    row: BoardRow, selectors: ForumSelectors, missed: list[str]
) -> tuple[str, etree._Element] | None:
    """Return the text of a post by its site's selector and its first element; None: found out."""
    if selectors.post_text is None:
        return None
    found = [one for top in row.elements for one in find(top, selectors.post_text, inside=True)]
    tops = dict.fromkeys(one for one in found if isinstance(one, etree._Element))
    whole = [one for one in tops if tops.keys().isdisjoint(one.iterancestors())]
    if not whole:
        missed.append("post_text")
        return None
    text = "\n".join(paragraphs(deepcopy(one)) for one in whole)
    return text[:LONGEST_POST], whole[0]


def text_in(block: PostBlock, place: tuple[str, ...] | None) -> tuple[str, etree._Element | None]:
    """Return the text of a post and the element that holds it; None: it is spread over the block."""
    marked = block.marked
    for element in islands_in(block.row, marked):
        if path_in(element, block.row) == place:
            return paragraphs(deepcopy(element))[:LONGEST_POST], element
    rest = [piece.text for piece in pieces(block.row) if piece.element not in marked]
    if place is not None:
        rest = [text for text in rest if len(text) > LONGEST_NAME]
    return "\n".join(rest)[:LONGEST_POST], None
