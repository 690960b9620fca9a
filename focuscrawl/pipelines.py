"""What has changed (B), what is stored (C) and what was told before (D), as Scrapy's pipelines behind the user's own (300 … 800).

B. ``VisitPipeline`` asks ``features.revisit.feature.Revisit.compare``. The MD5 of title and text says whether an
   article has changed (``features.revisit.change.volatile.digest_of``), the distance of its SimHashes how much; in
   the published form the distance alone decides (``features.revisit.change.comparison.compare_strictly``). What comes
   of it moves t and x, from which the time of the next visit follows: t / x as published
   (``features.revisit.policies.PublishedPolicy``), by default the age at which a visit is worth its price
   (``features.revisit.policies.IndexPolicy``).
C. ``StorePipeline`` keeps what the topic looks for. Which search results a cycle follows is
   ``features.search.seeds.probability``; labels of the template's fields are found by
   ``features.records.labels.LabelFinder``; how much a page belongs to the topic says
   ``readers.relevance.scores.PageScorer``.
D. ``StoryPipeline`` asks ``features.stories.feature.Stories.join``. Articles are copies whose heaviest keywords are
   the same at the same rank, as published (``readers.text.keywords.duplicate``), by default those that hold nearly
   all rare pieces of another (``features.stories.matches.copy_among``).

Between the last two nothing waits for anything: a story and its article go into the same commit.
"""

from __future__ import annotations

import logging
import os
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter, is_item
from scrapy.exceptions import DropItem

from focuscrawl.config import project_dir, read_config
from focuscrawl.features.revisit.change.comparison import first_change
from focuscrawl.middlewares import OfRun
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import Article, LinkBatch, Page, PageChange

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class VisitPipeline(OfRun):
    """Compares what is visited again with what is known: by MD5, and by SimHash for how much (B)."""

    async def process_item(self, item: Any) -> Any:
        """Raise NotStored (a DropItem) for an item that says the same as at its last visit."""
        if isinstance(item, LinkBatch):
            raise TypeError(
                "a LinkBatch reached the pipelines: focuscrawl.middlewares.LinkBatchMiddleware must"
                " be in SPIDER_MIDDLEWARES, and only callbacks may yield one"
            )
        if self.run.is_open:
            if not self.run.run.has_topic and isinstance(item, Article):
                await self._begin(item)
            await self.run.items.compare(item)
        return item

    async def _begin(self, article: Article) -> None:
        """Tell that an article is new or complete now, of a spider that has no topic and no features."""
        was_complete = await self.run.stored.is_complete(article.url_key)
        begun = first_change(article, was_complete, self.run.clock.wall())
        self.run.items.passage(article).told += filter(None, [begun])


class StoryPipeline(OfRun):
    """Finds the story an article belongs to, and copies of it, by sets of keywords (D)."""

    async def process_item(self, item: Any) -> Any:
        """Raise NotStored (a DropItem) for an article that an earlier one says, too."""
        if self.run.is_open:
            await self.run.items.join(item)
        return item


class StorePipeline(OfRun):
    """Hands items to the next commit; they are stored before their URL is acknowledged."""

    async def process_item(self, item: Any) -> Any:
        """Take an item that is of a kind of rows; others are the user's own.

        What an article or a record has become is an item of its own, which is through all pipelines
        before it is stored.
        """
        run = self.run
        if isinstance(item, PageChange):
            run.items.changes.arrive(item)
        elif run.is_open and not isinstance(item, Page):
            # The row of a page is written when its URL has ended.
            await run.items.keep(item)
        return item


class NearDuplicate(DropItem):
    """An item is dropped, for an earlier one says the same."""

    outcome = "copy"


class NearDuplicatePipeline:
    """Finds items whose text an earlier one has, in any Scrapy project; it needs nothing else of ours.

    What is known is in ``NAME.copies.db`` of the data folder, written before an item goes on. Items
    without the fields of key and text pass untouched.
    """

    def __init__(self, crawler: Crawler) -> None:
        # Every crawl imports this file for its three pipelines; the index is for projects that list this one.
        from focuscrawl.features.stories.index import ItemFields, NearCopies  # noqa: PLC0415

        config = read_config(crawler.settings, os.environ, project_dir())
        self._mode = config.near_duplicates
        self._fields = ItemFields(**config.near_duplicate_fields)
        self._clock = config.clock
        name = crawler.spider.name if crawler.spider else "spider"
        store = SQLiteStore(config.data_dir / f"{name}.copies.db", synchronous=config.synchronous)
        self._copies = NearCopies(store)
        self._stats = crawler.stats
        self._passed: set[type] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NearDuplicatePipeline:
        """Make it for a crawler. Raises ConfigError."""
        return cls(crawler)

    async def open_spider(self) -> None:
        """Take the file. Raises StoreError."""
        await self._copies.open()

    def close_spider(self) -> None:
        """Give the file back."""
        self._copies.close()

    async def process_item(self, item: Any) -> Any:
        """Return an item that is new, and a copy as FOCUSCRAWL_NEAR_DUPLICATES says."""
        adapter: MutableMapping[str, Any] = ItemAdapter(item) if is_item(item) else {}
        # A dictionary takes any name, and has none beforehand.
        names = ItemAdapter.get_field_names_from_class(type(item)) if self._mode == "mark" else ()
        key, text, title = self._fields.words(adapter)
        if why := self._fields.why_not(adapter, names or (), is_empty=not (key and text)):
            if type(item) not in self._passed:
                self._passed.add(type(item))
                logger.warning("%s is not compared with others: %s", type(item).__name__, why)
            return item
        copy = await self._copies.tell(key, text, self._clock.wall(), title)
        if not copy:
            return item
        if self._stats:
            self._stats.inc_value(f"near_duplicates/{self._mode}")
        if self._mode == "drop":
            raise NearDuplicate(f"{copy.because}: {key} is a copy of {copy.key}")
        if self._mode == "mark":
            adapter[self._fields.mark] = copy.key
        return item
