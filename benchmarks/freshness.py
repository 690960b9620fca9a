"""How current copies are kept for a given number of visits: our policies against others.

Method. Three worlds of 2,000 pages on 40 sites over 60 days (benchmarks/parts/revisit_worlds.py),
two seeds, budgets of 0.2, 0.7 and 2.5 visits a page and day, at most 16 of a site in half an hour.
``index`` and ``tx`` are the real policy objects over the real SQLite store in a temporary folder,
driven by a made-up clock: pages are read from the store in the order of their dates, taken with
a reservation, committed, answered, committed. They know nothing of kinds of pages: the first interval is
24 h for all. The other rows are arrays (benchmarks/parts/revisit_rows.py); the oracles know the
true rates and take what adds most to freshness, or ends most staleness.

*staleness* is the share of time, from day 10 on, that copies were out of date, over the oracle's;
*delay* the mean time until a change was seen, over that of the oracle of staleness. *loss*: one
visit in a hundred is never answered (budget 0.7); ``lost_pages`` are those not visited in the last
quarter. *signals*: half of the sites announce 80 % of their changes, and each page falsely 0.02
times a day; better is fresher with less delay, ``signals_delay_most`` is the worst delay over that
without.

*restless*: a world apart, at the budget 0.7. 30 % of its pages have changed whenever they are visited,
however soon, and no visits keep them current; ``staleness`` is that of the others over the oracle's,
which leaves the restless ones alone. They must cost no more than going round robin would.

``--quick``: one seed and 800 pages, 500 restless; the world poisson, where the oracle's knowledge is
complete, at all budgets; loss, signals and ``tx`` at one; no row of another crawler.
``--worlds``, ``--budgets`` and ``--pages`` choose others.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks.parts import revisit_rows as rows
from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.revisit_worlds import (
    DAY,
    PAGES,
    PERIOD,
    PERIODS,
    RESTLESS,
    SITE_CAP,
    SITES,
    WORLDS,
    Ints,
    Score,
    World,
    first_visits,
    make_world,
    score,
)
from focuscrawl.features.revisit.agenda import Budget, Period, take
from focuscrawl.features.revisit.signals.signals import Signal
from focuscrawl.features.revisit.table import CLASS_TIMES, PolicyName, RevisitRules, RevisitTimes
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.stores.state.protocol import Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import PageClass, PageState

BUDGETS = (0.2, 0.7, 2.5)
SEEDS = (0, 1)
LOSS, LOSS_BUDGET = 0.01, 0.7
RESTLESS_BUDGET = 0.7
QUICK_PAGES, QUICK_RESTLESS = 800, 500
TIMES = RevisitTimes(first=DAY, min=PERIOD, max=90 * DAY, until=inf)
BEGAN = 1_790_000_000.0
KEYS = [page.to_bytes(16, "big") for page in range(PAGES)]


@dataclass(frozen=True, slots=True)
class Arm:
    """A run of ours: ``loss`` is the share of visits without an answer."""

    policy: PolicyName
    loss: float = 0.0
    signals: bool = False


class Run:
    """One run of a real policy over a real store."""

    def __init__(self, world: World, budget: float, arm: Arm, seed: int, store: SQLiteStore):
        self.world, self.arm, self.store = world, arm, store
        self.luck = np.random.default_rng([seed, 99])
        rules = RevisitRules(
            policy=arm.policy,
            classes=dict.fromkeys(CLASS_TIMES, TIMES),
            budget=budget * len(world.site) / DAY,
        )
        self.visits = Visits(rules)
        self.budget = Budget(rules.budget or 0.0, 0.0)
        self.signals = self.announced() if arm.signals else []
        self.last = np.zeros(len(world.site), np.int64)
        self.visited = np.zeros(world.counts.shape, bool)
        self.tried = np.zeros(world.counts.shape, bool)

    def announced(self) -> list[Ints]:
        """Return the pages signalled before each period."""
        world, luck = self.world, self.luck
        signalling = luck.permutation(SITES)[: SITES // 2]
        told = luck.random(len(world.event_at)) < 0.8
        found = np.zeros((PERIODS + 1, len(world.site)), bool)
        found[np.floor(world.event_at[told]).astype(int) + 1, world.event_page[told]] = True
        found |= luck.random(found.shape) < 0.02 * PERIOD / DAY
        found &= np.isin(world.site, signalling)
        return [np.flatnonzero(period) for period in found]

    async def go(self) -> None:
        """Live through the world, period by period."""
        arriving = first_visits(self.world)
        for period in range(PERIODS):
            now = BEGAN + period * PERIOD
            self.commit([self.appear(page, now) for page in arriving[period]])
            self.visited[period, arriving[period]] = True
            self.last[arriving[period]] = period
            if self.signals:
                await self.signal(period, now)
            most = self.budget.allowed(period * PERIOD)
            taken = await take(
                self.store, Period(self.visits, now, most, lambda site: SITE_CAP, by_budget=True)
            )
            self.budget.spend(len(taken.pages))
            self.commit(taken.pages)
            self.commit([state for state in self.answers(taken.pages, period, now) if state])

    def appear(self, page: int, now: float) -> PageState:
        site = f"site{self.world.site[page]}.example"
        url = f"http://{site}/{page}.html"
        return self.visits.first_seen(KEYS[page], url, site, PageClass.ARTICLE, now)

    async def signal(self, period: int, now: float) -> None:
        keys = [KEYS[page] for page in self.signals[period]]
        signal = Signal(now - PERIOD / 2)
        known = await self.store.pages(keys)
        self.commit([self.visits.signalled(state, signal, now) for state in known.values()])

    def answers(self, taken: list[PageState], period: int, now: float) -> list[PageState | None]:
        """Return what is remembered of the pages that were answered."""
        pages = np.array([int.from_bytes(state.key, "big") for state in taken], int)
        self.tried[period, pages] = True
        changes = self.world.changes
        changed = changes[period, pages] > changes[self.last[pages], pages]
        dead = self.world.dies[pages] <= period
        lost = self.luck.random(len(pages)) < self.arm.loss
        self.last[pages[~lost]] = period
        self.visited[period, pages[~lost]] = True
        found: list[PageState | None] = []
        for index, state in enumerate(taken):
            if lost[index]:
                found.append(None)
            elif dead[index]:
                found.append(
                    self.visits.failed(state, state.visits, now, "http:404", says_gone=True)
                )
            else:
                found.append(self.visits.visited(state, state.visits, now, bool(changed[index])))
        return found

    def commit(self, pages: list[PageState]) -> None:
        if pages:
            self.store.commit({0: Changes(pages=pages)})


def ours(world: World, budget: float, arm: Arm, seed: int) -> Score:
    """Run a policy of ours and return its score."""
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder) / "freshness.crawl.db")
        store.own()
        run = Run(world, budget, arm, seed, store)
        asyncio.run(run.go())
        store.release()
    return score(world, run.visited, per_period(world, budget), run.tried)


def per_period(world: World, budget: float) -> float:
    return budget * len(world.site) * PERIOD / DAY


def others(world: World, budget: float, *, quick: bool) -> dict[str, Score]:
    """Return the scores of everybody else; ``quick``: of whom figures are made."""
    allowed = per_period(world, budget)
    pages = len(world.site)
    visits = {
        "oracle": rows.by_value(world, allowed, rows.FreshOracle(world)),
        "oracle_stale": rows.by_value(world, allowed, rows.StaleOracle(world)),
        "round_robin": rows.by_value(world, allowed, rows.Oldest(world)),
    }
    if not quick:
        visits["nutch_like"] = rows.by_interval(world, allowed, rows.NutchLike(pages))
        visits["stormcrawler_like"] = rows.by_interval(world, allowed, rows.StormCrawlerLike(pages))
    return {name: score(world, visited, allowed) for name, visited in visits.items()}


def cell(name: str, budget: float, seed: int, pages: int, *, quick: bool) -> dict[str, Score]:
    """Return the scores of one world under one budget; ``quick``: with signals, and of the published form, under one."""
    world = make_world(name, seed, pages)
    scores = others(world, budget, quick=quick)
    scores["index"] = ours(world, budget, Arm("index"), seed)
    if not quick or budget == LOSS_BUDGET:
        scores["tx"] = ours(world, budget, Arm("tx"), seed)
        scores["index_signals"] = ours(world, budget, Arm("index", signals=True), seed)
    if budget == LOSS_BUDGET:
        scores["index_loss"] = ours(world, budget, Arm("index", loss=LOSS), seed)
    return scores


Cells = dict[tuple[str, float, int], dict[str, Score]]


def means(cells: Cells, budget: float) -> dict[str, tuple[float, float, float]]:
    """Return by row: staleness and delay over the oracles', and the share of the budget used."""
    chosen = [scores for (_, one, _), scores in cells.items() if one == budget]
    names = set.intersection(*(set(scores) for scores in chosen))
    return {
        name: (
            fmean(scores[name].staleness / scores["oracle"].staleness for scores in chosen),
            fmean(scores[name].delay / scores["oracle_stale"].delay for scores in chosen),
            fmean(scores[name].used for scores in chosen),
        )
        for name in names
    }


