"""Notices of one series: the same words with other numbers (第12批 … 第13批) are no copies.

Authorities and shops publish by forms. Two such texts have nearly all their pieces in common, and
what is new in each of them are its numbers. They tell two events: the weather of two days.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from focuscrawl.stories.likeness.grams import LONGEST_COMPARED, normal

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_LETTER = re.compile(r"[^\W\d_]")
_FEWEST_LETTERS = 4
"""Letters a title has besides its numbers, else it says nothing."""

FEWEST_NUMBERS = 4  # of fewer, half in common is chance
MOST_NUMBERS = 64  # ten bytes of a sketch for each that is stated once
COMMON = 0.5
"""Of the numbers of a copy at least so many stand in the other text, too."""


_BEFORE, _AFTER = 4, 2
"""Letters around a number that say what it is the number of: 最高气温 … ℃今. Of 478 originals and
2,390 copies no pair states another number, of 2,593 pairs of reports about one event 23 do."""

FURTHEST = 12
"""Characters within which these letters stand."""

FEWEST_AROUND = 3  # two letters stand around numbers of anything
FEWEST_CONTRADICTIONS = 2  # one may be a correction, or a misprint


class Numbers(NamedTuple):
    """Hashes of a title without its numbers (0: it has none, or nothing else), of its numbers, and
    of the different numbers of the text, the first ones; ``stated`` says which number stands
    between which letters, those left out that stand around several."""

    title: int
    title_numbers: int
    text: frozenset[int]
    stated: dict[int, int] = {}  # noqa: RUF012 - never written to; sketches of old files have none


NO_NUMBERS = Numbers(0, 0, frozenset(), {})


def numbers_of(title: str, text: str) -> Numbers:
    """Return what tells issues of a series apart."""
    title = normal(title[:LONGEST_COMPARED])
    found = _NUMBER.findall(title)
    form = "".join(_LETTER.findall(title))
    speaks = bool(found) and len(form) >= _FEWEST_LETTERS
    text = normal(text[:LONGEST_COMPARED])
    different = list(dict.fromkeys(_NUMBER.findall(text)))[:MOST_NUMBERS]
    return Numbers(
        _hash(form) if speaks else 0,
        _hash(" ".join(found)) if speaks else 0,
        frozenset(map(_hash, different)),
        _stated(text),
    )


def other_issue(one: Numbers, other: Numbers) -> bool:
    """Whether titles differ in their numbers alone."""
    return one.title == other.title != 0 and one.title_numbers != other.title_numbers


def other_numbers(one: Numbers, other: Numbers) -> bool:
    """Whether texts differ in most of their numbers."""
    fewer = min(len(one.text), len(other.text))
    return fewer >= FEWEST_NUMBERS and len(one.text & other.text) < COMMON * fewer


def numbers_contradict(one: Numbers, other: Numbers) -> bool:
    """Whether texts state other numbers of the same things, as two fillings of one form do."""
    both = one.stated.keys() & other.stated.keys()
    differ = sum(one.stated[place] != other.stated[place] for place in both)
    return differ >= FEWEST_CONTRADICTIONS and 2 * differ >= len(both)


def _stated(text: str) -> dict[int, int]:
    stated: dict[int, int] = {}
    several = set()
    for match in _NUMBER.finditer(text):
        before = "".join(_LETTER.findall(text, max(0, match.start() - FURTHEST), match.start()))
        after = "".join(_LETTER.findall(text, match.end(), match.end() + FURTHEST))
        around = f"{before[-_BEFORE:]} {after[:_AFTER]}"
        if len(around) <= FEWEST_AROUND:
            continue
        place, number = _hash(around), _hash(match[0])
        if stated.setdefault(place, number) != number:
            several.add(place)
        if len(stated) == MOST_NUMBERS:
            break
    return {place: number for place, number in stated.items() if place not in several}


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))
