"""The last look at a request of a shared crawl, when its bytes are about to go into the socket.

The guard asks whether a URL is still this process's before the downloader begins; looking up a name and
connecting take turns of the reactor then, and a process that stands still among them sent up to five requests
after it woke up, to sites that others asked by then (``kill9 --store redis``, two seeds of ten on a busy
machine). So the look is where Twisted writes: between it and the socket there is no turn any more.

To write at once instead, without waiting for Twisted's own turn, took 18 % more CPU a page: requests that
are otherwise sent and answered together came one by one (1.19 times the embedded crawl's against 1.04 in
pairs of ``shared``).
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.transport.guard import Withdrawn

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

    from scrapy import Request
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from focuscrawl.kernel.transport.aiohttp_handler import Connector
    from focuscrawl.kernel.transport.slots import Send

_sent: ContextVar[Request | None] = ContextVar("focuscrawl_sent", default=None)


class Connections:
    """Hands out the connections of a pool of Twisted's, for requests that are ours to send.

    ``is_ours(request)`` returns that at once, ``is_sure(request)`` waits as long as it is unknown, and
    ``later`` makes a Deferred of that.
    """

    def __init__(
        self,
        pool: Any,
        is_ours: Callable[[Request], bool],
        is_sure: Callable[[Request], Coroutine[Any, Any, bool]],
        later: Callable[[Coroutine[Any, Any, bool]], Deferred[bool]],
    ) -> None:
        self._get = pool.getConnection
        self.is_ours = is_ours
        self.is_sure = is_sure
        self.later = later
        pool.getConnection = self.get

    def get(self, key: Hashable, endpoint: Any) -> Deferred[Any]:
        """Return a connection; a request over it fails with Withdrawn where another process may ask by now."""
        request = _sent.get()
        found: Deferred[Any] = self._get(key, endpoint)
        if request:
            found.addCallback(Connection, request, self)
        return found


class Connection:
    """A connection of Twisted's over which nothing of a request is written that is not ours."""

    def __init__(self, connection: Any, request: Request, connections: Connections) -> None:
        self._connection = connection
        self._request = request
        self._connections = connections
        self._answer: Any = None
        self._is_asked = False
        self._is_withdrawn = False
        if connect := getattr(connection, "_newConnection", None):
            # A kept connection may turn out to be closed; then Twisted connects anew by itself.
            connection._newConnection = lambda: connect().addCallback(
                Connection, request, connections
            )

    def request(self, request: Any) -> Any:
        """Send a request of Twisted's."""
        transport = _protocol_of(self._connection).transport
        self._socket = getattr(transport, "transport", transport)  # below TLS
        self._write = self._socket.doWrite
        self._socket.doWrite = self._look_and_write
        self._answer = self._connection.request(request)
        return self._answer.addBoth(self._end)

    def _look_and_write(self) -> Any:
        if self._connections.is_ours(self._request):
            return self._write()
        self._socket.stopWriting()
        if not self._is_asked:
            self._is_asked = True
            sure = self._connections.later(self._connections.is_sure(self._request))
            sure.addCallbacks(self._decide, self._withdraw)
        return None

    def _decide(self, is_sure: bool) -> None:
        self._is_asked = False
        if is_sure:
            self._socket.startWriting()
        else:
            self._withdraw()

    def _withdraw(self, _failure: object = None) -> None:
        self._is_withdrawn = True
        self._answer.cancel()  # Twisted does not ask again what was cancelled

    def _end(self, answer: Any) -> Any:
        if vars(self._socket).get("doWrite") == self._look_and_write:  # it is not broken off
            del self._socket.doWrite
        if self._is_withdrawn:
            raise Withdrawn(f"{self._request.url} is another process's by now")
        return answer


def _protocol_of(connection: Any) -> Any:
    """Return what Twisted has wrapped where it would repeat a request by itself."""
    return getattr(connection, "_clientProtocol", connection)


def look_last(
    connector: Connector,
    is_ours: Callable[[Request], bool],
    is_sure: Callable[[Request], Coroutine[Any, Any, bool]],
) -> None:
    """Let a connector of aiohttp's ask whether a request is still ours, as ``Connections`` does for Twisted's pool."""

    async def last_look() -> None:
        request = _sent.get()
        if request and not is_ours(request) and not await is_sure(request):
            raise Withdrawn(f"{request.url} is another process's by now")

    connector.last_look = last_look


async def remember(request: Request, send: Send) -> Response:
    """Send a request, and let ``Connections`` know that the connection it asks for is for that."""
    _sent.set(request)  # of this request alone: the downloader sends each in its own task
    return await send(request)
