"""Milliseconds that ``scrapy explain`` takes in a crawl file of a million URLs, which somebody crawls.

Method. A crawl file with 10^6 URLs that wait, on 2,000 sites (500 each, in runs of 40 as the links of pages
come, two levels), written in windows of 1,000 as a crawl writes them, and results without a page. A process
of its own holds the file and commits a window every half second. Then in processes of their own, so that each
begins cold: the whole command ``scrapy explain NAME ADDRESS`` for a URL at the beginning, in the middle and at
the end of the file, one that was never seen, and a host; and the same for a crawl file of one URL, which is the start of the
command. They take turns, ``ROUNDS`` times. ``explain_ms`` is the median over all addresses, of each the median of
its rounds, beyond the start; ``worst_ms`` the slowest address. ``cpu_ms`` and ``worst_cpu_ms`` are the same in CPU of
the command (user and system), which other programs on the machine disturb less.

``index_us`` is what a URL costs by which a crawl gets a table of keys in the same transaction, in which
``explain`` would find a row at once, and ``url_us`` what it costs without: 200,000 URLs each, by turns, three
rounds, the median.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from hashlib import md5
from pathlib import Path
from typing import NamedTuple

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.stores.state.protocol import Changes, Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Waiting

URLS, QUICK = 1_000_000, 100_000
SITES, IN_A_ROW, WINDOW = 2_000, 40, 1_000
ROUNDS, INDEX_ROUNDS = 5, 3
INDEXED = 200_000
TOPIC = '[topic]\nkeywords = ["食品"]\n[[source]]\nurls = ["http://site-0.example/"]\n[follow]\nscope = "web"\n'
HOLD = """
import sys, time
from pathlib import Path
from benchmarks.explain import windows
from focuscrawl.stores.state.sqlite import SQLiteStore
store = SQLiteStore(Path(sys.argv[1]))
store.own()
print("held", flush=True)
for changes in windows(int(sys.argv[2]) + 1, 10 ** 6):
    store.commit(changes)
    time.sleep(0.5)
