"""``limits.articles`` put on a run: a page whose article has no ticket waits, and is put back when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from focuscrawl.features.articles.rows.articles import leave_out_articles, stored_by_gone
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.tickets import ARTICLES_NEW, ArticleTickets
from focuscrawl.kernel.transport.slots import PutBack
from focuscrawl.stores.state.crawl_lock import process_name
from focuscrawl.values import Article

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import CommitWindow
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Passage
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.values import Page, Waiting


@dataclass(slots=True)
class _Ticket:
    """The article of a flight that has a ticket before it is in the pipelines."""

    key: str = ""


@dataclass(slots=True)
class _NoRoom:
    """A page whose article has no ticket yet."""

    tickets: ArticleTickets
    flight: Flight
    key: str
    has_ticket: bool = False

    async def clear_up(self) -> None:
        """Wait for one."""
        self.has_ticket = await self.tickets.draw(self.key)

    def settle(self, judged: Judged) -> bool:
        """Put the page back when there is none: it was not counted, and nothing of it is kept."""
        self.flight.is_withdrawn = not self.has_ticket
        return not self.has_ticket


class ArticleLimit(Feature):
    """Lets a crawl end with exactly so many new articles, unless fewer exist."""

    name = "article_limit"
    first = frozenset({"compare", "keep"})

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it where there is a limit."""
        return cls(kernel) if kernel.template.limits.articles else None

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        store, counters = kernel.store, kernel.counters
        self._tickets = ArticleTickets(
            kernel.template.limits.articles,
            lambda: counters[ARTICLES_NEW],
            lambda: store.seconds_held() > 0,
            is_shared=store.is_shared,
        )

    def tickets(self) -> tuple[ArticleTickets]:
        """Return the tickets."""
        return (self._tickets,)

    async def worker_gone(self, worker: str) -> None:
        """Count what a process that is gone stored and did not report; it stores nothing more that is under way.

        A process that only stood still stored its pipelines' articles on top of the limit: 23 and 21 of 20.
        """
        if worker == process_name():  # an earlier process, whose counts would be taken for ours
            return
        if stored := await self.kernel.stored.ask_and_write(partial(stored_by_gone, worker)):
            await self.kernel.store.recount(ARTICLES_NEW, worker, stored)

    def was_gone(self) -> None:
        """Give up all tickets: others have those of a process that is gone."""
        self._tickets.void()

    def held_for(self, flight: Flight, judged: Judged) -> _NoRoom | None:
        """Hold a page whose article has no ticket. One of several pages waits in the pipelines."""
        if judged.article is None:
            return None
        key = flight.of(_Ticket).key = judged.article.url_key
        return None if self._tickets.draw_now(key) else _NoRoom(self._tickets, flight, key)

    async def compare(self, item: Any, passage: Passage) -> None:
        """Let an article wait for a ticket that has none yet. Raises PutBack when there is none."""
        if isinstance(item, Article) and not await self._tickets.draw(item.url_key):
            raise PutBack(item.url, "limits.articles")

    async def keep(self, item: Any, passage: Passage) -> None:
        """Keep an article's ticket for the window written next. Raises PutBack when it was taken back."""
        if isinstance(item, Article) and not self._tickets.keep(item.url_key):
            raise PutBack(item.url, "limits.articles")

    async def lost(self, item: Any, passage: Passage, error: Exception) -> None:
        """Take the ticket of an article back that is not stored."""
        if isinstance(item, Article):
            self._tickets.lose(item.url_key)

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Take the ticket of an article back that has never come into the pipelines."""
        if key := flight.of(_Ticket).key:
            self._tickets.lose(key)

    def commit(self, window: CommitWindow) -> None:
        """Leave out articles that have no ticket any more, and note that the rest is being written."""
        left = leave_out_articles(window.pending, self._tickets.voided)
        # With what is still in the pipelines, too: else a window between would say that it was not gone.
        is_under_way = left or self._tickets.pending > 0
        window.pending.unless_gone = is_under_way and self.kernel.store.is_shared
        self._tickets.write()

    def committed(self) -> None:
        """Drop the tickets of what is in the results."""
        self._tickets.counted_anew()

    def stopping(self) -> None:
        """Let no page wait for a ticket any longer."""
        self._tickets.give_up()

    def idle(self, *, is_over: bool) -> bool:
        """Whether it is not known yet if the last tickets are used: nothing is in the pipelines any more."""
        self._tickets.forget_drawn()
        return not is_over and self._tickets.pending > 0 and not self._tickets.may_go_on