def result(cells: Cells) -> dict[str, Any]:
    """Return the figures that are promised."""
    found: dict[str, Any] = {}
    for budget in sorted({budget for _, budget, _ in cells}):
        rows_ = means(cells, budget)
        for name, (staleness, delay, used) in sorted(rows_.items()):
            found[f"{name}_{budget:g}"] = {
                "staleness": round(staleness, 3),
                "delay": round(delay, 3),
                "used": round(used, 3),
            }
        staleness, delay, used = rows_["index"]
        found[f"staleness_{budget:g}"] = round(staleness, 3)
        found[f"delay_{budget:g}"] = round(delay, 3)
        found[f"used_{budget:g}"] = round(used, 3)
    lossy = [scores for scores in cells.values() if "index_loss" in scores]
    if lossy:
        falls = [scores["index"].freshness - scores["index_loss"].freshness for scores in lossy]
        found["loss"] = round(max(falls), 4)
        found["lost_pages"] = sum(scores["index_loss"].lost for scores in lossy)
    signalled = [scores for scores in cells.values() if "index_signals" in scores]
    if signalled:
        pairs = [(scores["index_signals"], scores["index"]) for scores in signalled]
        gain = min(with_.freshness - without.freshness for with_, without in pairs)
        delay = max(with_.delay / without.delay for with_, without in pairs)
        found["signals_gain_least"] = round(gain, 4)
        found["signals_delay_most"] = round(delay, 3)
        found["signals_better_everywhere"] = gain > 0 and delay < 1
    found["better_than_round_robin_everywhere"] = all(
        scores["index"].freshness > scores["round_robin"].freshness for scores in cells.values()
    )
    return found


