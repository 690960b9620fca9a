"""Scrapy's scheduler interface over the frontier.

A URL's row leaves the store only after its request was fully processed, which is seen by sweeping
the engine's requests in progress. A retry or redirect goes on under the row of its original; what
a callback yields is new.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from scrapy import Request, Spider, signals
from scrapy.extensions.feedexport import FeedExporter
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object

from focuscrawl.kernel.feature import Links
from focuscrawl.kernel.figures import EXIT_BUSY, EXIT_STORE
from focuscrawl.kernel.flight import Endings, Flight
from focuscrawl.kernel.flights import Flights
from focuscrawl.kernel.requests import FLIGHT
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.slots import EngineChanged, only_looks
from focuscrawl.links.admission import Admission, admit
from focuscrawl.links.learned import unless_twin
from focuscrawl.store.protocol import StoreBusy, StoreError
from focuscrawl.values import LinkBatch, PageClass

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from twisted.internet.defer import Deferred

    from focuscrawl.store.protocol import Row

logger = logging.getLogger(__name__)

COMMIT_SECONDS = 0.5
COMMIT_OPERATIONS = 1000
SHORTEST_WAIT = 0.001
MOST_SET_ASIDE = 200
"""URLs that are set aside in one turn of the engine: all of a trap's would hold up every fetch."""

CUT_OFF = frozenset({"shutdown", "cancelled", "store_error"})
"""Reasons after which the next run goes on with this round instead of beginning a new one."""


RUN_CLOCK = "focuscrawl.extensions.RunClock"


class Timer(Protocol):
    """A call that can be taken back."""

    def cancel(self) -> None:
        """Do not call."""


class MemoryScheduler:
    """A plain queue for scrapy shell, fetch, parse, view and check.

    They build an engine on the project's settings and would take stored URLs and acknowledge them.
    """

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()

    def has_pending_requests(self) -> bool:
        """Whether a request waits."""
        return bool(self._queue)

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request."""
        self._queue.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return the oldest request."""
        return self._queue.popleft() if self._queue else None


