"""The last look at a request of a shared crawl, when its connection is there and nothing is sent yet.

The guard asks whether a URL is still this process's before the downloader begins; looking up a name and
connecting take turns of the reactor then, and a process that stands still among them sent up to five requests
after it woke up, to sites that others were asking by then (``kill9 --store redis``, two seeds of ten on a busy
machine). Between this look and the socket there is no turn any more: Twisted would leave what it writes to the
next one, so it is flushed.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.slots import Withdrawn

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

    from scrapy import Request
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from focuscrawl.kernel.slots import Send

_sent: ContextVar[Request | None] = ContextVar("focuscrawl_sent", default=None)


class Connections:
    """Hands out the connections of a pool of Twisted's, for requests that are ours to send.

    ``is_ours(request)`` says so at once, ``is_sure(request)`` waits as long as nobody can know, and ``later``
    makes a Deferred of that.
    """

    def __init__(
        self,
        pool: Any,
        is_ours: Callable[[Request], bool],
        is_sure: Callable[[Request], Coroutine[Any, Any, bool]],
        later: Callable[[Coroutine[Any, Any, bool]], Deferred[bool]],
    ) -> None:
        self._get = pool.getConnection
        self._is_ours = is_ours
        self._is_sure = is_sure
        self._later = later
        pool.getConnection = self.get

    def get(self, key: Hashable, endpoint: Any) -> Deferred[Any]:
        """Return a connection; it fails with Withdrawn where somebody else may send the request by now."""
        request = _sent.get()
        found: Deferred[Any] = self._get(key, endpoint)
        if request:
            found.addCallback(self._look, request)
        return found

    def _look(self, connection: Any, request: Request) -> Any:
        if self._is_ours(request):
            return Flushed(connection)
        return self._later(self._is_sure(request)).addCallback(self._decide, connection, request)

    def _decide(self, is_sure: bool, connection: Any, request: Request) -> Any:
        if is_sure:
            return self._look(connection, request)
        _protocol_of(connection).abort()
        raise Withdrawn(f"{request.url} is another process's by now")


class Flushed:
    """A connection whose request is written to the socket at once."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def request(self, request: Any) -> Any:
        """Send a request of Twisted's."""
        answer = self._connection.request(request)
        transport = _protocol_of(self._connection).transport
        flush = getattr(getattr(transport, "transport", transport), "doWrite", None)
        if flush:
            flush()  # of the socket, below TLS; an error stays there, and the reactor's next turn finds it
        return answer


def _protocol_of(connection: Any) -> Any:
    """Return what Twisted has wrapped where it would repeat a request by itself."""
    return getattr(connection, "_clientProtocol", connection)


async def remember(request: Request, send: Send) -> Response:
    """Send a request, and let ``Connections`` know that the connection it asks for is for that."""
    _sent.set(request)  # of this request alone: the downloader sends each in its own task
    return await send(request)
