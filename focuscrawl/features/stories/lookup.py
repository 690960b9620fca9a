"""Where the index of stories finds what it knows: told since the last commit, or in the store."""

from __future__ import annotations

import asyncio
from collections import ChainMap
from collections.abc import Iterable, Sequence

from focuscrawl.stores.state.protocol import StoryArticle, StoryState, StoryStore


class Lookup:
    """The articles and stories of the store, and those told since the last commit, as one.

    Of the latter the first map holds what is new, the second what is being written.
    """

    def __init__(self, store: StoryStore) -> None:
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
