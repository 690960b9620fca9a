"""Notices of one series: the same words with other numbers (第12批 … 第13批) are no copies.

Authorities and shops publish by forms. Two such texts have nearly all their pieces in common, and
what is new in each of them are its numbers.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

from focuscrawl.dedup.grams import LONGEST, normal

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
LETTER = re.compile(r"[^\W\d_]")
FEWEST_LETTERS = 4
"""Letters a title has besides its numbers, else it says nothing."""

FEWEST_NUMBERS = 4
MOST_NUMBERS = 64
COMMON = 0.5
"""Of the numbers of a copy at least so many stand in the other text, too."""


class Numbers(NamedTuple):
    """Hashes of a title without its numbers (0: it has none, or nothing else), of its numbers, and
    of the different numbers of the text, the first ones."""

    title: int
    title_numbers: int
    text: frozenset[int]


NO_NUMBERS = Numbers(0, 0, frozenset())


def numbers_of(title: str, text: str) -> Numbers:
    """Return what tells issues of a series apart."""
    title = normal(title[:LONGEST])
    found = NUMBER.findall(title)
    form = "".join(LETTER.findall(title))
    speaks = bool(found) and len(form) >= FEWEST_LETTERS
    different = list(dict.fromkeys(NUMBER.findall(normal(text[:LONGEST]))))[:MOST_NUMBERS]
    return Numbers(
        _hash(form) if speaks else 0,
        _hash(" ".join(found)) if speaks else 0,
        frozenset(map(_hash, different)),
    )


def other_issue(one: Numbers, other: Numbers) -> bool:
    """Whether titles differ in their numbers alone."""
    return one.title == other.title != 0 and one.title_numbers != other.title_numbers


def other_numbers(one: Numbers, other: Numbers) -> bool:
    """Whether texts differ in most of their numbers."""
    fewer = min(len(one.text), len(other.text))
    return fewer >= FEWEST_NUMBERS and len(one.text & other.text) < COMMON * fewer


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))
