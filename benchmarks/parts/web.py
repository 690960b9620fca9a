"""A small, fast web on loopback, served from a thread of the benchmark's own process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Self

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
FAILED = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"

Answering = Callable[[str], bytes | None]
"""Gives the whole answer for a path, None hangs up. Called in the thread of the web."""


def answer(body: bytes, kind: str = "text/html; charset=utf-8") -> bytes:
    """Return a page as it goes over the wire."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Web:
    """Answers GET requests on one port of several loopback addresses.

    ``delay`` in seconds passes before each answer. Use it as a context manager.
    """

    def __init__(
        self, answering: Answering, addresses: Sequence[str] = ("127.0.0.1",), delay: float = 0.0
    ) -> None:
        self.port = 0
        self._answering = answering
        self._addresses = addresses
        self._delay = delay
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *unused: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._started.set()
        self._loop.run_forever()
        self._loop.close()

    async def _listen(self) -> None:
        first, *others = self._addresses

        def connected() -> Connection:
            return Connection(self._answering, self._delay)

        server = await self._loop.create_server(connected, first, 0)
        self.port = server.sockets[0].getsockname()[1]
        if others:
            await self._loop.create_server(connected, others, self.port)


class Connection(asyncio.Protocol):
    """One connection; requests on it are answered in turn."""

    def __init__(self, answering: Answering, delay: float) -> None:
        self._answering = answering
        self._delay = delay
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to write."""
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"cannot write to {transport}")
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that has arrived whole."""
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            path = self._received.split(b" ", 2)[1].decode("latin-1")
            self._received = self._received[end + 4 :]
            if self._delay:
                asyncio.get_running_loop().call_later(self._delay, self._answer, path)
            else:
                self._answer(path)

    def _answer(self, path: str) -> None:
        whole = self._answering(path)
        if self._transport.is_closing():
            return
        if whole is None:
            self._transport.abort()
        else:
            self._transport.write(whole)
