"""What the index keeps of an article, and which of those found by common terms a new one copies or tells the event of."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from focuscrawl.features.stories.copies import (
    FULL,
    LONGEST_COMPARED,
    NO_NUMBERS,
    Grams,
    Numbers,
    PieceCounts,
    containment,
    grams_of,
    numbers_contradict,
    numbers_of,
    other_issue,
    other_numbers,
    without_quoted,
)
from focuscrawl.features.stories.events import (
    FINEST,
    IS_COPY,
    SAME_EVENT,
    Cut,
    DocumentCounts,
    Said,
    StoryWords,
    heaviest_words,
    likeness_of,
    said_in,
)
from focuscrawl.features.stories.fillings import (
    FEWEST_WORDS,
    are_two_fillings,
    filled_form,
    shows_title,
    site_in,
    title_in,
)
from focuscrawl.readers.text.keywords import Ranks, duplicate, rank_words
from focuscrawl.stores.state.protocol import StoryArticle

if TYPE_CHECKING:
    from focuscrawl.features.stories.table import StoryRules


# Pieces by which a text is found: of a long one more, so that its parts are found, too.
GRAM_TERMS, MOST_GRAM_TERMS = 24, 96

GRAMS_A_TERM = 48  # from 1,152 kept pieces on a text has more terms than the least
WORD_TERMS = 16  # two articles must share two of their heaviest to be looked at
# What a term of the index is, above its 32-bit hash.
GRAM, WORD, TITLE_RANK, CONTENT_RANK = (kind << 32 for kind in range(4))


# Sketches ----------------------------------------------------------------------------------------

NO_GRAMS = Grams(np.empty(0, np.uint32), FULL, 0)
NO_WORDS = StoryWords(np.empty(0, np.uint32), np.empty(0, np.float32), np.empty(0, np.float32))
NO_RANKS = Ranks((), ())
NOTHING_SAID = Said({}, {}, {})


class _Packed(msgspec.Struct, array_like=True):
    """A sketch as it is stored; files of earlier versions have no ``form``."""

    limit: int
    size: int
    hashes: bytes
    words: bytes
    strength: bytes
    rarity: bytes
    ranks: Ranks
    numbers: Numbers
    form: bytes = b""


_decode = msgspec.msgpack.Decoder(_Packed).decode


class Sketch(NamedTuple):
    """An article as it is compared; what the rules do not need is empty."""

    grams: Grams
    words: StoryWords
    ranks: Ranks
    numbers: Numbers = NO_NUMBERS
    form: bytes = b""

    def packed(self) -> bytes:
        """Return it as the store keeps it: about 6 KB for a thousand characters."""
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
                self.form,
            )
        )

    @classmethod
    def unpacked(cls, packed: bytes) -> Sketch:
        """Read what ``packed`` made."""
        read = _decode(packed)
        return cls(
            Grams(np.frombuffer(read.hashes, "<u4"), read.limit, read.size),
            StoryWords(
                np.frombuffer(read.words, "<u4"),
                np.frombuffer(read.strength, np.uint8).astype(np.float32) / np.float32(FINEST),
                np.frombuffer(read.rarity, np.uint8).astype(np.float32) / np.float32(FINEST),
            ),
            read.ranks,
            read.numbers,
            read.form,
        )


class Drawn(NamedTuple):
    """A new article's sketch, all it says, the terms that lead to ones like it, its title, and the key of the page that led to it."""

    sketch: Sketch
    said: Said
    copy_terms: tuple[int, ...]
    event_terms: tuple[int, ...]
    title: str = ""
    found_on: bytes = b""


