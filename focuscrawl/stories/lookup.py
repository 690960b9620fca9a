"""Where the index of stories finds what it knows: told since the last commit, or in the store."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.store.protocol import Store, StoryArticle, StoryState
from focuscrawl.stories.pending import Pending


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
