"""What the Redis store keeps of a URL, and how long it holds up others, measured on the store alone."""

from __future__ import annotations

import asyncio
import select
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from redis import Redis

from focuscrawl.stores.redis.lease import Lease
from focuscrawl.stores.redis.rows import row_to_bytes
from focuscrawl.stores.redis.server import Server
from focuscrawl.stores.redis.store import RedisStore
from focuscrawl.stores.state.protocol import PARTITIONS, Changes, Fate, Row
from focuscrawl.values import Waiting
from tests.servers.redis_server import RedisServer

AT_ONCE = 2_000
KNOWN_AT_ONCE = 8
"""New links of a window in one partition: 100 pages a second with 10 of them each."""
"""Rows of a window."""

LONG_LEASE = 600.0


def worker(server: RedisServer, name: str, lease: float = LONG_LEASE) -> RedisStore:
    """Return one more worker on a crawl that nobody works on but those of this benchmark."""
    pool = server.client().connection_pool
    return RedisStore(lambda: Server(pool, "measured:"), name, lease=Lease(lease), common={})


async def written(store: RedisStore, changes: dict[int, Changes]) -> Fate:
    """Return what became of a window."""
    fate: asyncio.Future[Fate] = asyncio.get_running_loop().create_future()
    store.commit(changes, fate.set_result)
    return await fate


def row(number: int) -> Row:
    """Return a row that waits, with an address of usual length and the text of a link."""
    url = f"http://www.example.com/news/2026/11/{number:08d}.html"
    key = number.to_bytes(16, "big")
    return Row(number, Waiting(url, key, "example.com", 3, 3, anchor="关于食品安全抽检的通告"))


def used(server: RedisServer) -> int:
    """Return how much memory Redis uses."""
    found: Any = server.client().info("memory")
    return int(found["used_memory"])


def bytes_a_url(folder: Path, urls: int) -> tuple[float, float]:
    """Return what a waiting URL takes in Redis beyond its row, and what a known one takes."""
    server = RedisServer(folder / "bytes").start()
    store = worker(server, "alone")
    store.own()

    async def waiting() -> int:
        size = 0
        for first in range(1, urls + 1, AT_ONCE):
            changes: defaultdict[int, Changes] = defaultdict(Changes)
            for number in range(first, first + AT_ONCE):
                one = row(number)
                size += len(row_to_bytes(one))
                changes[number % PARTITIONS].added.append(one)
            await written(store, changes)
        return size

    async def seen() -> None:
        for first in range(1, urls + 1, AT_ONCE):
            by_partition: defaultdict[int, Changes] = defaultdict(Changes)
            for number in range(first, first + AT_ONCE):
                by_partition[number % PARTITIONS].seen.append(number)
            await written(store, by_partition)

    try:
        asyncio.run(written(store, {}))
        before = used(server)
        size = asyncio.run(waiting())
        between = used(server)
        asyncio.run(seen())
        after = used(server)
    finally:
        store.release()
        server.stop()
    return (between - before - size) / urls, (after - between) / urls


class Pings:
    """Another client, in a process of its own, that asks something short without end."""

    def __init__(self, server: RedisServer) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.parts.shared_store", server.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self._process.stdout is None or self._process.stdout.readline() != "begins\n":
            raise RuntimeError("the client that pings does not begin")

    def stop(self) -> float:
        """Return for how long it waited at most, in seconds."""
        said, _ = self._process.communicate()
        return float(said)


def ping(url: str) -> None:
    """Ask until the input ends, and print the longest wait."""
    client = Redis.from_url(url)
    client.ping()
    print("begins", flush=True)
    longest = 0.0
    while not select.select([sys.stdin], [], [], 0.001)[0]:
        before = time.perf_counter()
        client.ping()
        longest = max(longest, time.perf_counter() - before)
    print(longest)


def stall(folder: Path, rows: int) -> float:
    """Return for how many seconds another client waited at most while a partition of so many rows was loaded."""
    server = RedisServer(folder / "stall").start()
    values: Any = server.client()
    for first in range(1, rows + 1, AT_ONCE):
        found = {str(number): row_to_bytes(row(number)) for number in range(first, first + AT_ONCE)}
        values.hset("measured:rows:7", mapping=found)
    for first in range(0, rows, KNOWN_AT_ONCE):
        values.rpush("measured:seen:7", bytes(8 * min(KNOWN_AT_ONCE, rows - first)))
    store = worker(server, "takes")
    store.own()
    pings = Pings(server)
    try:
        asyncio.run(store.load(range(PARTITIONS)))
    finally:
        longest = pings.stop()
        store.release()
        server.stop(kill=True)
    return longest


if __name__ == "__main__":
    ping(sys.argv[1])
