"""Serves the demo web as an HTTP forward proxy on loopback and keeps an access log."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO
from urllib.parse import urlsplit

from focuscrawl.demo.answers import Answer, answer, control, faster, is_control
from focuscrawl.demo.pages import canonical
from focuscrawl.demo.truth import Fault
from focuscrawl.demo.web import DemoWeb

LATENCY = 0.003
"""Seconds every answer takes at speed 1."""

SILENT_SECONDS = 120.0
"""Seconds after which a silent connection is closed at last."""


class VisitedWeb:
    """The web as its clients see it: each request is counted and logged, and the day moves on.

    ``day`` may be set at any time. ``speed`` divides every delay. The access log has one JSON
    object a line: t (seconds since 1970, when the request arrived), host, url, status
    (0: no answer), attempt (1 = first request of this address), day. ``log`` None keeps none.
    """

    def __init__(
        self, web: DemoWeb, *, day: float = 0.0, log: Path | None = None, speed: float = 1.0
    ) -> None:
        self.web = web
        self.day = day
        self.speed = speed
        self._log_path = log
        self._log: TextIO | None = None
        self._attempts: Counter[str] = Counter()

    def open_log(self) -> None:
        """Begin to log; what stands in the log stays."""
        if self._log_path is not None:
            self._log = self._log_path.open("a", encoding="utf-8", buffering=1)

    def close_log(self) -> None:
        """Log no more."""
        if self._log is not None:
            self._log.close()

    def answer_to(self, method: str, url: str, headers: Mapping[str, str]) -> Answer:
        """Return what is answered, after its delay; ``headers`` have their names in lower case."""
        if method not in {"GET", "HEAD", "POST"}:
            return Answer(501, b"GET, HEAD and POST of http addresses only\n")
        if is_control(url):
            self.day, reply = control(url, self.day)
            return reply
        address = canonical(url)
        self._attempts[address] += 1
        reply = answer(self.web, url, self.day, self._attempts[address], headers)
        self._write(address, reply)
        if urlsplit(url).path == "/robots.txt":
            reply = replace(reply, body=faster(reply.body, self.speed))
        return replace(reply, delay=(LATENCY + reply.delay) / self.speed)

    def _write(self, url: str, reply: Answer) -> None:
        if self._log is None:
            return
        unanswered = reply.fault in {Fault.SILENT, Fault.DROPPED}
        line = {
            "t": round(time.time(), 4),
            "host": urlsplit(url).hostname,
            "url": url,
            "status": 0 if unanswered else reply.status,
            "attempt": self._attempts[url],
            "day": self.day,
        }
        if reply.fault is Fault.SHORT:
            line["short"] = True
        self._log.write(json.dumps(line) + "\n")


class DemoServer(VisitedWeb):
    """The web on 127.0.0.1, for use as ``async with``; ``url`` is the proxy's address."""

    def __init__(
        self,
        web: DemoWeb,
        *,
        port: int = 0,
        day: float = 0.0,
        log: Path | None = None,
        speed: float = 1.0,
    ) -> None:
        super().__init__(web, day=day, log=log, speed=speed)
        self.port = port
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The address to put into ``http_proxy``."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        """Open the port and the log."""
        self.open_log()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the port, every connection and the log."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self.close_log()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while await self._exchange(reader, writer):
                    pass
        except asyncio.CancelledError:
            # The server is closing; a task that ends cancelled makes asyncio.streams complain.
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is to be closed."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return False
        method, url, headers = _request(head.decode("latin-1"))
        with suppress(ValueError):
            await reader.readexactly(int(headers.get("content-length", "0")))
        reply = self.answer_to(method, url, headers)
        await asyncio.sleep(reply.delay)
        if reply.fault is Fault.SILENT:
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(1), SILENT_SECONDS)
            return False
        if reply.fault is Fault.DROPPED:
            return False
        body = b"" if method == "HEAD" else reply.body
        if reply.fault is Fault.SHORT:
            body = body[: len(body) // 2]
        writer.write(reply.head(self.day) + body)
        await writer.drain()
        return reply.fault is None and headers.get("connection", "").lower() != "close"


def _request(head: str) -> tuple[str, str, dict[str, str]]:
    """Read a request's head: method, absolute address, headers with names in lower case."""
    first, *lines = head.rstrip().split("\r\n")
    method, target, *_ = [*first.split(" "), "", ""]
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    if target.startswith("/"):
        target = f"http://{headers.get('host', '')}{target}"
    return method, target, headers
