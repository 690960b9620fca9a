"""Ending URLs: each request the engine has finished with is found, and its URL settled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from scrapy import Request

if TYPE_CHECKING:
    from focuscrawl.running.leases import Lease
    from focuscrawl.running.queueing import Queueing
    from focuscrawl.running.run import Run
    from focuscrawl.running.settling import Settling

ENDED: Final = Request("data:,")
"""What a lease has in place of the request of a URL that has ended."""


class Sweeping:
    """Settles the URLs of one run as their requests leave the engine."""

    def __init__(self, run: Run, queueing: Queueing, settling: Settling) -> None:
        self._run = run
        self._queueing = queueing
        self._settling = settling

    def sweep(self) -> None:
        """Settle every URL whose request the engine has finished with."""
        leases = self._run.leases
        if not leases:
            return
        ended = leases.keys() - self._run.slots.in_progress()
        for request in sorted(ended, key=self._sequence) if len(ended) > 1 else ended:
            lease = leases.pop(request)
            lease.finished = True
            if lease.held_by == 0:
                self._settle(lease)

    def _sequence(self, request: Request) -> int:
        return self._run.leases[request].sequence

    def _settle(self, lease: Lease) -> None:
        """End a URL, after what its end tells has been through the pipelines; then those it held.

        One that cannot tell it any more, since the run is closing, is fetched again by the next.
        """
        ended: Lease | None = lease
        # In a loop, not by recursion: a series of pages may hold one another by the thousand.
        while ended is not None and not self._settling.announces(
            ended, partial(self._announced, ended)
        ):
            ended = self._end(ended)

    def _announced(self, lease: Lease) -> None:
        if (held := self._end(lease)) is not None:
            self._settle(held)

    def _end(self, lease: Lease) -> Lease | None:
        """End a URL; returns the page it came from, when that has waited for nothing else."""
        if self._settling.settle(lease) and lease.kept:
            self._queueing.hold_again(lease)
            return None
        lease.request = ENDED  # a request and its lease would keep each other for long
        parent = lease.holds
        if parent is None:
            return None
        parent.held_by -= 1
        return parent if parent.finished and parent.held_by == 0 else None
