"""Which values belong to one record (C7): blocks grown from the innermost element outwards.

Published: the tag with the most crawl keywords under it is the block. Here neighbours are joined
from the deepest common element up as long as what comes together is one record: a second name, or
another value of a field that has one, is a wall. So branches on one page stay apart, and a block
holds all it can.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING

from focuscrawl.features.records.entries import SAID, RecordEntry, common_depth
from focuscrawl.features.records.field_values import squeezed
from focuscrawl.readers.text.characters import HAN

if TYPE_CHECKING:
    from focuscrawl.features.records.table import RecordTable

# Types of which an equal value makes two blocks of a page one record.
TELLING = frozenset(("phone", "mobile", "fax", "email", "address", "qq", "wechat", "code"))

# What one spelling of an address or a name has and another leaves out: 四川成都 and 四川省成都市.
ADMINISTRATIVE = re.compile(r"[省市县區区縣]|中国|中國|中华人民共和国")
# Characters of a value that may be a part of another; with 2 or 6 no label of 88 pages changes.
SHORTEST_SAME = 4


@dataclass(slots=True)
class RecordGroup:
    """Values that belong together, in reading order.

    ``wall`` is the depth of the element that holds this record and a neighbour it was kept apart
    from; -1 without one.
    """

    entries: list[RecordEntry]
    wall: int = -1
    norms: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in self.entries:
            self.norms.setdefault(entry.field, set()).add(squeezed(entry.found.value))

    def take(self, other: RecordGroup) -> None:
        """Add the values of a group that comes after."""
        self.entries += other.entries
        self.wall = max(self.wall, other.wall)
        for name, norms in other.norms.items():
            self.norms.setdefault(name, set()).update(norms)

    @property
    def fields(self) -> set[str]:
        """The fields that have a value."""
        return set(self.norms)

    @property
    def sure(self) -> int:
        """How many fields have a value with a label."""
        return len({entry.field for entry in self.entries if entry.sure})


def groups_contradict(left: RecordGroup, right: RecordGroup, rules: RecordTable) -> bool:
    """Whether two groups cannot be one record."""
    one, other = left.entries[-1].row, right.entries[0].row
    if one >= 0 and other >= 0 and one != other:
        return True
    for name in left.norms.keys() & right.norms.keys():
        rule = rules.by_name[name]
        names = rule is rules.naming
        if (names or not rule.many) and not _alike(
            left.norms[name], right.norms[name], names=names
        ):
            return True
    return False


def _alike(left: set[str], right: set[str], *, names: bool = False) -> bool:
    """Whether a value is the other or a part of it, a name its end: 宏飞公司 and 宁波市宏飞公司."""
    ours, theirs = ({ADMINISTRATIVE.sub("", one) for one in each} for each in (left, right))
    if not ours.isdisjoint(theirs):
        return True
    for pair in product(ours, theirs):
        short, long = sorted(pair, key=len)
        inside = long.endswith(short) if names else short in long
        if inside and len(short) >= SHORTEST_SAME:
            return True
    return False


def count_shared(one: RecordGroup, other: RecordGroup, rules: RecordTable) -> int:
    """How many values two groups share; 0 when their names say that they are two."""
    naming = rules.naming.name if rules.naming is not None else ""
    names = one.norms.get(naming), other.norms.get(naming)
    rows = {entry.row for group in (one, other) for entry in group.entries if entry.row >= 0}
    if names[0] and names[1] and len(rows) <= 1:
        return SAME_NAME if _alike(names[0], names[1], names=True) else 0
    shared = 0
    if names[0] and names[1] and not _alike(names[0], names[1], names=True):
        return 0
    for name in one.norms.keys() & other.norms.keys():
        if rules.by_name[name].type in TELLING:
            if len(rows) > 1 and rules.by_name[name].type == "address":
                tongues = {HAN.search("".join(group.norms[name])) is None for group in (one, other)}
                if len(tongues) == 1 and not _alike(one.norms[name], other.norms[name]):
                    return 0  # two branches with one hotline
            equal = one.norms[name] & other.norms[name]
            shared += len(equal) or _alike(one.norms[name], other.norms[name])
    return shared


# Lines without a value that may lie between a value without a label and the next one: with 2 the F1 of
# 68 labelled contact pages falls from .971 to .969, with 8 it stays.
_NEAR_LINES = 4
# Lines before values in which their organisation may be named: with 1 the F1 of 20 labelled contact
# pages falls from .979 to .968, with 6 it stays.
NEAR_NAME = 4
# Blocks of a page up to which each is compared with each: for its cost alone, no label of 88 pages
# changes with 5 or 1,000.
MANY = 60
CLOSED = 1_000_000  # a wall that stands at any depth
FEWEST_FIELDS = 2  # of a record; with 3 the F1 of 68 pages falls from .975 to .940
SAME_NAME = 100  # counts as more values than any two blocks share
ENOUGH_ALIKE = 3  # labelled values of one field that are a record: the numbers of the departments


def find_groups(entries: Sequence[RecordEntry], rules: RecordTable) -> list[RecordGroup]:
    """Return the records of a page, the one with the most labels first."""
    groups = _together(_near(entries, rules), rules)
    groups = _echoes_joined(_strays_taken(groups, rules), rules)
    records = [group for group in groups if _is_record(group, rules)]
    return sorted(records, key=lambda group: (-group.sure, group.entries[0].line.number))


def _is_record(group: RecordGroup, rules: RecordTable) -> bool:
    """Whether there is enough evidence: a label and two fields, several kinds of values, or many."""
    kinds = len(group.fields)
    told = {entry.field for entry in group.entries if entry.found.label != SAID}
    telling = sum(rules.by_name[name].type in TELLING for name in told)
    places = (entry for entry in group.entries if rules.by_name[entry.field].type == "address")
    if any(entry.row >= 0 for entry in places):  # a shop without a telephone
        return True
    if not group.sure:
        return telling >= FEWEST_FIELDS
    many = sum(entry.sure for entry in group.entries) >= ENOUGH_ALIKE
    return many or kinds >= min(FEWEST_FIELDS, len(rules.fields))


def _near(entries: Sequence[RecordEntry], rules: RecordTable) -> list[RecordEntry]:
    """Leave out what no label is near: values in prose, names of others."""
    naming = rules.naming
    named = [e for e in entries if not e.sure and naming is not None and e.field == naming.name]
    named_ids = {id(entry) for entry in named}
    others = [entry for entry in entries if id(entry) not in named_ids]
    sure = {squeezed(entry.found.value) for entry in others if entry.sure}
    shown = {entry.line.number for entry in others if entry.found.label != SAID}
    others = [entry for entry in others if _is_beside_shown(entry, shown)]
    kept = [entry for run in _runs(others) if _has_evidence(run, rules, sure) for entry in run]
    lines = sorted({entry.line.number for entry in kept})
    kept += [entry for entry in named if _is_near_values(entry, lines)]
    return sorted(kept, key=lambda entry: (entry.line.number, entry.place))


def _is_near_values(name: RecordEntry, lines: Sequence[int]) -> bool:
    """Whether values stand below a name, or right above it: 户名：…, or the line about copyright."""
    behind = 2 if name.found.label else 1
    following = bisect_left(lines, name.line.number - behind)
    return following < len(lines) and lines[following] <= name.line.number + NEAR_NAME


def _is_beside_shown(entry: RecordEntry, shown: AbstractSet[int]) -> bool:
    """Whether a value is shown; what only a link says must stand in or next to a line that shows one."""
    around = range(entry.line.number - 1, entry.line.number + 2)
    return entry.sure or entry.found.label != SAID or not shown.isdisjoint(around)


def _runs(entries: Sequence[RecordEntry]) -> list[list[RecordEntry]]:
    """Part values where more than ``_NEAR_LINES`` lines lie between one and the next."""
    runs: list[list[RecordEntry]] = []
    for entry in entries:
        if not runs or entry.line.number - runs[-1][-1].line.number > _NEAR_LINES:
            runs.append([])
        runs[-1].append(entry)
    return runs


def _has_evidence(run: Sequence[RecordEntry], rules: RecordTable, sure: set[str]) -> bool:
    """Whether values that stand together have a label, here or elsewhere, or are of several kinds."""
    if any(one.sure or squeezed(one.found.value) in sure for one in run):
        return True
    shown = {one.field for one in run if one.found.label != SAID}
    return sum(rules.by_name[name].type in TELLING for name in shown) >= FEWEST_FIELDS


def _together(entries: Sequence[RecordEntry], rules: RecordTable) -> list[RecordGroup]:
    """Join neighbours, those with the deepest common element first."""
    groups = _by_line(entries, rules)
    depths = [
        common_depth(left.entries[-1].line.element, right.entries[0].line.element)
        for left, right in pairwise(groups)
    ]
    edges = _list_edges(groups, rules)
    chain: list[RecordGroup | None] = list(groups)  # a group stands at the place of its last part
    for depth in sorted(set(depths), reverse=True):
        for place, gap in enumerate(depths):
            if gap != depth or place in edges:
                continue
            left, after = chain[place], place + 1
            if left is None:  # joined with what comes after by a deeper gap
                continue
            while (right := chain[after]) is None:
                after += 1
            chain[place], chain[after] = _joined(left, right, depth, rules)
    return [group for group in chain if group is not None]


def _list_edges(groups: Sequence[RecordGroup], rules: RecordTable) -> set[int]:
    """Return behind which groups a list of rows begins or ends.

    What stands before the first of several rows that are named is of none of them, for a row begins
    with its head.
    Where rows stand one behind the other with nothing between them, each is whole, and what stands
    behind the last is of none of them either, be it in the same box.
    """
    rows = [group.entries[0].row for group in groups]
    filled = [at for at, row in enumerate(rows) if row >= 0]
    if len({rows[at] for at in filled}) < 2:
        return set()
    begins = {at for at, (one, other) in enumerate(pairwise(rows)) if one < 0 <= other}
    whole = {at for at, (one, other) in enumerate(pairwise(rows)) if one >= 0 and other >= 0}
    ends = {at + 1 for at in whole if at + 2 < len(rows) and rows[at + 2] < 0}
    naming = rules.naming.name if rules.naming is not None else ""
    headed = naming in groups[filled[0]].fields
    return ends | {at for at in begins if at + 1 in whole or (headed and at < filled[0])}


def _joined(
    left: RecordGroup, right: RecordGroup, depth: int, rules: RecordTable
) -> tuple[RecordGroup | None, RecordGroup]:
    """Join two neighbours (None and both), or put a wall between them.

    One of several records of a list is joined with nothing outside of the list.
    """
    if max(left.wall, right.wall) > depth:
        return left, right
    if not groups_contradict(left, right, rules):
        left.take(right)
        return None, left
    first, tail = _split_back(left, right, rules)
    first.wall = tail.wall = depth
    return first, tail


def _split_back(
    left: RecordGroup, right: RecordGroup, rules: RecordTable
) -> tuple[RecordGroup, RecordGroup]:
    """Give the new record what of it was taken for the one before: it begins as that one began."""
    if right.entries[0].row >= 0:
        return left, right  # a row begins with its head
    first = left.entries[0].field
    starts = [i for i, entry in enumerate(left.entries) if i and entry.field == first]
    for start in reversed(starts):
        if left.entries[start].line is left.entries[start - 1].line:
            continue
        if left.entries[start - 1].field == first:
            continue
        tail = RecordGroup(left.entries[start:])
        if not groups_contradict(tail, right, rules):
            tail.take(right)
            return RecordGroup(left.entries[:start]), tail
        break
    return left, right


def _by_line(entries: Iterable[RecordEntry], rules: RecordTable) -> list[RecordGroup]:
    """Begin with what stands in one line, or in one row under a head."""
    parts: list[list[RecordEntry]] = []
    for entry in entries:
        last = parts[-1][-1] if parts else None
        same_row = last is not None and last.row == entry.row >= 0
        if last is not None and (same_row or last.line is entry.line):
            parts[-1].append(entry)
        else:
            parts.append([entry])
    return [RecordGroup(part, CLOSED if _of_others(part, rules) else -1) for part in parts]


def _of_others(entries: Sequence[RecordEntry], rules: RecordTable) -> bool:
    """Whether a line is about another organisation, named in it by a label we do not know: 承办：X 电话：…."""
    naming = rules.naming
    named = any(
        naming is not None and entry.field == naming.name and not entry.sure and entry.found.label
        for entry in entries
    )
    return named and any(rules.by_name[entry.field].type in TELLING for entry in entries)


def _strays_taken(groups: list[RecordGroup], rules: RecordTable) -> list[RecordGroup]:
    """Give a lone further value (a second address) to the record it stands beside."""
    kept: list[RecordGroup] = []
    for group in groups:
        before = kept[-1] if kept else None
        lone = len(group.fields) == 1 and group.sure == 1
        lone = lone and (rules.naming is None or rules.naming.name not in group.fields)
        if before is not None and group.entries[0].row != before.entries[-1].row:
            lone = False  # a row of its own, or none of the list
        if before is not None and lone and group.fields <= before.fields:
            near = group.entries[0].line.number - before.entries[-1].line.number <= _NEAR_LINES
            if near:
                before.take(group)
                continue
        kept.append(group)
    return kept


def _echoes_joined(groups: list[RecordGroup], rules: RecordTable) -> list[RecordGroup]:
    """Join blocks that repeat each other: the foot of a page says again what its middle says."""
    order = sorted(groups, key=lambda group: (-group.sure, -len(group.fields)))
    kept: list[RecordGroup] = []
    known: dict[tuple[str, str], list[int]] = {}
    for group in order:
        values = [(name, norm) for name, norms in group.norms.items() for norm in norms]
        likely: Iterable[int] = range(len(kept))
        if len(groups) > MANY:  # then only equal values are looked for
            likely = sorted({index for value in values for index in known.get(value, ())[:MANY]})
        best, most = None, 0
        for index in likely:
            shared = count_shared(kept[index], group, rules)
            if shared > most:
                best, most = index, shared
        for value in values:
            known.setdefault(value, []).append(len(kept) if best is None else best)
        if best is None:
            kept.append(group)
        else:
            kept[best].take(group)
    return kept
