"""What it costs and gains to share a crawl over Redis.

One web of many sites (benchmarks/parts/shared_web.py), every answer after 0.4 s, real ``scrapy crawl`` processes,
a real Redis. A worker has so many requests open at once that it gets 15 pages a second (``slow``) or 100
(``fast``); nothing is read of articles (as in ``throughput``). An arm is measured from when all its workers
hold their share until SECONDS later.

- ``speedup_2``, ``speedup_4``: pages a second of 2 and 4 slow workers over those of one; ``idle`` is the least
  share of the machine that was idle meanwhile: below .2 the CPU was the limit, and the run says nothing.
- ``held_off``: by how many partitions a worker's part was off its share at most, one or two less than
  one being none.
- ``redis_us_page``, ``_slow``: microseconds of Redis's CPU a page, of one fast and one slow worker; what the
  idle server takes in the same time is taken off. ``scripts_s``: scripts a second and worker, over own
  partitions + 2; ``trips_s``: round trips a second; both the most of all arms.
- ``cpu_vs_embedded``: CPU a page of one fast worker over that of an embedded crawl that runs beside it, median
  of five pairs.
- ``cpu_vs_scrapy_redis``: CPU a page of one worker over that of a spider on scrapy-redis which follows every link, on the web
  of ``throughput`` (33 links a page, no delays), in turns, median of three rounds.
- ``join_s``: from when a second worker is known to Redis until it holds its half; ``leave_s``: from SIGTERM to one
  of two until the other holds all. Lease 3 s.
- ``waiting_bytes``: what a waiting URL takes in Redis beyond its row; ``seen_bytes``: a known one.
- ``stall_ms``: how long another client waits at most while a partition of 500,000 rows is taken over.
- ``end_early``: of ``looks`` for the end of a crawl of three workers, of which one at most has work, how many
  saw it before the last page was answered, and pages that nobody asked for; ``end_late_s``: how much later
  than that answer the workers saw it.

``--arms`` names some of speed, cpu, scrapy_redis, moves, store, end.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import throughput
from benchmarks.parts.children import arguments, finish, in_child, table
from benchmarks.parts.shared_crawl import SharedCrawl, Worker
from benchmarks.parts.shared_store import bytes_a_url, stall
from benchmarks.parts.shared_web import SharedWeb
from benchmarks.parts.web import Web
from focuscrawl.stores.redis.scripts import FINISHED
from focuscrawl.stores.redis.server import ScriptCall, Server
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.values import Json
from tests.servers.redis_server import RedisServer

ARMS = ("speed", "cpu", "scrapy_redis", "moves", "store", "end")
ANSWER_DELAY = 0.4
SLOW, FAST = 6, 40
"""Requests that are open at once: 15 and 100 pages a second."""

PAGES, SITES, CHAINS = 6_000, 2_000, 400
QUICK_PAGES = 1_500
SECONDS, QUICK_SECONDS = 20.0, 8.0
PAIRS, QUICK_PAIRS = 5, 1
PAIR_PAGES, QUICK_PAIR_PAGES = 1_000, 400
URLS, ROWS = 200_000, 500_000
QUICK_URLS, QUICK_ROWS = 64_000, 50_000
END_PAGES, END_CHAINS = 30, 2
LOOK_EVERY = 0.01
LONGEST_WAIT = 60.0
LEASE = {"FOCUSCRAWL_LEASE": "3s"}
SCRIPTS = ("begin", "join", "renew", "write", "release", "leave", "count", "finished")


def words(requests: int) -> tuple[str, ...]:
    """Return the settings of a worker that has so many requests open at once."""
    return ("-s", f"CONCURRENT_REQUESTS={requests}", "-s", "WITHOUT_TEXT=1")


@contextmanager
def crawl(
    pages: int,
    *,
    sites: int = SITES,
    chains: int = CHAINS,
    is_shared: bool = True,
    name: str = "shared",
) -> Iterator[SharedCrawl]:
    """Make a crawl over a web and a Redis of its own."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-shared-") as temporary:
        folder = Path(temporary)
        server = RedisServer(folder / "redis", appendonly="yes").start() if is_shared else None
        web = SharedWeb(pages, sites, chains, 1, ANSWER_DELAY)
        made = SharedCrawl(name, folder / name, web, server, delay=0.0, environment=LEASE)
        try:
            with web, made:
                yield made
        finally:
            if server is not None:
                server.stop()


def until(what: Callable[[], bool]) -> None:
    """Wait for something. Raises RuntimeError when it does not come."""
    end = time.monotonic() + LONGEST_WAIT
    while not what():
        if time.monotonic() > end:
            raise RuntimeError("waited in vain")
        time.sleep(LOOK_EVERY)


# Speed -------------------------------------------------------------------------------------------