def draw_words(
    title: str, text: str, rules: StoryRules, counts: DocumentCounts, cut: Cut, site: str = ""
) -> Drawn:
    """Return what an article of a site is compared by; ``counts`` do not hold it yet."""
    if rules.strict:
        ranks = rank_words(cut(title[:LONGEST_COMPARED]), cut(text[:LONGEST_COMPARED]))
        return Drawn(Sketch(NO_GRAMS, NO_WORDS, ranks), NOTHING_SAID, _rank_terms(ranks), ())
    own = without_quoted(text)
    grams = grams_of(own) if rules.copies != "off" else NO_GRAMS
    said, words = NOTHING_SAID, NO_WORDS
    if rules.events:
        said = said_in(title, text, cut)
        words = heaviest_words(said, counts)
    most = min(max(GRAM_TERMS, len(grams.hashes) // GRAMS_A_TERM), MOST_GRAM_TERMS)
    copy_terms = tuple(GRAM | number for number in grams.hashes[:most].tolist())
    form = filled_form(site, title, own) if rules.copies != "off" else b""
    sketch = Sketch(grams, words, NO_RANKS, numbers_of(title, own), form)
    return Drawn(sketch, said, copy_terms, _word_terms(words, counts), title)


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


# Matches ---------------------------------------------------------------------------------------

# On pairs of news articles the best F1, .996, was at .32; recall at one false pair in 10,000 is .997.
# Containment from which a text is a copy: half rewritten ones reach it (benchmarks/results.md).
_COPY = 0.3

# So much more it is for the first article, and half of that when so many are known: only many tell
# which pieces are common.
COPY_OF_FEW, FEW_KNOWN = 0.35, 50.0

# Containment from which texts that contradict each other fill one form: price lists of other goods
# in other order reach it. Of 2,593 pairs of reports about one event 4 are taken for that.
FORM = 0.15

_SAME = 0.95  # containment from which it does not matter how common the pieces are

# A text so many times as long as the one it contains, or longer with so many pieces of its own,
# says more than its head, tail and related titles: it is no copy.
MUCH_LONGER, LONGER, MUCH_NEW = 2.2, 1.5, 300

# A page that holds another's text has all of it but a line (its byline, its labels), and so many times as many pieces:
# a copy has another head or tail.
HELD_WHOLE, HOLDS_MORE = 0.9, 1.2

EVENT = 0.3  # likeness from which two articles tell one event
ONE_STORY = 0.45  # likeness to members of two stories from which both are one

# Each costs reading and unpacking a sketch of some 6 KB.
COPIES_LOOKED_AT, EVENTS_LOOKED_AT = 8, 12
COMMON_TERMS = 2  # terms an article must share with the new one to be looked at
WORDS_NAMED = 5  # for people: why two articles are one event


# What trackers call the page of one message: msg34, Comment #12, 消息34.
NUMBER_ALONE = re.compile(r"[^\W\d_]{0,12}\s?#?\s?\d{1,9}")


class Match(NamedTuple):
    """An article that a new one belongs to, how alike both are (0 … 1), and why, for people."""

    article: StoryArticle
    relation: str
    similarity: float
    because: str


class StoryMatches(NamedTuple):
    """What an article belongs to: what it is a copy of or contains, and other texts of its event,
    the most alike first; ``others`` tell another event: texts by the same form, pages that hold it among others."""

    copied: Match | None = None
    events: Sequence[Match] = ()
    others: Sequence[StoryArticle] = ()

    @property
    def is_copy(self) -> bool:
        """Whether an earlier article says the same."""
        return self.copied is not None and self.copied.relation == IS_COPY


NO_MATCHES = StoryMatches()


def likely_copies(found: Iterable[tuple[int, int]], drawn: Drawn) -> list[int]:
    """Return the numbers of articles that share most terms, best first."""
    shared = Counter(number for _, number in found)
    least = min(COMMON_TERMS, len(drawn.copy_terms))
    ranked = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))
    return [number for number, terms in ranked[:COPIES_LOOKED_AT] if terms >= least]


def likely_events(
    found: Iterable[tuple[int, int]], drawn: Drawn, counts: DocumentCounts
) -> list[int]:
    """Return the numbers of articles that share the heaviest words, best first."""
    words = drawn.sketch.words
    weights = dict(zip(words.hashes.tolist(), counts.weights(words).tolist(), strict=True))
    heavy: dict[int, float] = {}
    shared: Counter[int] = Counter()
    for term, number in found:
        heavy[number] = heavy.get(number, 0.0) + weights.get(term - WORD, 0.0) ** 2
        shared[number] += 1
    likely = [number for number in heavy if shared[number] >= COMMON_TERMS]
    return sorted(likely, key=lambda number: (-heavy[number], number))[:EVENTS_LOOKED_AT]


