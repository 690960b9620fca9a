"""Tickets of the articles that may still be stored, as new ones (``limits.articles``).

Whether an article is new is known when it is in the results. So each that is about to be stored has a ticket
until then: none too many is ever stored, and one that was known, or is dropped, gives its ticket back. Meanwhile
others wait, in their callback or in the pipelines, and no page is asked for.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from focuscrawl.kernel.shared.tickets import Tickets
from focuscrawl.store.protocol import TicketsWanted

ARTICLES_NEW, LIMIT_ARTICLES = "articles_new", "limit_articles"

RECOUNTED = 10.0
"""Seconds within which it is known how many articles of a process that is gone are in the results. One that only
stood still for longer may still write what it had in its pipelines."""


class ArticleTickets(Tickets):
    """The tickets of one run, by the keys of its articles. ``stored`` says how many new ones are in the results,
    ``is_sure`` whether this process is surely not taken for one that is gone.
    """

    def __init__(
        self,
        limit: int,
        stored: Callable[[], int],
        is_sure: Callable[[], bool],
        *,
        is_shared: bool,
    ) -> None:
        super().__init__(
            *(ARTICLES_NEW, limit, LIMIT_ARTICLES, self._stored_or_pending),
            kept=RECOUNTED,
            is_shared=is_shared,
        )
        self.counted = self._stored = stored
        self._is_sure = is_sure
        self._drawn: set[str] = set()
        self._kept_keys: set[str] = set()
        self._written: set[str] = set()
        self._waiting: deque[tuple[str, asyncio.Future[bool]]] = deque()

    @property
    def pending(self) -> int:
        """How many articles have a ticket and may be no new ones."""
        return len(self._drawn) + len(self._kept_keys) + len(self._written)

    @property
    def may_go_on(self) -> bool:
        """Whether a page may be asked for that may give an article."""
        return not self._waiting and self.counted() + self.pending < self.limit

    def wanted(self, *, ahead: bool) -> TicketsWanted:
        """Return what is told to the others: who has used none lately has none ahead."""
        return super().wanted(ahead=bool(self._waiting) or self.have_served)

    def grant(self, number: int) -> None:
        """Hear how many one may have in all."""
        super().grant(number)
        self._go_on()

    # An article ---------------------------------------------------------------------------------

    def draw_now(self, key: str) -> bool:
        """Take a ticket for an article if there is one, or it has one."""
        if key in self._drawn or key in self._kept_keys or key in self._written:
            return True
        if self.left <= 0 or self.are_used_up or not self._is_sure():
            return False
        self._drawn.add(key)
        return True

    async def draw(self, key: str) -> bool:
        """Take a ticket for an article when there is one; False: there will be none in this run."""
        if self.draw_now(key):
            return True
        if self.are_used_up:
            return False
        ticket: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, ticket))
        return await ticket

    def lose(self, key: str) -> None:
        """Take a ticket back: its article is not stored."""
        self._drawn.discard(key)
        self._go_on()

    def keep(self, key: str) -> None:
        """Hear that an article is to be written with the next window."""
        self._drawn.discard(key)
        self._kept_keys.add(key)

    # All of them --------------------------------------------------------------------------------

    def write(self) -> None:
        """Hear that all that is kept is being written."""
        self._written |= self._kept_keys
        self._kept_keys = set()

    def counted_anew(self) -> None:
        """Hear that what was written is counted, as far as it was new."""
        self._written = set()
        self._go_on()

    def forget_drawn(self) -> None:
        """Take all tickets back that nothing in the pipelines has any more."""
        self._drawn = set()

    def give_up(self) -> None:
        """Let nobody wait any longer."""
        while self._waiting:
            self._end(self._waiting.popleft()[1], has_ticket=False)

    def _go_on(self) -> None:
        while self._waiting:
            key, ticket = self._waiting[0]
            has_ticket = self.draw_now(key)
            if not (has_ticket or self.are_used_up):
                return
            self._waiting.popleft()
            self._end(ticket, has_ticket=has_ticket)

    def _end(self, ticket: asyncio.Future[bool], *, has_ticket: bool) -> None:
        if not ticket.done():
            ticket.set_result(has_ticket)

    def _stored_or_pending(self) -> int:
        return self._stored() + self.pending
