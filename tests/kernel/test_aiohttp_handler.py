"""Names and connections of the handler for aiohttp: which addresses are asked, and the last look before bytes go out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from scrapy import Request
from scrapy.http import Response

from focuscrawl.kernel.shared.connections import look_last, remember
from focuscrawl.kernel.transport import aiohttp_handler
from focuscrawl.kernel.transport.aiohttp_handler import Connector, Resolver
from focuscrawl.kernel.transport.guard import Guard, PrivateAddress, Withdrawn
from focuscrawl.urls.private import PrivateHosts

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def addresses(monkeypatch: pytest.MonkeyPatch, *known: str, guarded: bool = True) -> list[str]:
    """Return the addresses that a request to a host with these gets."""

    async def by_system(host: str) -> list[str]:
        return [*known]

    monkeypatch.setattr(aiohttp_handler, "is_reactor_installed", lambda: False)
    monkeypatch.setattr(aiohttp_handler, "_by_system", by_system)
    found: list[str] = []

    async def send(request: Request) -> Response:
        found.extend(one["host"] for one in await Resolver().resolve("a.cn", 80))
        return Response(request.url)

    request = Request("http://a.cn/")
    asyncio.run(Guard(PrivateHosts()).send(request, send) if guarded else send(request))
    return found


def test_a_request_gets_each_public_address_of_its_host_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = ("127.0.0.1", "93.184.216.34", "93.184.216.34", "2606:2800::1")
    assert addresses(monkeypatch, *known) == ["93.184.216.34", "2606:2800::1"]


def test_a_host_with_private_addresses_alone_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PrivateAddress, match=r"127\.0\.0\.1"):
        addresses(monkeypatch, "127.0.0.1")


def test_what_is_no_request_of_a_crawl_gets_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert addresses(monkeypatch, "127.0.0.1", guarded=False) == ["127.0.0.1"]


def send_two(
    arrived: list[bytes], ours: Callable[[], bool], sure: Callable[[], Awaitable[bool]]
) -> None:
    """Send two requests of a shared crawl over one connection; ``arrived`` gets their paths."""

    serving: list[asyncio.Task[Any] | None] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.append(asyncio.current_task())
        while line := await reader.readline():
            if line.startswith(b"GET"):
                arrived.append(line.split()[1])
            elif line == b"\r\n":
                writer.write(ANSWER)
        writer.close()
        await writer.wait_closed()

    async def send_all(port: int) -> None:
        connector = Connector()

        async def is_sure(request: Request) -> bool:
            return await sure()

        look_last(connector, lambda request: ours(), is_sure)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def send(request: Request) -> Any:
                async with session.get(request.url) as response:
                    return response.status

            for path in "ab":
                await remember(Request(f"http://127.0.0.1:{port}/{path}"), send)

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        try:
            await send_all(server.sockets[0].getsockname()[1])
        finally:
            server.close()
            await asyncio.gather(*filter(None, serving))
            await server.wait_closed()

    asyncio.run(run())


async def yes() -> bool:
    return True


async def no() -> bool:
    return False


@pytest.mark.parametrize(("is_ours", "sure"), [(True, no), (False, yes)])
def test_what_is_ours_is_sent_and_what_may_not_be_is_asked_about(
    is_ours: bool, sure: Callable[[], Awaitable[bool]]
) -> None:
    arrived: list[bytes] = []
    send_two(arrived, lambda: is_ours, sure)
    assert arrived == [b"/a", b"/b"]


def test_nothing_is_written_of_what_is_another_process_s_by_now() -> None:
    arrived: list[bytes] = []
    answers = iter([True, False])
    with pytest.raises(Withdrawn, match="/b is another process's"):
        send_two(arrived, lambda: next(answers), no)
    assert arrived == [b"/a"]
