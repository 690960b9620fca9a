"""The last look before a request is sent: a process that stood still while it connected sends nothing of others'."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred, succeed

from focuscrawl.kernel.shared.connections import Connections, remember
from focuscrawl.kernel.slots import Withdrawn

pytestmark = pytest.mark.B1


class Connection:
    """One of Twisted's kind: what is written waits for the reactor's next turn, or for ``doWrite``."""

    def __init__(self) -> None:
        self.is_open = True
        self.transport = self
        self.waits: list[object] = []
        self.written: list[object] = []

    def request(self, request: object) -> str:
        self.waits.append(request)
        return "answer"

    def doWrite(self) -> None:
        self.written += self.waits
        self.waits.clear()

    def abort(self) -> None:
        self.is_open = False


class Pool:
    """A pool of Twisted's kind that connects when it is told."""

    def __init__(self) -> None:
        self.asked: list[Deferred[Connection]] = []

    def getConnection(self, key: object, endpoint: object) -> Deferred[Connection]:
        self.asked.append(Deferred())
        return self.asked[-1]


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

    async def send(self, request: Request) -> Response:
        found: list[Any] = []
        asked: Any = self.pool.getConnection("a.cn", None)
        asked.addBoth(found.append)
        while not found:
            await asyncio.sleep(0)
        if hasattr(found[0], "raiseException"):
            found[0].raiseException()
        assert found[0].request("GET /") == "answer"
        return Response(request.url, status=200)


def sent(crawl: Crawl, connection: Connection, *, after: Any = lambda: None) -> Response:
    async def connects() -> Response:
        sending = asyncio.ensure_future(remember(Request("http://a.cn/"), crawl.send))
        while not crawl.pool.asked:
            await asyncio.sleep(0)
        crawl.pool.asked[0].callback(connection)
        while crawl.looks < 3 and not sending.done():
            await asyncio.sleep(0)
        after()
        return await asyncio.wait_for(sending, 10)

    return asyncio.run(connects())


def test_a_connection_is_handed_out_at_once_for_a_request_that_is_ours() -> None:
    crawl, connection = Crawl(), Connection()
    assert sent(crawl, connection).status == 200
    assert (connection.is_open, crawl.looks) == (True, 0)
    assert connection.written == ["GET /"], (
        "it does not wait for a turn in which much may have changed"
    )


def test_a_request_of_somebody_elses_is_not_sent_and_its_connection_is_closed() -> None:
    crawl, connection = Crawl(), Connection()
    crawl.holds = False
    with pytest.raises(Withdrawn):
        sent(crawl, connection)
    assert (connection.is_open, connection.written) == (False, [])


@pytest.mark.parametrize("holds", [True, False])
def test_it_waits_as_long_as_nobody_can_know(holds: bool) -> None:
    crawl, connection = Crawl(), Connection()
    crawl.knows = False

    def heard() -> None:
        assert crawl.looks >= 3
        crawl.knows, crawl.holds = True, holds

    if holds:
        assert sent(crawl, connection, after=heard).status == 200
    else:
        with pytest.raises(Withdrawn):
            sent(crawl, connection, after=heard)
    assert connection.is_open is holds


def test_what_no_crawl_has_sent_is_nobodys_business() -> None:
    crawl, connection = Crawl(), Connection()
    crawl.holds = False
    crawl.pool.getConnection = lambda key, endpoint: succeed(connection)  # type: ignore[method-assign]
    Connections(crawl.pool, lambda _: False, crawl.is_sure, deferred_from_coro)
    found: list[Any] = []
    crawl.pool.getConnection("a.cn", None).addBoth(found.append)
    assert found == [connection]
