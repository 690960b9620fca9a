"""How soon a crawl finds what it looks for: method E against its rivals on made-up webs.

Method. Worlds of eight profiles (benchmarks/parts/worlds.py) are crawled for 8,000 pages each
through the real frontier, ledger, judge and link predictor; the clock is made up (20 ms a page, one
second between two requests to a site), and no HTTP is spoken. Compared are breadth-first,
best-first, a plain tunnel (best-first that drops links after ten irrelevant pages), method E as
published, the best URL of the best site (host_bandit) or folder (dir_bandit), and the default
order. Only the default draws by chance; it crawls every world three times.

The figure is the area under the curve of recall over pages fetched (a crawl that ends early keeps
its recall): recall is the share of the relevant pages that can be reached. Ratios are geometric
means over three worlds and three seeds; ``worst`` is the lowest ratio of a crawl to the better of
best-first and both bandits on its world. us_per_page is CPU time spent in the order, ledger
included, on a world of 10⁵ pages that is crawled to its end; where ``--profiles`` names some, only
those are compared. ``--quick``: one world and seed, a quarter of the large world, and no plain tunnel, which no
figure is made of; breadth-first and method E as published crawl two of the profiles alone.

``--warc FILE`` (repeatable with commas) crawls a real web out of WARC files instead, for machine
learning 机器学习, up to half of the pages that can be reached; it needs ``pip install warcio``.
"""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import geometric_mean
from typing import Any, NamedTuple, Protocol

from benchmarks.parts.archive import Archive
from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.strategies import STRATEGIES, Strategy
from benchmarks.parts.worlds import PROFILES, Profile, World
from focuscrawl.features.explore.explorer import step_of
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Waiting

BUDGET = 8_000
MARKS = (500, 1000, 2000, 4000, 8000)
WORLDS, SEEDS = 3, 3
SECONDS_A_PAGE = 0.02
POLITE = Politeness(delay=1.0)
SHARE = 0.3  # as explore.share is when a template says nothing
LARGE = 100_000
RIVALS = ("best_first", "bfs", "strict")
WITH_ALL = ("base", "date-dirs")
"""Profiles whose quick form compares with all rivals, as floors.json asks."""


class Web(Protocol):
    """What a crawl is made on."""

    urls: list[str]
    sites: list[str]
    folders: list[int]
    relevant: list[bool]
    community: list[int]
    links: list[list[tuple[int, int]]]
    starts: list[int]
    reachable: set[int]

    def fetched(self, page: int) -> tuple[float, bool, list[float]]:
        """Return score, verdict and link scores of a page."""


class Crawl(NamedTuple):
    """What a crawl gave: relevant pages found after each page, communities, seconds in the order."""

    found: list[int]
    total: int
    communities: int
    seconds: float

    def area(self, budget: int) -> float:
        """Return the area under the recall curve, 0 to 1."""
        tail = (budget - len(self.found)) * (self.found[-1] if self.found else 0)
        return (sum(self.found[:budget]) + max(0, tail)) / budget / self.total

    def recall(self, pages: int) -> float:
        """Return the recall after so many pages."""
        return self.found[min(pages, len(self.found)) - 1] / self.total if self.found else 0.0


class Watched:
    """An order whose time is taken; everything else goes through."""

    def __init__(self, order: Any) -> None:
        self._order = order
        self.seconds = 0.0
        for name in ("add", "pick", "waits", "wake", "ended", "judged", "refuses"):
            setattr(self, name, self._timed(getattr(order, name)))

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        now = time.process_time

        def timed(*given: Any, **named: Any) -> Any:
            began = now()
            try:
                return method(*given, **named)
            finally:
                self.seconds += now() - began

        return timed

    def counts(self) -> tuple[int, int]:
        """Return what waits and what is parked."""
        counts: tuple[int, int] = self._order.counts()
        return counts


def crawl(web: Web, strategy: Strategy, seed: int, budget: int, *, timed: bool = False) -> Crawl:
    """Crawl a web with one strategy; ``timed``: its order's time is taken, which a tenth of a crawl goes to."""
    luck = random.Random(seed)
    order: Any = strategy.make(luck)
    if timed:
        order = Watched(order)
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda site: POLITE,
        partition_of=partition_of,
        stored=lambda sequence, level: None,
        random=luck.random,
    )
    frontier.explore_by(order, SHARE)
    pages: dict[int, int] = {}
    refuses = order.refuses

    def add(page: int, step: int, score: float) -> None:
        if page in frontier.seen or refuses(web.urls[page], web.sites[page], step, 0.0):
            return
        pages[frontier.next_sequence()] = page
        frontier.add(
            Waiting(
                web.urls[page], b"", web.sites[page], 1, 1,
                explore=True, step=step, score=score, folder=web.folders[page],
            ),
            page,
        )  # fmt: skip

    for page in web.starts:
        add(page, 0, 1.0)
    found: list[int] = []
    communities: set[int] = set()
    count, now = 0, 0.0
    while len(found) < budget:
        row = frontier.take(now, now)
        if row is None:
            wait = frontier.next_wakeup(now, now)
            if wait == math.inf:
                break
            now += wait + 1e-6
            continue
        page = pages.pop(row.sequence)
        _, relevant, scores = web.fetched(page)
        order.judged(row.sequence, row.waiting.url, relevant, now)
        step = step_of(relevant, row.waiting.step)
        for (target, _), score in zip(web.links[page], scores, strict=True):
            add(target, step, score if strategy.scored else 0.0)
        frontier.acknowledge(row.sequence, now)
        if len(found) % 500 == 0:
            frontier.drain()
        now += SECONDS_A_PAGE
        if web.relevant[page]:
            count += page in web.reachable
            communities.add(web.community[page])
        found.append(count)
    seconds = order.seconds if timed else 0.0
    return Crawl(found, len(web.reachable), len(communities - {-1}), seconds)


