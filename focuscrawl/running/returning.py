"""What is due, and when to look again: pages of the known are queued once more (B4, A6).

A run begins with every list that may show something new and with what is due. One that stays looks
again whenever something becomes due, one that ends takes what becomes due within the time it lingers,
and begins with what is nearly due, for the next run may be a day away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from math import inf
from typing import TYPE_CHECKING, Protocol

from focuscrawl.crawl.revisit.visits import is_off, look_back_of
from focuscrawl.crawl.timers import is_to_come
from focuscrawl.kernel.page_states import FACT, PRICE
from focuscrawl.revisit.agenda import MOST_LOOKS, Budget, Period, take
from focuscrawl.revisit.silence import SOONEST
from focuscrawl.running.rereading import Rereading
from focuscrawl.running.visit_queue import Unqueued, VisitQueue
from focuscrawl.store.protocol import unseen_since

if TYPE_CHECKING:
    from focuscrawl.kernel.page_states import PageStates
    from focuscrawl.running.basis import Basis
    from focuscrawl.running.gone import GonePages
    from focuscrawl.running.quiet_boards import QuietBoards

PERIOD = 60.0
"""Seconds of the steady clock between two looks at what is due, while pages are queued."""

_SHORTEST = 1.0
MOST_TAKEN = 5_000
"""Pages that are queued at once; their payload waits in the store, a number in memory."""

AHEAD = 1_800.0
"""Seconds of a site's requests that are queued ahead of its turn: far less than a flight."""

FEWEST_AHEAD = 20

OLD_PAGES = "old_pages"
"""A kind of facts: how many visits of old pages are allowed, under the key ""."""

BACK_EVERY = 600.0
"""Seconds between two looks back at old pages in a run that stays."""

_CHOICE = 4
"""So many old pages are read at a time for each that may be visited, since sites may be busy."""


class Walks(Protocol):
    """What is asked of the searches of a run (running.searching.Searching)."""

    def is_asking(self) -> bool:
        """Whether engines are still to answer."""

    def is_under_way(self) -> bool:
        """Whether a cycle of searches and walks is not at its end."""

    def reads(self, key: bytes) -> bool:
        """Whether a page is read by walks, and not to be visited beside them."""


def _nothing(key: bytes) -> bool:
    return False


