"""Tables of which each row is about one organisation, or about one part of it (C7).

A column is what its head says, else what most of its cells hold. Two halves side by side, each with
the same heads, are two tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from lxml import etree

from focuscrawl.features.records.entries import GUESSED, MOST_ENTRIES, Reading, RecordEntry, at
from focuscrawl.features.records.field_values import EXTENSION, Found
from focuscrawl.features.records.lines import CELLS
from focuscrawl.features.records.names import organisation

if TYPE_CHECKING:
    from focuscrawl.features.records.table import RecordField

FEWEST_HEADS = 2  # labels in a row of a table that make it the head of those below
LONGEST_HEAD = 16
MOST_COLUMNS = 40
MOST_SPANNED = 200  # rows a cell may reach down
_FEWEST_ROWS = 3  # of a table without a head that its columns explain
MOST_SAMPLED = 40  # cells of a column that are looked at to learn its kind

# Heads of columns with the names of organisations, and of those that only part one organisation.
_NAME_COLUMN = re.compile(
    r"(?:[\u4e00-\u9fff]{0,4}(?:机构|单位|公司|企业|厂家|商家|商户|门店|店铺|店面|网点|站点|学校|院校|医院|酒店|饭店|药店|超市|供应商|经销商|代理商|服务商|分店|营业厅|营业部|办事处|支行|银行|协会|店)(?:名称|名|全称)?|店名|厂名|名称)"
    r"|(?:company|store|shop|branch|dealer|office|distributor|agent|school|hospital|institution|organi[sz]ation)(?: name)?s?",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"[\u4e00-\u9fff]{0,6}(?:部门|科室|处室|岗位|职务|职能|业务|姓名|人员|事项|类别|项目|区域|窗口)(?:名称)?|(?:department|position|title|name|person|contact)s?",
    re.IGNORECASE,
)
NAMING, PART = "naming", "part"

_Cell: TypeAlias = list[int]  # the numbers of its lines
_Row: TypeAlias = dict[int, _Cell]  # by column; without those that are empty
_Roles: TypeAlias = dict[int, tuple[str, str]]  # by column: its field, NAMING or PART; its label


def read_tables(reading: Reading) -> set[int]:
    """Take the values of such tables; returns the lines that are theirs."""
    taken: set[int] = set()
    for number, rows in enumerate(_tables(reading)):
        place = 0
        while place < len(rows):
            roles = _roles_of_heads(reading, rows[place])
            if not roles:
                place += 1
                continue
            end = place + 1
            while end < len(rows) and not _roles_of_heads(reading, rows[end]):
                end += 1
            body = rows[place + 1 : end]
            taken.update(chain.from_iterable(rows[place].values()))
            taken |= _read_body(reading, body, _by_shape(reading, body, roles), (number, place))
            place = end
        if not any(line in taken for row in rows for cell in row.values() for line in cell):
            bare = len(rows) < _FEWEST_ROWS or any(_names_a_field(reading, row) for row in rows)
            roles = {} if bare else _by_shape(reading, rows, {})
            if len(roles) >= FEWEST_HEADS:
                taken |= _read_body(reading, rows, roles, (number, 0))
    return taken


def _tables(reading: Reading) -> Iterator[list[_Row]]:
    """Go through the tables of a page with their filled rows; a cell that spans stands in each row."""
    by_cell: dict[etree._Element, _Cell] = {}
    tables: dict[etree._Element, dict[etree._Element, None]] = {}
    for line in reading.lines:
        cell = _cell(line.element)
        row = cell.getparent() if cell is not None else None
        if cell is None or row is None or row.tag != "tr":
            continue
        by_cell.setdefault(cell, []).append(line.number)
        table = next(row.iterancestors("table"), row)
        tables.setdefault(table, {}).setdefault(row)
    for table_rows in tables.values():
        if len(table_rows) > 1:
            yield [*_grid(table_rows, by_cell)]


def _grid(
    rows: Mapping[etree._Element, None], by_cell: Mapping[etree._Element, _Cell]
) -> Iterator[_Row]:
    spanning: dict[int, tuple[int, _Cell]] = {}  # by column: rows that a cell still reaches down
    for row in rows:
        filled = {column: lines for column, (_, lines) in spanning.items()}
        below = {at: (left - 1, lines) for at, (left, lines) in spanning.items() if left > 1}
        column = 0
        for cell in row.iterchildren("td", "th"):
            while column in filled:
                column += 1
            lines, down = by_cell.get(cell, []), min(_span(cell, "rowspan"), MOST_SPANNED)
            if lines:
                filled[column] = lines
                if down > 1:
                    below[column] = (down - 1, lines)
            column += _span(cell, "colspan")
            if column > MOST_COLUMNS:
                break
        spanning = below
        yield filled


def _cell(element: etree._Element) -> etree._Element | None:
    """Return the cell an element is or stands in."""
    return element if element.tag in CELLS else next(element.iterancestors("td", "th"), None)


def _span(cell: etree._Element, name: str) -> int:
    said = cell.get(name, "1")
    return max(1, int(said)) if said.isascii() and said.isdigit() and len(said) < 4 else 1


def _roles_of_heads(reading: Reading, row: _Row) -> _Roles:
    """Return what the columns of a row of heads hold; nothing when it is another row."""
    roles: _Roles = {}
    bare = 0
    for column, lines in row.items():
        text = reading.text(lines)
        cut = reading.cut[lines[0]]
        label = len(lines) == len(cut) == 1 and cut[0].fields and cut[0].open
        if label:
            roles[column] = (cut[0].fields[0], cut[0].label)
            bare += 1
        elif any(map(str.isdigit, text)) or len(text) > LONGEST_HEAD:
            return {}
        elif len(row) == FEWEST_HEADS and bare:
            return {}  # a label, and beside it its value
        elif role := _role_of_head(reading, text):
            roles[column] = (role, text)
    fields = {role for role, _ in roles.values()} - {PART}
    most = 2 * len(roles) > len(row) or all(_is_head(reading, lines[0]) for lines in row.values())
    enough = bare > 0 and len(roles) >= FEWEST_HEADS and most
    return roles if enough and fields and not _one_below_another(reading, row) else {}


def _role_of_head(reading: Reading, text: str) -> str:
    """Return what a head without a field of its own says of its column, "" when nothing."""
    compact = "".join(text.split())
    if _NAME_COLUMN.fullmatch(compact) or _NAME_COLUMN.fullmatch(text):
        return NAMING
    if _PARTS.fullmatch(compact):
        return PART
    found = [one.fields[0] for one in reading.rules.find_labels(text)]
    return found[-1] if found else ""


def _is_head(reading: Reading, line: int) -> bool:
    cell = _cell(reading.lines[line].element)
    return cell is not None and cell.tag == "th"


def _one_below_another(reading: Reading, row: _Row) -> bool:
    """Whether all cells of a row are one cell that spans."""
    return len({tuple(lines) for lines in row.values()}) < FEWEST_HEADS


def _by_shape(reading: Reading, rows: list[_Row], known: _Roles) -> _Roles:
    """Add the columns without a head that most of their cells explain: numbers, mail, names."""
    roles = dict(known)
    naming = reading.rules.naming
    has_name = any(role in (NAMING, naming and naming.name) for role, _ in roles.values())
    if len(rows) < FEWEST_HEADS:
        return roles
    for column in sorted({column for row in rows for column in row} - roles.keys()):
        texts = [reading.text(row[column]) for row in rows if column in row][:MOST_SAMPLED]
        if len(texts) < FEWEST_HEADS or 2 * len(texts) < min(len(rows), MOST_SAMPLED):
            continue
        if field := _field_by_shape(reading, texts, {role for role, _ in known.values()}):
            roles[column] = (field, "")
        if column not in roles and not has_name:
            named = sum(bool(organisation(text)) for text in texts)
            if 2 * named > len(texts) and 2 * len(set(texts)) > len(texts):
                roles[column], has_name = (NAMING, ""), True
    return roles if any(role not in (NAMING, PART) for role, _ in roles.values()) else {}


def _field_by_shape(reading: Reading, texts: list[str], known: set[str]) -> str:
    """Return the field of which most texts are values, of several the last; "" when there is none."""
    field = ""
    for kinds in (*GUESSED, ("address",)):
        rule = reading.rules.of_type(*kinds)
        if rule is None or rule.name in known:
            continue
        held = sum(bool(reading.values(rule, text, labelled=False)) for text in texts)
        if 2 * held > len(texts):
            field = rule.name
    return field


def _read_body(
    reading: Reading, rows: list[_Row], roles: _Roles, place: tuple[int, int]
) -> set[int]:
    """Take the values of the rows below a head; returns their lines."""
    halves = _halves(roles)
    rows_of: dict[int, int] = {}  # by the first line of a name: its row, where a name spans several
    taken: set[int] = set()
    for row in rows:
        if _has_labels(reading, row):
            continue
        for half in halves:
            _read_row(reading, row, half, taken, rows_of)
        taken.update(chain.from_iterable(row.values()))
    return taken


def _halves(roles: _Roles) -> list[_Roles]:
    """Part a table of two halves side by side where the first head comes again."""
    ordered = sorted(roles.items())
    first = ordered[0][1]
    starts = [column for column, role in ordered if role == first]
    halves: list[_Roles] = []
    for column, role in ordered:
        if column in starts or not halves:
            halves.append({})
        halves[-1][column] = role
    return halves


def _has_labels(reading: Reading, row: _Row) -> bool:
    """Whether a row names its fields itself."""
    return (
        any(
            segment.fields and not segment.open
            for lines in row.values()
            for line in lines
            for segment in reading.cut[line]
            if segment.text.strip()
        )
        and len(row) < FEWEST_HEADS
    )


def _names_a_field(reading: Reading, row: _Row) -> bool:
    """Whether a cell of a row is a label and nothing else, so that what is beside it is its value."""
    cuts = (reading.cut[lines[0]] for lines in row.values())
    return any(len(cut) == 1 and cut[0].fields and cut[0].open for cut in cuts)


def _read_row(
    reading: Reading, row: _Row, roles: _Roles, above: set[int], rows_of: dict[int, int]
) -> None:
    """Take the values of a row; ``above`` are the lines of those before, of which a cell may span."""
    names = (
        row[column][0] for column, (role, _) in roles.items() if column in row and role == NAMING
    )
    named_at = next(names, -1)
    number = rows_of.get(named_at, -1) if named_at in above else -1
    if number < 0 and _is_of_one(reading, roles):
        number = rows_of[named_at] = reading.new_row()
    first, last = min(roles), max(roles)
    own_lines = [lines[0] for column, lines in row.items() if first <= column <= last]
    here = max(own_lines, default=0)
    for column, lines in row.items():
        role, label = roles.get(column, ("", ""))
        if len(reading.entries) >= MOST_ENTRIES:
            return
        where = at(reading.lines[here if lines[0] in above else lines[0]], label, row=number)
        _read_cell(reading, lines, role, where)
        rule = reading.rules.by_name.get(role)
        if first <= column <= last and (rule is None or rule.type == "text"):
            _guess_numbers(reading, lines, where)


def _is_of_one(reading: Reading, roles: _Roles) -> bool:
    """Whether each row is a record of its own: a column names it or says where it is."""
    rules = reading.rules
    told = {role for role, _ in roles.values()}
    if NAMING in told or (rules.naming is not None and rules.naming.name in told):
        return True
    return any(one in rules.by_name and rules.by_name[one].type == "address" for one in told)


def _read_cell(reading: Reading, lines: _Cell, role: str, where: RecordEntry) -> None:
    """Take the name or the values of a field that a column holds."""
    if role == NAMING and reading.rules.naming is not None:
        text = reading.text(lines)
        name = organisation(text) or text
        reading.add(reading.rules.naming, [Found(name, text)] if _is_name(text) else [], where)
    elif role in reading.rules.by_name:
        rule = reading.rules.by_name[role]
        for text in _texts_for(reading, rule, lines):
            reading.add(rule, reading.values(rule, text, labelled=True), where)


def _texts_for(reading: Reading, rule: RecordField, lines: _Cell) -> list[str]:
    """Return the texts of a cell: of an address all its lines together, without links beside them."""
    if rule.type == "address":
        shown = [line for line in lines if not reading.lines[line].linked] or lines
        return [reading.text(shown)]
    return _with_extensions([reading.lines[line].text for line in lines])


def _guess_numbers(reading: Reading, lines: _Cell, where: RecordEntry) -> None:
    """Take the telephone numbers and mail addresses of a cell whose column says nothing of them."""
    text = reading.text(lines)
    for kinds in GUESSED:
        rule = reading.rules.of_type(*kinds)
        if rule is not None:
            found = reading.values(rule, text, labelled=False)
            reading.add(rule, found, where._replace(sure=False))


def _with_extensions(texts: list[str]) -> list[str]:
    """Join what is nothing but an extension with the number above it."""
    joined: list[str] = []
    for text in texts:
        if joined and EXTENSION.fullmatch(text.strip()):
            joined[-1] += f" {text}"
        else:
            joined.append(text)
    return joined


def _is_name(text: str) -> bool:
    return 2 <= len(text) <= 60 and any(map(str.isalpha, text))
