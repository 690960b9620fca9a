"""A page while its records are read: its lines cut at their labels, the values found so far (C7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from focuscrawl.records.lines import RecordLine
from focuscrawl.records.rules import FieldRule, Found, RecordRules
from focuscrawl.records.segments import segments
from focuscrawl.records.values.values import find_values

MOST_ENTRIES = 1_000
"""Values of a page behind labels; as many again without."""

SAID = "link"
"""What stands for the label of a value that only a link says."""


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


class Dates(NamedTuple):
    """What dates are read by."""

    timezone: str
    now: float | None


class Reading:
    """``cut`` are the segments of each line. ``used`` are the numbers of lines that are a value whole,
    ``found`` the fields that have a value in a line.
    """

    def __init__(self, lines: Sequence[RecordLine], rules: RecordRules, dates: Dates) -> None:
        self.lines = lines
        self.rules = rules
        self.dates = dates
        self.cut = [segments(line.text, rules) for line in lines]
        self.used: set[int] = set()
        self.entries: list[RecordEntry] = []
        self.found: set[tuple[int, str]] = set()

    def values(self, rule: FieldRule, text: str, *, labelled: bool) -> list[Found]:
        """Return the values of a field in a text."""
        return find_values(
            rule, text, labelled=labelled, timezone=self.dates.timezone, now=self.dates.now
        )

    def add(self, rule: FieldRule, found: Sequence[Found], like: RecordEntry) -> None:
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
