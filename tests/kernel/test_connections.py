"""The last look before a request is sent: a process that stood still while it connected sends nothing of others'."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure
from twisted.web._newclient import HTTP11ClientProtocol
from twisted.web._newclient import Request as TwistedRequest
from twisted.web.client import _RetryingHTTP11ClientProtocol
from twisted.web.http_headers import Headers

from focuscrawl.kernel.shared.connections import Connections, remember
from focuscrawl.kernel.transport.guard import Withdrawn

pytestmark = pytest.mark.B1


class Socket:
    """What Twisted writes to: it waits for the reactor's next ``turn``, and where to ``doWrite`` then."""

    def __init__(self) -> None:
        self.waits: list[bytes] = []
        self.sent = b""
        self.is_wanted = False
        self.is_aborted = False

    def write(self, data: bytes) -> None:
        self.writeSequence([data])

    def writeSequence(self, data: list[bytes]) -> None:
        self.waits += data
        self.startWriting()

    def startWriting(self) -> None:
        self.is_wanted = True

    def stopWriting(self) -> None:
        self.is_wanted = False

    def doWrite(self) -> None:
        self.sent += b"".join(self.waits)
        self.waits.clear()
        self.stopWriting()

    def abortConnection(self) -> None:
        self.is_aborted = True

    def loseConnection(self) -> None:
        """It has answered."""

    def turn(self) -> None:
        if self.is_wanted and not self.is_aborted:
            self.doWrite()


def connection() -> Any:
    """Return one of Twisted's, whose ``transport`` is a Socket."""
    protocol: Any = HTTP11ClientProtocol
    made = protocol(lambda _: None)
    made.makeConnection(Socket())
    return made


class Pool:
    """A pool of Twisted's kind that connects when it is told."""

    def __init__(self) -> None:
        self.asked: list[Deferred[Any]] = []

    def getConnection(self, key: object, endpoint: object) -> Deferred[Any]:
        self.asked.append(Deferred())
        return self.asked[-1]

    async def send(self, request: Request) -> Response:
        """Send a request over a connection of this pool, as Scrapy's agent does."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        asked: Any = self.getConnection("a.cn", None)
        asked.addCallback(lambda found: found.request(get(request)))
        asked.addCallbacks(answer.set_result, lambda failure: answer.set_exception(failure.value))
        return Response(request.url, status=(await answer).code)


def get(request: Request) -> Any:
    """Return what Twisted makes of a request."""
    made: Any = TwistedRequest
    return made(b"GET", request.url.encode(), Headers({b"host": [b"a.cn"]}), None)


class Crawl:
    """What a process knows of its request: whether it holds it, and whether it can know."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.knows, self.holds = True, True
        self.looks = 0
        ours = lambda _: self.knows and self.holds
        Connections(self.pool, ours, self.is_sure, deferred_from_coro)

    async def is_sure(self, request: Request) -> bool:
        while not self.knows:
            self.looks += 1
            await asyncio.sleep(0)
        return self.holds


async def some_turns(*sockets: Socket) -> None:
    for _ in range(10):
        for one in sockets:
            one.turn()
        await asyncio.sleep(0)


def exchange(
    crawl: Crawl, *made: Any, before: Any = lambda: None, after: Any = lambda: None
) -> Response:
    """Send one request over the first connection, and if it is asked for over the second.

    ``before`` comes between writing the request and the turn in which Twisted sends it, ``after`` some turns later.
    """

    async def exchanged() -> Response:
        sockets = [one.transport for one in made]
        sending = asyncio.ensure_future(remember(Request("http://a.cn/"), crawl.pool.send))
        while not crawl.pool.asked:
            await asyncio.sleep(0)
        keep: Any = _RetryingHTTP11ClientProtocol
        kept = keep(made[0], lambda: succeed(made[1]))
        crawl.pool.asked[0].callback(kept if made[1:] else made[0])
        before()
        await some_turns(*sockets)
        after()
        await some_turns(*sockets)
        for one in made:
            if one.transport.sent:
                one.dataReceived(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        return await asyncio.wait_for(sending, 10)

    return asyncio.run(exchanged())


def test_what_is_ours_is_sent_in_the_turn_of_twisted() -> None:
    crawl, made = Crawl(), connection()
    assert exchange(crawl, made).status == 200
    assert made.transport.sent.startswith(b"GET http://a.cn/ ")
    assert crawl.looks == 0
    assert "doWrite" not in vars(made.transport), "the next one who asks over it looks for itself"


@pytest.mark.parametrize("soon", [True, False], ids=["before it connects", "before it is sent"])
def test_what_has_become_somebody_elses_is_not_sent_and_its_connection_is_closed(
    soon: bool,
) -> None:
    crawl, made = Crawl(), connection()

    def lost() -> None:
        crawl.holds = False

    if soon:
        lost()
    with pytest.raises(Withdrawn):
        exchange(crawl, made, before=lost)
    assert made.transport.is_aborted
    assert made.transport.sent == b""


@pytest.mark.parametrize("holds", [True, False])
def test_it_waits_as_long_as_nobody_can_know(holds: bool) -> None:
    crawl, made = Crawl(), connection()

    def stands_still() -> None:
        crawl.knows = False

    def heard() -> None:
        assert crawl.looks >= 3
        assert made.transport.sent == b""
        crawl.knows, crawl.holds = True, holds

    if holds:
        assert exchange(crawl, made, before=stands_still, after=heard).status == 200
    else:
        with pytest.raises(Withdrawn):
            exchange(crawl, made, before=stands_still, after=heard)
    assert bool(made.transport.sent) is holds
    assert made.transport.is_aborted is not holds


@pytest.mark.parametrize("holds", [True, False])
def test_what_twisted_asks_anew_over_another_connection_is_looked_at_too(holds: bool) -> None:
    crawl, closed, fresh = Crawl(), connection(), connection()
    failure: Any = Failure
    closed.connectionLost(failure(ConnectionDone()))
    crawl.holds = holds
    if holds:
        assert exchange(crawl, closed, fresh).status == 200
    else:
        with pytest.raises(Withdrawn):
            exchange(crawl, closed, fresh)
    assert bool(fresh.transport.sent) is holds


def test_what_no_crawl_has_sent_is_nobodys_business() -> None:
    crawl, made = Crawl(), connection()
    crawl.pool.getConnection = lambda key, endpoint: succeed(made)  # type: ignore[method-assign]
    Connections(crawl.pool, lambda _: False, crawl.is_sure, deferred_from_coro)
    found: list[Any] = []
    crawl.pool.getConnection("a.cn", None).addBoth(found.append)
    assert found == [made]
