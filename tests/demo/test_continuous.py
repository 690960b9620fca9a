"""The days of the demo as two workers live them that stay: one crawl that never ends, whose clock and web move on."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest

from focuscrawl.demo import days
from focuscrawl.demo.running import (
    ServedWeb,
    answered,
    crawl_of,
    served,
    surroundings,
    topic_text,
)
from focuscrawl.demo.web import DemoWeb
from tests.servers.redis_server import RedisServer

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.demo.report import Finding

pytestmark = [pytest.mark.fortnight, pytest.mark.long_form, pytest.mark.program]

CLOCK = """
import os
import time

from focuscrawl.demo.truth import DAY_ZERO


class Stepping:
    '''Wall time of the day that stands in a file, which goes on from there until another stands there.'''

    def __init__(self, path):
        self.path, self.read, self.day, self.since = path, 0, 0.0, 0.0

    def wall(self):
        if (written := os.stat(self.path).st_mtime_ns) != self.read:
            with open(self.path) as file:
                self.day, self.since = map(float, file.read().split())
            self.read = written
        return DAY_ZERO.timestamp() + self.day * 86400 + time.monotonic() - self.since

    def steady(self):
        return time.monotonic()


clock = Stepping(os.environ["DAY_FILE"])
"""
EVERY = 'every = "8h"'
"""With a step of half a day sources are read at every step, as by crawls that begin anew."""

QUIET = 4.0
"""Seconds without a request after which nothing more is due: it is looked for every second."""

HEARD = 12.0
"""Seconds after which a step that nobody asks anything in is over."""

LONGEST_STEP = 120.0


class Lived(NamedTuple):
    """What became of it: the findings, and the pages of each worker."""

    findings: list[Finding]
    pages: list[int]


def lived(folder: Path, web: DemoWeb, size: str, until: int) -> Lived:
    """Let two workers crawl on while so many days pass, and judge what they told.

    In the middle the first leaves, and another joins.
    """
    topics = folder / "topics"
    topics.mkdir()
    sources = topic_text("demo.toml").replace("[[source]]", f"[[source]]\n{EVERY}\n")
    (topics / "demo.toml").write_text(sources, "utf-8")
    text = topic_text("days.toml")
    for old, new in (
        ('delay   = "5ms"', 'delay   = "50ms"'),
        ("gone_after  = 2", "gone_after  = 2\ncontinuous = true"),
    ):
        assert old in text
        text = text.replace(old, new)
    (topics / "days.toml").write_text(text, "utf-8")
    (folder / "stepping.py").write_text(CLOCK, "utf-8")
    runs = int((until + days.PATIENCE) * days.RUNS_A_DAY) + 2  # as many as of crawls that end
    steps = [run / days.RUNS_A_DAY for run in range(runs + 1)]
    log, day_file = folder / "access.jsonl", folder / "day"
    redis = RedisServer(folder / "redis").start()
    workers: list[subprocess.Popen[bytes]] = []
    command = crawl_of(days.TOPIC, "-s", f"REDIS_URL={redis.url}")

    def step_to(demo: ServedWeb, day: float) -> None:
        demo.move_to(day)
        (folder / "next").write_text(f"{day} {time.monotonic()}")
        (folder / "next").replace(day_file)

    def start(around: dict[str, str]) -> subprocess.Popen[bytes]:
        with (folder / f"worker-{len(workers)}.log").open("wb") as said:
            workers.append(
                subprocess.Popen(command, cwd=folder, env=around, stdout=said, stderr=said)
            )
        return workers[-1]

    try:
        with served(web, size, log, speed=days.SPEED) as demo:
            around = surroundings(folder, demo.address)
            around |= {"FOCUSCRAWL_CLOCK": "stepping:clock", "DAY_FILE": str(day_file)}
            around["PYTHONPATH"] += os.pathsep + str(folder)
            step_to(demo, 0.0)
            live = [start(around) for _ in range(2)]
            for day in steps:
                step_to(demo, day)
                wait_until_quiet(log)
                assert all(one.poll() is None for one in live), "they stay"
                if day == steps[len(steps) // 2]:
                    leave(live.pop(0))
                    live.append(start(around))
            for one in live:
                leave(one)
    finally:
        for one in workers:
            one.kill()
            one.wait()
        redis.stop(kill=True)
    with closing(sqlite3.connect(folder / "days.db")) as database:
        pages = [pages for (pages,) in database.execute("SELECT pages FROM crawl_runs")]
    for number in range(len(workers)):
        assert "Traceback" not in (folder / f"worker-{number}.log").read_text("utf-8")
    return Lived(days._judge(web, folder, log, steps, float(until)), pages)


def leave(worker: subprocess.Popen[bytes]) -> None:
    """Let a worker end in order."""
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0


def wait_until_quiet(log: Path) -> None:
    """Wait until whatever is due has been asked for."""
    before, since, begun = answered(log), time.monotonic(), time.monotonic()
    seen = before
    while True:
        now = time.monotonic()
        assert now - begun < LONGEST_STEP, "a step does not end"
        if (count := answered(log)) != seen:
            seen, since = count, now
        if now - since > (QUIET if seen > before else HEARD):
            return
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("seed", "size", "until"), [(102, "small", 2), (1, "full", days.TOUR_DAYS)]
)
def test_two_workers_that_stay_tell_what_happens_once_and_nothing_else(
    tmp_path: Path, seed: int, size: str, until: int
) -> None:
    seen = lived(tmp_path, DemoWeb(seed, size), size, until)
    for finding in seen.findings:
        print(finding.name, finding.right, finding.total, finding.note, *finding.misses[:5])
    print("pages by worker:", seen.pages)
    assert not [finding.name for finding in seen.findings if finding.lost]
    assert min(seen.pages) > 0
