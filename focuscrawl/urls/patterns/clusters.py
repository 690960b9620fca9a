"""Partition clustering of addresses by form (D5): patterns that tell classes of pages apart.

Forms of one build (depth, ending, names of parameters) are one cluster. A cluster whose pages are
of one class gives a pattern; another is divided by the part of the address that tells most about
the class, and so on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log2
from typing import NamedTuple

from focuscrawl.urls.patterns.forms import Form, common_part, freedom

FEWEST_ADDRESSES = 5
"""Judged pages a pattern stands on."""

PURE = 0.95
"""The share of one class from which a cluster is not divided further."""

LEAST_PRECISION = 0.8
"""What a pattern must promise; a page more of each kind is counted in, for small numbers."""

LEAST_GAIN = 0.02
"""Bits that a division must tell about the class of a page."""


class Pattern(NamedTuple):
    """An expression for what follows the host, the class of its pages, and what it stands on.

    ``support`` are judged pages that match, ``right`` those of them that are of the class.
    """

    expression: str
    page_class: str
    support: int
    right: int

    @property
    def precision(self) -> float:
        """The share of its class, a page of each kind counted in: never 0 or 1."""
        return promised(self.right, self.support)


class _Row(NamedTuple):
    form: Form
    classes: Counter[str]


def promised(right: int, support: int) -> float:
    """Return the share to expect after ``right`` of ``support`` (Laplace's rule)."""
    return (right + 1) / (support + 2)


def learn_patterns(pages: Mapping[str, Mapping[str, int]]) -> list[Pattern]:
    """Return patterns of one site, the narrowest first; ``pages`` count classes by form expression."""
    builds: dict[object, list[_Row]] = defaultdict(list)
    for expression, classes in pages.items():
        form = Form.from_expression(expression)
        builds[form.build].append(_Row(form, Counter(classes)))
    found = [pattern for rows in builds.values() for pattern in _partition(rows, frozenset())]
    return sorted(found, key=lambda pattern: freedom(pattern.expression))


def _partition(rows: list[_Row], open_parts: frozenset[int]) -> Iterator[Pattern]:
    """Divide a cluster until it is pure; ``open_parts`` are those that were divided by already."""
    classes = _sum(rows)
    support = classes.total()
    if support < FEWEST_ADDRESSES:
        return
    page_class, right = min(classes.items(), key=lambda one: (-one[1], one[0]))
    place = None
    if right < PURE * support:
        place = _telling_part(rows, classes, open_parts)
    if place is None:
        if promised(right, support) >= LEAST_PRECISION:
            yield Pattern(_common(rows).expression, page_class, support, right)
        return
    rest: list[_Row] = []
    for group in _groups(rows, place).values():
        if _sum(group).total() < FEWEST_ADDRESSES:
            rest += group  # too few each; together they may be what is not one of the others
        else:
            yield from _partition(group, open_parts | {place})
    yield from _partition(rest, open_parts | {place})


def _telling_part(
    rows: Sequence[_Row], classes: Counter[str], open_parts: frozenset[int]
) -> int | None:
    """Return the number of the part whose values say most about the class; None: none does."""
    whole = _entropy(classes)
    support = classes.total()
    best, best_gain = None, LEAST_GAIN
    for place in range(len(rows[0].form.parts)):
        if place in open_parts:
            continue
        # Values that were met a few times say nothing about the next address: taken together.
        sums = [_sum(group) for group in _groups(rows, place).values()]
        few = [one for one in sums if one.total() < FEWEST_ADDRESSES]
        divided = [one for one in sums if one.total() >= FEWEST_ADDRESSES]
        if few:
            divided.append(sum(few, Counter()))
        gain = whole - sum(one.total() * _entropy(one) for one in divided) / support
        if gain > best_gain:
            best, best_gain = place, gain
    return best


def _groups(rows: Iterable[_Row], place: int) -> dict[str, list[_Row]]:
    groups: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[row.form.parts[place]].append(row)
    return groups


def _common(rows: Sequence[_Row]) -> Form:
    """Return the form that all forms of a cluster have."""
    depth = len(rows[0].form.folders)
    columns = list(zip(*(row.form.parts for row in rows), strict=True))
    folders = tuple(common_part(column, is_field=False) for column in columns[:depth])
    return Form(folders, tuple(common_part(column, is_field=True) for column in columns[depth:]))


def _sum(rows: Iterable[_Row]) -> Counter[str]:
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row.classes)
    return total


def _entropy(classes: Counter[str]) -> float:
    total = classes.total()
    return -sum(n / total * log2(n / total) for n in classes.values() if n)
