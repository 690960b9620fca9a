"""Which URL is next: the weighted queues (A) and the limits of the tunnel (E), behind Scrapy's scheduler interface.

A. A link waits in one of five levels: parts of an article in the highest, all else one below the page it was
   found on (A3). Level i weighs waiting_i / factor^(top - i); the heaviest is served first (A4). The factor is
   the mean number of new links that a board shows (A6).
E. A link into an unknown site waits in a lane of its own. Its step counts the irrelevant pages in a row behind it
   (E3): beyond K it is parked, or dropped in the published form. Of an unknown site R links stand in front (E4).
   What gives too little is banned (E2): ``middlewares.BanMiddleware`` and ``QuotaMiddleware`` ask when a URL is
   taken.

``Scheduler.queues`` and ``Scheduler.tunnel`` build both. A URL's row leaves the store only after its request was
fully processed, which is seen by sweeping the engine's requests in progress. A retry or redirect goes on under the
row of its original; what a callback yields is new.
"""

from __future__ import annotations

import json
import logging
from collections import Counter, deque
from dataclasses import replace
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object

from focuscrawl.config import BEAT
from focuscrawl.features.explore.explorer import StrictOrder
from focuscrawl.features.explore.groups import NEAREST_FIRST
from focuscrawl.features.explore.offers import BY_LINK
from focuscrawl.features.explore.portfolio import Arms, Portfolio, PortfolioRules
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.table import QueuesTable
from focuscrawl.kernel.feature import Links
from focuscrawl.kernel.figures import EXIT_BUSY, EXIT_DONE, EXIT_STORE
from focuscrawl.kernel.flight import Endings, Flight
from focuscrawl.kernel.flights import Flights
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.transport.requests import FLIGHT
from focuscrawl.kernel.transport.site_turns import open_transport
from focuscrawl.kernel.transport.slots import EngineChanged, only_looks
from focuscrawl.locale.messages import _
from focuscrawl.output.feeds import exporters, one_for_all
from focuscrawl.output.summary.lines import WorkerName
from focuscrawl.readers.links.admission import admit, unless_twin
from focuscrawl.stores.state.crawl_lock import process_name
from focuscrawl.stores.state.protocol import StoreBusy, StoreError
from focuscrawl.values import LinkBatch, PageClass

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from focuscrawl.features.explore.ledger import Ledger
    from focuscrawl.features.explore.table import ExploreTable
    from focuscrawl.stores.state.protocol import Row
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

COMMIT_OPERATIONS = 1000
SHORTEST_WAIT = 0.001
CRAWLS_A_BEAT, LONGEST_WINDOW = 4, 10.0
"""Crawls of one process whose windows are as short as if each were alone, and by how much windows of more are
longer at most. Each gets a share of the CPU, so a window holds less of it, and costs milliseconds however little
that is: with 50 crawls at 0.5 s a page cost half as much again."""

MOST_SET_ASIDE = 200
"""URLs that are set aside in one turn of the engine: all of a trap's would hold up every fetch."""

CUT_OFF = frozenset({"shutdown", "cancelled", "store_error"})
"""Reasons after which the next run goes on with this round instead of beginning a new one."""

RUN_CLOCK = "focuscrawl.extensions.RunClock"


