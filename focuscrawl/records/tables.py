"""Tables whose first row names the fields: each row below is a record of its own (C7)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from focuscrawl.records.lines import CELLS
from focuscrawl.records.reading import MOST_ENTRIES, Reading, at
from focuscrawl.records.segments import Segment

FEWEST_HEADS = 2
"""Labels in a row of a table that make it the head of those below."""

LONGEST_HEAD = 12
MOST_COLUMNS = 40

_Lines = dict[etree._Element, list[int]]
"""Numbers of the lines in each cell."""


def read_tables(reading: Reading) -> set[int]:
    """Take the values of such tables; returns the lines that are theirs."""
    by_cell: _Lines = {}
    rows: dict[etree._Element, int] = {}
    for line in reading.lines:
        cell = _cell(line.element)
        row = cell.getparent() if cell is not None else None
        if cell is None or row is None or row.tag != "tr":
            continue
        by_cell.setdefault(cell, []).append(line.number)
        rows.setdefault(row, len(rows))
    taken: set[int] = set()
    heads: dict[int, Segment] = {}
    table: etree._Element | None = None
    for row, number in rows.items():
        around = next(row.iterancestors("table"), None)
        if around is not table:
            heads, table = {}, around
        if found := _heads(reading, row, by_cell):
            heads = found
            taken.update(line for _, cell in _columns(row) for line in by_cell.get(cell, ()))
        elif heads:
            taken |= _read_row(reading, row, heads, by_cell, number)
    return taken


def _cell(element: etree._Element) -> etree._Element | None:
    """Return the cell an element is or stands in."""
    return element if element.tag in CELLS else next(element.iterancestors("td", "th"), None)


def _heads(reading: Reading, row: etree._Element, by_cell: _Lines) -> dict[int, Segment]:
    """Return the columns of a row of bare labels; nothing when it is another row."""
    found: dict[int, Segment] = {}
    filled = 0
    for column, cell in _columns(row):
        lines = by_cell.get(cell, ())
        if not lines:
            continue
        filled += 1
        cut, text = reading.cut[lines[0]], reading.lines[lines[0]].text
        if len(lines) == len(cut) == 1 and cut[0].fields and cut[0].open:
            found[column] = cut[0]
        elif len(text) > LONGEST_HEAD or any(map(str.isdigit, text)):
            return {}
    different = len({segment.fields[0] for segment in found.values()}) == len(found)
    return found if different and FEWEST_HEADS <= len(found) > filled / 2 else {}


def _read_row(
    reading: Reading, row: etree._Element, heads: dict[int, Segment], by_cell: _Lines, number: int
) -> set[int]:
    """Take the values of a row; returns its lines."""
    taken: set[int] = set()
    for column, cell in _columns(row):
        if (head := heads.get(column)) is None:
            continue
        rule = reading.rules.by_name[head.fields[0]]
        for line in by_cell.get(cell, ()):
            taken.add(line)
            if len(reading.entries) < MOST_ENTRIES:
                where = reading.lines[line]
                found = reading.values(rule, where.text, labelled=True)
                reading.add(rule, found, at(where, head.label, row=number))
    return taken


def _columns(row: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    """Go through the cells of a row with their columns."""
    column = 0
    for cell in row.iterchildren("td", "th"):
        yield column, cell
        span = cell.get("colspan", "1")
        column += int(span) if span.isascii() and span.isdigit() and len(span) < 3 else 1
        if column > MOST_COLUMNS:
            return
