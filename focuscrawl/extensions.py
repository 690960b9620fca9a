"""The clock of a run: its minute line, its limits, and why it ended; its numbers for Prometheus."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, NotConfigured
from scrapy.spidermiddlewares.httperror import HttpError, HttpErrorMiddleware
from scrapy.utils.asyncio import create_looping_call

from focuscrawl.config import ConfigError, prometheus_place
from focuscrawl.kernel.figures import Figures, rows_new, say_why
from focuscrawl.kernel.opening import is_alive
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.transport.slots import only_looks
from focuscrawl.output.feeds import WrittenFeeds
from focuscrawl.output.summary.advice import largest_found
from focuscrawl.output.summary.lines import Progress, ended_line, progress_line
from focuscrawl.output.summary.logs import is_drawn
from focuscrawl.output.summary.prometheus import (
    SAMPLE_EVERY,
    TOPIC_NAME,
    Outlet,
    TopicNumbers,
    outlet_at,
)
from focuscrawl.output.summary.summary import (
    SpiderCounts,
    reasons_when_empty,
    spider_summary_text,
    summary_text,
)
from focuscrawl.stores.results.database import Unfit
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.template.files import masked

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

TICK = 1.0
MINUTE = 60.0

LINES_A_PAGE = ("scrapy.spidermiddlewares.httperror", "scrapy.spidermiddlewares.urllength")
"""Log each 404, and each link that is too long, at INFO; the log book and the counts have them all."""


def asks_for_debug(settings: BaseSettings) -> bool:
    """Whether LOG_LEVEL, a name or a number, asks for a line for each page."""
    level = settings["LOG_LEVEL"]
    names = logging.getLevelNamesMapping()
    number = level if isinstance(level, int) else names.get(str(level).upper(), logging.INFO)
    return number <= logging.DEBUG


NOISY = ("scrapy.downloadermiddlewares.robotstxt", "scrapy.core.scraper")
"""Loggers that print a traceback for every site that does not answer."""


def without_network_traceback(record: logging.LogRecord) -> bool:
    """Take the traceback out of a log record about the network; a callback's own stays.

    A failed store is logged when the run is broken off, and not once more for each item.
    """
    kind = record.exc_info[0] if isinstance(record.exc_info, tuple) else None
    if kind is not None and issubclass(kind, StoreError) and not issubclass(kind, Unfit):
        return False
    if getattr(kind, "__module__", "").partition(".")[0] in ("scrapy", "twisted"):
        record.exc_info = None
    return True


_FEEDS = "scrapy.extensions.feedexport"
"""Tells where each feed went, with the password that is in its address."""


def without_passwords(record: logging.LogRecord) -> bool:
    """Take the passwords of addresses out of a log record."""
    record.msg, record.args = masked(record.getMessage()), ()
    return True


class SpiderWatch:
    """Counts what a spider without a topic does, as its user would: items, callbacks, status codes."""

    def __init__(self, crawler: Crawler, run: Run) -> None:
        self.counts = SpiderCounts()
        self._run = run
        self._filter = HttpErrorMiddleware.from_crawler(crawler)
        crawler.signals.connect(self._received, signals.response_received)
        crawler.signals.connect(self._scraped, signals.item_scraped)
        crawler.signals.connect(self._dropped, signals.item_dropped)
        crawler.signals.connect(self._raised, signals.spider_error)
        crawler.signals.connect(self._raised, signals.item_error)

    def _received(self, response: Response) -> None:
        request = response.request
        if not request or request not in self._run.flights:  # robots.txt
            return
        # Where our middlewares are left out, nothing else notes it.
        self._run.flights[request].status = response.status
        self.counts.statuses[str(response.status)] += 1
        try:  # Scrapy's own filter says whether the callback will see it
            self._filter.process_spider_input(response)
        except HttpError:
            return
        self.counts.callbacks[getattr(request.callback, "__name__", "parse")] += 1

    def _scraped(self, item: object) -> None:
        self.counts.items[type(item).__name__] += 1

    def _dropped(self, item: object) -> None:
        self.counts.dropped[type(item).__name__] += 1

    def _raised(self, failure: Failure) -> None:
        self.counts.raised[failure.type.__name__ if failure.type else "unknown"] += 1


def _log_line(now: Progress) -> None:
    logger.info("%s", progress_line(now))


class RunClock:
    """Watches a run: a line a minute (a display on a terminal), limits, the end."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)
        self._crawler = crawler
        self._figures = Figures(self.run)
        self._watch = SpiderWatch(crawler, self.run) if not self.run.run.has_topic else None
        self._ticks = 0
        self._pages_before = 0
        self._show: Callable[[Progress], None] = _log_line
        self._is_drawn = False
        self._drawing = ExitStack()
        self._feeds = WrittenFeeds(crawler)
        self._loop = create_looping_call(self._tick)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._idle, signals.spider_idle)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RunClock | None:
        """Make it for a crawl; commands that only look at pages have no run to watch."""
        if only_looks(crawler):
            raise NotConfigured
        return cls(crawler)

    def _opened(self, spider: Spider) -> None:
        for name in NOISY:
            logging.getLogger(name).addFilter(without_network_traceback)
        logging.getLogger(_FEEDS).addFilter(without_passwords)
        for chatty in map(logging.getLogger, LINES_A_PAGE):
            # Scrapy's loggers let all through, its handler has the level: it says what was asked for.
            if chatty.level == logging.NOTSET and not asks_for_debug(self._crawler.settings):
                chatty.setLevel(logging.WARNING)
        if not self.run.is_open:
            raise CloseSpider(self.run.ending.reason)
        if is_drawn(self._crawler.settings):
            from rich.console import Console  # noqa: PLC0415 - terminals only, it takes a while to load

            from focuscrawl.output.summary.terminal import ProgressDisplay  # noqa: PLC0415

            display = ProgressDisplay(Console(stderr=True))
            self._show, self._is_drawn = self._drawing.enter_context(display).show, True
        self._loop.start(TICK, now=False)

    # While it runs ------------------------------------------------------------------------------

    def _tick(self) -> None:
        self._ticks += 1
        if self.run.slots.is_told_to_stop:
            self.run.commits.stop_waiting()
        if self._ticks % round(MINUTE / TICK) == 0:
            if self.run.is_open:  # behind its last window nothing can be written any more
                self._minute()
        elif self._is_drawn:
            self._show(self._progress())
        for look in self.run.hooks.tick:
            look()
        for give_up in self.run.hooks.stopping if self.run.slots.is_closing else ():
            give_up()
        reason = self._limit_reached()
        if reason:
            self.run.slots.close_spider(reason)

    def _limit_reached(self) -> str:
        run = self.run
        if run.commits.broken:
            return "store_error"
        limits, totals = run.template.limits, run.totals
        if (reached := totals.limit_reached()) and reached.ends_at_once:
            return reached.reason
        if limits.errors and totals["errors"] >= limits.errors:
            return "limit_errors"
        most = self._crawler.settings.getfloat("CLOSESPIDER_TIMEOUT")
        # Scrapy counts from when this process began; the crawl may be older.
        return "closespider_timeout" if 0 < most <= totals.seconds else ""

    def _minute(self) -> None:
        run = self.run
        now = self._progress()
        self._pages_before = now.pages
        self._show(now)
        self._figures.note(now)
        self._figures.note_sites()
        is_alive(run.frontier, run.clock.wall())
        run.commits.beside(run.tally.run_row())
        run.opening.old_rows.meanwhile()

    def _progress(self) -> Progress:
        pages = self.run.tally.counters["pages"] - self._pages_before
        seconds = self._ticks * TICK % MINUTE or MINUTE
        return self._figures.progress(pages * MINUTE / max(1.0, seconds))

    def _idle(self) -> None:
        """Nothing more comes: what a feature has left till then is done, and what may come is waited for."""
        run = self.run
        is_over = bool(run.commits.broken or run.totals.limit_reached())
        is_busy = [idle(is_over=is_over) for idle in run.hooks.idle] if run.is_open else []
        if any(is_busy) or (run.is_open and not (is_over or run.partitions.may_end())):
            raise DontCloseSpider

    # The end ------------------------------------------------------------------------------------

    async def _closed(self, spider: Spider, reason: str) -> None:
        run = self.run
        if self._loop.running:
            self._loop.stop()
        self._drawing.close()
        say_why(run, reason)
        for found in run.hooks.found():
            run.tally.counters[f"unrecognised/{found.kind}"] += found.number
        stats = self._crawler.stats
        row = asdict(run.tally.run_row())
        counters = row.pop("counters")
        for name, count in {**row, **counters}.items():
            if (
                count or run.run.has_topic
            ):  # else Scrapy's users read of features that their project does not have
                stats.set_value(f"focuscrawl/{name}", count)
        stats.set_value("focuscrawl/end_reason", run.ending.reason)
        run.tally.unrecognised = [found._asdict() for found in largest_found(run.hooks.found())]
        if run.commits.results:
            if run.run.has_topic:
                run.tally.empty_reasons = reasons_when_empty(self._figures.summary([]))
            self._figures.note(self._progress())  # a run of seconds has no minute of its own
            self._figures.note_sites()
            run.commits.now(run.tally.run_row())
            run.opening.end_results()
            await self._close_features()
            summary = self._figures.summary(await self._feeds.names())
            watch = self._watch
            text = spider_summary_text(summary, watch.counts) if watch else summary_text(summary)
            logger.info("%s", text)
            if run.store.is_shared and run.store.is_last:
                logger.info("%s: %s", run.run.name, run.totals.in_words())
        run.opening.close_results()
        ending, pages, new = run.ending, run.tally.counters["pages"], rows_new(run)
        logger.info(
            "%s", ended_line(run.run.name, ending.reason, ending.exit_code, pages=pages, new=new)
        )

    async def _close_features(self) -> None:
        """Let features send and write what goes out; in a thread, for it takes its time.

        Of several processes the last one does so: only then all of them have stored what they found. One
        that leads may end before the others do.
        """
        run = self.run
        if run.commits.broken or not run.store.is_last:
            return
        for close in run.hooks.closing:
            try:
                await asyncio.to_thread(close)
            except Exception:
                logger.exception("What goes out at the end of a run failed")


