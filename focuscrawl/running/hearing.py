"""Signals put on a run: what a list that was read says of pages that are known.

Cheap, since it is done for every list: dates that were heard before are left out unseen, and the
others cost one look into the store for the page.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.crawl.revisit.signals import UNPROVEN, is_signal_file, signals_of, site_of_signal
from focuscrawl.revisit.signals import Trust

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.running.signal_files import SignalFiles
    from focuscrawl.running.states import States
    from focuscrawl.store.protocol import Store
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.values import Clock, LinkBatch, PageState

_HALF = 0.5
"""The share of a site's signals that must have been true for all of them to be followed."""

_AT_ONCE = 500
"""Pages that are looked up before others have their turn: a sitemap may name 50,000."""


class Hearing:
    """The signals of one run. ``counters`` counts those that were news as ``signals``."""

    def __init__(
        self,
        rules: AdmissionRules,
        store: Store,
        frontier: Frontier,
        commits: Commits,
        states: States,
        clock: Clock,
        counters: Counter[str],
        files: SignalFiles,
    ) -> None:
        self._files = files
        self._rules = rules
        self._store = store
        self._frontier = frontier
        self._commits = commits
        self._states = states
        self._clock = clock
        self._counters = counters

    async def hear(self, flight: Flight, batch: LinkBatch, counted: Sequence[bytes] = ()) -> None:
        """Tell the pages that are known what a list says of them.

        ``counted`` are the keys of those whose news it counts, which are taken without a visit.
        """
        if counted and not self._commits.broken:
            now = self._clock.wall()
            for state in (await self._known(counted)).values():
                later = self._states.visits.left_alone(state, now)
                if later != state:
                    self._counters["visits_saved"] += 1
                    self._remember(later)
        if batch.signal_files:
            self._files.named(flight.waiting.site, batch.signal_files)
        if self._commits.broken or not (batch.told or batch.threads):
            return
        before, is_file = flight.before, is_signal_file(flight.waiting.source_id)
        since = before.last_fetched if before is not None else None
        if since is None and is_file:
            since = self._files.since(site_of_signal(flight.waiting.source_id))
        most = self._most_believed(flight.waiting.site) if is_file else inf
        signals = signals_of(batch, flight.waiting, self._rules, since)
        keys = [*signals]
        for first in range(0, len(keys), _AT_ONCE):
            for key, state in (await self._known(keys[first : first + _AT_ONCE])).items():
                if most <= 0:
                    return
                now = self._clock.wall()
                told = self._states.visits.signalled(state, signals[key], now)
                if told != state:
                    is_news = told.signalled != state.signalled
                    self._counters["signals"] += is_news
                    most -= is_news
                    if is_news and told.next_visit is None and told.gone is None:
                        told = told._replace(next_visit=now)  # past ``until``: nothing else would
                    self._remember(told)
            await asyncio.sleep(0)

    def _most_believed(self, site: str) -> float:
        """Return how many pages one reading of a site's file may bring forward."""
        trust = self._states.visits.trusts.get(site, Trust())
        is_proven = trust.followed >= UNPROVEN and trust.precision >= _HALF
        return inf if is_proven else UNPROVEN

    async def _known(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of pages as they are now: in flight, to be written, in the store."""
        await self._commits.settled()
        known = await self._store.pages(keys)
        known |= self._frontier.remembered(keys)
        visited = self._states.visited
        return known | {key: visited[key] for key in keys if key in visited}

    def _remember(self, state: PageState) -> None:
        if state.key in self._states.visited:
            self._states.visited[state.key] = state
        self._states.remember(state)
