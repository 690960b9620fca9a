"""Where the index of stories finds what it knows: told since the last commit, or in the store."""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from focuscrawl.store.protocol import Store, StoryArticle, StoryState
from focuscrawl.stories.copies import PieceCounts
from focuscrawl.stories.events import DocumentCounts
from focuscrawl.stories.matches import (
    StoryMatches,
    copy_among,
    event_among,
    likely_copies,
    likely_events,
)
from focuscrawl.stories.sketch import Drawn

if TYPE_CHECKING:
    from focuscrawl.stories.table import StoryRules


class Lookup:
    """The articles and stories of the store, and those told since the last commit, as one.

    Of the latter the first map holds what is new, the second what is being written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._articles: ChainMap[int, StoryArticle] = ChainMap({}, {})
        self._stories: ChainMap[str, StoryState] = ChainMap({}, {})
        self._numbers: dict[bytes, int] = {}
        self._by_term: dict[int, list[int]] = {}

    def add(self, article: StoryArticle, stories: Iterable[StoryState]) -> None:
        """Keep an article and the stories that changed with it."""
        self._articles[article.number] = article
        self._list(article)
        self._stories.update((story.story_id, story) for story in stories)

    def drain(self) -> tuple[list[StoryArticle], list[StoryState]]:
        """Return everything new for a commit; it stays known until ``committed``."""
        articles, stories = self._articles.maps[0], self._stories.maps[0]
        self._articles = ChainMap({}, {**self._articles.maps[1], **articles})
        self._stories = ChainMap({}, {**self._stories.maps[1], **stories})
        return list(articles.values()), list(stories.values())

    def committed(self) -> None:
        """Forget what was drained: the store has it now."""
        if not (self._articles.maps[1] or self._stories.maps[1]):
            return
        self._articles = ChainMap(self._articles.maps[0], {})
        self._stories = ChainMap(self._stories.maps[0], {})
        self._numbers, self._by_term = {}, {}
        for article in self._articles.values():
            self._list(article)

    def _list(self, article: StoryArticle) -> None:
        self._numbers[article.key] = article.number
        for term in article.terms:
            numbers = self._by_term.setdefault(term, [])
            if article.number not in numbers:
                numbers.append(article.number)

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return (term, article number) of articles between two dates, the newest of each term."""
        stored = await self._store.candidates(terms, since, until, most)
        fresh = [
            (term, number)
            for term in (terms if self._by_term else ())
            for number in self._by_term.get(term, ())
            if since <= self._articles[number].at <= until
        ]
        return [*dict.fromkeys((*fresh, *stored))] if fresh else stored

    async def articles(self, numbers: Sequence[int]) -> list[StoryArticle]:
        """Return articles by their numbers; those that are not known are left out."""
        fresh = self._articles
        stored = await self._store.story_articles([n for n in numbers if n not in fresh])
        found = (fresh.get(number) or stored.get(number) for number in numbers)
        return [article for article in found if article is not None]

    async def article_of(self, key: bytes) -> StoryArticle | None:
        """Return an article by its key."""
        number = self._numbers.get(key)
        fresh = None if number is None else self._articles.get(number)
        return fresh or await self._store.story_article(key)

    async def story(self, story_id: str) -> StoryState | None:
        """Return a story, or the one that swallowed it."""
        while True:
            story = self._stories.get(story_id)
            if story is None:
                story = (await self._store.stories([story_id])).get(story_id)
            if story is None or not story.merged_into:
                return story
            story_id = story.merged_into


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
