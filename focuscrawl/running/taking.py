"""From a row of the frontier to the request that Scrapy gets, under a flight."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from scrapy import Request, Spider

from focuscrawl.crawl.template.changes import RULE
from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.requests import FLIGHT, by_other_scheme, from_row, number_of
from focuscrawl.links.admission import COPIES, checked_again
from focuscrawl.links.learned import is_twin_of_read, twin_numbers
from focuscrawl.links.sources import named_later, starts_of
from focuscrawl.urls.schemes import other_address
from focuscrawl.urls.sites import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.running.queueing import Queueing
    from focuscrawl.running.run import Run
    from focuscrawl.running.settling import Settling
    from focuscrawl.store.protocol import Row
    from focuscrawl.values import Waiting

logger = logging.getLogger(__name__)

TWIN_WAIT, MOST_TWIN_WAITS = 0.25, 20
"""Seconds a site pauses while a page is being read by its other address, and how often for one URL:
then it is asked for, so that a slow answer costs a page twice and no more."""


class Taking:
    """Makes the requests of one run."""

    def __init__(self, run: Run, crawler: Crawler, queueing: Queueing, settling: Settling) -> None:
        self._run = run
        self._crawler = crawler
        self._queueing = queueing
        self._settling = settling
        sources, rules = run.sources.values(), run.rules
        self._starts = starts_of(sources, rules) if rules is not None else {}
        self._postponed: Counter[int] = Counter()

    @property
    def _spider(self) -> Spider:
        spider = self._crawler.spider
        if spider is None:
            raise RuntimeError("the crawler has no spider before it is started")
        return spider

    def request(self, row: Row) -> Request | None:
        """Return the request of a row that was taken, under a flight; None when it was set aside."""
        run = self._run
        flight = self._queueing.held.pop(row.sequence, None)
        if flight is None:
            waiting = named_later(row.waiting, self._starts)
            if run.rules is not None and row.sequence < run.recheck_before:
                why = checked_again(waiting, run.rules)
                if why is not None:
                    self._park(row, f"{RULE}{why}")
                    return None
            if run.rules is not None and run.rules.copies.traps and _is_copy(waiting, run.rules):
                self._park(row, f"{RULE}{COPIES}")
                return None
            if (
                run.rules is not None
                and run.rules.same.files
                and self._gives_way(row._replace(waiting=waiting), run.rules)
            ):
                return None
            try:
                request = from_row(waiting, self._spider, Request)
            except (ValueError, TypeError) as error:
                logger.error("Set aside %s: %s", waiting.url, error)
                self._park(row, "callback")
                return None
            run.dress(request, waiting.site)
            request = self._by_scheme(request, waiting)
            flight = Flight(request, row.sequence, number_of(waiting), waiting, row.tries)
            for prepare in run.hooks.prepare:
                prepare(flight)
        request = flight.request
        site, meta = flight.waiting.site, request.meta
        meta[FLIGHT] = flight
        meta["download_slot"] = host_of(site)
        run.flights[request] = flight
        politeness = run.frontier.politeness_of(site)
        run.slots.mirror(request, politeness.delay, politeness.concurrency)
        return request

    def _by_scheme(self, request: Request, waiting: Waiting) -> Request:
        """Return a request by the scheme its site answers: not the one it is known to refuse."""
        schemes = self._run.schemes
        schemes.written(waiting.site, waiting.url)
        if not schemes.is_refused(waiting.site, waiting.url):
            return request
        url = other_address(self._run.canonicalizer, waiting.url)
        if not url:
            return request
        has_secrets = any(one(waiting.site) for one in self._run.hooks.is_secret)
        return by_other_scheme(request, url, has_secrets=has_secrets) or request

    def _park(self, row: Row, reason: str) -> None:
        run = self._run
        run.frontier.park(row.sequence, reason, run.clock.steady())
        waiting = row.waiting
        flight = Flight(
            Request(waiting.url),
            row.sequence,
            0,
            waiting,
            row.tries,
            outcome="parked",
            reason=reason,
        )
        page = self._settling.write_page(flight)
        for ended in run.hooks.ended:  # somebody may have waited for this URL alone
            ended(flight, waiting, page, comes_back=False)

    def _gives_way(self, row: Row, rules: AdmissionRules) -> bool:
        """Whether a URL is not asked for now, since its page has another address that was, or is being."""
        run, waiting = self._run, row.waiting
        if not waiting.parent_key or any(asks(waiting) for asks in run.hooks.asks_each):
            return False
        if is_twin_of_read(waiting, rules):
            self._postponed.pop(row.sequence, None)
            self._end_as_alias(row)
            return True
        numbers = twin_numbers(waiting, rules)
        is_being_read = bool(numbers) and any(
            flight.number in numbers for flight in run.flights.values()
        )
        if not is_being_read or self._postponed[row.sequence] >= MOST_TWIN_WAITS:
            self._postponed.pop(row.sequence, None)
            return False
        # Neighbours in a menu: the second is taken before the first has been read.
        self._postponed[row.sequence] += 1
        now = run.clock.steady()
        run.frontier.put_back(row.sequence, now)
        run.frontier.block(waiting.site, now + TWIN_WAIT)
        return True

    def _end_as_alias(self, row: Row) -> None:
        run, now = self._run, self._run.clock.steady()
        run.frontier.release(row.sequence, now, asked=False)
        run.frontier.acknowledge(row.sequence, now)
        waiting = row.waiting
        self._settling.write_page(
            Flight(
                Request(waiting.url), row.sequence, 0, waiting, outcome="alias", reason="index file"
            )
        )

    def gate(self, site: str) -> float:
        """Return how long a site that looks ready must still wait: its hours, its slot."""
        closed = self._run.closed_for(site, self._run.clock.wall())
        return closed or self._run.slots.seconds_to_wait(host_of(site))


def _is_copy(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a new URL, found before its site had shown a trap, is one of it."""
    is_link = bool(waiting.parent_key) and waiting.first_walk and waiting.request is None
    return is_link and rules.copies.refuses(waiting.url, waiting.site)
