"""How URLs end whose requests the engine has finished with."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

from scrapy import Request

from focuscrawl.kernel.flight import Endings, Flight, Ties
from focuscrawl.values import Waiting


class EndingsThatAreNoted(Endings):
    """Endings of a run that keeps nothing; what has failed comes back."""

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self.settled: list[Flight] = []

    def settle(self, flight: Flight) -> bool:
        self.settled.append(flight)
        return bool(flight.failed)


def flight(number: int, **ties: Any) -> Flight:
    url = f"http://a.cn/{number}"
    made = Flight(Request(url), number, number, Waiting(url, bytes([number]) * 16, "a.cn", 3, 3))
    made.notes[Ties] = Ties(**ties)
    return made


def test_a_page_ends_when_what_it_has_asked_for_and_cannot_be_stored_has_come() -> None:
    page = flight(1, finished=True, held_by=1)
    asked = flight(2, kept=True, holds=page)
    asked.failed = "timeout"
    run = Mock(flights={asked.request: asked})
    run.hooks.ending, run.tally.held = (), 0
    run.slots.in_progress.return_value = set()
    endings = EndingsThatAreNoted(run)
    held: list[Flight] = []
    endings.hold_again = held.append
    endings.sweep()
    assert held == endings.settled == [asked], "it is tried again"
    asked.failed = ""
    run.flights[asked.request] = asked
    endings.sweep()
    assert held == [asked]
    assert endings.settled == [asked, asked, page]
