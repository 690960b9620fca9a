"""Copies (D): how much of the shorter text stands in the longer one, by its overlapping fours.

Letters count, not how they are set: width, case, punctuation, white space and traditional
characters make no difference. A piece is four Chinese characters or four Latin words in a row.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from focuscrawl.readers.text.characters import to_simplified

Hashes: TypeAlias = NDArray[np.uint32]

# Of 958 Chinese articles with five derived copies each, containment of fours tells copies with F1 .996;
# a SimHash of 5 bits finds a quarter of those with another head and tail, keyword ranks a third of the cut.
PIECE = 4
# Characters of a text that are looked at: no page costs more than some milliseconds.
LONGEST_COMPARED = 60_000

# Of a text with more pieces only those with the smallest hashes are kept: half or a quarter of
# them, and of very long ones less, so that short texts are still found in long ones.
KEPT_WHOLE, KEPT_AT_MOST = 512, 2048

FINEST_USUAL = 4
# Pieces below which a text is too short to be found inside another: then both must be alike.
FEW = 40

COUNTERS = 1 << 20  # 2 MB a topic; two pieces that share one count as more common, never as rarer
MOST_COUNTED = 60_000  # below the 65,535 of their two bytes
# A piece is common when more articles have it, and more than this share of all.
FEW_ARTICLES, COMMON_SHARE = 5, 0.01

_TEXT_UNITS = re.compile(r"[0-9a-z]+|[^\W_]")
FULL = 1 << 32
# Odd constants whose bits look random spread neighbouring characters over all 64 bits.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
MIXER = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)


class Grams(NamedTuple):
    """The pieces of a text: sorted hashes below ``limit`` (2^32: all of them), and how many
    different ones the text has (estimated where some were left out)."""

    hashes: Hashes
    limit: int
    size: int


class PieceCounts:
    """In about how many articles of the topic a piece stands. Mutable; kept by the store.

    What many articles have (forms, disclaimers, what everybody quotes) is no sign of a copy.
    Pieces share counters, so that a million of them do.
    """

    __slots__ = ("articles", "counts")

    def __init__(self, articles: int = 0, packed: bytes = b"") -> None:
        self.articles = articles
        plain = zlib.decompress(packed) if packed else bytes(2 * COUNTERS)
        self.counts = np.frombuffer(plain, "<u2").astype(np.uint16)

    def add(self, grams: Grams) -> None:
        """Count an article that is no copy."""
        self.articles += 1
        places = np.unique(grams.hashes & np.uint32(COUNTERS - 1))
        self.counts[places] += self.counts[places] < MOST_COUNTED

    def take_back(self, grams: Grams) -> None:
        """Count an article no more."""
        self.articles -= 1
        places = np.unique(grams.hashes & np.uint32(COUNTERS - 1))
        self.counts[places] -= self.counts[places] > 0

    def rare(self, grams: Grams) -> Grams:
        """Return the pieces that few articles have."""
        most = max(FEW_ARTICLES, COMMON_SHARE * self.articles)
        kept = grams.hashes[self.counts[grams.hashes & np.uint32(COUNTERS - 1)] <= most]
        return Grams(kept, grams.limit, round(len(kept) * (FULL / grams.limit)))

    def packed(self) -> bytes:
        """Return the counters as the store keeps them."""
        return zlib.compress(self.counts.astype("<u2").tobytes(), 1)


def grams_of(text: str) -> Grams:
    """Return the pieces of a text; the same for the same letters on every machine."""
    units = _TEXT_UNITS.findall(normal(text[:LONGEST_COMPARED]))
    if not units:
        return Grams(np.empty(0, np.uint32), FULL, 0)
    codes = np.array(
        [ord(unit) if len(unit) == 1 else zlib.crc32(unit.encode()) for unit in units], np.uint64
    )
    if len(codes) < PIECE:
        codes = np.concatenate([codes, np.zeros(PIECE - len(codes), np.uint64)])
    pieces = codes[:-3]
    for shift in range(1, PIECE):
        pieces = pieces * MULTIPLIER + codes[shift : len(codes) - PIECE + 1 + shift]
    for _ in range(2):
        pieces = (pieces ^ (pieces >> HALF)) * MIXER
    hashes = np.unique((pieces >> HALF).astype(np.uint32))
    size, part = len(hashes), 1
    while size > part * (KEPT_WHOLE if part < FINEST_USUAL else KEPT_AT_MOST):
        part *= 2
    limit = FULL // part
    return Grams(_below(hashes, limit).copy(), limit, size)


def shared(one: Grams, other: Grams) -> float:
    """Return about how many pieces two texts have in common."""
    limit = min(one.limit, other.limit)
    few, many = _below(one.hashes, limit), _below(other.hashes, limit)
    if len(few) > len(many):
        few, many = many, few
    if not len(few):
        return 0.0
    places = np.searchsorted(many, few)
    places[places == len(many)] = 0
    return float(np.count_nonzero(many[places] == few)) * (FULL / limit)


def containment(one: Grams, other: Grams) -> float:
    """Return 0 … 1: the share of the shorter text that stands in the other one.

    Of texts under FEW pieces it is the share that both have of all, so that a short notice that
    is quoted somewhere is no copy of what quotes it.
    """
    smaller = min(one.size, other.size)
    if not smaller:
        return 0.0
    both = shared(one, other)
    if smaller < FEW:
        return min(1.0, both / (one.size + other.size - both))
    return min(1.0, both / smaller)


def _below(hashes: Hashes, limit: int) -> Hashes:
    if limit >= FULL:
        return hashes
    return hashes[: np.searchsorted(hashes, np.uint32(limit))]


_QUOTED_LINE = re.compile(r"\s*[>＞]")
_LEAST_OWN = 20  # letters of a mail's own words; what has fewer only hands on what it quotes


def without_quoted(text: str) -> str:
    """Return a text without the lines that it quotes as mails do (> …): answers to one mail are no copies of it, nor of
    each other. A text of nothing else is itself.
    """
    if ">" not in text and "＞" not in text:
        return text
    own = [line for line in text.split("\n") if not _QUOTED_LINE.match(line)]
    return "\n".join(own) if sum(map(len, own)) >= _LEAST_OWN else text


@lru_cache(maxsize=4)  # an article's text is asked for twice: for its pieces and its numbers
def normal(text: str) -> str:
    """Return a text in half width, small letters and simplified characters."""
    return unicodedata.normalize("NFKC", text).casefold().translate(to_simplified())


# Notices of one series: the same words with other numbers (第12批 … 第13批) are no copies. Authorities
# and shops publish by forms: two such texts have nearly all their pieces in common, and what is new
# in each of them are its numbers. They tell two events: the weather of two days.

_NUMBER_OF_TEXT = re.compile(r"\d+(?:[.,:]\d+)*")
_LETTER = re.compile(r"[^\W\d_]")
_SHORTEST_WORD = 4  # letters a title has besides its numbers, else it says nothing
FEWEST_NUMBERS = 4  # of fewer, half in common is chance
MOST_NUMBERS = 64  # ten bytes of a sketch for each that is stated once
COMMON = 0.5  # of the numbers of a copy at least so many stand in the other text, too


# Letters around a number that say what it is the number of: 最高气温 … ℃今. Of 478 originals and 2,390
# copies no pair states another number, of 2,593 pairs of reports about one event 23 do.
_BEFORE, _AFTER = 4, 2

FURTHEST = 12  # characters within which these letters stand
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
    found = _NUMBER_OF_TEXT.findall(title)
    form = "".join(_LETTER.findall(title))
    speaks = bool(found) and len(form) >= _SHORTEST_WORD
    text = normal(text[:LONGEST_COMPARED])
    different = list(dict.fromkeys(_NUMBER_OF_TEXT.findall(text)))[:MOST_NUMBERS]
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
    for match in _NUMBER_OF_TEXT.finditer(text):
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
