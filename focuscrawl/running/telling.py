"""The stories of one run (D): what each article belongs to, before it is stored."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from focuscrawl.crawl.stories import reading_of
from focuscrawl.stories.index import Confirm, StoryIndex
from focuscrawl.stories.rows import read_members

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.kernel.commit import Commits
    from focuscrawl.results.results import Results
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Article, Clock

Announce = Callable[[], Awaitable[None]]
"""Tells that an article is new; the article is not stored when it raises."""

_KEY = re.compile(r"[0-9a-f]{32}")


class Copied(DropItem):
    """An article is not stored, for an earlier one says the same: ``outcome`` and ``reason`` are
    those of its page in the log book."""

    outcome = "copy"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"a copy ({reason}): {url}", log_level="DEBUG")
        self.reason = reason


class Telling:
    """Tells of articles, and puts stories and members into the next commit.

    ``index`` hands over to the same commit what the store needs for the next articles.
    """

    def __init__(
        self,
        template: Template,
        store: Store,
        commits: Commits,
        clock: Clock,
        counters: Counter[str],
    ) -> None:
        self.rules = template.stories
        self.index = StoryIndex(store, self.rules, template.splitter.cut)
        self._leaves_copies = self.rules.strict or self.rules.copies == "join"
        self._store = store
        self._commits = commits
        self._clock = clock
        self._counters = counters

    async def load(self, results: Results) -> None:
        """Read what earlier runs left; what only the results know is told as it was told before."""
        number = await self._store.last_story_article()
        await self.index.load(results.ask(read_members, more_than=number))

    async def leaves_links(self, article: Article) -> bool:
        """Whether the links of an article's page are not followed: a duplicate's, as published."""
        if not self.rules.strict or not _KEY.fullmatch(article.url_key):
            return False
        return await self.index.is_duplicate(reading_of(article, self._clock.wall()))

    async def tell(self, article: Article, announce: Announce | None = None) -> None:
        """Say in an article which story it belongs to. Raises Copied when it is not to be stored.

        ``announce`` is awaited when it is, before anything is remembered; what it raises goes on. An
        article whose key is no address's, from a parser of the user's own, is left alone.
        """
        if not _KEY.fullmatch(article.url_key):
            if announce is not None:
                await announce()
            return
        confirm = self._unless_left_out(announce) if announce is not None else None
        told = await self.index.tell(reading_of(article, self._clock.wall()), confirm)
        article.story_id, article.is_copy = told.article.story_id, told.is_copy
        if not told.again:
            pending = self._commits.pending
            for one in (told.article, *told.stories):
                pending.add(one)
            self._counters["duplicates"] += told.article.like_key != ""
        if told.is_copy and self._leaves_copies:
            raise Copied(article.url, told.article.because)

    def _unless_left_out(self, announce: Announce) -> Confirm:
        async def confirm(is_copy: bool) -> None:
            if not (is_copy and self._leaves_copies):
                await announce()

        return confirm
