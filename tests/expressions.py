"""All regular expressions of the package, and the strings that each is weakest against.

A string is derived from the expression's own tree: what stands before a repeat, then what it repeats, or all of that,
again and again, and an end that cannot match. So those that grow with the square of a text do so here.

``python -m tests.expressions [PART]`` prints the steep ones that are not known yet, of all or of those whose place has a
part; all of them take half an hour.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import focuscrawl

SEARCHES = ("search", "finditer", "findall", "sub", "subn", "split")
ANCHORED = ("match", "fullmatch")

LENGTHS = (24, 96, 384, 1_536, 6_144)
"""Characters of a text, each four times the one before: what grows faster than with the square is met while it is short."""

NOTICED = 0.003
"""Seconds of CPU time below which nothing is compared: all lengths take a linear one less than a millisecond."""

TOO_STEEP = 8.0
"""Between 4, in line with the text, and 16, with its square."""

NO_END = ("", "\x00")
MANY_UNITS = 24

_SAMPLES = {
    kinds.CATEGORY_DIGIT: "7",
    kinds.CATEGORY_NOT_DIGIT: "x",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_NOT_SPACE: "x",
    kinds.CATEGORY_WORD: "x",
    kinds.CATEGORY_NOT_WORD: "-",
}


STEEP = frozenset(
    [
        "focuscrawl.features.articles.boilerplate.DAY_ALONE",
        "focuscrawl.features.articles.boilerplate._BYLINE_LABEL",
        "focuscrawl.features.articles.boilerplate._IN_BRACKETS",
        "focuscrawl.features.articles.contents.images._ADDRESS",
        "focuscrawl.features.articles.dates.lines.THEN_LABELLED",
        "focuscrawl.features.articles.several_pages.parts.PAGE_OF_TITLE",
        "focuscrawl.features.articles.statements._MAIL_OR_WEB",
        "focuscrawl.features.articles.statements._AND",
        "focuscrawl.features.articles.titles.WIKI_PATH",
        "focuscrawl.features.articles.titles._LARGE_STYLE",
        "focuscrawl.features.articles.titles._SEPARATORS",
        "focuscrawl.features.forums.board.SLUG",
        "focuscrawl.features.forums.reader.TO_A_POST",
        "focuscrawl.features.forums.threads.authors._TITLE",
        "focuscrawl.features.forums.threads.outline._NUMBERED_ID",
        "focuscrawl.features.forums.threads.page.TITLE_END",
        "focuscrawl.features.forums.threads.wordings._NEAR_DAY",
        "focuscrawl.features.forums.threads.wordings._YEARLESS",
        "focuscrawl.readers.pages.feeds.feeds.SITEMAP_LINE",
        "focuscrawl.readers.pages.feeds.feeds._MARKUP",
        "focuscrawl.readers.pages.feeds.json_lists._REFERENCE",
        "focuscrawl.readers.pages.json_ld._COMMENTS",
        "focuscrawl.readers.pages.kind.ARTICLE_PATH",
        "focuscrawl.readers.pages.paging.AFTER_NAME",
        "focuscrawl.readers.pages.paging.AFTER_WORD",
        "focuscrawl.readers.pages.paging.OWN_SEGMENT",
        "focuscrawl.features.records.entries._CODE_AT_END",
        "focuscrawl.features.records.field_values.SHORT_SECOND",
        "focuscrawl.features.records.layouts.tables.EXTENSION",
        "focuscrawl.features.records.lines._ICON_SAID",
        "focuscrawl.features.records.names.AFTER_ADDRESS",
        "focuscrawl.features.records.names.HOUSE_NUMBER",
        "focuscrawl.features.records.names.STREET",
        "focuscrawl.features.records.names.TITLE_SPLIT",
        "focuscrawl.features.records.names.TOWN",
        "focuscrawl.features.records.names._POSTAL_ADDRESS",
        "focuscrawl.features.records.names._OF_PICTURE",
        "focuscrawl.features.records.names._OWNER",
        "focuscrawl.features.records.segments._JOINING",
        "focuscrawl.features.revisit.change.volatile._WITH_DIGITS",
        "focuscrawl.features.revisit.missing.notices.CHINESE_NOTICES",
        "focuscrawl.template.files.ANY_PASSWORD",
        "focuscrawl.template.kinds.addresses.LOOKS_LIKE_EXPRESSION",
        "focuscrawl.template.kinds.times.DURATION",
        "focuscrawl.template.kinds.words._SIGNS_BETWEEN",
        "focuscrawl.template.toml.FOREIGN_KEY",
        "focuscrawl.readers.text.dates.AGO",
        "focuscrawl.readers.text.dates.CLOCK_AFTER",
        "focuscrawl.readers.text.dates.DAY_FIRST",
        "focuscrawl.readers.text.dates.MONTH_FIRST",
        "focuscrawl.readers.text.dates.NAMED_LAST",
        "focuscrawl.readers.text.dates.NEAR_DAY",
        "focuscrawl.readers.text.lines._FURNITURE_PATTERNS",
        "focuscrawl.readers.text.lines._SAYS_OF_ITSELF",
        "focuscrawl.readers.text.words.ENTRY",
        "focuscrawl.urls.actions._GIVEN_ADDRESS",
        "focuscrawl.verbs.explain.address._ADDRESS",
        "focuscrawl.verbs.explain.address._HOST_WRITTEN",
    ]
)
"""Those that are steep, when the test began: they read one line, one name or one address, which is cut before. The
list becomes shorter, never longer: what is mended leaves it, and a new one is mended before it comes."""


class Expression(NamedTuple):
    """A compiled expression of the package: where it stands, and by which methods it is used."""

    place: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


def expressions() -> list[Expression]:
    """Return each expression that stands at the top of a module, alone or in a table, once."""
    used = _used_methods()
    found: dict[int, Expression] = {}
    for module in pkgutil.walk_packages(focuscrawl.__path__, "focuscrawl."):
        if module.name.startswith("focuscrawl.demo"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for pattern in _patterns_in(value, 0):
                methods = used.get(name, frozenset())
                before = found.get(id(pattern))
                all_methods = methods | before.methods if before else methods
                found[id(pattern)] = Expression(f"{module.name}.{name}", pattern, all_methods)
    return [*found.values()]


def _patterns_in(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__  # type: ignore[attr-defined]
    elif depth < 4 and isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from _patterns_in(one, depth + 1)
    elif depth < 4 and isinstance(value, dict):
        for pair in [*value.items()]:
            yield from _patterns_in(pair, depth + 1)
    elif depth < 4 and type(value).__module__.startswith("focuscrawl"):
        slots = getattr(type(value), "__slots__", ())
        own = {**getattr(value, "__dict__", {}), **{s: getattr(value, s, None) for s in slots}}
        yield from _patterns_in(own, depth + 1)


def _used_methods() -> dict[str, frozenset[str]]:
    """Return which methods are called, or handed on, of what goes by a name."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for path in Path(focuscrawl.__path__[0]).rglob("*.py"):
        for one in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(one, ast.Attribute) and one.attr in (*SEARCHES, *ANCHORED):
                name = one.value
                if isinstance(name, ast.Name | ast.Attribute):
                    used[name.id if isinstance(name, ast.Name) else name.attr].add(one.attr)
    return {name: frozenset(methods) for name, methods in used.items()}