class Metrics:
    """Shows the numbers of one crawl."""

    def __init__(self, crawler: Crawler, outlet: Outlet) -> None:
        self._run = Run.of(crawler)
        self._figures = Figures(self._run)
        self._outlet = outlet
        self._loop = create_looping_call(self._show)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Metrics:
        """Make it where a place is given. Raises NotConfigured."""
        try:
            place = prometheus_place(crawler.settings, os.environ)
            if not place or only_looks(crawler):
                raise NotConfigured
            return cls._at(crawler, place)
        except ConfigError as error:  # a crawl without numbers is better than none
            logger.error("%s", error)
            raise NotConfigured from None

    @classmethod
    def _at(cls, crawler: Crawler, place: tuple[str, int] | Path) -> Metrics:
        if isinstance(place, Path):
            name = crawler.spider.name if crawler.spider else ""
            place = place.with_name(place.name.replace(TOPIC_NAME, name)).absolute()
        return cls(crawler, outlet_at(place))

    def _opened(self) -> None:
        self._loop.start(SAMPLE_EVERY, now=True)

    def _closed(self) -> None:
        if self._loop.running:
            self._loop.stop()
        self._show(ended=self._run.clock.wall(), status=self._run.ending.exit_code)

    def _show(self, ended: float = 0.0, status: int = -1) -> None:
        run, now = self._run, self._figures.progress(0.0)
        counters = run.tally.counters
        values = {
            "requests_total": counters["requests"],
            "pages_total": now.pages,
            "new_total": rows_new(run),
            "errors_total": now.errors,
            "bytes_total": counters["bytes"],
            "waiting": now.waiting,
            "in_flight": now.in_flight,
            "failed": now.failed,
            "sites": now.sites,
            "started_seconds": run.run.started,
            "ended_seconds": ended,
            "exit_status": status,
        }
        self._outlet.show(
            TopicNumbers(run.run.name, {name: float(one) for name, one in values.items()})
        )
