"""A report of a large topic: how long ``scrapy report`` takes, and how large its page is.

Method. Results of ``--pages`` pages and ``--articles`` articles, a tenth of them new, and a crawl file in
which ``--waiting`` URLs wait, are written once. Then the command is run as a person runs it, in a process of
its own, three times: ``report_s`` is the median of its whole time, start of Python included,
``report_start_s`` that of ``scrapy version`` in the same folder, ``html_kb`` the size of the page.

Each figure is an arm: a function of the folder that returns numbers by name (ARMS).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.parts.children import arguments, finish, table
from tests.stored_topic import store_queue, store_topic

TOPIC = "large"
ROUNDS = 3
PAGES, ARTICLES, WAITING = 100_000, 10_000, 20_000
QUICK_PAGES, QUICK_ARTICLES, QUICK_WAITING = 10_000, 2_000, 2_000
TEMPLATE = """
[topic]
title = "四川食品安全"
keywords = ["食品安全", "抽检"]
[[source]]
url = "http://site0.example/"
"""

Figures = dict[str, float]


def write_project(folder: Path, pages: int, articles: int, waiting: int) -> None:
    """Write a project with a topic that was crawled."""
    (folder / "topics").mkdir()
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = focuscrawl.settings\n")
    (folder / "topics" / f"{TOPIC}.toml").write_text(TEMPLATE, "utf-8")
    (folder / "crawls").mkdir()
    now = time.time()
    store_topic(folder / "crawls" / f"{TOPIC}.db", TOPIC, pages=pages, articles=articles, now=now)
    store_queue(folder / "crawls" / f"{TOPIC}.crawl.db", waiting, now)


def run_command(folder: Path, *words: str) -> float:
    """Run a command of Scrapy; returns the seconds it took. Raises CalledProcessError."""
    root = Path(__file__).parents[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOCUSCRAWL_", "SCRAPY_"))}  # fmt: skip
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "scrapy", *words],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(root)},
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - begun


def report_arm(folder: Path) -> Figures:
    """Measure the report."""
    run_command(folder, "version")  # what is compiled once is compiled now
    start = median(run_command(folder, "version") for _ in range(ROUNDS))
    page = folder / "crawls" / f"{TOPIC}.report.html"
    taken = median(run_command(folder, "report", TOPIC) for _ in range(ROUNDS))
    return {
        "report_s": round(taken, 2),
        "report_start_s": round(start, 2),
        "html_kb": round(page.stat().st_size / 1000, 1),
    }


ARMS: dict[str, Callable[[Path], Figures]] = {"report": report_arm}
"""By name; each is given the folder of the same project."""


def main() -> None:
    """Write the project and measure."""
    given = arguments(__doc__)
    sizes = (
        (QUICK_PAGES, QUICK_ARTICLES, QUICK_WAITING) if given.quick else (PAGES, ARTICLES, WAITING)
    )
    found: Figures = {"pages": float(sizes[0]), "articles": float(sizes[1])}
    with tempfile.TemporaryDirectory(prefix="report-") as name:
        folder = Path(name)
        write_project(folder, *sizes)
        for measure in ARMS.values():
            found |= measure(folder)
    table(["figure", "value"], [[name, value] for name, value in found.items()])
    finish(found)


if __name__ == "__main__":
    main()
