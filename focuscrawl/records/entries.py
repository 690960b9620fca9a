"""Values of fields over the lines of a page (C7): behind their labels, below or above them, in tables whose
first row names the fields; then without a label, where nothing else can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from focuscrawl.records.field_values import Found, find_values
from focuscrawl.records.lines import CELLS, INPUT, JOINT, RecordLine
from focuscrawl.records.names import continues_address, organisation
from focuscrawl.records.segments import Segment, segments

if TYPE_CHECKING:
    from focuscrawl.records.table import FieldType, RecordField, RecordTable

MOST_ENTRIES = 1_000  # values of a page behind labels; as many again without
SAID = "link"  # what stands for the label of a value that only a link says


class RecordEntry(NamedTuple):
    """A value of a field on the page.

    ``line`` is where it stands, ``place`` the number of its label there. ``sure``: a label of the
    template names it. ``row``: it stands in this row under a head of labels (-1: it does not).
    """

    field: str
    found: Found
    line: RecordLine
    place: int = 0
    sure: bool = True
    row: int = -1


class Reading:
    """``cut`` are the segments of each line. ``used`` are the numbers of lines that are a value whole,
    ``found`` the fields that have a value in a line.
    """

    def __init__(
        self, lines: Sequence[RecordLine], rules: RecordTable, timezone: str, now: float | None
    ) -> None:
        self.lines = lines
        self.rules = rules
        self.timezone = timezone
        self.now = now
        self.cut = [segments(line.text, rules) for line in lines]
        self.used: set[int] = set()
        self.entries: list[RecordEntry] = []
        self.found: set[tuple[int, str]] = set()

    def values(self, rule: RecordField, text: str, *, labelled: bool) -> list[Found]:
        """Return the values of a field in a text."""
        return find_values(rule, text, labelled=labelled, timezone=self.timezone, now=self.now)

    def is_plain(self, number: int) -> bool:
        """Whether a line has no label."""
        cut = self.cut[number]
        return len(cut) == 1 and not cut[0].fields and not cut[0].label

    def add(self, rule: RecordField, found: Sequence[Found], like: RecordEntry) -> None:
        """Take values of a field; line, place and what else is known of them is as in ``like``."""
        label = like.found.label
        self.entries += [
            like._replace(field=rule.name, found=one._replace(label=label)) for one in found
        ]
        if found:
            self.found.add((like.line.number, rule.name))


def at(
    line: RecordLine, label: str = "", *, place: int = 0, sure: bool = True, row: int = -1
) -> RecordEntry:
    """Return an entry that says where values stand; which they are is still open."""
    return RecordEntry("", Found("", "", label), line, place, sure, row)


def common_depth(one: etree._Element, other: etree._Element) -> int:
    """Return how deep the innermost element lies that holds both."""
    ours = [one, *one.iterancestors()]
    theirs = {other, *other.iterancestors()}
    for depth, element in enumerate(ours):
        if element in theirs:
            return len(ours) - depth
    return 0


FEWEST_HEADS = 2  # labels in a row of a table that make it the head of those below
LONGEST_HEAD = 12
MOST_COLUMNS = 40

_Lines = dict[etree._Element, list[int]]  # numbers of the lines in each cell


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


LONGEST_NEAR = 160  # characters of a line that may be the value of a label in another line

# Types whose values cannot be anything else, and the fields that take them.
GUESSED: tuple[tuple[FieldType, ...], ...] = (("phone", "mobile"), ("email",))

# Lines around a labelled value in which values without a label are looked for: with 5 the F1 of 20
# labelled contact pages falls from .979 to .975, with 40 it stays.
AROUND = 15
OF_OTHERS = re.compile("账|帐|备案|许可|注册|证|传真|[Ff]ax|FAX")  # numbers that are no telephone's
# Types of which a list may go on in the next lines.
NEAR_TYPES = ("phone", "mobile", "fax", "email")


def find_entries(
    lines: Sequence[RecordLine], rules: RecordTable, timezone: str = "UTC", now: float | None = None
) -> list[RecordEntry]:
    """Return every value of a page with its label, in reading order."""
    page = Reading(lines, rules, timezone, now)
    headed = read_tables(page)
    for line in lines:
        if line.number in headed:
            continue
        for place, segment in enumerate(page.cut[line.number]):
            if segment.fields and len(page.entries) < MOST_ENTRIES:
                _labelled(page, line, segment, place)
    sure = {entry.line.number for entry in page.entries}
    worth = {number + step for number in sure for step in range(-AROUND, AROUND + 1)} - headed
    for line in lines:
        if line.number in worth and len(page.entries) < 2 * MOST_ENTRIES:
            _unlabelled(page, line)
    return sorted(page.entries, key=lambda entry: (entry.line.number, entry.place))


def _labelled(page: Reading, line: RecordLine, segment: Segment, place: int) -> None:
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
        page.add(rule, found, at(where, segment.label, place=place if where is line else 0))
        if rule.many and rule.type in NEAR_TYPES:
            _go_on(page, rule, last, segment.label)


def _near(page: Reading, line: RecordLine, rule: RecordField) -> tuple[list[Found], int] | None:
    """Look for the value of a label that stands alone: below it, or above where the markup says so."""
    below = _below(page, line, rule)
    above = line.number - 1
    value_above: list[Found] = []
    if above >= 0 and above not in page.used and page.is_plain(above):
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


def _below(page: Reading, line: RecordLine, rule: RecordField) -> int | None:
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


def _continued(page: Reading, found: list[Found], last: int) -> tuple[list[Found], int]:
    """Read on in the next line of the same box when an address ends there."""
    number, value = last + 1, str(found[-1].value)
    if number >= len(page.lines) or not page.is_plain(number):
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


def _ends_its_box(page: Reading, line: RecordLine) -> bool:
    """Whether the box that holds a line and the one above ends with it."""
    following = line.number + 1
    if following >= len(page.lines):
        return True
    above = common_depth(page.lines[line.number - 1].element, line.element)
    return common_depth(page.lines[following].element, line.element) < above


def _go_on(page: Reading, rule: RecordField, last: int, label: str) -> None:
    """Take the lines below that hold nothing but more values of a list."""
    for number in range(last + 1, min(last + 12, len(page.lines))):
        line = page.lines[number]
        if number in page.used or not page.is_plain(number):
            return
        found = page.values(rule, line.text, labelled=False)
        if not found or not line.text.replace(JOINT, "").strip().startswith(found[0].raw[:3]):
            return
        page.used.add(number)
        page.add(rule, found, at(line, label))


def _unlabelled(page: Reading, line: RecordLine) -> None:
    """Take what cannot be anything else: telephone numbers, mail addresses, a name, an address."""
    for place, segment in enumerate(page.cut[line.number]):
        if segment.fields or line.number in page.used:
            continue
        where = at(line, segment.label, place=place, sure=False)
        for kinds in GUESSED:
            rule = page.rules.of_type(*kinds)
            if rule is not None and "labels" in rule.places and not OF_OTHERS.search(segment.label):
                page.add(rule, page.values(rule, segment.text, labelled=False), where)
        if line.linked:
            continue
        address = page.rules.of_type("address")
        if address is not None and not segment.label:
            found, last = page.values(address, segment.text, labelled=False), line.number
            if found:
                found, last = _continued(page, found, last)
            page.add(address, found, at(page.lines[last], sure=False))
        if page.rules.naming is not None:
            names = filter(None, map(organisation, re.split(r"[\u200b|｜]", segment.text)))
            page.add(page.rules.naming, [Found(name, name) for name in names][:1], where)
    for said in line.said:
        rule = page.rules.of_type(said.type)
        if rule is not None and (line.number, rule.name) not in page.found:
            found = page.values(rule, said.value, labelled=True)
            page.add(rule, found, at(line, SAID, sure=False))
