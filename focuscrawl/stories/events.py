"""Same event, different text (D): cosine of weighted words, by the topic's own frequencies.

What tells one event from another of its kind are names and numbers, so these weigh double. The
first words of a text and its title count once more.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from focuscrawl.text.keywords import NUMBER, PRIOR, STOP_WORDS, WORDS_KEPT, general_idf

Cut: TypeAlias = Callable[[str], Sequence[str]]  # cuts a text into words (text.words.Splitter.cut)
_LONGEST = 20_000  # characters of a text that are looked at
_LEAD = 60  # so many words of the beginning count twice
HEAVIEST_KEPT = 48  # so many words of an article are compared: its heaviest

# A number is a keyword with each of so many words before and behind it, and never alone: every
# weather report has a 7, and not every one has 7 with 公斤 (same event against its siblings: F1
# .885, with bare numbers .874, without any .851).
_NEAR = 3

# Chosen on 482 English articles of 44 events (benchmarks/results.md).
NAMES_WEIGH, NUMBERS_WEIGH = 2.0, 2.0
# A Latin word is a name when so much of its uses inside sentences begin with a capital.
MOSTLY = 0.7

LATIN = re.compile(r"[A-Za-z][A-Za-z'’&.-]*|[.!?:;\"“”\n]")
FINEST = 16.0  # strength and rarity are kept in sixteenths, as one byte each
_ENDINGS = ("ingly", "edly", "ing", "ied", "ies", "ed", "es", "s", "ly")


class StoryWords(NamedTuple):
    """The words of an article: sorted hashes, and for each how strongly the article says it and
    how rare it is in the language (its IDF)."""

    hashes: NDArray[np.uint32]
    strength: NDArray[np.float32]
    rarity: NDArray[np.float32]


class DocumentCounts:
    """In how many articles of the topic a word stands, by its hash. Mutable; kept by the store."""

    __slots__ = ("counts", "documents")

    def __init__(self, documents: int = 0, counts: Mapping[int, int] | None = None) -> None:
        self.documents = documents
        self.counts: dict[int, int] = dict(counts or {})

    def add(self, hashes: Iterable[int]) -> None:
        """Count the different words of one article."""
        self.documents += 1
        counts = self.counts
        for word in hashes:
            counts[word] = counts.get(word, 0) + 1

    def forget_rare(self) -> None:
        """Forget words met once when there are too many to keep."""
        if len(self.counts) > WORDS_KEPT:
            self.counts = {word: number for word, number in self.counts.items() if number > 1}

    def weights(self, words: StoryWords, single: float | None = None) -> NDArray[np.float32]:
        """Return strength × IDF of an article's words.

        The IDF starts as the language's and moves to the topic's own with every article. A word
        that no other article has says nothing about what is alike: it is multiplied by
        ``single``, which without a number is the less the more articles there are.
        """
        get = self.counts.get
        found = np.fromiter((get(word, 0) for word in words.hashes.tolist()), np.float32)
        general = PRIOR * np.exp(-words.rarity)
        idf = np.log((self.documents + PRIOR) / (found + general + 0.5))
        if single is None:
            single = PRIOR / (PRIOR + self.documents)
        weights = words.strength * np.maximum(idf, 0.0) * np.where(found < 2, single, 1.0)
        return weights.astype(np.float32)


class Said(NamedTuple):
    """All words of an article by hash, with strength and rarity; what frequencies count.

    ``words`` says which word it was.
    """

    strength: dict[int, float]
    rarity: dict[int, float]
    words: dict[int, str]


def said_in(title: str, text: str, cut: Cut) -> Said:
    """Return what an article says, and how strongly (1 + log of how often; names more)."""
    title, text = _sound(title[:_LONGEST]), _sound(text[:_LONGEST])
    body, head = _keywords(cut(text)), _keywords(cut(title))
    times = Counter(body)
    times.update(body[:_LEAD])
    times.update(head)
    names = _names(f"{title}\n{text}")
    strength: dict[int, float] = {}
    rarity: dict[int, float] = {}
    words: dict[int, str] = {}
    for word, count in times.items():
        if word in STOP_WORDS or len(word) == 1:
            continue
        weight = 1.0 + log(count)
        if NUMBER.match(word.partition(" ")[0]):
            weight *= NUMBERS_WEIGH
        elif word in names:
            weight *= NAMES_WEIGH
        number = zlib.crc32(_stem(word).encode())
        if weight > strength.get(number, 0.0):
            strength[number], rarity[number] = weight, general_idf(word)
            words[number] = word
    return Said(strength, rarity, words)


def heaviest_words(said: Said, counts: DocumentCounts, most: int = HEAVIEST_KEPT) -> StoryWords:
    """Return the words of most weight, which are compared; their precision is a sixteenth."""
    words = _words(said)
    if len(words.hashes) <= most:
        return words
    weights = counts.weights(words)
    chosen = np.sort(np.argsort(-weights, kind="stable")[:most])
    return StoryWords(words.hashes[chosen], words.strength[chosen], words.rarity[chosen])


def likeness_of(
    one: StoryWords, weights: NDArray[np.float32], other: StoryWords, others: NDArray[np.float32]
) -> float:
    """Return 0 … 1: the cosine of two articles' weighted words."""
    if not len(one.hashes) or not len(other.hashes):
        return 0.0
    places = np.searchsorted(other.hashes, one.hashes)
    places[places == len(other.hashes)] = 0
    same = other.hashes[places] == one.hashes
    norm = float(np.sqrt((weights @ weights) * (others @ others)))
    return min(1.0, float(weights[same] @ others[places[same]]) / norm) if norm else 0.0


def _keywords(words: Sequence[str]) -> list[str]:
    """Return words, each number with those near it: ``1200 公斤``; little words do not count."""
    found = []
    for place, word in enumerate(words):
        if not NUMBER.match(word):
            found.append(word)
            continue
        near = (*words[max(0, place - _NEAR) : place], *words[place + 1 : place + 1 + _NEAR])
        found += [
            f"{word} {_stem(other)}"
            for other in near
            if other not in STOP_WORDS and not NUMBER.match(other)
        ]
    return found


def _sound(text: str) -> str:
    """Return a text without half characters, which no word splitter takes."""
    return text.encode("utf-8", "replace").decode()


def _words(said: Said) -> StoryWords:
    hashes = np.array(sorted(said.strength), np.uint32)
    strength = [said.strength[number] for number in hashes.tolist()]
    rarity = [said.rarity[number] for number in hashes.tolist()]
    return StoryWords(hashes, _rough(strength), _rough(rarity))


def _rough(values: Sequence[float]) -> NDArray[np.float32]:
    """Round to what is stored, so that a stored article compares as it did when it was new."""
    scaled = np.rint(np.array(values, np.float32) * np.float32(FINEST))
    return np.asarray(np.minimum(scaled, 255.0) / np.float32(FINEST), np.float32)


def _names(text: str) -> frozenset[str]:
    """Return the Latin words, small, that are mostly written with a capital inside sentences."""
    uses: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    begins = True
    for token in LATIN.findall(text):
        if not token[0].isalpha():
            begins = True
            continue
        if not begins:
            small = token.lower().removesuffix("'s").rstrip("'’.-&")
            uses[small] += 1
            capitals[small] += token[0].isupper()
        begins = token.endswith(".") and len(token) > 2
    return frozenset(word for word, n in uses.items() if capitals[word] >= MOSTLY * n)


def _stem(word: str) -> str:
    """Cut the endings of an English word off, roughly; other words stay."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):  # is, was, bus
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending in {"ied", "ies"} else "")
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
