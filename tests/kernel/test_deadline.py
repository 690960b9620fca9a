"""A lease that is over: nothing is picked then, nothing that was picked is sent, until Redis has said what is held.

The store is a real one over Redis; its clock is turned by the test, as a process that stands still finds it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro

from focuscrawl.frontier.lines import Politeness
from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.flights import Flights
from focuscrawl.kernel.shared.connections import Connections, remember
from focuscrawl.kernel.shared.partitions import HELD_BACK, LOOK_EVERY, HeldPartitions
from focuscrawl.kernel.transport.guard import Guard, Withdrawn
from focuscrawl.stores.state.protocol import Fate
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.private import PrivateHosts
from focuscrawl.urls.sites import ALL_PARTITIONS, Partitions, partition_of
from focuscrawl.values import Waiting
from tests.clock import StandingClock
from tests.kernel.kernels import kernel_over
from tests.kernel.test_connections import Pool, connection, some_turns
from tests.kernel.test_partitions import RunOverKernel
from tests.kernel.test_template_changes import template
from tests.stores.opened_stores import handed_over, leave, redis_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from focuscrawl.stores.redis.store import RedisStore
    from focuscrawl.stores.state.protocol import Row
    from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.B1

LEASE = 30.0
PAGE = Waiting("http://a.example/1", bytes(16), "a.example", 3, 3)
HOME = partition_of(PAGE.site)


def run_over(store: RedisStore, clock: StandingClock) -> Any:
    """Return what a run has, without Scrapy."""
    slots = SimpleNamespace(seconds_to_wait=lambda host: 0.0, is_closing=False, wake=lambda: None)
    totals = SimpleNamespace(may_fetch=lambda: True, heard=lambda fate, of_all: None)
    kernel = kernel_over(store, template(), clock)
    return RunOverKernel(kernel, slots=slots, totals=totals, is_open=True)


class Worker:
    """A process that holds all partitions, with one URL to fetch."""

    def __init__(self, server: RedisServer, prefix: str) -> None:
        self.clock = StandingClock(1000.0)
        self.store = redis_store(server, prefix, lease=LEASE, clock=self.clock.steady)
        assert len(self.store.own()) == len(ALL_PARTITIONS)
        self.run = run_over(self.store, self.clock)
        self.held = self.run.partitions = HeldPartitions(self.run)
        self.held.held = ALL_PARTITIONS
        nobody: Any = SimpleNamespace()
        self.frontier = self.run.frontier
        self.frontier.gate = Flights(self.run, nobody, nobody, Counter()).gate
        self.frontier.add(PAGE, key_number(PAGE.key, HOME))

    def stand_still(self) -> None:
        """Let so much time pass that the lease is surely over."""
        self.clock.now += LEASE

    def picked(self) -> Row | None:
        row: Row | None = self.frontier.take(self.clock.steady(), self.clock.wall())
        return row

    def request(self) -> Request:
        """Pick the URL, and return the request for it."""
        row = self.picked()
        assert row is not None
        request = Request(row.waiting.url)
        flight = Flight(request, row.sequence, key_number(PAGE.key, HOME), row.waiting)
        self.run.flights[request] = flight
        return request

    async def beat(self) -> Fate:
        """Hear from Redis what is held."""
        fate = await handed_over(self.store, {})
        await asyncio.sleep(0)  # the store tells its deadline before the fate
        return fate


@pytest.fixture
def worker(redis_of_tests: RedisServer, tmp_path: Path) -> Iterator[Worker]:
    made = Worker(redis_of_tests, f"{tmp_path}:")
    yield made
    leave(made.store)


async def some_looks() -> None:
    """Wait for so long that whoever looks again and again has looked."""
    await asyncio.sleep(4 * LOOK_EVERY)


def test_nothing_is_picked_when_the_lease_is_over_until_it_is_renewed(worker: Worker) -> None:
    worker.stand_still()
    assert worker.picked() is None
    wait = worker.frontier.next_wakeup(worker.clock.steady(), worker.clock.wall())
    assert 0 < wait <= HELD_BACK, "it asks again soon"
    worker.clock.now += wait
    assert worker.picked() is None
    assert not asyncio.run(worker.beat()).fenced
    worker.clock.now += HELD_BACK
    row = worker.picked()
    assert row is not None
    assert row.waiting == PAGE


def test_what_is_sure_ends_before_the_lease_does(worker: Worker) -> None:
    worker.clock.now += 0.95 * LEASE
    assert worker.picked() is None, "its clock may be slower than that of Redis"


def test_of_a_partition_that_drains_nothing_is_picked_and_of_others_it_is(worker: Worker) -> None:
    worker.held.draining = Partitions({HOME})
    assert worker.picked() is None
    worker.held.draining = Partitions({(HOME + 1) % len(ALL_PARTITIONS)})
    worker.clock.now += HELD_BACK
    assert worker.picked() is not None


@pytest.mark.parametrize("is_lost", [False, True], ids=["ours still", "lost"])
def test_what_was_picked_before_is_sent_after_only_when_it_is_ours_still(
    worker: Worker, is_lost: bool
) -> None:
    request, sent = worker.request(), list[str]()
    guard = Guard(PrivateHosts(), worker.held.is_sure)

    async def send(request: Request) -> Response:
        sent.append(request.url)
        return Response(request.url)

    async def stalled() -> Response:
        worker.stand_still()
        sending = asyncio.ensure_future(guard.send(request, send))
        await some_looks()
        assert not sent, "nobody knows whose it is"
        if is_lost:
            worker.held.fated(Fate(fenced=frozenset({HOME})))
        await worker.beat()
        return await asyncio.wait_for(sending, 10)

    if is_lost:
        with pytest.raises(Withdrawn):
            asyncio.run(stalled())
    else:
        assert asyncio.run(stalled()).url == PAGE.url
    assert sent == ([] if is_lost else [PAGE.url])


@pytest.mark.parametrize("is_lost", [False, True], ids=["ours still", "lost"])
def test_what_stood_still_while_it_connected_writes_nothing_before_it_knows(
    worker: Worker, is_lost: bool
) -> None:
    request, pool, made = worker.request(), Pool(), connection()
    Connections(pool, worker.held.is_ours, worker.held.is_sure, deferred_from_coro)

    async def stalled() -> Response:
        sending = asyncio.ensure_future(remember(request, pool.send))
        await asyncio.sleep(0)
        worker.stand_still()
        pool.asked[0].callback(made)
        await some_turns(made.transport)
        await some_looks()
        assert not made.transport.sent, "nobody knows whose it is"
        if is_lost:
            worker.held.fated(Fate(fenced=frozenset({HOME})))
        await worker.beat()
        await some_looks()
        await some_turns(made.transport)
        if made.transport.sent:
            made.dataReceived(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return await asyncio.wait_for(sending, 10)

    if is_lost:
        with pytest.raises(Withdrawn):
            asyncio.run(stalled())
    else:
        assert asyncio.run(stalled()).url == PAGE.url
    assert bool(made.transport.sent) is not is_lost
    assert made.transport.is_aborted is is_lost


def test_whoever_lets_go_of_a_partition_tells_the_next_how_long_its_sites_are_left(
    worker: Worker, redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    worker.frontier.set_politeness(PAGE.site, Politeness(60.0))
    worker.request()

    async def given() -> None:
        await worker.held.release({HOME}, grace=0.0)

    asyncio.run(given())
    other = redis_store(redis_of_tests, f"{tmp_path}:", lease=LEASE)
    assert [*other.own()] == [HOME]
    loaded = asyncio.run(other.load({HOME}))
    assert 55.0 < loaded.pauses[PAGE.site] <= 60.0
    assert not loaded.unclean
    leave(other)
