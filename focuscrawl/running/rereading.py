"""What a run reads once more as it begins: every list, and the sources that were gone (A6).

Under other rules than those of the last run every date is worked out anew before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.crawl.revisit.signals import are_heard, is_signal_file
from focuscrawl.crawl.revisit.visits import is_list
from focuscrawl.crawl.template.changes import note_planned
from focuscrawl.crawl.template.sources import as_source, starts_of
from focuscrawl.crawl.timers import MOST_EARLY, comes_now
from focuscrawl.revisit.agenda import pulled_back
from focuscrawl.revisit.silence import rests
from focuscrawl.values import PageClass, PageState, Waiting

if TYPE_CHECKING:
    from focuscrawl.kernel.page_states import PageStates
    from focuscrawl.running.basis import Basis
    from focuscrawl.running.visit_queue import VisitQueue


class Rereading:
    """The lists of one topic, as a run begins.

    ``written()`` waits until the store has all that was remembered.
    """

    def __init__(
        self,
        basis: Basis,
        states: PageStates,
        visit_queue: VisitQueue,
        written: Callable[[], Awaitable[None]],
    ) -> None:
        self._template, self._rules, self._sources, self._store, self._frontier, self._clock = basis
        self._states = states
        self._visits = states.visits
        self._visit_queue = visit_queue
        self._written = written

    async def queue_lists(self, began: float, *, rules_changed: bool, clock_ran_ahead: bool) -> int:
        """Queue the lists that were not read since ``began``; returns how many.

        ``rules_changed``: every date is worked out anew first; when the ``clock_ran_ahead``, too,
        and all lists are read.
        """
        now = self._clock.wall()
        anew = rules_changed or clock_ran_ahead
        if clock_ran_ahead:
            began = now  # nobody knows when lists were read in a time that is still to come
        if anew:
            await self.replan(now)
            await self._written()
        else:
            async for state in pulled_back(self._store, self._visits, now):
                self._states.remember(state)
        note_planned(self._template, self._frontier)
        starts = starts_of(self._sources.values(), self._rules)
        states = await self._store.pages([*starts])
        named = self._named_later(states, starts)
        found = [*named, *self._sources_again(states, began)]
        # Dates that were worked out anew are of now: only their last fetch tells what was read.
        until = max(began, self._clock.wall()) if anew else began
        queued = self._visit_queue.queued
        is_named = {state.key for state in named}
        lists = [
            state
            for state in await self._lists(began, until)
            if state.key not in queued and state.key not in is_named
        ]
        if not anew:
            lists = [state for state in lists if not self._rests(state, now)]
        queue, taken = self._visit_queue.queue, self._visits.taken
        return sum(queue(taken(state, now)) for state in [*found, *lists])

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
        return [
            page
            for page in found
            if not (self._visit_queue.is_left(page) or self._visit_queue.is_queued(page))
        ]

    def _rests(self, state: PageState, now: float) -> bool:
        """Whether a list is left out by this run: it has shown nothing new for long."""
        is_ordinary = state.page_class is PageClass.BOARD and not state.facts.get("source")
        if self._visit_queue.stays or not is_ordinary or not are_heard(self._template):
            return False
        is_news = state.signalled is not None or state.failing_since is not None
        return not is_news and rests(state, now)

    def _named_later(
        self, states: dict[bytes, PageState], starts: Mapping[bytes, Waiting]
    ) -> list[PageState]:
        """Take the sources out of ``states`` that were read for their signals alone until the template
        named them: their links were never followed.
        """
        named = [key for key, state in states.items() if is_signal_file(state.source_id)]
        return [
            as_source(states.pop(key), starts[key], self._sources[starts[key].source_id].every)
            for key in named
        ]

    def _sources_again(
        self, states: Mapping[bytes, PageState], began: float
    ) -> Iterable[PageState]:
        """Return the sources that have gone, for who names an address wants it looked at; and when
        the run stays, all that this round has not read.
        """
        for state in states.values():
            is_planned = state.next_visit is not None
            unread = self._visit_queue.stays and is_list(state) and state.every is None
            if is_planned and not (unread and state.last_fetched < began):
                continue
            if is_list(state) and not self._visit_queue.is_queued(state):
                yield state

    async def replan(self, now: float) -> None:
        """Work every date out anew: other rules hold than before, or another time."""
        after = None
        batch = self._visits.rules.candidates
        while pages := await self._store.due(inf, batch, after):
            for page in pages:
                state = self._with_interval(page)
                if not self._visit_queue.is_queued(state):
                    self._states.remember(self._visits.replanned(state, now))
            last = pages[-1]
            after = (last.next_visit or 0.0, last.key)
        key = b""
        while pages := await self._store.undated(batch, key):
            for page in pages:  # those that were too old may be young enough now
                again = self._visits.replanned(self._with_interval(page), now)
                if again.next_visit is not None:
                    self._states.remember(again)
            key = pages[-1].key

    def _with_interval(self, state: PageState) -> PageState:
        """Return a page with the interval that the template gives its source now, if any."""
        source = self._sources.get(state.source_id) if state.facts.get("source") else None
        every = source.every if source is not None else None
        return state if every == state.every else state._replace(every=every)
