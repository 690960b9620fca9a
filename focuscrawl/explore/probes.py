"""Probes: banned folders are tried again, at most with one pick in fifty.

A folder's first probe comes 50 picks after its ban; each that fails doubles the wait, so that a
trap costs a handful of pages however long the crawl.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

SPACING = 50
"""One pick in so many may be a probe: 2 %."""


class Probes:
    """When which banned group may be tried."""

    def __init__(self) -> None:
        self._picks = 0
        self._latest = -SPACING
        self._waits: dict[int, int] = {}
        self._line: list[tuple[int, int]] = []

    def block(self, group: int) -> None:
        """Hear that a group was banned."""
        if group not in self._waits:  # else its next probe is planned
            self._waits[group] = SPACING
            heappush(self._line, (self._picks + SPACING, group))

    def unblock(self, group: int) -> None:
        """Hear that a group's ban is over."""
        self._waits.pop(group, None)

    def groups(self) -> list[int]:
        """Return the banned groups that may be tried."""
        return list(self._waits)

    def picked(self) -> None:
        """Count a pick that was no probe: a crawl that has nothing else makes no probes."""
        self._picks += 1

    def due(self, may: Callable[[int], bool]) -> int | None:
        """Return the group to try with this pick, mostly None; ``may`` says whether it can be."""
        line = self._line
        if not line or line[0][0] > self._picks or self._picks - self._latest < SPACING:
            return None
        _, group = heappop(line)
        if group not in self._waits:
            return None
        if not may(group):
            heappush(line, (self._picks + SPACING, group))
            return None
        self._latest = self._picks
        return group

    def judged(self, group: int, relevant: bool) -> None:
        """Hear what a probe gave: one that failed doubles the wait for the next."""
        if group in self._waits:
            self._waits[group] = SPACING if relevant else 2 * self._waits[group]
            heappush(self._line, (self._picks + self._waits[group], group))
