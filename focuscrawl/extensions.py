"""The clock of a run: its minute line, its limits, and why it ended."""

from __future__ import annotations

import logging
import sys
from math import isinf
from typing import TYPE_CHECKING, Any

from rich.console import Console
from scrapy import signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, NotConfigured
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro

from focuscrawl.running.run import EXIT_EMPTY, EXIT_NO_ANSWER, Run
from focuscrawl.running.slots import only_looks
from focuscrawl.show.progress import Progress, ProgressDisplay, progress_line
from focuscrawl.show.summary import SiteLine, Summary, summary_text
from focuscrawl.stores.base import StoreError
from focuscrawl.stores.results_rows import SiteRow

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

TICK = 1.0
MINUTE = 60.0

END_REASONS = {
    "finished": "finished",
    "closespider_pagecount": "limit_pages",
    "closespider_itemcount": "limit_articles",
    "closespider_timeout": "limit_time",
    "closespider_errorcount": "limit_errors",
    "limit_articles": "limit_articles",
    "limit_errors": "limit_errors",
    "shutdown": "shutdown",
    "cancelled": "shutdown",
}
"""Scrapy's reason for closing → ours (results table crawl_runs)."""


LINE_A_PAGE = "scrapy.spidermiddlewares.httperror"
"""Logs each 404 at INFO; the log book has them all."""

NOISY = ("scrapy.downloadermiddlewares.robotstxt", "scrapy.core.scraper")
"""Loggers that print a traceback for every site that does not answer."""


def without_network_traceback(record: logging.LogRecord) -> bool:
    """Take the traceback out of a log record about the network; a callback's own stays."""
    kind = record.exc_info[0] if isinstance(record.exc_info, tuple) else None
    if kind is not None and kind.__module__.partition(".")[0] in ("scrapy", "twisted"):
        record.exc_info = None
    return True


