"""The kinds of values of [search] and [search.engine.NAME]."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import quote

from focuscrawl.template.kinds.addresses import check_url
from focuscrawl.template.kinds.kind import Kind, checked, listed
from focuscrawl.template.kinds.words import WordError, parse_group

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
IN_ADDRESS = ("query", "page", "first")
IN_WITHIN = ("since", "until", "since_day", "until_day")
AGES = (timedelta(days=1), timedelta(weeks=1), timedelta(days=31), timedelta(days=366))
RESULTS_OF_A_PAGE = 10
PLUS = re.compile(r"\+\+|\+")
_DAY = 86_400


def queries() -> Kind:
    """Word groups to search for; built as the texts to search for, each synonym is one."""
    entry = checked("words", _check_query)
    return replace(listed(entry, "words"), build=_texts, groups=True)


def _check_query(value: str) -> str:
    try:
        group = parse_group(value)
    except WordError as error:
        raise ValueError(str(error)) from None
    if group.expression:
        raise ValueError("a regular expression cannot be searched for; write words")
    if any(len(synonym.parts) > 1 for synonym in group.synonyms):
        raise ValueError("no * in what is searched for; a + joins words: 食品+抽检")
    return value


def _texts(plain: list[str]) -> tuple[str, ...]:
    found = [
        " ".join(PLUS.sub(_joined, synonym.parts[0]).split())
        for entry in plain
        for synonym in parse_group(entry).synonyms
    ]
    return tuple(dict.fromkeys(found))


def _joined(found: re.Match[str]) -> str:
    return "+" if found[0] == "++" else " "


class EngineAddress(NamedTuple):
    """The address of a result page, with its places for query and page."""

    written: str

    def __bool__(self) -> bool:
        return bool(self.written)

    @property
    def paged(self) -> bool:
        """Whether there are addresses for pages after the first."""
        return "{page}" in self.written or "{first}" in self.written

    def of(self, query: str, page: int, encoding: str = "utf-8") -> str:
        """Return the address of a page, counted from 1; the query is escaped in the encoding."""
        places = {
            "query": quote(query.encode(encoding, "xmlcharrefreplace"), safe=""),
            "page": str(page),
            "first": str((page - 1) * RESULTS_OF_A_PAGE),
        }
        return PLACEHOLDER.sub(lambda found: places[found[1]], self.written)


def address() -> Kind:
    """The address of a search engine."""

    def check(value: str) -> str:
        for name in PLACEHOLDER.findall(value):
            if name not in IN_ADDRESS:
                places = ", ".join(f"{{{one}}}" for one in IN_ADDRESS)
                raise ValueError(f"{{{name}}} stands for nothing; there are {places}")
        if "{query}" not in value:
            raise ValueError('{query} is missing, as in "https://s.example.com/find?q={query}"')
        check_url(PLACEHOLDER.sub("1", value))
        return value

    return checked("address", check, EngineAddress)


class Within(NamedTuple):
    """What an address gets added so that the engine answers with new results only."""

    written: str

    def __bool__(self) -> bool:
        return bool(self.written)

    def of(self, age: float, now: float) -> str:
        """Return the addition for results at most ``age`` seconds old, "" for more than it can."""
        places = {
            "since": int(now - age),
            "until": int(now),
            "since_day": int(now - age) // _DAY,
            "until_day": int(now) // _DAY,
        }
        added = self.written
        for name in PLACEHOLDER.findall(self.written):
            if name in places:
                chosen = str(places[name])
            else:
                words = name.split("|")
                fits = [
                    w for w, most in zip(words, AGES, strict=True) if age <= most.total_seconds()
                ]
                if not fits:
                    return ""
                chosen = fits[0]
            added = added.replace(f"{{{name}}}", chosen)
        return added


def within() -> Kind:
    """How an engine is asked for results of an age."""

    def check(value: str) -> str:
        names = PLACEHOLDER.findall(value)
        if not names or any(
            name not in IN_WITHIN and name.count("|") != len(AGES) - 1 for name in names
        ):
            places = ", ".join(f"{{{one}}}" for one in IN_WITHIN)
            advice = "or four words for day, week, month and year: {d|w|m|y}"
            raise ValueError(f"holds places for a time: {places}, {advice}")
        return value

    return checked("text", check, Within)
