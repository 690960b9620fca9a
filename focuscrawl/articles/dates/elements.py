"""Dates of an article in elements of its page: marked as its date, telling it, or printed in pieces."""

from __future__ import annotations

import re
from itertools import islice
from typing import cast

from lxml import etree

from focuscrawl.articles.dates.lines import MOST_ALIKE
from focuscrawl.articles.dates.places import is_in_sentence
from focuscrawl.articles.dates.words import CHANGED, NOT_IT
from focuscrawl.articles.statements import is_of_something_else
from focuscrawl.articles.surroundings import is_elsewhere
from focuscrawl.pages.texts import short_text
from focuscrawl.text.dates import FoundDate, is_midnight, read_date

MOST_TIMES = 4
"""Time elements of a page from which on they are a list's."""

_MOST_MARKED = 50
"""Marked elements that are looked at."""

_LONGEST_SAID = 200
LONGEST_SPLIT = 40
"""Characters of a date that is printed in pieces, marks between them."""

LONGEST_BEFORE = 30
"""Characters before a time element that say what it is."""

FIND_TIMES = etree.XPath("//time[@datetime or text()]")
_FIND_MARKED = etree.XPath(
    "//body//*[@pubdate or @itemprop[contains(., 'datePublished')] or @property[contains(., 'datePublished')"
    " or (not(parent::meta) and (contains(., 'dc:created') or contains(., 'dcterms:created') or contains(., 'dc:date')))]"
    " or self::abbr[contains(@class, 'published')] or self::time[contains(concat(' ', @class, ' '), ' published ')"
    " or contains(@class, 'dt-published') or contains(@class, 'entry-date')]]"
)
_TELLING = ("title", "data-tooltip", "data-original-title", "aria-label")
TOLD = ("发布", "发表", "创建", "Published", "Posted", "Created")
IS_TOLD = re.compile(rf"""=["'](?:{"|".join(TOLD)})""".encode())
FIND_TOLD = etree.XPath(
    "//body//*["
    + " or ".join(f"starts-with(@{name}, '{word}')" for name in _TELLING for word in TOLD)
    + "]"
)
"""Elements that say when they were published when they are pointed at, whatever they print; rare,
and slow to find: looked for where the markup has them.
"""

FIND_SPLIT = etree.XPath(
    "//body//*[@class[contains(., 'time') or contains(., 'date') or contains(., 'meta')] and *]"
)
_SPLIT = re.compile(r"((?:19|20)\d\d)[\s年/.-]+(\d{1,2})[\s月/.-]+(\d{1,2})(?:\s*日)?(?:\s+(\d{1,2}:\d\d(?::\d\d)?))?")  # fmt: skip
DAY_ABOVE = re.compile(r"(\d{1,2})\s+((?:19|20)\d\d)[年/.-](\d{1,2})月?")
YEAR_BELOW = re.compile(r"(\d{1,2})[-月](\d{1,2})日?\s+((?:19|20)\d\d)年?")
_NAMED_MONTH = re.compile(
    r"[A-Z][a-z]{2,8}\.? \d{1,2} ,? ?(?:19|20)\d\d|\d{1,2} [A-Z][a-z]{2,8}\.? ,? ?(?:19|20)\d\d"
)
"""The day printed large above its year and month, or in other orders."""


def _said_by(element: etree._Element) -> str:
    for name in ("datetime", "content", "title"):
        if said := element.get(name):
            return said
    return short_text(element, _LONGEST_SAID)


def date_in_marked(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return the date of the first element that is marked as that of its article (microdata, RDFa,
    hentry).

    Where many days are marked they are a list's.
    """
    marked = cast("list[etree._Element]", _FIND_MARKED(root))
    dates = [
        found
        for one in marked[:_MOST_MARKED]
        if not is_elsewhere(one, around)
        and not is_of_something_else(one)
        and (found := read_date(_said_by(one), timezone=timezone, now=fetched))
    ]
    days = {date.as_printed()[:10] for date in dates}
    return dates[0] if 0 < len(days) <= MOST_ALIKE else None


def date_in_told(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return the date that an element's title tells with a word for publishing, if it is the only one."""
    told = cast("list[etree._Element]", FIND_TOLD(root))
    found = {
        date.as_printed(): date
        for one in told[:_MOST_MARKED]
        if not is_elsewhere(one, around)
        for name in _TELLING
        if (date := read_date(one.get(name, ""), timezone=timezone, now=fetched))
    }
    if len(found) != 1:
        return None
    date = next(iter(found.values()))
    return date._replace(precision="day") if is_midnight(date, timezone) else date


def date_in_pieces(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return a date whose year, month and day stand in elements of their own."""
    blocks = cast("list[etree._Element]", FIND_SPLIT(root))
    found = []
    for block in blocks[:_MOST_MARKED]:
        text = short_text(block, LONGEST_SPLIT, " ")
        if is_elsewhere(block, around):
            continue
        if match := _SPLIT.fullmatch(text):
            year, month, day, clock = match.groups(default="")
        elif match := DAY_ABOVE.fullmatch(text):
            day, year, month, clock = *match.groups(), ""
        elif match := YEAR_BELOW.fullmatch(text):
            month, day, year, clock = *match.groups(), ""
        elif not _NAMED_MONTH.fullmatch(text):
            continue
        whole = f"{year}-{month}-{day} {clock}".strip() if match else text
        if date := read_date(whole, timezone=timezone, now=fetched):
            found.append(date)
    days = {date.as_printed()[:10] for date in found}
    return found[0] if len(days) == 1 and len(found) <= MOST_ALIKE else None


def date_in_times(
    root: etree._Element,
    around: frozenset[etree._Element],
    fetched: float | None,
    timezone: str,
) -> FoundDate | None:
    """Return the date of the page's first time element above the end of its text, unless there are
    many (a list's) or it stands in another part of the page.
    """
    times = cast("list[etree._Element]", FIND_TIMES(root))
    if len(times) > MOST_TIMES:
        return None
    for element in times:
        names = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
        if CHANGED.search(names) or is_elsewhere(element, around) or _is_listed(element):
            continue
        if NOT_IT.search(_text_before(element)[-LONGEST_BEFORE:]) or is_in_sentence(element):
            continue
        if found := read_date(_said_by(element), timezone=timezone, now=fetched):
            return found
    return None


def _is_listed(element: etree._Element) -> bool:
    """Whether an element stands beside a link in an item of a list."""
    item = next((up for up in islice(element.iterancestors(), 4) if up.tag == "li"), None)
    return item is not None and item.find(".//a[@href]") is not None


def _text_before(element: etree._Element) -> str:
    """Return what is printed right before an element, in its parent or in its neighbour."""
    beside, above = element.getprevious(), element.getparent()
    if beside is None:
        return (above.text or "").strip() if above is not None else ""
    return (beside.tail or "").strip() or short_text(beside, _LONGEST_SAID)
