"""What the lane of exploration costs: ``python -m benchmarks.frontier --explore``.

10⁶ URLs (``--quick``: 10⁵) in 10⁵ folders on 10³ sites, in runs of four of one folder, with scores
and steps by chance. *memory* is the growth of the resident set of a frontier whose commits go
nowhere: with all URLs in the portfolio order, and with the same URLs in the level queues
(``waiting_bytes``); ``tunnel_bytes`` is the difference. *open* fills a real store and opens it:
``own``, ``load`` and ``Frontier.load``. *pick* takes, judges and acknowledges a tenth of the URLs.
"""

from __future__ import annotations

import asyncio
import gc
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.parts.children import in_child, resident_bytes
from focuscrawl.features.explore.ledger import BanRules, Ledger
from focuscrawl.features.explore.portfolio import Arms, Portfolio, PortfolioRules
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import PageClass, Waiting

SITES = 1_000
FOLDERS_OF_SITE = 100
RUN = 4
COMMIT_OPERATIONS = 500
STEPS = 14
SHARE = 0.3  # as explore.share is when a template says nothing


def exploring(urls: int, *, explore: bool) -> Iterator[Waiting]:
    """Make the URLs."""
    luck = random.Random(0)
    for count in range(urls):
        if count % RUN == 0:
            site, folder = luck.randrange(SITES), luck.randrange(FOLDERS_OF_SITE)
        name = f"www.site{site}.example"
        yield Waiting(
            f"http://{name}/part{folder}/article-{count}.html", b"0" * 16, name, 1, 1,
            PageClass.OTHER, 3, "一个链接的文字", explore=explore, step=luck.randrange(STEPS),
            score=luck.random() ** 3, folder=folder,
        )  # fmt: skip


def portfolio_frontier(store: SQLiteStore | None) -> tuple[Frontier, Portfolio]:
    """Return a frontier with the default order."""
    polite = Politeness()
    luck = random.Random(0)
    rules = PortfolioRules()
    order = Portfolio(rules, Ledger(BanRules()), Arms(len(rules.orders), luck))
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda site: polite,
        partition_of=partition_of,
        stored=store.read if store else lambda sequence, level: None,
        random=luck.random,
    )
    frontier.explore_by(order, SHARE)
    return frontier, order


def memory(urls: int, *, explore: bool) -> dict[str, float]:
    """Return resident bytes for each waiting URL."""
    _fill(portfolio_frontier(None)[0], 20_000, explore=explore)
    gc.collect()
    before = resident_bytes()
    frontier, _ = portfolio_frontier(None)
    _fill(frontier, urls, explore=explore)
    frontier.next_wakeup(0.0, 0.0)  # lists what was added
    gc.collect()
    grown = resident_bytes() - before
    counts = frontier.counts()
    if counts.waiting + counts.parked != urls:
        raise RuntimeError(f"{counts} instead of {urls}")
    return {"bytes": grown / urls}


def _fill(frontier: Frontier, urls: int, *, explore: bool) -> None:
    for count, waiting in enumerate(exploring(urls, explore=explore), 1):
        frontier.add_again(waiting)
        if count % COMMIT_OPERATIONS == 0:
            frontier.drain()
            frontier.committed()


def opening(urls: int) -> dict[str, float]:
    """Fill a store, open it again, and take a tenth."""
    with tempfile.TemporaryDirectory(prefix="focuscrawl-explore-") as folder:
        path = Path(folder) / "bench.crawl.db"
        store = SQLiteStore(path)
        store.own()
        frontier, _ = portfolio_frontier(store)
        for count, waiting in enumerate(exploring(urls, explore=True), 1):
            frontier.add_again(waiting)
            if count % COMMIT_OPERATIONS == 0:
                store.commit(frontier.drain())
                frontier.committed()
        store.commit(frontier.drain())
        store.release()
        store = SQLiteStore(path)
        frontier, order = portfolio_frontier(store)
        wall, cpu = time.perf_counter(), time.process_time()
        frontier.load(asyncio.run(store.load(store.own())), 0.0)
        frontier.next_wakeup(0.0, 0.0)
        open_wall, open_cpu = time.perf_counter() - wall, time.process_time() - cpu
        luck = random.Random(1)
        cpu = time.process_time()
        for _ in range(urls // 10):
            row = frontier.take(0.0, 0.0)
            if row is None:
                raise RuntimeError("nothing is ready")
            order.judged(row.sequence, row.waiting.url, luck.random() < 0.1, 0.0)
            frontier.acknowledge(row.sequence, 0.0)
            if frontier.operations >= COMMIT_OPERATIONS:
                store.commit(frontier.drain())
                frontier.committed()
        taken = (time.process_time() - cpu) / (urls // 10) * 1e6
        store.release()
    return {"open_s": open_cpu, "open_wall_s": open_wall, "explore_us": taken}


def run(urls: int) -> dict[str, Any]:
    """Measure everything, each part in a process of its own."""

    def part(name: str) -> dict[str, Any]:
        return in_child("benchmarks.frontier", {"part": name, "urls": urls, "explore": "yes"})

    with_order, without = part("exploring")["bytes"], part("queued")["bytes"]
    opened = part("opening")
    return {
        "explore_urls": urls,
        "waiting_bytes": round(without, 1),
        "exploring_bytes": round(with_order, 1),
        "tunnel_bytes": round(with_order - without, 1),
        "open_explore_s": round(opened["open_wall_s"], 2),
        "open_explore_cpu_s": round(opened["open_s"], 2),
        "explore_us": round(opened["explore_us"], 1),
    }
