"""What the index of stories keeps of an article, and the terms by which it is found again."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from focuscrawl.stories.copies import (
    FULL,
    LONGEST_COMPARED,
    NO_NUMBERS,
    Grams,
    Numbers,
    grams_of,
    numbers_of,
)
from focuscrawl.stories.events import (
    FINEST,
    Cut,
    DocumentCounts,
    Said,
    StoryWords,
    heaviest_words,
    said_in,
)
from focuscrawl.text.keywords import weigh

if TYPE_CHECKING:
    from focuscrawl.stories.table import StoryRules

# Pieces by which a text is found: of a long one more, so that its parts are found, too.
GRAM_TERMS, MOST_GRAM_TERMS = 24, 96

GRAMS_A_TERM = 48  # from 1,152 kept pieces on a text has more terms than the least
WORD_TERMS = 16  # two articles must share two of their heaviest to be looked at
# What a term of the index is, above its 32-bit hash.
GRAM, WORD, TITLE_RANK, CONTENT_RANK = (kind << 32 for kind in range(4))

# The published form ranks keywords and gives none of these four numbers. With them it finds 72 % of
# copies in five degrees of rewriting (benchmarks/results.md): one word more or less shifts all later
# ranks, so that of trimmed copies a third is found, of leads a tenth.
TITLE_RANKED, TITLE_SAME = 5, 2
CONTENT_RANKED, CONTENT_SAME = 10, 3


# The published form (D2, D3): the same keyword at the same rank, in the title, else in the text


class Ranks(NamedTuple):
    """The keywords of an article, the heaviest first."""

    title: tuple[str, ...]
    content: tuple[str, ...]


class SameRanks(NamedTuple):
    """Why two articles are duplicates: ``same`` of ``ranked`` keywords at the same rank."""

    same: int
    ranked: int
    in_title: bool


def ranked(
    weights: Mapping[str, float] | Iterable[tuple[str, float]], most: int
) -> tuple[str, ...]:
    """Return the words of most weight, the heaviest first; of equal ones the first to appear."""
    pairs = weights.items() if isinstance(weights, Mapping) else weights
    return tuple(word for word, _ in sorted(pairs, key=lambda pair: -pair[1])[:most])


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


# Sketches ----------------------------------------------------------------------------------------

NO_GRAMS = Grams(np.empty(0, np.uint32), FULL, 0)
NO_WORDS = StoryWords(np.empty(0, np.uint32), np.empty(0, np.float32), np.empty(0, np.float32))
NO_RANKS = Ranks((), ())
NOTHING_SAID = Said({}, {}, {})

Packed = tuple[int, int, bytes, bytes, bytes, bytes, Ranks, Numbers]
_decode = msgspec.msgpack.Decoder(Packed).decode


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
        ranks = rank_words(cut(title[:LONGEST_COMPARED]), cut(text[:LONGEST_COMPARED]))
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
