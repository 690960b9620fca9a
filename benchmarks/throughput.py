"""CPU milliseconds a page costs, against Scrapy's own way with links.

Method. One web of 20,000 pages of about 14 KB on 200 sites (127.0.0.1 … 127.0.0.200), 33 links a
page to pages drawn at random, half of them on the page's own site; served from memory by a thread
of this process. Each arm crawls 2,000 pages in a process of its own, with 64 requests at once, 8 to a site, no delay, no robots.txt, no retries, log level WARNING:

- ``ours``: a topic with one source and the sites listed: durable SQLite store and results
  database, LinkBatch middleware, anchors, page class, scope, depth, trap and canonical-form rules.
- ``scrapy_follow``: ``response.follow`` for every link of the page, queues in memory.
- ``scrapy_list_css``: the same number of pages from a start list; the links are selected, nothing
  is yielded.
- ``ours_exploring``: ours with scope "web", where links into unknown sites are scored and wait in
  the lane of exploration (not with ``--quick``). ``--explore`` runs this arm and ours side by side,
  five rounds; ``explore_ratio`` is the median of the rounds' ratios.

Text extraction is off on all sides: in our arm ``at_first_sight`` and ``read_article`` are replaced
by nothing in the process of the benchmark, all else is as in a crawl. The figure is CPU time of the process (user
and system) from the 100th answer to the end of the process's crawl, closing and last commits
included, divided by the pages in between; so imports and warming up are left out on all sides.
``--quick`` is the same crawl at a quarter: 500 pages of a web of 5,000, from the 25th answer on, so that
as many of the links it meets are new; closing, which costs the same however long the crawl was, counts
with a quarter, too.
The arms take turns for three rounds and the median counts. ``scheduler_share`` comes from further
runs of our arm (``ours_timed``), where the scheduler's entrances (next_request with sweep and
commits, admit, enqueue_request, the commit timer) are timed; it is their share of the CPU time
without the writing of results (rows of pages, articles, sites: what elsewhere an item pipeline does
with its database), which stands beside it as ``results_share``.
The run fails on any answer but 200 and on any error in a log.

``--articles`` crawls articles instead, with everything on, and says where the time of a page goes:
see ``benchmarks.parts.articles``.
"""

from __future__ import annotations

import os
import random
import statistics
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.parts import articles
from benchmarks.parts.children import arguments, finish, in_child, table
from benchmarks.parts.web import NOT_FOUND, Web, answer

SITES = 200
PAGES = 20_000
LINKS = 33
CRAWLED, QUICK = 2_000, 500
WARM_SHARE = 20
"""One page in so many is left out at the beginning."""
ROUNDS = 3
EXPLORE_ROUNDS = 5
QUICK_ARMS = ("ours", "scrapy_follow", "scrapy_list_css", "ours_timed")
ARMS = (*QUICK_ARMS, "ours_exploring")
SENTENCE = "成都市住房和城乡建设局昨日公布新一批项目的进展，施工单位表示将按计划推进各项工作。"
PROSE = "".join(f"<p>{SENTENCE * 3}</p>" for _ in range(28))


def host(page: int) -> str:
    """Return the address of a page's site."""
    return f"127.0.0.{page % SITES + 1}"


def path(page: int) -> str:
    """Return a page's path."""
    return f"/news/{page % 37}/page-{page}.html"


def body(page: int, port: int, pages: int) -> bytes:
    """Write a page: title, links in a list, prose."""
    luck = random.Random(page)
    items = []
    for number in range(LINKS):
        linked = luck.randrange(pages)
        if number % 2:  # one of the same site
            linked = linked // SITES * SITES + page % SITES
            target = path(linked % pages)
        else:
            target = f"http://{host(linked)}:{port}{path(linked)}"
        items.append(f'<li><a href="{target}">第{linked}条消息的标题文字</a></li>')
    html = (
        f"<html><head><title>第{page}页</title></head><body><h1>第{page}页</h1>"
        f"<ul>{''.join(items)}</ul>{PROSE}</body></html>"
    )
    return html.encode()


class Pages:
    """All pages, made when they are first asked for."""

    def __init__(self, pages: int) -> None:
        self.port = 0
        self.errors = 0
        self.served = 0
        self._pages = pages
        self._made: dict[str, bytes] = {}
        self._numbers = {path(page): page for page in range(pages)}

    def __len__(self) -> int:
        return len(self._numbers)

    def make(self) -> None:
        """Make them all, so that serving costs as little as it can."""
        for name, page in self._numbers.items():
            self._made[name] = answer(body(page, self.port, self._pages))

    def __call__(self, asked: str) -> bytes:
        """Answer."""
        made = self._made.get(asked)
        if made is None:
            self.errors += 1
            return NOT_FOUND
        self.served += 1
        return made


