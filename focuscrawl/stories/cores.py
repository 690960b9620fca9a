"""The core of a story (D): what its texts say on average; who is to join must be like that.

Without it a story grows from member to member: each is like the one before, the last is about
something else than the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np

from focuscrawl.stories.events import DocumentCounts, Words

KEPT = 96
"""So many words of a core are kept: its heaviest."""

ENOUGH = 0.2
"""Mean likeness to the texts of a story from which an article may join it; to one of them it must
be more (matching.EVENT)."""


class Core(NamedTuple):
    """The words of ``texts`` articles. Each article counts the same: the strengths are the mean
    of its own, divided by the norm of its weights."""

    words: Words
    texts: int

    def packed(self) -> bytes:
        """Return it as the store keeps it: 9 bytes a word."""
        words = self.words
        return msgspec.msgpack.encode(
            (
                self.texts,
                words.hashes.astype("<u4").tobytes(),
                words.strength.astype("<f4").tobytes(),
                np.rint(words.rarity * RARITY_PARTS).astype(np.uint8).tobytes(),
            )
        )

    @classmethod
    def unpacked(cls, packed: bytes) -> Core:
        """Read what ``packed`` made."""
        texts, hashes, strength, rarity = _decode(packed)
        words = Words(
            np.frombuffer(hashes, "<u4"),
            np.frombuffer(strength, "<f4"),
            np.frombuffer(rarity, np.uint8).astype(np.float32) / np.float32(RARITY_PARTS),
        )
        return cls(words, texts)


RARITY_PARTS = 16.0
_decode = msgspec.msgpack.Decoder(tuple[int, bytes, bytes, bytes]).decode


def core_of(words: Words, counts: DocumentCounts) -> Core:
    """Return the core of a story that has one text."""
    weights = counts.weights(words)
    norm = float(np.sqrt(weights @ weights))
    strength = words.strength / np.float32(norm) if norm else words.strength
    return Core(words._replace(strength=strength.astype(np.float32)), 1)


def together(cores: Iterable[Core], counts: DocumentCounts) -> Core:
    """Return the core of all texts of several."""
    strength: dict[int, float] = {}
    rarity: dict[int, float] = {}
    texts = 0
    for core in cores:
        texts += core.texts
        for word, strong, rare in zip(*(column.tolist() for column in core.words), strict=True):
            strength[word] = strength.get(word, 0.0) + strong * core.texts
            rarity[word] = rare
    hashes = sorted(strength)
    words = Words(
        np.array(hashes, np.uint32),
        np.array([strength[word] / texts for word in hashes], np.float32),
        np.array([rarity[word] for word in hashes], np.float32),
    )
    if len(hashes) > KEPT:
        heavy = np.sort(np.argsort(-counts.weights(words), kind="stable")[:KEPT])
        words = Words(words.hashes[heavy], words.strength[heavy], words.rarity[heavy])
    return Core(words, texts)


def mean_likeness(words: Words, core: Core, counts: DocumentCounts) -> float:
    """Return 0 … 1: the mean cosine of an article with the texts of a story."""
    if not len(words.hashes) or not len(core.words.hashes):
        return 0.0
    weights, others = counts.weights(words), counts.weights(core.words)
    _, mine, theirs = np.intersect1d(
        words.hashes, core.words.hashes, assume_unique=True, return_indices=True
    )
    norm = float(np.sqrt(weights @ weights))
    return min(1.0, float(weights[mine] @ others[theirs]) / norm) if norm else 0.0
