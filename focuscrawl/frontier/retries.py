"""When a failed URL is tried again: at its time, in the next run, or never; and what counts as due.

A page that was fetched some minutes into yesterday's run is due some minutes into today's, which a timer
starts at the same hour. Left to its date it would be visited by every other run only.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from focuscrawl.frontier.lines import Site
from focuscrawl.frontier.queue import sequence_of

EARLY, MOST_EARLY = 0.1, 10_800.0
"""The part of its interval, and the seconds, by which something may come before its date. Dates are
spread by a tenth, too, which is more than two hours of a day."""

JUMP = 300.0
"""Seconds by which a clock may be set back and nothing is made of it."""


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


def comes_now(date: float, since: float, now: float) -> bool:
    """Whether a run that begins now does what was planned at ``since`` for ``date``."""
    return date <= now or date - now <= min(EARLY * (date - since), MOST_EARLY)


def is_to_come(done: float, now: float) -> bool:
    """Whether something was done in a time that is still to come: by a clock that ran ahead."""
    return done > now + JUMP


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

    def leave(self, sites: Container[Site]) -> None:
        """Let go of the URLs of some sites."""
        self._places = {key: one for key, one in self._places.items() if one[0] not in sites}
        self.retries = [one for one in self.retries if one[1] in self._places]
        heapify(self.retries)

    def pop(self) -> WaitingPlace:
        """Take the URL out that is to be tried again first."""
        _, sequence = heappop(self.retries)
        return self._places.pop(sequence)
