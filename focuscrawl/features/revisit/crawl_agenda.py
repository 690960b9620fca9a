"""The agenda of a crawl: what is due, and when to look again (B4, A6).

A run begins with every list that may show something new and with what is due. One that stays looks
again whenever something becomes due, one that ends takes what becomes due within the time it lingers,
and begins with what is nearly due, for the next run may be a day away.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.features.revisit.agenda import (
    MOST_LOOKS,
    SOONEST,
    Bound,
    Budget,
    LookBack,
    Period,
    pages_due,
    pulled_back,
    seen_within,
    take,
)
from focuscrawl.features.revisit.change.visit_comparison import UNFINISHED
from focuscrawl.features.revisit.quiet_lists import QuietLists
from focuscrawl.features.revisit.table import DAY, RevisitTable, note_planned
from focuscrawl.features.revisit.visit_queue import as_source
from focuscrawl.features.revisit.visits import FACT, PRICE
from focuscrawl.frontier.retries import MOST_EARLY, comes_now, is_to_come
from focuscrawl.frontier.rows import is_list
from focuscrawl.readers.links.sources import starts_of
from focuscrawl.stores.state.protocol import unseen_since
from focuscrawl.values import Json, PageState, is_signal_file

if TYPE_CHECKING:
    from focuscrawl.features.revisit.visit_queue import GonePages, VisitQueue
    from focuscrawl.features.revisit.visits import VisitScope

PERIOD = 60.0
"""Seconds of the steady clock between two looks at what is due, while pages are queued."""

_SHORTEST = 1.0
MOST_TAKEN = 5_000
"""Pages that are queued at once; their payload waits in the store, a number in memory."""

AHEAD = 1_800.0
"""Seconds of a site's requests that are queued ahead of its turn: far less than a reservation."""

FEWEST_AHEAD = 20

OLD_PAGES = "old_pages"
"""A kind of facts: how many visits of old pages are allowed, under the key ""."""

BACK_EVERY = 600.0
"""Seconds between two looks back at old pages in a run that stays."""

_CHOICE = 4
"""So many old pages are read at a time for each that may be visited, since sites may be busy."""


