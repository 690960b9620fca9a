"""Listings of programs in an article: their lines are the author's, the numbers beside them are not.

Extractors for prose take listings for boxes and drop them; blogs about programming consist of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from focuscrawl.pages.texts import short_text

LONGEST_NUMBERS = 30_000
"""Characters of the line numbers of one listing."""

TAGS = ("td", "th", "pre", "div", "span", "ol", "ul")
"""Elements line numbers stand in."""

GUTTER = re.compile(r"gutter|line-?no|line-?num|linenums|(?:^|[ _-])ln(?:$|[ _-])", re.IGNORECASE)
NUMBERS = re.compile(r"[\d\s]*")


def taken_listings(block: etree._Element) -> str:
    """Take the line numbers out of an element's listings, and return the text of these."""
    if block.find(".//pre") is None and block.find(".//code") is None:
        return ""
    for element in list(_of_numbers(block)):
        if _is_gutter(element):
            for child in list(element):
                element.remove(child)
            element.text = None
    return text_of_listings(block)


def unbox_listings(root: etree._Element) -> None:
    """Put listings in the place of the tables that hold nothing else but the numbers of their lines.

    Readability drops a small table, whatever is in it; a ``pre`` it keeps.
    """
    for table in list(root.iter("table")):
        parent = table.getparent()
        if parent is None or table.find(".//table") is not None:
            continue
        found = [one for one in table.iter("pre") if _is_other("".join(map(str, one.itertext())))]
        if not found or any(_is_other(text) for text in _beside_listings(table)):
            continue
        place = parent.index(table)
        found[-1].tail = table.tail
        parent[place : place + 1] = found


def _beside_listings(table: etree._Element) -> Iterator[str | None]:
    """Go through the texts of a table that stand in no ``pre``."""
    for element in table.iter():
        if element.tag != "pre" and next(element.iterancestors("pre"), None) is None:
            yield element.text
        if element is not table and next(element.iterancestors("pre"), None) is None:
            yield element.tail


def text_of_listings(root: etree._Element) -> str:
    """Return the text of all listings under an element, each once."""
    outermost = (
        one
        for one in root.iter("pre", "code")
        if next(one.iterancestors("pre", "code"), None) is None
    )
    return "\n".join("".join(map(str, one.itertext())) for one in outermost)


def _of_numbers(block: etree._Element) -> Iterator[etree._Element]:
    """Go through the elements that hold nothing but numbers, or nothing."""
    others: set[etree._Element] = set()
    for element in block.iter():
        holds_other = element if _is_other(element.text) else None
        for one in (holds_other, element.getparent() if _is_other(element.tail) else None):
            above = one
            while above is not None and above not in others:  # so each is looked at once
                others.add(above)
                above = above.getparent()
    return (element for element in block.iter(*TAGS) if element not in others)


def _is_other(text: str | None) -> bool:
    return text is not None and NUMBERS.fullmatch(text) is None


def _is_gutter(element: etree._Element) -> bool:
    """Whether numbers are those of lines: they say so, or count from some line on without a gap."""
    above = element.getparent()
    if GUTTER.search(f"{element.get('class')} {None if above is None else above.get('class')}"):
        return True
    numbers = short_text(element, LONGEST_NUMBERS, " ").split()
    if len(numbers) <= 2 or any(len(number) > 6 for number in numbers):
        return False
    first = int(numbers[0])
    return [*map(int, numbers)] == [*range(first, first + len(numbers))]
