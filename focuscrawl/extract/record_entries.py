"""Labels and values over the lines of a page: beside each other, below, above, in a table (C7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lxml import etree

from focuscrawl.extract.record_lines import CELLS, INPUT, JOINT, Line
from focuscrawl.extract.record_rules import FieldRule, FieldType, Found, RecordRules
from focuscrawl.extract.record_segments import Segment, segments
from focuscrawl.extract.record_values import continues_address, find_values, organisation

MOST_ENTRIES = 1_000
"""Values of a page behind labels; as many again without."""

LONGEST_NEAR = 160
"""Characters of a line that may be the value of a label in another line."""

FEWEST_HEADS = 2
"""Labels in a row of a table that make it the head of those below."""

MOST_COLUMNS = 40
GUESSED: tuple[tuple[FieldType, ...], ...] = (("phone", "mobile"), ("email",))
"""Types whose values cannot be anything else, and the fields that take them."""

AROUND = 15
"""Lines around a labelled value in which values without a label are looked for."""

NEAR_TYPES = ("phone", "mobile", "fax", "email")
"""Types of which a list may go on in the next lines."""


SAID = "link"
"""What stands for the label of a value that only a link says."""


class Entry(NamedTuple):
    """A value of a field on the page.

    ``line`` is where it stands, ``place`` the number of its label there. ``sure``: a label of the
    template names it. ``row``: it stands in this row under a head of labels (-1: it does not).
    """

    field: str
    found: Found
    line: Line
    place: int = 0
    sure: bool = True
    row: int = -1


class Dates(NamedTuple):
    """What dates are read by."""

    timezone: str
    now: float | None


class _Page:
    def __init__(self, lines: Sequence[Line], rules: RecordRules, dates: Dates) -> None:
        self.lines = lines
        self.rules = rules
        self.dates = dates
        self.cut = [segments(line.text, rules) for line in lines]
        self.used: set[int] = set()
        self.entries: list[Entry] = []

    def values(self, rule: FieldRule, text: str, *, labelled: bool) -> list[Found]:
        return find_values(
            rule, text, labelled=labelled, timezone=self.dates.timezone, now=self.dates.now
        )

    def add(self, rule: FieldRule, found: Sequence[Found], line: Line, label: str, *, place: int = 0, sure: bool = True, row: int = -1) -> None:  # fmt: skip
        self.entries += [
            Entry(rule.name, one._replace(label=label), line, place, sure, row) for one in found
        ]


def find_entries(lines: Sequence[Line], rules: RecordRules, dates: Dates) -> list[Entry]:
    """Return every value of a page with its label, in reading order."""
    page = _Page(lines, rules, dates)
    headed = _tables(page)
    for line in lines:
        if line.number in headed:
            continue
        for place, segment in enumerate(page.cut[line.number]):
            if segment.fields and len(page.entries) < MOST_ENTRIES:
                _labelled(page, line, segment, place)
    sure = {entry.line.number for entry in page.entries}
    worth = {number + step for number in sure for step in range(-AROUND, AROUND + 1)}
    for line in lines:
        if (
            line.number in worth
            and line.number not in headed
            and len(page.entries) < 2 * MOST_ENTRIES
        ):
            _unlabelled(page, line)
    return sorted(page.entries, key=lambda entry: (entry.line.number, entry.place))


def _labelled(page: _Page, line: Line, segment: Segment, place: int) -> None:
    for name in segment.fields:
        rule = page.rules.by_name[name]
        found = page.values(rule, segment.text, labelled=True)
        last = line.number
        if not found:
            said = [one for one in line.said if one.type == rule.type]
            found = [one for item in said for one in page.values(rule, item.value, labelled=True)]
        if not found and segment.open and not line.linked:
            near = _near(page, line, rule)
            if near is not None:
                found, last = near
                if rule.type != "text":  # a name may have a number behind it
                    page.used.add(last)
        if not found:
            continue
        if rule.type == "address":
            found, last = _continued(page, found, last)
        where = page.lines[max(last, line.number)]
        page.add(rule, found, where, segment.label, place=place if where is line else 0)
        if rule.many and rule.type in NEAR_TYPES:
            _go_on(page, rule, last, segment.label)


def _near(page: _Page, line: Line, rule: FieldRule) -> tuple[list[Found], int] | None:
    """Look for the value of a label that stands alone: below it, or above where the markup says so."""
    below = _below(page, line, rule)
    above = line.number - 1
    value_above: list[Found] = []
    if above >= 0 and above not in page.used and _is_plain(page, above):
        value_above = page.values(rule, page.lines[above].text, labelled=True)
    if value_above:
        nearer = below is None or common_depth(page.lines[above].element, line.element) > common_depth(page.lines[below].element, line.element)  # fmt: skip
        if nearer and _ends_its_box(page, line):
            return value_above, above
    if below is None:
        return None
    text = page.cut[below][0].text
    if len(text) > LONGEST_NEAR:
        return None
    found = page.values(rule, text, labelled=True)
    return (found, below) if found else None


def _below(page: _Page, line: Line, rule: FieldRule) -> int | None:
    """Return the next line that is no label; the same label in another language is passed over."""
    for number in range(line.number + 1, min(line.number + 4, len(page.lines))):
        first = page.cut[number][0]
        if first.fields and rule.name in first.fields and first.open:
            continue
        if INPUT in page.lines[number].text or first.fields:
            return None
        if not first.label:
            return number
        if rule.type not in NEAR_TYPES:
            return None
        page.cut[number][0] = first._replace(label="")
        return number
    return None


def _continued(page: _Page, found: list[Found], last: int) -> tuple[list[Found], int]:
    """Read on in the next line of the same box when an address ends there."""
    number, value = last + 1, str(found[-1].value)
    if number >= len(page.lines) or not _is_plain(page, number):
        return found, last
    line = page.lines[number]
    goes_on = line.element is page.lines[last].element and continues_address(value, line.text)
    if not goes_on:
        return found, last
    page.used.add(number)
    text = line.text.replace(JOINT, " ")
    return [
        *found[:-1],
        found[-1]._replace(value=f"{value} {text}", raw=f"{found[-1].raw} {text}"),
    ], number


def _ends_its_box(page: _Page, line: Line) -> bool:
    """Whether the box that holds a line and the one above ends with it."""
    following = line.number + 1
    if following >= len(page.lines):
        return True
    above = common_depth(page.lines[line.number - 1].element, line.element)
    return common_depth(page.lines[following].element, line.element) < above


def _is_plain(page: _Page, number: int) -> bool:
    cut = page.cut[number]
    return len(cut) == 1 and not cut[0].fields and not cut[0].label


def _go_on(page: _Page, rule: FieldRule, last: int, label: str) -> None:
    """Take the lines below that hold nothing but more values of a list."""
    for number in range(last + 1, min(last + 12, len(page.lines))):
        line = page.lines[number]
        if number in page.used or not _is_plain(page, number):
            return
        found = page.values(rule, line.text, labelled=False)
        if not found or not line.text.replace(JOINT, "").strip().startswith(found[0].raw[:3]):
            return
        page.used.add(number)
        page.add(rule, found, line, label)


def _unlabelled(page: _Page, line: Line) -> None:
    """Take what cannot be anything else: telephone numbers, mail addresses, a name, an address."""
    rules = page.rules
    for place, segment in enumerate(page.cut[line.number]):
        if segment.fields or line.number in page.used:
            continue
        for kinds in GUESSED:
            rule = rules.of_type(*kinds)
            if rule is not None and "labels" in rule.places and not _of_others(segment):
                found = page.values(rule, segment.text, labelled=False)
                page.add(rule, found, line, segment.label, place=place, sure=False)
        address = rules.of_type("address")
        if address is not None and not segment.label and not line.linked:
            found = page.values(address, segment.text, labelled=False)
            last = line.number
            if found:
                found, last = _continued(page, found, last)
            page.add(address, found, page.lines[last], "", sure=False)
        naming = rules.naming
        if naming is not None and not line.linked:
            names = filter(None, map(organisation, re.split(r"[\u200b|｜]", segment.text)))
            page.add(
                naming,
                [Found(name, name) for name in names][:1],
                line,
                segment.label,
                place=place,
                sure=False,
            )
    for said in line.said:
        rule = rules.of_type(said.type)  # type: ignore[arg-type]
        shown = any(
            entry.line is line and entry.field == (rule and rule.name) for entry in page.entries
        )
        if rule is not None and not shown:
            page.add(rule, page.values(rule, said.value, labelled=True), line, SAID, sure=False)


def _of_others(segment: Segment) -> bool:
    return any(
        word in segment.label
        for word in ("账", "帐", "备案", "许可", "注册", "证", "传真", "fax", "Fax", "FAX")
    )


def _tables(page: _Page) -> set[int]:
    """Read tables whose first row names the fields; return the lines of theirs."""
    by_cell: dict[etree._Element, list[int]] = {}
    rows: dict[etree._Element, list[etree._Element]] = {}
    for line in page.lines:
        cell: etree._Element | None = line.element
        if line.element.tag not in CELLS:
            cell = next(line.element.iterancestors("td", "th"), None)
        row = cell.getparent() if cell is not None else None
        if cell is None or row is None or row.tag != "tr":
            continue
        if cell not in by_cell:
            rows.setdefault(row, []).append(cell)
        by_cell.setdefault(cell, []).append(line.number)
    taken: set[int] = set()
    heads: dict[int, FieldRule] = {}
    labels: dict[int, str] = {}
    table: etree._Element | None = None
    for number, (row, cells) in enumerate(rows.items()):
        parent = row.getparent()
        top = next(row.iterancestors("table"), parent)
        if top is not table:
            heads, table = {}, top
        found = _heads(page, row, cells, by_cell)
        if found:
            heads = {column: page.rules.by_name[segment.fields[0]] for column, segment in found}
            labels = {column: segment.label for column, segment in found}
            taken.update(line for cell in cells for line in by_cell[cell])
        elif heads:
            _row(page, row, heads, labels, by_cell, number, taken)
    return taken


def _heads(page: _Page, row: etree._Element, cells: list[etree._Element], by_cell: dict[etree._Element, list[int]]) -> list[tuple[int, Segment]]:  # fmt: skip
    """Return the columns of a row of bare labels; nothing when it is another row."""
    found = []
    for column, cell in _columns(row):
        lines = by_cell.get(cell, [])
        if not lines:
            continue
        cut = page.cut[lines[0]]
        text = page.lines[lines[0]].text
        if cut[-1].fields and cut[-1].open and len(lines) == 1 and len(cut) == 1:
            found.append((column, cut[-1]))
        elif len(text) > 12 or any(character.isdigit() for character in text):
            return []
    names = [segment.fields[0] for _, segment in found]
    enough = len(found) >= FEWEST_HEADS and len(set(names)) == len(names)
    return found if enough and len(found) * 2 > len(cells) else []


def _row(page: _Page, row: etree._Element, heads: dict[int, FieldRule], labels: dict[int, str], by_cell: dict[etree._Element, list[int]], number: int, taken: set[int]) -> None:  # fmt: skip
    for column, cell in _columns(row):
        rule = heads.get(column)
        for line in by_cell.get(cell, []) if rule is not None else []:
            assert rule is not None
            found = page.values(rule, page.lines[line].text, labelled=True)
            if len(page.entries) < MOST_ENTRIES:
                page.add(rule, found, page.lines[line], labels[column], row=number)
            taken.add(line)


def _columns(row: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    column = 0
    for cell in row.iterchildren("td", "th"):
        yield column, cell
        span = cell.get("colspan", "1")
        column += int(span) if span.isdigit() and len(span) < 3 else 1
        if column > MOST_COLUMNS:
            return


def common_depth(one: etree._Element, other: etree._Element) -> int:
    """Return how deep the innermost element lies that holds both."""
    ours = [one, *one.iterancestors()]
    theirs = {other, *other.iterancestors()}
    for depth, element in enumerate(ours):
        if element in theirs:
            return len(ours) - depth
    return 0
