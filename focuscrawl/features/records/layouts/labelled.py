"""Values behind their labels, below or above them; then without a label, where nothing else can be meant (C7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.features.records.entries import (
    GUESSED,
    MOST_ENTRIES,
    SAID,
    Reading,
    RecordEntry,
    at,
    common_depth,
)
from focuscrawl.features.records.field_values import Found, one_number, squeezed
from focuscrawl.features.records.layouts.headed import read_headed
from focuscrawl.features.records.layouts.marked import read_marked
from focuscrawl.features.records.layouts.tables import read_tables
from focuscrawl.features.records.lines import INPUT, JOINT, MOST_SAID, RecordLine
from focuscrawl.features.records.names import (
    STREET_WORD,
    continues_address,
    ends_address,
    is_street,
    organisation,
)
from focuscrawl.features.records.segments import Segment
from focuscrawl.readers.text.characters import HAN

if TYPE_CHECKING:
    from focuscrawl.features.records.lines import LinkedValue
    from focuscrawl.features.records.table import RecordField, RecordTable

_SHORTEST_BY_ICON = 6  # characters of an address that only an icon announces
LONGEST_NEAR = 160  # characters of a line that may be the value of a label in another line

OF_OTHERS = re.compile("账|帐|备案|许可|注册|证|传真|[Ff]ax|FAX")  # numbers that are no telephone's
# Labels of where an organisation is, be they known to the template or not; 地点 is where something happens.
_PLACE_LABELS = re.compile(
    r"(?:(?<!地)点|[處处店部馆址厂]|总部|公司|工厂|校区|院区|office|location|shop)$", re.IGNORECASE
)
MOST_ADDRESS_LINES = 3  # lines of an address below its first: suite, district, town with its code
_NATIONAL = 10  # last digits of a number that a page shows without the code of its country
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
    read_marked(page)
    _upwards(page)
    for line in lines:
        if line.number not in headed and len(page.entries) < 2 * MOST_ENTRIES:
            _unlabelled(page, line)
    read_headed(page, headed)
    return sorted(page.entries, key=lambda entry: (entry.line.number, entry.place))


def _labelled(page: Reading, line: RecordLine, segment: Segment, place: int) -> None:
    for name in segment.fields:
        rule = page.rules.by_name[name]
        found, last = _behind(page, line, segment, rule)
        if not segment.label and rule.type == "address":  # a pin marks a menu's 房产 as well
            found = [one for one in found if len(str(one.value)) >= _SHORTEST_BY_ICON]
        if not found:
            continue
        if rule.type == "address":
            found, last = _continued(page, found, last)
        where = page.lines[max(last, line.number)]
        page.add(rule, found, at(where, segment.label, place=place if where is line else 0))
        if rule.many and rule.type in NEAR_TYPES:
            _go_on(page, rule, last, segment.label)


def _behind(
    page: Reading, line: RecordLine, segment: Segment, rule: RecordField
) -> tuple[list[Found], int]:
    """Return what a label names, and the line it stands in: behind it, in its links, or near it."""
    found = page.values(rule, segment.text, labelled=True)
    if not found and (segment.label or rule.type != "qq"):  # an icon to talk by shows no number
        found = _said_values(page, line, rule)
    if found or not segment.open or line.linked:
        return found, line.number
    near = _near(page, line, rule)
    if near is None:
        return [], line.number
    if rule.type != "text":  # a name may have a number behind it
        page.used.add(near[1])
    return near


def _said_values(page: Reading, line: RecordLine, rule: RecordField) -> list[Found]:
    """Return the values of a field that the links of a line say."""
    said = [one.value for one in line.said if one.type == rule.type]
    return [found for text in said for found in page.values(rule, text, labelled=True)]


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
    """Read on in the next lines of the same box, or of boxes beside it, up to the one that ends an address."""
    value, text = str(found[-1].value), ""
    phone = page.rules.of_type(*GUESSED[0])
    for number in range(last + 1, min(last + 1 + MOST_ADDRESS_LINES, len(page.lines))):
        line = page.lines[number]
        if not page.is_plain(number) or line.said or not _is_beside(page.lines[number - 1], line):
            break
        if phone is not None and page.values(phone, line.text, labelled=False):
            break  # a number ends the address of a block without labels
        text = f"{text} {line.text}".replace(JOINT, " ")
        if continues_address(value, text.strip()):
            page.used.update(range(last + 1, number + 1))
            whole = found[-1]._replace(value=value + text, raw=found[-1].raw + text)
            return [*found[:-1], whole], number
        if HAN.search(value) or organisation(line.text):
            break
    return found, last


def _upwards(page: Reading) -> None:
    """Take the lines above a town and its code for an address, as it stands on letters abroad."""
    rule = page.rules.of_type("address")
    if rule is None or "labels" not in rule.places:
        return
    for line in page.lines:
        if line.linked or line.number in page.used or not ends_address(line.text):
            continue
        first = line.number
        while first and line.number - first < MOST_ADDRESS_LINES:
            above = page.lines[first - 1]
            taken = above.number in page.used or (above.number, rule.name) in page.found
            beside = page.is_plain(above.number) and _is_beside(above, page.lines[first])
            if taken or not beside or not is_street(above.text):
                break
            first -= 1
        while first < line.number and not STREET_WORD.search(page.lines[first].text) and not any(map(str.isdigit, page.lines[first].text)):  # fmt: skip
            first += 1  # whose address it is
        if first == line.number or (line.number, rule.name) in page.found:
            continue
        text = " ".join(page.lines[n].text.strip(" ,") for n in range(first, line.number + 1))
        found = page.values(rule, text.replace(JOINT, " "), labelled=True)
        page.used.update(range(first, line.number + 1))
        page.add(rule, found, at(line, sure=False))


def _is_beside(one: RecordLine, other: RecordLine) -> bool:
    """Whether two lines stand in one box, or each in one of its own that has nothing else."""
    if one.element is other.element:
        return True
    between = one.element.getnext()
    return between is other.element and between.tag == one.element.tag


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
        if line.number in page.used:
            continue
        if _has_other_label(page, line, segment):
            _named_behind(page, line, segment, place)
            continue
        where = at(line, segment.label, place=place, sure=False)
        _guess_numbers(page, line, segment, where)
        if line.linked or segment.fields:
            continue
        _guess_address(page, line, segment)
        if page.rules.naming is not None:
            names = filter(None, map(organisation, re.split(r"[\u200b|｜]", segment.text)))
            page.add(page.rules.naming, [Found(name, name) for name in names][:1], where)
    for said in line.said:
        _take_said(page, line, said)


def _has_other_label(page: Reading, line: RecordLine, segment: Segment) -> bool:
    """Whether a label says that a segment is no text; an icon whose value was not found says nothing."""
    if all(page.rules.by_name[name].type == "text" for name in segment.fields):
        return False
    return bool(segment.label) or any((line.number, name) in page.found for name in segment.fields)


def _guess_numbers(page: Reading, line: RecordLine, segment: Segment, where: RecordEntry) -> None:
    """Take telephone numbers and mail addresses; they are sure where a link of the line says the same."""
    for kinds in GUESSED:
        rule = page.rules.of_type(*kinds)
        if rule is not None and "labels" in rule.places and not OF_OTHERS.search(segment.label):
            found = page.values(rule, segment.text, labelled=False)
            if not found and rule.type in GUESSED[0] and _is_of_department(segment):
                found = page.values(rule, segment.text, labelled=True)
            told = {squeezed(said.value) for said in line.said if said.type in kinds}
            page.add(rule, found, where._replace(sure=_are_told(found, told)))


def _is_of_department(segment: Segment) -> bool:
    """Whether a department stands before a number without its code and nothing else: 财务部：84603290."""
    of_department = _DEPARTMENT.search(segment.label) is not None
    return of_department and _LOCAL.fullmatch(segment.text.replace(JOINT, "").strip()) is not None


_DEPARTMENT = re.compile(
    r"[\u4e00-\u9fff](?:部|处|處|科|室|课|課|组|組|中心|办|辦|前台|总台|门市)$"
)
_LOCAL = re.compile(r"[2-8]\d{6,7}(?:\s*[、,，/]\s*[2-8]\d{6,7})*")


def _guess_address(page: Reading, line: RecordLine, segment: Segment) -> None:
    """Take an address that has no label, or one of a place: 总部, 校区."""
    rule = page.rules.of_type("address")
    if rule is None or (segment.label and _PLACE_LABELS.search(segment.label) is None):
        return
    found, last = page.values(rule, segment.text, labelled=False), line.number
    if found:
        found, last = _continued(page, found, last)
    page.add(rule, found, at(page.lines[last], sure=False))


def _take_said(page: Reading, line: RecordLine, said: LinkedValue) -> None:
    """Take what a link of a line says: each number that the line shows, else what it does not have."""
    rule = page.rules.of_type(said.type)
    if rule is None:
        return
    known = _values_in(page, line, rule)
    found = page.values(rule, said.value, labelled=True)
    shown = squeezed(said.value)[-_NATIONAL:] in squeezed(line.text)
    if shown and rule.type in GUESSED[0] and not said.value.lstrip().startswith("+"):
        found = _as_written(page, line, rule, said.value) or found
    if shown and said.type == "phone":
        new = [o for o in found if not any(one_number(squeezed(o.value), k) for k in known)]
        page.add(rule, new, at(line))
    elif not known:
        page.add(rule, found, at(line, SAID, sure=False))


def _values_in(page: Reading, line: RecordLine, rule: RecordField) -> set[str]:
    """Return the values that a field has in a line already, as far as its links may repeat them."""
    return {
        squeezed(entry.found.value)
        for entry in reversed(page.entries[-MOST_SAID:])
        if entry.line is line and entry.field == rule.name
    }


def _as_written(page: Reading, line: RecordLine, rule: RecordField, number: str) -> list[Found]:
    """Return a number as its line writes it: without its country 2025550143 may be read as
    another's, 202-555-0143 not.
    """
    written = page.values(rule, line.text, labelled=True)
    return [one for one in written if one_number(squeezed(one.value), squeezed(number))]


def _named_behind(page: Reading, line: RecordLine, segment: Segment, place: int) -> None:
    """Take the name behind a label that has no value: 联系方式：X有限公司 heads the values below."""
    if page.rules.naming is None or any((line.number, one) in page.found for one in segment.fields):
        return
    if segment.label and (name := organisation(segment.text)):
        where = at(line, segment.label, place=place, sure=False)
        page.add(page.rules.naming, [Found(name, name)], where)


def _are_told(found: Sequence[Found], told: set[str]) -> bool:
    """Whether the links of a line say what its text shows: tel: and mailto: are labels."""
    return bool(told) and any(squeezed(one.value) in told for one in found)