class Moment(NamedTuple):
    """What had been used until some moment, in seconds; ``calls`` by worker."""

    at: float
    redis: float
    busy: float
    idle: float
    calls: list[Counter[str]]


def moment(made: SharedCrawl) -> Moment:
    """Look at everything."""
    cpu: Any = made.client().info("cpu")
    user, nice, system, idle, wait, *rest = map(
        int, Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    )
    calls = [Counter(latest_calls(worker)) for worker in made.workers]
    redis = cpu["used_cpu_user"] + cpu["used_cpu_sys"]
    return Moment(time.monotonic(), redis, user + nice + system + sum(rest), idle + wait, calls)


def latest_calls(worker: Worker) -> dict[str, int]:
    """Return what a worker has counted up to now, at most a second ago."""
    noted = [one for one in worker.calls_made() if "trips" in one]
    return (
        {name: value for name, value in noted[-1].items() if isinstance(value, int)}
        if noted
        else {}
    )


def speed(workers: int, requests: int, pages: int, seconds: float) -> Json:
    """Return what so many workers did while all of them worked."""
    with crawl(pages) as made:
        nothing = moment(made)
        time.sleep(2.0)
        rests = moment(made)
        idle_share = (rests.redis - nothing.redis) / (rests.at - nothing.at)
        for _ in range(workers):
            made.start(*words(requests))
        share = PARTITIONS / workers
        until(lambda: len(made.held()) == workers and max(made.held()) <= share + 1)
        time.sleep(3.0)  # until all of them are at full speed
        before = moment(made)
        time.sleep(seconds)
        after = moment(made)
        held = made.held()
        answered = made.web.count(before.at, after.at)
        ended = any(worker.process.poll() is not None for worker in made.workers)
        if ended:
            raise RuntimeError("the web is too small: a worker has ended while it was measured")
    took = after.at - before.at
    calls = [late - soon for late, soon in zip(after.calls, before.calls, strict=True)]
    scripts = [sum(one[name] for name in SCRIPTS) / took for one in calls]
    redis = after.redis - before.redis - idle_share * took
    everything = after.busy + after.idle - before.busy - before.idle
    return {
        "workers": workers,
        "pages_s": round(answered / took, 2),
        "idle": round((after.idle - before.idle) / everything, 3),
        "held_off": max(0.0, max(abs(count - share) for count in held) - 1),
        "redis_us_page": round(1e6 * redis / max(1, answered), 1),
        "scripts_s": round(max(scripts) / (share + 2), 3),
        "trips_s": round(max(one["trips"] for one in calls) / took, 2),
    }


def speeds(pages: int, seconds: float) -> Json:
    """Run the arms of speed."""
    rows = {f"slow_{one}": speed(one, SLOW, pages, seconds) for one in (1, 2, 4)}
    rows |= {f"fast_{one}": speed(one, FAST, 2 * pages, seconds / 2) for one in (1, 2)}
    table(["arm", *rows["slow_1"]], [[name, *row.values()] for name, row in rows.items()])
    alone = rows["slow_1"]["pages_s"]
    return {
        "speedup_2": round(rows["slow_2"]["pages_s"] / alone, 2),
        "speedup_4": round(rows["slow_4"]["pages_s"] / alone, 2),
        "idle": min(rows[f"slow_{one}"]["idle"] for one in (1, 2, 4)),
        "held_off": max(row["held_off"] for row in rows.values()),
        "redis_us_page": rows["fast_1"]["redis_us_page"],
        "redis_us_page_slow": rows["slow_1"]["redis_us_page"],
        "scripts_s": max(row["scripts_s"] for row in rows.values()),
        "trips_s": max(row["trips_s"] for row in rows.values()),
        **{name: row["pages_s"] for name, row in rows.items()},
    }


def pair(pages: int) -> float:
    """Return the CPU a page of a worker over that of an embedded crawl beside it."""
    with crawl(pages) as shared, crawl(pages, is_shared=False, name="embedded") as embedded:
        costs = []
        for one in (shared, embedded):
            one.start(*words(FAST))
        for one in (shared, embedded):
            one.to_its_end()
            costs += [
                noted["page_cpu"] for noted in one.workers[0].calls_made() if "page_cpu" in noted
            ]
    ours, theirs = costs
    print(f"shared {1e3 * ours:.2f} ms a page, embedded {1e3 * theirs:.2f}", flush=True)
    return float(ours / theirs)


# Coming, going, ending ---------------------------------------------------------------------------