def run(crawled: int, rounds: int, pages: int, arms: tuple[str, ...]) -> dict[str, Any]:
    """Let the arms take turns."""
    pages_of_web = Pages(pages)
    with Web(pages_of_web, [f"127.0.0.{number + 1}" for number in range(SITES)]) as web:
        pages_of_web.port = web.port
        pages_of_web.make()
        rows: dict[str, list[dict[str, Any]]] = {arm: [] for arm in arms}
        for turn in range(rounds):
            for arm in arms:
                options = {"arm": arm, "port": web.port, "crawled": crawled, "pages": pages}
                rows[arm].append(in_child("benchmarks.parts.crawl_arm", options))
                print(f"round {turn + 1} {arm}: {rows[arm][-1]}", flush=True)
        if pages_of_web.errors:
            raise RuntimeError(f"the web had {pages_of_web.errors} requests it does not know")
    cost = {arm: statistics.median(row["cpu_ms"] for row in rows[arm]) for arm in arms}
    table(
        ("arm", "ms a page", "least", "most", "pages a second"),
        [
            (
                arm,
                cost[arm],
                min(row["cpu_ms"] for row in rows[arm]),
                max(row["cpu_ms"] for row in rows[arm]),
                statistics.median(row["pages_s"] for row in rows[arm]),
            )
            for arm in arms
        ],
    )
    timed = rows["ours_timed"]
    share, results = (
        statistics.median(row[name] for row in timed)
        for name in ("scheduler_share", "results_share")
    )
    return {
        "ours": round(cost["ours"], 3),
        "scrapy_follow": round(cost["scrapy_follow"], 3),
        "scrapy_list_css": round(cost["scrapy_list_css"], 3),
        "vs_follow": round(cost["ours"] / cost["scrapy_follow"], 3),
        "vs_list_css": round(cost["ours"] / cost["scrapy_list_css"], 3),
        "scheduler_share": round(share, 3),
        "results_share": round(results, 3),
        **(
            {"ours_exploring": round(cost["ours_exploring"], 3)} if "ours_exploring" in cost else {}
        ),
        "pages": crawled,
        "rounds": rounds,
        "load_average": round(os.getloadavg()[0], 1),
    }


def explore(crawled: int, rounds: int, pages: int) -> dict[str, Any]:
    """Run the two arms of exploration at the same time: other load slows both."""
    pages_of_web = Pages(pages)
    ratios = []
    with (
        Web(pages_of_web, [f"127.0.0.{number + 1}" for number in range(SITES)]) as web,
        ThreadPoolExecutor(2) as threads,
    ):
        pages_of_web.port = web.port
        pages_of_web.make()
        options = {"port": web.port, "crawled": crawled, "pages": pages}
        for turn in range(rounds):
            without, exploring = threads.map(
                lambda arm: in_child("benchmarks.parts.crawl_arm", {"arm": arm, **options}),
                ("ours", "ours_exploring"),
            )
            ratios.append(exploring["cpu_ms"] / without["cpu_ms"])
            print(f"round {turn + 1}: {without}, exploring: {exploring}", flush=True)
        if pages_of_web.errors:
            raise RuntimeError(f"the web had {pages_of_web.errors} requests it does not know")
    return {
        "explore_ratio": round(statistics.median(ratios), 3),
        "least": round(min(ratios), 3),
        "most": round(max(ratios), 3),
        "pages": crawled,
        "rounds": rounds,
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Run all arms, or only some."""
    given = arguments(__doc__, "crawled", "rounds", "pages", "articles", "explore")
    crawled = int(given.crawled or (QUICK if given.quick else CRAWLED))
    pages = int(given.pages or PAGES * min(crawled, CRAWLED) // CRAWLED)
    if given.articles:
        finish(articles.run(crawled))
    elif given.explore:
        rounds = ROUNDS if given.quick else EXPLORE_ROUNDS
        finish(explore(crawled, int(given.rounds or rounds), pages))
    else:
        arms = QUICK_ARMS if given.quick else ARMS
        finish(run(crawled, int(given.rounds or ROUNDS), pages, arms))


if __name__ == "__main__":
    main()
