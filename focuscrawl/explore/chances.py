"""What a banned folder may still give: probes, links that name the topic, the rest of a small one.

A ban by rate says what a folder's pages were worth so far; these exceptions keep it from being a
verdict on each of its links. A probe is a try of a banned folder, at most one pick in fifty: its first
comes 50 picks after its ban, and each that fails doubles the wait, so that a trap costs a handful of
pages however long the crawl.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from focuscrawl.explore.groups import score_in

SPACING = 50
"""One pick in so many may be a probe: 2 %."""


PROMISING = 410
"""A link with this score (of 1023) is taken though its folder is banned, …"""

MOST_TRIES = 5
"""… until so many such links of it in a row misled."""

SMALL = 20
"""A banned folder with at most so many links is read to its end before a crawl ends: that costs no
more than finding out that it is to be banned."""


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


class Chances:
    """Of which banned groups URLs are taken all the same; ``probes`` says when one is tried out."""

    def __init__(self) -> None:
        self.probes = Probes()
        self._rest: dict[int, int] = {}
        self._misled: dict[int, int] = {}
        self._promised: set[int] = set()

    def has(self, group: int, best: int) -> bool:
        """Whether the ``best`` code of a banned group is to be taken."""
        return bool(self._rest.get(group)) or self.is_promising(group, best)

    def is_promising(self, group: int, code: int) -> bool:
        """Whether a link names the topic, and others of its group did not mislead."""
        return score_in(code) >= PROMISING and self._misled.get(group, 0) < MOST_TRIES

    def finishes(self, group: int, waiting: int) -> bool:
        """Whether the rest of a group, so many URLs, is to be read now; once for each group."""
        if group in self._rest or not 0 < waiting <= SMALL:
            return False
        self._rest[group] = waiting
        return True

    def taken(self, group: int, sequence: int, code: int) -> None:
        """Hear that a URL was taken."""
        if score_in(code) >= PROMISING:
            self._promised.add(sequence)
        if self._rest.get(group):
            self._rest[group] -= 1

    def judged(self, group: int, sequence: int, relevant: bool) -> None:
        """Hear what became of a URL that was taken."""
        if sequence in self._promised:
            self._promised.discard(sequence)
            self._misled[group] = 0 if relevant else self._misled.get(group, 0) + 1

    def ended(self, sequence: int) -> None:
        """Hear that a URL that was taken is no longer in flight, judged or not."""
        self._promised.discard(sequence)
