"""How URLs end: each request the engine has finished with is found, and its URL settled.

What becomes of a URL, its row, its counts and what was learnt by it, goes into one commit, results first.
A URL that dies before is fetched again and tells the same again; nothing of it has been counted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from scrapy import Request

from focuscrawl.kernel.figures import NOT_FETCHED
from focuscrawl.kernel.flight import Flight, flight_row
from focuscrawl.links.sources import MISSING_SOURCES
from focuscrawl.revisit.states import is_source
from focuscrawl.values import Page, PageChange, PageClass

if TYPE_CHECKING:
    from focuscrawl.kernel.run import Run
    from focuscrawl.values import Waiting

ENDED: Final = Request("data:,")
"""What a flight has in place of the request of a URL that has ended."""


class Endings:
    """Ends the URLs of one run. ``hold_again`` keeps a request that cannot be stored for its next try."""

    def __init__(self, run: Run) -> None:
        self.hold_again: Callable[[Flight], None] = _lose
        self._run = run

    # Requests leave the engine ------------------------------------------------------------------

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
        while ended is not None and not self._announces(ended, partial(self._announced, ended)):
            ended = self._end(ended)

    def _announced(self, flight: Flight) -> None:
        if (held := self._end(flight)) is not None:
            self._settle(held)

    def _end(self, flight: Flight) -> Flight | None:
        """End a URL; returns the page it came from, when that has waited for nothing else."""
        if self.settle(flight) and flight.kept:
            self.hold_again(flight)
            return None
        flight.request = ENDED  # a request and its flight would keep each other for long
        parent = flight.holds
        if parent is None:
            return None
        parent.held_by -= 1
        return parent if parent.finished and parent.held_by == 0 else None

    # A URL ends -------------------------------------------------------------------------------

    def _announces(self, flight: Flight, ended: Callable[[], object]) -> bool:
        """Send what a URL's end tells of its page through the pipelines, before it is settled.

        False: it tells nothing, and the URL may end. True: it ends with ``ended``, which is never
        called when the pipelines are closed already: then it ends in the next run. Call it once.
        """
        run = self._run
        told = [end(flight) for end in run.hooks.ending]
        change = next(filter(None, told), None)
        if change is None:
            return False

        def announced(left: PageChange | None, why: str) -> None:
            flight.is_announced, flight.change = True, left
            flight.failed = flight.failed or why
            ended()

        run.changes.announce_beside(change, announced)
        return True

    def settle(self, flight: Flight) -> bool:
        """End a URL whose request is finished: done, to be tried again (True), or set aside."""
        run, sequence, now = self._run, flight.sequence, self._run.clock.steady()
        queued = run.frontier.in_flight(sequence)
        comes_back = False
        is_visit = (
            flight.before is not None
        )  # it has a date of its own, and needs no row until then
        if flight.outcome == "parked" and not is_visit:
            run.frontier.park(sequence, flight.reason, now)
        elif self._tries_again(flight):
            comes_back = run.frontier.fail(sequence, flight.failed, now, run.clock.wall())
        else:
            if flight.outcome in NOT_FETCHED:
                run.frontier.release(sequence, now, asked=False)
            for count in run.hooks.acknowledged:
                count(flight)
            run.frontier.acknowledge(sequence, now)
        if flight.failed and not comes_back and not is_visit:
            flight.outcome, flight.reason, flight.failed = "error", f"given up: {flight.failed}", ""
        if flight.unchanged and not flight.failed:
            self._came_unchanged(flight)
        for settle in run.hooks.settle:
            settle(flight, flight.page, comes_back=comes_back)
        page = self.write_page(flight)
        if queued is not None and not comes_back:
            self._source_ended(flight, queued.waiting)
        for ended in run.hooks.ended:
            waiting = queued.waiting if queued is not None else None
            ended(flight, waiting, page, comes_back=comes_back)
        return comes_back

    def _source_ended(self, flight: Flight, waiting: Waiting) -> None:
        """Note a source that is not there, so that the next run asks once more."""
        run = self._run
        is_missing = flight.outcome in {"gone", "error"} and flight.before is None
        if is_missing and is_source(waiting, run.sources):
            run.frontier.note_fact(MISSING_SOURCES, waiting.key.hex(), True)

    def write_page(self, flight: Flight) -> Page:
        """Put a URL's row into the log book, and return it."""
        run = self._run
        page = flight_row(flight, run.clock.wall())
        page.run_id = run.run.run_id
        for fill_in in run.hooks.row:
            fill_in(flight, page)
        run.commits.pending.add(page)
        run.tally.count_page(page, failed=bool(flight.failed), now=run.clock.wall())
        return page

    def _tries_again(self, flight: Flight) -> bool:
        """Whether a fetch has failed that is tried again under its row."""
        run = self._run
        if not flight.failed or (flight.kept and flight.tries >= len(run.config.retry_waits)):
            return False
        return all(may(flight) for may in run.hooks.tries_again)

    def _came_unchanged(self, flight: Flight) -> None:
        """End a visit that was answered 304: a board that was read again has no new links (A6)."""
        waiting, before = flight.waiting, flight.before
        self._run.tally.counters["not_modified"] += 1
        if before is None:
            return  # the condition was the user's own
        if waiting.page_class is PageClass.BOARD and not waiting.first_walk:
            self._run.frontier.observe_board(0)


def _lose(flight: Flight) -> None:
    """Keep nothing: nobody holds requests yet."""
