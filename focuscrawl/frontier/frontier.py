"""The frontier: which URL is fetched next, and what is still to do.

A URL is waiting, in flight, failed, parked or done. The frontier keeps waiting URLs as numbers in
memory and gathers every change for the store's next commit; taking a URL changes nothing there,
so a crash brings back all that was in flight. Times given to it come from two clocks: ``now`` is
steady time (politeness), ``wall`` is wall time (retries, ages).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from focuscrawl.frontier.order import Order, Turns
from focuscrawl.frontier.politeness import Politeness, retry
from focuscrawl.frontier.queue import Queue, order_of, sequence_of
from focuscrawl.frontier.rows import Rows
from focuscrawl.frontier.seen import SeenSet
from focuscrawl.frontier.weights import Factor, LevelOrder, LevelRules
from focuscrawl.stores.base import FAILED, PARKED, WAITING, Aside, Changes, Loaded, Row
from focuscrawl.values import PROMISE_BITS, Lane, PageState, Waiting

SITE_BITS = 24
SITE_MASK = (1 << SITE_BITS) - 1
UNKNOWN = -1
PROMISE_MASK = (1 << PROMISE_BITS) - 1
NO_LEVEL = -1
"""The index of no level: a row is read alone, for an order takes them from all over."""


class Site:
    """One site's queues and its politeness. ``ready_at`` is steady time.

    ``waiting`` counts its URLs in the level queues, ``exploring`` those in the order.
    """

    __slots__ = (
        "active",
        "exploring",
        "name",
        "number",
        "partition",
        "politeness",
        "queues",
        "ready_at",
        "timer",
        "waiting",
    )

    def __init__(self, name: str, number: int, politeness: Politeness) -> None:
        self.name = name
        self.number = number
        self.partition = UNKNOWN
        self.politeness = politeness
        self.queues: dict[int, Queue] = {}
        self.waiting = 0
        self.exploring = 0
        self.active = 0
        self.ready_at = 0.0
        self.timer: float | None = None

    def queue_of(self, level: int) -> Queue:
        """Return the queue of a level, an index; made when there is none."""
        queue = self.queues.get(level)
        if queue is None:
            queue = self.queues[level] = Queue()
        return queue


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


def no_gate(site: str) -> float:
    """Let every site pass: the gate of a frontier that nobody else guards."""
    return 0.0


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
        self._top = rules.levels
        self.order = LevelOrder(rules, factor)
        self.factor = factor
        self.gate = gate
        self.exploration = exploration
        self._turns = Turns(share)
        self._politeness = politeness
        self._partition_of = partition_of
        self._luck = luck
        self._retry_waits = retry_waits
        self._now = 0.0
        self._next_sequence = 1
        self._sites: list[Site] = []
        self._by_name: dict[str, Site] = {}
        self._lengths = [0] * rules.levels
        self._busy = [0] * rules.levels
        self._ready: list[list[int]] = [[] for _ in range(rules.levels)]
        self._timers: list[tuple[float, int]] = []
        self._retries: list[tuple[float, int]] = []
        self._failed: dict[int, tuple[Site, int, int, int]] = {}
        self._parked = 0
        self._in_flight: dict[int, InFlight] = {}
        self._rows = Rows(stored)
        self._claims: dict[int, list[int]] = {}
        self.seen = SeenSet()
        self._changes: dict[int, Changes] = {}
        self.operations = 0

    # Loading ------------------------------------------------------------------------------------

    def load(self, loaded: Loaded, wall: float) -> None:
        """Start from what a store holds, before anything else is added.

        Failed rows whose time has come wait again.
        """
        collecting = gc.isenabled()
        gc.disable()  # a million small objects are made and none dies: nothing to collect
        try:
            self.seen.load(loaded.seen)
            sites = [self._site(name) for name in loaded.sites]
            self._load_waiting(sites, loaded)
            self._load_aside(sites, loaded.aside, wall)
            self._next_sequence = max(self._next_sequence, loaded.next_sequence)
            for site in sites:
                self._schedule(site)
        finally:
            if collecting:
                gc.enable()

    def _load_waiting(self, sites: Sequence[Site], loaded: Loaded) -> None:
        for number, level, sequences in loaded.runs:
            sites[number].queue_of(self._index(level)).extend(sequences)
        order = self.exploration
        for number, folder, level, promises in loaded.folders:
            site = sites[number]
            if order:
                site.exploring += len(promises)
                order.extend(site.number, site.name, folder, promises)
            else:
                ascending = sorted(promise & PROMISE_MASK for promise in promises)
                site.queue_of(self._index(level)).extend(ascending)
        for sequence, number, level, priority, lane in loaded.places:
            site = sites[number]
            if lane and order:
                site.exploring += 1
                order.add(sequence, site.number, site.name, *Lane.unpacked(lane))
            else:
                site.queue_of(self._index(level)).push(order_of(sequence, priority))
        for site in sites:
            for index, queue in site.queues.items():
                site.waiting += len(queue)
                self._lengths[index] += len(queue)

    def _load_aside(self, sites: Sequence[Site], rows: Iterable[Aside], wall: float) -> None:
        for sequence, number, level, priority, state, next_try, lane in rows:
            order = order_of(sequence, priority)
            place = (sites[number], self._index(level), order, lane)
            if state == PARKED:
                self._parked += 1
            elif next_try is not None and next_try > wall:
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
        self._queue_again(sequence, waiting, self._site(waiting.site))
        return sequence

    def _enqueue(self, waiting: Waiting) -> Changes:
        # Done for every new link of every page: what _put and Row(...) would do, in one place.
        sequence = self._next_sequence
        self._next_sequence = sequence + 1
        site = self._by_name.get(waiting.site) or self._site(waiting.site)
        row = tuple.__new__(Row, (sequence, waiting, WAITING, 0, 0.0, None, ""))
        self._rows.fresh[sequence] = row
        changes = self._changes_of(site)
        changes.added.append(row)
        if waiting.explore and self.exploration:
            self._explore(site, sequence, Lane.of(waiting), self.exploration)
            return changes
        priority = waiting.priority
        order = order_of(sequence, priority) if priority else sequence
        level = self._index(waiting.level)
        queue = site.queues.get(level)
        if queue is None:
            queue = site.queues[level] = Queue()
        queue.push(order)
        site.waiting += 1
        self._lengths[level] += 1
        if queue.head == order:  # else the one before it is listed, or will be
            self._schedule_level(site, level, queue)
        return changes

    def _queue_again(self, sequence: int, waiting: Waiting, site: Site) -> None:
        lane = Lane.of(waiting).packed() if waiting.explore else 0
        order = order_of(sequence, waiting.priority)
        self._put(site, self._index(waiting.level), order, lane)

    def _put(self, site: Site, level: int, order: int, lane: int) -> None:
        if lane and self.exploration:
            self._explore(site, sequence_of(order), Lane.unpacked(lane), self.exploration)
        else:
            self._push(site, level, order)

    def _explore(self, site: Site, sequence: int, lane: Lane, order: Order) -> None:
        order.add(sequence, site.number, site.name, *lane)
        site.exploring += 1
        if self._may_be_asked(site):
            order.wake(site.number)

    def _push(self, site: Site, level: int, order: int) -> None:
        queue = site.queue_of(level)
        queue.push(order)
        site.waiting += 1
        self._lengths[level] += 1
        if queue.head == order:
            self._schedule_level(site, level, queue)

    # Taking -------------------------------------------------------------------------------------

    def take(self, now: float, wall: float) -> Row | None:
        """Take the next URL whose site may be asked now; None when there is none (A7).

        Exploration has its turn after returned pages and known sources, and takes what the levels
        leave.
        """
        self._advance(now, wall)
        for level in self.order.first():
            site = self._head(level) if self._ready[level] else None
            if site is not None:
                return self._take_from(site, level, now)
        if self.exploration is None:
            return self._take_by_level(now, wall)
        row = self._take_in_turn(now, wall) if self._turns.is_due else None
        return row or self._take_by_level(now, wall) or self._take_exploring(now, wall)

    def _take_in_turn(self, now: float, wall: float) -> Row | None:
        """Take an exploring URL unless a known source is ready: sources stand one below the top."""
        if self.rules.levels > 1 and self._head(self.rules.levels - 2) is not None:
            return None
        return self._take_exploring(now, wall)

    def _take_by_level(self, now: float, wall: float) -> Row | None:
        overdue = self.order.overdue_before(wall)
        if overdue:
            site = self._head(0)
            if site is not None and self._is_before(site, overdue):
                return self._take_from(site, 0, now)
        level = self.order.heaviest(self._lengths, self._busy)
        site = self._head(level)
        if site is not None:
            return self._take_from(site, level, now)
        for level in self.order.by_weight(self._lengths, self._busy):
            site = self._head(level)
            if site is not None:
                return self._take_from(site, level, now)
        return None

    def _is_before(self, site: Site, overdue: int) -> bool:
        head = site.queues[0].head
        return head is not None and sequence_of(head) < overdue

    def _head(self, level: int) -> Site | None:
        """Return the ready site whose URL of this level came first, dropping stale entries."""
        ready = self._ready[level]
        now = self._now
        while ready:
            code = ready[0]
            site = self._sites[code & SITE_MASK]
            queue = site.queues.get(level)
            order = code >> SITE_BITS
            if queue is None or queue.head != order:
                heappop(ready)
                if queue is not None and queue.listed == order:
                    queue.listed = None
                    self._schedule_level(site, level, queue)
                continue
            if site.active >= site.politeness.concurrency or site.ready_at > now:
                heappop(ready)
                queue.listed = None
                self._set_timer(site)
                continue
            held = self.gate(site.name)
            if held > 0:
                site.ready_at = now + held
                continue
            return site
        return None

    def _take_from(self, site: Site, level: int, now: float) -> Row:
        queue = site.queues[level]
        heappop(self._ready[level])
        queue.listed = None
        sequence = sequence_of(queue.pop())
        if queue.head is None:
            del site.queues[level]
        site.waiting -= 1
        self._lengths[level] -= 1
        row = self._rows.ahead.pop(sequence, None) or self._row(sequence, level)
        self._fly(InFlight(row, site, level), now)
        self.order.served(level)
        return row

    def _take_exploring(self, now: float, wall: float) -> Row | None:
        """Take the next URL of the order."""
        picked = self.exploration.pick(self._is_ready, wall) if self.exploration else None
        if picked is None:
            return None
        sequence, number = picked
        site = self._sites[number]
        site.exploring -= 1
        row = self._row(sequence, NO_LEVEL)
        level = self._index(row.waiting.level)
        self._fly(InFlight(row, site, level, explores=True), now)
        self.order.passed()
        return row

    def _fly(self, flight: InFlight, now: float) -> None:
        """Note that a URL is on its way, and ask its site nothing more for now."""
        site = flight.site
        politeness = site.politeness
        site.active += 1
        self._busy[flight.level] += 1
        self._in_flight[flight.row.sequence] = flight
        if politeness.delay:
            site.ready_at = now + politeness.pause(self._luck())
        if site.active < politeness.concurrency and (site.waiting or site.exploring):
            self._schedule(site)
        if self.exploration:
            self._turns.taken(exploring=flight.explores)

    def _is_ready(self, number: int) -> bool:
        """Tell the order whether a site may be asked now; when not, it will be woken."""
        site = self._sites[number]
        if not self._may_be_asked(site):
            return False
        held = self.gate(site.name)
        if held > 0:
            site.ready_at = self._now + held
            self._set_timer(site)
            return False
        return True

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
        due. With one request at a time the pause counts from the end of the answer, so that two
        requests never arrive closer than the delay however long the first one was on its way.
        """
        flight = self._in_flight.get(sequence)
        if flight is None or flight.released:
            return
        flight.released = True
        self._free(flight, now, asked=asked)

    def _free(self, flight: InFlight, now: float, *, asked: bool = True) -> None:
        site = flight.site
        site.active -= 1
        self._busy[flight.level] -= 1
        self._now = max(self._now, now)
        if site.politeness.concurrency == 1:
            if not asked:
                site.ready_at = flight.ready_before
            elif site.politeness.delay:
                site.ready_at = max(site.ready_at, now + site.politeness.pause(self._luck()))
        if site.waiting or site.exploring:
            self._schedule(site)

    def acknowledge(self, sequence: int, now: float) -> None:
        """End a URL: it is done, its row goes with the next commit."""
        flight = self._land(sequence)
        if not flight.released:
            self._free(flight, now)
        changes = self._changes_of(self._home(flight))
        if sequence in self._claims:
            changes.seen.extend(self._claims.pop(sequence))
        if self._rows.forget(sequence):
            changes.removed.append(sequence)

    def put_back(self, sequence: int, now: float, site: str | None = None) -> None:
        """Queue a URL in flight again as the same row: a retry, or a redirect to ``site``."""
        self.release(sequence, now)
        flight = self._land(sequence)
        goes_to = flight.site if site is None else self._site(site)
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
        site = self._site(row.waiting.site)
        self._store(row._replace(state=WAITING, reason=""), site)
        self._parked -= 1
        self._queue_again(row.sequence, row.waiting, site)

    def set_level(self, row: Row, level: int) -> bool:
        """Move a waiting URL to another level (1 …); False when it is not waiting.

        Of one that explores the level is only noted: its order is no matter of levels.
        """
        site = self._site(row.waiting.site)
        if row.waiting.explore and self.exploration:
            gone = row.sequence in self._in_flight or row.sequence in self._failed
            if not gone and row.state != PARKED:
                self._store(row._replace(waiting=row.waiting._replace(level=level)), site)
                return True
            return False
        order = order_of(row.sequence, row.waiting.priority)
        index = self._index(row.waiting.level)
        queue = site.queues.get(index)
        if queue is None or not queue.remove(order):
            return False
        if not queue:
            del site.queues[index]
        site.waiting -= 1
        self._lengths[index] -= 1
        self._store(row._replace(waiting=row.waiting._replace(level=level)), site)
        self._push(site, self._index(level), order)
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
        site = self._site(name)
        site.politeness = politeness
        self._schedule(site)  # it may take more at once than before

    def politeness_of(self, name: str) -> Politeness:
        """Return how a site is treated now."""
        return self._site(name).politeness

    def block(self, name: str, until: float) -> None:
        """Ask a site nothing before ``until`` (steady time)."""
        site = self._site(name)
        site.ready_at = max(site.ready_at, until)
        self._schedule(site)

    # Looking ------------------------------------------------------------------------------------

    def next_wakeup(self, now: float, wall: float) -> float | None:
        """Return in how many seconds a URL may become ready; None when none will by waiting.

        0 means one is ready now. A URL behind a site that is busy is not counted: the end of that
        fetch is an event of its own.
        """
        self._advance(now, wall)
        if any(self._head(level) is not None for level in range(self.rules.levels)):
            return 0.0
        if self.exploration and self.exploration.waits(self._is_ready, wall):
            return 0.0
        waits = []
        if self._timers:
            waits.append(self._timers[0][0] - now)
        if self._retries:
            waits.append(self._retries[0][0] - wall)
        return max(0.0, min(waits)) if waits else None

    def counts(self) -> Counts:
        """Return how many URLs are in each state; what the order keeps back counts as parked."""
        exploring, held = self.exploration.counts() if self.exploration else (0, 0)
        return Counts(
            waiting=sum(self._lengths) + exploring,
            in_flight=len(self._in_flight),
            failed=len(self._failed),
            parked=self._parked + held,
            known=len(self.seen),
        )

    def lengths(self) -> list[int]:
        """Return the number of waiting URLs of each level, level 1 first, without exploration's."""
        return list(self._lengths)

    # Storing ------------------------------------------------------------------------------------

    def remember(self, state: PageState) -> None:
        """Store a page's state with the next commit."""
        self._changes_of(self._site(state.site)).pages.append(state)
        self.operations += 1

    def remembered(self, keys: Iterable[bytes]) -> dict[bytes, PageState]:
        """Return those of some pages whose states wait for the next commit."""
        wanted = set(keys)
        pages = (state for changes in self._changes.values() for state in changes.pages)
        return {state.key: state for state in pages if state.key in wanted}

    def note_site(self, name: str, part: str, value: object) -> None:
        """Store one idea's part of a site's record with the next commit."""
        site = self._site(name)
        self._changes_of(site).sites.setdefault(name, {})[part] = value

    def note_fact(self, kind: str, key: str, value: object) -> None:
        """Store a fact of the whole topic with the next commit; it lives in partition 0."""
        self._changes.setdefault(0, Changes()).facts[kind, key] = value

    def drain(self) -> dict[int, Changes]:
        """Hand over everything since the last call; the caller commits it, then says so."""
        changes, self._changes = self._changes, {}
        self._rows.drained()
        self.operations = 0
        return changes

    def committed(self) -> None:
        """Say that everything handed over is in the store now."""
        self._rows.committed()

    def next_sequence(self) -> int:
        """Return the number the next URL will get."""
        return self._next_sequence

    # Inside -------------------------------------------------------------------------------------

    def _index(self, level: int) -> int:
        return level - 1 if 0 < level <= self._top else min(max(level, 1), self._top) - 1

    def _site(self, name: str) -> Site:
        site = self._by_name.get(name)
        if site is None:
            site = Site(name, len(self._sites), self._politeness(name))
            self._sites.append(site)
            self._by_name[name] = site
        return site

    def _home(self, flight: InFlight) -> Site:
        """Return the site under which a row is stored; a redirect may fetch it from another."""
        return self._site(flight.row.waiting.site)

    def _changes_of(self, site: Site) -> Changes:
        self.operations += 1
        if site.partition == UNKNOWN:  # asked late: most sites of a large crawl rest all day
            site.partition = self._partition_of(site.name)
        changes = self._changes.get(site.partition)
        if changes is None:
            changes = self._changes[site.partition] = Changes()
        return changes

    def _store(self, row: Row, site: Site) -> None:
        if row.sequence in self._rows.volatile:
            self._rows.volatile[row.sequence] = row
            return
        self._rows.replace(row)
        self._changes_of(site).moved.append(row)

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
        self._now = max(self._now, now)
        retries = self._retries
        while retries and retries[0][0] <= wall:
            _, sequence = heappop(retries)
            self._put(*self._failed.pop(sequence))
        timers = self._timers
        while timers:
            at, number = timers[0]
            site = self._sites[number]
            if site.timer != at or not (site.waiting or site.exploring):
                heappop(timers)
                if site.timer == at:
                    site.timer = None
                continue
            if at > self._now:
                break
            heappop(timers)
            site.timer = None
            self._schedule(site)

    def _schedule(self, site: Site) -> None:
        """List the heads of a site's queues as ready, or see to it that they will be."""
        if not (site.waiting or site.exploring) or not self._may_be_asked(site):
            return
        if site.exploring and self.exploration:
            self.exploration.wake(site.number)
        for level, queue in site.queues.items():
            if queue.listed is None or queue.head != queue.listed:
                self._list(site, level, queue)

    def _schedule_level(self, site: Site, level: int, queue: Queue) -> None:
        if self._may_be_asked(site):
            self._list(site, level, queue)

    def _may_be_asked(self, site: Site) -> bool:
        """Whether a site is ready; sets its timer when it will be by waiting."""
        if site.active >= site.politeness.concurrency:
            return False
        if site.ready_at > self._now:
            self._set_timer(site)
            return False
        return True

    def _list(self, site: Site, level: int, queue: Queue) -> None:
        head = queue.head
        if head is not None and (queue.listed is None or head < queue.listed):
            queue.listed = head
            heappush(self._ready[level], (head << SITE_BITS) | site.number)

    def _set_timer(self, site: Site) -> None:
        if site.active >= site.politeness.concurrency:
            return
        if site.timer is None or site.ready_at < site.timer:
            site.timer = site.ready_at
            heappush(self._timers, (site.ready_at, site.number))
