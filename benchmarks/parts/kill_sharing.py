"""``python -m benchmarks.kill9 --store redis``: what happens to a crawl that several workers share.

Four workers crawl a web of many sites (benchmarks/parts/shared_web.py) over a real Redis that logs what
it is told (appendonly, everysec). At moments that ``--seed`` draws, in an order that it draws, too: two
workers are killed, one is stopped by SIGSTOP for twice the lease and continued, one more joins, and
Redis is killed twice, each time with the last second of its log cut off, and started again a second
later. Then the crawl runs to its end.

- ``delay_1``: lease 4 s, each site is left 1 s between two pages.
- ``delay_6``: lease 3 s, each site is left 6 s, longer than it takes to take over a dead worker's part.
- ``long``, only when it is named: lease 4 s, delay 6 s and longer chains, so that 20,000 pages take six minutes at 15
  pages a second and worker: what is fetched twice after an event grows with the rate alone.

Counted in the log of the web, which knows each worker by its own door:

- ``never_fetched``: pages that were never answered.
- ``delay_violations``: answers of one site that came sooner after one another than a tenth below its
  delay, whoever asked; ``across`` of them to two workers; ``shortest_gap`` in delays.
- ``fetched_twice``: answers beyond the first of a page; ``twice_bound``: how many there may be, by event:
  what the worker, or when Redis is killed any, had asked for and not acknowledged: two windows and
  what was in flight; with Redis also until it answered again and in the second that was cut off.
  ``twice_beyond``: by how many it was exceeded.

Counted in the results: ``items_missing`` and ``items_twice``, articles. In Redis: ``rows_left``, URLs that
wait or were sent when all have ended; ``facts_lost``, pages without their state, addresses that are not
known, and pages that the ledger of their site has not counted. ``fenced`` are commits that were refused
since a partition was somebody else's by then, ``refused`` partitions whose renewal was: that somebody
tried. ``tracebacks`` stand in the logs of the workers. ``cut_bytes`` were cut off.

With several seeds all counts are sums. ``--keep FOLDER`` keeps logs, results and Redis's log of each run there.
"""

from __future__ import annotations

import random
import signal
import tempfile
import time
from collections import Counter, deque
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.parts.shared_crawl import SharedCrawl, Worker
from benchmarks.parts.shared_web import SharedWeb
from focuscrawl.config import BEAT
from focuscrawl.features.explore.ledger import BAN
from focuscrawl.stores.redis.store import AGAIN_AT_LATEST
from focuscrawl.values import Json
from tests.servers.redis_server import RedisServer

WORKERS = 4
EVENTS = ("kill", "kill", "stop", "join", "redis", "redis")
FIRST, LAST = 0.1, 0.75
"""Parts of the crawl between which the events come."""

ANSWER_DELAY = 0.2
AWAY, CUT = 1.0, 1.0
"""Seconds for which Redis is away, and which are cut off its log."""

HAS_BEGUN = "topic shared: data"
"""In the log of a worker that has taken its place."""

FEWEST_CHAINS = 12
WINDOW = BEAT + 0.25
"""Seconds from a page's answer until what it gave is written: a beat, reading it, and two stores."""

TOLERANCE = 0.1
LOOK_EVERY = 0.02
JUST_NOW = (0.1, 0.4)
"""Seconds; a window is written every half second."""


class ArmRules(NamedTuple):
    """``lease`` and ``delay`` in seconds; ``pages_a_site`` and pages of a chain on average."""

    lease: float
    delay: float
    pages_a_site: int
    chain: int


# A chain takes a minute to walk, and leads on until the end: a link is found in every second.
ARMS = {"delay_1": ArmRules(4.0, 1.0, 8, 30), "delay_6": ArmRules(3.0, 6.0, 4, 10)}
NAMED_ARMS = {**ARMS, "long": ArmRules(4.0, 6.0, 8, 48)}


class Event(NamedTuple):
    """What happened when, until ``over``; ``worker``: to whom, "": to all."""

    what: str
    at: float
    over: float
    worker: str = ""