def against_scrapy_redis(crawled: int, rounds: int) -> float:
    """Return the CPU a page of a worker over that of scrapy-redis."""
    web_of_pages = throughput.Pages(crawled * throughput.PAGES // throughput.CRAWLED)
    hosts = [throughput.host(number) for number in range(throughput.SITES)]
    ratios = []
    with (
        tempfile.TemporaryDirectory(prefix="focuscrawl-shared-") as folder,
        Web(web_of_pages, hosts) as web,
    ):
        web_of_pages.port = web.port
        web_of_pages.make()
        server = RedisServer(Path(folder)).start()
        options = {
            "port": web.port,
            "crawled": crawled,
            "pages": len(web_of_pages),
            "redis": server.url,
        }
        try:
            for _ in range(rounds):
                rows = []
                for arm in ("ours", "scrapy_redis"):
                    server.client().flushall()
                    rows.append(in_child("benchmarks.parts.crawl_arm", {"arm": arm, **options}))
                ours, theirs = (row["cpu_ms"] for row in rows)
                print(f"a worker {ours:.2f} ms a page, scrapy-redis {theirs:.2f}", flush=True)
                ratios.append(ours / theirs)
        finally:
            server.stop()
    return statistics.median(ratios)


def moves(pages: int) -> Json:
    """Return how long it takes to join, and to leave."""
    half = PARTITIONS // 2
    with crawl(pages) as made:
        first = made.start(*words(SLOW))
        until(lambda: made.web.count(0.0, time.monotonic()) > 10)
        made.start(*words(SLOW))
        until(lambda: int(made.client().zcard(made.key("workers"))) == 2)
        began = time.monotonic()
        until(lambda: made.held() == [half, half])
        joined = time.monotonic()
        time.sleep(1.0)
        first.process.terminate()
        left = time.monotonic()
        until(lambda: made.held() == [PARTITIONS])
        return {"join_s": round(joined - began, 2), "leave_s": round(time.monotonic() - left, 2)}


def look_for_the_end(made: SharedCrawl) -> tuple[list[float], list[float]]:
    """Ask Redis all the time whether the crawl has ended; returns when it was not, and when it was."""
    server = Server(made.client().connection_pool, made.key(""))
    found: tuple[list[float], list[float]] = [], []
    while made.live():
        (is_over,) = server.call([ScriptCall(FINISHED, ())])
        found[bool(is_over)].append(time.monotonic())
        time.sleep(LOOK_EVERY / 2)
    return found


def wait_for_the_end(made: SharedCrawl) -> tuple[list[float], list[float]]:
    """Wait until the workers themselves have seen the end."""
    until(lambda: bool(made.client().hget(made.key("run"), "finished")))
    return [], [time.monotonic()]


def end(see: Callable[[SharedCrawl], tuple[list[float], list[float]]]) -> tuple[int, int, float]:
    """Return how often was looked, how often the end was seen too early, and how late it was seen."""
    with crawl(END_PAGES, sites=40, chains=END_CHAINS) as made:
        for _ in range(3):
            made.start(*words(SLOW))
        until(lambda: len(made.held()) == 3)
        before, after = see(made)
        made.to_its_end()
        last = max(one.at for one in made.web.log)
        missing = len(made.web.urls) - len(made.web.answered())
    early = sum(at < last for at in after) + missing
    return len(before) + len(after), early, round(min(after) - last, 2)


def ends() -> Json:
    """Look whether the end is seen too early, and how late it is seen when nobody else looks."""
    looks, early, _ = end(look_for_the_end)
    _, early_too, late = end(wait_for_the_end)
    return {"looks": looks, "end_early": early + early_too, "end_late_s": late}


def main() -> None:
    """Run all arms, or those named by ``--arms``."""
    given = arguments(__doc__, "arms")
    quick = given.quick
    chosen = given.arms.split(",") if given.arms else ARMS
    found: Json = {}
    pages = QUICK_PAGES if quick else PAGES
    with tempfile.TemporaryDirectory(prefix="focuscrawl-shared-") as folder:
        if "speed" in chosen:
            found |= speeds(pages, QUICK_SECONDS if quick else SECONDS)
        if "cpu" in chosen:
            ratios = [
                pair(QUICK_PAIR_PAGES if quick else PAIR_PAGES)
                for _ in range(QUICK_PAIRS if quick else PAIRS)
            ]
            found["cpu_vs_embedded"] = round(statistics.median(ratios), 3)
        if "scrapy_redis" in chosen:
            crawled, rounds = (
                (throughput.QUICK, 1) if quick else (throughput.CRAWLED, throughput.ROUNDS)
            )
            found["cpu_vs_scrapy_redis"] = round(against_scrapy_redis(crawled, rounds), 3)
        if "moves" in chosen:
            found |= moves(pages)
        if "store" in chosen:
            waiting, seen = bytes_a_url(Path(folder), QUICK_URLS if quick else URLS)
            found |= {"waiting_bytes": round(waiting, 1), "seen_bytes": round(seen, 1)}
            found["stall_ms"] = round(1e3 * stall(Path(folder), QUICK_ROWS if quick else ROWS), 1)
        if "end" in chosen:
            found |= ends()
    finish(found)


if __name__ == "__main__":
    main()
