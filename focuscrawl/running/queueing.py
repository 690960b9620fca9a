"""Requests on their way into the frontier: new ones, retries and redirects, those kept in memory."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.requests import OTHER_SCHEME, Unstorable, stored, to_waiting
from focuscrawl.links.admission import checked_again

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.running.run import Run
    from focuscrawl.values import Waiting

logger = logging.getLogger(__name__)


class Queueing:
    """Queues the requests of one run.

    ``held`` are the flights of those that go on as they are, by sequence number: retries,
    redirects, and requests that cannot be stored. ``counted`` goes to Scrapy's statistics.
    """

    def __init__(self, run: Run, crawler: Crawler, counted: Counter[str]) -> None:
        self.held: dict[int, Flight] = {}
        self._run = run
        self._crawler = crawler
        self._counted = counted
        self._goes_on = False

    def begin(self) -> None:
        """Hear that the stores are open; a run that goes on knows its first requests already."""
        self._goes_on = self._run.frontier.counts().waiting > 0

    def add(self, request: Request, parent: Flight | None) -> bool:
        """Queue a request as a new URL; ``parent`` carries the page whose callback yielded it."""
        run = self._run
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
        run.schemes.written(waiting.site, waiting.url)  # known or not: by another scheme, maybe
        is_start = bool(request.meta.get("is_start_request"))
        if is_start and parent is None:
            run.name_start(waiting.site)
        is_again = is_start and self._goes_on
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
        self, request: Request, waiting: Waiting, number: int, parent: Flight | None
    ) -> None:
        """Queue a request that cannot be stored; the page it came from is not done before it."""
        frontier = self._run.frontier
        sequence = frontier.add_volatile(waiting, number)
        flight = Flight(request, sequence, number, waiting, kept=True)
        if parent is not None and not parent.finished:
            flight.holds = parent
            parent.held_by += 1
        self.held[sequence] = flight

    def hold_again(self, flight: Flight) -> None:
        """Keep a request that cannot be stored and has failed for its next try."""
        for name in ("retry_times", OTHER_SCHEME):
            flight.request.meta.pop(name, None)
        again = Flight(
            flight.request, flight.sequence, flight.number, flight.waiting, flight.tries + 1
        )
        again.kept, again.holds = True, flight.holds
        self.held[flight.sequence] = again

    def go_on(self, flight: Flight, request: Request) -> bool:
        """Queue the retry or redirect of a URL in flight under the same row."""
        run = self._run
        try:
            levels = run.frontier.rules.levels
            waiting, number = to_waiting(request, run.canonicalizer, None, levels)
            asked, _ = to_waiting(flight.request, run.canonicalizer, None, levels)
        except ValueError as error:
            flight.outcome, flight.reason = "refused", "scheme"
            logger.info("Redirect refused: %s", error)
            return False
        # What the row is known by need not be what its address gives now: a parameter may have been
        # found to change nothing since, or its page to be a part of another.
        is_same = waiting.key == asked.key
        if (
            not is_same
            and run.rules is not None
            and waiting.site in run.rules.same.dropped
            and _only_shows(request)
        ):
            row = run.frontier.in_flight(flight.sequence)
            first = row.waiting if row is not None else flight.waiting
            if _only_shows(flight.request) and _is_one_page(waiting, asked, run.rules):
                is_same = True
            elif first.request is None and _is_one_page(waiting, first, run.rules):
                waiting, number = waiting._replace(key=first.key), flight.number  # led back to it
            else:
                address = run.rules.look(waiting.url).address
                waiting, number = waiting._replace(key=address.key), address.number
        if not is_same and waiting.key != flight.waiting.key:
            target = flight.waiting._replace(url=waiting.url, key=waiting.key, site=waiting.site)
            flight.led_to = waiting.url
            if run.rules is not None and (why := checked_again(target, run.rules)):
                flight.outcome, flight.reason = "refused", why
                return False
            if number != flight.number and not run.frontier.claim(flight.sequence, number):
                flight.outcome = "alias"
                return False
            flight.waiting, flight.led_to = target, ""
        del run.flights[flight.request]
        run.frontier.put_back(flight.sequence, run.clock.steady(), waiting.site)
        flight.request = request
        self.held[flight.sequence] = flight
        return True


def _only_shows(request: Request) -> bool:
    """Whether a request asks for a page by nothing but its address."""
    return request.method == "GET" and not request.body


def _is_one_page(one: Waiting, other: Waiting, rules: AdmissionRules) -> bool:
    """Whether two addresses differ at most in what changes nothing on their site."""
    if one.site != other.site:
        return False
    return rules.plain_key(one.url, one.site) == rules.plain_key(other.url, other.site)