class Scheduler:
    """The frontier as Scrapy sees it."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler | MemoryScheduler:
        """Return the scheduler of a crawl, or a plain queue for commands that only look."""
        return MemoryScheduler() if only_looks(crawler) else cls(crawler, Run.of(crawler))

    def __init__(self, crawler: Crawler, run: Run) -> None:
        self.run = run
        self._crawler = crawler
        self._slots = run.slots
        self._wakeup: Timer | None = None
        self._wakeup_at = 0.0
        self._commit: Timer | None = None
        self._counted: Counter[str] = Counter()
        self._endings = Endings(run)
        self._flights = Flights(run, crawler, self._endings, self._counted)
        self._stopping = False

    @property
    def _stats(self) -> StatsCollector:
        stats = self._crawler.stats
        if stats is None:
            raise RuntimeError("the crawler has no stats before it is started")
        return stats

    # Opening and closing ------------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None]:
        """Take the stores; RunClock closes a crawl that cannot have them.

        Scrapy can be told so only later: CloseSpider here would end in a traceback of its own.
        """
        # A project may have taken our SCHEDULER and nothing else: it is told of the end all the same,
        # and its results are closed. Signals do not keep who hears them alive.
        extensions = self._crawler.settings.getdict("EXTENSIONS")
        if not self.run.run.has_topic and RUN_CLOCK not in _named(extensions):
            self._clock = load_object(RUN_CLOCK).from_crawler(self._crawler)
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        run = self.run
        try:
            run.slots.open()
            run.slots.send_through(run.guard.send)
            await run.opening.open()
        except StoreBusy as error:
            self._cannot_open("already_running", error, EXIT_BUSY)
            return
        except (StoreError, EngineChanged) as error:
            self._cannot_open("store_error", error, EXIT_STORE)
            return
        if self._crawler.settings["JOBDIR"]:
            logger.info(
                "JOBDIR is ignored: the crawl is kept in %s, and nothing of it is lost by a kill",
                run.config.data_dir,
            )
        self._flights.begin()
        run.frontier.gate = self._flights.gate
        self._crawler.signals.connect(self._left_downloader, signals.request_left_downloader)

    def _cannot_open(self, reason: str, error: Exception, exit_code: int) -> None:
        logger.error("%s", error)
        self.run.ending.say(reason, str(error), exit_code)
        exporter = self._crawler.get_extension(FeedExporter)
        if exporter is not None:
            exporter.feeds.clear()  # opening them would empty those that are overwritten

    def close(self, reason: str) -> Deferred[None]:
        """Acknowledge what was processed, write it, and give the stores back."""
        return deferred_from_coro(self._close(reason))

    async def _close(self, reason: str) -> None:
        for timer in (self._wakeup, self._commit):
            if timer is not None:
                timer.cancel()
        self._report()
        if self.run.is_open:
            self._endings.sweep()
            await self.run.opening.close(cut_off=reason in CUT_OFF)

    # Scrapy's interface -------------------------------------------------------------------------

    def has_pending_requests(self) -> bool:
        """Whether something is to be fetched now or within the time a run lingers.

        It lingers for what has failed and for what sites ask for; our own pauses are no reason to
        end, however long they are.
        """
        run = self.run
        if run.commits.broken or not run.is_open or self._page_limit_reached():
            return False
        wait = run.frontier.next_wakeup(run.clock.steady(), run.clock.wall())
        if wait is None or wait <= run.config.linger:
            return wait is not None
        return any(hold.seconds <= run.config.linger for hold in run.holds())

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request: a retry or redirect under its row, anything else as a new URL."""
        if not self.run.is_open:
            return False
        flight: Flight | None = request.meta.get(FLIGHT)
        if flight is not None:
            if flight.request in self.run.flights and not self._slots.is_with_spider(
                flight.request
            ):
                return self._flights.go_on(flight, request)
            request.meta.pop(FLIGHT)
        return self._flights.add(request, flight)

    def next_request(self) -> Request | None:
        """Return the next request whose site can take it now; None when there is none."""
        run = self.run
        if not run.is_open:
            return None
        self._endings.sweep()
        self._commit_soon()
        if run.commits.broken:
            self._stop()
            return None
        if self._page_limit_reached():
            return None
        for _ in range(MOST_SET_ASIDE):
            row = self._take()
            if row is None:
                break
            request = self._flights.request(row)
            if request is not None:
                self._counted["scheduler/dequeued"] += 1
                run.tally.counters["requests"] += 1
                return request
        self._wake_later()
        return None

    def _take(self) -> Row | None:
        """Return the next row; None when there is none, or the store cannot be read any more."""
        run = self.run
        try:
            return run.frontier.take(run.clock.steady(), run.clock.wall())
        except StoreError as error:
            run.commits.break_off(error)
            self._stop()
            return None

    # Links --------------------------------------------------------------------------------------

    def admit(self, request: Request | None, batch: LinkBatch) -> Admission | None:
        """Send a page's links to the frontier; ``request`` is the one that fetched the page."""
        run = self.run
        flight = run.flights.get(request) if request is not None else None
        if flight is None or not (run.run.has_topic and run.is_open):
            return None
        waiting = flight.waiting
        links = Links(batch, run.rules, run.frontier.add, run.frontier.add_again)
        for choose in run.hooks.links:
            links = choose(flight, links)
        if run.rules.same.files and not links.each:
            links = links._replace(add=unless_twin(links.add, run.rules))
        admission = admit(
            links.batch,
            waiting,
            links.rules,
            links.add,
            links.again,
            run.clock.wall(),
        )
        for hear in run.hooks.admitted:
            hear(flight, batch, admission)
        if admission.refused:
            run.tally.refused.update(admission.refused)
        run.tally.counters["links_added"] += admission.added + admission.continued
        run.tally.counters["links_known"] += admission.duplicates
        if batch.page_class is PageClass.BOARD and not waiting.first_walk:
            run.frontier.observe_board(admission.added)
        self._counted["scheduler/enqueued"] += admission.added + admission.continued
        self._counted["dupefilter/filtered"] += admission.duplicates
        return admission

    def _page_limit_reached(self) -> bool:
        """Whether what was fetched and what is in flight make up limits.pages."""
        run = self.run
        limit = run.template.limits.pages
        return bool(limit) and run.tally.counters["pages"] + len(run.flights) >= limit

    # Acknowledging ------------------------------------------------------------------------------

    def _left_downloader(self, request: Request) -> None:
        flight = self.run.flights.get(request)
        if flight is not None:
            self.run.frontier.release(flight.sequence, self.run.clock.steady())

    # Timers -------------------------------------------------------------------------------------

    def _wake_later(self) -> None:
        """See to it that the engine asks again when the next site is ready."""
        run = self.run
        wait = run.frontier.next_wakeup(run.clock.steady(), run.clock.wall())
        if wait is None:
            return
        at = run.clock.steady() + wait
        if self._wakeup is not None:
            if at >= self._wakeup_at:
                return
            self._wakeup.cancel()
        self._wakeup_at = at
        self._wakeup = call_later(max(wait, SHORTEST_WAIT), self._wake)

    def _wake(self) -> None:
        self._wakeup = None
        self._slots.wake()

    def _commit_soon(self) -> None:
        run = self.run
        if run.frontier.operations >= COMMIT_OPERATIONS:
            run.commits.beside()
        elif self._commit is None and (run.frontier.operations or run.commits.pending):
            self._commit = call_later(COMMIT_SECONDS, self._commit_now)

    def _commit_now(self) -> None:
        self._commit = None
        self._report()
        if self.run.is_open:
            self._endings.sweep()
            self.run.commits.beside()
            self._slots.wake()

    def _report(self) -> None:
        """Add what was counted to Scrapy's statistics, whose every call takes its time."""
        for name, count in self._counted.items():
            if count:
                self._stats.inc_value(name, count)
        self._counted.clear()

    def _stop(self) -> None:
        if not self._stopping:
            self._stopping = True
            engine = self._crawler.engine
            if engine is not None:
                deferred_from_coro(engine.close_spider_async(reason="store_error"))


def _named(components: Mapping[Any, object]) -> set[str]:
    """Return the dotted names of components, of classes, too."""
    return {
        key if isinstance(key, str) else f"{key.__module__}.{key.__name__}" for key in components
    }
