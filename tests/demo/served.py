"""The demo web and crawls of it inside the test's process: no server, no program, and time that jumps."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from focuscrawl.demo.answers import Answer as DemoAnswer
from focuscrawl.demo.running import Crawl, ServedWeb, Tell
from focuscrawl.demo.server import VisitedWeb
from focuscrawl.demo.truth import Fault
from focuscrawl.demo.web import DemoWeb
from tests.in_process import Ended, JumpingTime, run_command
from tests.project import PROXY, WITHOUT_REPORT
from tests.web import Answer, Asked, Web

CLOCK = "focuscrawl.demo.clock"
FAULTS = {Fault.SILENT: "silent", Fault.SHORT: "short", Fault.DROPPED: "drop"}


@dataclass(frozen=True)
class DatedAnswer(Answer):
    """What the demo web answers, with its own head."""

    text: bytes = b""

    def head(self, length: int) -> bytes:
        return self.text


class InsideWeb(Web):
    """The demo web as what crawls inside the process asks."""

    def __init__(self, visited: VisitedWeb) -> None:
        super().__init__()
        self.visited = visited

    def answer_to(self, asked: Asked) -> Answer:
        reply: DemoAnswer = self.visited.answer_to(asked.method, asked.url, asked.headers)
        return DatedAnswer(
            b"" if asked.method == "HEAD" else reply.body,
            reply.status,
            delay=reply.delay,
            fault=FAULTS.get(reply.fault, "") if reply.fault else "",
            text=reply.head(self.visited.day),
        )


class InsideDemo(ServedWeb):
    """Crawls inside the process what is served there; ``ended`` is the last crawl.

    Crawls write no report, which is a seventh of the time of the days.
    """

    def __init__(self, visited: VisitedWeb) -> None:
        super().__init__(PROXY)
        self._web = InsideWeb(visited)
        self._time = JumpingTime(time.time())
        self.ended = Ended(0, "")

    def move_to(self, day: float) -> None:
        self._web.visited.day = day

    def crawl(self, crawl: Crawl, outputs: Sequence[Path], tell: Tell, doing: str) -> int:
        (output,) = outputs
        tell(0, doing)
        sys.modules.pop(CLOCK, None)  # it reads its day when it is imported, as each program does
        command = crawl.command[crawl.command.index("scrapy") + 1 :]
        around = crawl.environment | {"FOCUSCRAWL_FEATURES": json.dumps(WITHOUT_REPORT)}
        self.ended = run_command(command, crawl.folder, around, self._web, self._time)
        output.write_text(self.ended.said, "utf-8")
        return self.ended.status


@contextmanager
def served_inside(
    web: DemoWeb, size: str, log: Path, *, speed: float = 1.0
) -> Iterator[InsideDemo]:
    """Serve the web as ``running.served`` does; ``size`` is that which it has."""
    visited = VisitedWeb(web, log=log, speed=speed)
    visited.open_log()
    try:
        yield InsideDemo(visited)
    finally:
        visited.close_log()