class Chaos:
    """Lets happen to a crawl what may happen to it; ``seed`` draws when and to whom."""

    def __init__(self, crawl: SharedCrawl, pages: int, lease: float, seed: int) -> None:
        self.events: list[Event] = []
        self.cut_bytes = 0
        self._crawl = crawl
        self._pages = pages
        self._lease = lease
        self._random = random.Random(seed)
        self._stopped: tuple[Worker, float] | None = None
        self._server_back = 0.0
        self._lengths: deque[tuple[float, int]] = deque()
        events = [*EVENTS]
        self._random.shuffle(events)
        width = (LAST - FIRST) / len(events)
        self._due = deque(
            (pages * (FIRST + width * (place + self._random.random())), what)
            for place, what in enumerate(events)
        )

    def run(self) -> None:
        """Let all of it happen, and wait until the last of it is over."""
        while self._due or self._stopped or self._server_back:
            time.sleep(LOOK_EVERY)
            now = time.monotonic()
            self._look(now)
            if not self._crawl.live():
                return
            due, what = self._due[0] if self._due else (float("inf"), "")
            # One whose moment has come waits until Redis is there: two events are two.
            is_due = len(self._crawl.web.log) >= due and not self._server_back
            if is_due and getattr(self, f"_{what}")(now):
                self._due.popleft()

    def _look(self, now: float) -> None:
        """Note how far Redis has written, and end what lasts."""
        if not self._server_back:
            self._lengths.append((now, self._crawl.server.written()))
            while self._lengths[0][0] < now - CUT:
                self._lengths.popleft()
        elif now >= self._server_back:
            self._crawl.server.start()
            # On a busy machine it takes longer than planned to start and to read its log, and meanwhile workers go on
            # with what they hold: 54 pages came again where 31 were allowed for the second that was planned.
            self.events = [
                one._replace(over=time.monotonic()) if one.over == self._server_back else one
                for one in self.events
            ]
            self._server_back = 0.0
            self._lengths.clear()
        if self._stopped and now >= self._stopped[1]:
            worker, over = self._stopped
            worker.process.send_signal(signal.SIGCONT)
            # It counts as stopped until it has found others in its place: a Redis that goes at once hides that.
            if any("refused" in one for one in worker.calls_made()) or now > over + self._lease:
                self._stopped = None

    def _busy(self, now: float) -> Worker | None:
        """Draw one of those that were answered just now, and have not written what they found.

        Not at once: who is stopped between the last look at its lease and the write to a socket sends that
        one request when it goes on, which nothing sees any more (in 1 of 9 runs, stopped within 100 ms).
        """
        stopped = self._stopped[0].name if self._stopped else ""
        least, most = JUST_NOW
        names = {
            one.worker for one in self._crawl.web.log[-30:] if now - most < one.at < now - least
        }
        live = [one for one in self._crawl.live() if one.name in names - {stopped}]
        return self._random.choice(live) if live else None

    def _kill(self, now: float) -> bool:
        worker = self._busy(now)
        if worker is not None:
            worker.process.kill()
            worker.process.wait()
            self.events.append(Event("kill", now, now, worker.name))
        return worker is not None

    def _stop(self, now: float) -> bool:
        worker = self._busy(now)
        if worker is not None:
            worker.process.send_signal(signal.SIGSTOP)
            self._stopped = worker, now + 2 * self._lease
            self.events.append(Event("stop", now, now + 2 * self._lease, worker.name))
        return worker is not None

    def _join(self, now: float) -> bool:
        self._crawl.start()
        self.events.append(Event("join", now, now))
        return True

    def _redis(self, now: float) -> bool:
        server = self._crawl.server
        # Who finds no Redis when it begins says so and ends; who stands still is to find others in its place.
        is_held_up = self._stopped or not all(HAS_BEGUN in one.said for one in self._crawl.live())
        if is_held_up or not self._lengths:  # it has just been started again
            return False
        server.stop(kill=True)
        before = self._lengths[0][1]
        self.cut_bytes += server.written() - before
        server.cut(before)
        self._server_back = now + AWAY
        self.events.append(Event("redis", now, now + AWAY))
        return True

    def twice_bound(self) -> int:
        """Return how many answers there may be beyond the first of a page."""
        web, windows = self._crawl.web, 2 * WINDOW
        bound = 0
        for what, at, over, worker in self.events:
            if what == "redis":  # heard of with the next try
                bound += web.count(at - CUT - windows, over + AGAIN_AT_LATEST + WINDOW + web.delay)
            elif what != "join":
                bound += web.count(at - windows, at + web.delay, worker)
        return bound


