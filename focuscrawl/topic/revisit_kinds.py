"""The kinds of values of [revisit]: rates, and what never counts as a change."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import regex

from focuscrawl.template.kinds.kind import Invalid, Kind, checked, listed
from focuscrawl.template.kinds.selectors import check_selector
from focuscrawl.template.kinds.words import WordError, expression_of, parse_group
from focuscrawl.template.toml import toml_text
from focuscrawl.values import Selector

RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*(s|min|h|d)")
SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
BUILT_IN = "built-in"
"""The entry that stands for clocks, counters and advertisements."""

LANGUAGES = ("css", "xpath")
SELECTOR = re.compile(r"(?:css|xpath):")


def rate() -> Kind:
    """A rate such as ``3000/h``; built as requests a second."""

    def read(value: object) -> str:
        found = RATE.fullmatch(value.strip()) if isinstance(value, str) else None
        if found is None:
            raise Invalid('a rate looks like "2/s", "30/min", "3000/h" or "10000/d"', value)
        if not float(found[1]):
            raise Invalid('above 0; nothing is visited twice with policy = "off"', value)
        return f"{found[1]}/{found[2]}"

    def build(plain: str) -> float:
        count, _, unit = plain.partition("/")
        return float(count) / SECONDS[unit]

    return Kind("rate", read, {"type": "string", "pattern": f"^{RATE.pattern}$"}, build)


@dataclass(frozen=True, slots=True)
class Ignored:
    """What never counts as a change: ``built_in`` parts, elements, matches in a line of text."""

    built_in: bool
    selectors: tuple[Selector, ...]
    expressions: tuple[regex.Pattern[str], ...]


def ignored() -> Kind:
    """Selectors and words, and ``built-in`` for what is known without being told."""
    entry = checked("selectors | words", _check)
    return replace(listed(entry, "selectors | words", _ignored), groups=False)


def _check(value: str) -> str:
    if value == BUILT_IN:
        return value
    if SELECTOR.match(value):
        return check_selector(value, LANGUAGES)
    try:
        group = parse_group(value)
    except WordError as error:
        raise ValueError(str(error)) from None
    if not group.expression and not group.synonyms:
        raise ValueError(f"words or a selector: {toml_text('阅读*次')}")
    return value


def _ignored(plain: list[str]) -> Ignored:
    selectors, expressions = [], []
    for entry in plain:
        if entry == BUILT_IN:
            continue
        if SELECTOR.match(entry):
            language, _, expression = entry.partition(":")
            selectors.append(Selector(language, expression.strip()))
            continue
        group = parse_group(entry)
        written = group.expression or "|".join(map(expression_of, group.synonyms))
        expressions.append(regex.compile(written, regex.IGNORECASE))
    return Ignored(BUILT_IN in plain, tuple(selectors), tuple(expressions))
