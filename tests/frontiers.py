"""A frontier for the parts of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.urls.sites import partition_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from focuscrawl.stores.state.protocol import Store


def frontier_over(
    store: Store,
    luck: Callable[[], float] = lambda: 0.0,
    politeness: Callable[[str], Politeness] = lambda site: Politeness(),
) -> Frontier:
    """Return an empty frontier that hands out as fast as it is asked, or as ``politeness`` has it."""
    return Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=politeness,
        partition_of=partition_of,
        stored=store.read,
        random=luck,
    )
