"""Rescale the levels of what waits to a template's new number of levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.store.protocol import FAILED, WAITING, Row, Store

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier


def rescale(store: Store, frontier: Frontier, before: int, now: int) -> None:
    """Scale the levels of all that waits to a new number of levels."""
    for state in (WAITING, FAILED):
        for row in list(store.rows(state)):
            level = scaled(row.waiting.level, before, now)
            if level != row.waiting.level:
                _move(frontier, row, level, now)


def _move(frontier: Frontier, row: Row, level: int, levels: int) -> None:
    # The frontier was loaded with levels cut off at the new top.
    loaded = row._replace(waiting=row.waiting._replace(level=min(row.waiting.level, levels)))
    passed = min(row.waiting.passed_level, levels)
    frontier.set_level(loaded._replace(waiting=loaded.waiting._replace(passed_level=passed)), level)


def scaled(level: int, before: int, now: int) -> int:
    """Return the level that stands as high among ``now`` levels as ``level`` did among ``before``.

    The top stays the top and the lowest the lowest.
    """
    if before <= 1 or now <= 1:
        return now if level >= before else 1
    return 1 + round((level - 1) * (now - 1) / (before - 1))
