"""Visits that are queued: each has a row in the frontier and a flight in its page's state.

Both are of one commit, and the state knows the row. So a flight that has run out is not queued twice: as
long as its row is there, the flight is prolonged.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

import msgspec

from focuscrawl.crawl.revisit.signals import are_heard
from focuscrawl.crawl.revisit.visits import is_list, is_off, refused_visit, visit_of
from focuscrawl.crawl.timers import MOST_EARLY, comes_now
from focuscrawl.forums.walks import Walk
from focuscrawl.running.forums import THREAD_ENDS
from focuscrawl.values import PageClass, PageState

if TYPE_CHECKING:
    from focuscrawl.kernel.page_states import PageStates
    from focuscrawl.running.basis import Basis
    from focuscrawl.running.quiet_boards import QuietBoards
    from focuscrawl.store.protocol import Store

ASKED_AT_ONCE = 500
"""Threads whose walks are read at once."""

ROW = "row"
"""Fact of a state: the sequence number of the row its page is queued as."""


class VisitQueue:
    """Queues the visits of one run.

    ``queued`` holds the states of pages that are queued or in flight, by key. ``stays``: the run goes
    on when nothing is due. One that ends waits for what becomes due within ``linger`` seconds:
    ``until`` then. ``reads(key)``: whether a page is read by the walks of a search.
    """

    def __init__(
        self,
        basis: Basis,
        states: PageStates,
        boards: QuietBoards,
        *,
        linger: float,
        reads: Callable[[bytes], bool],
    ) -> None:
        template, rules, sources, store, frontier, clock = basis
        self.stays = template.revisit.continuous and not is_off(template)
        self.until = inf if self.stays else clock.wall() + linger
        self.queued = states.visited
        self._are_heard = are_heard(template)
        self._rules = rules
        self._sources = sources
        self._store = store
        self._frontier = frontier
        self._clock = clock
        self._visits = states.visits
        self._states = states
        self._boards = boards
        self._reads = reads

    def queue(self, state: PageState) -> bool:
        """Queue a page that was taken, with its flight, in one commit; False: it is not to be."""
        waiting = visit_of(state, self._sources, self._rules)
        why = refused_visit(state, waiting, self._sources, self._rules, heard=self._are_heard)
        if why is not None:
            times = self._visits.rules.times(state.page_class)
            later = self._clock.wall() + times.longest  # the rule may have gone by then
            self._frontier.remember(state._replace(next_visit=later, leased=None))
            return False
        sequence = self._frontier.add_again(waiting)
        state = state._replace(facts={**state.facts, ROW: sequence})
        self.queued[state.key] = state
        self._frontier.remember(state)
        return True

    def is_queued(self, state: PageState) -> bool:
        """Whether a page waits from an earlier flight; then it gets another one."""
        if state.key in self.queued:
            return True
        if state.leased is None or ROW not in state.facts:
            return False
        rows = self._store.read(state.facts[ROW], 0)
        if not any(row.waiting.key == state.key for row in rows):
            return False
        state = self._visits.taken(state, self._clock.wall())
        self.queued[state.key] = state
        self._frontier.remember(state)
        return True

    def is_left(self, state: PageState) -> bool:
        """Whether a page is left to the walks of the search cycle under way, which read it anyway."""
        return self._reads(state.key)

    def boards_under_way(self) -> frozenset[str]:
        """Return the sources whose boards are about to be read: those count the replies of threads,
        which need not be looked at before.
        """
        return self._boards.under_way(self.queued.values())

    def has_waited(self, state: PageState) -> bool:
        """Whether a thread waits for its boards no longer. A run that ends comes to all when it is
        idle; one that stays may never be.
        """
        return self.stays and self._boards.has_waited(state)

    async def without_put_off(self, pages: list[PageState]) -> list[PageState]:
        """Return pages that are due without the threads of which boards that were read say that they
        have nothing new: those get a later date.
        """
        threads = [page for page in pages if self._boards.speak_of(page)]
        found: set[bytes] = set()
        for first in range(0, len(threads), ASKED_AT_ONCE):
            asked = threads[first : first + ASKED_AT_ONCE]
            walks = await self._store.facts(THREAD_ENDS, [page.key.hex() for page in asked])
            for page in asked:
                known = walks.get(page.key.hex())
                if known is None or isinstance(known, str):
                    continue
                later = self._boards.put_off(page, msgspec.convert(known, Walk), self._visits)
                if later is not None:
                    self._states.remember(later)
                    found.add(page.key)
        return [page for page in pages if page.key not in found]

    def is_planned(self, state: PageState) -> bool:
        """Whether a page has a date of its own: of a run that ends, lists are due with the next one."""
        return self.stays or not is_list(state)


class Unqueued:
    """The pages of a store without those that are queued already; ``early``: with those that are
    nearly due. ``has_left``: some were left to the walks of a search; ``has_waiting``:
    threads that are due wait for their boards; none does when the run ``is_idle``.
    """

    def __init__(
        self, store: Store, visit_queue: VisitQueue, early: bool, *, is_idle: bool = False
    ) -> None:
        self._store = store
        self._visit_queue = visit_queue
        self._early = MOST_EARLY if early else 0.0
        self._is_idle = is_idle
        self._under_way: frozenset[str] = frozenset()
        self.has_left = False
        self.has_waiting = False

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first pages by date and key; those that are queued are left out."""
        now = min(now, self._visit_queue.until)
        found: list[PageState] = []
        if not self._is_idle:
            self._under_way = self._visit_queue.boards_under_way()
        while len(found) < most:
            pages = await self._store.due(now + self._early, most, after)
            due = [
                page
                for page in pages
                if self._visit_queue.is_planned(page)
                and comes_now(page.next_visit or 0.0, page.last_fetched, now)
                and not self._is_taken(page)
            ]
            found += await self._visit_queue.without_put_off(due)
            if len(pages) < most:
                break
            after = (pages[-1].next_visit or 0.0, pages[-1].key)
        return found

    def _is_taken(self, page: PageState) -> bool:
        if self._visit_queue.is_left(page):
            self.has_left = True
            return True
        if self._visit_queue.is_queued(page):
            return True
        is_counted = page.page_class is PageClass.THREAD and page.source_id in self._under_way
        if is_counted and not self._visit_queue.has_waited(page):
            self.has_waiting = True
            return True
        return False
