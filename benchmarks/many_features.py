"""CPU milliseconds a page costs with no feature, with each alone, and with all of them.

Method. The web of articles of ``throughput --articles`` (one site, pages of about 40 kB, 33 links),
crawled with scope "web", each arm in a process of its own, features switched off by
FOCUSCRAWL_FEATURES. CPU is the process's from a fifth of the pages to its end. The arm and one with
no feature run at the same time, so that other load slows both; ``NAME_ms`` is the median over five
such pairs of what the feature adds to a page, ``none`` and ``all`` are medians in milliseconds.

A feature that is off is counted, not timed: in one more crawl without any, ``imported`` are the
features whose feature.py is in the process all the same, and ``called`` the calls of functions in a
feature's folder, by file. Its tables of the template and its kinds of rows are not counted: they are
read whether it is on or off, so that a template means the same and old rows stay. What is called in
``links`` and ``revisit`` even so is the kernel's: the admission of links, the dates and versions of pages.

``features.politeness.feature.SitePoliteness`` is always on: no site may be asked before one feature has said how.
What a topic does not ask for costs nothing, so ``search`` and ``records``, which this one does not
name, show what being there costs.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from benchmarks.parts.articles import body, path
from benchmarks.parts.children import arguments, finish, in_child, table
from benchmarks.parts.feature_arm import SWITCHED
from benchmarks.parts.web import NOT_FOUND, Web, answer

CRAWLED, QUICK = 500, 60
PAIRS, QUICK_PAIRS = 5, 1
QUICK_ARMS = ("articles",)
ARM = "benchmarks.parts.feature_arm"


def run(crawled: int, pairs: int, alone: tuple[str, ...]) -> dict[str, Any]:
    """Count the crawl without features, then time each arm beside it."""
    pages = 2 * crawled
    made = {path(page): answer(body(page, pages)) for page in range(pages)}
    arms = {name: name for name in alone} | {"all": ",".join(SWITCHED)}
    none: list[float] = []
    costs: dict[str, list[tuple[float, float]]] = {arm: [] for arm in arms}
    with (
        Web(lambda asked: made.get(asked, NOT_FOUND), ["127.0.0.1"]) as web,
        ThreadPoolExecutor(2) as threads,
    ):
        options = {"start": f"http://127.0.0.1:{web.port}{path(0)}", "crawled": crawled}

        def cost(on: str) -> float:
            return float(in_child(ARM, {"on": on, **options})["cpu_ms"])

        counted = in_child(ARM, {"on": "", "count": "yes", **options, "crawled": QUICK})
        for turn in range(pairs):
            for arm, on in arms.items():
                without, cpu = threads.map(cost, ("", on))
                none.append(without)
                costs[arm].append((without, cpu))
                print(f"pair {turn + 1} {arm}: {without:.3f}, {cpu:.3f}", flush=True)
    rows = [
        (arm, median(cpu for _, cpu in found), median(cpu - less for less, cpu in found))
        for arm, found in costs.items()
    ]
    table(("features", "ms a page", "more than without"), [("none", median(none), 0.0), *rows])
    return {
        "none": round(median(none), 3),
        "all": round(rows[-1][1], 3),
        **{f"{arm}_ms": round(more, 3) for arm, _, more in rows[:-1]},
        "imported": counted["imported"],
        "called": counted["called"],
        "pages": crawled,
        "pairs": pairs,
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Run all arms, or with ``--quick`` one feature and all."""
    given = arguments(__doc__, "crawled", "pairs")
    crawled = int(given.crawled or (QUICK if given.quick else CRAWLED))
    pairs = int(given.pairs or (QUICK_PAIRS if given.quick else PAIRS))
    finish(run(crawled, pairs, QUICK_ARMS if given.quick else tuple(SWITCHED)))


if __name__ == "__main__":
    main()
