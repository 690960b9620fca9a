"""What ``kill -9`` costs: a tree of pages, killed several times and resumed each time.

Method. A tree of 2,000 pages (``--quick``: 400), four links a page, 10 ms an answer, on loopback.
The crawl's process gets SIGKILL when the web has answered about 1 %, 35 % and 70 % of the pages,
and is started again with the same command; after the last kill it runs to its end. Counted on the
side of the web: ``never_fetched`` pages that were never answered with 200, ``fetched_again``
answers with 200 beyond the first of a page. Counted in what the crawl stored: ``items_missing``
pages without an item, ``items_twice`` items beyond the first of a page. ``resume_s`` is the longest
time from opening the scheduler to the first request after a kill. Each arm stores its items as its
users do:

- ours: a topic, articles in the results database (the table ``articles``).
- ``scrapy_jobdir``: Scrapy with JOBDIR and a JSON lines feed.
- ``scrapy_redis``: scrapy-redis with SCHEDULER_PERSIST and its RedisPipeline, over a real Redis.
- ``in_commit``: ours again, every kill aimed inside a commit: when its moment has come, the next
  change of the write-ahead log of the crawl file or of the results database (in turn) is the
  trigger. 12 kills (``--quick``: 2), spread evenly.

``--errors 0.1`` lets that share of answers be a 500 or a dropped connection. Our arm then runs
without Scrapy's own retries and with FOCUSCRAWL_RETRY_WAITS of five times 1s, so that every failed
URL goes through the frontier and comes back within the run; Scrapy's arms keep their retries.

``--explore`` runs a topic that searches and explores instead (benchmarks/parts/kill_exploring.py),
``--revisit`` one that visits changing pages again, day by day (benchmarks/parts/kill_revisiting.py), ``--store redis``
one that several workers share over a Redis that is killed, too (benchmarks/parts/kill_sharing.py): ten runs with
ten seeds, or with ``--seeds 3,7``.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.parts import kill_exploring, kill_revisiting, kill_sharing
from benchmarks.parts.arms import Arm, JobDir, Ours, OursWithErrors, ScrapyRedis
from benchmarks.parts.children import arguments, finish, table
from benchmarks.parts.killing import (
    Trigger,
    at_moments,
    in_commits,
    kills,
    longest_resume,
    served,
    to_its_end,
)
from benchmarks.parts.tree import Tree, path
from tests.servers.redis_server import redis_server

PAGES, QUICK = 2_000, 400
SITES, QUICK_SITES = 60, 12
CHANGING_SITES, QUICK_CHANGING_SITES = 20, 4
AIMED_A_DAY, QUICK_AIMED_A_DAY = 4, 1
KILLS_IN_COMMIT, QUICK_KILLS_IN_COMMIT = 12, 2
SEEDS, QUICK_SEEDS = range(1, 11), (1,)


def run(arm: Arm, tree: Tree, triggers: Sequence[Trigger]) -> dict[str, Any]:
    """Crawl, kill, resume, and count. Raises RuntimeError when the last run fails."""
    killed = sum(1 for _ in kills(arm, lambda: len(tree.answered), triggers))
    to_its_end(arm)
    stored = Counter(arm.items())
    expected = {f"{arm.root_url.removesuffix(path(0))}{path(page)}" for page in range(tree.pages)}
    return {
        "pages": tree.pages,
        "kills": killed,
        "never_fetched": tree.pages - len(tree.answered),
        "items_missing": len(expected - stored.keys()),
        "items_twice": stored.total() - len(stored),
        "fetched_again": tree.answered.total() - len(tree.answered),
        "resume_s": longest_resume(arm),
    }


def measure(
    make: Callable[[Path, str], Arm], pages: int, errors: float, kills_in_commit: int = 0
) -> dict[str, Any]:
    """Run one arm over a web of its own."""
    tree = Tree(pages, errors)
    with served(tree) as (folder, root_url):
        arm = make(folder, f"{root_url}{path(0)}")
        triggers = at_moments(pages)
        if kills_in_commit and isinstance(arm, Ours):
            triggers = in_commits(pages, kills_in_commit, arm.logs())
        return run(arm, tree, triggers)


def measure_redis(pages: int, errors: float) -> dict[str, Any]:
    """Run scrapy-redis over a Redis server of its own."""
    with tempfile.TemporaryDirectory() as data, redis_server(Path(data)) as port:
        arm = type("ScrapyRedisHere", (ScrapyRedis,), {"port": port})
        return measure(arm, pages, errors)


def revisit(sites: int, chosen: Sequence[str], *, quick: bool) -> dict[str, Any]:
    """Run the arms of ``--revisit``; ``sites``: 0 for the usual number."""
    if quick:
        days, usual, aimed = kill_revisiting.QUICK_DAYS, QUICK_CHANGING_SITES, QUICK_AIMED_A_DAY
    else:
        days, usual, aimed = kill_revisiting.DAYS, CHANGING_SITES, AIMED_A_DAY
    return kill_revisiting.measure(sites or usual, days, aimed, chosen)


def main() -> None:
    """Run all arms, or those named by ``--arms``."""
    more = ("errors", "pages", "arms", "explore", "revisit", "sites", "store", "seeds", "keep")
    given = arguments(__doc__, *more)
    pages = int(given.pages or (QUICK if given.quick else PAGES))
    errors = float(given.errors or 0)
    aimed = QUICK_KILLS_IN_COMMIT if given.quick else KILLS_IN_COMMIT
    chosen = given.arms.split(",") if given.arms else []
    if given.explore:
        sites = int(given.sites or (QUICK_SITES if given.quick else SITES))
        show(kill_exploring.measure(sites, aimed, chosen), "explore")
        return
    if given.revisit:
        show(revisit(int(given.sites or 0), chosen, quick=given.quick), "revisit")
        return
    if given.store == "redis":
        seeds = [int(seed) for seed in given.seeds.split(",") if seed]
        seeds = seeds or [*(QUICK_SEEDS if given.quick else SEEDS)]
        show(kill_sharing.measure(pages, seeds, chosen, given.keep), "delay_1")
        return
    ours = OursWithErrors if errors else Ours
    arms: dict[str, Callable[[], dict[str, Any]]] = {
        "ours": lambda: measure(ours, pages, errors),
        "in_commit": lambda: measure(ours, pages, errors, aimed),
        "scrapy_jobdir": lambda: measure(JobDir, pages, errors),
        "scrapy_redis": lambda: measure_redis(pages, errors),
    }
    results = {}
    for name in chosen or arms:
        results[name] = arms[name]()
        print(name, results[name], flush=True)
    show({**results, "errors": errors}, "ours")


def show(results: Mapping[str, Any], first: str) -> None:
    """Print a table of the arms, and all as the last line: the keys of ``first`` stand alone."""
    rows = {name: row for name, row in results.items() if isinstance(row, dict)}
    columns = [*next(iter(rows.values()))]
    table(["arm", *columns], [[name, *row.values()] for name, row in rows.items()])
    rest = {name: found for name, found in results.items() if name != first}
    finish({**results.get(first, {}), **rest})


if __name__ == "__main__":
    main()
