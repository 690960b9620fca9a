"""The states of pages on their way into the store (B1).

A state is remembered in the frontier's next commit. Two kinds of it are needed before: those of pages
that are queued again or in flight, and those of articles whose other pages are still to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.values import PageClass, PageState

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store
    from focuscrawl.values import Clock

LISTS = frozenset({PageClass.BOARD, PageClass.FEED, PageClass.SITEMAP})


CONTENT = frozenset({PageClass.ARTICLE, PageClass.RECORD, PageClass.THREAD})

KEPT_OUTCOMES = frozenset({"stored", "unchanged"})


MOST_OPEN = 10_000
"""Articles of several pages that are waited for after their first page has ended."""


class PageStates:
    """The states of one run's pages.

    ``visited`` holds those of pages that are queued again or in flight, ``open`` those of articles
    whose first page has ended before all of it was there, both by key. ``next_due`` is the date of
    the first page that is not queued; None when there is none. ``stays``: lists are planned like other
    pages, since the run does not end.
    """

    def __init__(self, frontier: Frontier, clock: Clock) -> None:
        self.visited: dict[bytes, PageState] = {}
        self.open: dict[bytes, PageState] = {}
        self.next_due: float | None = None
        self.stays = False
        self._frontier = frontier
        self._clock = clock

    def remember(self, state: PageState) -> None:
        """Put a state into the next commit.

        A list of a topic that does not stay is due with the next run, whenever that comes.
        """
        is_planned = self.stays or state.every is not None or not is_list(state)
        if state.next_visit is not None and state.leased is None and not is_planned:
            state = state._replace(next_visit=min(state.next_visit, self._clock.wall()))
        if state.key in self.open:
            self.open[state.key] = state
        elif state.next_visit is not None and is_planned:
            before = state.next_visit if self.next_due is None else self.next_due
            self.next_due = min(state.next_visit, before)
        self._frontier.remember(state)

    def moved(self, state: PageState) -> None:
        """Remember a state that has changed beside its visit, which may be queued or under way."""
        if state.key in self.visited:
            self.visited[state.key] = state
        self.remember(state)

    async def known(self, store: Store, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return states as they are now: in flight, to be written, in the store."""
        found = await store.pages(keys)
        found |= self._frontier.remembered(keys)
        return found | {key: self.visited[key] for key in keys if key in self.visited}

    def wait_for_rest(self, state: PageState) -> None:
        """Keep the state of an article at hand until all of its pages are there."""
        if len(self.open) >= MOST_OPEN:
            del self.open[next(iter(self.open))]
        self.open[state.key] = state


def is_list(state: PageState) -> bool:
    """Whether a page is read for its links, so that every run begins with it (A6)."""
    return state.page_class in LISTS or bool(state.facts.get("source"))
