"""What the index of stories keeps of an article, and the terms by which it is found again."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from focuscrawl.stories.likeness.events import (
    FINEST,
    Cut,
    DocumentCounts,
    Said,
    StoryWords,
    heaviest_words,
    said_in,
)
from focuscrawl.stories.likeness.grams import FULL, LONGEST_COMPARED, Grams, grams_of
from focuscrawl.stories.likeness.ranks import RankRules, Ranks, rank_words
from focuscrawl.stories.likeness.series import NO_NUMBERS, Numbers, numbers_of

GRAM_TERMS, MOST_GRAM_TERMS = 24, 96
"""Pieces by which a text is found: of a long one more, so that its parts are found, too."""

GRAMS_A_TERM = 48  # from 1,152 kept pieces on a text has more terms than the least
WORD_TERMS = 16  # two articles must share two of their heaviest to be looked at
GRAM, WORD, TITLE_RANK, CONTENT_RANK = (kind << 32 for kind in range(4))
"""What a term of the index is, above its 32-bit hash."""


Packed = tuple[int, int, bytes, bytes, bytes, bytes, Ranks, Numbers]
_decode = msgspec.msgpack.Decoder(Packed).decode

NO_GRAMS = Grams(np.empty(0, np.uint32), FULL, 0)
NO_WORDS = StoryWords(np.empty(0, np.uint32), np.empty(0, np.float32), np.empty(0, np.float32))
NO_RANKS = Ranks((), ())
NOTHING_SAID = Said({}, {}, {})


class StoryRules(NamedTuple):
    """The table [stories]; ``window`` is in seconds."""

    copies: Literal["join", "keep", "off"] = "join"
    events: bool = True
    window: float = 7 * 86400.0
    strict: bool = False
    ranks: RankRules = RankRules()


class Sketch(NamedTuple):
    """An article as it is compared; what the rules do not need is empty."""

    grams: Grams
    words: StoryWords
    ranks: Ranks
    numbers: Numbers = NO_NUMBERS

    def packed(self) -> bytes:
        """Return it as the store keeps it: about 4 KB for a thousand characters."""
        grams, words = self.grams, self.words
        return msgspec.msgpack.encode(
            (
                grams.limit,
                grams.size,
                grams.hashes.astype("<u4").tobytes(),
                words.hashes.astype("<u4").tobytes(),
                np.rint(words.strength * FINEST).astype(np.uint8).tobytes(),
                np.rint(words.rarity * FINEST).astype(np.uint8).tobytes(),
                self.ranks,
                self.numbers,
            )
        )

    @classmethod
    def unpacked(cls, packed: bytes) -> Sketch:
        """Read what ``packed`` made."""
        limit, size, hashes, words, strength, rarity, ranks, numbers = _decode(packed)
        return cls(
            Grams(np.frombuffer(hashes, "<u4"), limit, size),
            StoryWords(
                np.frombuffer(words, "<u4"),
                np.frombuffer(strength, np.uint8).astype(np.float32) / np.float32(FINEST),
                np.frombuffer(rarity, np.uint8).astype(np.float32) / np.float32(FINEST),
            ),
            ranks,
            numbers,
        )


class Drawn(NamedTuple):
    """A new article's sketch, all it says, and the terms that lead to ones like it."""

    sketch: Sketch
    said: Said
    copy_terms: tuple[int, ...]
    event_terms: tuple[int, ...]


def draw_words(title: str, text: str, rules: StoryRules, counts: DocumentCounts, cut: Cut) -> Drawn:
    """Return what an article is compared by; ``counts`` do not hold it yet."""
    if rules.strict:
        ranks = rank_words(cut(title[:LONGEST_COMPARED]), cut(text[:LONGEST_COMPARED]), rules.ranks)
        return Drawn(Sketch(NO_GRAMS, NO_WORDS, ranks), NOTHING_SAID, _rank_terms(ranks), ())
    grams = grams_of(text) if rules.copies != "off" else NO_GRAMS
    said, words = NOTHING_SAID, NO_WORDS
    if rules.events:
        said = said_in(title, text, cut)
        words = heaviest_words(said, counts)
    most = min(max(GRAM_TERMS, len(grams.hashes) // GRAMS_A_TERM), MOST_GRAM_TERMS)
    copy_terms = tuple(GRAM | number for number in grams.hashes[:most].tolist())
    sketch = Sketch(grams, words, NO_RANKS, numbers_of(title, text))
    return Drawn(sketch, said, copy_terms, _word_terms(words, counts))


def _word_terms(words: StoryWords, counts: DocumentCounts) -> tuple[int, ...]:
    """Return the words of most weight; those of one article count, for a second may come."""
    weights = counts.weights(words, single=1.0)
    heavy = np.argsort(-weights, kind="stable")[:WORD_TERMS]
    return tuple(WORD | number for number in words.hashes[heavy].tolist())


def _rank_terms(ranks: Ranks) -> tuple[int, ...]:
    return _placed(TITLE_RANK, ranks.title) + _placed(CONTENT_RANK, ranks.content)


def _placed(kind: int, words: Sequence[str]) -> tuple[int, ...]:
    return tuple(
        kind | zlib.crc32(f"{rank} {word}".encode("utf-8", "replace"))
        for rank, word in enumerate(words)
    )
