"""Killing a crawl at a moment, or inside a commit."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.parts.arms import Arm
from benchmarks.parts.children import start_crawl
from benchmarks.parts.web import Answering, Web
from tests.programs import Running

MOMENTS = (0.01, 0.35, 0.70)
LONGEST_RUN = 600.0
LOOK_EVERY = 0.001
ANSWER_DELAY = 0.01
"""Seconds that the web takes for an answer."""


class Trigger(NamedTuple):
    """Kill once so many pages were answered; with a file, at its next change (or that many) after."""

    pages: int
    file: Path | None = None
    changes: int = 1


@contextmanager
def served(answering: Answering) -> Iterator[tuple[Path, str]]:
    """Serve a web for one arm; gives a folder for it, and the web's address."""
    with (
        tempfile.TemporaryDirectory(prefix="focuscrawl-kill9-") as folder,
        Web(answering, delay=ANSWER_DELAY) as web,
    ):
        yield Path(folder), f"http://127.0.0.1:{web.port}"


def at_moments(pages: int) -> list[Trigger]:
    """Return the triggers of the ordinary arms."""
    return [Trigger(max(1, round(pages * moment))) for moment in MOMENTS]


def in_commits(pages: int, kills: int, files: Sequence[Path]) -> list[Trigger]:
    """Return evenly spread triggers, each aimed at the next change of one of the files in turn."""
    return [
        Trigger(pages * number // (kills + 1), files[number % len(files)])
        for number in range(1, kills + 1)
    ]


def start(arm: Arm) -> Running:
    """Start the arm's crawl."""
    return start_crawl(arm.command(), arm.folder, arm.folder / "log", arm.environment)


def stamp(file: Path) -> tuple[int, int]:
    """Return what changes when a file is written to."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def killed(process: Running, answered: Callable[[], int], trigger: Trigger) -> bool:
    """Kill the process at the trigger; False when it ended before."""
    while answered() < trigger.pages:
        if process.poll() is not None:
            return False
        time.sleep(LOOK_EVERY)
    for file in [trigger.file] * trigger.changes if trigger.file is not None else ():
        before = stamp(file)
        while stamp(file) == before:  # no sleep: a commit takes a millisecond or two
            if process.poll() is not None:
                return False
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def kills(arm: Arm, answered: Callable[[], int], triggers: Sequence[Trigger]) -> Iterator[None]:
    """Start the crawl anew for each trigger; gives the moment after each kill."""
    for trigger in triggers:
        if killed(start(arm), answered, trigger):
            yield


def to_its_end(arm: Arm) -> None:
    """Crawl until the crawl ends by itself. Raises RuntimeError when it fails."""
    process = start(arm)
    try:
        status = process.wait(LONGEST_RUN)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    if status:
        log = (arm.folder / "log").read_text("utf-8", "replace")
        raise RuntimeError(f"{type(arm).__name__} ended with status {status}:\n{log[-4000:]}")


def longest_resume(arm: Arm) -> float:
    """Return the longest time from opening the scheduler to the first request after a kill."""
    waits = [float(line) for line in arm.resumes.read_text().splitlines()]
    return round(max(waits[1:], default=0.0), 3)