class Scheduler:
    """The frontier as Scrapy sees it. A project may name one of its own with other queues or another tunnel."""

    @staticmethod
    def queues(template: Template) -> LevelOrder:
        """Return the weighted queues of a topic (A): which level is served next."""
        table = template.of(QueuesTable)
        rules = LevelRules(
            levels=table.levels, strict=table.strict, count_in_flight=table.in_flight
        )
        return LevelOrder(rules, Factor(strict=table.strict))

    @staticmethod
    def tunnel(table: ExploreTable, ledger: Ledger, random: Random) -> Portfolio | StrictOrder:
        """Return the order of links into unknown sites (E): at most K = ``steps`` irrelevant pages in a row, R =
        ``site_quota`` links of a site in front, and no page of what the ``ledger`` has banned.
        """
        if table.strict:
            return StrictOrder(ledger, steps=table.steps, quota=table.site_quota)
        rules = PortfolioRules(steps=table.steps, quota=table.site_quota)
        if table.order != "portfolio":
            rules = replace(rules, orders=(BY_LINK,), ties=NEAREST_FIRST)
        return Portfolio(rules, ledger, Arms(len(rules.orders), random))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Scheduler | MemoryScheduler:
        """Return the scheduler of a crawl, or a plain queue for commands that only look."""
        return MemoryScheduler() if only_looks(crawler) else cls(crawler, Run.of(crawler))

    def __init__(self, crawler: Crawler, run: Run) -> None:
        self.run = run
        self._crawler = crawler
        self._slots = run.slots
        self._stats = crawler.stats
        self._wakeup = Alarm(self._slots.wake)
        self._commit = Alarm(self._commit_now)
        self._counted: Counter[str] = Counter()
        self._endings = Endings(run)
        self._flights = Flights(run, crawler, self._endings, self._counted)
        self._stopping = False

    # Opening and closing ------------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None]:
        """Take the stores; RunClock closes a crawl that cannot have them.

        Scrapy can be closed only later: CloseSpider here would end in a traceback of its own.
        """
        # A project may have taken our SCHEDULER and nothing else: then this clock ends its run, and closes its
        # results. Signals do not keep their receivers alive.
        extensions = self._crawler.settings.getdict("EXTENSIONS")
        classes = (one for one in extensions if not isinstance(one, str))
        named = {*extensions, *(f"{one.__module__}.{one.__name__}" for one in classes)}
        if not self.run.run.has_topic and RUN_CLOCK not in named:
            self._clock = load_object(RUN_CLOCK).from_crawler(self._crawler)
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        run = self.run
        if run.store.is_shared:  # not sooner: Scrapy sets up its log only now
            for handler in logging.getLogger().handlers:
                handler.addFilter(WorkerName(process_name()))
        try:
            if run.store.is_shared and (feed := one_for_all(self._crawler.settings)):
                told = _(
                    "feed {feed}: all workers would write this file; put %(worker)s into its name, or export"
                    " from the results"
                )
                raise StoreError(told.format(feed=feed))
            open_transport(run, deferred_from_coro)
            await run.opening.open()
        except StoreBusy as error:
            self._cannot_open("already_running", error, EXIT_BUSY)
            return
        except (StoreError, EngineChanged) as error:
            if run.slots.is_told_to_stop:  # it has waited for its server in vain
                self._cannot_open("shutdown", error, EXIT_DONE)
            else:
                self._cannot_open("store_error", error, EXIT_STORE)
            return
        if jobdir := self._crawler.settings["JOBDIR"]:
            logger.info(
                "JOBDIR is ignored: the crawl is kept in %s, and nothing of it is lost by a kill",
                run.config.data_dir,
            )
            if holds_requests(Path(jobdir)):
                logger.warning(
                    "what Scrapy's own scheduler has left waits in JOBDIR (%s) and is not taken over: let that"
                    " scheduler finish it first, or remove the folder",
                    jobdir,
                )
        self._flights.begin()
        run.frontier.gate = self._flights.gate
        self._crawler.signals.connect(self._left_downloader, signals.request_left_downloader)

    def _cannot_open(self, reason: str, error: Exception, exit_code: int) -> None:
        if exit_code:
            logger.error("%s", error)
        self.run.ending.say(reason, str(error), exit_code)
        for exporter in exporters(self._crawler):
            exporter.feeds.clear()  # opening them would empty those that are overwritten

    def close(self, reason: str) -> Deferred[None]:
        """Acknowledge what was processed, write it, and give the stores back."""
        return deferred_from_coro(self._close(reason))

    async def _close(self, reason: str) -> None:
        self._wakeup.cancel()
        self._commit.cancel()
        self._report()
        try:
            if self.run.is_open:
                self._endings.sweep()
                await self.run.opening.close(cut_off=reason in CUT_OFF)
        finally:
            self.run.frontier.ask_no_more(self.run.clock.steady())

    # Scrapy's interface -------------------------------------------------------------------------

    def has_pending_requests(self) -> bool:
        """Whether something is to be fetched now or within the time a run lingers.

        It lingers for what has failed and for what sites ask for; our own pauses are no reason to
        end, however long they are.
        """
        run = self.run
        if run.commits.broken or not run.is_open or not run.totals.may_fetch():
            return False
        wait, linger = self._seconds_to_ready(run.clock.steady()), run.config.linger
        return wait <= linger or (
            wait < inf and any(hold.seconds <= linger for hold in run.holds())
        )

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request: a retry or redirect under its row, anything else as a new URL."""
        if not self.run.is_open:
            return False
        flight: Flight | None = request.meta.pop(FLIGHT, None)
        if flight is None or self._is_read(flight):
            return self._flights.add(request, flight)
        request.meta[FLIGHT] = flight
        return self._flights.go_on(flight, request)

    def _is_read(self, flight: Flight) -> bool:
        """Whether the page of a flight has come: what is asked for now was found on it."""
        asked = flight.request
        return asked not in self.run.flights or self._slots.is_with_spider(asked)

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
        may_fetch = run.totals.may_fetch()
        if not may_fetch and run.totals.limit_reached():
            return None
        if not may_fetch or run.commits.is_held_up:
            self._wakeup.set(run.clock.steady(), BEAT)
            return None
        for row in islice(iter(self._take, None), MOST_SET_ASIDE):
            request = self._flights.request(row)
            if request is not None:
                self._counted["scheduler/dequeued"] += 1
                run.tally.counters["requests"] += 1
                run.partitions.idle = False
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

    def admit(self, flight: Flight, batch: LinkBatch) -> None:
        """Send a page's links to the frontier."""
        run, waiting = self.run, flight.waiting
        if not (run.run.has_topic and run.is_open):
            return
        links = Links(batch, run.rules, run.frontier.add, run.frontier.add_again)
        for choose in run.hooks.links:
            links = choose(flight, links)
        if run.rules.same.files and not links.each:
            links = links._replace(add=unless_twin(links.add, run.rules))
        admission = admit(
            *(links.batch, waiting, links.rules, links.add, links.again, run.clock.wall()),
            crowded=run.frontier.crowded,
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

    # Acknowledging ------------------------------------------------------------------------------

    def _left_downloader(self, request: Request) -> None:
        run = self.run
        if request in run.flights:
            run.frontier.free(run.flights[request].sequence, run.clock.steady())

    # Timers -------------------------------------------------------------------------------------

    def _wake_later(self) -> None:
        """See to it that the engine asks again when the next site is ready."""
        now = self.run.clock.steady()
        self._wakeup.set(now, self._seconds_to_ready(now))

    def _seconds_to_ready(self, now: float) -> float:
        """Return in how many seconds a URL may become ready; infinity: none will by waiting."""
        return self.run.frontier.next_wakeup(now, self.run.clock.wall())

    def _commit_soon(self) -> None:
        run = self.run
        if run.frontier.operations >= COMMIT_OPERATIONS:
            run.commits.beside()
        elif self._commit.at == inf and (
            run.frontier.operations or run.commits.pending or run.store.is_shared
        ):
            self._commit.set(run.clock.steady(), self._seconds_of_window())

    def _seconds_of_window(self) -> float:
        """Return for how long changes are gathered before they are written."""
        run = self.run
        if run.store.is_shared:  # it is this process's beat for the others
            return BEAT
        return BEAT * min(LONGEST_WINDOW, max(1.0, run.frontier.crawls / CRAWLS_A_BEAT))

    def _commit_now(self) -> None:
        self._report()
        run = self.run
        if run.is_open:
            self._endings.sweep()
            if run.store.is_shared:
                self._commit.set(run.clock.steady(), BEAT)  # also while the engine closes
            run.commits.beside()
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
            self._slots.close_spider("store_error")


def holds_requests(jobdir: Path) -> bool:
    """Whether Scrapy's own scheduler has left requests in a JOBDIR; True, too, where that cannot be told."""
    try:
        return bool(json.loads((jobdir / "requests.queue" / "active.json").read_text("utf-8")))
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True


class Alarm:
    """A call to come, ``at`` a time of the steady clock; infinity: none."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.at = inf
        self._call = call
        self._timer = CallLaterResult()

    def set(self, now: float, seconds: float) -> None:
        """Call in so many seconds, unless it does so before."""
        if now + seconds < self.at:
            self._timer.cancel()
            self.at = now + seconds
            self._timer = call_later(max(seconds, SHORTEST_WAIT), self._ring)

    def cancel(self) -> None:
        """Do not call."""
        self.at = inf
        self._timer.cancel()

    def _ring(self) -> None:
        self.at = inf
        self._call()


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
