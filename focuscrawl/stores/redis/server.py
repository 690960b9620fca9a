"""One connection to a Redis, used by one thread: what is sent goes out at once, and nothing is repeated
behind our back.

A Redis that is another process than before (it was started again, or its replica took over) may have lost
the last second: the caller gets ``ServerChanged`` before anything else is sent to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from redis import exceptions
from redis.sentinel import SentinelConnectionPool

from focuscrawl.locale.messages import N_, _
from focuscrawl.stores.redis.connection import SETTINGS
from focuscrawl.stores.redis.scripts import ALL, Script
from focuscrawl.stores.state.protocol import StoreError

if TYPE_CHECKING:
    from redis import ConnectionPool

AWAY = (
    "LOADING",
    "MASTERDOWN",
    "READONLY",
    "MISCONF",
    "TRYAGAIN",
    "CLUSTERDOWN",
    "BUSY",
    "NOREPLICAS",
)
"""How the answers begin of a server that will take what it refuses now, or another in its place."""

AWAY_BY_KIND = (
    exceptions.BusyLoadingError,
    exceptions.ReadOnlyError,
    exceptions.ClusterDownError,  # and MASTERDOWN
    exceptions.TryAgainError,
    exceptions.NoScriptError,  # SCRIPT FLUSH: they are sent again with the next connection
)
"""The same where redis-py takes the first word off the answer."""

NO_ENTRY = (exceptions.AuthenticationError, exceptions.AuthorizationError)

READ_AT_ONCE = 2_000
"""Fields of a hash that are read at once: HGETALL of 500,000 rows held up all others for 138 ms, HSCAN by
2,000 for 5 (Redis 6.2)."""

VALUES_AT_ONCE = 1_000
"""Values of a list that are read at once; of what is known each has those of a window, 8 bytes a URL."""


class ServerAway(Exception):
    """The server does not answer, or refuses for now; the message says how."""

    what = N_("does not answer")
    advice = N_("start it, or look at REDIS_URL, or REDIS_HOST and REDIS_PORT, and REDIS_PARAMS")


class ServerFull(ServerAway):
    """The server answers, and takes nothing more: its memory is full."""

    what = N_("is full")
    advice = N_("raise its maxmemory (CONFIG SET maxmemory), or delete what else it holds")


class ServerChanged(Exception):
    """The server is another process than before, and may have lost what was written last."""


def in_words(error: ServerAway | ServerChanged) -> str:
    """Return what is the matter with a server, and what to do."""
    if isinstance(error, ServerChanged):
        return _("was started anew meanwhile: run the same command again")
    return _("{what} ({error}): {advice}").format(
        what=_(error.what), error=error, advice=_(error.advice)
    )


ANSWERED_WITHIN, GIVEN_UP_WITHIN = 30.0, 5.0
"""Seconds that an exchange may take where the settings name no ``socket_timeout``, as scrapy-redis has it by itself; and
at most, when the process is to end."""

SLOWEST = 8_000
"""Bytes a second that a line moves at least: for these an exchange has more time, so a window of megabytes passes."""

LOOKS_EVERY = 0.5
"""Seconds between two looks at whether an exchange is to be given up."""


class ServerExchange:
    """Commands to a server together with its answers, which may take ``most`` seconds in all: each byte of an answer
    that drips comes soon enough, and the last one never."""

    def __init__(self, most: float, clock: Callable[[], float]) -> None:
        self.most = most
        self._clock = clock
        self._began = clock()
        self._bytes = 0

    def begin(self) -> None:
        """Begin another one."""
        self._began, self._bytes = self._clock(), 0

    def left(self) -> float:
        """Return how many seconds it may still take. Raises TimeoutError when none are left."""
        left = self._began + self.most + self._bytes / SLOWEST - self._clock()
        if left <= 0:
            raise TimeoutError
        return left

    def limit(self, connection: Any) -> None:
        """Let a connection keep to it, whenever it connects; others of its pool do not."""
        usual = connection._connect
        connection._connect = lambda: LimitedSocket(usual(), self)

    def limit_sentinels(self, pool: SentinelConnectionPool) -> None:
        """Let the connections to the Sentinels that a pool asks keep to it: these are the pool's alone."""
        for sentinel in pool.sentinel_manager.sentinels:
            usual: Any = sentinel.connection_pool.connection_class

            def connected(connection: Any, usual: Any = usual) -> LimitedSocket:
                return LimitedSocket(usual._connect(connection), self)

            limited = type(usual.__name__, (usual,), {"_connect": connected})
            sentinel.connection_pool.connection_class = limited

    def moved(self, size: int) -> None:
        """Count bytes that were sent or have come."""
        self._bytes += size


class LimitedSocket:
    """A socket whose calls take no longer than what is left of an exchange."""

    def __init__(self, opened: Any, exchange: ServerExchange) -> None:
        self._socket = opened
        self._exchange = exchange

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    def recv(self, most: int) -> bytes:
        """Return what comes first. Raises TimeoutError."""
        while True:
            self._socket.settimeout(min(self._exchange.left(), LOOKS_EVERY))
            try:
                found: bytes = self._socket.recv(most)
            except TimeoutError:
                continue  # unless nothing is left
            self._exchange.moved(len(found))
            return found

    def sendall(self, content: bytes) -> None:
        """Send all. Raises TimeoutError."""
        self._exchange.moved(len(content))
        self._socket.settimeout(self._exchange.left())
        self._socket.sendall(content)