def restless(pages: int, *, quick: bool) -> dict[str, Any]:
    """Return the figures of the world where many pages change at every visit."""
    budget = RESTLESS_BUDGET
    ratios: dict[str, list[float]] = {"staleness": [], "round_robin": []}
    shares = []
    for seed in SEEDS[:1] if quick else SEEDS:
        world = make_world(RESTLESS, seed, pages)
        allowed = per_period(world, budget)
        oracle = score(world, rows.by_value(world, allowed, rows.FreshOracle(world)), allowed)
        robin = score(world, rows.by_value(world, allowed, rows.Oldest(world)), allowed)
        index = ours(world, budget, Arm("index"), seed)
        ratios["staleness"].append(index.staleness / oracle.staleness)
        ratios["round_robin"].append(robin.staleness / oracle.staleness)
        shares.append(index.used)
    figures = {name: round(fmean(found), 3) for name, found in ratios.items()}
    never_worse = all(a <= b for a, b in zip(*ratios.values(), strict=True))
    return {**figures, "used": round(fmean(shares), 3), "never_above_round_robin": never_worse}


def cells_of(
    worlds: Sequence[str], budgets: Sequence[float], pages: int, *, quick: bool
) -> Iterator[tuple[tuple[str, float, int], dict[str, Score]]]:
    """Go through the cells of the table."""
    for name in worlds:
        for budget in budgets:
            for seed in SEEDS[:1] if quick else SEEDS:
                yield (name, budget, seed), cell(name, budget, seed, pages, quick=quick)


def main() -> None:
    asked = arguments(__doc__, "worlds", "budgets", "pages")
    worlds = asked.worlds.split(",") if asked.worlds else ["poisson"] if asked.quick else WORLDS
    budgets = [float(one) for one in asked.budgets.split(",")] if asked.budgets else BUDGETS
    pages = int(asked.pages or (QUICK_PAGES if asked.quick else PAGES))
    cells: Cells = {}
    lines = []
    for place, scores in cells_of(worlds, budgets, pages, quick=asked.quick):
        cells[place] = scores
        for row, one in scores.items():
            lines.append((*place, row, one.freshness, one.delay, one.used, one.lost))
    table(("world", "budget", "seed", "row", "freshness", "delay h", "used", "lost"), lines)
    figures = {"pages": pages, **result(cells)}
    if not asked.worlds:
        restless_pages = min(pages, QUICK_RESTLESS) if asked.quick else pages
        figures[f"{RESTLESS}_{RESTLESS_BUDGET:g}"] = restless(restless_pages, quick=asked.quick)
    finish(figures)


if __name__ == "__main__":
    main()
