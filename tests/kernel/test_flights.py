from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy import Request

from focuscrawl.kernel.feature import Hooks
from focuscrawl.kernel.flight import Flight, Ties
from focuscrawl.kernel.flights import Flights
from focuscrawl.kernel.transport.requests import number_of, stored, to_waiting
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import Partitions, partition_of
from tests.clock import StandingClock
from tests.frontiers import frontier_over
from tests.readers.links.test_admission import make_rules

HOME = "http://a.cn/"


class InFlight:
    """One URL in flight on a site of which it was learnt that ``ticket`` changes nothing."""

    def __init__(
        self, folder: Path, request: Request, known: str = "", *, has_topic: bool = True
    ) -> None:
        self.store = SQLiteStore(folder / "x.crawl.db")
        clock, self.rules = StandingClock(1.7e9), self._rules()
        frontier = self.frontier = frontier_over(self.store)
        frontier.load(asyncio.run(self.store.load(self.store.own())), clock.now)
        run: Any = SimpleNamespace(
            frontier=frontier,
            rules=self.rules,
            run=SimpleNamespace(has_topic=has_topic),
            hooks=Hooks(),
            sources={},
            flights={},
            clock=clock,
        )
        waiting, number = to_waiting(request, run.rules.canonicalizer, None, 5)
        if request.method != "GET":
            waiting = waiting._replace(request=stored(request, None))
        frontier.add(waiting, number)
        if known:
            frontier.seen.add(self.rules.look(known).address.number)
        row = frontier.take(clock.now, clock.now)
        assert row is not None
        self.carried = Flight(request, row.sequence, number_of(waiting), waiting)
        run.flights[request] = self.carried
        self.key = waiting.key
        crawler, settling = Mock(spider=None), Mock()
        self.queueing = Flights(run, crawler, settling, Counter())

    def _rules(self) -> AdmissionRules:
        rules = make_rules()
        for page in range(3):
            for visit in range(3):
                url = f"{HOME}s?id={page}&ticket=a{page}f{visit}c9"
                rules.same.note(url, "a.cn", b"%d" % page)
        assert rules.same.dropped == {"a.cn": frozenset({"ticket"})}
        return rules

    def goes_on(self, request: Request) -> bool:
        try:
            return self.queueing.go_on(self.carried, request)
        finally:
            self.store.release()


@pytest.mark.parametrize(
    "url",
    [
        f"{HOME}s?id=5&ticket=b1c2d3",
        f"{HOME}s?id=5&ticket=e4f5a6",
        f"{HOME}s?id=5",
        "https://a.cn/s?id=5&ticket=b1c2d3",
    ],
)
def test_a_page_known_by_an_older_key_keeps_it_when_it_is_asked_for_again(
    tmp_path: Path, url: str
) -> None:
    request = Request(f"{HOME}s?id=5&ticket=b1c2d3")
    flight = InFlight(tmp_path, request, known=f"{HOME}s?id=5")
    assert flight.goes_on(request.replace(url=url, dont_filter=True))
    assert flight.carried.waiting.key == flight.key
    assert not flight.carried.outcome


def test_a_retry_of_a_form_keeps_its_key(tmp_path: Path) -> None:
    request = Request(f"{HOME}s?id=5", method="POST", body=b"a=1")
    flight = InFlight(tmp_path, request, known=f"{HOME}s?id=5")
    assert flight.goes_on(request.copy())
    assert flight.carried.waiting.key == flight.key


def test_a_redirect_to_another_page_takes_its_key_and_to_a_known_one_ends(tmp_path: Path) -> None:
    request = Request(f"{HOME}s?id=5&ticket=b1c2d3")
    flight = InFlight(tmp_path, request)
    other = f"{HOME}s?id=6&ticket=b1c2d3"
    assert flight.goes_on(request.replace(url=other))
    assert flight.carried.waiting.key == flight.rules.look(other).address.key != flight.key
    (tmp_path / "known").mkdir()
    flight = InFlight(tmp_path / "known", request, known=other)
    assert not flight.goes_on(request.replace(url=other))
    assert flight.carried.outcome == "alias"


def test_a_redirect_of_a_form_to_another_workers_site_is_stored_as_it_goes_on(
    tmp_path: Path,
) -> None:
    worn = ("a.cn", ["proxy"], ["X-Token"], True)
    request = Request(f"{HOME}s?id=5", method="POST", body=b"a=1", headers={"X-Own": "own"})
    flight = InFlight(tmp_path, request, has_topic=False)
    flight.frontier.release(Partitions({partition_of("b.cn")}))
    dressed = request.replace(
        url="http://b.cn/",
        headers={"X-Own": "own", "X-Token": "s3cret", "Cookie": "key=s3cret"},
        cookies={"key": "s3cret"},
        meta={"focuscrawl_worn": worn, "proxy": "http://me:s3cret@c.cn"},
    )
    assert not flight.goes_on(dressed)
    (sent,) = [one for changes in flight.frontier.drain().values() for one in changes.sent]
    kept = sent.waiting.request or {}
    assert (kept["url"], kept["method"]) == ("http://b.cn/", "POST")
    assert kept["headers"] == {b"X-Own": [b"own"]}
    assert "s3cret" not in repr(kept)


def test_a_request_that_cannot_be_stored_is_tried_again_from_memory(tmp_path: Path) -> None:
    request = Request(f"{HOME}s?id=5", meta={"retry_times": 2})
    flight = InFlight(tmp_path, request)
    frontier, now = flight.frontier, 1.7e9
    page = Flight(Request(HOME), 99, 99, flight.carried.waiting)
    waiting, number = to_waiting(Request(f"{HOME}s?id=6"), flight.rules.canonicalizer, None, 5)
    sequence = frontier.add_volatile(waiting, number)
    frontier.free(flight.carried.sequence, now, asked=False)
    row = frontier.take(now, now)
    assert row is not None
    assert row.sequence == sequence
    first = Flight(request, sequence, number, waiting)
    first.notes[Ties] = Ties(kept=True, holds=page)
    assert frontier.fail(row.sequence, "timeout", now, now)
    flight.queueing.hold_again(first)
    again = flight.queueing.held[row.sequence]
    assert (again.of(Ties), again.tries) == (first.of(Ties), first.tries + 1)
    assert "retry_times" not in again.request.meta
    assert not any(changes.moved for changes in frontier.drain().values())
    flight.store.release()
