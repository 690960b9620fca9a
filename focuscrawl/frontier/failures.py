"""Failed URLs, until they wait again: at their time, or in the next run."""

from __future__ import annotations

from heapq import heappop, heappush

from focuscrawl.frontier.queue import sequence_of
from focuscrawl.frontier.sites import Site

Place = tuple[Site, int, int, int]
"""Where a URL waits: its site, the index of its level, its order, its packed lane (0 = none)."""


class Failures:
    """The places of failed URLs by sequence number.

    ``retries`` is a heap of (wall time, sequence number) of those that are tried again in this run.
    """

    def __init__(self) -> None:
        self.retries: list[tuple[float, int]] = []
        self._places: dict[int, Place] = {}

    def __len__(self) -> int:
        """Return how many URLs have failed."""
        return len(self._places)

    def __contains__(self, sequence: int) -> bool:
        """Whether a URL has failed."""
        return sequence in self._places

    def add(self, place: Place, at: float | None) -> None:
        """Keep a URL back until ``at``, wall time; None: for the next run."""
        sequence = sequence_of(place[2])
        self._places[sequence] = place
        if at is not None:
            heappush(self.retries, (at, sequence))

    def pop(self) -> Place:
        """Take the URL out that is to be tried again first."""
        _, sequence = heappop(self.retries)
        return self._places.pop(sequence)
