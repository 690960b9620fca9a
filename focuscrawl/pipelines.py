"""Scrapy's pipelines: what is left of an item when the user's own (300 … 800) have seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focuscrawl.crawl.keywords import keywords_of
from focuscrawl.run import Run
from focuscrawl.values import Article, LinkBatch, PageChange, Post, Record, Thread

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
        Copied for one that an earlier one of another address says, too.
        """
        if isinstance(item, LinkBatch):
            raise TypeError(
                "a LinkBatch reached the pipelines: focuscrawl.middlewares.LinkBatchMiddleware must"
                " be in SPIDER_MIDDLEWARES, and only callbacks may yield one"
            )
        if isinstance(item, Record):
            self.run.keeping.keep_record(item)
        if isinstance(item, Thread):
            self.run.commits.pending.threads.append(item)
        elif isinstance(item, Post):
            self.run.commits.pending.posts.append(item)
        elif isinstance(item, PageChange):
            self.run.commits.pending.changes.append(item)
        if isinstance(item, Article):
            change = await self.run.keeping.compare(item)  # most visits end here
            if self.run.template is not None and not item.keywords:
                item.keywords = keywords_of(item, self.run.template)
            await self.run.keeping.tell(item)
            self.run.keeping.keep(item, change)  # at once: story and change go into the same commit
        return item
