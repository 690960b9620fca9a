"""Which numbers in the rows of a board count replies, and which views."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urldefrag

from lxml import etree

from focuscrawl.forums.boards.numbers import Number, NumberPlace, numbers_in
from focuscrawl.forums.elements import BoardRow, elements_of

FRAGMENT = re.compile(r"^(?:reply|comment)s?[_-]?(\d{1,7})$", re.IGNORECASE)
FEWEST_SHARE = 0.6
"""Share of rows that must have a number somewhere for it to be a column nobody labelled."""


class Counts(NamedTuple):
    """What a row counts; None where it does not say."""

    replies: int | None = None
    views: int | None = None


def counts_in(rows: Sequence[tuple[str, BoardRow]], fewest: int) -> list[Counts] | None:
    """Read the counts of rows, given with the addresses their titles lead to.

    ``fewest`` rows are needed where nothing labels a number. None: these are no rows of threads, for
    they count threads.
    """
    heads: dict[etree._Element, list[str]] = {}
    read = [numbers_in(urldefrag(url).url, row, heads) for url, row in rows]
    topics = sum(any(number.says == "topics" for number in numbers) for numbers in read)
    if topics and 2 * topics >= len(rows):
        return None
    told = [_by_fragment(row) for _, row in rows]
    replies = _labelled(read, "replies")
    views = _labelled(read, "views")
    if not any(one is not None for one in (*told, *replies)):
        unlabelled = _unlabelled(read, fewest)
        if unlabelled:
            replies, views = unlabelled
    known = [
        first if first is not None else second for first, second in zip(told, replies, strict=True)
    ]
    known = _none_is_nought(rows, known)
    return [Counts(*pair) for pair in zip(known, views, strict=True)]


def _by_fragment(row: BoardRow) -> int | None:
    """Read #reply35 of an address that leads to the last reply."""
    for element in elements_of(row):
        if element.tag == "a":
            _, mark, fragment = element.get("href", "").rpartition("#")
            if mark and (found := FRAGMENT.match(fragment.strip())):
                return int(found[1])
    return None


def _labelled(rows: Sequence[Sequence[Number]], what: str) -> list[int | None]:
    """Return each row's number of this label, from the place that has it most often."""
    places = Counter(number.place for numbers in rows for number in numbers if number.says == what)
    values: list[int | None] = []
    for numbers in rows:
        own = [number for number in numbers if number.says == what]
        best = max(own, key=lambda number: places[number.place], default=None)
        values.append(best.value if best is not None else None)
    return values


def _unlabelled(
    rows: Sequence[Sequence[Number]], fewest: int
) -> tuple[list[int | None], list[int | None]] | None:
    """Tell replies from views by their size, where no number has a label.

    A number that links to the thread counts its replies. Of two columns the smaller does: whoever
    replies has viewed.
    """
    if len(rows) < fewest:
        return None
    columns: dict[NumberPlace, dict[int, Number]] = {}
    for index, numbers in enumerate(rows):
        for number in numbers:
            if not number.says:
                columns.setdefault(number.place, {}).setdefault(index, number)
    full = [column for column in columns.values() if len(column) >= FEWEST_SHARE * len(rows)]
    full = [column for column in full if not _counts_rows(column)]
    behind = [column for column in full if all(number.behind for number in column.values())]
    full = behind or full
    linked = [column for column in full if all(number.of_title for number in column.values())]
    if not full:
        return None
    replies = (linked or sorted(full, key=_total))[0]
    rest = [column for column in full if column is not replies and _total(column) > _total(replies)]
    views = max(rest, key=_total, default={})

    def values(column: dict[int, Number]) -> list[int | None]:
        return [column[index].value if index in column else None for index in range(len(rows))]

    return values(replies), values(views)


def _total(column: dict[int, Number]) -> int:
    return sum(number.value for number in column.values())


def _counts_rows(column: dict[int, Number]) -> bool:
    """Whether a column numbers the rows: 1, 2, 3, …"""
    values = [number.value for number in column.values()]
    return len(values) > 1 and all(b - a == 1 for a, b in pairwise(values))


def _none_is_nought(
    rows: Sequence[tuple[str, BoardRow]], known: list[int | None]
) -> list[int | None]:
    """A row like the others whose count is left blank has no replies."""
    parents = Counter(
        (row.top.getparent(), row.top.tag)
        for (_, row), value in zip(rows, known, strict=True)
        if value is not None
    )
    return [
        0
        if value is None and parents[row.top.getparent(), row.top.tag] >= max(2, len(rows) // 2)
        else value
        for (_, row), value in zip(rows, known, strict=True)
    ]
