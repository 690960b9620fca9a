"""One crawl of articles in a process of its own, and which part of the way its CPU time went to.

Stages are timed by themselves: what one calls of another is the other's. ``scrapy`` is all that no
stage has: download, engine, items, and the Python around the stages.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.settings import Settings

from benchmarks.parts.children import arguments, finish
from benchmarks.parts.crawl_arm import SAME, TOPIC
from focuscrawl import bodies
from focuscrawl.features.articles import article, feature, reader
from focuscrawl.features.stories.feature import Stories
from focuscrawl.kernel import judge
from focuscrawl.readers.links import continuations
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.scheduler import Scheduler
from focuscrawl.spiders.topic import TopicSpider
from focuscrawl.stores.results.results import Results

WARM_AFTER = 100  # answers: imports and what is made once are left out
STAGES: dict[str, tuple[tuple[Any, str], ...]] = {
    "encoding": ((bodies, "find_encoding"),),
    "parse": ((Document, "read"),),
    "links": ((judge, "find_links"), (continuations, "find_paging")),
    "kind": ((judge, "sniff"), (judge, "page_kind")),
    "text": ((reader, "at_first_sight"), (reader, "read_article")),
    "metadata": ((article, "read_metadata"),),
    "judge": ((PageScorer, "score"),),
    "words": ((feature, "keywords_of"),),
    "stories": ((Stories, "join"),),
    "scheduler": (
        (Scheduler, "next_request"),
        (Scheduler, "admit"),
        (Scheduler, "enqueue_request"),
    ),
    "store": ((Scheduler, "_commit_now"), (Results, "write")),
}


class Times:
    """CPU seconds by stage, and the whole process's, from the 100th answer on."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.answers = 0
        self.whole = 0.0
        self._inner = [0.0]

    def response(self, response: Response) -> None:
        """Count an answer."""
        self.answers += 1
        if self.answers == WARM_AFTER:
            self.spent.clear()
            self.whole = time.process_time()

    def watch(self, stage: str, owner: Any, name: str) -> None:
        """Put a clock around a function, a method, a class method or a coroutine."""
        held = vars(owner)[name]
        call = held.__func__ if isinstance(held, classmethod) else held
        clocked = (
            self._stepped(stage, call) if iscoroutinefunction(call) else self._timed(stage, call)
        )
        setattr(owner, name, classmethod(clocked) if isinstance(held, classmethod) else clocked)

    def _timed(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def clocked(*given: Any, **named: Any) -> Any:
            begun = self._enter()
            try:
                return call(*given, **named)
            finally:
                self._leave(stage, begun)

        return clocked

    def _stepped(self, stage: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def clocked(*given: Any, **named: Any) -> _Steps:
            return _Steps(self, stage, call(*given, **named))

        return clocked

    def _enter(self) -> float:
        self._inner.append(0.0)
        return time.thread_time()

    def _leave(self, stage: str, begun: float) -> None:
        spent = time.thread_time() - begun
        self.spent[stage] += spent - self._inner.pop()
        if self._inner:
            self._inner[-1] += spent

    def result(self, pages: int) -> dict[str, Any]:
        """Return milliseconds a page: all, and by stage."""
        counted = self.answers - WARM_AFTER
        whole = (time.process_time() - self.whole) / counted * 1000
        stages = {name: self.spent[name] / counted * 1000 for name in STAGES}
        rest = {"scrapy": whole - sum(stages.values())}
        return {"all": whole} | stages | rest | {"pages": pages}


class _Steps:
    """A coroutine whose steps are timed, not what it waits for."""

    def __init__(self, times: Times, stage: str, coroutine: Any) -> None:
        self._times, self._stage, self._coroutine = times, stage, coroutine

    def __await__(self) -> Generator[Any, Any, Any]:
        steps, answer = self._coroutine.__await__(), None
        while True:
            begun = self._times._enter()
            try:
                asked = steps.send(answer)
            except StopIteration as ended:
                return ended.value
            finally:
                self._times._leave(self._stage, begun)
            answer = yield asked


def crawl(start: str, crawled: int) -> dict[str, Any]:
    """Crawl a number of articles and store them all. Raises RuntimeError when few came."""
    times = Times()
    for stage, places in STAGES.items():
        for owner, name in places:
            times.watch(stage, owner, name)
    settings = Settings()
    settings.setmodule("focuscrawl.settings")
    settings.setdict(SAME, priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(TopicSpider)
    crawler.signals.connect(times.response, signals.response_received)
    topic = TOPIC.format(start=start, crawled=crawled, scope='scope = "sources"')
    process.crawl(crawler, template=topic)
    process.start()
    stored = crawler.spider.run.tally.counters["articles_new"]  # type: ignore[union-attr]
    if times.answers < crawled or stored < 0.9 * crawled:
        raise RuntimeError(f"{times.answers} answers, {stored} articles")
    return times.result(crawled)


def main() -> None:
    """Crawl in a temporary folder."""
    given = arguments(__doc__, "start", "crawled")
    with tempfile.TemporaryDirectory(prefix="focuscrawl-articles-") as folder:
        os.environ["FOCUSCRAWL_DATA_DIR"] = str(Path(folder))
        os.environ["FOCUSCRAWL_PRIVATE"] = "127.0.0.0/8"  # its site is on loopback
        finish(crawl(given.start, int(given.crawled)))


if __name__ == "__main__":
    main()
