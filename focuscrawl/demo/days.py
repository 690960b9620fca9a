"""Two weeks of the demo in some minutes: the web moves on, and is crawled twice a day.

Each crawl is a process of its own that ends, as a timer would start it, with a clock that begins on
the web's day. When the days are over it goes on until everything that has happened must have shown.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from focuscrawl.demo.clock import DAY_VARIABLE
from focuscrawl.demo.fortnight import Days, reporting
from focuscrawl.demo.report import Finding, read_log, read_results
from focuscrawl.demo.running import (
    Crawl,
    Outcome,
    Serve,
    Tell,
    crawl_of,
    served,
    surroundings,
    write_topics,
)
from focuscrawl.demo.threads import read_threads
from focuscrawl.demo.told import read_changes
from focuscrawl.demo.tour import plan
from focuscrawl.demo.web import DemoWeb

TOPIC = "days"
TOPIC_FILES = ("demo.toml", "days.toml")
RUNS_A_DAY = 2
TOUR_DAYS = 14
PATIENCE = 3.0
"""Days a page must be away to be reported as gone: days.toml visits an article after two days at the
latest, and believes that it is gone a day later."""

SPEED = 20.0
"""Divides the delays of the web: one of its sites takes a second for each answer."""


def days_tour(
    folder: Path,
    web: DemoWeb,
    tell: Tell,
    *,
    days: int = TOUR_DAYS,
    runs_a_day: int = RUNS_A_DAY,
    size: str = "full",
    workers: int = 1,
    redis: str = "",
    serve: Serve = served,
) -> Outcome:
    """Crawl for so many virtual days in an empty folder, and judge what was told of them.

    Each crawl is one of so many ``workers`` on the crawl in a ``redis``; "": it is one in a file. ``serve``
    serves the web and crawls it. Raises RuntimeError when the web cannot be served.
    """
    started = time.monotonic()
    write_topics(folder, *TOPIC_FILES)
    log = folder / "access.jsonl"
    # Two runs more: a page is due so long after it was fetched, some seconds after a run has begun.
    # So either of the visits that find it missing may be a run late.
    runs = int((days + PATIENCE) * runs_a_day) + 2
    steps = [run / runs_a_day for run in range(runs + 1)]
    command = crawl_of(TOPIC, *(("-s", f"REDIS_URL={redis}") if redis else ()))
    with serve(web, size, log, speed=SPEED) as demo:
        for day in steps:
            demo.move_to(day)
            around = surroundings(folder, demo.address) | {
                "FOCUSCRAWL_CLOCK": "focuscrawl.demo.clock:clock",
                DAY_VARIABLE: str(day),
                "FOCUSCRAWL_LINGER": "1s",
            }
            crawl = Crawl(command, folder, around, log)
            outputs = [folder / f"crawl-{day}.{worker}.log" for worker in range(workers)]
            if status := demo.crawl(crawl, outputs, tell, f"day {day:g}"):
                break
    findings = _judge(web, folder, log, steps, float(days))
    return Outcome(tuple(findings), status, None, 0, time.monotonic() - started)


def _judge(
    web: DemoWeb, folder: Path, log: Path, steps: Sequence[float], until: float
) -> list[Finding]:
    database = folder / f"{TOPIC}.db"
    if not database.exists():
        return [Finding("results database", 0, 1, (str(database),), fatal=True)]
    reached = [plan(web, day).expected for day in steps]
    days = Days(web, until, steps, [len(pages) for pages in reached], reached[-1], PATIENCE)
    kept, threads = read_results(database, TOPIC), read_threads(database, TOPIC)
    return reporting(days, read_log(log), kept, threads, read_changes(database, TOPIC))