class ScriptCall(NamedTuple):
    """A script with its arguments."""

    script: Script
    words: Sequence[Any]


class Server:
    """A Redis, by the pool that knows how to reach it; ``prefix`` is what our keys begin with, ``address`` is
    for people.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        prefix: str,
        address: str = "Redis",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.prefix = prefix
        self.address = address
        self._pool = pool
        most = pool.connection_kwargs.get("socket_timeout") or ANSWERED_WITHIN
        self._exchange = ServerExchange(most, clock)
        if isinstance(pool, SentinelConnectionPool):
            self._exchange.limit_sentinels(pool)
        self._connection: Any = None
        # Made once: the pool counts all it makes, and makes a hundred. After as many tries to reach a Redis that
        # was away a worker beat no more, and could not be stopped.
        self._made: Any = None
        self.process = ""

    def key(self, name: str, partition: int | str = "") -> str:
        """Return the name of a key."""
        return f"{self.prefix}{name}:{partition}" if partition != "" else f"{self.prefix}{name}"

    def hurry(self) -> None:
        """Wait only seconds for an answer from now on, also for the one that is under way."""
        self._exchange.most = min(self._exchange.most, GIVEN_UP_WITHIN)

    def close(self) -> None:
        """Hang up."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.disconnect()

    def call(self, calls: Sequence[ScriptCall]) -> list[Any]:
        """Run scripts one after the other, sent together; returns their answers.

        Raises ServerAway, ServerChanged, StoreError.
        """
        words = [
            ("EVALSHA", script.name, 1, self.prefix, *arguments) for script, arguments in calls
        ]
        return self.send(words)

    def send(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        """Run commands, sent together; returns their answers. Raises as ``call`` does."""
        self._exchange.begin()
        connection = self._connected()
        try:
            return _ask(connection, commands)
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
            self.close()
            raise ServerAway(str(error)) from error
        except exceptions.RedisError as error:
            self.close()  # answers that were not read yet belong to no later command
            raise self._explained(error) from error

    def hash(self, name: str, partition: int) -> Iterator[tuple[bytes, bytes]]:
        """Go through a hash, without holding up others; of a field that changes meanwhile any value."""
        cursor = 0
        while True:
            (answer,) = self.send(
                [("HSCAN", self.key(name, partition), cursor, "COUNT", READ_AT_ONCE)]
            )
            cursor, flat = int(answer[0]), answer[1]
            yield from zip(flat[::2], flat[1::2], strict=True)
            if not cursor:
                return

    def values(self, name: str, partition: int) -> Iterator[bytes]:
        """Go through a list that is only added to."""
        at = 0
        while True:
            (values,) = self.send(
                [("LRANGE", self.key(name, partition), at, at + VALUES_AT_ONCE - 1)]
            )
            yield from values
            if len(values) < VALUES_AT_ONCE:
                return
            at += VALUES_AT_ONCE

    def _connected(self) -> Any:
        """Return the connection, made and looked at when there is none."""
        if self._connection is not None:
            return self._connection
        if self._made is None:
            self._made = self._pool.make_connection()
            self._exchange.limit(self._made)
        connection = self._made
        try:
            connection.connect()
            (info,) = _ask(connection, [("INFO", "server")])
            _ask(connection, [("SCRIPT", "LOAD", script.text) for script in ALL])
        except NO_ENTRY as error:
            connection.disconnect()
            raise StoreError(
                _(
                    "{address} refuses the user or the password ({error}): look at REDIS_URL and"
                    " REDIS_PARAMS"
                ).format(address=self.address, error=error)
            ) from error
        except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
            connection.disconnect()
            if "Protocol Error" in str(error):
                raise self._no_redis(error) from error
            raise ServerAway(str(error)) from error
        except exceptions.RedisError as error:
            connection.disconnect()
            raise self._explained(error) from error
        self._connection = connection
        before, self.process = self.process, process_of(info)
        if before and before != self.process:
            raise ServerChanged
        return connection

    def _explained(self, error: exceptions.RedisError) -> Exception:
        """Return what a refusal means: wait, or give up."""
        said = str(error)
        if isinstance(error, exceptions.OutOfMemoryError) or "OOM " in said:
            return ServerFull(said)
        if (
            said.startswith(AWAY)
            or any(f"-{word} " in said for word in AWAY)  # the answer to a script's command
            or isinstance(error, AWAY_BY_KIND)
        ):
            return ServerAway(said)
        if isinstance(error, exceptions.InvalidResponse):
            return self._no_redis(error)
        return StoreError(
            _("{address} refuses what is written: {said}").format(address=self.address, said=said)
        )

    def _no_redis(self, error: Exception) -> StoreError:
        return StoreError(
            _("{address}: what answers there is no Redis ({error}): look at {settings}").format(
                address=self.address, error=error, settings=SETTINGS
            )
        )


def _ask(connection: Any, commands: Sequence[Sequence[Any]]) -> list[Any]:
    """Send commands and read all answers. Raises the first error among these."""
    connection.send_packed_command(connection.pack_commands(commands))
    answers = []
    wrong: exceptions.RedisError | None = None
    for _command in commands:
        try:
            answers.append(connection.read_response(disconnect_on_error=False))
        except exceptions.ResponseError as error:
            wrong = wrong or error
    if wrong:
        raise wrong
    return answers


def process_of(info: bytes | str) -> str:
    """Return which process a server is, from its INFO."""
    text = info.decode() if isinstance(info, bytes) else info
    lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    return lines.get("run_id", "")
