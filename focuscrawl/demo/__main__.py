"""``python -m focuscrawl.demo``: serve the demo web until stopped; the first line is its address."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path

from focuscrawl.demo.server import DemoServer
from focuscrawl.demo.web import SIZES, DemoWeb


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m focuscrawl.demo", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 (default): any free port")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same web")
    parser.add_argument("--size", choices=sorted(SIZES), default="full")
    parser.add_argument(
        "--day", type=float, default=0.0, help="virtual day, later by /_control?day="
    )
    parser.add_argument("--log", type=Path, help="access log (JSON lines), appended to")
    parser.add_argument("--speed", type=float, default=1.0, help="divides every delay")
    return parser.parse_args(given)


async def serve(options: argparse.Namespace) -> None:
    """Serve until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    server = DemoServer(
        DemoWeb(options.seed, options.size),
        port=options.port,
        day=options.day,
        log=options.log,
        speed=options.speed,
    )
    async with server:
        print(server.url, flush=True)
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(serve(arguments()))
