"""One crawl of ``benchmarks.throughput`` or ``benchmarks.shared`` in a process of its own; prints what it cost."""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import scrapy
from scrapy import signals
from scrapy.core.scheduler import Scheduler as ScrapyScheduler
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy_redis.scheduler import Scheduler as ScrapyRedisScheduler

from benchmarks.parts.children import arguments, finish
from benchmarks.throughput import CRAWLED, SITES, WARM_SHARE, host, path
from focuscrawl.features.articles import reader
from focuscrawl.scheduler import Scheduler
from focuscrawl.spiders.topic import TopicSpider
from focuscrawl.stores.results.results import Results

TOPIC = """
[topic]
name = "throughput"
keywords = ["食品"]

[[source]]
url = "{start}"

[follow]
{scope}
depth = 50

[limits]
pages = {crawled}

[politeness]
delay = "0s"
robots = false
concurrency = 8

[settings]
CONCURRENT_REQUESTS = 64
RETRY_TIMES = 0
"""
LISTED = f'scope = "listed"\nsites = {json.dumps(sorted({host(page) for page in range(SITES)}))}'
SAME: dict[str, object] = {
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False,
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
    "TELNETCONSOLE_ENABLED": False,
}

SCRAPY_REDIS: dict[str, object] = {
    "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
    "SCHEDULER_PERSIST": True,
}


def address(page: int, port: int) -> str:
    """Return the whole address of a page."""
    return f"http://{host(page)}:{port}{path(page)}"


class FollowSpider(scrapy.Spider):
    """Yields a request for every link."""

    name = "follow"
    port = crawled = pages = 0

    async def start(self) -> AsyncIterator[Any]:
        """Begin with one page."""
        yield scrapy.Request(address(0, int(self.port)))

    def parse(self, response: Response) -> Iterator[Any]:
        """Follow all links."""
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)


class ListSpider(FollowSpider):
    """Selects the links of the pages of a list."""

    name = "list"

    async def start(self) -> AsyncIterator[Any]:
        """Begin with as many pages as are to be crawled."""
        for number in range(int(self.crawled)):
            yield scrapy.Request(address(number % int(self.pages), int(self.port)))

    def parse(self, response: Response) -> Iterator[Any]:
        """Select the links."""
        self.links = response.css("a::attr(href)").getall()
        yield from ()


class Watch:
    """Counts answers and CPU time from a twentieth of ``crawled`` pages on."""

    def __init__(self, crawled: int) -> None:
        self._warm_after = crawled // WARM_SHARE
        self._closing_share = min(crawled / CRAWLED, 1.0)
        self._closing = 0.0
        self.answers = 0
        self.not_ok = 0
        self.cpu = self.wall = 0.0
        self.scheduler_cpu = 0.0
        self.results_cpu = 0.0
        self._inside = False

    def response(self, response: Response) -> None:
        """Count an answer."""
        self.answers += 1
        self.not_ok += response.status != 200 or not isinstance(response, HtmlResponse)
        if self.answers == self._warm_after:
            self.scheduler_cpu = self.results_cpu = 0.0
            self.cpu, self.wall = time.process_time(), time.perf_counter()

    def closes(self, close: Callable[..., Any]) -> Callable[..., Any]:
        """Note when the scheduler is closed: the last page was read by then."""

        @wraps(close)
        def call(*given: Any, **named: Any) -> Any:
            self._closing = time.process_time()
            return close(*given, **named)

        return call

    def timed(self, entrance: Callable[..., Any]) -> Callable[..., Any]:
        """Time an entrance of the scheduler; one inside another counts once."""

        @wraps(entrance)
        def call(*given: Any, **named: Any) -> Any:
            if self._inside:
                return entrance(*given, **named)
            self._inside = True
            before = time.process_time()
            try:
                return entrance(*given, **named)
            finally:
                self._inside = False
                self.scheduler_cpu += time.process_time() - before

        return call

    def timed_apart(self, entrance: Callable[..., Any]) -> Callable[..., Any]:
        """Time the writing of results, where a commit of the scheduler sets it off."""

        @wraps(entrance)
        def call(*given: Any, **named: Any) -> Any:
            if not self._inside:
                return entrance(*given, **named)
            before = time.process_time()
            try:
                return entrance(*given, **named)
            finally:
                self.results_cpu += time.process_time() - before

        return call

    def result(self, pages: int) -> dict[str, Any]:
        """Return what a page cost. Raises RuntimeError when an answer was wrong or missing."""
        end, wall = time.process_time(), time.perf_counter() - self.wall
        cpu = self._closing - self.cpu + (end - self._closing) * self._closing_share
        if self.not_ok or self.answers < pages:
            raise RuntimeError(f"{self.answers} answers, {self.not_ok} of them no page")
        counted = self.answers - self._warm_after
        return {
            "cpu_ms": round(cpu / counted * 1000, 3),
            "pages_s": round(counted / wall, 1),
            "answers": self.answers,
            "closing_ms": round((end - self._closing) * 1000, 1),
            "scheduler_share": round((self.scheduler_cpu - self.results_cpu) / cpu, 4),
            "results_share": round(self.results_cpu / cpu, 4),
        }


