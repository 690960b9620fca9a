"""Runs the demo web and crawls of it as processes of their own, as a user would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

from focuscrawl.demo.answers import CONTROL_HOST
from focuscrawl.demo.report import Finding
from focuscrawl.demo.web import DemoWeb

POLL_EVERY = 0.05

Tell = Callable[[int, str], None]
"""Called from time to time: pages answered so far, and what is going on."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tour; ``killed_at`` None: no crawl was killed."""

    findings: tuple[Finding, ...]
    exit_status: int
    killed_at: float | None
    requests_before_kill: int
    seconds: float

    @property
    def good(self) -> bool:
        """Whether the crawls ended well and nothing was lost."""
        return self.exit_status == 0 and not any(finding.lost for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Crawl:
    """How the crawl is started, and where its requests are logged."""

    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str]
    log: Path


def crawl_of(topic: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that crawls a topic."""
    return (sys.executable, "-m", "scrapy", "crawl", topic, *arguments)


def topic_text(file: str) -> str:
    """Return a topic's template, as it is bundled."""
    return files("focuscrawl.demo").joinpath(file).read_text("utf-8")


def write_topics(folder: Path, *names: str) -> None:
    """Put bundled templates where the crawl looks for topics."""
    (folder / "topics").mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / "topics" / name).write_text(topic_text(name), "utf-8")


def surroundings(folder: Path, address: str) -> dict[str, str]:
    """The environment of the crawl: its own folders, and the demo web as proxy for all of http."""
    ours = ("FOCUSCRAWL_", "SCRAPY_", "SHUB_")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ours) and not name.lower().endswith("_proxy")
    }
    return kept | {
        "http_proxy": address,
        "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
        "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
        "FOCUSCRAWL_DATA_DIR": str(folder),
        "FOCUSCRAWL_TOPICS": str(folder / "topics"),
        "FOCUSCRAWL_RETRY_WAITS": "1s",
        "FOCUSCRAWL_LINGER": "20s",
    }


def answered(log: Path) -> int:
    """Return how many requests the web has answered."""
    return log.read_bytes().count(b"\n") if log.exists() else 0


def run_crawl(
    crawl: Crawl, output: Path, tell: Tell, doing: str, kill_after: int | None = None
) -> tuple[int, float | None]:
    """Crawl to the end, or kill when so many pages are answered: exit status, time of the kill."""
    with output.open("wb") as written:
        process = subprocess.Popen(
            crawl.command, cwd=crawl.folder, env=crawl.environment, stdout=written, stderr=written
        )
        try:
            while process.poll() is None:
                pages = answered(crawl.log)
                tell(pages, doing)
                if kill_after is not None and pages >= kill_after:
                    process.send_signal(signal.SIGKILL)
                    return process.wait(), time.time()
                time.sleep(POLL_EVERY)
            return process.returncode, None
        finally:
            process.kill()
            process.wait()


class ServedWeb:
    """The web while it is served at an ``address``, and what crawls it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def move_to(self, day: float) -> None:
        """Move the web on to a day."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": self.address}))
        with opener.open(f"http://{CONTROL_HOST}/_control?day={day}", timeout=30) as answer:
            answer.read()

    def crawl(self, crawl: Crawl, outputs: Sequence[Path], tell: Tell, doing: str) -> int:
        """Crawl to the end, by as many workers as there are ``outputs``: the worst exit status."""
        run = partial(run_crawl, crawl, tell=tell, doing=doing)
        with ThreadPoolExecutor(len(outputs)) as threads:
            return max(status for status, _ in threads.map(run, outputs))


@contextmanager
def served(web: DemoWeb, size: str, log: Path, *, speed: float = 1.0) -> Iterator[ServedWeb]:
    """Serve the web while the context lasts; crawls ask it as their proxy. ``speed`` divides its delays.

    Raises RuntimeError when it does not start.
    """
    command = [sys.executable, "-m", "focuscrawl.demo", "--seed", str(web.seed), "--size", size]
    command += ["--speed", str(speed), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            if not address:
                raise RuntimeError("the demo web did not start: see the message above")
            yield ServedWeb(address)
        finally:
            server.terminate()


Serve = Callable[..., AbstractContextManager[ServedWeb]]
"""``served``, or what serves and crawls in another way: with the same arguments."""
