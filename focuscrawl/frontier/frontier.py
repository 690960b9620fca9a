"""The frontier: which URL is fetched next, and what is still to do.

A URL is waiting, in flight, failed, parked or done. The frontier keeps waiting URLs as numbers in
memory and gathers every change for the store's next commit; taking a URL changes nothing there,
so a crash brings back all that was in flight. Times given to it come from two clocks: ``now`` is
steady time (politeness), ``wall`` is wall time (retries, ages).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

from focuscrawl.frontier.gathered import Gathered
from focuscrawl.frontier.lines import Lines, Site, no_gate
from focuscrawl.frontier.order import Order, Turns
from focuscrawl.frontier.politeness import Politeness, retry
from focuscrawl.frontier.queue import order_of, sequence_of
from focuscrawl.frontier.rows import Rows
from focuscrawl.frontier.seen import SeenSet
from focuscrawl.frontier.weights import Factor, LevelOrder, LevelRules
from focuscrawl.stores.base import FAILED, PARKED, WAITING, Aside, Changes, Loaded, Row
from focuscrawl.values import Lane, PageState, Waiting

NO_LEVEL = -1
"""The index of no level: a row is read alone, for an order takes them from all over."""

MEASURED = "measured"
"""The kind of the facts that hold what the frontier measures."""


class InFlight:
    """A URL that was taken; ``level`` is the index of its level (0 = level 1).

    ``ready_before`` is since when its site had been ready. ``explores``: it came from the order.
    ``released``: its site is free again.
    """

    __slots__ = ("explores", "level", "ready_before", "released", "row", "site")

    def __init__(self, row: Row, site: Site, level: int, *, explores: bool = False) -> None:
        self.row = row
        self.site = site
        self.level = level
        self.ready_before = site.ready_at
        self.explores = explores
        self.released = False


class Counts(NamedTuple):
    """How many URLs are where."""

    waiting: int
    in_flight: int
    failed: int
    parked: int
    known: int


class Frontier:
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
        self.rules = rules
        self.order = LevelOrder(rules, factor)
        self.factor = factor
        self.exploration = exploration
        self._turns = Turns(share)
        self._retry_waits = retry_waits
        self._next_sequence = 1
        self._lines = Lines(
            rules.levels, politeness=politeness, luck=luck, gate=gate, exploration=exploration
        )
        self._gathered = Gathered(partition_of)
        self._retries: list[tuple[float, int]] = []
        self._failed: dict[int, tuple[Site, int, int, int]] = {}
        self._parked = 0
        self._in_flight: dict[int, InFlight] = {}
        self._rows = Rows(stored)
        self._claims: dict[int, list[int]] = {}
        self.seen = SeenSet()

    @property
    def gate(self) -> Callable[[str], float]:
        """What may hold a site back that looks ready."""
        return self._lines.gate

    @gate.setter
    def gate(self, gate: Callable[[str], float]) -> None:
        self._lines.gate = gate

    @property
    def operations(self) -> int:
        """How much has gathered since the last commit."""
        return self._gathered.operations

    # Loading ------------------------------------------------------------------------------------

    def load(self, loaded: Loaded, wall: float) -> None:
        """Start from what a store holds, before anything else is added.

        Failed rows whose time has come wait again.
        """
        collecting = gc.isenabled()
        gc.disable()  # a million small objects are made and none dies: nothing to collect
        try:
            self.seen.load(loaded.seen)
            sites = self._lines.load(loaded)
            self._load_aside(sites, loaded.aside, wall)
            self._next_sequence = max(self._next_sequence, loaded.next_sequence)
            self._lines.schedule_all(sites)
        finally:
            if collecting:
                gc.enable()

    def restore_measures(self, facts: Mapping[str, Any]) -> None:
        """Go on from what earlier runs measured, the facts of the kind MEASURED."""
        self.factor.total, self.factor.boards = facts.get("factor", (0.0, 0))
        self.order.restore(facts.get("checkpoints", ()))

    def _load_aside(self, sites: Sequence[Site], rows: Iterable[Aside], wall: float) -> None:
        latest = wall + max(self._retry_waits, default=0.0)  # else a clock ran ahead
        for sequence, number, level, priority, state, next_try, lane in rows:
            order = order_of(sequence, priority)
            place = (sites[number], self._lines.index(level), order, lane)
            if state == PARKED:
                self._parked += 1
            elif next_try is not None and wall < next_try <= latest:
                self._await_retry(place, next_try)
            else:
                self._put(*place)

    # Adding -------------------------------------------------------------------------------------

    def add(self, waiting: Waiting, number: int) -> bool:
        """Add a URL under its 64-bit key number; False when it is known (A8)."""
        if not self.seen.add(number):
            return False
        changes = self._enqueue(waiting)
        changes.seen.append(number)
        return True

    def add_again(self, waiting: Waiting) -> int:
        """Add a URL whether known or not: a revisit, a request that must not be filtered."""
        self._enqueue(waiting)
        return self._next_sequence - 1

    def add_volatile(self, waiting: Waiting, number: int) -> int:
        """Add a URL that cannot be stored; it lives and dies with this process."""
        self.seen.add(number)
        sequence = self._next_sequence
        self._next_sequence += 1
        self._rows.volatile[sequence] = Row(sequence, waiting)
        self._queue_again(sequence, waiting, self._lines.site(waiting.site))
        return sequence

    def _enqueue(self, waiting: Waiting) -> Changes:
        # Done for every new link of every page: tuple.__new__ is a third of the price of Row(…).
        sequence = self._next_sequence
        self._next_sequence = sequence + 1
        lines = self._lines
        site = lines.by_name.get(waiting.site) or lines.site(waiting.site)
        row = tuple.__new__(Row, (sequence, waiting, WAITING, 0, 0.0, None, ""))
        self._rows.fresh[sequence] = row
        changes = self._gathered.of(site)
        changes.added.append(row)
        if waiting.explore and self.exploration:
            lines.explore(site, sequence, Lane.of(waiting), self.exploration)
            return changes
        priority = waiting.priority
        order = order_of(sequence, priority) if priority else sequence
        lines.push(site, lines.index(waiting.level), order)
        return changes

    def _queue_again(self, sequence: int, waiting: Waiting, site: Site) -> None:
        lane = Lane.of(waiting).packed() if waiting.explore else 0
        order = order_of(sequence, waiting.priority)
        self._put(site, self._lines.index(waiting.level), order, lane)

    def _put(self, site: Site, level: int, order: int, lane: int) -> None:
        if lane and self.exploration:
            self._lines.explore(site, sequence_of(order), Lane.unpacked(lane), self.exploration)
        else:
            self._lines.push(site, level, order)

    # Taking -------------------------------------------------------------------------------------

    def take(self, now: float, wall: float) -> Row | None:
        """Take the next URL whose site may be asked now; None when there is none (A7).

        Exploration has its turn after returned pages and known sources, and takes what the levels
        leave.
        """
        self._advance(now, wall)
        for level in self.order.first():
            site = self._lines.head(level) if self._lines.has(level) else None
            if site is not None:
                return self._take_from(site, level, now)
        if self.exploration is None:
            return self._take_by_level(now, wall)
        row = self._take_in_turn(now, wall) if self._turns.is_due else None
        return row or self._take_by_level(now, wall) or self._take_exploring(now, wall)

    def _take_in_turn(self, now: float, wall: float) -> Row | None:
        """Take an exploring URL unless a known source is ready: sources stand one below the top."""
        if self.rules.levels > 1 and self._lines.head(self.rules.levels - 2) is not None:
            return None
        return self._take_exploring(now, wall)

    def _take_by_level(self, now: float, wall: float) -> Row | None:
        lines = self._lines
        if not lines.has_any():
            return None
        overdue = self.order.overdue_before(wall)
        if overdue:
            site = lines.head(0)
            if site is not None and lines.is_before(site, 0, overdue):
                return self._take_from(site, 0, now)
        level = self.order.heaviest(lines.lengths, lines.busy)
        site = lines.head(level)
        if site is not None:
            return self._take_from(site, level, now)
        for level in self.order.by_weight(lines.lengths, lines.busy):
            site = lines.head(level)
            if site is not None:
                return self._take_from(site, level, now)
        return None

    def _take_from(self, site: Site, level: int, now: float) -> Row:
        sequence = self._lines.pop(site, level)
        row = self._rows.ahead.pop(sequence, None) or self._row(sequence, level)
        self._fly(InFlight(row, site, level), now)
        self.order.served(level)
        return row

    def _take_exploring(self, now: float, wall: float) -> Row | None:
        """Take the next URL of the order."""
        lines = self._lines
        picked = self.exploration.pick(lines.is_ready, wall) if self.exploration else None
        if picked is None:
            return None
        sequence, number = picked
        site = lines.numbered(number)
        site.exploring -= 1
        row = self._row(sequence, NO_LEVEL)
        level = lines.index(row.waiting.level)
        self._fly(InFlight(row, site, level, explores=True), now)
        self.order.passed()
        return row

    def _fly(self, flight: InFlight, now: float) -> None:
        """Note that a URL is on its way, and ask its site nothing more for now."""
        self._in_flight[flight.row.sequence] = flight
        self._lines.occupy(flight.site, flight.level, now)
        if self.exploration:
            self._turns.taken(exploring=flight.explores)

    def _row(self, sequence: int, level: int) -> Row:
        row = self._rows.at_hand(sequence)
        if row is None:
            row = self._rows.read(sequence, level + 1, self._in_flight)
        if row is None:
            raise LookupError(f"the store has lost row {sequence}")
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
        if verdict.at is None:
            self._failed[sequence] = place
        else:
            self._await_retry(place, verdict.at)
        return True

    def park(self, sequence: int, reason: str, now: float) -> None:
        """Set a URL in flight aside until somebody unparks it."""
        self.release(sequence, now, asked=False)
        flight = self._land(sequence)
        self._store(flight.row._replace(state=PARKED, reason=reason), self._home(flight))
        self._parked += 1

    def unpark(self, row: Row) -> None:
        """Let a parked URL wait again."""
        site = self._lines.site(row.waiting.site)
        self._store(row._replace(state=WAITING, reason=""), site)
        self._parked -= 1
        self._queue_again(row.sequence, row.waiting, site)

    def set_level(self, row: Row, level: int) -> bool:
        """Move a waiting URL to another level (1 …); False when it is not waiting.

        Of one that explores the level is only noted: its order is no matter of levels.
        """
        site = self._lines.site(row.waiting.site)
        if row.waiting.explore and self.exploration:
            gone = row.sequence in self._in_flight or row.sequence in self._failed
            if not gone and row.state != PARKED:
                self._store(row._replace(waiting=row.waiting._replace(level=level)), site)
                return True
            return False
        lines = self._lines
        order = order_of(row.sequence, row.waiting.priority)
        if not lines.remove(site, lines.index(row.waiting.level), order):
            return False
        self._store(row._replace(waiting=row.waiting._replace(level=level)), site)
        lines.push(site, lines.index(level), order)
        return True

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
        if self._retries:
            waits.append(self._retries[0][0] - wall)
        return max(0.0, min(waits)) if waits else None

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

    def lengths(self) -> list[int]:
        """Return the number of waiting URLs of each level, level 1 first, without exploration's."""
        return list(self._lines.lengths)

    # Storing ------------------------------------------------------------------------------------

    def remember(self, state: PageState) -> None:
        """Store a page's state with the next commit."""
        self._gathered.of(self._lines.site(state.site)).pages.append(state)

    def remembered(self, keys: Iterable[bytes]) -> dict[bytes, PageState]:
        """Return those of some pages whose states wait for the next commit."""
        return self._gathered.pages(keys)

    def note_site(self, name: str, part: str, value: object) -> None:
        """Store one idea's part of a site's record with the next commit."""
        site = self._lines.site(name)
        self._gathered.of(site).sites.setdefault(name, {})[part] = value

    def observe_board(self, new_links: int) -> None:
        """Count the new links of a board that was read again (A6)."""
        self.factor.observe(new_links)
        self.note_fact(MEASURED, "factor", (self.factor.total, self.factor.boards))

    def checkpoint(self, wall: float) -> None:
        """Note now and then which URLs had come by when."""
        if self.order.checkpoint(wall, self._next_sequence):
            self.note_fact(MEASURED, "checkpoints", self.order.checkpoints())

    def note_fact(self, kind: str, key: str, value: object) -> None:
        """Store a fact of the whole topic with the next commit."""
        self._gathered.of_topic().facts[kind, key] = value

    def drain(self) -> dict[int, Changes]:
        """Hand over everything since the last call; the caller commits it, then says so."""
        self._rows.drained()
        return self._gathered.drain()

    def committed(self) -> None:
        """Say that everything handed over is in the store now."""
        self._rows.committed()

    def next_sequence(self) -> int:
        """Return the number the next URL will get."""
        return self._next_sequence

    # Inside -------------------------------------------------------------------------------------

    def _home(self, flight: InFlight) -> Site:
        """Return the site under which a row is stored; a redirect may fetch it from another."""
        return self._lines.site(flight.row.waiting.site)

    def _store(self, row: Row, site: Site) -> None:
        if row.sequence in self._rows.volatile:
            self._rows.volatile[row.sequence] = row
            return
        self._rows.replace(row)
        self._gathered.of(site).moved.append(row)

    def _land(self, sequence: int) -> InFlight:
        """Take a URL out of those in flight."""
        flight = self._in_flight.pop(sequence)
        if flight.explores and self.exploration:
            self.exploration.ended(sequence)
        return flight

    def _await_retry(self, place: tuple[Site, int, int, int], at: float) -> None:
        sequence = sequence_of(place[2])
        self._failed[sequence] = place
        heappush(self._retries, (at, sequence))

    def _advance(self, now: float, wall: float) -> None:
        """Let time pass: retries that are due wait again, sites whose pause is over are listed."""
        self._lines.advance(now)
        retries = self._retries
        while retries and retries[0][0] <= wall:
            _, sequence = heappop(retries)
            self._put(*self._failed.pop(sequence))
