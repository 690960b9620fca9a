"""Which of the articles found by common terms a new one is a copy of, or tells the event of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from focuscrawl.store.protocol import StoryArticle
from focuscrawl.stories.copies import (
    PieceCounts,
    containment,
    numbers_contradict,
    other_issue,
    other_numbers,
)
from focuscrawl.stories.events import DocumentCounts, likeness_of
from focuscrawl.stories.sketch import WORD, Drawn, Sketch, duplicate

if TYPE_CHECKING:
    from focuscrawl.stories.table import StoryRules

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

EVENT = 0.3  # likeness from which two articles tell one event
ONE_STORY = 0.45  # likeness to members of two stories from which both are one

# Each costs reading and unpacking a sketch of some 4 KB.
COPIES_LOOKED_AT, EVENTS_LOOKED_AT = 8, 12
COMMON_TERMS = 2  # terms an article must share with the new one to be looked at
WORDS_NAMED = 5  # for people: why two articles are one event
# Relations of an article to its story, as in the results table ``story_members``.
FIRST, IS_COPY, SAME_EVENT = "first", "copy", "event"


class Match(NamedTuple):
    """An article that a new one belongs to, how alike both are (0 … 1), and why, for people."""

    article: StoryArticle
    relation: str
    similarity: float
    because: str


class StoryMatches(NamedTuple):
    """What an article belongs to: what it is a copy of or contains, and other texts of its event,
    the most alike first; ``others`` are texts by the same form that tell another event."""

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
    belongs to the same event; another issue of a series is neither.
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
        if fill_one_form(drawn.sketch, sketch):
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
