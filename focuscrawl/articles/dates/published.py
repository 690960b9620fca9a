"""When an article was published, by what its page says; never guessed.

Order of belief: JSON-LD and meta elements made for it, elements marked as its date, a line near
the title that reads like one (发布/来源/时间), a time element, what the page states of itself in
other ways, the address. A page that shows no date has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from focuscrawl.articles.dates.elements import (
    IS_TOLD,
    date_in_marked,
    date_in_pieces,
    date_in_times,
    date_in_told,
)
from focuscrawl.articles.dates.lines import date_in_lines
from focuscrawl.articles.dates.statements import (
    date_in_described,
    date_in_less_telling,
    date_in_metas,
    date_in_scripts,
    date_of_change,
)
from focuscrawl.articles.statements import Line, Statements
from focuscrawl.articles.surroundings import Surroundings
from focuscrawl.pages.document import Document
from focuscrawl.text.dates import FoundDate, date_in_address, find_dates, in_zone

_MOST_LINES = 200
"""Lines that are searched for a day that is printed."""


def find_published(
    document: Document,
    stated: Statements,
    place_of: Surroundings,
    *,
    fetched: float | None,
    timezone: str,
) -> tuple[FoundDate | None, str]:
    """Return the date and how it was found: json-ld, meta, rule or url."""
    for found, way in _found(document, stated, place_of, fetched, timezone):
        if found is not None:
            return _as_read(found, stated.lines, fetched, timezone), way
    return None, ""


def _found(
    document: Document,
    stated: Statements,
    place_of: Surroundings,
    fetched: float | None,
    timezone: str,
) -> Iterator[tuple[FoundDate | None, str]]:
    """Go through the ways in which a date may be found, the most believed first."""
    root, around = document.root, place_of.around
    yield date_in_described(stated, fetched, timezone), "json-ld"
    yield date_in_metas(stated, fetched, timezone), "meta"
    yield date_in_marked(root, around, fetched, timezone), "rule"
    if IS_TOLD.search(document.markup):
        yield date_in_told(root, around, fetched, timezone), "rule"
    yield date_in_lines(stated.lines, place_of, fetched, timezone), "rule"
    yield date_in_pieces(root, around, fetched, timezone), "rule"
    yield date_in_times(root, around, fetched, timezone), "rule"
    yield date_in_less_telling(stated, fetched, timezone), "meta"
    yield date_in_scripts(root, fetched, timezone), "rule"
    yield date_of_change(stated, place_of, fetched, timezone), "meta"
    yield date_in_address(document.url, timezone=timezone, now=fetched), "url"


def _as_read(
    found: FoundDate, lines: list[Line], fetched: float | None, timezone: str
) -> FoundDate:
    """Return a date in the topic's zone when it is stated in UTC and the page prints the topic's day.

    Programs write 2019-03-04T16:00:00Z for what readers in Shanghai see as the fifth.
    """
    here = in_zone(found, timezone)
    day, stated_day = here.as_printed()[:10], found.as_printed()[:10]
    if found.offset != 0 or found.precision == "day" or day == stated_day:
        return found
    for line in lines[:_MOST_LINES]:
        for printed in find_dates(line.text, timezone=timezone, now=fetched):
            if printed.as_printed()[:10] in {day, stated_day}:
                return here if printed.as_printed()[:10] == day else found
    return found
