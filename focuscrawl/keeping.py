"""What pages give on its way into the next commit: articles, also in parts, and records.

Pieces of articles come from the spider, items from the pipelines; what is known of an article
before it is stored (its story, its earlier versions, its other pages) is asked for here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from focuscrawl.crawl.parts import STRANGER, Piece
from focuscrawl.crawl.visits import change_of
from focuscrawl.gathering import Gathering, Ready
from focuscrawl.values import Article, Clock, Page, PageChange, PageClass, Record, Waiting

if TYPE_CHECKING:
    from focuscrawl.committing import Commits
    from focuscrawl.leases import Lease
    from focuscrawl.revisiting import Revisiting
    from focuscrawl.slots import Slots
    from focuscrawl.tally import Tally
    from focuscrawl.telling import Telling


class Keeping:
    """Keeps what a run finds.

    ``leases`` are the URLs in flight. Before ``is_open`` and after it, as for commands that only
    look, articles pass as they are.
    """

    def __init__(
        self,
        run_id: str,
        clock: Clock,
        slots: Slots,
        commits: Commits,
        tally: Tally,
        leases: Collection[Lease],
    ) -> None:
        self.gathering: Gathering | None = None
        self.telling: Telling | None = None
        self.revisiting: Revisiting | None = None
        self.is_open = False
        self._run_id = run_id
        self._clock = clock
        self._slots = slots
        self._commits = commits
        self._tally = tally
        self._leases = leases

    def alone(self, lease: Lease, piece: Piece) -> Waiting | None:
        """Return a URL as an article of its own, when it is none of those parts that led to it."""
        if self.gathering is None or not self.gathering.is_stranger(piece):
            return None
        ready = self.gathering.ended(lease.waiting, STRANGER, comes_back=False)
        if ready is not None:
            self.hand_on([ready])
        return lease.waiting._replace(page_class=PageClass.ARTICLE, first_key=b"", page_number=1)

    def take(self, piece: Piece, *, anew: bool) -> Article | None:
        """Take a page of an article of several; returns the article when it can go out now."""
        if self.gathering is None or not self.is_open:  # a command that only looks
            return piece.article
        if piece.page is not None:
            piece.page.run_id = self._run_id
        ready = self.gathering.take(piece, anew=anew)
        if ready is not None and ready.again:
            self.hand_on([ready])
            return None
        return ready.article if ready is not None else None

    async def compare(self, article: Article) -> PageChange | None:
        """Find out what an article that is visited again has become.

        Raises Unchanged (a DropItem) when nothing has changed that counts.
        """
        if self.revisiting is None or not self.is_open:
            return None
        found = await self.revisiting.compare(article)
        if found is None:
            return None
        earlier = await self._earlier(article.url_key)
        return change_of(article, found.verdict, found.visit, earlier, self._clock.wall())

    async def _earlier(self, url_key: str) -> tuple[str, str] | None:
        """Return title and text of an article as it is stored."""
        results = self._commits.results
        if results is None or results.embedded:
            return results.earlier(url_key) if results is not None else None
        return await asyncio.to_thread(results.earlier, url_key)

    async def tell(self, article: Article) -> None:
        """Say in an article which story it belongs to. Raises Copied when it is not to be stored."""
        if self.telling is not None and self.is_open:
            await self.telling.tell(article)

    def keep(self, article: Article, change: PageChange | None = None) -> None:
        """Put an article into the next commit. Every article that is stored passes here: once, and
        one of several pages, that was handed on before all of it was there, each time it has grown.
        """
        self._commits.pending.articles.append(article)
        if change is not None:
            self._commits.pending.changes.append(change)
        ready = self.gathering.stored(article.url_key) if self.gathering is not None else None
        if ready is not None:
            self.hand_on([ready])

    def keep_record(self, record: Record) -> None:
        """Put a record into the next commit."""
        pending = self._commits.pending
        pending.records.append(record)
        visit = self.revisiting.found_at(record.url_key) if self.revisiting is not None else None
        if visit is not None:
            pending.record_visits[record.record_type, record.record_id] = visit

    def hand_on_unfinished(self) -> bool:
        """Hand on the articles that miss parts, for nothing more comes in this run; False: none."""
        unsent = self.gathering.unsent() if self.gathering is not None else []
        self.hand_on(unsent)
        return bool(unsent)

    def hand_on(self, articles: list[Ready]) -> None:
        """Send articles through the pipelines; those that are sent again give no line in a feed."""
        for article, again in articles:
            if not self._slots.hand_on(article, quietly=again, failed=self.item_failed):
                self.item_failed(article, None)

    def item_failed(self, item: object, error: Exception | None) -> bool:
        """A pipeline dropped (DropItem) an item or failed on it; False: it is no article of parts."""
        if not isinstance(item, Article) or self.gathering is None:
            return False
        if isinstance(error, DropItem):
            return self.gathering.dropped(item.url_key, getattr(error, "outcome", "dropped"))
        self.gathering.failed(item.url_key)
        return False

    def part_ended(self, lease: Lease, *, comes_back: bool) -> None:
        """Hear that a URL has ended: it may have been the last page an article waited for."""
        waiting = lease.waiting
        if self.gathering is None:
            return
        if not comes_back:
            self.gathering.settled(waiting)
        if waiting.page_class is not PageClass.ARTICLE_PAGING:
            return
        page = lease.page
        why = (page.reason or page.outcome) if page is not None else lease.reason or lease.outcome
        later = comes_back or lease.outcome == "parked"
        ready = self.gathering.ended(waiting, why, comes_back=later)
        if ready is not None:
            self.hand_on([ready])

    def judged_again(self, page: Page, before: str) -> None:
        """Write the row of an article's first page anew: all its parts have changed its outcome."""
        if any(lease.page is page for lease in self._leases):
            return  # its row is still to be written
        self._tally.judged_again(page, before)
        self._commits.pending.pages.append(page)
