"""Partitions that are taken while others go on sending links into them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, Mock

import pytest

from focuscrawl.kernel.shared.partitions import HeldPartitions
from focuscrawl.readers.links.admission import admit
from focuscrawl.stores.state.protocol import (
    Fate,
    InboxBatch,
    Loaded,
    SentLink,
    StartUrl,
    order_about,
)
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import ALL_PARTITIONS, Partitions, partition_of
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting
from tests.clock import StandingClock
from tests.kernel.kernels import kernel_over
from tests.kernel.test_template_changes import template
from tests.opened import closed_at_end
from tests.turns import turns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Sequence
    from pathlib import Path

pytestmark = pytest.mark.B1

SITE = "b.example"
THERE = partition_of(SITE)
LINK = Waiting(f"http://{SITE}/1", bytes(16), SITE, 3, 3)


class RunOverKernel:
    """A kernel with what a run has besides."""

    def __init__(self, kernel: Any, **others: Any) -> None:
        self._kernel = kernel
        self.__dict__.update(others)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def run_over(
    store: SQLiteStore,
    beside: Callable[[Callable[[], Coroutine[Any, Any, None]]], bool],
    *,
    is_open: bool,
) -> Any:
    """Return a run that hears of fates; ``beside`` is given the work that goes on beside."""
    return RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)),
        is_open=is_open,
        totals=Mock(**{"may_fetch.return_value": True}),
        items=Mock(beside=beside),
        slots=Mock(),
        opening=Mock(go_on=AsyncMock()),
    )


class SlowStore(SQLiteStore):
    """Takes its time to load, as one does that asks a server."""

    async def load(self, partitions: Collection[int]) -> Loaded:
        await turns(20)
        return await super().load(partitions)


def test_what_is_sent_into_a_partition_while_it_is_loaded_is_taken_in_then(tmp_path: Path) -> None:
    store = closed_at_end(SlowStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = kernel_over(store, template(), StandingClock(0.0))
    kernel.frontier.release(Partitions({THERE}))
    held = HeldPartitions(kernel)
    batch = InboxBatch(5, [SentLink(LINK, key_number(LINK.key, THERE))])

    async def taken() -> None:
        taking = asyncio.ensure_future(held.take({THERE}, anew=False))
        await asyncio.sleep(0)
        held.arrived({THERE: [batch]})
        assert not kernel.frontier.drain()
        await taking

    asyncio.run(taken())
    changes = kernel.frontier.drain()[THERE]
    assert [row.waiting for row in changes.added] == [LINK]
    assert changes.taken_in == batch.position
    assert THERE in held.held


def test_a_partition_that_is_lost_while_it_is_loaded_is_not_worked_on(tmp_path: Path) -> None:
    store = closed_at_end(SlowStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = kernel_over(store, template(), StandingClock(0.0))
    other = (THERE + 1) % len(ALL_PARTITIONS)
    kernel.frontier.release(Partitions({THERE, other}))
    held = HeldPartitions(kernel)

    async def taken() -> None:
        taking = asyncio.ensure_future(held.take({THERE, other}, anew=False))
        await asyncio.sleep(0)
        held.lose({THERE})
        await taking

    asyncio.run(taken())
    assert set(held.held) == {other}
    assert not kernel.frontier.holds(SITE)


def test_of_a_partition_whose_worker_died_results_may_have_more_than_was_acknowledged(
    tmp_path: Path,
) -> None:
    class Unclean(SQLiteStore):
        async def load(self, partitions: Collection[int]) -> Loaded:
            loaded = await super().load(partitions)
            loaded.unclean = dict.fromkeys(partitions, 9.0)
            return loaded

    store = closed_at_end(Unclean(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)), stored=Mock(in_step=True)
    )
    kernel.frontier.release(Partitions({THERE}))
    asyncio.run(HeldPartitions(kernel).take({THERE}, anew=False))
    assert not kernel.stored.in_step


def test_an_order_about_a_site_is_followed_by_who_holds_it(tmp_path: Path) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel = run_over(store, lambda _: True, is_open=True)
    orders: list[tuple[str, str]] = []
    kernel.hooks.take_order = (lambda order, site: orders.append((order, site)),)
    held = HeldPartitions(kernel)
    held.held = ALL_PARTITIONS
    sent = [order_about(SITE, "ban"), SentLink(LINK, key_number(LINK.key, THERE))]
    held.fated(Fate(inbox={THERE: [InboxBatch(5, sent)]}))
    assert orders == [("ban", SITE)]
    assert [row.waiting for row in kernel.frontier.drain()[THERE].added] == [LINK]


def test_after_a_window_that_was_rolled_back_nothing_is_held(tmp_path: Path) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel = run_over(store, lambda _: True, is_open=True)
    held = HeldPartitions(kernel)
    held.held = ALL_PARTITIONS
    held.fated(Fate(rolled_back=True))
    assert not held.held
    assert not kernel.frontier.holds(SITE)


def test_once_a_day_links_are_sent_again_to_who_may_know_that_their_pages_went(
    tmp_path: Path,
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel = run_over(store, lambda _: True, is_open=True)
    held = HeldPartitions(kernel)
    kernel.frontier.release(Partitions({THERE}))
    number = key_number(LINK.key, THERE)

    def is_sent(after: float) -> bool:
        kernel.clock.now += after
        held.fated(Fate())
        return bool(kernel.frontier.add(LINK, number))

    assert [is_sent(after) for after in (0.0, 86_399.0, 1.0, 1.0)] == [True, False, True, False]


def test_what_is_sent_into_a_partition_that_was_taken_while_the_run_opens_is_taken_in_then(
    tmp_path: Path,
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    beside: list[Callable[[], Coroutine[Any, Any, None]]] = []

    def done_beside(work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        beside.append(work)
        return True

    kernel = run_over(store, done_beside, is_open=False)
    kernel.frontier.release(Partitions({THERE}))
    held = HeldPartitions(kernel)
    batch = InboxBatch(5, [SentLink(LINK, key_number(LINK.key, THERE))])
    held.fated(Fate(taken=frozenset({THERE})))
    assert not beside, "it is not open yet"
    held.fated(Fate(inbox={THERE: [batch]}))
    kernel.is_open = True
    held.fated(Fate())
    held.fated(Fate())  # the next one may come before anything else is done

    async def go_on() -> None:
        for work in beside:
            await work()

    asyncio.run(go_on())
    changes = kernel.frontier.drain()[THERE]
    assert [row.waiting for row in changes.added] == [LINK]
    assert changes.taken_in == batch.position
    assert THERE in held.held


def test_what_is_sent_into_a_partition_while_what_the_dead_have_stored_is_counted_is_taken_in_then(
    tmp_path: Path,
) -> None:
    store = closed_at_end(SlowStore(tmp_path / "x.crawl.db"))
    store.own()
    beside: list[asyncio.Task[None]] = []

    def done_beside(work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        beside.append(asyncio.ensure_future(work()))
        return True

    kernel = run_over(store, done_beside, is_open=True)
    gone: list[str] = []

    async def worker_gone(worker: str) -> None:
        gone.append(worker)
        await turns(20)

    kernel.hooks.worker_gone = (worker_gone,)
    kernel.frontier.release(Partitions({THERE}))
    held = HeldPartitions(kernel)
    batch = InboxBatch(5, [SentLink(LINK, key_number(LINK.key, THERE))])

    async def taken() -> None:
        held.fated(Fate(taken=frozenset({THERE}), gone={"host:1": 1}))
        await turns(10)
        held.fated(Fate(inbox={THERE: [batch]}))  # a beat that comes meanwhile
        while beside:
            await beside.pop(0)

    asyncio.run(taken())
    changes = kernel.frontier.drain()[THERE]
    assert gone == ["host:1"]
    assert [row.waiting for row in changes.added] == [LINK]
    assert changes.taken_in == batch.position
    assert THERE in held.held


def test_who_loads_or_has_something_in_flight_is_not_idle(tmp_path: Path) -> None:
    store = closed_at_end(SlowStore(tmp_path / "x.crawl.db"))
    store.own()
    told: list[bool] = []

    def state(*, idle: bool, started: Sequence[StartUrl]) -> None:
        told.append(idle)

    kernel: Any = RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)),
        is_open=True,
        totals=Mock(state=state),
        store=Mock(wraps=store),
    )
    kernel.frontier.release(Partitions({THERE}))
    held = HeldPartitions(kernel)
    held.idle = True

    async def take() -> None:
        held.tell()
        taking = asyncio.ensure_future(held.take({THERE}, anew=False))
        await asyncio.sleep(0)
        held.tell()
        await taking

    asyncio.run(take())
    held.idle = True
    kernel.flights["request"] = "flight"
    held.tell()
    kernel.flights.clear()
    held.tell()
    kernel.commits.closing = True
    held.idle = False
    held.tell()
    assert told == [True, False, False, True, True]


def test_what_is_no_request_is_refused_and_what_stands_beside_it_is_asked_for(
    tmp_path: Path,
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    asked: list[str] = []
    told: list[StartUrl] = []

    def crawl(url: str, *request: object) -> None:
        if "bad" in url:
            raise ValueError("it is no request")
        asked.append(url)

    def state(*, idle: bool, started: Sequence[StartUrl]) -> None:
        told.extend(started)

    kernel: Any = RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)),
        is_open=True,
        totals=Mock(state=state, **{"may_fetch.return_value": True}),
        store=Mock(wraps=store),
        slots=Mock(crawl=crawl, is_closing=False),
    )
    held = HeldPartitions(kernel)
    handed_in = [StartUrl(url.encode(), url) for url in ("http://bad/", "http://a.cn/")]
    held.fated(Fate(starts=handed_in))
    held.start()
    held.tell()
    assert asked == ["http://a.cn/"]
    assert [(one.url, one.refused) for one in told] == [
        ("http://bad/", "it is no request"),
        ("http://a.cn/", ""),
    ]


def test_a_link_into_a_partition_that_was_lost_is_sent_though_it_was_known(tmp_path: Path) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = kernel_over(store, template(f'follow.sites = ["{SITE}"]'), StandingClock(0.0))
    held = HeldPartitions(kernel)
    held.held = ALL_PARTITIONS
    parent = Waiting("http://a.cn/", bytes(16), "a.cn", 3, 3)
    batch = LinkBatch(PageClass.BOARD, (Link(LINK.url, "anchor", None, None),))

    def find() -> None:
        frontier = kernel.frontier
        admit(batch, parent, kernel.rules, frontier.add, frontier.add_again)

    find()
    assert [row.waiting.url for row in kernel.frontier.drain()[THERE].added] == [LINK.url]
    held.lose({THERE})
    find()
    assert [one.waiting.url for one in kernel.frontier.drain()[THERE].sent] == [LINK.url]


def test_a_partition_is_let_go_of_while_urls_of_others_are_in_flight(tmp_path: Path) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = kernel_over(store, template(), StandingClock(0.0))
    held = HeldPartitions(kernel)
    held.held = ALL_PARTITIONS
    here = Waiting("http://a.example/", bytes(16), "a.example", 3, 3)
    kernel.frontier.add(here, key_number(here.key, partition_of(here.site)))
    assert kernel.frontier.take(1.0, 1.0) is not None
    asyncio.run(asyncio.wait_for(held.release({THERE}, grace=60.0), 1.0))
    assert THERE not in held.held
    assert partition_of(here.site) in held.held


@pytest.mark.parametrize(
    ("sites", "wanted", "given"), [(6, 32, 3), (1, 32, 0), (5, 21, 2), (0, 32, 0)]
)
def test_of_partitions_with_urls_others_have_as_large_a_part_as_of_all(
    tmp_path: Path, sites: int, wanted: int, given: int
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)),
        is_open=True,
        totals=Mock(**{"may_fetch.return_value": True}),
        config=Mock(grace=0.0),
        items=Mock(beside=lambda work: asyncio.run(work()) is None),
        slots=Mock(),
    )
    held = HeldPartitions(kernel)
    held.held = ALL_PARTITIONS
    names = {partition_of(name): name for name in (f"{one}.example" for one in range(200))}
    chosen = [name for partition, name in sorted(names.items()) if partition][:sites]
    for name in chosen:  # all of them in flight
        waiting = Waiting(f"http://{name}/", name.encode().ljust(16), name, 3, 3)
        kernel.frontier.add(waiting, key_number(waiting.key, partition_of(name)))
        assert kernel.frontier.take(1.0, 1.0) is not None
    held.fated(Fate(wanted=wanted))
    assert len(held.held) == 64 - wanted
    assert len({partition_of(name) for name in chosen} - held.held) == given
    assert 0 in held.held, "what leads goes last"


def test_links_that_come_with_the_last_window_stay_where_they_are(tmp_path: Path) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    kernel: Any = RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)),
        is_open=False,
        totals=Mock(**{"may_fetch.return_value": True}),
    )
    held = HeldPartitions(kernel)
    held.held = ALL_PARTITIONS
    sent = Fate(inbox={THERE: [InboxBatch(5, [SentLink(LINK, key_number(LINK.key, THERE))])]})
    kernel.commits.closing = True
    held.fated(sent)
    assert not kernel.frontier.drain()
    kernel.commits.closing = False
    held.fated(sent)
    assert kernel.frontier.drain()[THERE].taken_in == 5


@pytest.mark.parametrize("is_closing", [True, False])
def test_what_a_worker_said_that_left_after_the_end_holds_until_the_run_has_ended(
    tmp_path: Path, is_closing: bool
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    totals = Mock(**{"may_fetch.return_value": True})
    kernel: Any = RunOverKernel(
        kernel_over(store, template(), StandingClock(0.0)),
        is_open=True,
        totals=totals,
        slots=Mock(is_closing=is_closing),
        items=Mock(**{"beside.return_value": True}),
    )
    held = HeldPartitions(kernel)
    kernel.is_at_end = True
    held.fated(Fate())
    assert totals.heard.call_args.kwargs == {"of_all": not is_closing}


def test_a_worker_that_has_lost_all_its_partitions_has_none_for_another_that_wants_some(
    tmp_path: Path,
) -> None:
    store = closed_at_end(SQLiteStore(tmp_path / "x.crawl.db"))
    store.own()
    beside = Mock(return_value=True)
    kernel = run_over(store, beside, is_open=True)
    held = HeldPartitions(kernel)
    held.lose(Partitions(ALL_PARTITIONS))
    held.fated(Fate(wanted=3))
    assert not held.held
    assert not beside.called
