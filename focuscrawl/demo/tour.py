"""The demo itself: serve the web, crawl it, kill the crawl once, go on, compare with the truth."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.demo import find
from focuscrawl.demo.report import Finding, fetching, read_log, read_results
from focuscrawl.demo.running import (
    Crawl,
    Outcome,
    Tell,
    answered,
    crawl_of,
    run_crawl,
    served,
    surroundings,
    topic_text,
    write_topics,
)
from focuscrawl.demo.threads import posting, read_threads
from focuscrawl.demo.truth import Page
from focuscrawl.demo.verdicts import politeness, recording, storing, understanding
from focuscrawl.demo.web import DemoWeb

TOPIC = "demo"
TOPIC_FILE = "demo.toml"
DELAY = 0.05
"""Seconds between two requests to a site, as demo.toml says."""

TOLD_DELAY = re.compile(r"^Crawl-delay:\s*([\d.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the topic's rules let a crawl reach, from the truth alone."""

    expected: dict[str, Page]
    forbidden: tuple[str, ...]
    delays: dict[str, float]


def plan(web: DemoWeb, day: float = 0.0) -> Plan:
    """Walk from the topic's sources over the hosts it names, on a virtual day."""
    topic = tomllib.loads(topic_text(TOPIC_FILE))
    starts = [
        url
        for source in topic["source"]
        for url in ([source["url"]] if "url" in source else source["urls"])
    ]
    hosts = {urlsplit(url).hostname or "" for url in starts} | set(topic["follow"]["sites"])
    expected = web.walk(starts, day, hosts)
    every = web.walk(starts, day, hosts, robots=False)
    delays = {}
    for host in hosts:
        if asked := TOLD_DELAY.search(web.robots(host) or ""):
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
    command: Sequence[str] = crawl_of(TOPIC),
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
    write_topics(folder, TOPIC_FILE)
    log = folder / "access.jsonl"
    with served(web, size, log) as demo:
        crawl = Crawl(tuple(command), folder, surroundings(folder, demo.address), log)
        status, killed_at = run_crawl(crawl, folder / "crawl-1.log", tell, "crawls", kill_after)
        before = answered(log)
        if killed_at is not None:
            status, _ = run_crawl(crawl, folder / "crawl-2.log", tell, "goes on after the kill")
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
    with served(web, size, log) as demo:
        command = crawl_of(find.TOPIC, "-a", f"limits.pages={what.budget}")
        crawl = Crawl(command, folder, surroundings(folder, demo.address), log)
        status = demo.crawl(crawl, [folder / "crawl-find.log"], tell, "searches")
    findings = find.found(what, read_log(log) if log.exists() else [])
    return Outcome(tuple(findings), status, None, 0, time.monotonic() - started)


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
