"""Scrapy's pipelines: what is left of an item when the user's own (300 … 800) have seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focuscrawl.crawl.articles.article import keywords_of
from focuscrawl.running.run import Run
from focuscrawl.running.telling import Copied
from focuscrawl.values import Article, LinkBatch, Page, PageChange, Record

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class StorePipeline:
    """Hands articles and records to the next commit; they are stored before their URL is acknowledged."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StorePipeline:
        """Make it for a crawler."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Take an article or a record; other items are the user's own.

        Raises Unchanged (a DropItem) for an article that is visited again and says what it said, and
        Copied for one that an earlier one of another address says, too. What an article or a record
        has become is an item of its own, which is through all pipelines before it is stored.
        """
        if isinstance(item, LinkBatch):
            raise TypeError(
                "a LinkBatch reached the pipelines: focuscrawl.middlewares.LinkBatchMiddleware must"
                " be in SPIDER_MIDDLEWARES, and only callbacks may yield one"
            )
        if isinstance(item, Record):
            await self._take_record(item)
        elif isinstance(item, PageChange):
            self.run.announcing.arrive(item)
        elif isinstance(item, Article):
            await self._take(item)
        elif not isinstance(item, Page):  # its row is written when its URL has ended
            self.run.commits.pending.add(item)
        return item

    async def _take_record(self, record: Record) -> None:
        run = self.run
        if run.is_open:
            visit = (
                run.revisiting.comparing.found_at(record.url_key)
                if run.revisiting is not None
                else None
            )
            await run.recording.keep(record, visit)

    async def _take(self, article: Article) -> None:
        keeping, announce = self.run.keeping, self.run.announcing.announce
        became = await keeping.compare(article)  # most visits end here
        change = await announce(became.change) if became.change is not None else None
        if self.run.template is not None and not article.keywords:
            article.keywords = keywords_of(article, self.run.template)
        begun = await keeping.begun(article, became)

        async def announce_begun() -> None:
            nonlocal begun
            begun = await announce(begun) if begun is not None else None

        try:
            await keeping.tell(article, announce_begun if begun is not None else None)
        except Copied:
            keeping.keep_change(change)
            raise
        keeping.keep(article, change, begun)  # at once: story and changes go into the same commit
