"""What the weighted words of a text are made into: keywords by TF-IDF (D2), and its SimHash (B2).

All of the keyword set of an article stands here: which words may be in it, what they weigh, how they are ranked,
and from how many at the same rank two articles are duplicates. ``features.stories.matches`` asks it for the
published form, and finds there by terms which articles to compare.

jieba's table says how rare a word is in Chinese. What is common inside a topic (成都, 地铁 in one about
the metro of Chengdu) is counted where articles are joined to stories. Near SimHashes mean near texts;
they are made by the package simhash.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import isfinite
from typing import NamedTuple

import numpy as np

from focuscrawl.readers.text.words import jieba_file, quietly

MOST = 20  # so many keywords the results keep of an article
PRIOR = 50.0  # the language's frequencies weigh as much as so many documents of the topic
WORDS_KEPT = 200_000  # a topic counts so many words; then those met once are forgotten
WORDS_AT_HAND = 1 << 15  # of 270,000: those that a topic keeps using
_PIECE = 1 << 20  # bytes of their table that are in memory as words at once

_LITTLE = """
    a about above after again against all also although am among an and another any are as at back
    be because been before being below between both but by came can come could did do does doing
    done down during each either else even ever every few first for from further get go got had has
    have having he her here hers herself him himself his how however i if in into is it its itself
    just last let like made make many may me might more most much must my myself near never new next
    no nor not now of off on once one only onto or other others our ours out over own per rather
    said same say says she should since so some still such than that the their theirs them
    themselves then there these they this those though through thus to too two under until up upon
    us very via was way we well were what when where whether which while who whom whose why will
    with within without would yet you your yours yourself
    don't doesn't didn't isn't wasn't it's i'm can't won't www http
"""

STOP_WORDS = frozenset(_LITTLE.split())
NUMBER = re.compile(r"\d[\d.,%_-]*\Z")


class _Table(NamedTuple):
    """IDF by the hash of a word's bytes in this process, sorted: 4 MB; a dictionary takes 90."""

    words: array[int]
    values: array[float]
    median: float


@cache
def _table() -> _Table:
    """Read jieba's IDF table, 270,000 words: .09 s, where a loop over its lines takes .16."""
    known: dict[bytes, float] = {}  # 3,300 numbers, again and again
    words, values = [], []
    with jieba_file("analyse", "idf.txt").open("rb") as file:
        while lines := file.readlines(_PIECE):
            pieces = b"".join(lines).split()
            numbers = pieces[1::2]
            known |= {number: float(number) for number in {*numbers} - known.keys()}
            words.append(np.fromiter(map(hash, pieces[::2]), np.int64, len(numbers)))
            values.append(np.fromiter(map(known.__getitem__, numbers), np.float64, len(numbers)))
    hashes, weights = np.concatenate(words), np.concatenate(values)
    order = np.argsort(hashes)
    middle = float(np.median(weights))
    return _Table(array("q", hashes[order].tobytes()), array("d", weights[order].tobytes()), middle)


@lru_cache(maxsize=WORDS_AT_HAND)
def general_idf(word: str) -> float:
    """Return how rare a word is in Chinese: log(texts / texts with it); unknown: the median's."""
    words, values, unknown = _table()
    wanted = hash(word.encode("utf-8", "replace"))
    place = bisect_left(words, wanted)
    return values[place] if place < len(words) and words[place] == wanted else unknown


@lru_cache(maxsize=WORDS_AT_HAND)
def is_keyword(word: str) -> bool:
    """Whether a word may be a keyword: two letters at least, no number, no English little word."""
    return len(word) > 1 and word not in STOP_WORDS and not NUMBER.match(word)


def weigh(words: Iterable[str]) -> dict[str, float]:
    """Return the words that may be keywords, in order of appearance, with their TF-IDF.

    It is the word's share of all of them, times its IDF, as jieba.analyse computes it.
    """
    counts = {word: count for word, count in Counter(words).items() if is_keyword(word)}
    total = sum(counts.values())
    return {word: count * general_idf(word) / total for word, count in counts.items()}


def ranked(
    weights: Mapping[str, float] | Iterable[tuple[str, float]], most: int
) -> tuple[str, ...]:
    """Return the words of most weight, the heaviest first; of equal ones the first to appear."""
    pairs = weights.items() if isinstance(weights, Mapping) else weights
    return tuple(word for word, _ in sorted(pairs, key=lambda pair: -pair[1])[:most])


def keywords(words: Iterable[str], most: int = MOST) -> list[tuple[str, float]]:
    """Return the words of most weight with it, the heaviest first; of equal ones the earlier."""
    weights = weigh(words)
    return [(word, round(weights[word], 4)) for word in ranked(weights, most)]


# The published form (D2, D3): the same keyword at the same rank, in the title, else in the text ---

# It ranks keywords and gives none of these four numbers. With them it finds 72 % of
# copies in five degrees of rewriting (benchmarks/results.md): one word more or less shifts all later
# ranks, so that of trimmed copies a third is found, of leads a tenth.
TITLE_RANKED, TITLE_SAME = 5, 2
CONTENT_RANKED, CONTENT_SAME = 10, 3


class Ranks(NamedTuple):
    """The keywords of an article, the heaviest first."""

    title: tuple[str, ...]
    content: tuple[str, ...]


class SameRanks(NamedTuple):
    """Why two articles are duplicates: ``same`` of ``ranked`` keywords at the same rank."""

    same: int
    ranked: int
    in_title: bool


def rank_words(title: Sequence[str], content: Sequence[str]) -> Ranks:
    """Rank the words of a title and of a text by TF-IDF."""
    return Ranks(ranked(weigh(title), TITLE_RANKED), ranked(weigh(content), CONTENT_RANKED))


def same_rank(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many keywords stand at the same rank in both."""
    return sum(first == second for first, second in zip(one, other, strict=False))


def duplicate(one: Ranks, other: Ranks) -> SameRanks | None:
    """Return why two articles are duplicates: by their titles first, else by their texts (D3)."""
    same = same_rank(one.title, other.title)
    if same >= TITLE_SAME:
        return SameRanks(same, TITLE_RANKED, in_title=True)
    same = same_rank(one.content, other.content)
    if same >= CONTENT_SAME:
        return SameRanks(same, CONTENT_RANKED, in_title=False)
    return None


# SimHash (B2) ------------------------------------------------------------------------------------

with quietly():
    from simhash import Simhash

# Weights are counted in millionths, so that sums are exact and the same on every machine.
_FINEST = 1 << 20
EXACT = 1 << 53  # up to here floats hold every whole number
# Above this weight the package multiplies one byte: whole numbers over 255 overflow in NumPy 2.
_LARGE = 50


def simhash_words(weights: Mapping[str, float]) -> int:
    """Return the 64-bit value of weighted words; 0 for none.

    A bit is set when the words that have it weigh more than half of all. Weights are finite and
    not negative, else ValueError.
    """
    total = sum(weights.values())
    if not isfinite(total) or min(weights.values(), default=0) < 0:
        raise ValueError("weights of words must be finite and not negative")
    scale = 1
    if not all(isinstance(weight, int) for weight in weights.values()) and total * _FINEST < EXACT:
        scale = _FINEST  # sums of whole numbers are exact in any order up to 2^53
    counts = {word: round(weight * scale) for word, weight in weights.items()}
    features = [
        (word.encode("utf-8", "replace").decode(), count if count <= _LARGE else float(count))
        for word, count in counts.items()
        if count
    ]
    return int(Simhash(features).value) if features else 0
