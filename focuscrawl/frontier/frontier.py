"""The frontier: which URL is fetched next, and what is still to do.

A URL is waiting, in flight, failed, parked or done. The frontier keeps waiting URLs as numbers in
memory and gathers every change for the store's next commit; taking a URL changes nothing there,
so a crash brings back all that was in flight. Times given to it come from two clocks: ``now`` is
steady time (politeness), ``wall`` is wall time (retries, ages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from focuscrawl.frontier.adding import Adding
from focuscrawl.frontier.flights import InFlight
from focuscrawl.frontier.gathered import Gathered
from focuscrawl.frontier.lines import Lines
from focuscrawl.frontier.order import Order, Turns
from focuscrawl.frontier.picking import Picking
from focuscrawl.frontier.politeness import Politeness, retry
from focuscrawl.frontier.queue import order_of
from focuscrawl.frontier.rows import Rows
from focuscrawl.frontier.sites import Site, no_gate
from focuscrawl.frontier.weights import Factor, LevelOrder, LevelRules
from focuscrawl.store.protocol import FAILED, PARKED, Row
from focuscrawl.values import Lane


class Counts(NamedTuple):
    """How many URLs are where."""

    waiting: int
    in_flight: int
    failed: int
    parked: int
    known: int


class Frontier(Adding):
    """Weighted multi-level queues over a store's rows (method A).

    ``politeness`` tells how a site is treated, ``partition_of`` where its rows live, ``stored``
    reads a row back from the store (``Store.read``), ``luck`` draws from 0 … 1.
    ``gate`` may hold a site back that looks ready: it returns the seconds to wait, 0 to let it pass.
    ``exploration`` is the order of URLs that lead into the unknown, which get at most ``share`` of
    the picks while others are ready; without one they wait in the levels like all others.
    """

    def __init__(
        self,
        rules: LevelRules,
        *,
        factor: Factor,
        politeness: Callable[[str], Politeness],
        partition_of: Callable[[str], int],
        stored: Callable[[int, int], Iterable[Row]],
        luck: Callable[[], float],
        retry_waits: tuple[float, ...] = (60.0, 600.0, 3600.0),
        gate: Callable[[str], float] = no_gate,
        exploration: Order | None = None,
        share: float = 0.3,
    ) -> None:
        lines = Lines(
            rules.levels, politeness=politeness, luck=luck, gate=gate, exploration=exploration
        )
        order, rows = LevelOrder(rules, factor), Rows(stored, explores=exploration is not None)
        super().__init__(lines, order, rows, Gathered(partition_of), exploration, retry_waits)
        self._claims: dict[int, list[int]] = {}
        self._picking = Picking(lines, rows, order, self._in_flight, exploration, Turns(share))

    @property
    def gate(self) -> Callable[[str], float]:
        """What may hold a site back that looks ready."""
        return self._lines.gate

    @gate.setter
    def gate(self, gate: Callable[[str], float]) -> None:
        self._lines.gate = gate

    # Taking -------------------------------------------------------------------------------------

    def take(self, now: float, wall: float) -> Row | None:
        """Take the next URL whose site may be asked now; None when there is none (A7).

        Its site is asked nothing more for now.
        """
        self._advance(now, wall)
        flight = self._picking.pick(wall)
        if flight is None:
            return None
        row = flight.row
        self._in_flight[row.sequence] = flight
        self._lines.occupy(flight.site, flight.level, now)
        return row

    # What became of a URL -----------------------------------------------------------------------

    def release(self, sequence: int, now: float, *, asked: bool = True) -> None:
        """Say that a URL's site is free again, before or with the URL's end; counts once.

        ``asked`` is False when the site was never asked (robots.txt forbade it): then no pause is
        due.
        """
        flight = self._in_flight.get(sequence)
        if flight is None or flight.released:
            return
        flight.released = True
        since = None if asked else flight.ready_before
        self._lines.free(flight.site, flight.level, now, since)

    def acknowledge(self, sequence: int, now: float) -> None:
        """End a URL: it is done, its row goes with the next commit."""
        flight = self._land(sequence)
        if not flight.released:
            self._lines.free(flight.site, flight.level, now, None)
        changes = self._gathered.of(self._home(flight))
        if sequence in self._claims:
            changes.seen.extend(self._claims.pop(sequence))
        if self._rows.forget(sequence):
            changes.removed.append(sequence)

    def put_back(self, sequence: int, now: float, site: str | None = None) -> None:
        """Queue a URL in flight again as the same row: a retry, or a redirect to ``site``."""
        self.release(sequence, now)
        flight = self._land(sequence)
        goes_to = flight.site if site is None else self._lines.site(site)
        self._queue_again(sequence, flight.row.waiting, goes_to)

    def fail(self, sequence: int, reason: str, now: float, wall: float) -> bool:
        """A fetch failed for good in this round; False when the URL is given up and done."""
        self.release(sequence, now)
        row = self._in_flight[sequence].row
        tries = row.tries + 1
        first_failed = row.first_failed or wall
        verdict = retry(tries, first_failed, wall, self._retry_waits)
        if verdict.give_up:
            self.acknowledge(sequence, now)
            return False
        flight = self._land(sequence)
        for number in self._claims.pop(sequence, ()):
            self.seen.discard(number)
        row = row._replace(
            state=FAILED,
            tries=tries,
            first_failed=first_failed,
            next_try=verdict.at,
            reason=reason,
        )
        home = self._home(flight)
        self._store(row, home)
        lane = Lane.of(row.waiting).packed() if row.waiting.explore else 0
        place = (home, flight.level, order_of(sequence, row.waiting.priority), lane)
        self._failed.add(place, verdict.at)
        return True

    def park(self, sequence: int, reason: str, now: float) -> None:
        """Set a URL in flight aside until somebody unparks it."""
        self.release(sequence, now, asked=False)
        flight = self._land(sequence)
        self._store(flight.row._replace(state=PARKED, reason=reason), self._home(flight))
        self._parked += 1

    def claim(self, sequence: int, number: int) -> bool:
        """Give a second address (a redirect's target) to a URL in flight; False when known.

        It is known at once, but stored only with the row's end: after a crash the row is fetched
        again and must find the target free.
        """
        claims = self._claims.setdefault(sequence, [])
        if number in claims:
            return True
        if not self.seen.add(number):
            return False
        claims.append(number)
        return True

    def in_flight(self, sequence: int) -> Row | None:
        """Return the row of a URL that was taken and has not ended."""
        flight = self._in_flight.get(sequence)
        return flight.row if flight else None

    # Politeness ---------------------------------------------------------------------------------

    def set_politeness(self, name: str, politeness: Politeness) -> None:
        """Treat a site differently from now on."""
        site = self._lines.site(name)
        site.politeness = politeness
        self._lines.schedule(site)  # it may take more at once than before

    def politeness_of(self, name: str) -> Politeness:
        """Return how a site is treated now."""
        return self._lines.site(name).politeness

    def block(self, name: str, until: float) -> None:
        """Ask a site nothing before ``until`` (steady time)."""
        self._lines.block(self._lines.site(name), until)

    # Looking ------------------------------------------------------------------------------------

    def next_wakeup(self, now: float, wall: float) -> float | None:
        """Return in how many seconds a URL may become ready; None when none will by waiting.

        0 means one is ready now. A URL behind a site that is busy is not counted: the end of that
        fetch is an event of its own.
        """
        self._advance(now, wall)
        lines = self._lines
        if any(lines.head(level) is not None for level in range(self.rules.levels)):
            return 0.0
        if self.exploration and self.exploration.waits(lines.is_ready, wall):
            return 0.0
        waits = []
        timer = lines.next_timer()
        if timer is not None:
            waits.append(timer - now)
        if self._failed.retries:
            waits.append(self._failed.retries[0][0] - wall)
        return max(0.0, min(waits)) if waits else None

    def pauses(self, now: float, wall: float) -> Iterator[tuple[str, float]]:
        """Go through the sites that pause though URLs wait for them: name, and for how long."""
        self._advance(now, wall)
        for site in self._lines.pausing():
            yield site.name, max(0.0, site.ready_at - now)

    def counts(self) -> Counts:
        """Return how many URLs are in each state; what the order keeps back counts as parked."""
        exploring, held = self.exploration.counts() if self.exploration else (0, 0)
        return Counts(
            waiting=sum(self._lines.lengths) + exploring,
            in_flight=len(self._in_flight),
            failed=len(self._failed),
            parked=self._parked + held,
            known=len(self.seen),
        )

    # Inside -------------------------------------------------------------------------------------

    def _home(self, flight: InFlight) -> Site:
        """Return the site under which a row is stored; a redirect may fetch it from another."""
        return self._lines.site(flight.row.waiting.site)

    def _land(self, sequence: int) -> InFlight:
        """Take a URL out of those in flight."""
        flight = self._in_flight.pop(sequence)
        if flight.explores and self.exploration:
            self.exploration.ended(sequence)
        return flight

    def _advance(self, now: float, wall: float) -> None:
        """Let time pass: retries that are due wait again, sites whose pause is over are listed."""
        self._lines.advance(now)
        retries = self._failed.retries
        while retries and retries[0][0] <= wall:
            self._put(*self._failed.pop())
