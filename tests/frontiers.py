"""A frontier for the parts of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.urls.sites import partition_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from focuscrawl.store.sqlite import SQLiteStore


def frontier_over(store: SQLiteStore, luck: Callable[[], float] = lambda: 0.0) -> Frontier:
    """Return an empty frontier that hands out as fast as it is asked."""
    return Frontier(
        LevelRules(),
        factor=Factor(),
        politeness=lambda site: Politeness(),
        partition_of=partition_of,
        stored=store.read,
        random=luck,
    )
