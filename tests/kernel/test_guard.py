"""The guard and the resolver it watches: whose look-up it is decides which addresses are handed on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from twisted.internet.address import IPv4Address, IPv6Address

from focuscrawl.kernel.transport.guard import (
    Banned,
    Guard,
    PrivateAddress,
    PrivateHost,
    WatchedResolver,
)
from focuscrawl.urls.private import PrivateHosts
from tests.tables import each_row

PRIVATE, PUBLIC = "127.0.0.1", "93.184.216.34"


class Knows:
    """A resolver of Twisted's kind that gives the same addresses for every name."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = addresses

    def resolveHostName(self, receiver: Any, name: str, port: int = 0, *more: Any) -> None:
        receiver.resolutionBegan(None)
        for address in self._addresses:
            kind = IPv6Address if ":" in address else IPv4Address
            receiver.addressResolved(kind("TCP", address, port))
        receiver.resolutionComplete()


class Receives:
    """What asks for a name: the addresses it was given."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.is_complete = False

    def resolutionBegan(self, resolution: Any) -> None:
        """Nothing to do."""

    def addressResolved(self, address: Any) -> None:
        self.addresses.append(address.host)

    def resolutionComplete(self) -> None:
        self.is_complete = True


def looked_up(*addresses: str) -> list[str]:
    """Return which of these addresses of a name somebody gets who looks it up here and now."""
    receives = Receives()
    WatchedResolver(Knows(*addresses)).resolveHostName(receives, "a.cn", 80)
    assert receives.is_complete
    return receives.addresses


def sent(request: Request, *addresses: str, guard: Guard | None = None) -> list[str]:
    """Return the addresses at which a request is sent whose host has these."""
    found: list[str] = []

    async def send(request: Request) -> Response:
        found.extend(looked_up(*addresses))
        if not found:
            raise OSError("no address")
        return Response(request.url)

    asyncio.run((guard or Guard(PrivateHosts())).send(request, send))
    return found


def test_a_request_gets_the_public_addresses_of_its_host_alone() -> None:
    request = Request("http://a.cn/")
    assert sent(request, PRIVATE, PUBLIC, "::1", "fe80::1%eth0", "no address") == [PUBLIC]
    with pytest.raises(PrivateAddress, match="FOCUSCRAWL_PRIVATE"):
        sent(request, PRIVATE)
    with pytest.raises(OSError, match="no address"):
        sent(request)


def test_what_no_request_looks_up_is_handed_on_as_it_is() -> None:
    assert looked_up(PRIVATE, PUBLIC) == [PRIVATE, PUBLIC]


def test_a_proxy_is_looked_up_as_it_is_even_in_the_course_of_another_request() -> None:
    guard = Guard(PrivateHosts())
    proxied = Request("http://b.cn/", meta={"proxy": "http://proxy.cn:3128"})

    async def send_other(request: Request) -> Response:
        answer = await asyncio.create_task(guard.send(proxied, send_by_proxy))
        assert looked_up(PRIVATE) == []
        return answer

    async def send_by_proxy(request: Request) -> Response:
        assert looked_up(PRIVATE) == [PRIVATE]
        return Response(request.url)

    asyncio.run(guard.send(Request("http://a.cn/"), send_other))


def test_what_a_request_has_left_behind_is_looked_up_as_it_is() -> None:
    later: list[asyncio.Task[list[str]]] = []
    over = asyncio.Event()

    async def work() -> list[str]:
        await over.wait()
        return looked_up(PRIVATE)

    async def send(request: Request) -> Response:
        later.append(asyncio.create_task(work()))
        return Response(request.url)

    async def run() -> list[str]:
        await Guard(PrivateHosts()).send(Request("http://a.cn/"), send)
        over.set()
        return await later[0]

    assert asyncio.run(run()) == [PRIVATE]


@each_row("proxy", ["", "http://proxy.cn:3128"])
@each_row("url", ["http://127.1/", "http://[::1]/", "https://nas.lan/", "http://x/"])
def test_a_private_name_is_refused_before_anything_is_sent(url: str, proxy: str) -> None:
    request = Request(url, meta={"proxy": proxy} if proxy else {})
    with pytest.raises(PrivateHost, match="private by its name"):
        sent(request, PUBLIC)


def test_requests_without_a_host_are_none_of_its_business() -> None:
    assert sent(Request("data:,text"), PUBLIC) == [PUBLIC]
    assert sent(Request("file:///tmp/page.html"), PUBLIC) == [PUBLIC]


def test_what_was_banned_since_it_was_taken_is_not_sent() -> None:
    """It may have waited for a robots.txt, or for its turn."""
    guard = Guard(PrivateHosts())
    banned = {"http://a.cn/1"}
    guard.ban_of = lambda request: "ban:hand" if request.url in banned else ""
    with pytest.raises(Banned, match="ban:hand"):
        sent(Request("http://a.cn/1"), PUBLIC, guard=guard)
    assert sent(Request("http://a.cn/2"), PUBLIC, guard=guard) == [PUBLIC]
