"""How many requests until an article that appears under a backlog is whole.

Method. 50,000 low-level URLs wait on 50 sites, and a hundred each on two levels above. Then a
board shows an article of ten pages on one of these sites; every page names only the next one.
``complete_requests`` counts the requests from that moment until its tenth page has been fetched.
``longest_gap`` is the largest number of picks during which a level that had a URL was not served,
watched until nothing waits any more (``longest_gaps`` has it for every arm).

One request at a time, every site always ready, nothing else is found on the way, and no HTTP:
only the order counts. The arms are the schedulers themselves:

- ``scrapy_default``: Scrapy's Scheduler with its default queues (by download slot; last in, first
  out).
- ``scrapy_bfs``: the breadth-first settings of Scrapy's documentation (DEPTH_PRIORITY 1, FIFO
  queues). The board lies as deep as the low-level pages, as a section found on the way does, so
  the article is deeper than they are.
- ``strict``: our frontier with the published rules (A1–A7), factor 2.
- ``ours``: our frontier in its default form. The board is on level 5, the article on level 4, its
  continuation pages on level 5 (A3); the low-level URLs wait on level 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.request import RequestFingerprinter

from benchmarks.parts.children import arguments, finish, table
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules, Levels, level_of
from focuscrawl.frontier.lines import Politeness
from focuscrawl.values import PageClass, Waiting

BACKLOG = 50_000
BETWEEN = 100
SITES = 50
ARTICLE_PAGES = 10
LEVELS = 5
LOW_DEPTH = LEVELS - 1
FIFO = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class Target(NamedTuple):
    """A URL to fetch. ``page`` is the number of the article's page, 0 for all others."""

    url: str
    site: str
    levels: Levels
    depth: int
    page: int = 0


class Arm(Protocol):
    """What picks the next URL."""

    strict: bool

    def push(self, target: Target) -> None: ...

    def pop(self) -> Target | None: ...


class ScrapyArm:
    """Scrapy's own scheduler over an engine that downloads nothing."""

    strict = False

    def __init__(self, settings: dict[str, Any]) -> None:
        crawler = Crawler(Spider, Settings(settings))
        downloader = SimpleNamespace(slots={}, get_slot_key=lambda request: request.meta["slot"])
        crawler.engine = SimpleNamespace(downloader=downloader)  # type: ignore[assignment]
        crawler.stats = MemoryStatsCollector(crawler)
        crawler.request_fingerprinter = RequestFingerprinter(crawler)
        self._depth_priority = crawler.settings.getint("DEPTH_PRIORITY")
        self._scheduler = Scheduler.from_crawler(crawler)
        self._scheduler.open(Spider("completion"))

    def push(self, target: Target) -> None:
        """Queue a URL as the depth middleware would have it."""
        priority = -target.depth * self._depth_priority
        meta = {"slot": target.site, "target": target}
        self._scheduler.enqueue_request(Request(target.url, priority=priority, meta=meta))

    def pop(self) -> Target | None:
        """Take the next URL."""
        request = self._scheduler.next_request()
        return None if request is None else request.meta["target"]


class FrontierArm:
    """Our frontier, every URL done as soon as it was taken."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self._number = 0
        self._targets: dict[str, Target] = {}
        polite = Politeness()
        self._frontier = Frontier(
            LevelOrder(LevelRules(levels=LEVELS, strict=strict), Factor(strict=strict)),
            politeness=lambda site: polite,
            partition_of=lambda site: 0,
            stored=lambda sequence, level: None,
            random=lambda: 0.0,
        )

    def push(self, target: Target) -> None:
        """Queue a URL."""
        self._number += 1
        self._targets[target.url] = target
        waiting = Waiting(target.url, b"", target.site, *target.levels)
        self._frontier.add(waiting, self._number)

    def pop(self) -> Target | None:
        """Take the next URL."""
        row = self._frontier.take(0.0, 0.0)
        if row is None:
            return None
        self._frontier.acknowledge(row.sequence, 0.0)
        return self._targets.pop(row.waiting.url)


ARMS: dict[str, Callable[[], Arm]] = {
    "scrapy_default": lambda: ScrapyArm({}),
    "scrapy_bfs": lambda: ScrapyArm(FIFO),
    "strict": lambda: FrontierArm(strict=True),
    "ours": lambda: FrontierArm(strict=False),
}


class Outcome(NamedTuple):
    """``complete_requests`` until the article was whole, ``longest_gap`` over all levels."""

    complete_requests: int
    longest_gap: int


def targets(backlog: int) -> list[Target]:
    """Return what waits before the article appears: the longest-waiting first."""
    found = []
    for level, count in ((3, BETWEEN), (2, BETWEEN), (1, backlog)):
        for number in range(count):
            site = f"site{number % SITES:02}.example"
            url = f"http://{site}/level{level}/{number}"
            found.append(Target(url, site, Levels(level, level), LEVELS - level))
    return found


def first_page() -> Target:
    """Return the article's first page, as the board shows it."""
    levels = level_of(None, PageClass.BOARD, Levels(LEVELS, LEVELS), LEVELS)
    site = f"site{SITES // 2:02}.example"
    return Target(f"http://{site}/article/1", site, levels, LOW_DEPTH + 1, 1)


def next_page(page: Target, *, strict: bool) -> Target:
    """Return the page that this page of the article names."""
    levels = level_of(
        PageClass.ARTICLE_PAGING, PageClass.ARTICLE, page.levels, LEVELS, strict=strict
    )
    number = page.page + 1
    url = f"http://{page.site}/article/{number}"
    return Target(url, page.site, levels, page.depth + 1, number)


def run(arm: Arm, backlog: int) -> Outcome:
    """Let everything be picked, and watch."""
    waiting: Counter[int] = Counter()
    picks = 0
    since: dict[int, int] = {}
    longest = complete = 0

    def push(target: Target) -> None:
        arm.push(target)
        level = target.levels.level
        if not waiting[level]:
            since[level] = picks
        waiting[level] += 1

    for target in [*targets(backlog), first_page()]:
        push(target)
    while (picked := arm.pop()) is not None:
        picks += 1
        level = picked.levels.level
        longest = max(longest, picks - since[level])
        since[level] = picks
        waiting[level] -= 1
        if picked.page == ARTICLE_PAGES:
            complete = picks
        elif picked.page:
            push(next_page(picked, strict=arm.strict))
    if waiting.total() or not complete:
        raise RuntimeError(f"{waiting} URLs were never picked")
    return Outcome(complete, longest)


def main() -> None:
    """Run all arms; ``--quick`` changes nothing, since it is quick."""
    given = arguments(__doc__, "backlog")
    backlog = int(given.backlog or BACKLOG)
    outcomes = {name: run(make(), backlog) for name, make in ARMS.items()}
    table(
        ("arm", "requests until whole", "longest gap"),
        [(name, *outcome) for name, outcome in outcomes.items()],
    )
    finish(
        {
            "complete_requests": {
                name: outcome.complete_requests for name, outcome in outcomes.items()
            },
            "longest_gap": outcomes["ours"].longest_gap,
            "longest_gaps": {name: outcome.longest_gap for name, outcome in outcomes.items()},
            "backlog": backlog,
        }
    )


if __name__ == "__main__":
    main()