"""


class Cost(NamedTuple):
    """What a command takes: seconds until it has ended, and of CPU."""

    seconds: float
    cpu: float


def waiting(number: int) -> Waiting:
    """Return a URL as it waits."""
    site = f"site-{number // IN_A_ROW % SITES}.example"
    url = f"http://{site}/news/2026/{number % 12 + 1:02d}/{number}/article_{number}.html"
    key = md5(url.encode()).digest()
    anchor = f"四川食品安全抽检公告第{number}期"
    return Waiting(url, key, site, 3 + number % 2, 3, None, 2, anchor, key[::-1], "news")


def windows(first: int, count: int) -> Iterator[dict[int, Changes]]:
    """Go through what a crawl commits."""
    for start in range(first, first + count, WINDOW):
        changes: dict[int, Changes] = {}
        for number in range(start, min(start + WINDOW, first + count)):
            one = waiting(number)
            partition = partition_of(one.site)
            part = changes.setdefault(partition, Changes())
            part.added.append(Row(number, one))
            part.seen.append(key_number(one.key, partition))
        yield changes


def write(path: Path, count: int) -> float:
    """Write a crawl file; returns the seconds that committing took."""
    store = SQLiteStore(path)
    store.own()
    took = 0.0
    for changes in windows(1, count):
        began = time.perf_counter()
        store.commit(changes)
        took += time.perf_counter() - began
    store.release()
    return took


def cost_of(folder: Path, name: str, what: str) -> Cost:
    """Return what the command takes."""
    environment = os.environ | {
        "FOCUSCRAWL_DATA_DIR": str(folder),
        "FOCUSCRAWL_TOPICS": str(folder),
        "SCRAPY_SETTINGS_MODULE": "focuscrawl.settings",
    }
    command = [sys.executable, "-m", "scrapy", "explain", name, what]
    began = time.perf_counter()
    with (folder / "said").open("wb+") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}: {said.read().decode()}")
    return Cost(took, used.ru_utime + used.ru_stime)


def beyond_start(folder: Path, asked: Mapping[str, str]) -> tuple[float, dict[str, Cost]]:
    """Return the seconds of the start, and what each answer takes beyond it."""
    small = waiting(1).url
    cost_of(folder, "small", small)  # warms what the system keeps of files
    starts: list[Cost] = []
    costs: dict[str, list[Cost]] = {what: [] for what in asked}
    for _ in range(ROUNDS):
        starts.append(cost_of(folder, "small", small))
        for what, address in asked.items():
            costs[what].append(cost_of(folder, "large", address))
    start = _medians(starts)
    return start.seconds, {
        what: Cost(one.seconds - start.seconds, one.cpu - start.cpu)
        for what, one in ((what, _medians(some)) for what, some in costs.items())
    }


def _medians(costs: Sequence[Cost]) -> Cost:
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def index_cost(folder: Path, count: int) -> tuple[float, float]:
    """Return the microseconds a URL costs, and those that a table of keys adds."""
    without, beside = [], []
    for turn in range(INDEX_ROUNDS):
        without.append(write(folder / f"without-{turn}.crawl.db", count) / count * 1e6)
        with_keys = sqlite3.connect(folder / f"keys-{turn}.db", isolation_level=None)
        with_keys.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            "CREATE TABLE keys (key BLOB PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID"
        )
        took = 0.0
        for changes in windows(1, count):
            rows = [
                (row.waiting.key, row.sequence) for one in changes.values() for row in one.added
            ]
            began = time.perf_counter()
            with_keys.execute("BEGIN IMMEDIATE")
            with_keys.executemany("INSERT OR REPLACE INTO keys VALUES (?, ?)", rows)
            with_keys.execute("COMMIT")
            took += time.perf_counter() - began
        with_keys.close()
        beside.append(took / count * 1e6)
    return statistics.median(without), statistics.median(beside)


def main() -> None:
    """Measure, and print the result as the last line."""
    quick = arguments(__doc__).quick
    urls = QUICK if quick else URLS
    with tempfile.TemporaryDirectory(prefix="explain-") as name:
        folder = Path(name)
        for topic, count in (("small", 1), ("large", urls)):
            (folder / f"{topic}.toml").write_text(TOPIC, "utf-8")
            write(folder / f"{topic}.crawl.db", count)
        asked = {
            "first": waiting(1).url,
            "middle": waiting(urls // 2).url,
            "last": waiting(urls).url,
            "never seen": "http://site-7.example/never.html",
            "host": "site-1234.example",
        }
        hold = [sys.executable, "-c", HOLD, str(folder / "large.crawl.db"), str(urls)]
        with subprocess.Popen(hold, stdout=subprocess.PIPE, text=True) as holder:
            try:
                if not holder.stdout or holder.stdout.readline() != "held\n":
                    raise RuntimeError("the crawl file could not be held")
                start, took = beyond_start(folder, asked)
            finally:
                holder.kill()
        url_us, index_us = index_cost(folder, INDEXED // (10 if quick else 1))
    milliseconds = {what: [number * 1000 for number in cost] for what, cost in took.items()}
    table(
        ("what is asked", "ms beyond the start", "ms of CPU"),
        [(what, *map(round, cost)) for what, cost in milliseconds.items()],
    )
    waits, cpu = zip(*milliseconds.values(), strict=True)
    finish(
        {
            "urls": urls,
            "start_s": round(start, 2),
            "explain_ms": round(statistics.median(waits)),
            "worst_ms": round(max(waits)),
            "cpu_ms": round(statistics.median(cpu)),
            "worst_cpu_ms": round(max(cpu)),
            "url_us": round(url_us, 2),
            "index_us": round(index_us, 2),
        }
    )


if __name__ == "__main__":
    main()
