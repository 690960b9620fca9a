"""What one URL costs the frontier over the embedded store: time per step, memory, opening.

Method. Each size (10⁵, 10⁶, without ``--quick`` also 10⁷ URLs) is run over 10³ and 10⁵ sites.
Every site has a URL; the others come in runs of eight of one site and level, as the links of a
page do, half of them on 1 % of the sites. The URLs stand in five levels (50, 20, 15, 10, 5 %).
The store is the real one in a temporary folder, synchronous NORMAL, committed every 500
operations. Every part runs in a process of its own:

- *fill* adds every URL (push: ``Frontier.add`` and the commits) and then known ones again
  (duplicate). Making the URLs and their keys is not counted. With ``--quick`` two sizes are filled
  at the same time, so that all is over within a minute; nothing runs beside a drain.
- *drain* opens the store (``own``, ``load`` and ``Frontier.load`` as one figure) and then takes
  and acknowledges in turn, 32 at a time: pop is ``Frontier.take`` with reading the row back from
  the file, acknowledge is ``Frontier.acknowledge`` with the commits. Sites have no delay and take
  one request at a time.
- *memory* is the growth of the resident set over adding all URLs: once to a frontier that passes
  the seen set by (``waiting_bytes``) and whose commits go nowhere, once to a seen set alone
  (``seen_bytes``).

Times are CPU time of the process (user and system) in microseconds, since the machine may be
shared; wall times stand beside them in the table. pop and acknowledge are means over half
of the URLs, at most 100,000, duplicates over 100,000. ``reference_us`` is the CPU time of one MD5 of 16
bytes: of two runs, the one where it is higher had the busier machine, and all its times are higher.
``pop_md5`` is free of that: a pop in MD5s that are timed between the slices of the same drain (10⁶ URLs
over 10⁵ sites), the median of the drain's five fifths. It compares two versions of the frontier.

``--explore`` measures the lane of exploration instead (benchmarks/parts/exploring.py).
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import statistics
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import md5
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.parts import exploring
from benchmarks.parts.children import arguments, finish, in_child, resident_bytes, table
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.frontier.seen import SeenSet
from focuscrawl.stores.state.protocol import Store
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, Waiting

SITES = (1_000, 100_000)
SIZES = (100_000, 1_000_000, 10_000_000)
QUICK_SIZES = SIZES[:2]
COMMIT_OPERATIONS = 500
IN_FLIGHT = 32
MOST_POPS = 100_000
MOST_DUPLICATES = 100_000
RUN = 8
LEVEL_SHARES = (50, 20, 15, 10, 5)
PARENT = bytes(range(16))
MD5S = 200
"""MD5s between two slices of a drain: they take about as long as the slice of pops."""

PARTS_OF_DRAIN = 5
"""The slices that fall on these are compared with their own MD5s; the median counts."""


def spread(urls: int, sites: int) -> Iterator[tuple[int, int]]:
    """Go through (number of the site, level) of every URL."""
    luck = random.Random(0)
    levels = luck.choices(range(1, 6), LEVEL_SHARES, k=min(urls, sites))
    order = array("l", range(sites))
    luck.shuffle(order)
    yield from zip(order, levels, strict=False)
    left = urls - len(levels)
    busy = max(1, sites // 100)
    while left > 0:
        site = luck.randrange(busy if luck.random() < 0.5 else sites)
        level = luck.choices(range(1, 6), LEVEL_SHARES)[0]
        for _ in range(min(RUN, left)):
            yield site, level
        left -= RUN


def addresses(urls: int, sites: int) -> Iterator[tuple[Waiting, int]]:
    """Make the URLs with their 64-bit numbers."""
    for count, (site, level) in enumerate(spread(urls, sites)):
        name = f"www.site{site}.example"
        url = f"http://{name}/news/2026/11/article-{count}.html"
        key = md5(url.encode(), usedforsecurity=False).digest()
        waiting = Waiting(
            url, key, name, level, level, PageClass.ARTICLE, 3, "一个链接的文字", PARENT, "news"
        )
        yield waiting, int.from_bytes(key[:8], "little")


def frontier_over(store: Store | None) -> Frontier:
    """Return a frontier as a crawl has it, without delays."""
    polite = Politeness()
    return Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda site: polite,
        partition_of=partition_of,
        stored=store.read if store else lambda sequence, level: None,
        random=random.Random(0).random,
    )


class Clock:
    """Sums CPU and wall seconds over many short stretches."""

    def __init__(self) -> None:
        self.cpu = 0.0
        self.wall = 0.0

    def __enter__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def __exit__(self, *unused: object) -> None:
        self.cpu += time.process_time() - self._cpu
        self.wall += time.perf_counter() - self._wall

    @classmethod
    def sum(cls, clocks: Sequence[Clock]) -> Clock:
        """Return what several have measured together."""
        clock = cls()
        clock.cpu = sum(one.cpu for one in clocks)
        clock.wall = sum(one.wall for one in clocks)
        return clock

    def per(self, count: int, name: str) -> dict[str, float]:
        """Return microseconds for each of ``count`` steps."""
        return {f"{name}_us": self.cpu / count * 1e6, f"{name}_wall_us": self.wall / count * 1e6}


# The parts, each in its own process --------------------------------------------------------------


def fill(path: Path, urls: int, sites: int) -> dict[str, float]:
    """Add all URLs, then known ones again."""
    store = SQLiteStore(path)
    store.own()
    frontier = frontier_over(store)
    made = addresses(urls, sites)
    pushing, repeating = Clock(), Clock()
    while batch := list(islice(made, COMMIT_OPERATIONS)):
        with pushing:
            for waiting, number in batch:
                frontier.add(waiting, number)
            commit(frontier, store)
    repeated = 0
    again = addresses(min(urls, MOST_DUPLICATES), sites)
    while batch := list(islice(again, COMMIT_OPERATIONS)):
        with repeating:
            for waiting, number in batch:
                frontier.add(waiting, number)
        repeated += len(batch)
    if frontier.counts().waiting != urls:
        raise RuntimeError(f"{frontier.counts()} instead of {urls} waiting")
    store.release()
    return {**pushing.per(urls, "push"), **repeating.per(repeated, "duplicate")}


def drain(path: Path, urls: int) -> dict[str, float]:
    """Open the store, then take and acknowledge."""
    store = SQLiteStore(path)
    frontier = frontier_over(store)
    opening, acknowledging = Clock(), Clock()
    takings, hashings = ([Clock() for _ in range(PARTS_OF_DRAIN)] for _ in range(2))
    with opening:
        loaded = asyncio.run(store.load(store.own()))
        frontier.load(loaded, 0.0)
    del loaded
    most = min(urls // 2, MOST_POPS)  # the last URLs are those of a few busy sites
    done = 0
    now = 0.0
    while done < most:
        now += 0.01
        fifth = done * PARTS_OF_DRAIN // most
        with takings[fifth]:
            rows = [frontier.take(now, now) for _ in range(IN_FLIGHT)]
        with hashings[fifth]:
            hash_often(MD5S)
        taken = [row.sequence for row in rows if row is not None]
        with acknowledging:
            for sequence in taken:
                frontier.acknowledge(sequence, now)
            if frontier.operations >= COMMIT_OPERATIONS:
                commit(frontier, store)
        if len(taken) < IN_FLIGHT:
            raise RuntimeError(f"only {len(taken)} URLs were ready after {done}")
        done += len(taken)
    size = path.stat().st_size
    store.release()
    taken_per_hash = [
        (taking.cpu / hashing.cpu) for taking, hashing in zip(takings, hashings, strict=True)
    ]
    taking = Clock.sum(takings)
    return {
        "pop_md5": statistics.median(taken_per_hash) * MD5S / IN_FLIGHT,
        "open_s": opening.cpu,
        "open_wall_s": opening.wall,
        "disk_bytes": size / urls,
        **taking.per(done, "pop"),
        **acknowledging.per(done, "acknowledge"),
    }


def commit(frontier: Frontier, store: SQLiteStore) -> None:
    """Write what was gathered."""
    store.commit(frontier.drain())
    frontier.committed()


def waiting_memory(urls: int, sites: int) -> float:
    """Return resident bytes for each waiting URL, without the seen set."""
    _add_again(frontier_over(None), 1_000, 1_000)  # code paths and their caches are no URL's cost
    before = resident_bytes()
    frontier = frontier_over(None)
    _add_again(frontier, urls, sites)
    gc.collect()
    grown = resident_bytes() - before
    if frontier.counts().waiting != urls:
        raise RuntimeError(f"{frontier.counts()} instead of {urls} waiting")
    return grown / urls


def _add_again(frontier: Frontier, urls: int, sites: int) -> None:
    # The payload goes with the commit: what stays depends on site and level only.
    for count, (site, level) in enumerate(spread(urls, sites), 1):
        frontier.add_again(Waiting("", b"", f"www.site{site}.example", level, level))
        if count % COMMIT_OPERATIONS == 0:
            frontier.drain()
            frontier.committed()


def seen_memory(urls: int) -> float:
    """Return resident bytes for each number in the seen set."""
    luck = random.Random(0)
    warm = SeenSet()
    for _ in range(30_000):
        warm.add(luck.getrandbits(64))
    before = resident_bytes()
    seen = SeenSet()
    for _ in range(urls):
        seen.add(luck.getrandbits(64))
    gc.collect()
    grown = resident_bytes() - before
    if len(seen) != urls:
        raise RuntimeError(f"{len(seen)} instead of {urls} seen")
    return grown / urls


def hash_often(count: int) -> None:
    """Take so many MD5s of a short text."""
    for _ in range(count):
        md5(PARENT, usedforsecurity=False).digest()


def reference() -> float:
    """Return the microseconds of one MD5 of a short text: how busy the machine is."""
    clock = Clock()
    with clock:
        hash_often(200_000)
    return clock.per(200_000, "md5")["md5_us"]


# All of it ---------------------------------------------------------------------------------------


def part(name: str, **options: object) -> dict[str, Any]:
    """Run one part in a process of its own."""
    return in_child("benchmarks.frontier", {"part": name, **options})


def times(places: Sequence[tuple[int, int]], fills_at_once: int) -> list[dict[str, Any]]:
    """Measure the steps of each size over so many sites; taking has nothing beside it."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-frontier-") as folder:
        paths = [Path(folder) / f"{urls}-{sites}.crawl.db" for urls, sites in places]
        filled = at_once(
            fills_at_once,
            [
                {"name": "fill", "urls": urls, "sites": sites, "path": path}
                for (urls, sites), path in zip(places, paths, strict=True)
            ],
        )
        return [
            {"urls": urls, "sites": sites, **adding, **part("drain", urls=urls, path=path)}
            for (urls, sites), path, adding in zip(places, paths, filled, strict=True)
        ]


