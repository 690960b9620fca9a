"""Stories: who belongs to them, who was first, how many told it, and what they say on average (D).

The core of a story is the mean of its texts; who is to join must be like that. Without it a story grows
from member to member: each is like the one before, the last is about something else than the first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import numpy as np

from focuscrawl.store.protocol import StoryArticle, StoryState
from focuscrawl.stories.events import DocumentCounts, StoryWords
from focuscrawl.stories.matches import IS_COPY

_MOST_SITES = 1000  # sites of a story that are told apart
_KEPT = 96  # so many words of a core are kept: its heaviest

# Mean likeness to the texts of a story from which an article may join it; to one of them it must
# be more (matches.EVENT).
ENOUGH = 0.2


RARITY_PARTS = 16.0  # rarities are kept in sixteenths, a byte each, as sketches have them
_decode = msgspec.msgpack.Decoder(tuple[int, bytes, bytes, bytes]).decode


class StoryReading(NamedTuple):
    """An article as stories take it: ``published`` and ``found`` are seconds since 1970 UTC."""

    key: bytes
    host: str
    title: str
    text: str
    published: float | None
    found: float
    keywords: tuple[tuple[str, float], ...] = ()

    @property
    def at(self) -> float:
        """Its date: published, else found; none is later than found."""
        return self.found if self.published is None else min(self.published, self.found)


def story_id_of(key: bytes) -> str:
    """Return the id of the story that an article begins."""
    return hashlib.md5(key).hexdigest()


def begun_story(story_id: str, reading: StoryReading) -> StoryState:
    """Return a story that has no member yet; its first will be this article."""
    at = reading.at
    return StoryState(story_id, reading.title, reading.key.hex(), reading.host, at, at, 0, 0, ())


def joined(story: StoryState, reading: StoryReading, article: StoryArticle) -> StoryState:
    """Return a story with one more member; an earlier one than all so far becomes the first."""
    sites = story.sites
    if reading.host not in sites and len(sites) < _MOST_SITES:
        sites = (*sites, reading.host)
    story = story._replace(
        last_at=max(story.last_at, article.at),
        articles=story.articles + 1,
        copies=story.copies + (article.relation == IS_COPY),
        sites=sites,
        keywords=story.keywords or reading.keywords,
    )
    if article.at < story.first_at:
        return story._replace(
            title=reading.title,
            first_key=reading.key.hex(),
            first_host=reading.host,
            first_at=article.at,
        )
    return story


def merged_stories(one: StoryState, other: StoryState) -> tuple[StoryState, StoryState]:
    """Return two stories that are one: the elder with all members, the younger leading to it."""
    elder, younger = sorted((one, other), key=lambda story: (story.first_at, story.story_id))
    sites = tuple(dict.fromkeys((*elder.sites, *younger.sites)))[:_MOST_SITES]
    swallowed = younger._replace(merged_into=elder.story_id)
    elder = elder._replace(
        last_at=max(elder.last_at, younger.last_at),
        articles=elder.articles + younger.articles,
        copies=elder.copies + younger.copies,
        sites=sites,
    )
    return elder, swallowed


class Core(NamedTuple):
    """The words of ``texts`` articles. Each article counts the same: the strengths are the mean
    of its own, divided by the norm of its weights."""

    words: StoryWords
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
        words = StoryWords(
            np.frombuffer(hashes, "<u4"),
            np.frombuffer(strength, "<f4"),
            np.frombuffer(rarity, np.uint8).astype(np.float32) / np.float32(RARITY_PARTS),
        )
        return cls(words, texts)


def core_of(words: StoryWords, counts: DocumentCounts) -> Core:
    """Return the core of a story that has one text."""
    weights = counts.weights(words)
    norm = float(np.sqrt(weights @ weights))
    strength = words.strength / np.float32(norm) if norm else words.strength
    return Core(words._replace(strength=strength.astype(np.float32)), 1)


def joint_core(cores: Iterable[Core], counts: DocumentCounts) -> Core:
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
    words = StoryWords(
        np.array(hashes, np.uint32),
        np.array([strength[word] / texts for word in hashes], np.float32),
        np.array([rarity[word] for word in hashes], np.float32),
    )
    if len(hashes) > _KEPT:
        heavy = np.sort(np.argsort(-counts.weights(words), kind="stable")[:_KEPT])
        words = StoryWords(words.hashes[heavy], words.strength[heavy], words.rarity[heavy])
    return Core(words, texts)


def mean_likeness(words: StoryWords, core: Core, counts: DocumentCounts) -> float:
    """Return 0 … 1: the mean cosine of an article with the texts of a story."""
    if not len(words.hashes) or not len(core.words.hashes):
        return 0.0
    weights, others = counts.weights(words), counts.weights(core.words)
    _, mine, theirs = np.intersect1d(
        words.hashes, core.words.hashes, assume_unique=True, return_indices=True
    )
    norm = float(np.sqrt(weights @ weights))
    return min(1.0, float(weights[mine] @ others[theirs]) / norm) if norm else 0.0
