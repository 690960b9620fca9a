"""The dates that the lines of a page state, each with what leads to it and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from focuscrawl.articles.dates.places import header_of
from focuscrawl.articles.dates.words import DIGITS, ENDS_AS_LABEL, IS_LABEL, LABELLED, RANGE_BETWEEN
from focuscrawl.articles.statements import Line
from focuscrawl.text.dates import FoundDate, find_dates, read_date

MOST_DATES = 4
"""Dates of one line that are looked at."""

BEFORE, _AFTER = 24, 12
"""Characters before and after a date that say what it is."""

LONG_LABEL = 20
"""Characters from which a line above a date is more than its label."""


class Stated(NamedTuple):
    """A date in a line: ``before`` is what leads to it, ``after`` what follows. ``shape`` is its line
    and the label above it without their digits; ``headed`` says that its table or list names it.
    """

    date: FoundDate
    line: Line
    place: int
    before: str
    after: str
    shape: str
    headed: bool


def stated_in(lines: list[Line], fetched: float | None, timezone: str) -> Iterator[Stated]:
    """Go through the dates of all lines, a few of each."""
    for place, line in enumerate(lines):
        found = list(islice(find_dates(line.text, timezone=timezone, now=fetched), MOST_DATES))
        compact = not found and line.text.isdecimal() and len(line.text) == 8
        if compact and (whole := read_date(line.text, timezone=timezone, now=fetched)):
            found = [whole]
        end = 0
        label = ""
        found.sort(key=lambda date: date.start)
        for number, date in enumerate(found):
            before = line.text[end : date.start]
            header = ""
            if len(before.strip()) < 2 and not end:
                label = _label_above(lines[place - 1], line) if place else ""
                header = "" if label else header_of(line.element)
                before = label + header + before
            elif number and RANGE_BETWEEN.fullmatch(before):
                before += "至"
            end = date.start + len(date.raw)
            if compact and not LABELLED.search(before):
                continue  # any number
            after = line.text[end : end + _AFTER]
            shape = DIGITS.sub("0", (label if ENDS_AS_LABEL.search(label) else "") + line.text)
            yield Stated(date, line, place, before[-BEFORE:], after, shape, bool(header))


def _label_above(above: Line, line: Line) -> str:
    """Return the line right above a date when it is its label."""
    is_label = len(above.text) < LONG_LABEL and IS_LABEL.search(above.text) is not None
    return above.text if is_label and line.number == above.number + 1 else ""