def facts_lost(crawl: SharedCrawl, web: SharedWeb) -> dict[str, int]:
    """Count pages of which Redis does not know all that there was to know."""
    known = crawl.known()
    pages = len(web.urls)
    uncounted = 0
    explored = Counter(web.hosts)
    del explored[web.hosts[0]]  # what a source names is no matter for the ledger
    for host, count in explored.items():
        record = known["sites"].get(f"{host}\0{BAN}".encode())
        uncounted += max(0, count - (msgspec.msgpack.decode(record)["whole"][1] if record else 0))
    return {
        "states_lost": max(0, pages - len(known["pages"])),
        "seen_lost": max(0, pages - len(known["seen"])),
        "uncounted": uncounted,
    }


def measure_arm(rules: ArmRules, pages: int, seed: int, folder: Path) -> Json:
    """Run one crawl in a folder, with all that happens to it, and count."""
    sites, chains = pages // rules.pages_a_site, max(FEWEST_CHAINS, pages // rules.chain)
    web = SharedWeb(pages, sites, chains, seed, ANSWER_DELAY)
    server = RedisServer(
        folder / "redis",
        # Where the log stands at a moment must still mean something a second later.
        **{"appendonly": "yes", "appendfsync": "everysec", "auto-aof-rewrite-percentage": "0"},
    ).start()
    crawl = SharedCrawl(
        *("shared", folder / "project", web, server),
        delay=rules.delay,
        environment={"FOCUSCRAWL_LEASE": f"{rules.lease:g}s"},
        explores=True,
    )
    try:
        with web, crawl:
            began = time.monotonic()
            for _ in range(WORKERS):
                crawl.start()
            chaos = Chaos(crawl, pages, rules.lease, seed)
            chaos.run()
            crawl.to_its_end()
            seconds = round(time.monotonic() - began, 1)
            events = " ".join(one.what for one in chaos.events)
            return {
                "seed": seed,
                "seconds": seconds,
                "events": events,
                **counted(crawl, web, chaos, rules),
            }
    finally:
        server.stop()


def counted(crawl: SharedCrawl, web: SharedWeb, chaos: Chaos, rules: ArmRules) -> dict[str, float]:
    """Return what is counted when a crawl has ended."""
    answered = web.answered()
    gaps = web.gaps()
    violations = [one for one in gaps if one.seconds < rules.delay * (1 - TOLERANCE)]
    for one in violations:
        print(one.sooner, one.later, chaos.events)
    stored = Counter(url for (url,) in crawl.query("SELECT url FROM articles"))
    lost = facts_lost(crawl, web)
    noted = [one for worker in crawl.workers for one in worker.calls_made()]
    twice, bound = answered.total() - len(answered), chaos.twice_bound()
    return {
        "pages": len(web.urls),
        "never_fetched": len(web.urls) - len(answered),
        "items_missing": len({*web.urls} - stored.keys()),
        "items_twice": stored.total() - len(stored),
        "facts_lost": sum(lost.values()),
        **lost,
        "rows_left": crawl.rows_left(),
        "delay_violations": len(violations),
        "across": sum(one.is_across for one in violations),
        "tracebacks": sum(worker.said.count("Traceback") for worker in crawl.workers),
        "fetched_twice": twice,
        "twice_bound": bound,
        "twice_beyond": max(0, twice - bound),
        "cut_bytes": chaos.cut_bytes,
        "fenced": sum("fenced" in one for one in noted),
        "refused": sum(one.get("refused", 0) for one in noted),
        "shortest_gap": round(min(one.seconds for one in gaps) / rules.delay, 3),
    }


def together(rows: Sequence[Json]) -> Json:
    """Return the row of an arm: the sums over its runs, the shortest of its gaps."""
    counts = [name for name, value in rows[0].items() if isinstance(value, int) and name != "seed"]
    found: Json = {"runs": len(rows), **{name: sum(row[name] for row in rows) for name in counts}}
    found["shortest_gap"] = min(row["shortest_gap"] for row in rows)
    return found | {"twice_share": round(found["fetched_twice"] / found["pages"], 4)}


def measure(
    pages: int, seeds: Sequence[int], arms: Collection[str] = (), keep: str = ""
) -> dict[str, Json]:
    """Run both arms, or those named, once with each seed; in ``keep`` stays all that they leave."""
    rows = {}
    for name in arms or ARMS:
        runs = []
        for seed in seeds:
            with tempfile.TemporaryDirectory(prefix="focuscrawl-kill9-") as temporary:
                folder = Path(keep or temporary) / f"{name}_{seed}"
                runs.append(measure_arm(NAMED_ARMS[name], pages, seed, folder))
            print(name, runs[-1], flush=True)
        rows[name] = together(runs)
    return rows