def weak_strings(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return beginnings, each with what is repeated behind it."""
    flags = pattern.flags & ~re.DEBUG
    tree = parser.parse(pattern.pattern, flags)
    pairs: dict[tuple[str, str], None] = {}
    letters: dict[str, None] = {}
    _walk(tree, "", pairs, letters)
    for letter in [*letters][:MANY_UNITS]:
        pairs["", letter] = None
        for begin in [*{begin for begin, _ in pairs}][:4]:
            pairs[begin, letter] = None
    return [*pairs]


def _walk(
    tree: Iterable[Any], before: str, pairs: dict[tuple[str, str], None], letters: dict[str, None]
) -> str:
    """Note weak strings of a row of nodes; returns the shortest text that it takes, behind ``before``."""
    for kind, argument in tree:
        before += _node(kind, argument, before, pairs, letters)
    return before


def _node(
    kind: Any,
    argument: Any,
    before: str,
    pairs: dict[tuple[str, str], None],
    letters: dict[str, None],
) -> str:
    if kind in (kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN):
        samples = _letters_of(kind, argument)
        letters.update(dict.fromkeys(samples))
        return samples[0] if samples else ""
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        least, most, inner = argument
        body = _walk(inner, before, pairs, letters)[len(before) :]
        if most is kinds.MAXREPEAT or most > 100:
            for unit in {body, before + body, before}:
                pairs[before, unit] = None
                pairs["", unit] = None
            one = inner[0] if len(inner) == 1 else None
            if one and one[0] in (kinds.IN, kinds.ANY, kinds.NOT_LITERAL):
                for letter in _letters_of(*one):
                    pairs[before, letter] = None
        return body * min(least or 0, 50)
    if kind is kinds.SUBPATTERN:
        return _walk(argument[3], before, pairs, letters)[len(before) :]
    if kind is kinds.ATOMIC_GROUP:
        return _walk(argument, before, pairs, letters)[len(before) :]
    if kind is kinds.BRANCH:
        texts = [_walk(one, before, pairs, letters)[len(before) :] for one in argument[1]]
        return min(texts, key=len)
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        _walk(argument[1], before, pairs, letters)
    return ""


def _letters_of(kind: Any, argument: Any) -> list[str]:
    if kind is kinds.LITERAL:
        return [chr(argument)]
    if kind is kinds.ANY:
        return ["x", " "]
    members: list[Any] = (
        argument if kind is kinds.IN else [(kinds.NEGATE, None), (kinds.LITERAL, argument)]
    )
    if members and members[0][0] is kinds.NEGATE:
        wanted = re.compile("[^" + "".join(map(_member, members[1:])) + "]")
        return [letter for letter in "x 7\n-<\"'字" if wanted.fullmatch(letter)][:3]
    found: list[str] = []
    for what, value in members:
        if what is kinds.LITERAL:
            found.append(chr(value))
        elif what is kinds.RANGE:
            found.append(chr(value[0]))
        elif what is kinds.CATEGORY:
            found.append(_SAMPLES.get(value, "x"))
            if value is kinds.CATEGORY_SPACE:
                found.append("\n")
    return found[:6]


def _member(member: Any) -> str:
    kind, value = member
    if kind is kinds.LITERAL:
        return re.escape(chr(value))
    if kind is kinds.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return {
        kinds.CATEGORY_DIGIT: r"\d", kinds.CATEGORY_NOT_DIGIT: r"\D",
        kinds.CATEGORY_SPACE: r"\s", kinds.CATEGORY_NOT_SPACE: r"\S",
        kinds.CATEGORY_WORD: r"\w", kinds.CATEGORY_NOT_WORD: r"\W",
    }[value]  # fmt: skip


def steepness(one: Expression) -> tuple[float, str]:
    """Return by how much more CPU time four times the text takes at worst, and of which string; 0: too little to say."""
    worst, of = 0.0, ""
    is_bytes = isinstance(one.pattern.pattern, bytes)
    searches = bool(one.methods & {*SEARCHES}) or not one.methods & {*ANCHORED}
    for begin, unit in weak_strings(one.pattern):
        if not unit:
            continue
        for end in NO_END:

            def text(length: int, begin: str = begin, unit: str = unit, end: str = end) -> Any:
                made = begin + unit * (length // len(unit)) + end
                return made.encode("utf-8", "surrogatepass") if is_bytes else made

            for work in _works(one, searches=searches):
                ratio = _ratio(work, text)
                if ratio > worst:
                    worst, of = ratio, f"{begin[:40]!r} + {unit[:40]!r} * n + {end!r}"
                if worst > TOO_STEEP:
                    return worst, of
    return worst, of


def _ratio(work: Callable[[Any], object], text: Callable[[int], Any]) -> float:
    if _seconds(work, text(LENGTHS[0])) >= NOTICED:
        return float("inf")  # with a power of the text: a longer one would never end
    for shorter, longer in pairwise(LENGTHS):
        spent = _seconds(work, text(longer))
        if spent >= NOTICED:
            before = min(_seconds(work, text(shorter)) for _ in range(3))
            return min(spent, _seconds(work, text(longer)) if spent < 1 else spent) / max(
                before, 1e-6
            )
    return 0.0


def _works(one: Expression, *, searches: bool) -> list[Callable[[Any], object]]:
    pattern = one.pattern
    if searches:
        return [lambda text: sum(1 for _ in pattern.finditer(text))]
    return [getattr(pattern, name) for name in sorted(one.methods & {*ANCHORED})]


def _seconds(work: Callable[[Any], object], text: Any) -> float:
    begun = time.process_time()
    work(text)
    return time.process_time() - begun


def main(part: str = "") -> int:
    """Print the steep expressions that are not known yet; returns how many."""
    found = 0
    for one in expressions():
        if part in one.place and one.place not in STEEP:
            worst, of = steepness(one)
            if worst > TOO_STEEP:
                found += 1
                print(f"{one.place}: {worst:.1f} times the work for four times the text: {of}")
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]) > 0)
