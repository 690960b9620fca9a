"""The end of a search cycle in its published form (C8): what it has not reached is deleted.

That these pages are gone goes through the pipelines first, so the cycle ends while they are open: when
the run has nothing else to do, or before it searches again. A run that is cut off leaves it to the next.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from focuscrawl.kernel.changes import ChangeFailed
from focuscrawl.revisit.gone import turned
from focuscrawl.search.missing import deleted
from focuscrawl.store.protocol import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from focuscrawl.kernel.changes import ChangeEvents
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.running.searching import Searching
    from focuscrawl.store.protocol import Store
    from focuscrawl.values import Clock, PageChange, PageState

logger = logging.getLogger(__name__)


class Burying:
    """The search cycles of one run that come to their end; ``is_ending``: one is at it."""

    def __init__(
        self,
        searching: Searching,
        bury: Callable[[PageState, PageState, PageChange | None], None],
        announcing: ChangeEvents,
        commits: Commits,
        store: Store,
        clock: Clock,
    ) -> None:
        self._searching = searching
        self._bury = bury
        self._announcing = announcing
        self._commits = commits
        self._store = store
        self._clock = clock
        self.is_ending = False

    def is_due(self) -> bool:
        """Whether a cycle is at its end, and what it has not reached is still there."""
        return not self.is_ending and self._searching.is_at_end()

    async def end_cycle(self) -> None:
        """Delete what a cycle that is at its end has not reached.

        Pages whose end a pipeline fails on stay, and are missing in the next cycle again.
        """
        if not self.is_due():
            return
        self.is_ending = True
        try:
            await self._commits.written()  # so that all states can be read
            unreached = self._searching.missing.unreached()
            states = await self._store.pages([*unreached.values()])
            gone = {key: stored for key, stored in unreached.items() if stored not in states}
            told: list[tuple[PageState, PageChange | None]] = []
            for key, stored in unreached.items():
                if stored in states:
                    try:
                        told.append((states[stored], await self._told(states[stored])))
                    except ChangeFailed as error:
                        logger.warning("search: %s; it stays until the next cycle", error)
                        continue
                gone[key] = stored
            await self._commits.settled()
            self._delete(gone, told)
        finally:
            self.is_ending = False

    async def _told(self, state: PageState) -> PageChange | None:
        """Tell that a page has gone; returns what the pipelines leave of it."""
        now = self._clock.wall()
        change = turned(state, deleted(state, now), now)
        return await self._announcing.announce(change) if change is not None else None

    def _delete(
        self, gone: dict[bytes, bytes], told: list[tuple[PageState, PageChange | None]]
    ) -> None:
        """Delete the rows of pages; their tombstones come with the next commit. Told again after a
        kill in between they have the same ids."""
        results, is_over = self._commits.results, self._commits.closing or self._commits.broken
        if results is None or is_over:
            return
        try:
            rows = results.delete([stored.hex() for stored in gone.values()])
        except StoreError as error:
            self._commits.break_off(error)
            return
        self._searching.searches.end_cycle(gone)
        now = self._clock.wall()
        for state, change in told:
            self._bury(state, deleted(state, now), change)
        if gone:
            counts = ", ".join(f"{count} {table}" for table, count in rows.most_common())
            logger.info(
                "search: %d pages are not reached any more; deleted: %s",
                len(gone),
                counts or "nothing",
            )
