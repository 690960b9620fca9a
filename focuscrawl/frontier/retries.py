"""When a failed URL is tried again: at its time, in the next run, or never."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from focuscrawl.frontier.lines import Site
from focuscrawl.frontier.queue import sequence_of

# So that a site that is down for a day loses none of its URLs.
GIVE_UP_TRIES = 6
GIVE_UP_AFTER = 2 * 86400.0

WaitingPlace = tuple[Site, int, int, int]
"""Where a URL waits: its site, the index of its level, its order, its packed lane (0 = none)."""


class Retry(NamedTuple):
    """What becomes of a URL whose fetch failed: ``at`` is wall time, None = in the next run."""

    give_up: bool
    at: float | None


def retry(tries: int, first_failed: float, now: float, waits: Sequence[float]) -> Retry:
    """Decide about a URL that has now failed ``tries`` times, first at wall time ``first_failed``.

    The waits grow as given; after the last of them a URL waits for the next run. It is given up
    after six tries that lie over at least two days.
    """
    if tries >= GIVE_UP_TRIES and now - first_failed >= GIVE_UP_AFTER:
        return Retry(give_up=True, at=None)
    if tries <= len(waits):
        return Retry(give_up=False, at=now + waits[tries - 1])
    return Retry(give_up=False, at=None)


class Failures:
    """The places of failed URLs by sequence number.

    ``retries`` is a heap of (wall time, sequence number) of those that are tried again in this run.
    """

    def __init__(self) -> None:
        self.retries: list[tuple[float, int]] = []
        self._places: dict[int, WaitingPlace] = {}

    def __len__(self) -> int:
        """Return how many URLs have failed."""
        return len(self._places)

    def __contains__(self, sequence: int) -> bool:
        """Whether a URL has failed."""
        return sequence in self._places

    def add(self, place: WaitingPlace, at: float | None) -> None:
        """Keep a URL back until ``at``, wall time; None: for the next run."""
        sequence = sequence_of(place[2])
        self._places[sequence] = place
        if at is not None:
            heappush(self.retries, (at, sequence))

    def pop(self) -> WaitingPlace:
        """Take the URL out that is to be tried again first."""
        _, sequence = heappop(self.retries)
        return self._places.pop(sequence)
