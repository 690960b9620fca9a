"""The partitions that a run holds: taken and let go of while it goes on.

A partition is held, draining or another's. Of one that drains nothing more is taken, and links into it go
to its inbox; when none of its URLs is in flight any more, or has had time enough, what is known of it is
written, every feature lets go of it, and it is free. One that is lost (its lease has ended, the store was
rolled back) goes at once: what was gathered of it is forgotten but for links, which are sent on, and its
URLs in flight end without a trace, since whoever holds it fetches them again.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from focuscrawl.store.protocol import InboxBatch
from focuscrawl.urls.sites import Partitions, partition_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from focuscrawl.kernel.run import Run
    from focuscrawl.store.protocol import Fate

logger = logging.getLogger(__name__)

LOOK_EVERY = 0.05
"""Seconds after which a partition that drains is looked at again."""

DRAINING_PAUSE = 0.5
"""Seconds for which a site is left whose partition drains; then it is asked for again, and may be held."""


class HeldPartitions:
    """The partitions of one run; ``draining`` are held still, and about to be let go of."""

    def __init__(self, run: Run) -> None:
        self.held = Partitions()
        self.draining = Partitions()
        self._run = run

    async def take(self, taken: Collection[int], *, anew: bool) -> bool:
        """Load what the store has of partitions that were taken, and begin to work on them.

        ``anew``: a run begins with them, and what has failed is tried again. Returns whether anything was
        ever there. Raises StoreError.
        """
        run, partitions = self._run, Partitions(taken)
        run.frontier.expect(partitions)
        await run.commits.settled()
        loaded = await run.store.load(partitions)
        for load in run.hooks.open:
            await load(partitions, loaded.records)
        run.frontier.load(loaded, run.clock.wall(), partitions=partitions, anew=anew)
        self.held = Partitions(self.held | partitions)
        return loaded.next_sequence > 1

    async def release(self, given: Collection[int], grace: float) -> None:
        """Let go of partitions in order; ``grace`` seconds are left to what is in flight."""
        run, partitions = self._run, Partitions(self.held & {*given})
        self.draining = Partitions(self.draining | partitions)
        run.frontier.close(partitions)
        until = run.clock.steady() + grace
        while run.frontier.is_busy(partitions) and run.clock.steady() < until:
            await asyncio.sleep(LOOK_EVERY)
        await run.commits.settled()
        for release in run.hooks.release:
            release(partitions)
        run.commits.beside()
        await run.commits.settled()
        self._forget(partitions)

    def lose(self, lost: Collection[int]) -> None:
        """Let go of partitions that others have by now."""
        partitions = Partitions(self.held & {*lost})
        self._run.frontier.release(partitions)
        for release in self._run.hooks.release:
            release(partitions)
        self._forget(partitions)

    def fated(self, fate: Fate) -> None:
        """Hear that a window was not kept: of some partitions, or at all."""
        self.lose(self.held if fate.rolled_back else fate.fenced)

    def arrived(self, batches: Mapping[int, list[InboxBatch]]) -> None:
        """Take in the links that others have sent; those into a partition that drains wait there."""
        for partition, sent in batches.items():
            for batch in sent:
                self._run.frontier.take_in(partition, batch)

    def seconds_draining(self, site: str) -> float:
        """Return how long a site is left since its partition drains; 0: it does not."""
        if not self.draining or partition_of(site) not in self.draining:
            return 0.0
        return DRAINING_PAUSE

    def _forget(self, partitions: Partitions) -> None:
        self._run.frontier.release(partitions)
        self._run.rules.known.clear()  # of links that were taken for known
        self.held = Partitions(self.held - partitions)
        self.draining = Partitions(self.draining - partitions)
