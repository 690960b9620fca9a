"""Scrapy's scheduler interface over the frontier.

A URL's row leaves the store only after its request was fully processed, which is seen by sweeping
the engine's requests in progress. A retry or redirect goes on under the row of its original; what
a callback yields is new.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from scrapy import Request, Spider, signals
from scrapy.extensions.feedexport import FeedExporter
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from focuscrawl.crawl.admit import Admission, admit, checked_again
from focuscrawl.crawl.changes import RULE
from focuscrawl.running.ending import EXIT_BUSY, EXIT_STORE
from focuscrawl.running.leases import Lease
from focuscrawl.running.requests import LEASE, Unstorable, from_row, number_of, stored, to_waiting
from focuscrawl.running.run import Run
from focuscrawl.running.settling import Settling
from focuscrawl.running.slots import EngineChanged, only_looks
from focuscrawl.running.walking import Links
from focuscrawl.stores.base import Row, StoreBusy, StoreError
from focuscrawl.urls.sites import host_of
from focuscrawl.values import LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

ENDED: Final = Request("data:,")
"""What a lease has in place of the request of a URL that has ended."""

COMMIT_SECONDS = 0.5
COMMIT_OPERATIONS = 1000
SHORTEST_WAIT = 0.001
CUT_OFF = frozenset({"shutdown", "cancelled", "store_error"})
"""Reasons after which the next run goes on with this round instead of beginning a new one."""


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
        self._settling = Settling(run)
        self._wakeup: Timer | None = None
        self._wakeup_at = 0.0
        self._commit: Timer | None = None
        self._held: dict[int, Lease] = {}
        self._counted: Counter[str] = Counter()
        self._goes_on = False
        self._stopping = False

    @property
    def _stats(self) -> StatsCollector:
        stats = self._crawler.stats
        if stats is None:
            raise RuntimeError("the crawler has no stats before it is started")
        return stats

    @property
    def _spider(self) -> Spider:
        spider = self._crawler.spider
        if spider is None:
            raise RuntimeError("the crawler has no spider before it is started")
        return spider

    # Opening and closing ------------------------------------------------------------------------

    def open(self, spider: Spider) -> Deferred[None]:
        """Take the stores; RunClock closes a crawl that cannot have them.

        Scrapy can be told so only later: CloseSpider here would end in a traceback of its own.
        """
        return deferred_from_coro(self._open())

    async def _open(self) -> None:
        run = self.run
        try:
            run.slots.open()
            await run.open()
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
        self._goes_on = run.frontier.counts().waiting > 0
        run.frontier.gate = self._gate
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
            self._sweep()
            await self.run.close(cut_off=reason in CUT_OFF)

    # Scrapy's interface -------------------------------------------------------------------------

    def has_pending_requests(self) -> bool:
        """Whether something is to be fetched now or within the time a run lingers."""
        run = self.run
        if run.commits.broken or not run.is_open or self._page_limit_reached():
            return False
        wait = run.frontier.next_wakeup(run.clock.steady(), run.clock.wall())
        return wait is not None and wait <= run.config.linger

    def enqueue_request(self, request: Request) -> bool:
        """Queue a request: a retry or redirect under its row, anything else as a new URL."""
        if not self.run.is_open:
            return False
        lease: Lease | None = request.meta.get(LEASE)
        if lease is not None:
            if lease.request in self.run.leases and not self._slots.is_with_spider(lease.request):
                return self._go_on(lease, request)
            request.meta.pop(LEASE)
        return self._enqueue_new(request, lease)

    def next_request(self) -> Request | None:
        """Return the next request whose site can take it now; None when there is none."""
        run = self.run
        if not run.is_open:
            return None
        self._sweep()
        self._commit_soon()
        if run.commits.broken:
            self._stop()
            return None
        if self._page_limit_reached():
            return None
        while (row := run.frontier.take(run.clock.steady(), run.clock.wall())) is not None:
            request = self._request(row)
            if request is not None:
                self._counted["scheduler/dequeued"] += 1
                run.tally.counters["requests"] += 1
                return request
        self._wake_later()
        return None

    # Links --------------------------------------------------------------------------------------

    def admit(self, request: Request | None, batch: LinkBatch) -> Admission | None:
        """Send a page's links to the frontier; ``request`` is the one that fetched the page."""
        run = self.run
        lease = run.leases.get(request) if request is not None else None
        if lease is None or run.rules is None or not run.is_open:
            return None
        waiting = lease.waiting
        walk = run.searching.links_of(batch, waiting) if run.searching is not None else None
        add = run.frontier.add
        if run.revisiting is not None and run.revisiting.gone.has_some:
            add = run.revisiting.gone.add
        if batch.threads and run.forums is not None:
            add = run.forums.add
        links = walk or Links(batch, run.rules, add, run.frontier.add_again)
        admission = admit(
            links.batch,
            waiting,
            links.rules,
            links.add,
            links.again,
            run.explorer,
            run.clock.wall(),
        )
        if admission.refused:
            run.tally.refused.update(admission.refused)
        if run.searching is not None and walk is None:
            continued = admission.continued if waiting.first_walk else 0
            run.searching.admitted(waiting.source_id, admission.added + continued)
        run.tally.counters["links_added"] += admission.added + admission.continued
        run.tally.counters["links_known"] += admission.duplicates
        if not lease.waiting.first_walk and batch.page_class is PageClass.BOARD:
            run.frontier.observe_board(admission.added)
        self._counted["scheduler/enqueued"] += admission.added + admission.continued
        self._counted["dupefilter/filtered"] += admission.duplicates
        return admission

    # New requests -------------------------------------------------------------------------------

    def _enqueue_new(self, request: Request, parent: Lease | None) -> bool:
        run = self.run
        try:
            waiting, number = to_waiting(
                request,
                run.canonicalizer,
                parent.waiting if parent else None,
                run.frontier.rules.levels,
            )
        except ValueError as error:
            logger.error("Refused: %s", error)
            return False
        is_again = request.meta.get("is_start_request") and self._goes_on
        if number in run.frontier.seen and (is_again or not request.dont_filter):
            self._counted["dupefilter/filtered"] += 1
            return False
        self._counted["scheduler/enqueued"] += 1
        try:
            waiting = waiting._replace(request=stored(request, self._crawler.spider))
        except Unstorable as error:
            logger.debug("Kept in memory only: %s (%s)", request, error)
            self._hold_back(request, waiting, number, parent)
            return True
        if not run.frontier.add(waiting, number):
            run.frontier.add_again(waiting)
        return True

    def _hold_back(
        self, request: Request, waiting: Waiting, number: int, parent: Lease | None
    ) -> None:
        """Queue a request that cannot be stored; the page it came from is not done before it."""
        frontier = self.run.frontier
        sequence = frontier.add_volatile(waiting, number)
        lease = Lease(request, sequence, number, waiting, kept=True)
        if parent is not None and not parent.finished:
            lease.holds = parent
            parent.held_by += 1
        self._held[sequence] = lease

    def _hold_again(self, lease: Lease) -> None:
        """Keep a request that cannot be stored and has failed for its next try."""
        lease.request.meta.pop("retry_times", None)
        again = Lease(lease.request, lease.sequence, lease.number, lease.waiting, lease.tries + 1)
        again.kept, again.holds = True, lease.holds
        self._held[lease.sequence] = again

    def _go_on(self, lease: Lease, request: Request) -> bool:
        """Queue the retry or redirect of a URL in flight under the same row."""
        run = self.run
        try:
            waiting, number = to_waiting(
                request, run.canonicalizer, None, run.frontier.rules.levels
            )
        except ValueError as error:
            lease.outcome, lease.reason = "refused", "scheme"
            logger.info("Redirect refused: %s", error)
            return False
        if waiting.key != lease.waiting.key:
            target = lease.waiting._replace(url=waiting.url, key=waiting.key, site=waiting.site)
            lease.led_to = waiting.url
            if run.rules is not None and (why := checked_again(target, run.rules)):
                lease.outcome, lease.reason = "refused", why
                return False
            if number != lease.number and not run.frontier.claim(lease.sequence, number):
                lease.outcome = "alias"
                return False
            lease.waiting, lease.led_to = target, ""
        del run.leases[lease.request]
        run.frontier.put_back(lease.sequence, run.clock.steady(), waiting.site)
        lease.request = request
        self._held[lease.sequence] = lease
        return True

    # Handing out --------------------------------------------------------------------------------

    def _request(self, row: Row) -> Request | None:
        """Return the request of a row that was taken, under a lease; None when it was set aside."""
        run = self.run
        lease = self._held.pop(row.sequence, None)
        if lease is None:
            waiting = row.waiting
            if run.rules is not None and row.sequence < run.recheck_before:
                why = checked_again(waiting, run.rules)
                if why is not None:
                    self._park(row, f"{RULE}{why}")
                    return None
            try:
                request = from_row(waiting, self._spider, Request)
            except (ValueError, TypeError) as error:
                logger.error("Set aside %s: %s", waiting.url, error)
                self._park(row, "callback")
                return None
            self._dress(request, waiting.site)
            lease = Lease(request, row.sequence, number_of(waiting), waiting, row.tries)
            lease.whole = run.searching is not None and run.searching.must_read(waiting)
        request = lease.request
        request.meta[LEASE] = lease
        request.meta["download_slot"] = host_of(lease.waiting.site)
        run.leases[request] = lease
        politeness = run.frontier.politeness_of(lease.waiting.site)
        self._slots.mirror(request, politeness.delay, politeness.concurrency)
        return request

    def _dress(self, request: Request, site: str) -> None:
        """Give a request what the template wants for its site; the request's own wins."""
        dress = self.run.manners.dress(site)
        if dress is None:
            return
        for name, value in dress.meta.items():
            request.meta.setdefault(name, value)
        for name, text in dress.headers.items():
            request.headers.setdefault(name, text)
        if dress.cookies and not request.cookies:
            request.cookies = [*dress.cookies]

    def _park(self, row: Row, reason: str) -> None:
        run = self.run
        run.frontier.park(row.sequence, reason, run.clock.steady())
        waiting = row.waiting
        self._settling.write_page(
            Lease(Request(waiting.url), row.sequence, 0, waiting, outcome="parked", reason=reason)
        )

    def _gate(self, site: str) -> float:
        """Return how long a site that looks ready must still wait: its hours, its slot."""
        closed = self.run.manners.closed_for(site, self.run.clock.wall())
        return closed or self._slots.seconds_to_wait(host_of(site))

    def _page_limit_reached(self) -> bool:
        """Whether what was fetched and what is in flight make up limits.pages."""
        run = self.run
        limit = run.page_limit
        return bool(limit) and run.tally.counters["pages"] + len(run.leases) >= limit

    # Acknowledging ------------------------------------------------------------------------------

    def _sweep(self) -> None:
        """Settle every URL whose request the engine has finished with."""
        leases = self.run.leases
        if not leases:
            return
        ended = leases.keys() - self._slots.in_progress()
        for request in sorted(ended, key=self._sequence) if len(ended) > 1 else ended:
            lease = leases.pop(request)
            lease.finished = True
            if lease.held_by == 0:
                self._settle(lease)

    def _sequence(self, request: Request) -> int:
        return self.run.leases[request].sequence

    def _settle(self, lease: Lease) -> None:
        """End a URL, after what its end tells has been through the pipelines; then those it held.

        One that cannot tell it any more, since the run is closing, is fetched again by the next.
        """
        ended: Lease | None = lease
        # In a loop, not by recursion: a series of pages may hold one another by the thousand.
        while ended is not None and not self._settling.announces(
            ended, partial(self._announced, ended)
        ):
            ended = self._end(ended)

    def _announced(self, lease: Lease) -> None:
        if (held := self._end(lease)) is not None:
            self._settle(held)

    def _end(self, lease: Lease) -> Lease | None:
        """End a URL; returns the page it came from, when that has waited for nothing else."""
        if self._settling.settle(lease) and lease.kept:
            self._hold_again(lease)
            return None
        lease.request = ENDED  # a request and its lease would keep each other for long
        parent = lease.holds
        if parent is None:
            return None
        parent.held_by -= 1
        return parent if parent.finished and parent.held_by == 0 else None

    def _left_downloader(self, request: Request) -> None:
        lease = self.run.leases.get(request)
        if lease is not None:
            self.run.frontier.release(lease.sequence, self.run.clock.steady())

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
        elif self._commit is None and (run.frontier.operations or run.commits.pending.pages):
            self._commit = call_later(COMMIT_SECONDS, self._commit_now)

    def _commit_now(self) -> None:
        self._commit = None
        self._report()
        if self.run.is_open:
            self._sweep()
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
