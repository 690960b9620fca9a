"""Siblings that are each headed by a name (C7): branches, shops, a list of names and numbers.

A line, or the begin of a line, is the head of the values behind it when others of the same markup
stand before values, too. What they say decides whether they name organisations or only the parts of one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import NamedTuple, TypeAlias

from lxml import etree

from focuscrawl.features.records.blocks import TELLING
from focuscrawl.features.records.entries import Reading, RecordEntry, at, common_depth
from focuscrawl.features.records.field_values import Found, squeezed
from focuscrawl.features.records.lines import CUES, JOINT
from focuscrawl.features.records.names import BRACKETED, EDGES, SECTION, SENTENCE, organisation
from focuscrawl.readers.text.persons import SURNAMES

LONGEST_HEADING = 40
FEWEST_NAMED, FEWEST_LIKE = 2, 3  # heads that are organisations, and that only look alike
# Measured on 88 labelled contact pages, whose 26 pages with several records are read with 229 whole records.
_NEXT = 2  # lines from a head to its first value: with 1 it is 211, with 4 it stays
MOST_UNDER = 40  # lines under a head: with 5 it is 222, with 10 and with 80 it stays
# Lines without a value inside of what stands under a head: with 1 it is 224, with 2 and with 6 it stays.
_LONGEST_GAP = 3
_BOX_LEVELS = 4  # elements around a line that may be the box of its record: with 0 it is 228, with 2 and with 8 it stays

# Ends of names that are no whole name of a company.
_BRANCH = re.compile(
    r"(?:总部|大区|分部|分公司|公司|办事处|代表处|联络处|事务所|运营中心|中心|基地|工厂|分厂|仓库|门店|总店|分店|旗舰店|体验店|专卖店|店|馆|城|校区|分校|院区|支行|分行|营业厅|营业部|站|点|屋|大队|支队|局|协会|经销商|代理商|代理|headquarters?|office|branch|factory|showroom|store|center|centre|region)(?:[（(].{1,12}[)）])?$",
    re.IGNORECASE,
)
# What heads a part of one organisation: its departments, its services, its people.
_PART_OF_BODY = re.compile(
    r"(?:部|部门|处|科|室|组|办|台|课|股|岗|人|员|生|士|资源|经理|主任|主管|总监|老师|教授|医生|律师|热线|电话|专线|咨询|服务|合作|投诉|建议|反馈|支持|售后|售前|业务|招聘|加盟|采购|媒体|时间|方式|地址|邮箱|信箱|公交|路线|自驾|地铁|交通|我们|sales|support|service|services|department|inquir(?:y|ies)|hours|us|info|address|phone|email)(?:[一二三四五\d为]|[（(].{1,12}[)）])?$",
    re.IGNORECASE,
)
_PERSON = re.compile(
    rf"[{SURNAMES}][\u4e00-\u9fff]{{1,2}}|[\u4e00-\u9fff]{{1,3}}(?:先生|女士|小姐)"
)

# A label with whose it is before it.
_WHOSE = re.compile(r"(?P<whose>[\u4e00-\u9fff]{2,12}?)(?:联系|联络|负责)(?:人|方式|电话)")

_LONGEST_PHRASE = 3
"""Words, most of them small, that may be a name: house of the arts."""

# Heads of a record that say nothing of whose it is.
_CONTACT_HEADING = re.compile(r"(?:联系|联络)(?:方式|我们)?$")

_NUMBERED_HEAD = re.compile(r"^(?:\d{1,3}|[一二三四五六七八九十]{1,3})\s*[、.．）)]\s*")

_HEADS = ("h1", "h2", "h3", "h4", "h5", "h6")

_Shape: TypeAlias = tuple[object, ...]  # the markup of a line
_Make: TypeAlias = tuple[etree._Element | None, str, str | None]  # what holds a box; its tag, class


class _Heading(NamedTuple):
    line: int
    text: str
    first: int  # the first line of its values
    last: int


def read_headed(page: Reading, taken: set[int]) -> None:
    """Name what stands under heads that are alike; all under one is one record."""
    if page.rules.naming is None:
        return
    _take_addresses(page, taken)
    valued = dict.fromkeys(
        entry.line.number
        for entry in page.entries
        if page.rules.by_name[entry.field].type in TELLING | {"url"} and entry.row < 0
    )
    # A post code or a person begins no record, but is a part of the one it stands in.
    naming = page.rules.naming.name
    filled = {one.line.number for one in page.entries if one.row < 0 and one.field != naming}
    alike: dict[_Shape, list[_Heading]] = defaultdict(list)
    for number in valued:
        if number not in taken:
            _propose(page, number, valued.keys(), filled, alike)
    done: set[int] = set()
    for headings in sorted(alike.values(), key=len, reverse=True):
        headings.sort()
        if _are_names(page, headings) and not any(one.first in done for one in headings):
            _take(page, headings, done)
    _part_lines(page)
    _part_boxes(page)


def _part_lines(page: Reading) -> None:
    """Make each of several lines that hold an address and a number a record of its own."""
    address = page.rules.of_type("address")
    held: dict[int, list[RecordEntry]] = defaultdict(list)
    for entry in page.entries:
        if entry.row < 0 and entry.sure:
            held[entry.line.number].append(entry)
    alike: dict[_Shape, list[int]] = defaultdict(list)
    for number, entries in held.items():
        kinds = {page.rules.by_name[entry.field].type for entry in entries}
        if "address" in kinds and len(kinds & TELLING) > 1:
            alike[_shape(page.lines[number].element)].append(number)
    rows: dict[int, int] = {}
    for numbers in alike.values():
        places = {
            str(entry.found.value)
            for number in numbers
            for entry in held[number]
            if address is not None and entry.field == address.name
        }
        if len(numbers) >= FEWEST_LIKE and len(places) == len(numbers):
            rows.update((number, page.new_row()) for number in numbers)
            _name_by_labels(page, rows, numbers)
    page.entries[:] = [
        entry._replace(row=rows[entry.line.number])
        if entry.line.number in rows and entry.row < 0
        else entry
        for entry in page.entries
    ]


def _name_by_labels(page: Reading, rows: dict[int, int], numbers: Sequence[int]) -> None:
    """Name lines by their first labels, which say whose a person or number is: 省环保厅联系人：."""
    found = [_WHOSE.fullmatch(page.cut[number][0].label) for number in numbers]
    names = {one["whose"] for one in found if one is not None and not _is_part(one["whose"])}
    if page.rules.naming is None or len(names) < len(numbers):
        return
    for number, one in zip(numbers, found, strict=True):
        if one is not None:
            where = at(page.lines[number], row=rows[number])
            page.add(page.rules.naming, [Found(one["whose"], one["whose"])], where)


def _part_boxes(page: Reading) -> None:
    """Make each of several elements of one kind a record: they have addresses of their own, most a number.

    An ``<address>`` is one by its tag. Where a name stands between them, the heads tell more.
    """
    rules = page.rules
    held: dict[etree._Element, list[int]] = defaultdict(list)
    for index, entry in enumerate(page.entries):
        element = entry.line.element
        for box in (element, *islice(element.iterancestors(), _BOX_LEVELS)):
            held[box].append(index)
    alike: dict[_Make, dict[str, tuple[etree._Element, list[int]]]] = defaultdict(dict)
    numbered: dict[_Make, int] = defaultdict(int)
    for box, indexes in held.items():
        entries = [page.entries[index] for index in indexes]
        kinds = {rules.by_name[one.field].type for one in entries}
        if "address" not in kinds:
            continue
        types = ((one, rules.by_name[one.field].type) for one in entries)
        places = {squeezed(one.found.value) for one, kind in types if kind == "address"}
        if len(places) == 1 and not any(one.row >= 0 for one in entries):
            make = box.getparent(), box.tag, box.get("class")
            alike[make].setdefault(places.pop(), (box, indexes))
            numbered[make] += len(kinds & TELLING) > 1
    for make, boxes in alike.items():
        fewest = FEWEST_NAMED if make[1] == "address" else FEWEST_LIKE
        if len(boxes) >= fewest and 2 * numbered[make] > len(boxes):
            _separate(page, list(boxes.values()))


def _separate(page: Reading, boxes: list[tuple[etree._Element, list[int]]]) -> None:
    """Give the entries of each box a row of their own, if no name stands between the boxes.

    A box without a name is named by its heading.
    """
    naming = page.rules.naming
    if _has_name_between(page, {index for _, indexes in boxes for index in indexes}):
        return
    heads = {line.element: line for line in page.lines if line.element.tag in _HEADS}
    for box, indexes in boxes:
        row = page.new_row()
        for index in indexes:
            page.entries[index] = page.entries[index]._replace(row=row)
        if naming is None or any(page.entries[index].field == naming.name for index in indexes):
            continue
        head = next((heads[one] for one in box.iter(*_HEADS) if one in heads), None)
        if head is not None and (name := _heading(head.text)) and not _is_part(name):
            page.add(naming, [Found(name, name)], at(head, row=row))


def _has_name_between(page: Reading, inside: AbstractSet[int]) -> bool:
    """Whether a name that is none of these entries stands between the first of them and the last."""
    naming = page.rules.naming
    lines = {page.entries[index].line.number for index in inside}
    first, last = min(lines), max(lines)
    return naming is not None and any(
        entry.field == naming.name and first < entry.line.number < last and index not in inside
        for index, entry in enumerate(page.entries)
    )


def _take_addresses(page: Reading, taken: set[int]) -> None:
    """Take what stands behind the names of branches, line for line, for their addresses: 城南店：样例路7号."""
    address = page.rules.of_type("address")
    if address is None:
        return
    alike: dict[_Shape, list[tuple[int, str, list[Found]]]] = defaultdict(list)
    for line in page.lines:
        segment = page.cut[line.number][0]
        if segment.fields or not segment.label:
            continue
        if line.number in taken or line.number in page.used:
            continue
        if found := page.values(address, segment.text, labelled=True):
            alike[_shape(line.element)].append((line.number, segment.label, found))
    for lines in alike.values():
        if len(lines) < FEWEST_LIKE or not _name_organisations({label for _, label, _ in lines}):
            continue
        for number, label, found in lines:
            part = _is_part(label) and not _BRANCH.search(label)  # 服务时间为：周一至周五
            if (number, address.name) not in page.found and not part:
                like = RecordEntry(address.name, found[0]._replace(label=label), page.lines[number])
                page.add(address, found, like)


def _propose(
    page: Reading,
    number: int,
    valued: AbstractSet[int],
    filled: AbstractSet[int],
    alike: dict[_Shape, list[_Heading]],
) -> None:
    """Look for the head of the values that begin in a line."""
    line = page.lines[number]
    first = page.cut[number][0]
    lead = first.text if not first.fields and not first.label else ""
    if first.label and not first.fields:
        lead = first.label
    if not lead or first.fields:
        lead = ""
    own = _heading(lead)
    if own and len(line.text) > len(lead):
        alike["line", *_shape(line.element)].append(_Heading(number, own, number, number))
        return
    for above in range(number - 1, max(-1, number - 1 - _NEXT), -1):
        if above in valued:
            return
        if above in page.used:
            continue  # the first line of an address, above the one with its town
        text = _heading(page.lines[above].text) if page.is_plain(above) else ""
        ends_box = (
            above - 1 in valued and page.lines[above - 1].element is page.lines[above].element
        )
        if text and (ends_box or _is_value(page, text)):
            return  # a country, below the town of an address
        if text:
            above, text = _numbered_above(page, above, text)
            alike["above", *_shape(page.lines[above].element)].append(
                _Heading(above, text, number, _end_of(page, number, above, filled))
            )
            return
        if page.is_plain(above):
            return


def _numbered_above(page: Reading, number: int, text: str) -> tuple[int, str]:
    """Return the head above a head where that one alone has a number: 七、样例工作组, then who it is."""
    above = number - 1
    if above >= 0 and page.is_plain(above) and not _NUMBERED_HEAD.match(page.lines[number].text):
        written = page.lines[above].text
        if _NUMBERED_HEAD.match(written) and (head := _heading(written)):
            return above, head
    return number, text


def _is_value(page: Reading, text: str) -> bool:
    """Whether a text is a value of its own: a card may have the label below it."""
    numbered = any(map(str.isdigit, text))
    kinds = {"email": True, "url": True, "phone": True, "address": numbered}
    rules = (rule for rule in page.rules.fields if kinds.get(rule.type))
    return any(page.values(rule, text, labelled=True) for rule in rules)


def _end_of(page: Reading, number: int, above: int, filled: AbstractSet[int]) -> int:
    """Return the last line of the values under a head: those that are no farther from it."""
    depth = common_depth(page.lines[above].element, page.lines[number].element)
    shape, last = _shape(page.lines[above].element), number
    for here in range(number + 1, min(number + MOST_UNDER, len(page.lines))):
        if here - last > _LONGEST_GAP or (
            _shape(page.lines[here].element) == shape and here not in filled and page.is_plain(here)
        ):
            break
        if common_depth(page.lines[above].element, page.lines[here].element) < depth:
            break
        if here in filled:
            last = here
    return last


def _heading(text: str) -> str:
    """Return the heading a text is, "" when it is none."""
    plain = text.replace(JOINT, " ").strip(EDGES + "".join(CUES.values()) + "【】[]")
    plain = _NUMBERED_HEAD.sub("", plain)
    digits = sum(map(str.isdigit, plain))
    if not 2 <= len(plain) <= LONGEST_HEADING or digits > 4 or SENTENCE.search(plain):
        return ""
    words = plain.split()
    if len(words) > _LONGEST_PHRASE and 2 * sum(map(str.islower, words)) > len(words):
        return ""  # or if you are in Europe
    return "" if SECTION.fullmatch(plain) or not any(map(str.isalpha, plain)) else plain


def _shape(element: etree._Element) -> _Shape:
    parent = element.getparent()
    above = (parent.tag, parent.get("class")) if parent is not None else ()
    return (element.tag, element.get("class"), *above)


def _are_names(page: Reading, headings: list[_Heading]) -> bool:
    """Whether most of the heads name an organisation, a branch, or many things that are none of its parts."""
    texts = {one.text for one in headings}
    if len(texts) < FEWEST_NAMED or 2 * len(texts) < len(headings):
        return False
    if _name_organisations(texts):
        return True
    parts = sum(_is_part(text) for text in texts)
    wholes = {text for text in texts if _BRANCH.search(text) or not _is_part(text)}
    if len(wholes) >= FEWEST_LIKE and _name_organisations(wholes):
        return True  # departments of the one that the page is about, then its branches
    alike = len(texts) >= FEWEST_LIKE and 4 * parts < len(texts)
    return alike and not _are_of_one(page, headings) and _stand_alone(page, headings)


def _are_of_one(page: Reading, headings: list[_Heading]) -> bool:
    """Whether heads part one organisation: each has another kind of value, or all write from one domain.

    Branches repeat a kind of value; call us, write to us, visit us do not. Who has an address of its
    own is a branch whatever its mail. With it and numbers as
    other printers set them, measured together, the F1 of ten contact pages rises from .743 to .792.
    """
    under = [range(one.line, one.last + 1) for one in headings]
    kinds: list[set[str]] = [set() for _ in headings]
    domains: list[set[str]] = [set() for _ in headings]
    for entry in page.entries:
        kind = page.rules.by_name[entry.field].type
        for at_head, lines in enumerate(under):
            if kind in TELLING and entry.line.number in lines:
                kinds[at_head].add(kind)
                if kind == "email":
                    domains[at_head].add(str(entry.found.value).partition("@")[2])
    often = Counter(kind for told in kinds for kind in told)
    if 2 * max(often.values(), default=0) <= len(headings):
        return True
    writing = [told for told in domains if told]
    one_domain = len(set().union(*writing)) == 1
    return not often["address"] and one_domain and 2 * len(writing) > len(headings)


def _name_organisations(texts: set[str]) -> bool:
    sure = sum(bool(organisation(text) or _BRANCH.search(text)) for text in texts)
    return 2 * sure > len(texts)


def _is_part(text: str) -> bool:
    return bool(_PART_OF_BODY.search(text) or _PERSON.fullmatch(text))


def _stand_alone(page: Reading, headings: list[_Heading]) -> bool:
    """Whether what stands under heads has addresses of its own, or the page has no name or address besides."""
    under = {number for one in headings for number in range(one.line, one.last + 1)}
    whose = {page.rules.naming, page.rules.of_type("address")}
    names = {rule.name for rule in whose if rule is not None}
    address = page.rules.of_type("address")
    own = {
        entry.line.number
        for entry in page.entries
        if address is not None and entry.field == address.name and entry.line.number in under
    }
    if 2 * len(own) > len(headings):
        return True
    return not any(
        entry.field in names and entry.sure and entry.line.number not in under
        for entry in page.entries
    )


def _like_others(page: Reading, headings: list[_Heading]) -> _Heading:
    """Return the last head with no more boxes under it than under each of the others, if they agree.

    Behind the last branch of a list nothing tells that what follows in the same box is of none.
    """
    *others, last = headings
    counts = {_boxes_under(page, one, one.last) for one in others}
    if len(others) < FEWEST_NAMED or len(counts) > 1:
        return last
    ends = range(last.last, last.first - 1, -1)
    end = next((here for here in ends if _boxes_under(page, last, here) <= max(counts)), last.first)
    return last._replace(last=end)


def _boxes_under(page: Reading, head: _Heading, end: int) -> int:
    """Return how many elements beside a head hold the lines from it to another."""
    around = {page.lines[head.line].element, *page.lines[head.line].element.iterancestors()}
    boxes = set()
    for line in page.lines[head.first : end + 1]:
        box = line.element
        while (parent := box.getparent()) is not None and parent not in around:
            box = parent
        boxes.add(box)
    return len(boxes)


def _take(page: Reading, headings: list[_Heading], done: set[int]) -> None:
    naming = page.rules.naming
    assert naming is not None
    rows: dict[int, int] = {}
    names: list[RecordEntry] = []
    certain = _name_organisations({one.text for one in headings})
    headings[-1] = _like_others(page, headings)
    placed = _lines_of_places(page)
    mixed = 4 * sum(_is_part(one.text) for one in headings) >= len(headings)
    for one, after in zip(headings, [*headings[1:], None], strict=True):
        if mixed and _is_part(one.text) and not _is_whole(one, placed):
            continue
        last = min(one.last, after.line - 1) if after is not None else one.last
        row = page.new_row()
        rows.update((number, row) for number in range(one.line, last + 1))
        done.update(range(one.first, last + 1))
        name = _name_in(one.text)
        found = Found(name, one.text)
        if not _CONTACT_HEADING.search(name):
            names.append(RecordEntry(naming.name, found, page.lines[one.line], 0, certain, row))
    page.entries[:] = [*names, *_in_rows(page.entries, rows, naming.name)]


def _is_whole(head: _Heading, placed: AbstractSet[int]) -> bool:
    """Whether a head is a record's own: it names a branch, or an address of its own stands under it."""
    under = range(head.first, head.last + 1)
    return _BRANCH.search(head.text) is not None or not placed.isdisjoint(under)


def _name_in(head: str) -> str:
    """Return the name a head says: the organisation, but of 样例酒店（城南店） which one of them."""
    name = organisation(head)
    return name if name and not BRACKETED.fullmatch(head, len(name)) else head


def _lines_of_places(page: Reading) -> set[int]:
    """Return the lines with an address that the page names once: that of its owner comes again."""
    address = page.rules.of_type("address")
    places = [entry for entry in page.entries if address and entry.field == address.name]
    often = Counter(squeezed(one.found.value) for one in places)
    return {one.line.number for one in places if often[squeezed(one.found.value)] == 1}


def _in_rows(
    entries: Sequence[RecordEntry], rows: Mapping[int, int], naming: str
) -> Iterator[RecordEntry]:
    """Put values into the rows of their lines, but names that no label is sure of: the head is the name."""
    for entry in entries:
        row = rows.get(entry.line.number, -1)
        if row < 0 or entry.row >= 0:
            yield entry
        elif entry.field != naming or entry.sure:
            yield entry._replace(row=row)
