"""Values of fields with their evidence (C7): what the layouts of a page propose and its groups decide on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lxml import etree

from focuscrawl.features.records.field_values import Found, find_values
from focuscrawl.features.records.lines import JOINT, RecordLine
from focuscrawl.features.records.names import owner_and_address
from focuscrawl.features.records.segments import Segment, after_maker, segments
from focuscrawl.urls.sites import registrable_domain

if TYPE_CHECKING:
    from focuscrawl.features.records.table import FieldType, RecordField, RecordTable

# A post code at the end of an address: 兰州市甘南路473号（730000）.
_CODE_AT_END = re.compile(
    r"(?<=[\u4e00-\u9fff\dA-Z号）)室楼层])[\s,，]*[（(\s,，]\s*(?:邮编)?[:：]?\s*(\d{6})\s*[）)]?$"
)
MOST_ENTRIES = 1_000  # values of a page behind labels; as many again without
# Types whose values cannot be anything else, and the fields that take them.
GUESSED: tuple[tuple[FieldType, ...], ...] = (("phone", "mobile"), ("email",))
SAID = "link"  # what stands for the label of a value that only a link says


FoundRecord: TypeAlias = dict[str, list[Found]]  # field → its values, the best first


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

    @property
    def is_in_cell(self) -> bool:
        """Whether it stands in a table."""
        element = self.line.element
        return element.tag == "td" or next(element.iterancestors("td"), None) is not None


_HOST_OF_SITE = re.compile(
    r"(?:https?://|\bwww\.)([a-z0-9][a-z0-9.-]*\.[a-z]{2,24})\b", re.IGNORECASE
)
"""A host in an address that a page prints."""


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
        self._take_back_own_mail()
        self.used: set[int] = set()
        self.entries: list[RecordEntry] = []
        self.found: set[tuple[int, str]] = set()
        self._rows = 0

    def _take_back_own_mail(self) -> None:
        """Read the addresses of the page's own site behind the name of who made it: 技术支持：X, then 邮箱：."""
        rule = self.rules.of_type("email")
        behind = [(line.number, after_maker(line.text)) for line in self.lines if "@" in line.text]
        behind = [(number, text) for number, text in behind if "@" in text]
        if rule is None or not behind:
            return
        shown = "\n".join(line.text for line in self.lines)
        hosts = {host.lower() for host in _HOST_OF_SITE.findall(shown)}
        own = {registrable_domain(host) for host in hosts}
        for number, text in behind:
            for piece in text.split(JOINT):
                found = self.values(rule, piece, labelled=False)
                if any(registrable_domain(str(o.value).partition("@")[2]) in own for o in found):
                    self.cut[number].append(Segment((rule.name,), "", piece))

    def new_row(self) -> int:
        """Return the number of one more row, or of what else is one record for sure."""
        self._rows += 1
        return self._rows

    def text(self, numbers: Sequence[int]) -> str:
        """Return the text of lines."""
        return " ".join(self.lines[number].text for number in numbers).replace(JOINT, " ")

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
        if rule.type == "address":
            found = self._without_codes(found, like)
            if like.row >= 0:
                found = [self._without_owner(one, like) for one in found]
        self.entries += [
            like._replace(field=rule.name, found=one._replace(label=label)) for one in found
        ]
        if found:
            self.found.add((like.line.number, rule.name))

    def _without_owner(self, found: Found, like: RecordEntry) -> Found:
        """Take the organisation before an address in one cell for the name of the row."""
        owner, address = owner_and_address(str(found.value))
        if not owner:
            return found
        if self.rules.naming is not None:
            self.add(self.rules.naming, [Found(owner, owner)], like._replace(sure=False))
        return found._replace(value=address, raw=address)

    def _without_codes(self, found: Sequence[Found], like: RecordEntry) -> list[Found]:
        """Take the post code at the end of an address for itself."""
        code, plain = self.rules.of_type("zip"), []
        for one in found:
            end = _CODE_AT_END.search(str(one.value))
            if code is not None and end is not None:
                value = str(one.value)[: end.start()]
                self.add(code, [Found(end[1], end[1])], like)
                one = one._replace(value=value, raw=value)
            plain.append(one)
        return plain


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
