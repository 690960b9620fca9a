"""Search engines as data: how their addresses are written, and those that are built in (engines.toml)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote

from focuscrawl.template.kinds.addresses import check_url
from focuscrawl.template.kinds.kind import Kind, checked, listed
from focuscrawl.template.kinds.words import WordError, parse_group
from focuscrawl.values import Json

SEARXNG_ADDRESS = "https://searx.example.cn/search?q={query}&format=json&pageno={page}"
"""What the address of an instance looks like; there is none that would do for everybody."""

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
IN_ADDRESS = ("query", "page", "first")
IN_WITHIN = ("since", "until", "since_day", "until_day")
AGES = (timedelta(days=1), timedelta(weeks=1), timedelta(days=31), timedelta(days=366))
RESULTS_OF_A_PAGE = 10  # as pn= of Baidu counts them (C2)
_PLUS = re.compile(r"\+\+|\+")
_DAY = 86_400


@cache
def _data() -> Json:
    return tomllib.loads((files("focuscrawl.search") / "engines.toml").read_text("utf-8"))


def built_in() -> dict[str, Json]:
    """Return the built-in engines: name → keys of [search.engine.NAME], in its notation."""
    engines: dict[str, Json] = _data()["engine"]
    return engines


def standard_words(name: str) -> list[str]:
    """Return word groups for every engine: "blocked" (refusals), "empty" (nothing is known)."""
    return list(_data()["words"][name])


def queries() -> Kind:
    """Word groups to search for; built as the texts to search for, each synonym is one."""

    def check(value: str) -> str:
        try:
            group = parse_group(value)
        except WordError as error:
            raise ValueError(str(error)) from None
        if group.expression:
            raise ValueError("a regular expression cannot be searched for; write words")
        if any(len(synonym.parts) > 1 for synonym in group.synonyms):
            raise ValueError("no * in what is searched for; a + joins words: 食品+抽检")
        return value

    def texts(plain: list[str]) -> tuple[str, ...]:
        written = [synonym.parts[0] for one in plain for synonym in parse_group(one).synonyms]
        spoken = (_PLUS.sub(lambda plus: plus[0][1:] or " ", one) for one in written)
        return tuple(dict.fromkeys(" ".join(one.split()) for one in spoken))

    return replace(listed(checked("words", check), "words"), build=texts, groups=True)


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
        fits = sum(age > most.total_seconds() for most in AGES)
        if fits == len(AGES) and any("|" in name for name in PLACEHOLDER.findall(self.written)):
            return ""

        def chosen(found: re.Match[str]) -> str:
            name = found[1]
            return str(places[name]) if name in places else name.split("|")[fits]

        return PLACEHOLDER.sub(chosen, self.written)


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