def memory(places: Sequence[tuple[int, int]], largest: int) -> list[dict[str, Any]]:
    """Measure memory at all sizes, and last that of the seen set."""
    waiting = [{"name": "waiting", "urls": urls, "sites": sites} for urls, sites in places]
    return at_once(2, [*waiting, {"name": "seen", "urls": largest}])


def at_once(processes: int, parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run parts, so many at a time."""
    with ThreadPoolExecutor(processes) as threads:
        return list(threads.map(lambda options: part(**options), parts))


COLUMNS = (
    "urls",
    "sites",
    "push_us",
    "push_wall_us",
    "duplicate_us",
    "pop_us",
    "pop_md5",
    "pop_wall_us",
    "acknowledge_us",
    "waiting_bytes",
    "disk_bytes",
    "open_s",
    "open_wall_s",
)


def run(sizes: tuple[int, ...], sites: tuple[int, int], fills_at_once: int = 1) -> dict[str, Any]:
    """Measure everything and return the result."""
    places = [(urls, count) for urls in sizes for count in sites]
    timed = times(places, fills_at_once)
    *waiting, seen = memory(places, sizes[-1])
    measured = [{**row, **kept} for row, kept in zip(timed, waiting, strict=True)]
    table(COLUMNS, [[row[column] for column in COLUMNS] for row in measured])
    by_size = {(row["urls"], row["sites"]): row for row in measured}
    few, many = sites
    largest = sizes[-1]
    middle = sizes[min(1, len(sizes) - 1)]
    return {
        "pop_us_1e6_1e5": round(by_size[middle, many]["pop_us"], 2),
        "pop_md5": round(by_size[middle, many]["pop_md5"], 2),
        "pop_ratio_sites": round(
            by_size[middle, many]["pop_us"] / by_size[middle, few]["pop_us"], 2
        ),
        "waiting_bytes": round(by_size[largest, few]["waiting_bytes"], 1),
        "waiting_bytes_1e5": round(by_size[largest, many]["waiting_bytes"], 1),
        "seen_bytes": round(seen["seen_bytes"], 1),
        "open_1e6_s": round(
            max(by_size[middle, few]["open_wall_s"], by_size[middle, many]["open_wall_s"]), 2
        ),
        "reference_us": round(reference(), 2),
        "load_average": round(os.getloadavg()[0], 1),
        "middle_urls": middle,
        "largest_urls": largest,
        "all": [{name: round(value, 3) for name, value in row.items()} for row in measured],
    }


def main() -> None:
    """Run as a whole, or one part."""
    given = arguments(__doc__, "part", "urls", "sites", "path", "sizes", "explore")
    match given.part:
        case "fill":
            finish(fill(Path(given.path), int(given.urls), int(given.sites)))
        case "drain":
            finish(drain(Path(given.path), int(given.urls)))
        case "waiting":
            finish({"waiting_bytes": waiting_memory(int(given.urls), int(given.sites))})
        case "seen":
            finish({"seen_bytes": seen_memory(int(given.urls))})
        case "exploring" | "queued":
            finish(exploring.memory(int(given.urls), explore=given.part == "exploring"))
        case "opening":
            finish(exploring.opening(int(given.urls)))
        case _ if given.explore:
            finish(exploring.run(QUICK_SIZES[0] if given.quick else QUICK_SIZES[1]))
        case _:
            sizes = numbers(given.sizes) or (QUICK_SIZES if given.quick else SIZES)
            few, many = numbers(given.sites) or SITES
            finish(run(sizes, (few, many), 2 if given.quick else 1))


def numbers(text: str) -> tuple[int, ...]:
    """Read numbers with commas between."""
    return tuple(int(word) for word in text.split(",") if word)


if __name__ == "__main__":
    main()
