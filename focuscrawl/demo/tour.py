"""The demo itself: serve the web, crawl it, kill the crawl once, go on, compare with the truth."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.demo import find
from focuscrawl.demo.report import Finding, fetching, read_log, read_results
from focuscrawl.demo.threads import posting, read_threads
from focuscrawl.demo.truth import Page
from focuscrawl.demo.verdicts import politeness, recording, storing, understanding
from focuscrawl.demo.web import DemoWeb

TOPIC = "demo"
TOPIC_FILE = "demo.toml"
DELAY = 0.05
"""Seconds between two requests to a site, as demo.toml says."""

CRAWL = (sys.executable, "-m", "scrapy", "crawl", TOPIC)
LOOK_EVERY = 0.05
CRAWL_DELAY = re.compile(r"^Crawl-delay:\s*([\d.]+)", re.MULTILINE)

Tell = Callable[[int, str], None]
"""Told from time to time: pages answered so far, and what is going on."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a tour; ``killed_at`` None: the crawl ended before it could be killed."""

    findings: tuple[Finding, ...]
    exit_status: int
    killed_at: float | None
    requests_before_kill: int
    seconds: float

    @property
    def good(self) -> bool:
        """Whether the crawl ended well and nothing was lost."""
        return self.exit_status == 0 and not any(finding.lost for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Crawl:
    """How the crawl is started, and where its requests are logged."""

    command: tuple[str, ...]
    folder: Path
    environment: dict[str, str]
    log: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """What the topic's rules let a crawl reach, from the truth alone."""

    expected: dict[str, Page]
    forbidden: tuple[str, ...]
    delays: dict[str, float]


def plan(web: DemoWeb) -> Plan:
    """Walk from the topic's sources over the hosts it names."""
    topic = tomllib.loads(_topic_text())
    starts = [
        url
        for source in topic["source"]
        for url in ([source["url"]] if "url" in source else source["urls"])
    ]
    hosts = {urlsplit(url).hostname or "" for url in starts} | set(topic["follow"]["sites"])
    expected = web.walk(starts, hosts=hosts)
    every = web.walk(starts, hosts=hosts, robots=False)
    delays = {}
    for host in hosts:
        if asked := CRAWL_DELAY.search(web.robots(host) or ""):
            delays[host] = float(asked[1])
    forbidden = tuple(url for url in every if url not in expected)
    # Threads that are not about the topic are read no further than their first page.
    expected = {
        url: page
        for url, page in expected.items()
        if page.thread is None or page.part == 1 or page.relevant
    }
    return Plan(expected, forbidden, delays)


def tour(
    folder: Path,
    web: DemoWeb,
    tell: Tell,
    *,
    kill_after: int | None = None,
    command: Sequence[str] = CRAWL,
    size: str = "full",
) -> Outcome:
    """Run the demo in an empty folder and judge it.

    The crawl (``command``) is killed when ``kill_after`` pages have been answered (None: half of
    those expected), then started again and left to its end. Raises RuntimeError when the web
    cannot be served.
    """
    started = time.monotonic()
    what = plan(web)
    kill_after = len(what.expected) // 2 if kill_after is None else kill_after
    (folder / "topics").mkdir(parents=True)
    (folder / "topics" / TOPIC_FILE).write_text(_topic_text(), "utf-8")
    log = folder / "access.jsonl"
    with _served(web, size, log) as address:
        crawl = Crawl(tuple(command), folder, _surroundings(folder, address), log)
        status, killed_at = _crawl(crawl, folder / "crawl-1.log", tell, "crawls", kill_after)
        before = _answered(log)
        if killed_at is not None:
            status, _ = _crawl(crawl, folder / "crawl-2.log", tell, "goes on after the kill", None)
    findings = _judge(what, folder, log, killed_at)
    return Outcome(tuple(findings), status, killed_at, before, time.monotonic() - started)


def search_tour(folder: Path, web: DemoWeb, tell: Tell, *, size: str = "full") -> Outcome:
    """Crawl once more, from the web's search engine alone, and see what a budget of pages finds.

    Nothing is lost by a page that was not found: no finding of it is fatal.
    """
    started = time.monotonic()
    what = find.search(web)
    find.write_topic(folder)
    log = folder / "access-find.jsonl"
    with _served(web, size, log) as address:
        limit = ("-a", f"limits.pages={what.budget}")
        command = (sys.executable, "-m", "scrapy", "crawl", find.TOPIC, *limit)
        crawl = Crawl(command, folder, _surroundings(folder, address), log)
        status, _ = _crawl(crawl, folder / "crawl-find.log", tell, "searches", None)
    findings = find.found(what, read_log(log) if log.exists() else [])
    return Outcome(tuple(findings), status, None, 0, time.monotonic() - started)


def _topic_text() -> str:
    return files("focuscrawl.demo").joinpath(TOPIC_FILE).read_text("utf-8")


@contextmanager
def _served(web: DemoWeb, size: str, log: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "focuscrawl.demo", "--seed", str(web.seed), "--size", size]
    with subprocess.Popen(
        [*command, "--log", str(log)], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().strip() if server.stdout else ""
            if not address:
                raise RuntimeError("the demo web did not start: see the message above")
            yield address
        finally:
            server.terminate()


def _surroundings(folder: Path, address: str) -> dict[str, str]:
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


def _answered(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _crawl(
    crawl: Crawl, output: Path, tell: Tell, doing: str, kill_after: int | None
) -> tuple[int, float | None]:
    """Crawl to the end, or kill when so many pages are answered: exit status, time of the kill."""
    with output.open("wb") as written:
        process = subprocess.Popen(
            crawl.command, cwd=crawl.folder, env=crawl.environment, stdout=written, stderr=written
        )
        try:
            while process.poll() is None:
                pages = _answered(crawl.log)
                tell(pages, doing)
                if kill_after is not None and pages >= kill_after:
                    process.send_signal(signal.SIGKILL)
                    return process.wait(), time.time()
                time.sleep(LOOK_EVERY)
            return process.returncode, None
        finally:
            process.kill()
            process.wait()


def _judge(what: Plan, folder: Path, log: Path, killed_at: float | None) -> list[Finding]:
    requests = read_log(log) if log.exists() else []
    findings = fetching(what.expected, what.forbidden, requests, killed_at)
    database = folder / f"{TOPIC}.db"
    if database.exists():
        kept = read_results(database, TOPIC)
        findings += storing(what.expected, requests, kept)
        findings += recording(what.expected, kept)
        findings += posting(what.expected, read_threads(database, TOPIC))
        findings += understanding(what.expected, kept)
    else:
        findings.append(Finding("results database", 0, 1, (str(database),), fatal=True))
    findings.append(politeness(requests, what.delays, DELAY))
    return findings
