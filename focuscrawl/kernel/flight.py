"""A URL in flight: which request carries it, what became of it, and how it ends.

Each request the engine has finished with is found, and its URL settled: its row, its counts and what was
learnt by it go into one commit, results first. A URL that dies before is fetched again and gives the same
again; nothing of it was counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from focuscrawl.kernel.figures import NOT_FETCHED
from focuscrawl.kernel.transport.requests import ENDED
from focuscrawl.readers.links.sources import MISSING_SOURCES, is_source
from focuscrawl.readers.pages.encodings import Encoding
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Page, PageChange, PageClass, PageState, SeriesPage, Waiting

if TYPE_CHECKING:
    from scrapy import Request

    from focuscrawl.kernel.run import Run


_N = TypeVar("_N")

LONGEST_REASON = 40
NO_SERIES = SeriesPage()


class Notes(dict[type, Any]):
    """What features note of one thing, a value of a class of its own each; made when it is asked for."""

    def __missing__(self, kind: type) -> Any:
        """Make it."""
        made = self[kind] = kind()
        return made


@dataclass(slots=True, eq=False)
class Flight:
    """A URL in flight: the request object that carries it now, and what became of it.

    ``failed`` is the reason of a fetch that is tried again later. ``outcome`` and ``reason`` are those
    of the log book when no page was judged, ``mark`` a flaw of the answer (truncated, oversized).
    ``encoding`` is what its body is written in, None: not text. ``unchanged``: its server says that there is nothing newer than what is known. ``page`` is the
    judged page's row. ``useful``: it gave a relevant article, which counts when the URL has ended, in the
    commit that takes its row away. ``before`` and ``after`` are the states of a page that is visited again.
    ``is_withdrawn``: it was not asked for, since it is another process's by now, or what it gives may not be
    stored: then it waits as before. What few URLs have, and what one feature knows, are ``notes``.
    """

    request: Request
    sequence: int
    number: int
    waiting: Waiting
    tries: int = 0
    page: Page | None = None
    useful: bool = False
    status: int = 0
    failed: str = ""
    outcome: str = ""
    reason: str = ""
    mark: str = ""
    encoding: Encoding | None = None
    unchanged: bool = False
    before: PageState | None = None
    after: PageState | None = None
    is_withdrawn: bool = False
    notes: Notes = field(default_factory=Notes)

    @property
    def first_url(self) -> str:
        """The address that was asked for before redirects led elsewhere: the one that its source or list names."""
        return next(iter(self.request.meta.get("redirect_urls", ())), self.waiting.url)

    def of(self, kind: type[_N]) -> _N:
        """Return what a feature notes of it, made when it is asked for first."""
        return self.notes[kind]  # type: ignore[no-any-return]

    def fail(self, reason: str) -> None:
        """Note that its fetch has failed: it comes back later, unless an errback of its own deals with it."""
        self.outcome, self.reason = "error", reason
        if self.request.errback is None:
            self.failed = reason


@dataclass(slots=True)
class Purpose:
    """What a URL is asked for: ``whole``, without conditions, since its links are needed; ``confirms``: to see if a page
    is gone that no seed leads to any more (C8).
    """

    whole: bool = False
    confirms: bool = False


@dataclass(slots=True)
class Detour:
    """How a URL was led elsewhere. ``led_to`` is where a redirect led that was not followed; ``passed_by`` counts the
    answers of other hosts to which its page sends for a cookie; ``unreached`` is the address that could not be reached
    before the other of http and https was tried; ``by_other_scheme``: its page came by that.
    """

    led_to: str = ""
    passed_by: int = 0
    unreached: str = ""
    by_other_scheme: bool = False


@dataclass(slots=True)
class Ties:
    """Requests that cannot be stored hold the page that yielded them in flight. ``kept``: this one lives in memory only;
    ``holds`` is the flight that waits for its end. Of a page ``held_by`` counts them; ``finished``: it waits for nothing
    else.
    """

    kept: bool = False
    holds: Flight | None = None
    held_by: int = 0
    finished: bool = False


@dataclass(slots=True)
class Announcement:
    """What the end of a URL tells, that its page has gone or is back: ``is_made``, through the pipelines, which left
    ``change``.
    """

    is_made: bool = False
    change: PageChange | None = None


@dataclass(slots=True)
class ThreadPart:
    """What a page was to a thread (A9): ``series``; ``counted`` are the keys of pages whose news a list counts, so that
    they need no visit.
    """

    series: SeriesPage = NO_SERIES
    counted: tuple[bytes, ...] = ()


def flight_of(run: Run, request: Request) -> Flight:
    """Return the flight of a request.

    One that is no URL of the crawl (robots.txt, ``scrapy shell``) gets a flight of its own, which is never
    settled: what is noted on it is forgotten.
    """
    return run.flights.get(request) or _flight_without_row(run, request)


def _flight_without_row(run: Run, request: Request) -> Flight:
    address, top = run.rules.canonicalizer.address(request.url), run.frontier.rules.levels
    names = (address.url, address.key, address.site) if address else (request.url, b"", "")
    return Flight(request, 0, 0, Waiting(*names, top, top))


def flight_row(flight: Flight, now: float) -> Page:
    """Return a URL's row of the log book: the judged page's, else one that says why there is none.

    ``now`` is wall time.
    """
    if page := flight.page:
        page.reason = page.reason or flight.mark
        if flight.failed or flight.outcome == "error":  # judged, but then something of it failed
            page.outcome, page.reason = "error", (flight.failed or flight.reason)[:LONGEST_REASON]
        return page
    waiting = flight.waiting
    outcome = "error" if flight.failed else flight.outcome
    reason = flight.failed or flight.reason or flight.mark
    if not outcome and flight.status:
        outcome = "list"  # read by a spider, or a site's parser, of the user's own
    elif not outcome:
        outcome, reason = _why_given_up(flight)
    return Page(
        url_key=waiting.key.hex(),
        url=waiting.url,
        host=waiting.site,
        page_class=waiting.page_class or PageClass.OTHER,
        outcome=outcome,
        level=waiting.level,
        source_id=waiting.source_id,
        parent_key=waiting.parent_key.hex(),
        anchor=waiting.anchor,
        first_seen=now,
        last_fetched=now if flight.status else None,
        status=flight.status,
        reason=reason[:LONGEST_REASON],
    )


def _why_given_up(flight: Flight) -> tuple[str, str]:
    """Guess outcome and reason of what Scrapy gave up inside a middleware without a report."""
    return "error", "redirects" if flight.request.meta.get("redirect_times") else "ignored"


class Endings:
    """Ends the URLs of one run. ``hold_again`` keeps a request that cannot be stored for its next try."""

    def __init__(self, run: Run) -> None:
        self.hold_again: Callable[[Flight], None] = _lose
        self._run = run

    # Requests leave the engine ------------------------------------------------------------------

    def sweep(self) -> None:
        """Settle every URL whose request the engine has finished with."""
        flights = self._run.flights
        if not flights:
            return
        ended = flights.keys() - self._run.slots.in_progress()
        for request in sorted(ended, key=self._sequence) if len(ended) > 1 else ended:
            flight = flights.pop(request)
            ties = flight.of(Ties)
            ties.finished = True
            if ties.held_by == 0:
                self._settle(flight)
            else:
                self._run.tally.held += 1

    def _sequence(self, request: Request) -> int:
        return self._run.flights[request].sequence

    def _settle(self, flight: Flight) -> None:
        """End a URL, after what its end tells has been through the pipelines; then those it held.

        One that cannot tell it any more, since the run is closing, is fetched again by the next.
        """
        ended: Flight | None = flight
        # In a loop, not by recursion: a series of pages may hold one another by the thousand.
        while ended and not self._announces(ended, partial(self._announced, ended)):
            ended = self._end(ended)

    def _announced(self, flight: Flight) -> None:
        if held := self._end(flight):
            self._settle(held)

    def _end(self, flight: Flight) -> Flight | None:
        """End a URL; returns the page it came from, when that has waited for nothing else."""
        if self.settle(flight) and flight.of(Ties).kept:
            self.hold_again(flight)
            return None
        flight.request = ENDED  # a request and its flight would keep each other for long
        parent = flight.of(Ties).holds
        if not parent:
            return None
        ties = parent.of(Ties)
        ties.held_by -= 1
        if not ties.finished or ties.held_by:
            return None
        self._run.tally.held -= 1
        return parent

    # A URL ends -------------------------------------------------------------------------------

    def _announces(self, flight: Flight, ended: Callable[[], object]) -> bool:
        """Send what a URL's end tells of its page through the pipelines, before it is settled.

        False: it tells nothing, and the URL may end. True: it ends with ``ended``, which is never
        called when the pipelines are closed already: then it ends in the next run. Call it once.
        """
        run = self._run
        told = [end(flight) for end in run.hooks.ending]
        change = next(filter(None, told), None)
        if not change:
            return False

        def announced(left: PageChange | None, why: str) -> None:
            flight.notes[Announcement] = Announcement(is_made=True, change=left)
            flight.failed = flight.failed or why
            ended()

        run.items.changes.announce_beside(change, announced)
        return True

    def settle(self, flight: Flight) -> bool:
        """End a URL whose request is finished: done, to be tried again (True), or set aside."""
        run, sequence, now = self._run, flight.sequence, self._run.clock.steady()
        if flight.is_withdrawn:
            run.frontier.put_back(sequence, now)
            return flight.of(Ties).kept
        queued = run.frontier.in_flight(sequence)
        comes_back = False
        is_visit = bool(flight.before)  # it has a date of its own, and needs no row until then
        if flight.outcome == "parked" and not is_visit:
            run.frontier.park(sequence, flight.reason, now)
        elif self._tries_again(flight):
            comes_back = run.frontier.fail(sequence, flight.failed, now, run.clock.wall())
        else:
            if flight.outcome in NOT_FETCHED:
                run.frontier.free(sequence, now, asked=False)
            if not run.frontier.is_lost(sequence):  # else the holder of its partition counts it
                for count in run.hooks.acknowledged:
                    count(flight)
            run.frontier.acknowledge(sequence, now)
        if flight.failed and not comes_back and not is_visit:
            flight.outcome, flight.reason, flight.failed = "error", f"given up: {flight.failed}", ""
        if flight.unchanged and not flight.failed:
            self._came_unchanged(flight)
        for settle in run.hooks.settle:
            settle(flight, flight.page, comes_back=comes_back)
        page = self.write_page(flight)
        waiting = queued.waiting if queued else None
        if waiting and not comes_back:
            self._source_ended(flight, waiting)
        for ended in run.hooks.ended:
            ended(flight, waiting, page, comes_back=comes_back)
        return comes_back

    def _source_ended(self, flight: Flight, waiting: Waiting) -> None:
        """Note a source that is not there, or that robots.txt forbids, so that the next run asks once more."""
        run = self._run
        is_forbidden = (flight.outcome, flight.reason) == ("refused", "robots")
        is_missing = (flight.outcome in {"gone", "error"} or is_forbidden) and not flight.before
        if is_missing and is_source(waiting, run.sources):
            home = partition_of(waiting.site)
            run.frontier.note_fact(MISSING_SOURCES, waiting.key.hex(), True, home)

    def write_page(self, flight: Flight) -> Page:
        """Put a URL's row into the log book, and return it."""
        run = self._run
        page = flight_row(flight, run.clock.wall())
        page.run_id = run.run.run_id
        run.hooks.visits.fill_row(flight, page)
        run.commits.pending.add(page)
        run.tally.count_page(page, failed=bool(flight.failed), now=run.clock.wall())
        return page

    def _tries_again(self, flight: Flight) -> bool:
        """Whether a fetch has failed that is tried again under its row."""
        run = self._run
        if not flight.failed:
            return False
        if flight.of(Ties).kept and flight.tries >= len(run.config.retry_waits):
            return False
        return run.hooks.visits.tries_again(flight)

    def _came_unchanged(self, flight: Flight) -> None:
        """End a visit that was answered 304: a board that was read again has no new links (A6)."""
        waiting = flight.waiting
        self._run.tally.counters["not_modified"] += 1
        # Without a state from before the condition was the user's own.
        if flight.before and waiting.page_class is PageClass.BOARD and not waiting.first_walk:
            self._run.frontier.observe_board(0)


def _lose(flight: Flight) -> None:
    """Keep nothing: no requests are held yet."""