def copy_among(
    drawn: Drawn, articles: Iterable[StoryArticle], pieces: PieceCounts, rules: StoryRules
) -> Match | None:
    """Return the article whose copy a new one is, if any.

    Compared are the pieces that few articles have, or all when nearly all of a text is there.

    Nothing may get lost. A text that contains an earlier one and says much more is no copy, it
    belongs to the same event; another issue of a series is neither, nor is another filling of a form.
    """
    if rules.strict:
        return _strict_copy(drawn, articles)
    best: Match | None = None
    mine, least = pieces.rare(drawn.sketch.grams), least_share(pieces.articles)
    for article in articles:
        sketch = Sketch.unpacked(article.sketch)
        if other_issue(drawn.sketch.numbers, sketch.numbers):
            continue
        grams = sketch.grams
        share = containment(drawn.sketch.grams, grams)
        if share < _SAME:
            share = min(share, containment(mine, pieces.rare(grams)))
        if share < least or other_numbers(drawn.sketch.numbers, sketch.numbers):
            continue
        if numbers_contradict(drawn.sketch.numbers, sketch.numbers):
            continue
        if are_two_fillings(drawn.sketch.form, sketch.form) or is_held_by(article, sketch, drawn):
            continue
        times = drawn.sketch.grams.size / max(grams.size, 1)
        new = drawn.sketch.grams.size - share * min(drawn.sketch.grams.size, grams.size)
        if times > MUCH_LONGER or (times > LONGER and new > MUCH_NEW):
            because = f"contains {share:.0%} of it, and is {times:.1f} times as long"
            match = Match(article, SAME_EVENT, share, because)
        else:
            whose = "its text" if times <= 1 else "the other text"
            match = Match(article, IS_COPY, share, f"{share:.0%} of {whose} in both")
        if best is None or _copy_first(match) > _copy_first(best):
            best = match
    return best


def is_held_by(article: StoryArticle, known: Sketch, drawn: Drawn) -> bool:
    """Whether an earlier page of its site shows a text whole among others, as a list of whole posts does.

    Such a page is no original. It led to the text, and shows its title, too, as that of an entry, or it has another
    title itself, two of the three: a teaser or a page for telephones has the title of what it is shortened from, the
    page of one comment none that names anything (Message 81).
    """
    site, text, new = site_in(known.form), known.grams, drawn.sketch
    if not site or site != site_in(new.form) or text.size < HOLDS_MORE * new.grams.size:
        return False
    if containment(new.grams, text) < HELD_WHOLE:
        return False
    has_led, is_shown = article.key == drawn.found_on != b"", shows_title(known.form, drawn.title)
    ours, theirs = title_in(new.form), title_in(known.form)
    is_other = len(ours) >= FEWEST_WORDS and bool(theirs)
    is_other = is_other and ours not in theirs and theirs not in ours
    return [has_led, is_shown, is_other].count(True) >= 2


def least_share(known: int) -> float:
    """Return the containment from which a text is a copy, when so many articles are known."""
    return _COPY + COPY_OF_FEW * FEW_KNOWN / (FEW_KNOWN + known)


def event_among(
    drawn: Drawn, articles: Iterable[StoryArticle], counts: DocumentCounts
) -> StoryMatches:
    """Return the articles that tell the same event as a new one, and those of its form."""
    words = drawn.sketch.words
    weights = counts.weights(words)
    events, forms = [], []
    for article in articles:
        sketch = Sketch.unpacked(article.sketch)
        if fill_one_form(drawn.sketch, sketch) or is_held_by(article, sketch, drawn):
            forms.append(article)
            continue
        others = sketch.words
        value = likeness_of(words, weights, others, counts.weights(others))
        if value >= EVENT:
            same = np.isin(words.hashes, others.hashes, assume_unique=True)
            heavy = np.argsort(-weights * same, kind="stable")[: min(WORDS_NAMED, int(same.sum()))]
            named = _named(drawn.said.words, words.hashes[heavy].tolist())
            events.append(Match(article, SAME_EVENT, value, f"both tell of {named}"))
    return StoryMatches(None, sorted(events, key=lambda match: -match.similarity), forms)


def fill_one_form(one: Sketch, other: Sketch) -> bool:
    """Whether two texts are issues of a series, or one form filled with other numbers."""
    if other_issue(one.numbers, other.numbers):
        return True
    if not numbers_contradict(one.numbers, other.numbers):
        return False
    return not one.grams.size or containment(one.grams, other.grams) >= FORM


def _strict_copy(drawn: Drawn, articles: Iterable[StoryArticle]) -> Match | None:
    """Title before content (D3), and of several the one with most keywords at the same rank."""
    found = [
        (why, article)
        for article in articles
        if (why := duplicate(drawn.sketch.ranks, Sketch.unpacked(article.sketch).ranks))
    ]
    if not found:
        return None
    why, article = max(found, key=lambda pair: (pair[0].in_title, pair[0].same))
    where = " of the title" if why.in_title else ""
    because = f"{why.same} of {why.ranked} keywords{where} at the same rank"
    return Match(article, IS_COPY, min(1.0, why.same / why.ranked), because)


def _copy_first(match: Match) -> tuple[bool, float]:
    return match.relation == IS_COPY, match.similarity


def _named(words: Mapping[int, str], hashes: Iterable[int]) -> str:
    return ", ".join(words[number] for number in hashes if number in words)
