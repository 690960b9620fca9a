"""The form of an address (D5): its folders, file and parameters as small regular expressions.

``/news/2026/t20261120_7.html?p=2`` has the form ``news · \\d{4} · t\\d{5,}_\\d{1,3}\\.html · p=\\d{1,3}``:
words stay, numbers become numbers of that length, titles and random names become anything. The
number 1 stays, too: ``thread-71-1.html`` is a thread, ``thread-71-2.html`` its second page.

Forms of one build (depth, ending, names of parameters) are one cluster. A cluster whose pages are
of one class gives a pattern; another is divided by the part of the address that tells most about
the class, and so on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log2
from typing import NamedTuple

_LONGEST = 500
"""Characters after the host; longer addresses have no form."""

_MOST_PARTS = 16  # what is deeper, or has more parameters, is a search or a trap
PARTS_KEPT = 4096  # folders come again and again
_ADDRESSES_KEPT = 16  # of a page the patterns of its site and the traps ask, one after the other
FOLDER_FREE, VALUE_FREE = "[^/?]+", "[^&]*"
_SHORT, FOUR, _LONG, ANY_NUMBER = r"\d{1,3}", r"\d{4}", r"\d{5,}", r"\d+"

TITLE_WORDS = 4
"""A name of so many words is a title: ``how-to-cook-rice``."""

RANDOM_CHANGES = 3
"""A name that changes so often between letters and digits is random: ``a8f3c9``."""

LONGEST_WORD = 20  # longer runs of letters are tokens

_RUNS = re.compile(r"\d+|[a-zA-Z]+|[^a-zA-Z0-9]+")
_CHANGE = re.compile(r"[a-zA-Z](?=\d)|\d(?=[a-zA-Z])")
_FORM_WORD = re.compile(r"[a-zA-Z]+")
_LONG_WORD = re.compile(rf"[a-zA-Z]{{{LONGEST_WORD + 1}}}")
_ENDING = re.compile(r"\.[a-zA-Z][a-zA-Z0-9]{1,4}\Z")
_SPECIAL = re.compile(r"[.^$*+?{}\[\]\\|()]")
_ESCAPED = re.compile(r"\\(.)")
_INSTANCES = (
    (FOLDER_FREE, "x"),
    (VALUE_FREE, "x"),
    (_SHORT, "2"),
    (FOUR, "2026"),
    (_LONG, "12345"),
    (ANY_NUMBER, "2"),
)
_FORM_NUMBER = re.compile(r"\\d(?:\{[\d,]+\}|\+)|1")


class Form(NamedTuple):
    """``folders`` are the parts of the path, the file last; ``fields`` the parameters in order.

    Each part is a regular expression; those of fields begin with ``name=``, where they have one.
    """

    folders: tuple[str, ...]
    fields: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts, folders first."""
        return self.folders + self.fields

    @property
    def build(self) -> tuple[int, str, tuple[str, ...]]:
        """What forms must share to be compared: depth, the file's ending, names of parameters."""
        names = tuple(field.partition("=")[0] for field in self.fields)
        return len(self.folders), _ending_of(self.folders[-1]), names

    @property
    def expression(self) -> str:
        """The regular expression of all that follows the host."""
        path = "/" + "/".join(self.folders)
        return rf"{path}\?{'&'.join(self.fields)}" if self.fields else path

    @classmethod
    @lru_cache(_ADDRESSES_KEPT)
    def of(cls, url: str) -> Form | None:
        """Read the form of an absolute address; None for one that is too long or too deep."""
        rest = rest_of(url)
        if len(rest) > _LONGEST:
            return None
        path, _, query = rest.partition("?")
        folders = path[1:].split("/")
        fields = query.split("&") if query else []
        if len(folders) + len(fields) > _MOST_PARTS:
            return None
        return cls(tuple(map(_folder_form, folders)), tuple(map(_field_form, fields)))

    @classmethod
    def from_expression(cls, expression: str) -> Form:
        """Read what ``expression`` gave for the form of an address."""
        path, _, query = expression.partition(r"\?")
        # Only anything-parts hold a slash, inside brackets.
        folders = path[1:].replace(FOLDER_FREE, "\0").split("/")
        fields = query.replace(VALUE_FREE, "\0").split("&") if query else []
        return cls(
            tuple(folder.replace("\0", FOLDER_FREE) for folder in folders),
            tuple(field.replace("\0", VALUE_FREE) for field in fields),
        )


def rest_of(url: str) -> str:
    """Return path and query of a canonical address."""
    start = url.find("/", url.find("://") + 3)
    return url[start:] if start >= 0 else "/"


def example_of(expression: str) -> str:
    """Return path and query of an address that has a form: ``/news/2026/t12345_2.html``."""
    for free, instance in _INSTANCES:
        expression = expression.replace(free, instance)
    return _ESCAPED.sub(r"\1", expression)


def _ending_of(part: str) -> str:
    """Return the ending of a file's form, with its escaped dot, or ""."""
    found = re.search(r"\\(\.[a-zA-Z][a-zA-Z0-9]{1,4})\Z", part)
    return found[0] if found else ""


def common_part(parts: Iterable[str], *, is_field: bool) -> str:
    """Return one part that stands for several: the same with any numbers, a choice, or anything."""
    distinct = sorted(set(parts))
    if len(distinct) == 1:
        return distinct.pop()
    for widen in (_with_short_first, _without_length):
        widened = {_FORM_NUMBER.sub(widen, part) for part in distinct}
        if len(widened) == 1:
            return widened.pop()
    if is_field:
        return f"{distinct[0].partition('=')[0]}={VALUE_FREE}"
    if len(distinct) == 2 and "" not in distinct and not any("[" in part for part in distinct):
        return f"(?:{'|'.join(distinct)})"
    endings = {_ending_of(part) for part in distinct}
    return FOLDER_FREE + (endings.pop() if len(endings) == 1 else "")


def freedom(expression: str) -> tuple[int, int, int]:
    """Return how much an expression leaves open; what leaves less open is tried first."""
    free = expression.count(FOLDER_FREE) + expression.count(VALUE_FREE)
    return free, expression.count(r"\d"), -len(expression)


def _with_short_first(number: re.Match[str]) -> str:
    return _SHORT if number[0] == "1" else number[0]


def _without_length(number: re.Match[str]) -> str:
    return ANY_NUMBER


@lru_cache(PARTS_KEPT)
def _folder_form(part: str) -> str:
    ending = _ENDING.search(part)
    if ending is None:
        return _form(part, FOLDER_FREE)
    return _form(part[: ending.start()], FOLDER_FREE) + "\\" + ending[0]


def _field_form(field: str) -> str:
    name, equals, value = field.partition("=")
    if not equals:
        return _form(field, VALUE_FREE)
    return f"{_escaped(name)}={_form(value, VALUE_FREE)}"


def _form(text: str, free: str) -> str:
    """Return the form of one name or value."""
    if (
        "%" in text
        or len(_FORM_WORD.findall(text)) >= TITLE_WORDS
        or len(_CHANGE.findall(text)) >= RANDOM_CHANGES
        or _LONG_WORD.search(text)
    ):
        return free
    return "".join(_run(run) for run in _RUNS.findall(text))


def _run(run: str) -> str:
    if not run[0].isdigit():
        return _escaped(run)
    if run == "1":
        return run
    if len(run) == len("2026"):
        return FOUR
    return _SHORT if len(run) < len("2026") else _LONG


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)


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
