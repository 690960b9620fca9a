"""What is due, and when to look again: pages of the known are queued once more (B4, A6).

A run begins with every list once more and with what is due. One that stays looks again whenever
something becomes due, one that ends takes what becomes due within the time it lingers, and begins
with what is nearly due, for the next run may be a day away.

A page that is queued has a row in the frontier and a lease in its state, both of one commit; the
state knows the row. So a lease that has run out is not queued twice: as long as its row is there,
the lease is prolonged.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.crawl.changes import note_planned
from focuscrawl.crawl.timers import MOST_EARLY, comes_now, is_to_come
from focuscrawl.crawl.visits import is_list, is_off, refused_visit, visit_of
from focuscrawl.revisit.periods import Budget, Period
from focuscrawl.revisit.taking import pulled_back, take
from focuscrawl.running.revisiting import FACT, PRICE, Revisiting
from focuscrawl.values import PageState

if TYPE_CHECKING:
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.stores.base import Store
    from focuscrawl.topic.template import Source, Template
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

PERIOD = 60.0
"""Seconds of the steady clock between two looks at what is due, while pages are queued."""

SHORTEST = 1.0
MOST_TAKEN = 5_000
"""Pages that are queued at once; their payload waits in the store, a number in memory."""

AHEAD = 1_800.0
"""Seconds of a site's requests that are queued ahead of its turn: far less than a lease."""

FEWEST_AHEAD = 20
ROW = "row"
"""Fact of a state: the sequence number of the row its page is queued as."""


