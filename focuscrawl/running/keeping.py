"""Articles on their way into the next commit, also those that come in parts.

Pieces of articles come from the spider, items from the pipelines; what is known of an article
before it is stored (its story, its earlier versions, its other pages) is asked for here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from scrapy.exceptions import DropItem

from focuscrawl.articles.parts import STRANGER, Piece
from focuscrawl.articles.rows.articles import StoredArticle
from focuscrawl.revisit.change.differences import change_of, first_change
from focuscrawl.running.comparing import Compared, Comparing
from focuscrawl.running.gathering import Gathering, Ready
from focuscrawl.running.telling import Announce, Copied
from focuscrawl.values import Article, Clock, Page, PageChange, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.counters import Tally
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.slots import Slots
    from focuscrawl.kernel.stored import StoredLookup
    from focuscrawl.running.telling import Telling


class Became(NamedTuple):
    """What an article is to the crawl: how it has changed, what it was compared with.

    ``stored`` is what the results have, when they were asked.
    """

    change: PageChange | None = None
    compared: Compared = Compared()
    stored: StoredArticle | None = None


class Keeping:
    """Keeps what a run finds.

    ``flights`` are the URLs in flight. Before ``is_open`` and after it, as for commands that only
    look, articles pass as they are.
    """

    def __init__(
        self,
        run_id: str,
        clock: Clock,
        slots: Slots,
        commits: Commits,
        knowing: StoredLookup,
        tally: Tally,
        flights: Collection[Flight],
    ) -> None:
        self.gathering: Gathering | None = None
        self.telling: Telling | None = None
        self.comparing: Comparing | None = None
        self.is_open = False
        self._run_id = run_id
        self._clock = clock
        self._slots = slots
        self._commits = commits
        self._knowing = knowing
        self._tally = tally
        self._flights = flights

    def alone(self, flight: Flight, piece: Piece) -> Waiting | None:
        """Return a URL as an article of its own, when it is none of those parts that led to it."""
        if self.gathering is None or not self.gathering.is_stranger(piece):
            return None
        ready = self.gathering.ended(flight.waiting, STRANGER, comes_back=False)
        if ready is not None:
            self.hand_on([ready])
        return flight.waiting._replace(page_class=PageClass.ARTICLE, first_key=b"", page_number=1)

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

    async def compare(self, article: Article) -> Became:
        """Find out what an article that is visited again has become.

        Raises Unchanged (a DropItem) when nothing has changed that counts.
        """
        if self.comparing is None or not self.is_open:
            return Became()
        found = await self.comparing.compare(article)
        if found.verdict is None:
            return Became(None, found)
        stored = await self._knowing.article(article.url_key)
        earlier = (stored.title, stored.text) if stored is not None else None
        now = self._clock.wall()
        change = change_of(article, found.verdict, found.visit, earlier, now)
        return Became(change, found, stored)

    async def begun(self, article: Article, became: Became) -> PageChange | None:
        """Return the change that an article is new or complete now, when it is to be stored so."""
        if not self.is_open:
            return None
        return first_change(article, await self._is_complete(article, became), self._clock.wall())

    async def _is_complete(self, article: Article, became: Became) -> bool | None:
        """Return whether what is stored of an article misses no part; None: nothing is stored."""
        key, compared = article.url_key, became.compared
        if compared.verdict is not None:
            return became.stored.complete if became.stored is not None else None
        was_sent = self.gathering is not None and self.gathering.was_sent(key)
        if compared.is_first and self._knowing.in_step and not was_sent:
            return None
        return await self._knowing.is_complete(key)

    async def tell(self, article: Article, announce: Announce | None) -> None:
        """Say in an article which story it belongs to. Raises Copied when it is not to be stored.

        ``announce`` is awaited before, when it is. What follows is of the same commit.
        """
        if self.telling is None or not self.is_open:
            if announce is not None:
                await announce()
            return
        try:
            await self.telling.tell(article, announce)
        except Copied:
            if self.comparing is not None:
                await self.comparing.let_be(article.url_key)
            raise

    def keep(self, article: Article, *changes: PageChange | None) -> None:
        """Put an article into the next commit. Every article that is stored passes here: once, and
        one of several pages, that was handed on before all of it was there, each time it has grown.

        ``changes`` are what the pipelines have left of what is told of it.
        """
        self._commits.pending.add(article)
        for change in changes:
            self.keep_change(change)
        if self.comparing is not None:
            self.comparing.stored(article.url_key)
        ready = self.gathering.stored(article.url_key) if self.gathering is not None else None
        if ready is not None:
            self.hand_on([ready])

    def let_go(self, article: Article) -> None:
        """Hear that a pipeline has dropped an article whose change has been told: it is known now."""
        if self.comparing is not None:
            self.comparing.stored(article.url_key)

    def keep_change(self, change: PageChange | None) -> None:
        """Put what an article has become into the next commit, if the pipelines left it."""
        if change is not None:
            self._commits.pending.add(change)

    def hand_on_unfinished(self) -> bool:
        """Hand on the articles that miss parts, for nothing more comes in this run; False: none."""
        unsent = self.gathering.unsent() if self.gathering is not None else []
        self.hand_on(unsent)
        return bool(unsent)

    def hand_on(self, articles: list[Ready]) -> None:
        """Send articles through the pipelines; those that are sent again give no line in a feed."""
        for article, again in articles:
            if not self._slots.hand_on(article, quietly=again, failed=self._failed_quietly):
                self.item_failed(article, None)

    async def _failed_quietly(self, item: object, error: Exception) -> None:
        self.item_failed(item, error)

    def item_failed(self, item: object, error: Exception | None) -> bool:
        """A pipeline dropped (DropItem) an item or failed on it; False: it is no article of parts."""
        if not isinstance(item, Article) or self.gathering is None:
            return False
        if isinstance(error, DropItem):
            return self.gathering.dropped(item.url_key, getattr(error, "outcome", "dropped"))
        self.gathering.failed(item.url_key)
        return False

    def part_ended(self, flight: Flight, *, comes_back: bool) -> None:
        """Hear that a URL has ended: it may have been the last page an article waited for."""
        waiting = flight.waiting
        if self.gathering is None:
            return
        if not comes_back:
            self.gathering.settled(waiting)
        if waiting.page_class is not PageClass.ARTICLE_PAGING:
            return
        page = flight.page
        if page is not None and page.outcome == "part":
            return  # it was read, if for an earlier visit of its article: it is not lost
        why = (page.reason or page.outcome) if page is not None else flight.reason or flight.outcome
        later = comes_back or flight.outcome == "parked"
        ready = self.gathering.ended(waiting, why, comes_back=later)
        if ready is not None:
            self.hand_on([ready])

    def judged_again(self, page: Page, before: str) -> None:
        """Write the row of an article's first page anew: all its parts have changed its outcome."""
        if any(flight.page is page for flight in self._flights):
            return  # its row is still to be written
        self._tally.judged_again(page, before)
        self._commits.pending.add(page)
