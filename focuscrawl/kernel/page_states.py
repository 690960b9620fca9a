"""The states of pages on their way into the store, and when the next of them is due.

A state is remembered in the frontier's next commit. Two kinds of it are needed before: those of pages
that are queued again or in flight, and those of articles whose other pages are still to come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.crawl.revisit.visits import is_list, visit_rules
from focuscrawl.revisit.signals import Trust
from focuscrawl.revisit.visits import Visits
from focuscrawl.values import Json, PageState

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock

FACT, PRICE = "revisit", "price"
TRUST = "signals"
"""The part of a site's record that says what its signals are worth."""

MOST_OPEN = 10_000
"""Articles of several pages that are waited for after their first page has ended."""


class PageStates:
    """The states of one run's pages, and the rules by which they move (``visits``).

    ``visited`` holds those of pages that are queued again or in flight, ``open`` those of articles
    whose first page has ended before all of it was there, both by key. ``next_due`` is the date of
    the first page that is not queued; None when there is none.
    """

    def __init__(
        self,
        template: Template,
        frontier: Frontier,
        clock: Clock,
        visited: dict[bytes, PageState],
    ) -> None:
        self.visits = Visits(visit_rules(template))
        self.visited = visited
        self.open: dict[bytes, PageState] = {}
        self.next_due: float | None = None
        self._template = template
        self._frontier = frontier
        self._clock = clock

    async def load(self, store: Store, records: Mapping[str, Json]) -> None:
        """Read the price of a visit, and what the signals of sites are worth."""
        kept = (await store.facts(FACT)).get(PRICE)
        self.visits.restore_price(kept)
        for site, parts in records.items():
            if TRUST in parts:
                self.visits.trusts[site] = Trust.from_json(parts[TRUST])

    def remember(self, state: PageState) -> None:
        """Put a state into the next commit.

        A list of a topic that does not stay is due with the next run, whenever that comes.
        """
        stays = self._template.revisit.continuous or state.every is not None
        if state.next_visit is not None and state.leased is None and is_list(state) and not stays:
            state = state._replace(next_visit=min(state.next_visit, self._clock.wall()))
        if state.key in self.open:
            self.open[state.key] = state
        elif state.next_visit is not None and (stays or not is_list(state)):
            self.next_due = min(state.next_visit, self.next_due or state.next_visit)
        self._frontier.remember(state)

    def wait_for_rest(self, state: PageState) -> None:
        """Keep the state of an article at hand until all of its pages are there."""
        if len(self.open) >= MOST_OPEN:
            del self.open[next(iter(self.open))]
        self.open[state.key] = state

    def counted(self, state: PageState, now: float) -> PageState:
        """Return the state of a page whose change was found after its visit had ended."""
        changes, times = state.changes + 1, state.times_changed + 1
        state = state._replace(changes=changes, times_changed=times, last_changed=now)
        return self.visits.replanned(state, now)