class Errors(logging.Handler):
    """Keeps messages of level ERROR."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.messages.append(record.getMessage())


def crawl(arm: str, port: int, crawled: int, pages: int, redis: str = "") -> dict[str, Any]:
    """Crawl as one arm does, over a ``redis`` if one is named."""
    watch, errors = Watch(crawled), Errors()
    if arm.startswith("ours"):
        for name in ("at_first_sight", "read_article"):
            if not hasattr(reader, name):
                raise RuntimeError("text extraction has moved: switch it off at its new place")
            vars(reader)[name] = lambda *given, **named: None
        if arm == "ours_timed":
            for name in ("next_request", "admit", "enqueue_request", "_commit_now"):
                setattr(Scheduler, name, watch.timed(getattr(Scheduler, name)))
            setattr(Results, "write", watch.timed_apart(Results.write))  # noqa: B010
        settings, spider = Settings(), TopicSpider
        settings.setmodule("focuscrawl.settings")
        scope = 'scope = "web"' if arm == "ours_exploring" else LISTED
        topic = TOPIC.format(start=address(0, port), crawled=crawled, scope=scope)
        named: dict[str, Any] = {"template": topic}
    else:
        settings = Settings({"CLOSESPIDER_PAGECOUNT": crawled})
        spider = ListSpider if arm == "scrapy_list_css" else FollowSpider  # type: ignore[assignment]
        named = {"port": port, "crawled": crawled, "pages": pages}
    scheduler: Any = Scheduler if arm.startswith("ours") else ScrapyScheduler
    if redis:
        settings.set("REDIS_URL", redis, priority="cmdline")
    if arm == "scrapy_redis":
        scheduler = ScrapyRedisScheduler
        settings.setdict(SCRAPY_REDIS, priority="cmdline")
    scheduler.close = watch.closes(scheduler.close)
    settings.setdict(SAME, priority="cmdline")
    process = CrawlerProcess(settings)
    logging.getLogger().addHandler(errors)
    crawler = process.create_crawler(spider)
    crawler.signals.connect(watch.response, signals.response_received)
    process.crawl(crawler, **named)
    process.start()
    if errors.messages:
        raise RuntimeError("\n".join(errors.messages[:5]))
    return watch.result(crawled)


def main() -> None:
    """Crawl in a temporary folder."""
    given = arguments(__doc__, "arm", "port", "crawled", "pages", "redis")
    with tempfile.TemporaryDirectory(prefix="focuscrawl-throughput-") as folder:
        os.environ["FOCUSCRAWL_DATA_DIR"] = str(Path(folder))
        os.environ["FOCUSCRAWL_PRIVATE"] = "127.0.0.0/8"  # its sites are on loopback
        sizes = int(given.port), int(given.crawled), int(given.pages)
        finish(crawl(given.arm, *sizes, given.redis))


if __name__ == "__main__":
    main()