# Comparing ---------------------------------------------------------------------------------------


class Compared(NamedTuple):
    """One world crawled by all: the crawls of each strategy (one, or one for each seed)."""

    world: str
    crawls: dict[str, list[Crawl]]

    def area(self, name: str, budget: int) -> float:
        """Return a strategy's area, the mean over its crawls."""
        areas = [one.area(budget) for one in self.crawls[name]]
        return sum(areas) / len(areas)


def compare(
    web: Web, name: str, seeds: int, budget: int, strategies: Sequence[Strategy] = STRATEGIES
) -> Compared:
    """Crawl a world with every strategy, or with some."""
    crawls = {
        strategy.name: [
            crawl(web, strategy, seed, budget) for seed in range(seeds if strategy.by_chance else 1)
        ]
        for strategy in strategies
    }
    return Compared(name, crawls)


def summary(compared: Iterable[Compared], budget: int) -> dict[str, float]:
    """Return the keys of a profile: of those rivals that have crawled its worlds."""
    communities = []
    ratios: dict[str, list[float]] = defaultdict(list)
    for world in compared:
        areas = {name: max(world.area(name, budget), 1e-9) for name in world.crawls}
        areas["best"] = max(areas["best_first"], areas["host_bandit"], areas["dir_bandit"])
        for one in world.crawls["ours"]:
            for name in (*(rival for rival in RIVALS if rival in areas), "best"):
                ratios[name].append(one.area(budget) / areas[name])
            communities.append(one.communities)
    return {
        **{
            f"vs_{name}": round(geometric_mean(ratios[name]), 3)
            for name in RIVALS
            if name in ratios
        },
        "worst": round(min(ratios["best"]), 3),
        "communities_found": min(communities),
    }


def rows(compared: Iterable[Compared], budget: int) -> list[list[object]]:
    """Return the lines of the table."""
    return [
        [
            world.world,
            name,
            world.area(name, budget),
            *(crawls[0].recall(mark) for mark in MARKS if mark <= budget),
            len(crawls[0].found),
            crawls[0].communities,
        ]
        for world in compared
        for name, crawls in world.crawls.items()
    ]


def time_of_a_page(budget: int) -> float:
    """Return the microseconds that the default order takes for each page of a large world."""
    world = World(PROFILES[1], 0, LARGE)
    ours = crawl(world, STRATEGIES[-1], 0, budget, timed=True)
    return ours.seconds / len(ours.found) * 1e6


def run_profile(profile: Profile, *, quick: bool) -> tuple[list[Compared], dict[str, Any]]:
    """Compare on all worlds of a profile."""
    worlds, seeds = (1, 1) if quick else (WORLDS, SEEDS)
    left_out = ("tunnel", *(() if profile.name in WITH_ALL else ("bfs", "strict"))) if quick else ()
    strategies = [one for one in STRATEGIES if one.name not in left_out]
    compared = [
        compare(World(profile, number), f"{profile.name} {number}", seeds, BUDGET, strategies)
        for number in range(1, worlds + 1)
    ]
    return compared, summary(compared, BUDGET)


HEADER = ("world", "strategy", "area", *(f"@{mark}" for mark in MARKS), "pages", "found")


def real(files: list[str]) -> dict[str, Any]:
    """Compare on a real web."""
    web = Archive(files)
    budget = web.pages_reached // 2
    compared = [compare(web, "archive", SEEDS, budget)]
    lines = rows(compared, budget)
    table((*HEADER[:3], *(f"@{mark}" for mark in MARKS if mark <= budget), *HEADER[-2:]), lines)
    found: dict[str, Any] = summary(compared, budget)
    del found["communities_found"]
    return {**found, "pages": budget, "relevant": len(web.reachable)}


def main() -> None:
    """Run everything, or one real web."""
    given = arguments(__doc__, "profiles", "warc")
    if given.warc:
        finish({"warc": real(given.warc.split(","))})
        return
    chosen = [p for p in PROFILES if not given.profiles or p.name in given.profiles.split(",")]
    result: dict[str, Any] = {}
    lines: list[list[object]] = []
    for profile in chosen:
        compared, result[profile.name] = run_profile(profile, quick=given.quick)
        lines += rows(compared, BUDGET)
    table(HEADER, lines)
    if not given.profiles:
        result["us_per_page"] = round(time_of_a_page(LARGE // 4 if given.quick else LARGE), 1)
    finish(result)


if __name__ == "__main__":
    main()
