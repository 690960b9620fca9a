"""URLs on their way: requests into the frontier, rows of it to the requests that Scrapy gets.

New requests, retries and redirects come in; a row that is taken leaves as a request under a flight.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from focuscrawl.kernel.flight import Detour, Flight, Purpose, Ties
from focuscrawl.kernel.shared.partitions import STARTS
from focuscrawl.kernel.template_changes import RULE
from focuscrawl.kernel.transport.requests import (
    ENDED,
    FLIGHT,
    OTHER_SCHEME,
    Unstorable,
    by_other_scheme,
    from_row,
    number_of,
    stored,
    to_waiting,
)
from focuscrawl.readers.links.admission import (
    COPIES,
    LIKE_LISTS,
    SIDE,
    checked_again,
    is_twin_of_read,
    is_view_left_alone,
    twin_numbers,
    waits_for_later,
)
from focuscrawl.readers.links.sources import named_later, starts_of
from focuscrawl.urls.same_pages import other_address
from focuscrawl.urls.sites import host_of, partition_of, site_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from focuscrawl.kernel.flight import Endings
    from focuscrawl.kernel.run import Run
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.stores.state.protocol import Row
    from focuscrawl.values import Waiting

logger = logging.getLogger(__name__)

TWIN_WAIT, MOST_TWIN_WAITS = 0.25, 20
"""Seconds a site pauses while a page is being read by its other address, and how often for one URL:
then it is asked for, so that a slow answer costs a page twice and no more."""


class Flights:
    """The URLs of one run that are on their way.

    ``held`` are the flights of those that go on as they are, by sequence number: retries,
    redirects, and requests that cannot be stored. ``counted`` goes to Scrapy's statistics.
    """

    def __init__(self, run: Run, crawler: Crawler, endings: Endings, counted: Counter[str]) -> None:
        self.held: dict[int, Flight] = {}
        self._run = run
        self._crawler = crawler
        self._endings = endings
        endings.hold_again = self.hold_again
        self._counted = counted
        self._goes_on = False
        self._starts = starts_of(run.sources.values(), run.rules)
        self._postponed: Counter[int] = Counter()
        self._begins_anew = False
        self._begun: set[int] = set()

    def begin(self) -> None:
        """Find out, when the stores are open, whether the run goes on: then it knows its first requests already.
        Another one but the first begins with them again.
        """
        counts, leads = self._run.frontier.counts(), self._run.frontier.leads
        self._goes_on = counts.waiting > 0
        self._begins_anew = bool(leads and counts.known and not self._goes_on)

    def add(self, request: Request, parent: Flight | None) -> bool:
        """Queue a request as a new URL; ``parent`` carries the page whose callback yielded it."""
        run = self._run
        try:
            waiting, number = to_waiting(
                request,
                run.rules.canonicalizer,
                parent.waiting if parent else None,
                run.frontier.rules.levels,
            )
        except ValueError as error:
            logger.error("Refused: %s", error)
            return False
        run.rules.schemes.written(
            waiting.site, waiting.url
        )  # known or not: by another scheme, maybe
        is_start = bool(request.meta.get("is_start_request")) and not parent
        if is_start:
            self._name_start(waiting.site)
        if number in run.frontier.seen and not self._is_asked_again(request, number, is_start):
            self._counted["dupefilter/filtered"] += 1
            return False
        if is_start and self._begins_anew:
            self._begun.add(number)
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

    def _is_asked_again(self, request: Request, number: int, is_start: bool) -> bool:
        """Whether a known URL is queued once more: first requests as start_urls are, but each of them once."""
        if not is_start or request.dont_filter:
            return request.dont_filter and not (is_start and self._goes_on)
        return self._begins_anew and number not in self._begun

    def _name_start(self, site: str) -> None:
        """Note that a spider without a topic begins at a site: it is meant, private or not.

        It is kept, since a run that goes on takes what waits before the spider asks for it again.
        """
        run, host = self._run, host_of(site)
        if not run.run.has_topic and run.private_hosts.name(host):
            run.frontier.note_fact(STARTS, host, True, partition_of(site))

    def _hold_back(
        self, request: Request, waiting: Waiting, number: int, parent: Flight | None
    ) -> None:
        """Queue a request that cannot be stored; the page it came from is not done before it."""
        frontier = self._run.frontier
        sequence = frontier.add_volatile(waiting, number)
        flight = Flight(request, sequence, number, waiting)
        ties = flight.of(Ties)
        ties.kept = True
        if parent and not parent.of(Ties).finished:
            ties.holds = parent
            parent.of(Ties).held_by += 1
        self.held[sequence] = flight

    def hold_again(self, flight: Flight) -> None:
        """Keep a request that cannot be stored and has failed for its next try."""
        for name in ("retry_times", OTHER_SCHEME):
            flight.request.meta.pop(name, None)
        again = Flight(
            flight.request, flight.sequence, flight.number, flight.waiting, flight.tries + 1
        )
        again.notes[Ties] = Ties(kept=True, holds=flight.of(Ties).holds)
        self.held[flight.sequence] = again

    def _known_as(self, flight: Flight, waiting: Waiting, asked: Waiting) -> tuple[bytes, int]:
        """Return key and number of an address on a site where parameters change nothing; those of the
        row when it is one page with the address that was asked for, or led back to the first.
        """
        run = self._run
        row = run.frontier.in_flight(flight.sequence)
        first = row.waiting if row else flight.waiting
        if _only_shows(flight.request) and _is_one_page(waiting, asked, run.rules):
            return flight.waiting.key, flight.number
        if not first.request and _is_one_page(waiting, first, run.rules):
            return first.key, flight.number
        address = run.rules.look(waiting.url).address
        return address.key, address.number

    def go_on(self, flight: Flight, request: Request) -> bool:
        """Queue the retry or redirect of a URL in flight under the same row."""
        run = self._run
        try:
            levels = run.frontier.rules.levels
            waiting, number = to_waiting(request, run.rules.canonicalizer, None, levels)
            asked, _ = to_waiting(flight.request, run.rules.canonicalizer, None, levels)
        except ValueError as error:
            flight.outcome, flight.reason = "refused", "scheme"
            logger.info("Redirect refused: %s", error)
            return False
        # What the row is known by need not be what its address gives now: a parameter may have been
        # found to change nothing since, or its page to be a part of another.
        is_same = waiting.key == asked.key
        if not is_same and waiting.site in run.rules.same.dropped and _only_shows(request):
            key, number = self._known_as(flight, waiting, asked)
            waiting = waiting._replace(key=key)
        if not is_same and waiting.key != flight.waiting.key:
            target = flight.waiting._replace(url=waiting.url, key=waiting.key, site=waiting.site)
            detour = flight.of(Detour)
            detour.led_to = waiting.url
            is_followed = run.hooks.visits.follows_redirect(flight, waiting.url, waiting.site)
            why = checked_again(target, run.rules) if run.run.has_topic else None
            if why and _passes_by(flight, request, waiting.site):
                return self._pass_by(flight, request)
            if why and not (is_followed and why == "scope"):
                flight.outcome, flight.reason = "refused", why
                return False
            if not run.frontier.holds(waiting.site):
                if target.request:
                    target = target._replace(request=stored(request, self._crawler.spider))
                run.frontier.add(target, number)  # its holder asks that site
                flight.outcome = "alias"
                return False
            is_new = number == flight.number or run.frontier.claim(flight.sequence, number)
            is_wanted = is_followed or (request.dont_filter and not run.run.has_topic)
            if not is_new and not is_wanted:
                flight.outcome = "alias"
                return False
            flight.waiting, detour.led_to = target, ""
        del run.flights[flight.request]
        run.frontier.put_back(flight.sequence, run.clock.steady(), waiting.site)
        flight.request = request
        self.held[flight.sequence] = flight
        return True

    def _pass_by(self, flight: Flight, request: Request) -> bool:
        """Ask another host that says that it leads back, in the place of a page, which stays what it is."""
        run = self._run
        detour = flight.of(Detour)
        detour.passed_by += 1
        detour.led_to = ""
        del run.flights[flight.request]
        run.frontier.put_back(flight.sequence, run.clock.steady())
        flight.request = request
        self.held[flight.sequence] = flight
        return True

    # Out of the frontier ------------------------------------------------------------------------

    def request(self, row: Row) -> Request | None:
        """Return the request of a row that was taken, under a flight; None when it was set aside."""
        run = self._run
        flight = self.held.pop(row.sequence, None)
        if flight:  # a retry, or a redirect, which may lead to another site
            address = run.rules.canonicalizer.address(flight.request.url)
            site = address.site if address else flight.waiting.site
            run.hooks.sites.complete_request(flight.request, site)
        else:
            waiting = named_later(row.waiting, self._starts)
            if why := rule_against(row._replace(waiting=waiting), run):
                self._park(row, f"{RULE}{why}")
                return None
            if run.rules.same.files and self._gives_way(row._replace(waiting=waiting), run.rules):
                return None
            try:
                request = from_row(waiting, self._crawler.spider)
            except (ValueError, TypeError) as error:
                logger.error("Set aside %s: %s", waiting.url, error)
                self._park(row, "callback")
                return None
            run.hooks.sites.complete_request(request, waiting.site)
            request = self._by_scheme(request, waiting)
            flight = Flight(request, row.sequence, number_of(waiting), waiting, row.tries)
            if run.hooks.search.must_read(waiting):
                flight.of(Purpose).whole = True
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
        schemes = self._run.rules.schemes
        schemes.written(waiting.site, waiting.url)
        if not schemes.is_refused(waiting.site, waiting.url):
            return request
        url = other_address(self._run.rules.canonicalizer, waiting.url)
        if not url:
            return request
        has_secrets = self._run.hooks.sites.has_secrets(waiting.site)
        return by_other_scheme(request, url, has_secrets=has_secrets) or request

    def _park(self, row: Row, reason: str) -> None:
        run = self._run
        run.frontier.park(row.sequence, reason, run.clock.steady())
        flight = _never_sent(row, "parked", reason)
        page = self._endings.write_page(flight)
        for ended in run.hooks.ended:  # a feature may have waited for this URL alone
            ended(flight, row.waiting, page, comes_back=False)

    def _gives_way(self, row: Row, rules: AdmissionRules) -> bool:
        """Whether a URL is not asked for now, since its page has another address that was, or is being."""
        run, waiting = self._run, row.waiting
        if not waiting.parent_key or run.hooks.search.counts_addresses():
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
        run.frontier.free(row.sequence, now, asked=False)
        run.frontier.acknowledge(row.sequence, now)
        self._endings.write_page(_never_sent(row, "alias", "index file"))

    def gate(self, site: str) -> float:
        """Return how long a site that looks ready must still wait: its partition, its hours,
        its slot, other crawls of this process."""
        if held_back := self._run.partitions.seconds_to_wait(site):
            return held_back
        run = self._run
        wait = run.hooks.sites.seconds_closed(site, run.clock.wall()) or run.slots.seconds_to_wait(
            host_of(site)
        )
        return wait or run.frontier.seconds_to_turn(site, run.clock.steady())


def _never_sent(row: Row, outcome: str, reason: str) -> Flight:
    return Flight(ENDED, row.sequence, 0, row.waiting, row.tries, outcome=outcome, reason=reason)


def rule_against(row: Row, run: Run) -> str:
    """Return which rule sets a URL aside that was let in, now that it is to be asked for; "": none."""
    was_let_in_before = row.sequence < run.recheck_before
    if was_let_in_before and (why := checked_again(row.waiting, run.rules)):
        return why
    if run.rules.copies.traps and _is_copy(row.waiting, run.rules):
        return COPIES
    if is_view_left_alone(row.waiting, run.rules):
        return SIDE
    return LIKE_LISTS if waits_for_later(row.waiting, run.rules) else ""


def _is_copy(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether a new URL, found before its site showed a trap, belongs to it."""
    is_link = bool(waiting.parent_key) and waiting.first_walk and not waiting.request
    return is_link and rules.copies.refuses(waiting.url, waiting.site)


MOST_PASSED_BY = 3
"""Answers of other hosts on the way of a page: a sign-on sends from one to another, and back."""


def _passes_by(flight: Flight, request: Request, site: str) -> bool:
    """Whether a redirect to another site says in its query that it leads back to that of its page: there a
    cookie is set. Nothing but its page is asked for there, and nothing is read.
    """
    home = flight.waiting.site
    passed_by = flight.of(Detour).passed_by
    if passed_by >= MOST_PASSED_BY or site == home or not _only_shows(request):
        return False
    if passed_by and site_of(flight.request.url) == site:
        return True  # it goes on there
    return home in unquote(unquote(urlsplit(request.url).query))


def _only_shows(request: Request) -> bool:
    """Whether a request asks for a page by nothing but its address."""
    return request.method == "GET" and not request.body


def _is_one_page(one: Waiting, other: Waiting, rules: AdmissionRules) -> bool:
    """Whether two addresses differ at most in what changes nothing on their site."""
    if one.site != other.site:
        return False
    return rules.plain_key(one.url, one.site) == rules.plain_key(other.url, other.site)
