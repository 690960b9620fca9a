"""What the place of a date on its page says of it: its cell, its paragraph, the parts around it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from focuscrawl.articles.dates.words import ISSUE, SENTENCE_END, WEATHER, WEEKDAY, WRITTEN_AT
from focuscrawl.articles.statements import Line
from focuscrawl.articles.surroundings import HEADINGS, Surroundings
from focuscrawl.pages.texts import short_text

MOST_LINKS_BETWEEN = 5
"""Links between a date and the title below it, or beside it, from which on it is the page's."""

LINE_OF_ITS_OWN = 2
"""Characters a line may have beside a date that stands alone."""

LONGEST_SIGNED = 12
"""Characters a line may have beside a date when it stands at the right or says where it was written."""

LONGEST_META = 100
"""Characters of a paragraph that holds a date and what else is said of an article."""

LONG_SENTENCE = 60
"""Characters of a paragraph from which it is a sentence when it ends like one."""

_LONGEST_HEADER = 20
"""Characters of what names a cell of a table."""

MOST_CELLS = 30
"""Cells of a row, or terms of a list, before the one that is named by its table."""

MOST_WITHIN = 200
"""Elements of a part of a page among which its heading is looked for."""

_MOST_ABOVE = 6
"""Elements around a date in which its heading may stand."""


def header_of(element: etree._Element) -> str:
    """Return what a table or list of terms calls the cell an element stands in, "" for no header."""
    for cell in (element, *islice(element.iterancestors(), 2)):
        if cell.tag not in {"td", "dd"}:
            continue
        before = list(islice(cell.itersiblings(preceding=True), MOST_CELLS))
        beside = [one for one in before if one.tag in {"th", "dt"}]
        row = cell.getparent()
        if not beside and cell.tag == "td" and row is not None:
            table = row.getparent()
            first = row if table is None else next(iter(table))
            column = islice(first, len(before), len(before) + 1)
            beside = [one for one in column if one.tag == "th"]
        return short_text(beside[0], _LONGEST_HEADER) if beside else ""
    return ""


def heading_beside(element: etree._Element) -> etree._Element | None:
    """Return the first heading in the smallest part of the page around an element that has one."""
    for above in islice(element.iterancestors(), _MOST_ABOVE):
        for one in islice(above.iter(), MOST_WITHIN):
            if one.tag in HEADINGS:
                return one
    return None


def is_in_sentence(element: etree._Element) -> bool:
    """Whether an element stands in a paragraph, which what stands around it makes long."""
    above = element.getparent()
    if above is None or above.tag != "p" or element.tag == "br":
        return False
    text = short_text(above, LONGEST_META)
    is_long = not text or (len(text) >= LONG_SENTENCE and SENTENCE_END.search(text) is not None)
    return is_long and above.find("br") is None


def is_signature(line: Line, after: str, rest: int, place_of: Surroundings) -> bool:
    """Whether a date stands alone among the paragraphs, as under a notice, at the right or with the
    place where the article was written. ``rest`` is the length of its line without it.
    """
    element = line.element
    above = element.getparent()
    if rest > LINE_OF_ITS_OWN:
        places = (element,) if above is None else (element, above)
        at_right = any(_is_at_right(one) for one in places)
        if rest > LONGEST_SIGNED or not (at_right or WRITTEN_AT.match(after)):
            return False
    if element.find("a[@href]") is not None:
        return False  # a list's, beside its link
    return element in place_of.prose or (above is not None and above in place_of.prose)


def _is_at_right(element: etree._Element) -> bool:
    style = element.get("style", "").replace(" ", "").lower()
    return element.get("align", "").lower() == "right" or "text-align:right" in style


def is_the_pages(line: Line, place_of: Surroundings) -> bool:
    """Whether a date above the title is today's, as sites print it beside their menu."""
    text, element = line.text, line.element
    if ISSUE.search(text):
        return False
    if element.find("a[@href]") is not None:
        return True  # of what the link leads to
    for above in islice(element.iterancestors(), 3):
        if above in place_of.around:
            break
        if WEEKDAY.search(text) and len(above.findall(".//a[@href]")) >= MOST_LINKS_BETWEEN:
            return True
    links = 0
    for following in islice(_behind(element), 2_000):
        if following in place_of.around and following.tag not in {"body", "html"}:
            break
        links += following.tag == "a"
        if links >= MOST_LINKS_BETWEEN:
            return True
    return links > 0 and (WEEKDAY.search(text) or WEATHER.search(text)) is not None


def _behind(element: etree._Element) -> Iterator[etree._Element]:
    """Go through the elements in one and after it in the order of the page."""
    yield from element.iterdescendants()
    current: etree._Element | None = element
    while current is not None:
        following = current.getnext()
        if following is not None:
            yield from following.iter()
        current = following if following is not None else current.getparent()
