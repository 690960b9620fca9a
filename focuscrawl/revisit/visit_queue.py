"""Visits that are queued: each has a row in the frontier and a lease in its page's state.

Both are of one commit, and the state knows the row. So a lease that has run out is not queued twice: as
long as its row is there, the lease is prolonged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.frontier.page_states import PageStates, is_list
from focuscrawl.frontier.retries import MOST_EARLY, comes_now
from focuscrawl.revisit.agenda import place_by_date
from focuscrawl.revisit.states import refused_visit, visit_of
from focuscrawl.values import PageState

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.revisit.visits import Visits
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.table import Source
    from focuscrawl.values import Clock

ROW = "row"
"""Fact of a state: the sequence number of the row its page is queued as."""


class OtherReaders(NamedTuple):
    """What else of a run reads pages that are due, so that they need no visit of their own.

    ``reads(state)``: it is left to a walk that reads it anyway. ``is_busy()``: there may be such a walk
    as long as this holds; ``is_asking()``: nobody knows yet what will be walked. ``waits(queued)``
    returns what says of a page that its visit waits for a list which is about to be read (None: of
    none). ``put_off(pages)`` returns the keys of those of which a list has said that they have nothing
    new, and has given them a later date.
    """

    reads: Callable[[PageState], bool]
    is_busy: Callable[[], bool]
    is_asking: Callable[[], bool]
    waits: Callable[[Mapping[bytes, PageState]], Callable[[PageState], bool] | None]
    put_off: Callable[[Sequence[PageState]], Awaitable[set[bytes]]]


class VisitQueue:
    """Queues the visits of one run, and knows which of the pages in a store may be queued now.

    ``queued`` holds the states of pages that are queued or in flight, by key. A run that ends waits for
    what becomes due within ``linger`` seconds: ``until`` then.
    """

    def __init__(
        self,
        states: PageStates,
        visits: Visits,
        store: Store,
        frontier: Frontier,
        clock: Clock,
        rules: AdmissionRules,
        sources: Mapping[str, Source],
        others: OtherReaders,
        *,
        linger: float,
        are_heard: bool,
    ) -> None:
        self.until = inf if states.stays else clock.wall() + linger
        self.queued = states.visited
        self.others = others
        self._states = states
        self._visits = visits
        self._store = store
        self._frontier = frontier
        self._clock = clock
        self._rules = rules
        self._sources = sources
        self._are_heard = are_heard
        self.look()

    def queue(self, state: PageState) -> bool:
        """Queue a page that was taken, with its lease, in one commit; False: it is not to be."""
        waiting = visit_of(state, self._sources, self._rules)
        if refused_visit(state, waiting, self._sources, self._rules, heard=self._are_heard):
            times = self._visits.rules.times(state.page_class)
            later = self._clock.wall() + times.longest  # the rule may have gone by then
            self._frontier.remember(state._replace(next_visit=later, leased=None))
            return False
        sequence = self._frontier.add_again(waiting)
        self._hold(state._replace(facts={**state.facts, ROW: sequence}))
        return True

    def is_taken(self, state: PageState) -> bool:
        """Whether a page is left to others or queued already."""
        return self.others.reads(state) or self.is_queued(state)

    def is_queued(self, state: PageState) -> bool:
        """Whether a page waits from an earlier lease; then it gets another one."""
        if state.key in self.queued:
            return True
        if state.leased is None or ROW not in state.facts:
            return False
        rows = self._store.read(state.facts[ROW], 0)
        if not any(row.waiting.key == state.key for row in rows):
            return False
        self._hold(self._visits.taken(state, self._clock.wall()))
        return True

    def _hold(self, state: PageState) -> None:
        self.queued[state.key] = state
        self._frontier.remember(state)

    def is_planned(self, state: PageState) -> bool:
        """Whether a page has a date of its own: of a run that ends, lists are due with the next one."""
        return self._states.stays or not is_list(state)

    # One look at what is due --------------------------------------------------------------------

    def look(self, *, is_early: bool = False, is_idle: bool = False) -> None:
        """Begin a look: ``has_left`` and ``has_waiting`` will say what is due and not returned.

        ``is_early``: with what is nearly due. ``is_idle``: the run has nothing else to do, so that
        nothing waits for a list.
        """
        self._early = MOST_EARLY if is_early else 0.0
        self._is_idle = is_idle
        self.has_left = self.has_waiting = False

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first pages by date and key; those that are queued are left out."""
        now = min(now, self.until)
        found: list[PageState] = []
        waits = None if self._is_idle else self.others.waits(self.queued)
        while len(found) < most:
            pages = await self._store.due(now + self._early, most, after)
            due = []
            for page in pages:
                is_due = comes_now(page.next_visit or 0.0, page.last_fetched, now)
                if not self.is_planned(page) or not is_due:
                    continue
                if self.others.reads(page):
                    self.has_left = True
                elif not self.is_queued(page):
                    if waits is not None and waits(page):
                        self.has_waiting = True
                    else:
                        due.append(page)
            put_off = await self.others.put_off(due)
            found += [page for page in due if page.key not in put_off]
            if len(pages) < most:
                break
            after = place_by_date(pages[-1])
        return found
