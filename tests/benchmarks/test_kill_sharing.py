"""What the benchmark of killed workers takes for allowed."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

from benchmarks.parts.kill_sharing import Chaos


class SlowServer:
    """A Redis that is back later than planned, as on a busy machine."""

    def __init__(self) -> None:
        self.back = 0.0

    def stop(self, *, kill: bool) -> None:
        assert kill

    def written(self) -> int:
        return 0

    def cut(self, length: int) -> None:
        assert length == 0

    def start(self) -> None:
        self.back = time.monotonic()


def test_redis_is_away_until_it_answers_and_not_as_long_as_planned() -> None:
    server = SlowServer()
    crawl: Any = SimpleNamespace(server=server, live=tuple)
    chaos = Chaos(crawl, pages=10, lease=1.0, seed=1)
    began = time.monotonic() - 9.0
    chaos._look(began)
    assert chaos._redis(began)
    assert chaos.events[0].over < began + 2
    chaos._look(began + 9.0)
    assert chaos.events[0].over >= server.back > began + 8
