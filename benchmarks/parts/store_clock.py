"""A Scrapy extension that notes what a worker asks of Redis, and what it costs.

Into the file STORE_LOG, one JSON object a line: at once into how many partitions a window was refused (``fenced``), and how many
partitions were not its own any more when it renewed its lease (``refused``); once a second all counts so far;
at its end the seconds of CPU a page has cost (``page_cpu``) from the WARMth answer on, and what looking into
the shared index of stories and writing to it has taken (``story_s``, seconds by the clock). Each article that
was told (``told``, its key) with its place among those of all workers (``place``); of one that was told again as its transaction was repeated the last line counts.

With WITHOUT_TEXT nothing is read of articles, as in ``benchmarks.throughput``.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from focuscrawl.features.articles import reader
from focuscrawl.features.stories.events import StoryReading
from focuscrawl.features.stories.shared import SharedStoryIndex
from focuscrawl.stores.redis import scripts
from focuscrawl.stores.redis.server import ScriptCall, Server
from focuscrawl.stores.results.results import Results

WARM = 100
"""Answers before which nothing is measured: what is imported and made once costs nothing a page."""

NAMES = {
    id(one): name.lower() for name, one in vars(scripts).items() if isinstance(one, scripts.Script)
}


class StoreClock:
    """Counts scripts by name, round trips, and the seconds of CPU of the thread that has Redis."""

    def __init__(self, crawler: Crawler) -> None:
        self._counts: Counter[str] = Counter()
        self._said = 0.0
        log = Path(crawler.settings["STORE_LOG"])
        self._log = log
        self._pages, self._warm = 0, 0.0
        crawler.signals.connect(self._answered, signals.response_received)
        crawler.signals.connect(self._closed, signals.spider_closed)
        if crawler.settings.getbool("WITHOUT_TEXT"):
            for name in ("at_first_sight", "read_article"):
                vars(reader)[name] = lambda *given, **named: None
        self._stories = 0.0
        self._time_stories()
        self._note_places()
        call, send = Server.call, Server.send

        note = self._note

        def call_counted(server: Server, calls: Sequence[ScriptCall]) -> list[Any]:
            answers = call(server, calls)
            for one, answer in zip(calls, answers, strict=True):
                self._counts[NAMES[id(one.script)]] += 1
                if one.script is scripts.WRITE and answer:
                    note({"fenced": len(answer)})
                if one.script is scripts.RENEW and answer[0]:
                    note({"refused": len(answer[0])})
            return answers

        def send_counted(server: Server, commands: Sequence[Sequence[Any]]) -> list[Any]:
            self._counts["trips"] += 1
            answers = send(server, commands)
            now = time.monotonic()
            if now - self._said >= 1.0:
                self._said = now
                cpu = {"process_cpu": time.process_time(), "store_cpu": time.thread_time()}
                note({"at": now, **cpu, **self._counts})
            return answers

        Server.call, Server.send = call_counted, send_counted  # type: ignore[method-assign]

    def _note(self, found: object) -> None:
        with self._log.open("a", encoding="ascii") as lines:
            lines.write(f"{json.dumps(found)}\n")

    def _answered(self) -> None:
        self._pages += 1
        if self._pages == WARM:
            self._warm = time.process_time()

    def _closed(self) -> None:
        if self._pages > WARM:
            cost = (time.process_time() - self._warm) / (self._pages - WARM)
            self._note({"page_cpu": cost, "pages": self._pages, "story_s": self._stories})

    def _time_stories(self) -> None:
        asks = Results.ask_and_write

        def asks_timed(results: Results, question: Any, **named: Any) -> Any:
            before = time.perf_counter()
            try:
                return asks(results, question, **named)
            finally:
                self._stories += time.perf_counter() - before

        Results.ask_and_write = asks_timed  # type: ignore[method-assign]

    def _note_places(self) -> None:
        tell, note = SharedStoryIndex._told, self._note

        def tells_noted(
            index: SharedStoryIndex, tables: Any, reading: StoryReading, looked: Any
        ) -> Any:
            told = tell(index, tables, reading, looked)
            if not told[0].again:
                note({"told": reading.key.hex(), "place": index.documents})
            return told

        SharedStoryIndex._told = tells_noted  # type: ignore[method-assign]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StoreClock:
        """Make it before the scheduler is made."""
        return cls(crawler)


def read(log: Path) -> list[dict[str, Any]]:
    """Read a log; a kill may have torn its last line."""
    found = []
    for line in log.read_text(encoding="ascii").splitlines() if log.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
