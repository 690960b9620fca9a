"""Pages by aiohttp instead of Twisted (FOCUSCRAWL_HTTP): a tenth less CPU a page.

In the crawl of ``benchmarks.throughput`` 2.64 ms a page for 2.90 (medians of six pairs).

Scrapy's handler for aiohttp, with what a crawl needs of whoever sends its requests:

- names are looked up by the process's resolver, past the guard, as Twisted's are, and once for each connection;
- an address goes out as it is written: aiohttp would write ``%7e`` anew, and a signed address be another one;
- nothing is sent again by itself, past the delay of a site and past every count;
- how many requests a site gets at once is the frontier's matter, so the pool has no bound of its own;
- lines of headers may be as long as browsers take them;
- ``Connector.last_look`` is asked when a connection is there, and of the request nothing has been written (through a proxy
  its tunnel has): for a GET there is no turn of the loop any more between it and the socket; before the body of a POST
  there may be one (``kernel.shared.connections``).
"""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any, ClassVar

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from scrapy.core.downloader.handlers._aiohttp import AiohttpDownloadHandler, _ClientResponse
from scrapy.utils.reactor import is_reactor_installed
from yarl import URL

from focuscrawl.kernel.transport.guard import admitted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp.client import ClientTimeout
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace
    from scrapy.crawler import Crawler

MOST_OF_LINE = 65_536
"""Bytes of a line of headers. aiohttp takes 8,190, and sites send cookies and policies that are longer."""

MOST_HEADERS = 1_000  # of one answer; aiohttp takes 128
BY_ITSELF = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that aiohttp adds where a request has none: Scrapy says what is sent."""


class AiohttpHandler(AiohttpDownloadHandler):
    """Sends the requests of a crawl; made with the first one, for a session belongs to the loop that runs."""

    lazy = True
    experimental: ClassVar[bool] = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._session.detach()  # it has no connection yet
        self.connector = Connector(local_addr=self._bind_address)
        self._session: Any = _Session(self.connector)


class Connector(aiohttp.TCPConnector):
    """Connects to addresses that a request may be sent to; ``last_look`` raises what keeps it from being sent."""

    def __init__(self, local_addr: tuple[str, int] | None = None) -> None:
        super().__init__(limit=0, resolver=Resolver(), use_dns_cache=False, local_addr=local_addr)
        self.last_look: Callable[[], Awaitable[None]] | None = None

    async def connect(
        self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout
    ) -> Connection:
        """Return a connection, kept or new."""
        connection = await super().connect(req, traces, timeout)
        if self.last_look:
            try:
                await self.last_look()
            except BaseException:
                connection.close()
                raise
        return connection


class Resolver(AbstractResolver):
    """Looks up names as Twisted does in this process (DNS_RESOLVER, DNSCACHE_ENABLED); without a reactor as the
    system does.
    """

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the addresses of a host that may be asked. Raises OSError when there is none."""
        found = await (_by_twisted(host) if is_reactor_installed() else _by_system(host))
        addresses = [one for one in dict.fromkeys(found) if admitted(host, one)]
        if not addresses:
            raise OSError(None, f"no address of {host}")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing is open."""


class _Session:
    """A session of aiohttp's that sends addresses as they are written."""

    def __init__(self, connector: Connector) -> None:
        self._session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            response_class=_ClientResponse,
            skip_auto_headers=BY_ITSELF,
            max_line_size=MOST_OF_LINE,
            max_field_size=MOST_OF_LINE,
            max_headers=MOST_HEADERS,
        )
        self._session._retry_connection = False

    async def request(self, method: str, url: str | URL, **options: Any) -> aiohttp.ClientResponse:
        whole = url if isinstance(url, URL) else URL(url, encoded=True)
        return await self._session.request(method, whole, **options)

    async def close(self) -> None:
        await self._session.close()


async def _by_system(host: str) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def _by_twisted(host: str) -> list[str]:
    from twisted.internet import reactor as installed  # noqa: PLC0415 - importing it installs one

    reactor: Any = installed
    receiver = _Receiver()
    reactor.nameResolver.resolveHostName(receiver, host)
    return await receiver.found


class _Receiver:
    """Takes the addresses of a name. Twisted's IResolutionReceiver."""

    def __init__(self) -> None:
        self.found: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._addresses: list[str] = []

    def resolutionBegan(self, resolutionInProgress: Any) -> None:
        """Nothing is to be done."""

    def addressResolved(self, address: Any) -> None:
        """Take one."""
        self._addresses.append(address.host)

    def resolutionComplete(self) -> None:
        """Give them to whoever waits, unless that has given up."""
        if not self.found.done():
            self.found.set_result(self._addresses)
