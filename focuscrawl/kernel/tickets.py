"""Tickets for what all processes of a crawl may have together (``limits.pages``, ``limits.articles``).

Each process draws some ahead, and gives back what it does not use; an embedded crawl has all of them.

Whether an article is new is known when it is in the results. So each that is about to be stored has a ticket
until then: none too many is ever stored, and one that was known, or is dropped, gives its ticket back. Meanwhile
others wait, in their callback or in the pipelines, and no page is asked for.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from focuscrawl.stores.state.protocol import TicketsWanted

TICKETS_AHEAD = 16
"""Tickets that are drawn ahead at least: what is usually in flight at once."""

ARTICLES_NEW = "articles_new"

RECOUNTED = 10.0
"""Seconds within which it is known how many articles of a process that is gone are in the results."""


class Tickets:
    """Tickets for ``limit`` that may be counted under ``counter`` (0: any number), of which each process draws
    some ahead, and gives back what it does not use. An embedded crawl has all of them.

    ``used`` says how many of one's own are counted or about to be; ``reason`` ends a run that has all. Those of
    one that is gone are ``kept`` for so many seconds. ``ends_at_once``: a run whose tickets are used up ends though
    URLs are under way, which are put back.
    """

    ends_at_once = False

    def __init__(
        self,
        counter: str,
        limit: int,
        reason: str,
        used: Callable[[], int],
        *,
        kept: float,
        is_shared: bool,
    ) -> None:
        self.counter = counter
        self.limit = limit
        self.reason = reason
        self.are_gone = False
        self.counted: Callable[[], int] = used
        """How many all have counted."""

        self._used = used
        self._kept = kept
        self._is_shared = is_shared
        self._granted = self._asked_for = self._used_before = 0

    @property
    def left(self) -> int:
        """How many may still be used; of no limit always one."""
        if not self.limit:
            return 1
        return (self._granted if self._is_shared else self.limit) - self._used()

    @property
    def may_go_on(self) -> bool:
        """Whether what may use one more may begin."""
        return self.left > 0

    @property
    def are_used_up(self) -> bool:
        """Whether all have counted as many as they may."""
        return 0 < self.limit <= self.counted()

    def wanted(self, *, ahead: bool) -> TicketsWanted:
        """Return what is reported to the others: how many are wanted, with some ``ahead``.

        Tickets beyond that go to others at once.
        """
        used = self._used()
        # Twice as many as were used since the last beat: a fast crawl never waits for its tickets.
        more = max(TICKETS_AHEAD, 2 * (used - self._used_before)) if ahead else 0
        self._used_before, self._asked_for = used, used + more
        self._granted = min(self._granted, self._asked_for)
        return TicketsWanted(self.counter, self.limit, self._asked_for, self._kept)

    @property
    def have_served(self) -> bool:
        """Whether some were used since the last beat."""
        return self._used() > self._used_before

    def grant(self, number: int) -> None:
        """Set how many this process may have in all."""
        self._granted = number
        self.are_gone = number < self._asked_for


class ArticleTickets(Tickets):
    """The tickets of one run, by the keys of its articles. ``stored`` says how many new ones are in the results,
    ``is_sure`` whether this process is surely not taken for one that is gone.
    """

    ends_at_once = True

    def __init__(
        self,
        limit: int,
        stored: Callable[[], int],
        is_sure: Callable[[], bool],
        *,
        is_shared: bool,
    ) -> None:
        super().__init__(
            *(ARTICLES_NEW, limit, "limit_articles", self._stored_or_pending),
            kept=RECOUNTED,
            is_shared=is_shared,
        )
        self.counted = self._stored = stored
        self._is_sure = is_sure
        self.voided: set[str] = set()
        """The keys of articles on their way whose tickets were taken back: they are not stored."""

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
        """Return what is reported to the others: a process that used none lately wants none ahead."""
        return super().wanted(ahead=bool(self._waiting) or self.have_served)

    def grant(self, number: int) -> None:
        """Set how many this process may have in all."""
        super().grant(number)
        self._go_on()

    # An article ---------------------------------------------------------------------------------

    def draw_now(self, key: str) -> bool:
        """Take a ticket for an article if there is one, or it has one."""
        if key in self._drawn or key in self._kept_keys or key in self._written:
            return True
        if self.left <= 0 or self.are_used_up or not self._is_sure():
            return False
        self.voided.discard(key)
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

    def keep(self, key: str) -> bool:
        """Keep the ticket of an article of the next window; False: it was taken back."""
        self._drawn.discard(key)
        if key in self.voided:
            return False
        self._kept_keys.add(key)
        return True

    # All of them --------------------------------------------------------------------------------

    def write(self) -> None:
        """Note that all that is kept is being written."""
        self._written |= self._kept_keys
        self._kept_keys = set()

    def counted_anew(self) -> None:
        """Give back the tickets of what was written: it is counted, as far as it was new."""
        self._written = set()
        self._go_on()

    def void(self) -> None:
        """Take all tickets back, and have none before some are granted anew."""
        self.voided |= self._drawn | self._kept_keys | self._written
        self._drawn, self._kept_keys, self._written = set(), set(), set()
        self._granted = 0

    def forget_drawn(self) -> None:
        """Take all tickets back that nothing in the pipelines has any more."""
        self._drawn = set()

    def give_up(self) -> None:
        """End all waits for a ticket."""
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
