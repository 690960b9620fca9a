"""Whole ``scrapy`` commands as programs, for what only a program shows: kills, signals, exit, other processes.

They begin by way of prepared.py, and ask a ``WebServer`` as their proxy.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from tests.web import Asked, Web

TLS_HANDSHAKE = b"\x16"
ONE_WORKER = "TESTS_HAVE_ONE_WORKER"
NO_READER = "no reader"
LOOK_EVERY = 0.005
LONGEST_CRAWL = 180.0


class WebServer:
    """An HTTP forward proxy on loopback, behind which is a ``Web``."""

    def __init__(self, web: Web, certificate: Path) -> None:
        self.web = web
        self.port = 0
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        loop = self._loop
        server = loop.run_until_complete(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        loop.run_forever()
        server.close()
        loop.run_until_complete(self._hang_up())
        loop.close()

    async def _hang_up(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        origin = ""
        while True:
            first = await reader.readexactly(1)
            if first == TLS_HANDSHAKE:  # who asks us, and no proxy, for https
                return
            head = first + await reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ")
            pairs = (line.partition(":") for line in lines[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in pairs}
            if method == "CONNECT":
                host = target.rpartition(":")[0]
                self.web.tunnels[host] += 1
                if host in self.web.without_https:
                    writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
                    await writer.drain()
                    return
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await writer.start_tls(self._tls)
                origin = "https://" + target.removesuffix(":443")
                continue
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            asked = Asked(time.monotonic(), method, origin + target, headers, body)
            answer = self.web.answer_to(asked)
            with self.web.answering(asked.host):
                await asyncio.sleep(answer.delay or self.web.pause)
            if answer.fault == "silent":
                await reader.read(1)
            while answer.fault in {"hold", "wait"} and self.web.is_holding:
                await asyncio.sleep(LOOK_EVERY)
            if answer.fault in {"silent", "hold", "drop"}:
                return
            if answer.raw:
                writer.write(answer.raw)
                await writer.drain()
                return
            content = answer.content
            writer.write(answer.head(len(content)))
            writer.write(content[: len(content) // 2] if answer.fault == "short" else content)
            await writer.drain()
            if answer.fault == "short":
                return


class Running:
    """A command under way: what tests need of ``subprocess.Popen``."""

    def __init__(self, launcher: Launcher, pid: int, output: Path) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._launcher = launcher
        self._output = output

    def poll(self) -> int | None:
        """Return the exit status (negative: the signal), None while it runs."""
        if self.returncode is None:
            self.returncode = self._launcher.status(self.pid)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float = LONGEST_CRAWL) -> int:
        """Wait for the end and return the exit status; raises TimeoutExpired."""
        end = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(LOOK_EVERY)
        return status

    def communicate(self, timeout: float = LONGEST_CRAWL) -> tuple[str, None]:
        """Wait for the end and return all that was said; raises TimeoutExpired."""
        self.wait(timeout)
        return self.said(), None

    def said(self) -> str:
        """Return what was said so far."""
        return self._output.read_text("utf-8", errors="replace")


class Launcher:
    """Starts scrapy commands by way of prepared.py; ``folder`` keeps what they say."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._folder = folder
        self._started = 0
        self._ended: dict[int, int] = {}
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("prepared.py")],
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asks, self._says = self._process.stdin, self._process.stdout

    def start(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        stdout: str = "",
        output: Path | None = None,
    ) -> Running:
        """Start ``scrapy COMMAND`` in a folder.

        What it says is added to ``output`` (None: to a file of the launcher's own); ``stdout`` is a file for that
        alone, or ``NO_READER``.
        """
        self._started += 1
        output = output or self._folder / f"{self._started}.txt"
        output.touch()
        asked = {
            "command": command,
            "folder": str(folder.resolve()),
            "environment": environment,
            "output": str(output.resolve()),
            "stdout": stdout,
        }
        self._asks.write(json.dumps(asked).encode() + b"\n")
        while "pid" not in (said := self._heard()):
            pass
        return Running(self, said["pid"], output)

    def status(self, pid: int) -> int | None:
        """Return the exit status of a process that has ended."""
        while pid not in self._ended and select.select([self._says], [], [], 0)[0]:
            self._heard()
        return self._ended.pop(pid, None)

    def close(self) -> None:
        """Start nothing more."""
        self._process.communicate(timeout=LONGEST_CRAWL)

    def _heard(self) -> dict[str, int]:
        line = self._says.readline()
        assert line, "prepared.py has ended"
        said: dict[str, int] = json.loads(line)
        if "ended" in said:
            self._ended[said["ended"]] = said["status"]
        return said


class Programs:
    """Starts commands as programs, and serves the webs that they crawl."""

    def __init__(self, launcher: Launcher, certificate: Path) -> None:
        self.launcher = launcher
        self._certificate = certificate
        self._servers: dict[int, WebServer] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for server in self._servers.values():
            server.__exit__()

    def port_of(self, web: Web) -> int:
        """Return the port of the proxy behind which a web is."""
        if id(web) not in self._servers:
            self._servers[id(web)] = WebServer(web, self._certificate).__enter__()
        return self._servers[id(web)].port

    def proxy_of(self, web: Web) -> str:
        """Return the address of the proxy behind which a web is."""
        return f"http://127.0.0.1:{self.port_of(web)}"
