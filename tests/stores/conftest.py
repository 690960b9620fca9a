"""Redis servers with options of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from focuscrawl.stores.state.protocol import Store
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.servers.redis_server import RedisServer
from tests.stores.opened_stores import redis_store

Started = Callable[..., RedisServer]
MakeStore = Callable[[], Store]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Start servers: a name for the folder, and options."""
    servers: list[RedisServer] = []

    def start(name: str = "redis", **options: str) -> RedisServer:
        servers.append(RedisServer(tmp_path / name, **options).start())
        return servers[-1]

    yield start
    for server in servers:
        server.stop(kill=True)


@pytest.fixture(params=["sqlite", "redis"])
def make_store(
    request: pytest.FixtureRequest, tmp_path: Path, redis_of_tests: RedisServer
) -> Iterator[MakeStore]:
    """Return a function that opens the same store anew; every call is one more process's view."""
    opened: list[Store] = []

    def make() -> Store:
        store: Store
        if request.param == "redis":
            store = redis_store(redis_of_tests, f"{tmp_path}:")
        else:
            store = SQLiteStore(tmp_path / "topic.crawl.db")
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.release()