class CrawlAgenda:
    """The visits of one run, queued when they are due.

    ``closed_for(site, wall)`` says in how many seconds a site may be asked, ``written()`` waits until
    the store has all that was remembered.
    """

    def __init__(
        self,
        scope: VisitScope,
        queue: VisitQueue,
        gone: GonePages,
        *,
        closed_for: Callable[[str, float], float],
        written: Callable[[], Awaitable[None]],
    ) -> None:
        self._scope = scope
        self._table = table = scope.template.of(RevisitTable)
        self._queue = queue
        self._gone = gone
        self._closed_for = closed_for
        self._written = written
        self._stays = scope.states.stays and not table.is_off
        rate = table.budget
        self._budget = Budget(rate, scope.clock.steady()) if rate and self._stays else None
        self._back = self._look_back(None)
        self._back_at = self._look_at = 0.0
        self._time = scope.clock.wall()
        self._ran_ahead = self._is_looking = self._has_more = False
        self._lists_since: float | None = None
        self._left = 0
        self._due = self._waiting = self._pages = 0
        """Pages that are due when a run begins, without those that are looked back at; links that wait; pages known that
        are no lists which are due: an ABlog of 70 posts has 36, and the tenth of all was an eighth of what its first crawl
        asked for."""
        self._young = defaultdict[float, list[float]](list)
        """Of the young ones of what is due, by the days within which they are to be seen, the seconds that are left."""
        self._quiet_left: int | None = None
        """Looks at pages without a sign of a change that are left to a run; None: no matter how many."""
        self._young_bounds: list[Bound] = []
        self._changing: set[str] = set()
        """Sites of which a page has changed: the others are looked at, too."""
        self.lists = QuietLists()

    def _look_back(self, kept: Json | None, began: float | None = None) -> LookBack | None:
        """Return how many old pages may be visited; None: none ever."""
        table = self._table
        if table.is_off or table.strict or not table.old:
            return None
        rate = table.budget if table.continuous else None
        return LookBack(table.old, rate, kept, self._scope.clock.wall(), began)

    # The beginning of a run ---------------------------------------------------------------------

    async def begin(self, began: float, rules_changed: bool, clock_ran_ahead: bool = False) -> int:
        """Queue what is due: lists that were not read since ``began``, and all other pages.

        Returns how many. ``rules_changed``: every date is worked out anew first; when the
        ``clock_ran_ahead``, too, and all lists are read.
        """
        if self._table.is_off:
            return 0
        store = self._scope.store
        self._waiting = self._scope.frontier.counts().waiting
        self._back = self._look_back((await store.facts(OLD_PAGES)).get(""), began)
        self._pages = await store.unseen_count() + await store.due_count(inf)
        queued = await self._queue_lists(
            began, rules_changed=rules_changed, clock_ran_ahead=clock_ran_ahead
        )
        if self._queue.others.walks().is_asking():
            self._lists_since = began  # which lists the walks will read is not known yet
        is_early = not self._stays and not self._scope.visits.rules.strict
        if self._back is not None and is_early:
            due = self._due
            for within, most in self._back.young(self._young).items():
                self._young_bounds.append(Bound(self._young_within(within), most))
                due -= max(0, len(self._young[within]) - most)
            self._quiet_left = self._back.quiet(self._pages, queued + self._waiting + due)
        return queued + await self.look(is_early=is_early)

    async def fetch_again(self, since: float) -> int:
        """Let pages that were fetched ``since`` come now and be stored as if for the first time; returns how many.

        The results have lost them. Lists are read anyway.
        """
        if self._table.is_off:
            return 0
        scope, now, number = self._scope, self._scope.clock.wall(), 0
        batch, key = scope.visits.rules.candidates, b""
        async for page in pages_due(scope.store, inf, batch):
            number += self._comes_whole(page, since, now)
        while pages := await scope.store.undated(batch, key):
            number += sum(self._comes_whole(page, since, now) for page in pages)
            key = pages[-1].key
        await self._written()
        return number

    def _comes_whole(self, page: PageState, since: float, now: float) -> bool:
        if page.last_fetched < since or page.gone is not None or is_list(page):
            return False
        facts = {**page.facts, UNFINISHED: True}
        self._scope.states.remember(page._replace(next_visit=now, reserved=None, facts=facts))
        return True

    def go_on(self, began: float) -> None:
        """Look at once at pages taken over from another process: visits, and lists not read since ``began``."""
        if self._table.is_off:
            return
        self._lists_since = began
        self._scope.states.next_due = self._scope.clock.wall()

    async def _queue_lists(
        self, began: float, *, rules_changed: bool = False, clock_ran_ahead: bool = False
    ) -> int:
        """Queue the lists that were not read since ``began``, and sources that were gone (A6)."""
        now = self._scope.clock.wall()
        anew = rules_changed or clock_ran_ahead
        if clock_ran_ahead:
            began = now  # when lists were read in a time still to come is unknown
        if anew:
            await self._replan(now)
            await self._written()
        else:
            async for state in pulled_back(self._scope.store, self._scope.visits, now):
                self._scope.states.remember(state)
        note_planned(self._scope.template, self._scope.frontier)
        starts = starts_of(self._scope.sources.values(), self._scope.rules)
        states = await self._scope.store.pages([*starts])
        # Sources that were read for their signals alone until the template named them: their links
        # were never followed.
        found = [
            as_source(
                states.pop(key), starts[key], self._scope.sources[starts[key].source_id].every
            )
            for key, state in [*states.items()]
            if is_signal_file(state.source_id)
        ]
        known = {state.key for state in found}
        found += [state for state in states.values() if self._is_asked_again(state, began)]
        # Dates that were worked out anew are of now: only their last fetch tells what was read.
        until = max(began, self._scope.clock.wall()) if anew else began
        lists = await self._lists(began, until)
        lists = [one for one in lists if one.key not in self._queue.queued and one.key not in known]
        self._pages -= len(lists)
        may_rest = not anew and not self._stays and self._table.hears_signals
        most = None
        if self._back is not None and self._back.is_after_pause:
            most = self._back.left(self._pages, self._waiting + self._due)
        found += self.lists.read_now(lists, now, most) if may_rest else lists
        return sum(self._queue.queue(self._scope.visits.taken(state, now)) for state in found)

    async def _lists(self, began: float, until: float) -> list[PageState]:
        """Return the lists, dated ``until`` at most, that this round, which ``began`` then, has not
        read; a run that stays plans the others."""
        visits, found = self._scope.visits, []
        self._due = 0
        self._young.clear()
        async for page in pages_due(self._scope.store, until + MOST_EARLY, visits.rules.candidates):
            if not comes_now(page.next_visit or 0.0, page.last_fetched, until):
                continue
            if not is_list(page):
                self._due += not self._is_look(page)
                if (within := self._within(page)) is not None:
                    self._young[within].append(self._late_in(page, within))
            elif page.last_fetched <= began and not self._queue.is_taken(page):
                found.append(page)
        return found

    def _is_asked_again(self, state: PageState, began: float) -> bool:
        """Whether a source is queued that no date brings: one that has gone, for who names an address
        wants it looked at; and when the run stays, all that this round has not read.
        """
        unread = self._stays and is_list(state) and state.every is None
        if state.next_visit is not None and not (unread and state.last_fetched < began):
            return False
        return is_list(state) and not self._queue.is_queued(state)

    async def _replan(self, now: float) -> None:
        """Work every date out anew: other rules hold than before, or another time."""
        batch = self._scope.visits.rules.candidates
        async for page in pages_due(self._scope.store, inf, batch):
            state = self._with_interval(page)
            if not self._queue.is_queued(state):
                self._scope.states.remember(self._scope.visits.replanned(state, now))
        key = b""
        while pages := await self._scope.store.undated(batch, key):
            for page in pages:  # those that were too old may be young enough now
                again = self._scope.visits.replanned(self._with_interval(page), now)
                if again.next_visit is not None:
                    self._scope.states.remember(again)
            key = pages[-1].key

    def _with_interval(self, state: PageState) -> PageState:
        """Return a page with the interval that the template gives its source now, if any."""
        source = self._scope.sources.get(state.source_id) if state.facts.get("source") else None
        every = source.every if source is not None else None
        return state if every == state.every else state._replace(every=every)

    # While it runs ------------------------------------------------------------------------------

    def is_time(self) -> bool:
        """Whether it is time to look at what is due. Ask every second: it watches the clock, too."""
        self._watch_clock()
        if self._table.is_off or self._is_looking:
            return False
        if self._ran_ahead:
            return True
        if self._scope.clock.steady() < self._look_at:
            return False
        looks_back = self._stays and self._back is not None
        return (
            self._may_find(self._scope.clock.wall())
            or (looks_back and self._scope.clock.steady() >= self._back_at)
            or self._has_more
            or self._budget is not None
            or self.lists.has_spoken
        )

    def may_come(self) -> bool:
        """Whether a run that has nothing else to do is to wait: it stays, or something is due soon."""
        if self._table.is_off:
            return False
        may_find = self._has_more or self._may_find(inf) or self.lists.has_spoken
        return self._stays or self._is_looking or may_find

    def has_some(self) -> bool:
        """Whether there is something to look at for a run that has nothing else to do."""
        has_some = self._has_more or self.lists.has_spoken
        return not self._is_looking and (has_some or self._may_find(self._scope.clock.wall()))

    def _may_find(self, wall: float) -> bool:
        """Whether something comes by then: a date, a link to what is gone, lists that no walk reads."""
        due = self._scope.states.next_due
        is_due = due is not None and due <= min(wall, self._queue.until)
        return is_due or bool(self._gone.linked) or self._lists_may_come()

    def _lists_may_come(self) -> bool:
        """Whether searches have been answered by which it is known which lists no walk reads."""
        return self._lists_since is not None and not self._queue.others.walks().is_asking()

    def _watch_clock(self) -> None:
        """See a clock that is set back: what was done meanwhile was done in a time to come."""
        before, self._time = self._time, self._scope.clock.wall()
        if is_to_come(before, self._time):
            self._ran_ahead = True
            self._queue.until -= before - self._time

    def due(self) -> int:
        """Return how many pages' visits have come: those that wait or are under way, and those that
        were left at the last look, since their sites or the budget can take no more.
        """
        return len(self._scope.states.visited) + self._left

    async def look(self, *, is_idle: bool = False, is_early: bool = False) -> int:
        """Run one period: queue what is due, as far as sites can take it; returns how many.

        ``is_idle``: nothing else is under way, so that what cannot be queued now cannot be later.
        ``is_early``: what is nearly due is taken, too.
        """
        if self._is_looking:
            return 0
        self._is_looking = True
        self._queue.look(is_early=is_early, is_idle=is_idle)
        try:
            await self._written()
            if self._ran_ahead:
                self._ran_ahead = False
                await self._replan(self._scope.clock.wall())
                await self._written()
            queued = 0
            if (began := self._lists_since) is not None and self._lists_may_come():
                self._lists_since = None  # those of the walks are left to them
                queued = await self._queue_lists(began)
            queued += self._lists_that_rested()
            if self._budget is not None:
                self._budget.allowed(self._scope.clock.steady(), self._scope.frontier.share)
            if self._quiet_left is None:
                queued += await self._old_pages()  # a period takes all that is left, due or not
                queued += await self._period()
            else:  # what was seen once only has its turn before what was seen again
                queued += await self._period()
                queued += await self._old_pages()
            queued += await self._linked_again()
            await self._count_left()
            if is_idle and self._has_more and not queued:  # their sites are closed
                self._has_more = False
                if self._stays:
                    self._scope.states.next_due = self._scope.clock.wall() + PERIOD
            return queued
        finally:
            self._is_looking = False
            is_busy = self._has_more or self._budget is not None
            self._look_at = self._scope.clock.steady() + (PERIOD if is_busy else _SHORTEST)

    def _lists_that_rested(self) -> int:
        """Queue the lists of sites that show something new."""
        now = self._scope.clock.wall()
        free = (state for state in self.lists.spoken() if not self._queue.is_taken(state))
        return sum(self._queue.queue(self._scope.visits.taken(state, now)) for state in free)

    def _is_look(self, page: PageState) -> bool:
        """Whether a page that is due is looked back at: one that was young when it was planned, after a pause only, for
        it would be put off for longer than to the next run."""
        after_pause = self._back is not None and self._back.is_after_pause
        return self._scope.visits.is_look(page, self._scope.clock.wall() if after_pause else None)

    def _within(self, page: PageState) -> float | None:
        """Return within how many days a young page is to be seen that may be put off; None: it may not, or is none."""
        visits, now = self._scope.visits, self._scope.clock.wall()
        may_wait = visits.policy.by_value and page.site not in self._changing
        if not may_wait or page.next_visit is None or not visits.is_young(page):
            return None
        within = seen_within(now - (page.first_fetched if page.born is None else page.born))
        # What waits for its feed comes behind others: when it is overdue for so long that a later run would be too late,
        # this one takes it.
        return within if self._late_in(page, within) > 0 else None

    def _late_in(self, page: PageState, within: float) -> float:
        """Return in how many seconds a run is to take a young page that is to be seen within so many days."""
        return (page.next_visit or 0.0) + (within - 1) * DAY - self._scope.clock.wall()

    def _young_within(self, days: float) -> Callable[[PageState], bool]:
        return lambda page: self._within(page) == days

    def note_change(self, site: str) -> None:
        """Note that a page of a site has changed: those that were put off without a sign come, too."""
        if self._quiet_left is not None and site not in self._changing:
            self._changing.add(site)
            self._has_more = True

    def _spend_quiet(self, looks: int) -> None:
        if self._quiet_left is not None:
            self._quiet_left = max(0, self._quiet_left - looks)

    def _bounds(self) -> list[Bound]:
        """Return how many pages without a sign of a change a run may still look at, old and young."""
        if self._quiet_left is None:
            return []
        return [Bound(self._is_look, self._quiet_left), *self._young_bounds]

    async def _period(self) -> int:
        now, most = self._scope.clock.wall(), MOST_TAKEN
        if self._budget is not None:
            most = min(most, self._budget.left)
        waiting = Counter(state.site for state in self._scope.states.visited.values())
        period = Period(
            self._scope.visits,
            now,
            most,
            lambda site: self._room(site, now) - waiting[site],
            by_budget=self._budget is not None,
            bounds=self._bounds(),
        )
        taken = await take(self._queue, period)
        if self._quiet_left is not None:
            self._spend_quiet(sum(map(self._is_look, taken.pages)))
        queued = sum(self._queue.queue(state) for state in taken.pages)
        if self._budget is not None:
            self._budget.spend(queued)
            if taken.moved:
                self._scope.frontier.note_fact(FACT, PRICE, self._scope.visits.price_to_json())
        will_be_free = self._stays and self._queue.has_left and self._queue.others.walks().is_busy()
        self._has_more = (
            taken.skipped > 0
            or len(taken.pages) >= most > 0
            or will_be_free
            or self._queue.has_waiting
        )
        await self._find_next_due(now)
        return queued

    async def _old_pages(self) -> int:
        """Queue pages past ``until``, the longest unseen first, as many as are allowed by now."""
        if self._back is None or self._scope.clock.steady() < self._back_at:
            return 0
        self._back_at = self._scope.clock.steady() + BACK_EVERY
        now, queued = self._scope.clock.wall(), 0
        part = self._scope.frontier.share
        allowed = self._back.allowed(await self._scope.store.unseen_count(), now, part)
        most = min(allowed, MOST_TAKEN)
        if self._quiet_left is not None:
            most = min(most, self._quiet_left)
        if self._budget is not None:
            most = min(most, -(-self._budget.left // 2))  # after a pause, what is due has its turn
            if most < allowed:
                self._back_at = self._scope.clock.steady()  # the rest with the next looks
        waiting = Counter(state.site for state in self._scope.states.visited.values())
        after, looked = None, 0
        while queued < most and looked < MOST_LOOKS * _CHOICE * most:
            pages = await self._scope.store.unseen(now - SOONEST, _CHOICE * most, after)
            for page in pages:
                if queued >= most:
                    break
                if self._queue.is_taken(page) or waiting[page.site] >= self._room(page.site, now):
                    continue
                if self._queue.queue(self._scope.visits.taken(page, now)):
                    waiting[page.site] += 1
                    queued += 1
            if len(pages) < _CHOICE * most:
                break
            after = (unseen_since(pages[-1]) or 0.0, pages[-1].key)
            looked += len(pages)
        self._back.spend(queued)
        self._spend_quiet(queued)
        if self._budget is not None:
            self._budget.spend(queued)
        self._scope.frontier.note_fact(OLD_PAGES, "", self._back.to_json())
        return queued

    async def _count_left(self) -> None:
        """Count what is due and could not be queued, now that reservations are of later dates."""
        self._left = 0
        if self._has_more or self._budget is not None:
            await self._written()
            self._left = await self._scope.store.due_count(self._scope.clock.wall())

    async def _linked_again(self) -> int:
        """Queue pages that are gone and were linked to again: one look at once."""
        keys, now = [*self._gone.linked], self._scope.clock.wall()
        states = (await self._scope.store.pages(keys)).values() if keys else ()
        for key in keys:
            self._gone.looks_at(key)
        return sum(
            self._queue.queue(
                self._scope.visits.taken(self._scope.visits.found_again(state, now), now)
            )
            for state in states
            if state.gone is not None and not self._queue.is_taken(state)
        )

    def _room(self, site: str, now: float) -> int:
        """Return how many of a site's pages may be queued at a time."""
        if self._closed_for(site, now) > 0:
            return 0
        politeness = self._scope.frontier.politeness_of(site)
        each = politeness.delay / politeness.concurrency
        # The state of a page that is queued stays in memory, some 2 kB: a crawl of 60 sites without a delay queued 6,700
        # in its first quarter of an hour, and ever more.
        is_much = len(self._scope.states.visited) >= MOST_TAKEN
        longest = PERIOD if is_much else AHEAD
        no_pause = FEWEST_AHEAD if is_much else MOST_TAKEN
        return max(FEWEST_AHEAD, int(longest / each)) if each else no_pause

    async def _find_next_due(self, now: float) -> None:
        """Note the date of the first page that is not queued and not due yet."""
        states = self._scope.states
        async for page in pages_due(self._scope.store, inf, 20, (now, b"\xff" * 16)):
            if page.key not in states.visited and self._queue.is_planned(page):
                states.next_due = page.next_visit
                return
        states.next_due = None
