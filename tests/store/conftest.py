"""Redis servers with options of a test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.parts.redis_server import RedisServer

Started = Callable[..., RedisServer]


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
