"""What `scrapy topic workers` shows of those who work on a crawl."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from focuscrawl.stores.redis.server import Server
from focuscrawl.stores.redis.workers import WorkerSeen, crawl_seen
from focuscrawl.stores.state.protocol import PARTITIONS, WorkerState
from tests.stores.opened_stores import handed_over, leave, redis_store

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.stores.redis.store import RedisStore
    from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.program  # leases end


def seen(server: RedisServer, prefix: str) -> list[WorkerSeen]:
    pool = server.client().connection_pool
    return crawl_seen(Server(pool, prefix), PARTITIONS).workers


def moments(server: RedisServer, prefix: str) -> list[int]:
    """Return what there is of the only worker's beats."""
    (said,) = server.client().hvals(f"{prefix}beats")
    return [int(word) for word in said.split()]


def fetched(store: RedisStore, pages: int) -> None:
    """Say with a beat how many pages a worker has fetched in all."""
    store.tell(WorkerState(counted={"pages": pages}))
    asyncio.run(handed_over(store, {}))


def test_the_last_beat_is_when_a_worker_was_heard_of(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    store = redis_store(redis_of_tests, f"{tmp_path}:")
    store.own()
    time.sleep(0.6)
    (one,) = seen(redis_of_tests, f"{tmp_path}:")
    assert 0.5 < one.beat < 5
    fetched(store, 1)
    (one,) = seen(redis_of_tests, f"{tmp_path}:")
    assert one.beat < 0.5
    leave(store)
    assert not redis_of_tests.client().hlen(f"{tmp_path}:beats")


def test_the_rate_is_that_of_late_not_the_mean_since_a_worker_joined(
    redis_of_tests: RedisServer, tmp_path: Path
) -> None:
    client, prefix = redis_of_tests.client(), f"{tmp_path}:"
    store = redis_store(redis_of_tests, prefix)
    store.own()
    fetched(store, 600)
    (name,) = client.hkeys(f"{prefix}beats")
    beat, _, had, _, then_had = moments(redis_of_tests, prefix)
    assert (had, then_had) == (0, 0)
    hour, minute, half = 3_600_000, 60_000, 31_000
    client.hset(f"{prefix}since", name, beat - hour)
    # As it stands after an hour without a page, with two moments of late.
    client.hset(f"{prefix}beats", name, f"{beat - 500} {beat - minute} 570 {beat - half} 580")
    fetched(store, 600)
    (one,) = seen(redis_of_tests, prefix)
    assert one.pages == 600
    assert 3_590 < one.seconds < 3_700
    assert 35 <= one.rate <= 40, "20 pages since the later moment, which was 31 s ago"
    later = moments(redis_of_tests, prefix)
    assert later[1:3] == [beat - half, 580], "the earlier moment is the later one of before"
    leave(store)
