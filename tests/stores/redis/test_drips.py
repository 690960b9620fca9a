"""A Redis whose answers come bit by bit: each bit in time, and the whole too late."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from redis.connection import UnixDomainSocketConnection

from focuscrawl.stores.redis.server import Server, ServerAway
from focuscrawl.stores.state.protocol import Changes
from tests.stores.opened_stores import handed_over, leave, redis_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.B1

LATE = 30.0


class Line:
    """Sockets over which answers come by ``most`` bytes at once, each after some seconds of ``now``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.seconds, self.most = 0.0, 0.0, 1 << 16
        usual: Any = UnixDomainSocketConnection._connect
        line = self

        class Slow:
            def __init__(self, opened: Any) -> None:
                self._opened = opened

            def __getattr__(self, name: str) -> Any:
                return getattr(self._opened, name)

            def recv(self, most: int) -> bytes:
                line.now += line.seconds
                return bytes(self._opened.recv(min(most, line.most)))

        def connected(connection: UnixDomainSocketConnection) -> Slow:
            return Slow(usual(connection))

        monkeypatch.setattr(UnixDomainSocketConnection, "_connect", connected)

    def drip(self, *, on: bool) -> None:
        """Let a byte come every three seconds, or all at once."""
        self.seconds, self.most = (3.0, 1) if on else (0.0, 1 << 16)

    def clock(self) -> float:
        return self.now


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(monkeypatch)


def test_a_redis_that_drips_is_away_when_its_time_is_over(
    redis_of_tests: RedisServer, line: Line
) -> None:
    server = Server(redis_of_tests.client().connection_pool, "drips:", clock=line.clock)
    assert server.send([("PING",)]) == [b"PONG"]
    for is_new in (False, True):
        line.drip(on=True)
        before = line.now
        with pytest.raises(ServerAway):
            server.send([("INFO",)])
        assert LATE <= line.now - before <= LATE + 3.0, is_new
    line.drip(on=False)
    assert server.send([("PING",)]) == [b"PONG"]
    server.close()


def test_the_time_of_the_settings_is_that_of_the_whole_exchange(
    redis_of_tests: RedisServer, line: Line
) -> None:
    pool = redis_of_tests.client(socket_timeout=7.0).connection_pool
    server = Server(pool, "drips:", clock=line.clock)
    line.drip(on=True)
    with pytest.raises(ServerAway):
        server.send([("INFO",)])
    assert line.now == 9.0
    server.close()


def test_a_slow_line_that_moves_a_long_answer_is_waited_for(
    redis_of_tests: RedisServer, line: Line
) -> None:
    server = Server(redis_of_tests.client().connection_pool, "drips:", clock=line.clock)
    server.send([("PING",)])
    line.seconds, line.most = 1.0, 10_000
    (answer,) = server.send([("EVAL", "return string.rep('a', 600000)", 0)])
    assert len(answer) == 600_000
    assert line.now > LATE
    server.close()


@pytest.mark.program
def test_a_worker_waits_for_a_redis_that_drips_and_goes_on(
    redis_of_tests: RedisServer, tmp_path: Path, line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    store = redis_store(redis_of_tests, f"{tmp_path}:", answers_by=line.clock)
    store.own()

    async def written() -> None:
        line.drip(on=True)
        window = asyncio.ensure_future(handed_over(store, {0: Changes(facts={("kind", "key"): 1})}))
        while "Redis does not answer" not in caplog.text:
            await asyncio.sleep(0.01)
        assert not window.done()
        line.drip(on=False)
        assert not (await window).rolled_back

    asyncio.run(written())
    assert redis_of_tests.client().hlen(f"{tmp_path}:facts:0") == 1
    assert "Redis answers again" in caplog.text
    leave(store)


@pytest.mark.program
def test_a_worker_that_is_to_end_waits_only_seconds_for_a_redis_that_drips(
    redis_of_tests: RedisServer, tmp_path: Path, line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    store = redis_store(redis_of_tests, f"{tmp_path}:", answers_by=line.clock)
    store.own()
    line.drip(on=True)

    async def stopped() -> float:
        store.commit({0: Changes(facts={("kind", "key"): 1})})
        while "Redis does not answer" not in caplog.text:
            await asyncio.sleep(0.01)
        before = line.now
        store.release()
        return line.now - before

    assert asyncio.run(stopped()) <= 2 * (5.0 + 3.0)
