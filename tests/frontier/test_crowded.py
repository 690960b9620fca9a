"""Of one site no more URLs wait than memory and disk are for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import WAITING_BYTES, Politeness
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Waiting
from tests.opened import closed_at_end

if TYPE_CHECKING:
    from pathlib import Path

MOST = 100


def frontier_of(folder: Path, most: float = MOST) -> tuple[Frontier, SQLiteStore]:
    store = closed_at_end(SQLiteStore(folder / "x.crawl.db"))
    store.own()
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda site: Politeness(),
        partition_of=partition_of,
        stored=store.read,
        random=lambda: 0.0,
        most_waiting=most,
    )
    frontier.load(asyncio.run(store.load(range(64))), 0.0)
    return frontier, store


def add(frontier: Frontier, first: int, count: int, length: int = 0, site: str = "a.cn") -> None:
    for number in range(first, first + count):
        url = f"http://{site}/{number}{'x' * length}"
        waiting = Waiting(url, number.to_bytes(16, "big"), site, 3, 3)
        frontier.add(waiting, partition_of(site) << 58 | number)


def take(frontier: Frontier, count: int) -> None:
    for now in range(count):
        row = frontier.take(float(now), float(now))
        assert row is not None
        frontier.free(row.sequence, float(now), asked=False)
        frontier.acknowledge(row.sequence, float(now))


def test_a_site_with_as_many_urls_as_may_wait_is_crowded_until_some_were_taken(
    tmp_path: Path,
) -> None:
    frontier, _ = frontier_of(tmp_path)
    add(frontier, 1, MOST - 1)
    add(frontier, 5_000, 10, site="b.cn")
    assert frontier.crowded == set()
    add(frontier, MOST, 1)
    assert frontier.crowded == {"a.cn"}
    take(frontier, MOST // 10)
    assert frontier.crowded == {"a.cn"}
    take(frontier, 30)
    assert frontier.crowded == set()
    add(frontier, 1_000, MOST)
    assert frontier.crowded == {"a.cn"}


def test_long_addresses_crowd_a_site_sooner(tmp_path: Path) -> None:
    frontier, _ = frontier_of(tmp_path, 8_000.0)
    add(frontier, 1, 4_000, WAITING_BYTES // 5_000)
    assert frontier.crowded == set()
    add(frontier, 4_001, 1_001, WAITING_BYTES // 5_000)
    assert frontier.crowded == {"a.cn"}


def test_a_crowded_site_is_so_after_a_restart(tmp_path: Path) -> None:
    frontier, store = frontier_of(tmp_path)
    add(frontier, 1, MOST)
    store.commit(frontier.drain())
    store.release()
    again, _ = frontier_of(tmp_path)
    assert again.crowded == {"a.cn"}


@pytest.mark.parametrize("most", [float("inf")])
def test_without_a_bound_no_site_is_crowded(tmp_path: Path, most: float) -> None:
    frontier, _ = frontier_of(tmp_path, most)
    add(frontier, 1, 500)
    assert frontier.crowded == set()
