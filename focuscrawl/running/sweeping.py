"""Ending URLs: each request the engine has finished with is found, and its URL settled."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from scrapy import Request

if TYPE_CHECKING:
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.flights import Flights
    from focuscrawl.running.run import Run
    from focuscrawl.running.settling import Settling

ENDED: Final = Request("data:,")
"""What a flight has in place of the request of a URL that has ended."""


class Sweeping:
    """Settles the URLs of one run as their requests leave the engine."""

    def __init__(self, run: Run, queueing: Flights, settling: Settling) -> None:
        self._run = run
        self._queueing = queueing
        self._settling = settling

    def sweep(self) -> None:
        """Settle every URL whose request the engine has finished with."""
        flights = self._run.flights
        if not flights:
            return
        ended = flights.keys() - self._run.slots.in_progress()
        for request in sorted(ended, key=self._sequence) if len(ended) > 1 else ended:
            flight = flights.pop(request)
            flight.finished = True
            if flight.held_by == 0:
                self._settle(flight)

    def _sequence(self, request: Request) -> int:
        return self._run.flights[request].sequence

    def _settle(self, flight: Flight) -> None:
        """End a URL, after what its end tells has been through the pipelines; then those it held.

        One that cannot tell it any more, since the run is closing, is fetched again by the next.
        """
        ended: Flight | None = flight
        # In a loop, not by recursion: a series of pages may hold one another by the thousand.
        while ended is not None and not self._settling.announces(
            ended, partial(self._announced, ended)
        ):
            ended = self._end(ended)

    def _announced(self, flight: Flight) -> None:
        if (held := self._end(flight)) is not None:
            self._settle(held)

    def _end(self, flight: Flight) -> Flight | None:
        """End a URL; returns the page it came from, when that has waited for nothing else."""
        if self._settling.settle(flight) and flight.kept:
            self._queueing.hold_again(flight)
            return None
        flight.request = ENDED  # a request and its flight would keep each other for long
        parent = flight.holds
        if parent is None:
            return None
        parent.held_by -= 1
        return parent if parent.finished and parent.held_by == 0 else None
