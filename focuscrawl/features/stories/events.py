"""Same event, different text (D): cosine of weighted words, by the topic's own frequencies; and stories.

What tells one event from another of its kind are names and numbers, so these weigh double. The
first words of a text and its title count once more.

A story knows who belongs to it, who was first, how many told it, and what they say on average. Its core
is the mean of its texts; who is to join must be like that. Without it a story grows from member to
member: each is like the one before, the last is about something else than the first.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from focuscrawl.readers.text.keywords import NUMBER, PRIOR, STOP_WORDS, WORDS_KEPT, general_idf
from focuscrawl.stores.state.protocol import StoryArticle, StoryState

Cut: TypeAlias = Callable[[str], Sequence[str]]  # cuts a text into words (text.words.Splitter.cut)
_LONGEST_REPORT = 20_000  # characters of a text that are looked at
_LEAD_WORDS = 60  # so many words of the beginning count twice
HEAVIEST_KEPT = 48  # so many words of an article are compared: its heaviest

# A number is a keyword with each of so many words before and behind it, and never alone: every
# weather report has a 7, and not every one has 7 with 公斤 (same event against its siblings: F1
# .885, with bare numbers .874, without any .851).
_NEAR_DAYS = 3

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

    def take_back(self, hashes: Iterable[int]) -> None:
        """Count the words of an article no more."""
        self.documents -= 1
        for word in hashes:
            self.counts[word] -= 1

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
    title, text = _sound(title[:_LONGEST_REPORT]), _sound(text[:_LONGEST_REPORT])
    body, head = _keywords(cut(text)), _keywords(cut(title))
    times = Counter(body)
    times.update(body[:_LEAD_WORDS])
    times.update(head)
    names = _names(f"{title}\n{text}")
    strength: dict[int, float] = {}
    rarity: dict[int, float] = {}
    words: dict[int, str] = {}
    for word, count in times.items():
        if word in STOP_WORDS or len(word) == 1:
            continue
        weight = 1.0 + log(count)
        if _is_number(word):
            weight *= NUMBERS_WEIGH
        elif word in names:
            weight *= NAMES_WEIGH
        number = zlib.crc32(_stem(word).encode())
        if weight > strength.get(number, 0.0):
            strength[number], rarity[number] = weight, general_idf(word)
            words[number] = word
    return Said(strength, rarity, words)


def heaviest_words(said: Said, counts: DocumentCounts, most: int = HEAVIEST_KEPT) -> StoryWords:
    """Return the words of most weight, which are compared; their precision is a sixteenth.

    Where most of them would be numbers, these take half of the places and weigh as much as all other words
    together. In a bulletin of prices 45 of 48 places were numbers, and no two reports of its event were alike: of
    eight pairs of short reports none was found, five are now (tests/features/stories/test_events.py).
    """
    words = _words(said)
    if not len(words.hashes):
        return words
    weights = counts.weights(words)
    ranked = np.argsort(-weights, kind="stable")
    numbers = np.array([_is_number(said.words[one]) for one in words.hashes[ranked].tolist()])
    strength, are_crowded = words.strength, 2 * numbers[:most].sum() > len(ranked[:most])
    if are_crowded:
        most_numbers = max(most // 2, most - int((~numbers).sum()))
        stay = ~numbers | (np.cumsum(numbers) <= most_numbers)
        ranked, numbers = ranked[stay][:most], numbers[stay][:most]
        squares = weights[ranked] ** 2
        numbers_weigh, others_weigh = squares[numbers].sum(), squares[~numbers].sum()
        if numbers_weigh > others_weigh > 0:
            strength = strength.copy()
            strength[ranked[numbers]] *= np.sqrt(others_weigh / numbers_weigh)
            strength = _rough(strength.tolist())
    chosen = np.sort(ranked[:most])
    return StoryWords(words.hashes[chosen], strength[chosen], words.rarity[chosen])


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
        near = (
            *words[max(0, place - _NEAR_DAYS) : place],
            *words[place + 1 : place + 1 + _NEAR_DAYS],
        )
        found += [
            f"{word} {_stem(other)}"
            for other in near
            if other not in STOP_WORDS and not NUMBER.match(other)
        ]
    return found


def _is_number(word: str) -> bool:
    """Whether a keyword is a number with what stands near it."""
    return NUMBER.match(word.partition(" ")[0]) is not None


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


# Stories ---------------------------------------------------------------------------------------

# Relations of an article to its story, as in the results table ``story_members``.
FIRST, IS_COPY, SAME_EVENT = "first", "copy", "event"

_MOST_STORY_SITES = 1000  # sites of a story that are kept
_SLOTS_KEPT = 96  # so many words of a core are kept: its heaviest

# Mean likeness to the texts of a story from which an article may join it; to one of them it must
# be more (matches.EVENT).
ENOUGH_SHARED = 0.2


RARITY_PARTS = 16.0  # rarities are kept in sixteenths, a byte each, as sketches have them
_decode = msgspec.msgpack.Decoder(tuple[int, bytes, bytes, bytes]).decode


class StoryReading(NamedTuple):
    """An article as stories take it: ``published`` and ``found`` are seconds since 1970 UTC, ``found_on`` is the key
    of the page that led to it."""

    key: bytes
    host: str
    title: str
    text: str
    published: float | None
    found: float
    keywords: tuple[tuple[str, float], ...] = ()
    found_on: bytes = b""

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
    if reading.host not in sites and len(sites) < _MOST_STORY_SITES:
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
    sites = tuple(dict.fromkeys((*elder.sites, *younger.sites)))[:_MOST_STORY_SITES]
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
    if len(hashes) > _SLOTS_KEPT:
        heavy = np.sort(np.argsort(-counts.weights(words), kind="stable")[:_SLOTS_KEPT])
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