class Returning:
    """The agenda of one run.

    ``closed_for(site, wall)`` says in how many seconds a site may be asked, ``written()`` waits until
    the store has all that was remembered, ``linger`` is how long a run that ends waits for what
    becomes due, in seconds. What the ``walks`` of a search read is not visited beside them,
    and of threads only what ``boards`` do not count.
    """

    def __init__(
        self,
        basis: Basis,
        states: PageStates,
        gone: GonePages,
        *,
        closed_for: Callable[[str, float], float],
        written: Callable[[], Awaitable[None]],
        linger: float,
        boards: QuietBoards,
        walks: Walks | None = None,
    ) -> None:
        template, clock = basis.template, basis.clock
        self._visit_queue = visit_queue = VisitQueue(
            basis,
            states,
            boards,
            linger=linger,
            reads=walks.reads if walks is not None else _nothing,
        )
        self._rereading = Rereading(basis, states, visit_queue, written)
        self._is_off = is_off(template)
        self._stays = visit_queue.stays
        self._store = basis.store
        self._frontier = basis.frontier
        self._clock = clock
        self._states = states
        self._gone = gone
        self._visits = states.visits
        self._closed_for = closed_for
        self._walks = walks
        self._lists_since: float | None = None
        self._written = written
        rate = template.revisit.budget
        self._budget = Budget(rate, clock.steady()) if rate and self._stays else None
        self._template = template
        self._back = look_back_of(template, None, clock.wall())
        self._back_at = 0.0
        self._look_at = 0.0
        self._time = clock.wall()
        self._ran_ahead = False
        self._is_looking = False
        self._is_early = False
        self._is_idle = False
        self._has_more = False
        self._left = 0

    # The beginning of a run ---------------------------------------------------------------------

    async def begin(
        self, began: float, *, rules_changed: bool, clock_ran_ahead: bool = False
    ) -> int:
        """Queue what is due: lists that were not read since ``began``, and all other pages.

        Returns how many. ``rules_changed``: every date is worked out anew first; when the
        ``clock_ran_ahead``, too, and all lists are read.
        """
        if self._is_off:
            return 0
        queued = await self._rereading.queue_lists(
            began, rules_changed=rules_changed, clock_ran_ahead=clock_ran_ahead
        )
        if self._walks is not None and self._walks.is_asking():
            self._lists_since = began  # nobody knows yet which lists the walks will read
        kept = (await self._store.facts(OLD_PAGES)).get("")
        self._back = look_back_of(self._template, kept, self._clock.wall())
        self._is_early = not self._stays and not self._visits.rules.strict
        queued += await self.look()
        self._is_early = False
        return queued

    # While it runs ------------------------------------------------------------------------------

    def is_time(self) -> bool:
        """Whether it is time to look at what is due. Ask every second: it watches the clock, too."""
        self._watch_clock()
        if self._is_off or self._is_looking:
            return False
        if self._ran_ahead:
            return True
        if self._clock.steady() < self._look_at:
            return False
        due = self._states.next_due
        is_due = due is not None and due <= min(self._clock.wall(), self._visit_queue.until)
        is_due = is_due or bool(self._gone.linked) or self._lists_may_come()
        looks_back = self._stays and self._back is not None
        is_due = is_due or (looks_back and self._clock.steady() >= self._back_at)
        return is_due or self._has_more or self._budget is not None

    def _watch_clock(self) -> None:
        """See a clock that is set back: what was done meanwhile was done in a time to come."""
        before, self._time = self._time, self._clock.wall()
        if is_to_come(before, self._time):
            self._ran_ahead = True
            self._visit_queue.until -= before - self._time

    def may_come(self) -> bool:
        """Whether a run that has nothing else to do is to wait: it stays, or something is due soon."""
        if self._is_off:
            return False
        due = self._states.next_due
        is_soon = due is not None and due <= self._visit_queue.until
        is_soon = is_soon or bool(self._gone.linked) or self._lists_may_come()
        return self._stays or self._is_looking or self._has_more or is_soon

    def has_some(self) -> bool:
        """Whether there is something to look at for a run that has nothing else to do."""
        due = self._states.next_due
        is_due = due is not None and due <= min(self._clock.wall(), self._visit_queue.until)
        is_due = is_due or self._lists_may_come()
        return not self._is_looking and (self._has_more or is_due or bool(self._gone.linked))

    def _lists_may_come(self) -> bool:
        """Whether searches have been answered by which it is known which lists no walk reads."""
        is_asking = self._walks is not None and self._walks.is_asking()
        return self._lists_since is not None and not is_asking

    def due(self) -> int:
        """Return how many pages' visits have come: those that wait or are under way, and those that
        were left at the last look, since their sites or the budget can take no more.
        """
        return len(self._states.visited) + self._left

    async def look(self, *, idle: bool = False) -> int:
        """Run one period: queue what is due, as far as sites can take it; returns how many.

        ``idle``: nothing else is under way, so that what cannot be queued now cannot be later.
        """
        if self._is_looking:
            return 0
        self._is_looking, self._is_idle = True, idle
        try:
            await self._written()
            if self._ran_ahead:
                self._ran_ahead = False
                await self._rereading.replan(self._clock.wall())
                await self._written()
            queued = await self._other_lists()
            if self._budget is not None:
                self._budget.allowed(self._clock.steady())
            queued += await self._old_pages()  # a period takes all that is left, due or not
            queued += await self._period() + await self._linked_again()
            await self._count_left()
            if idle and self._has_more and not queued:  # their sites are closed
                self._has_more = False
                if self._stays:
                    self._states.next_due = self._clock.wall() + PERIOD
            return queued
        finally:
            self._is_looking = False
            is_busy = self._has_more or self._budget is not None
            self._look_at = self._clock.steady() + (PERIOD if is_busy else _SHORTEST)

    async def _other_lists(self) -> int:
        """Queue the lists that no walk reads, once that is known; those of walks are left to them."""
        began = self._lists_since
        if began is None or not self._lists_may_come():
            return 0
        self._lists_since = None
        return await self._rereading.queue_lists(began, rules_changed=False, clock_ran_ahead=False)

    async def _period(self) -> int:
        now, most = self._clock.wall(), MOST_TAKEN
        if self._budget is not None:
            most = min(most, self._budget.left)
        waiting = Counter(state.site for state in self._states.visited.values())
        period = Period(
            self._visits,
            now,
            most,
            lambda site: self._room(site, now) - waiting[site],
            by_budget=self._budget is not None,
        )
        unqueued = Unqueued(self._store, self._visit_queue, self._is_early, is_idle=self._is_idle)
        taken = await take(unqueued, period)
        queued = sum(self._visit_queue.queue(state) for state in taken.pages)
        if self._budget is not None:
            self._budget.spend(queued)
            if taken.moved:
                self._frontier.note_fact(FACT, PRICE, self._visits.price_to_json())
        self._has_more = taken.skipped > 0 or len(taken.pages) >= most > 0
        will_be_free = unqueued.has_left and self._walks is not None and self._walks.is_under_way()
        self._has_more = self._has_more or (will_be_free and self._stays)
        self._has_more = self._has_more or unqueued.has_waiting
        await self._find_next_due(now)
        return queued

    async def _old_pages(self) -> int:
        """Queue pages past ``until``, the longest unseen first, as many as are allowed by now."""
        if self._back is None or self._clock.steady() < self._back_at:
            return 0
        self._back_at = self._clock.steady() + BACK_EVERY
        now, queued = self._clock.wall(), 0
        allowed = self._back.allowed(await self._store.unseen_count(), now)
        most = min(allowed, MOST_TAKEN)
        if self._budget is not None:
            most = min(most, -(-self._budget.left // 2))  # after a pause, what is due has its turn
            if most < allowed:
                self._back_at = self._clock.steady()  # the rest with the next looks
        waiting = Counter(state.site for state in self._states.visited.values())
        after, looked = None, 0
        while queued < most and looked < MOST_LOOKS * _CHOICE * most:
            pages = await self._store.unseen(now - SOONEST, _CHOICE * most, after)
            for page in pages:
                if queued >= most:
                    break
                is_taken = self._visit_queue.is_left(page) or self._visit_queue.is_queued(page)
                if is_taken or waiting[page.site] >= self._room(page.site, now):
                    continue
                if self._visit_queue.queue(self._visits.taken(page, now)):
                    waiting[page.site] += 1
                    queued += 1
            if len(pages) < _CHOICE * most:
                break
            after = (unseen_since(pages[-1]) or 0.0, pages[-1].key)
            looked += len(pages)
        self._back.spend(queued)
        if self._budget is not None:
            self._budget.spend(queued)
        self._frontier.note_fact(OLD_PAGES, "", self._back.to_json())
        return queued

    async def _count_left(self) -> None:
        """Count what is due and could not be queued, now that flights are of later dates."""
        self._left = 0
        if self._has_more or self._budget is not None:
            await self._written()
            self._left = await self._store.due_count(self._clock.wall())

    async def _linked_again(self) -> int:
        """Queue pages that are gone and were linked to again: one look at once."""
        keys, now = [*self._gone.linked], self._clock.wall()
        states = (await self._store.pages(keys)).values() if keys else ()
        for key in keys:
            self._gone.looks_at(key)
        return sum(
            self._visit_queue.queue(self._visits.taken(self._visits.found_again(state, now), now))
            for state in states
            if state.gone is not None
            and not (self._visit_queue.is_left(state) or self._visit_queue.is_queued(state))
        )

    def _room(self, site: str, now: float) -> int:
        """Return how many of a site's pages may be queued at a time."""
        if self._closed_for(site, now) > 0:
            return 0
        politeness = self._frontier.politeness_of(site)
        each = politeness.delay / politeness.concurrency
        return max(FEWEST_AHEAD, int(AHEAD / each)) if each else MOST_TAKEN

    async def _find_next_due(self, now: float) -> None:
        """Note the date of the first page that is not queued and not due yet."""
        after, batch = (now, b"\xff" * 16), 20
        while pages := await self._store.due(inf, batch, after):
            for page in pages:
                if page.key not in self._states.visited and self._visit_queue.is_planned(page):
                    self._states.next_due = page.next_visit
                    return
            after = (pages[-1].next_visit or 0.0, pages[-1].key)
        self._states.next_due = None
