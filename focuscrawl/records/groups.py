"""Values of a page that may be one record, and what says that two groups of them are one or are not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from focuscrawl.records.reading import RecordEntry
from focuscrawl.records.rules import RecordRules, squeezed

TELLING = frozenset(("phone", "mobile", "fax", "email", "address", "qq", "wechat", "code"))
"""Types of which an equal value makes two blocks of a page one record."""

ADMINISTRATIVE = re.compile(r"[省市县區区縣]|中国|中國|中华人民共和国")
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


def groups_contradict(left: RecordGroup, right: RecordGroup, rules: RecordRules) -> bool:
    """Whether two groups cannot be one record."""
    one, other = left.entries[-1].row, right.entries[0].row
    if one >= 0 and other >= 0 and one != other:
        return True
    naming = rules.naming
    for name in left.norms.keys() & right.norms.keys():
        rule = rules.by_name[name]
        if naming is not None and name == naming.name:
            if not _same_names(left.norms[name], right.norms[name]):
                return True
        elif not rule.many and not _same_values(left.norms[name], right.norms[name]):
            return True
    return False


def _same_names(left: set[str], right: set[str]) -> bool:
    """Whether one name is the other, or its end: 宏飞公司 and 宁波市宏飞公司."""
    return any(_ends_alike(one, other) for one in left for other in right)


def _ends_alike(one: str, other: str) -> bool:
    one, other = ADMINISTRATIVE.sub("", one), ADMINISTRATIVE.sub("", other)
    short, long = sorted((one, other), key=len)
    return long.endswith(short) and (short == long or len(short) >= SHORTEST_SAME)


def _same_values(left: set[str], right: set[str]) -> bool:
    """Whether a value is the other or a part of it."""
    for one in left:
        for other in right:
            short, long = sorted(
                (ADMINISTRATIVE.sub("", one), ADMINISTRATIVE.sub("", other)), key=len
            )
            if short == long or (len(short) >= SHORTEST_SAME and short in long):
                return True
    return False


def count_shared(one: RecordGroup, other: RecordGroup, rules: RecordRules) -> int:
    """How many values two groups share; 0 when their names say that they are two."""
    naming = rules.naming.name if rules.naming is not None else ""
    names = one.norms.get(naming), other.norms.get(naming)
    if names[0] and names[1]:
        return 100 if _same_names(names[0], names[1]) else 0
    shared = 0
    for name in one.norms.keys() & other.norms.keys():
        if rules.by_name[name].type in TELLING:
            equal = one.norms[name] & other.norms[name]
            shared += len(equal) or _same_values(one.norms[name], other.norms[name])
    return shared
