"""Where the index of stories finds what it knows: told since the last commit, or in the store."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Sequence

from focuscrawl.store.protocol import Store, StoryArticle, StoryState


class Pending:
    """Articles by number and stories by id that the store does not have yet."""

    def __init__(self) -> None:
        self.articles: ChainMap[int, StoryArticle] = ChainMap({}, {})
        self.stories: ChainMap[str, StoryState] = ChainMap({}, {})
        self._numbers: dict[bytes, int] = {}
        self._by_term: dict[int, list[int]] = {}

    def add(self, article: StoryArticle, stories: Iterable[StoryState]) -> None:
        """Keep an article and the stories that changed with it."""
        self.articles[article.number] = article
        self._list(article)
        for story in stories:
            self.stories[story.story_id] = story

    def article_of(self, key: bytes) -> StoryArticle | None:
        """Return an article by its key."""
        number = self._numbers.get(key)
        return None if number is None else self.articles.get(number)

    def candidates(self, terms: Sequence[int], since: float, until: float) -> list[tuple[int, int]]:
        """Return (term, article number) of the articles between two dates."""
        if not self._by_term:
            return []
        return [
            (term, number)
            for term in terms
            for number in self._by_term.get(term, ())
            if since <= self.articles[number].at <= until
        ]

    def drain(self) -> tuple[list[StoryArticle], list[StoryState]]:
        """Return everything new for a commit; it stays known until ``committed``."""
        articles, stories = self.articles.maps[0], self.stories.maps[0]
        self.articles = ChainMap({}, {**self.articles.maps[1], **articles})
        self.stories = ChainMap({}, {**self.stories.maps[1], **stories})
        return list(articles.values()), list(stories.values())

    def committed(self) -> None:
        """Forget what was drained: the store has it now."""
        if not (self.articles.maps[1] or self.stories.maps[1]):
            return
        self.articles = ChainMap(self.articles.maps[0], {})
        self.stories = ChainMap(self.stories.maps[0], {})
        self._numbers, self._by_term = {}, {}
        for article in self.articles.values():
            self._list(article)

    def _list(self, article: StoryArticle) -> None:
        self._numbers[article.key] = article.number
        for term in article.terms:
            numbers = self._by_term.setdefault(term, [])
            if article.number not in numbers:
                numbers.append(article.number)


class Lookup:
    """The articles and stories of the store and those it does not have yet as one."""

    def __init__(self, store: Store, pending: Pending) -> None:
        self._store = store
        self._pending = pending

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return (term, article number) of articles between two dates, the newest of each term."""
        stored = await self._store.candidates(terms, since, until, most)
        fresh = self._pending.candidates(terms, since, until)
        return [*dict.fromkeys((*fresh, *stored))] if fresh else stored

    async def articles(self, numbers: Sequence[int]) -> list[StoryArticle]:
        """Return articles by their numbers; those that are not known are left out."""
        fresh = self._pending.articles
        stored = await self._store.story_articles([n for n in numbers if n not in fresh])
        found = (fresh.get(number) or stored.get(number) for number in numbers)
        return [article for article in found if article is not None]

    async def article_of(self, key: bytes) -> StoryArticle | None:
        """Return an article by its key."""
        return self._pending.article_of(key) or await self._store.story_article(key)

    async def story(self, story_id: str) -> StoryState | None:
        """Return a story, or the one that swallowed it."""
        while True:
            story = self._pending.stories.get(story_id)
            if story is None:
                story = (await self._store.stories([story_id])).get(story_id)
            if story is None or not story.merged_into:
                return story
            story_id = story.merged_into
