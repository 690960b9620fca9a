"""Many topics in one process against a process for each: memory, CPU, and what shared sites are asked.

Method. ``TOPICS`` topics, each with a site of its own (a list and articles of about 40 kB, no delay) and a
source on one of ``SHARED`` sites that ten topics each share (a list, two articles, ``SHARED_DELAY`` between
requests). The web is a proxy on loopback in this process. ``focuscrawl run --all`` crawls all of them in one
process, then each is crawled by a ``scrapy crawl`` of its own, two at a time, into an empty folder.
CPU (user and system) and the largest resident size are the kernel's count of each process.

``memory_mb`` is the one process's, ``one_mb`` the median of the processes with one topic,
``topic_mb`` what each further topic adds. ``cpu_ratio`` is the one process's CPU over that of all the others
together, with 20 pages a topic; ``cpu_ratio_long`` the same with 500. ``delay_violations`` counts requests
for anything of a shared site (robots.txt, too) that arrived sooner than its delay after the one before,
``missing`` articles that were not stored.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.parts.articles import body, path
from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.web import NOT_FOUND, Web, answer

TOPICS, QUICK_TOPICS = 50, 6
PAGES, QUICK_PAGES = (20, 500), (20,)
SHARE = 10
"""Topics that share a site."""

SHARED_DELAY = 0.1
SLACK = 0.001
"""Seconds by which two clocks may differ: the crawl's and this process's are read a moment apart."""

SENTENCE = "成都市住房和城乡建设局昨日公布新一批项目的进展，施工单位表示将按计划推进各项工作。"
TOPIC = """[topic]
keywords = ["食品|项目"]

[[source]]
urls = ["http://own{number}.test/", "http://shared{shared}.test/"]

[relevance]
threshold = 0

[politeness]
delay = "{delay}ms"

[site."own{number}.test".politeness]
delay = "0ms"

[settings]
RETRY_TIMES = 0
"""


class Cost(NamedTuple):
    """What a process has used: seconds of CPU, megabytes at most."""

    cpu: float
    megabytes: float


class Pages:
    """The web: sites of topics with so many pages each, and sites that several share; ``log`` of the latter."""

    def __init__(self, pages: int) -> None:
        self.log: dict[str, list[float]] = {}
        self._own = {path(page): answer(body(page, pages)) for page in range(pages - 4)}
        links = "".join(
            f'<li><a href="{one}">关于项目建设的通告 {one}</a></li>' for one in self._own
        )
        self._own["/"] = answer(_page("通告列表", f"<ul>{links}</ul>"))
        self._shared = {
            f"/notice/{one}.html": answer(_page(f"第{one}号项目通告", _prose(one)))
            for one in (1, 2)
        }
        links = "".join(f'<li><a href="{one}">关于项目的通告</a></li>' for one in self._shared)
        self._shared["/"] = answer(_page("项目通告列表", f"<ul>{links}</ul>"))

    def __call__(self, asked: str) -> bytes:
        """Answer a request for a whole address, as a proxy gets it."""
        address = urlsplit(asked)
        if not address.netloc.startswith("shared"):
            return self._own.get(address.path, NOT_FOUND)
        self.log.setdefault(address.netloc, []).append(time.monotonic())
        return self._shared.get(address.path, NOT_FOUND)

    def violations(self) -> int:
        """Count requests that came too soon."""
        gaps = (
            later - sooner for moments in self.log.values() for sooner, later in pairwise(moments)
        )
        return sum(gap < SHARED_DELAY - SLACK for gap in gaps)


def _page(title: str, content: str) -> bytes:
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{content}</body></html>"
    return html.encode()


def _prose(number: int) -> str:
    text = "".join(f"<p>第{number}-{part}条:{SENTENCE * 2}</p>" for part in range(6))
    return f"<p>发布时间:2026-11-18 08:00 来源:四川日报</p>{text}"


def project(folder: Path, topics: int) -> Path:
    """Write a project with so many topics, and return its folder."""
    (folder / "topics").mkdir(parents=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n", "utf-8")
    for number in range(topics):
        text = TOPIC.format(number=number, shared=number // SHARE, delay=round(SHARED_DELAY * 1000))
        (folder / "topics" / f"topic{number}.toml").write_text(text, "utf-8")
    return folder


def ended(folder: Path, port: int, *command: str) -> Cost:
    """Run a command to its end. Raises RuntimeError when it fails."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "http_proxy": f"http://127.0.0.1:{port}",
    }
    log = folder / f"{'-'.join(command)}.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *command], cwd=folder, env=environment, stderr=written
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}:\n{log.read_text()[-3000:]}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def missing(folder: Path, topics: int, pages: int) -> int:
    """Return how many articles were not stored: of ``pages`` two are lists."""
    found = 0
    for number in range(topics):
        with closing(sqlite3.connect(folder / "crawls" / f"topic{number}.db")) as database:
            found += database.execute("SELECT count(*) FROM articles").fetchone()[0]
    return topics * (pages - 2) - int(found)


def compare(topics: int, pages: int) -> dict[str, Any]:
    """Crawl in one process, then in one for each topic."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as threads:
        together, apart = (project(Path(name) / one, topics) for one in ("together", "apart"))
        answers = Pages(pages)
        with Web(answers) as web:
            many = ended(together, web.port, "run", "--all", "-s", "LOG_LEVEL=WARNING")
            violations, left = answers.violations(), missing(together, topics, pages)
            print(f"{topics} topics of {pages} pages in one process: {many}", flush=True)

            def alone(number: int) -> Cost:
                return ended(apart, web.port, "crawl", f"topic{number}", "-s", "LOG_LEVEL=WARNING")

            single = list(threads.map(alone, range(topics)))
            left += missing(apart, topics, pages)
    one = median(cost.megabytes for cost in single)
    return {
        "memory_mb": round(many.megabytes, 1),
        "one_mb": round(one, 1),
        "topic_mb": round((many.megabytes - one) / max(1, topics - 1), 2),
        "cpu_ratio": round(many.cpu / sum(cost.cpu for cost in single), 3),
        "cpu_s": round(many.cpu, 2),
        "delay_violations": violations,
        "missing": left,
    }


def run(topics: int, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Compare with few pages a topic, and with many."""
    found = [compare(topics, pages) for pages in sizes]
    rows = [(pages, *one.values()) for pages, one in zip(sizes, found, strict=True)]
    table(("pages a topic", *found[0]), rows)
    figures: dict[str, Any] = {"topics": topics, "load_average": round(os.getloadavg()[0], 1)}
    for one, ending in zip(found, ("", "_long"), strict=False):
        figures |= {f"{name}{ending}": value for name, value in one.items()}
    return figures


def main() -> None:
    """Run, or with ``--quick`` a few topics with few pages."""
    given = arguments(__doc__, "topics", "pages")
    topics = int(given.topics or (QUICK_TOPICS if given.quick else TOPICS))
    sizes = tuple(map(int, given.pages.split(","))) if given.pages else ()
    finish(run(topics, sizes or (QUICK_PAGES if given.quick else PAGES)))


if __name__ == "__main__":
    main()
