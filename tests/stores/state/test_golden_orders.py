"""The published orders, out of every store: what was written comes back to be taken in the same order."""

from __future__ import annotations

import asyncio
from hashlib import md5
from typing import TYPE_CHECKING

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.stores.state.protocol import PARTITIONS, Changes
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, PageState, Waiting
from tests.frontier.test_levels import GOLDEN_LENGTHS, filled, strict_frontier
from tests.stores.opened_stores import leave, write

if TYPE_CHECKING:
    from focuscrawl.stores.state.protocol import Store
    from tests.stores.conftest import MakeStore

GOLDEN_PICKS = [4, 4, 4, 4, 5, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 5, 4, 3, 1, 1]


def strict_over(store: Store) -> Frontier:
    """Return an empty frontier in its published form over a store, whose sites are always ready."""
    return Frontier(
        LevelOrder(LevelRules(levels=5, strict=True), Factor(strict=True)),
        politeness=lambda site: Politeness(concurrency=100_000),
        partition_of=partition_of,
        stored=store.read,
        random=lambda: 0.0,
    )


def loaded(store: Store) -> Frontier:
    """Return a frontier over what a store holds."""
    store.own()
    frontier = strict_over(store)
    frontier.load(asyncio.run(store.load(range(PARTITIONS))), 0.0)
    return frontier


def taken(frontier: Frontier, count: int) -> list[Waiting]:
    """Take some URLs, none of which ends."""
    rows = [frontier.take(0.0, 0.0) for _ in range(count)]
    return [row.waiting for row in rows if row is not None]


@pytest.mark.A4
@pytest.mark.A7
def test_golden_picks_come_out_of_every_store(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    frontier = strict_over(store)
    urls = iter(taken(filled(strict_frontier(), GOLDEN_LENGTHS), sum(GOLDEN_LENGTHS)))
    for number, waiting in enumerate(urls, start=1):
        key = md5(waiting.url.encode(), usedforsecurity=False).digest()
        assert frontier.add(
            waiting._replace(key=key), key_number(key, partition_of(waiting.site))
        ), number
    write(store, frontier.drain())
    leave(store)
    assert [one.level for one in taken(loaded(make_store()), 20)] == GOLDEN_PICKS


@pytest.mark.A7
def test_the_order_in_which_urls_came_is_kept_by_every_store_in_each_level(
    make_store: MakeStore,
) -> None:
    store = make_store()
    store.own()
    frontier = strict_over(store)
    for number in range(200):
        site = f"site{number % 3}.example"
        key = number.to_bytes(16, "big")
        url = f"http://{site}/{number}"
        waiting = Waiting(url, key, site, number % 5 + 1, number % 5 + 1)
        assert frontier.add(waiting, key_number(key, partition_of(site)))
    write(store, frontier.drain())
    in_memory = taken(frontier, 200)
    leave(store)
    again = taken(loaded(make_store()), 200)
    assert [one.url for one in again] == [one.url for one in in_memory]


@pytest.mark.B4
def test_of_what_is_due_every_store_gives_the_first_by_their_dates(make_store: MakeStore) -> None:
    store = make_store()
    store.own()
    hours = [30, 2, 17, 2, 5, 400, 11, 23]
    by_partition: dict[int, Changes] = {}
    for number, hour in enumerate(hours):
        site = f"site{number}.example"
        state = PageState(
            key=number.to_bytes(16, "big"),
            url=f"http://{site}/",
            site=site,
            page_class=PageClass.ARTICLE,
            level=3,
            first_fetched=0.0,
            last_fetched=0.0,
            visits=1,
            next_visit=3_600.0 * hour,
        )
        by_partition.setdefault(partition_of(site), Changes()).pages.append(state)
    write(store, by_partition)
    leave(store)
    again = make_store()
    loaded(again)
    found = asyncio.run(again.due(24 * 3_600.0, 4))
    assert [(one.next_visit or 0.0) / 3_600 for one in found] == [2, 2, 5, 11]
    assert asyncio.run(again.due_count(24 * 3_600.0)) == 6
