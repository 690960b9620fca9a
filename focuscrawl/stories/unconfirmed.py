"""Articles that are told of and not remembered yet, for it is open whether they are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from focuscrawl.store.protocol import StoryArticle
from focuscrawl.stories.likeness.events import DocumentCounts
from focuscrawl.stories.likeness.grams import PieceCounts
from focuscrawl.stories.likeness.matches import (
    StoryMatches,
    copy_among,
    event_among,
    likely_copies,
    likely_events,
)
from focuscrawl.stories.likeness.sketch import Drawn, StoryRules


class Unconfirmed:
    """An article that was looked at and is not remembered yet: whether it is stored is open.

    ``joined`` are articles with terms of its own that were remembered since; ``ended`` is set when it
    is remembered, or never will be.
    """

    def __init__(self, article: StoryArticle) -> None:
        self.article = article
        self.terms = frozenset(article.terms)
        self.joined: list[StoryArticle] = []
        self.ended = asyncio.Event()


def like_unconfirmed(
    unconfirmed: Iterable[Unconfirmed],
    key: bytes,
    drawn: Drawn,
    pieces: PieceCounts,
    rules: StoryRules,
) -> Unconfirmed | None:
    """Return what is not remembered yet: the same article, or one this may be a copy of."""
    looks = rules.copies != "off" or rules.strict
    terms = frozenset(drawn.copy_terms) if looks else frozenset()
    for other in unconfirmed:
        if other.article.key == key:
            return other
        if not likely_copies(((term, 0) for term in terms & other.terms), drawn):
            continue
        if copy_among(drawn, [other.article], pieces, rules) is not None:
            return other
    return None


def with_joined(
    matches: StoryMatches,
    joined: Sequence[StoryArticle],
    drawn: Drawn,
    at: float,
    *,
    rules: StoryRules,
    counts: DocumentCounts,
) -> StoryMatches:
    """Return what an article belongs to, now that others were remembered."""
    if not joined or matches.is_copy or not rules.events or rules.strict:
        return matches
    near = {one.number: one for one in joined if abs(one.at - at) <= rules.window}
    wanted = set(drawn.event_terms)
    found = [(term, one.number) for one in near.values() for term in wanted.intersection(one.terms)]
    likely = [near[number] for number in likely_events(found, drawn, counts)]
    more = event_among(drawn, likely, counts)
    events = sorted((*matches.events, *more.events), key=lambda match: -match.similarity)
    return StoryMatches(matches.copied, events, (*matches.others, *more.others))