class RunClock:
    """Watches a run: a line a minute (a display on a terminal), limits, the end."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)
        self._crawler = crawler
        self._ticks = 0
        self._pages_before = 0
        self._display: ProgressDisplay | None = None
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
        chatty = logging.getLogger(LINE_A_PAGE)
        if chatty.level == logging.NOTSET and not logger.isEnabledFor(logging.DEBUG):
            chatty.setLevel(logging.WARNING)
        if not self.run.is_open:
            raise CloseSpider(self.run.end_reason)
        if sys.stderr.isatty() and not self._crawler.settings["LOG_FILE"]:
            self._display = ProgressDisplay(Console(stderr=True))
            self._display.__enter__()
        self._loop.start(TICK, now=False)

    # While it runs ------------------------------------------------------------------------------

    def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % round(MINUTE / TICK) == 0:
            self._minute()
        elif self._display is not None:
            self._display.show(self.progress())
        returning = self.run.returning
        if returning is not None and self.run.is_open and returning.is_time():
            deferred_from_coro(self._look(idle=False))
        if self._searches_are_due():
            deferred_from_coro(self._search_again())
        reason = self._limit_reached()
        if reason and self._crawler.engine is not None:
            deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason))

    async def _search_again(self) -> None:
        """Make searches again in a run that stays (C8)."""
        run, engine = self.run, self._crawler.engine
        if run.burying is not None:
            await run.burying.end_cycle()
        if run.searching is None or engine is None or run.ask is None:
            return
        for asked in run.searching.again():
            engine.crawl(run.ask(asked))

    def _searches_are_due(self) -> bool:
        run = self.run
        stays = run.is_open and run.template is not None and run.template.revisit.continuous
        due = run.searching.next_due() if run.searching is not None and stays else None
        is_ending = run.burying is not None and run.burying.is_ending
        return due is not None and due <= run.clock.wall() and not is_ending

    def _limit_reached(self) -> str:
        run = self.run
        if run.commits.broken:
            return "store_error"
        if run.template is None:
            return ""
        limits = run.template.limits
        if limits.articles and run.tally.counters["articles_new"] >= limits.articles:
            return "limit_articles"
        if limits.errors and run.tally.counters["errors"] >= limits.errors:
            return "limit_errors"
        return ""

    def _minute(self) -> None:
        run = self.run
        now = self.progress()
        self._pages_before = now.pages
        if self._display is not None:
            self._display.show(now)
        else:
            logger.info("%s", progress_line(now))
        self._note_figures(now)
        self._note_sites()
        run.frontier.note_fact("round", "alive", run.clock.wall())
        run.commits.beside(run.tally.run_row())
        run.forget_old_meanwhile()

    def _note_figures(self, now: Progress) -> None:
        """Put the numbers of this minute into the next commit: the table series."""
        run = self.run
        moment = run.clock.wall()
        figures = {
            "pages": now.pages,
            "relevant": run.tally.counters["relevant"],
            "articles": now.articles,
            "waiting": now.waiting,
            "in_flight": now.in_flight,
            "due": run.returning.due() if run.returning is not None else 0,
            "errors": now.errors,
        }
        figures |= {
            f"level_{number}_len": length
            for number, length in enumerate(run.frontier.lengths(), start=1)
        }
        run.commits.pending.series += [
            (moment, name, float(value)) for name, value in figures.items()
        ]

    def progress(self) -> Progress:
        """Return how the run is doing."""
        run = self.run
        counts = run.frontier.counts()
        pages = run.tally.counters["pages"]
        return Progress(
            topic=run.name,
            seconds=run.clock.wall() - run.started,
            pages=pages,
            articles=run.tally.counters["articles_new"],
            waiting=counts.waiting,
            in_flight=counts.in_flight,
            failed=counts.failed,
            errors=run.tally.counters["errors"],
            refused=run.tally.refused.total(),
            sites=len(run.tally.sites),
            rate=(pages - self._pages_before) * MINUTE / max(1.0, self._ticks % 60 * TICK or 60.0),
            most_pages=run.page_limit,
        )

    def _note_sites(self) -> None:
        """Put what is known of the run's sites into the next commit."""
        run = self.run
        for host, counts in run.tally.sites.items():
            run.commits.pending.sites[host] = SiteRow(
                host=host,
                state=self._state_of(host),
                pages=run.site_totals[host],
                relevant=counts["relevant"],
                articles=counts["articles"],
                errors=counts["errors"],
                delay_s=run.frontier.politeness_of(host).delay,
                delay_from=run.manners.delay_from(host),
                last_ok=run.tally.last_ok.get(host),
                last_error=run.tally.last_errors.get(host),
                **self._ban(host),
            )

    def _ban(self, host: str) -> dict[str, Any]:
        """Return a site's ban as the results show it: until when, and what speaks for it."""
        explorer = self.run.explorer
        record = explorer.ledger.record(host) if explorer is not None else None
        ban = record.whole.ban if record is not None else None
        if ban is None:
            return {}
        evidence = {"why": ban.why, "pages": ban.pages, "irrelevant": list(ban.evidence)}
        return {"until": None if isinf(ban.until) else ban.until, "evidence": evidence}

    def _state_of(self, host: str) -> str:
        run = self.run
        counts = run.tally.sites[host]
        if self._ban(host):
            return "banned"
        if counts["errors"] and not counts["pages"]:
            return "unreachable"
        if host in run.source_sites:
            return "source"
        return "relevant" if counts["relevant"] else "unknown"

    def _idle(self) -> None:
        """Nothing more comes: articles that miss parts go out as they are, a search cycle ends."""
        run = self.run
        if run.keeping.hand_on_unfinished():
            raise DontCloseSpider
        burying = run.burying if run.is_open and not run.commits.broken else None
        if burying is not None and burying.is_due() and run.slots.beside(burying.end_cycle):
            raise DontCloseSpider
        is_over = run.commits.broken or (run.page_limit and self._page_limit_reached())
        if run.returning is None or not run.is_open or is_over or not run.returning.may_come():
            return
        if run.returning.has_some():
            deferred_from_coro(self._look(idle=True))
        raise DontCloseSpider

    def _page_limit_reached(self) -> bool:
        return self.run.tally.counters["pages"] >= self.run.page_limit

    async def _look(self, *, idle: bool) -> None:
        """Queue what is due, and let the engine go on: to fetch it, or to end."""
        run = self.run
        try:
            if run.returning is not None:
                await run.returning.look(idle=idle)
        except StoreError as error:
            run.commits.break_off(error)
        run.slots.wake()

    # The end ------------------------------------------------------------------------------------

    def _closed(self, spider: Spider, reason: str) -> None:
        run = self.run
        if self._loop.running:
            self._loop.stop()
        if self._display is not None:
            self._display.__exit__(None, None, None)
        self._say_why(reason)
        stats = self._crawler.stats
        if stats is not None:
            for name, count in run.tally.run_row().counters.items():
                stats.set_value(f"focuscrawl/{name}", count)
            stats.set_value("focuscrawl/end_reason", run.end_reason)
        if run.commits.results is not None:
            self._note_figures(self.progress())  # a run of seconds has no minute of its own
            self._note_sites()
            run.commits.now(run.tally.run_row())
            logger.info("%s", summary_text(self._summary()))
        run.close_results(run.tally.run_row())

    def _say_why(self, reason: str) -> None:
        """Find the reason why the run ended, and what the process returns."""
        run = self.run
        found = END_REASONS.get(reason, reason)
        if found != "finished":
            run.end(found, "", 0)
            return
        counters = run.tally.counters
        counts = run.frontier.counts()
        template = run.template
        if run.page_limit and counters["pages"] >= run.page_limit and counts.waiting:
            run.end("limit_pages", "", 0)
        elif template and not template.politeness.hours.open_at(run.clock.wall()):
            run.end("outside_hours", "", 0)
        elif not counters["requests"]:
            run.end("nothing_due", "", 0)
        elif counters["errors"] and not counters["answers"] | run.tally.page_reasons["robots"]:
            errors = ", ".join(
                f"{host}: {why}" for host, why in list(run.tally.last_errors.items())[:3]
            )
            run.end("sites_unreachable", errors, EXIT_NO_ANSWER)
        elif run.searching and run.searching.is_refused and not self._ever_found():
            said = "; ".join(f"{name}: {why}" for name, why in run.searching.refusals.items())
            run.end("search_blocked", said, EXIT_NO_ANSWER)
        elif template and not self._ever_found():
            run.end("empty", "", EXIT_EMPTY)
        else:
            left = f"{counts.waiting:,} URLs wait for their sites" if counts.waiting else ""
            why = " (hours, Retry-After or Crawl-delay beyond FOCUSCRAWL_LINGER)" if left else ""
            run.end("finished", left + why, 0)

    def _ever_found(self) -> bool:
        try:
            return self.run.commits.results is None or self.run.commits.results.ever_found()
        except StoreError as error:
            self.run.commits.break_off(error)
            return True

    def _summary(self) -> Summary:
        run = self.run
        counts = run.frontier.counts()
        counters = run.tally.counters
        return Summary(
            topic=run.name,
            end_reason=run.end_reason,
            end_detail=run.end_detail,
            title=run.template.topic.title if run.template else "",
            seconds=run.clock.wall() - run.started,
            requests=counters["requests"],
            pages=counters["pages"],
            articles_new=counters["articles_new"],
            articles_changed=counters["articles_changed"],
            records_new=counters["records_new"],
            records_changed=counters["records_changed"],
            threads_new=counters["threads_new"],
            threads_grown=counters["threads_grown"],
            errors=counters["errors"],
            bytes=counters["bytes"],
            waiting=counts.waiting,
            parked=counts.parked,
            failed=counts.failed,
            walks=run.searching.walks() if run.searching is not None else {},
            outcomes=run.tally.outcomes,
            page_reasons=run.tally.page_reasons,
            refused=run.tally.refused,
            failures=run.tally.failures,
            failed_urls=list(run.tally.failed_urls.items()),
            sites=[self._site_line(host) for host in run.tally.sites],
            results=run.commits.results.place if run.commits.results else "",
            feeds=[str(uri) for uri in self._crawler.settings.getdict("FEEDS")],
            ever_found=self._ever_found(),
        )

    def _site_line(self, host: str) -> SiteLine:
        counts = self.run.tally.sites[host]
        return SiteLine(
            host=host,
            pages=counts["pages"],
            articles=counts["articles"],
            errors=counts["errors"],
            state=self._state_of(host),
            delay=self.run.frontier.politeness_of(host).delay,
        )