class Returning:
    """The agenda of one run.

    ``closed_for(site, wall)`` says in how many seconds a site may be asked, ``written()`` waits until
    the store has all that was remembered, ``linger`` is how long a run that ends waits for what
    becomes due, in seconds.
    """

    def __init__(
        self,
        template: Template,
        rules: AdmissionRules,
        sources: Mapping[str, Source],
        store: Store,
        frontier: Frontier,
        clock: Clock,
        revisiting: Revisiting,
        *,
        closed_for: Callable[[str, float], float],
        written: Callable[[], Awaitable[None]],
        linger: float,
    ) -> None:
        self.stays = template.revisit.continuous and not is_off(template)
        self._is_off = is_off(template)
        self._template = template
        self._rules = rules
        self._sources = sources
        self._store = store
        self._frontier = frontier
        self._clock = clock
        self._revisiting = revisiting
        self._visits = revisiting.visits
        self._closed_for = closed_for
        self._written = written
        self.until = inf if self.stays else clock.wall() + linger
        rate = template.revisit.budget
        self._budget = Budget(rate, clock.steady()) if rate and self.stays else None
        self._look_at = 0.0
        self._time = clock.wall()
        self._ran_ahead = False
        self._is_looking = False
        self._is_early = False
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
        now = self._clock.wall()
        if clock_ran_ahead:
            began = now  # nobody knows when lists were read in a time that is still to come
        if rules_changed or clock_ran_ahead:
            await self._replan(now)
            await self._written()
        else:
            async for state in pulled_back(self._store, self._visits, now):
                self._revisiting.remember(state)
        note_planned(self._template, self._frontier)
        found = self._sources_again(await self._store.pages(self._source_keys()), began)
        # Dates that were worked out anew are of now: only their last fetch tells what was read.
        until = max(began, self._clock.wall()) if rules_changed or clock_ran_ahead else began
        lists = [s for s in await self._lists(began, until) if s.key not in self._queued]
        queued = sum(self._queue(self._visits.taken(state, now)) for state in [*found, *lists])
        self._is_early = not self.stays and not self._visits.rules.strict
        queued += await self.look()
        self._is_early = False
        return queued

    @property
    def _queued(self) -> dict[bytes, PageState]:
        return self._revisiting.visited

    async def _lists(self, began: float, until: float) -> list[PageState]:
        """Return the lists, dated ``until`` at most, that this round, which ``began`` then, has not
        read; a run that stays plans the others."""
        after, found = None, []
        batch = self._visits.rules.candidates
        while pages := await self._store.due(until + MOST_EARLY, batch, after):
            found += [
                page
                for page in pages
                if is_list(page)
                and page.last_fetched <= began
                and comes_now(page.next_visit or 0.0, page.last_fetched, until)
            ]
            last = pages[-1]
            after = (last.next_visit or 0.0, last.key)
        return [page for page in found if not self.is_queued(page)]

    def _source_keys(self) -> list[bytes]:
        found = (
            self._rules.canonicalizer.address(url)
            for source in self._sources.values()
            for url in source.urls
        )
        return [address.key for address in found if address is not None]

    def _sources_again(
        self, states: Mapping[bytes, PageState], began: float
    ) -> Iterable[PageState]:
        """Return the sources that have gone, for who names an address wants it looked at; and when
        the run stays, all that this round has not read.
        """
        for state in states.values():
            is_planned = state.next_visit is not None
            unread = self.stays and is_list(state) and state.every is None
            if is_planned and not (unread and state.last_fetched < began):
                continue
            if is_list(state) and not self.is_queued(state):
                yield state

    async def _replan(self, now: float) -> None:
        """Work every date out anew: the rules are others than those of the last run."""
        after = None
        batch = self._visits.rules.candidates
        while pages := await self._store.due(inf, batch, after):
            for page in pages:
                state = self._with_interval(page)
                if not self.is_queued(state):
                    self._revisiting.remember(self._visits.replanned(state, now))
            last = pages[-1]
            after = (last.next_visit or 0.0, last.key)
        key = b""
        while pages := await self._store.undated(batch, key):
            for page in pages:  # those that were too old may be young enough now
                again = self._visits.replanned(self._with_interval(page), now)
                if again.next_visit is not None:
                    self._revisiting.remember(again)
            key = pages[-1].key

    def _with_interval(self, state: PageState) -> PageState:
        """Return a page with the interval that the template gives its source now, if any."""
        source = self._sources.get(state.source_id) if state.facts.get("source") else None
        every = source.every if source is not None else None
        return state if every == state.every else state._replace(every=every)

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
        due = self._revisiting.next_due
        is_due = due is not None and due <= min(self._clock.wall(), self.until)
        is_due = is_due or bool(self._revisiting.linked)
        return is_due or self._has_more or self._budget is not None

    def _watch_clock(self) -> None:
        """See a clock that is set back: what was done meanwhile was done in a time to come."""
        before, self._time = self._time, self._clock.wall()
        if is_to_come(before, self._time):
            self._ran_ahead = True
            self.until -= before - self._time

    def may_come(self) -> bool:
        """Whether a run that has nothing else to do is to wait: it stays, or something is due soon."""
        if self._is_off:
            return False
        due = self._revisiting.next_due
        is_soon = due is not None and due <= self.until
        is_soon = is_soon or bool(self._revisiting.linked)
        return self.stays or self._is_looking or self._has_more or is_soon

    def has_some(self) -> bool:
        """Whether there is something to look at for a run that has nothing else to do."""
        due = self._revisiting.next_due
        is_due = due is not None and due <= min(self._clock.wall(), self.until)
        return not self._is_looking and (self._has_more or is_due or bool(self._revisiting.linked))

    def due(self) -> int:
        """Return how many pages' visits have come: those that wait or are under way, and those that
        were left at the last look, since their sites or the budget can take no more.
        """
        return len(self._queued) + self._left

    async def look(self, *, idle: bool = False) -> int:
        """Run one period: queue what is due, as far as sites can take it; returns how many.

        ``idle``: nothing else is under way, so that what cannot be queued now cannot be later.
        """
        if self._is_looking:
            return 0
        self._is_looking = True
        try:
            await self._written()
            if self._ran_ahead:
                self._ran_ahead = False
                await self._replan(self._clock.wall())
                await self._written()
            queued = await self._period() + await self._linked_again()
            await self._count_left()
            if idle and self._has_more and not queued:  # their sites are closed
                self._has_more = False
                if self.stays:
                    self._revisiting.next_due = self._clock.wall() + PERIOD
            return queued
        finally:
            self._is_looking = False
            is_busy = self._has_more or self._budget is not None
            self._look_at = self._clock.steady() + (PERIOD if is_busy else SHORTEST)

    async def _period(self) -> int:
        now, most = self._clock.wall(), MOST_TAKEN
        if self._budget is not None:
            most = min(most, self._budget.allowed(self._clock.steady()))
        waiting = Counter(state.site for state in self._queued.values())
        period = Period(
            self._visits,
            now,
            most,
            lambda site: self._room(site, now) - waiting[site],
            by_budget=self._budget is not None,
        )
        taken = await take(_Unqueued(self._store, self, self._is_early), period)
        queued = sum(self._queue(state) for state in taken.pages)
        if self._budget is not None:
            self._budget.spend(queued)
            if taken.moved:
                self._frontier.note_fact(FACT, PRICE, self._visits.price_to_json())
        self._has_more = taken.skipped > 0 or len(taken.pages) >= most > 0
        await self._find_next_due(now)
        return queued

    async def _count_left(self) -> None:
        """Count what is due and could not be queued, now that leases are of later dates."""
        self._left = 0
        if self._has_more or self._budget is not None:
            await self._written()
            self._left = await self._store.due_count(self._clock.wall())

    async def _linked_again(self) -> int:
        """Queue pages that are gone and were linked to again: one look at once."""
        keys, now = [*self._revisiting.linked], self._clock.wall()
        states = (await self._store.pages(keys)).values() if keys else ()
        for key in keys:
            self._revisiting.looks_at(key)
        return sum(
            self._queue(self._visits.taken(self._visits.found_again(state, now), now))
            for state in states
            if state.gone is not None and not self.is_queued(state)
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
                if page.key not in self._queued and self.is_planned(page):
                    self._revisiting.next_due = page.next_visit
                    return
            after = (pages[-1].next_visit or 0.0, pages[-1].key)
        self._revisiting.next_due = None

    def is_planned(self, state: PageState) -> bool:
        """Whether a page has a date of its own: of a run that ends, lists are due with the next one."""
        return self.stays or not is_list(state)

    # Queueing -----------------------------------------------------------------------------------

    def _queue(self, state: PageState) -> bool:
        """Queue a page that was taken, with its lease, in one commit; False: it is not to be."""
        waiting = visit_of(state, self._sources, self._rules)
        why = refused_visit(state, waiting, self._sources, self._rules)
        if why is not None:
            times = self._visits.rules.times(state.page_class)
            later = self._clock.wall() + times.longest  # the rule may have gone by then
            self._frontier.remember(state._replace(next_visit=later, leased=None))
            return False
        sequence = self._frontier.add_again(waiting)
        state = state._replace(facts={**state.facts, ROW: sequence})
        self._queued[state.key] = state
        self._frontier.remember(state)
        return True

    def is_queued(self, state: PageState) -> bool:
        """Whether a page waits from an earlier lease; then it gets another one."""
        if state.key in self._queued:
            return True
        if state.leased is None or ROW not in state.facts:
            return False
        rows = self._store.read(state.facts[ROW], 0)
        if not any(row.waiting.key == state.key for row in rows):
            return False
        state = self._visits.taken(state, self._clock.wall())
        self._queued[state.key] = state
        self._frontier.remember(state)
        return True


class _Unqueued:
    """The pages of a store without those that are queued already; ``early``: with those that are
    nearly due.
    """

    def __init__(self, store: Store, returning: Returning, early: bool) -> None:
        self._store = store
        self._returning = returning
        self._early = MOST_EARLY if early else 0.0

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first pages by date and key; those that are queued are left out."""
        now = min(now, self._returning.until)
        found: list[PageState] = []
        while len(found) < most:
            pages = await self._store.due(now + self._early, most, after)
            found += [
                page
                for page in pages
                if self._returning.is_planned(page)
                and comes_now(page.next_visit or 0.0, page.last_fetched, now)
                and not self._returning.is_queued(page)
            ]
            if len(pages) < most:
                break
            after = (pages[-1].next_visit or 0.0, pages[-1].key)
        return found
