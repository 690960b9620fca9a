"""The frontier: which URL is fetched next, and what is still to do.

A URL is waiting, in flight, failed, parked or done. The frontier keeps waiting URLs as numbers in
memory and gathers every change for the store's next commit; taking a URL changes nothing there,
so a crash brings back all that was in flight. Times given to it come from two clocks: ``now`` is
steady time (politeness), ``wall`` is wall time (retries, ages).
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf
from typing import Any, NamedTuple, Protocol

from focuscrawl.frontier.levels import LevelOrder, Turns
from focuscrawl.frontier.lines import (
    ROW_BYTES,
    CrowdedSites,
    Lines,
    Order,
    Politeness,
    Site,
    ignore_given_back,
    ignore_taken,
    no_gate,
)
from focuscrawl.frontier.queue import order_of, sequence_of
from focuscrawl.frontier.retries import Failures, retry
from focuscrawl.frontier.rows import WHOLE_TOPIC, GatheredChanges, Rows
from focuscrawl.frontier.seen import SeenSet
from focuscrawl.frontier.site_clock import SiteClock
from focuscrawl.stores.state.protocol import (
    FAILED,
    ORDER_SCHEME,
    PARKED,
    PARTITIONS,
    WAITING,
    Aside,
    Changes,
    InboxBatch,
    Loaded,
    Row,
    SentLink,
)
from focuscrawl.urls.sites import ALL_PARTITIONS, KEY_BITS, Partitions, partition_of
from focuscrawl.values import PROMISE_BITS, PROMISE_MASK, Lane, PageState, Waiting

MEASURED = "measured"
"""The kind of the facts that hold what the frontier measures."""


class SequenceNumbers(Protocol):
    """Where numbers come from when several processes number the URLs of one crawl (``Store``)."""

    def draw(self) -> range:
        """Return numbers that no other process gets; none when none are at hand."""

    def top(self) -> int:
        """Return a number above all that any process has drawn."""


class QueueCounts(NamedTuple):
    """How many URLs are where."""

    waiting: int
    in_flight: int
    failed: int
    parked: int
    known: int


class InFlight:
    """A URL that was taken; ``level`` is the index of its level (0 = level 1).

    ``ready_before`` is since when its site was ready. ``explores``: it came from the order.
    ``released``: its site is free again. ``is_lost``: its partition was released meanwhile, and its row
    belongs to another process.
    """

    __slots__ = ("explores", "is_lost", "level", "ready_before", "released", "row", "site")

    def __init__(self, row: Row, site: Site, level: int, explores: bool) -> None:
        self.row = row
        self.site = site
        self.level = level
        self.ready_before = site.ready_at
        self.explores = explores
        self.released = self.is_lost = False


class Frontier:
    """Weighted multi-level queues over a store's rows (method A).

    ``order`` returns the level to serve next, ``politeness`` how a site is treated, ``partition_of`` where
    its rows live. ``stored`` reads a row back from the store (``Store.read``), ``random`` draws from 0 … 1.
    ``gate`` may hold a site back that looks ready: it returns the seconds to wait, 0 to let it pass.

    It holds all partitions until ``release`` lets some of them go. It sends URLs of others to their holders,
    and ``arrived`` takes the links that those send. ``added``, if set, is called with each URL that begins to
    wait here, ``ordered`` with a person's order about a site. With ``numbers`` other processes work on the same
    crawl: it begins with no partition, and while it has no number left, it sends all URLs, its own, too.
    """

    def __init__(
        self,
        order: LevelOrder,
        *,
        politeness: Callable[[str], Politeness],
        partition_of: Callable[[str], int],
        stored: Callable[[int, int], Row | None],
        random: Callable[[], float],
        # a hiccup, a restart, a short outage; what fails longer waits for the next run
        retry_waits: tuple[float, ...] = (60.0, 600.0, 3600.0),
        gate: Callable[[str], float] = no_gate,
        numbers: SequenceNumbers | None = None,
        most_waiting: float = inf,
    ) -> None:
        self.crowded = CrowdedSites(most_waiting)
        self.crowded_out = 0
        self._few = self.crowded.few
        self.order = order
        self.rules = rules = order.rules
        self.factor = order.factor
        self.exploration: Order | None = None
        self.seen = SeenSet()
        self._lines = Lines(rules.levels, politeness=politeness, random=random, gate=gate)
        self._lines.asked_before = self._asked_before
        self._rows = Rows()
        self._stored = stored
        self._gathered = GatheredChanges(partition_of)
        self._numbers = numbers
        self._open = self._takes_in = Partitions() if numbers else ALL_PARTITIONS
        self._gathered.held = self._open
        self._sent = SeenSet()
        self.arrived: Callable[[Waiting, int], bool] = self.add
        self.added: Callable[[Waiting], None] | None = None
        self.ordered: Callable[[str, str], None] | None = None
        self.retry_waits = retry_waits
        self._next_sequence, self._no_number = (0, 0) if numbers else (1, 1 << PROMISE_BITS)
        self._unclean: dict[int, float] = {}
        self._in_flight: dict[int, InFlight] = {}
        self._come_back: set[int] = set()
        self._claims: dict[int, list[int]] = {}
        self._failed = Failures()
        self._parked: Counter[int] = Counter()
        self._turns = Turns(0.0)
        self._clock = SiteClock()
        self._wake: Callable[[], object] = _wake_none
        self._clock.join(self)

    def explore_by(self, order: Order, share: float) -> None:
        """Let URLs that lead into the unknown wait in an order; call it before anything waits.

        They get at most ``share`` of the picks while others are ready; without an order they wait in
        the levels like all others.
        """
        self.exploration = self._lines.exploration = order
        self._rows.explores = True
        self._turns = Turns(share)

    @property
    def gate(self) -> Callable[[str], float]:
        """What may hold a site back that looks ready."""
        return self._lines.gate

    @gate.setter
    def gate(self, gate: Callable[[str], float]) -> None:
        self._lines.gate = gate

    # Waiting --------------------------------------------------------------------------------------

    def load(
        self,
        loaded: Loaded,
        wall: float,
        *,
        now: float = 0.0,
        partitions: Partitions = ALL_PARTITIONS,
        anew: bool = True,
    ) -> None:
        """Take in what a store holds of partitions that were taken, before anything of them is added.

        Failed rows whose time has come wait again; when a run begins (``anew``) those, too, that were
        left to it.
        """
        kept = self._gathered.hold(partitions)
        if lost := {sequence for sequence, one in self._in_flight.items() if one.is_lost}:
            loaded = self._without(lost, loaded)
        self._open = Partitions(self._open | partitions)
        for partition in partitions:
            self._unclean.pop(partition, None)
        self._unclean |= {one: now + seconds for one, seconds in loaded.unclean.items()}
        collecting = gc.isenabled()
        gc.disable()  # a million small objects are made and none dies: nothing to collect
        try:
            self.seen.load(loaded.seen)
            sites = self._lines.load(loaded)
            self._load_aside(sites, loaded.aside, wall, anew)
            if self._numbers is None:
                self._next_sequence = max(self._next_sequence, loaded.next_sequence)
            self._pause(loaded, now)
            for site in sites:
                self._lines.schedule(site)
                if site.waiting + site.exploring > self._few:
                    self.crowded.grew(site, 0)
        finally:
            if collecting:
                gc.enable()
        self.number()
        for partition, batches in loaded.inbox.items():
            for batch in batches:
                self.take_in(partition, batch)
        self._add_each(kept)

    def _without(self, lost: Collection[int], loaded: Loaded) -> Loaded:
        """Leave out URLs that are in flight since before their partition was lost: they wait again
        when that flight has ended, whose result is dropped.
        """

        def is_free(sequence: int) -> bool:
            if sequence in lost:
                self._come_back.add(sequence)
            return sequence not in lost

        def is_free_promise(promise: int) -> bool:
            return is_free(promise & PROMISE_MASK)

        runs = (one._replace(sequences=[*filter(is_free, one.sequences)]) for one in loaded.runs)
        folders = (
            one._replace(promises=[*filter(is_free_promise, one.promises)])
            for one in loaded.folders
        )
        return replace(
            loaded,
            runs=(one for one in runs if one.sequences),
            folders=(one for one in folders if one.promises),
            places=(one for one in loaded.places if is_free(one.sequence)),
            aside=(one for one in loaded.aside if is_free(one.sequence)),
        )

    def number(self) -> None:
        """Take new sequence numbers when none is left; as long as there are none, nothing is taken in."""
        if self._numbers and self._next_sequence >= self._no_number:
            drawn = self._numbers.draw()
            self._next_sequence, self._no_number = drawn.start, drawn.stop
        has_some = self._next_sequence < self._no_number
        self._takes_in = self._open if has_some else Partitions()

    def _pause(self, loaded: Loaded, now: float) -> None:
        """Keep the pauses of sites in partitions just taken, as their last holder would have done."""
        lines = self._lines
        for name, seconds in loaded.pauses.items():
            site = lines.site(name)
            site.ready_at = max(site.ready_at, now + seconds)
        for site in lines.by_number if loaded.unclean else ():
            if self._gathered.home(site) in loaded.unclean:
                left_until = self._asked_before(site.name, site.politeness)
                site.ready_at = max(site.ready_at, left_until)

    def _asked_before(self, name: str, politeness: Politeness) -> float:
        """Return until when a site is left that a lost holder may have asked without a record of it."""
        taken = self._unclean.get(partition_of(name)) if self._unclean else None
        return 0.0 if taken is None else taken + politeness.pause(1.0)

    def pauses_of(self, partitions: Partitions, now: float) -> dict[str, float]:
        """Return for how many seconds the sites of some partitions are still to be left."""
        found: dict[str, float] = {}
        for site in self._lines.by_number:
            if site.active or site.ready_at > now:
                whole = site.politeness.pause(1.0) if site.active else 0.0
                left = max(site.ready_at - now, whole)
                if left > 0 and self._gathered.home(site) in partitions:
                    found[site.name] = left
        return found

    def expect(self, partitions: Partitions, *, hears_inboxes: bool) -> None:
        """Gather changes of partitions that are being taken, before they are loaded.

        Links into them go to their inboxes when this process ``hears_inboxes``, and reach it once they
        are loaded; else they are kept until then.
        """
        gathered = self._gathered
        gathered.expected = Partitions(gathered.expected | partitions)
        if not hears_inboxes:
            gathered.unheard = Partitions(gathered.unheard | partitions)

    def send_again(self) -> None:
        """Take no link into others' partitions for known any more."""
        self._sent.leave(ALL_PARTITIONS)

    def close(self, partitions: Partitions) -> None:
        """Take in no more URLs of some partitions, which are about to be released."""
        self._open = Partitions(self._open - partitions)
        self.number()

    def is_busy(self, partitions: Partitions) -> bool:
        """Whether a URL of some partitions is in flight."""
        flights = self._in_flight.values()
        return any(self._gathered.home(self._home(one)) in partitions for one in flights)

    def busy_partitions(self) -> Counter[int]:
        """Count the URLs in flight by partition."""
        flights = self._in_flight.values()
        return Counter(self._gathered.home(self._home(one)) for one in flights)

    def partitions_at_work(self, most_sites: int) -> set[int]:
        """Return the partitions of sites that have URLs, of so many sites at most."""
        sites = (one for one in self._lines.by_number if one.waiting or one.exploring or one.active)
        return {self._gathered.home(site) for site in islice(sites, most_sites)}

    def is_lost(self, sequence: int) -> bool:
        """Whether a URL was taken whose partition was let go of meanwhile."""
        flight = self._in_flight.get(sequence)
        return flight is not None and flight.is_lost

    def lose_flights(self, partitions: Partitions) -> None:
        """Let the URLs of some partitions that are in flight end without a trace."""
        for sequence, flight in self._in_flight.items():
            if self._gathered.home(self._home(flight)) in partitions:
                flight.is_lost = True
                self._claims.pop(sequence, None)
                self._come_back.discard(sequence)

    def release(self, partitions: Partitions) -> None:
        """Let go of some partitions. What was gathered of them goes with the next commit only if it is
        for their inboxes; a URL of theirs in flight ends without a trace.
        """
        self.close(partitions)
        self._gathered.release(partitions)
        self.send_again()  # what was sent may have been lost with them
        self.lose_flights(partitions)
        sites = {site for site in self._lines.by_number if self._gathered.home(site) in partitions}
        for site in sites:
            self._lines.leave(site)
            self.crowded.leave(site)
        self._failed.leave(sites)
        self._rows.leave(partitions)
        self.seen.leave(partitions)
        for numbers in self._claims.values():
            numbers[:] = [number for number in numbers if number >> KEY_BITS not in partitions]
        for partition in partitions:
            del self._parked[partition]
        for sequence, row in self._rows.volatile.items():  # no other process can ask for them
            if sequence not in self._in_flight and partitions.has(row.waiting.site):
                self._queue_again(sequence, row.waiting, self._lines.site(row.waiting.site))

    def _load_aside(
        self, sites: Sequence[Site], rows: Iterable[Aside], wall: float, anew: bool
    ) -> None:
        latest = wall + max(self.retry_waits, default=0.0)  # else a clock ran ahead
        for sequence, number, level, priority, state, next_try, lane in rows:
            order = order_of(sequence, priority)
            place = (sites[number], self._lines.index(level), order, lane)
            if state == PARKED:
                self._parked[self._gathered.home(sites[number])] += 1
            elif not anew and next_try is None:
                self._failed.add(place, None)
            elif next_try is not None and wall < next_try <= latest:
                self._failed.add(place, next_try)
            else:
                self._put(*place)

    def take_in(self, partition: int, batch: InboxBatch) -> bool:
        """Add the URLs that others have sent together; False when their partition was let go of."""
        if partition not in self._open:
            return False
        self._gathered.at(partition).taken_in = batch.position
        self._add_each(batch.links)
        return True

    def _add_each(self, links: Iterable[SentLink]) -> None:
        for link in links:
            waiting, number = link
            if waiting.url.startswith(ORDER_SCHEME):
                if self.ordered is not None:
                    self.ordered(waiting.url.removeprefix(ORDER_SCHEME), waiting.site)
            elif (
                self._open and not self._takes_in
            ):  # no number left: past the filter, which knows it
                self._gathered.send(partition_of(waiting.site), link)
            elif number and waiting.site in self.crowded:
                self.crowded_out += 1
            elif number:
                self.arrived(waiting, number)
            else:
                self.add_again(waiting)

    @property
    def leads(self) -> bool:
        """Whether what belongs to the whole topic is kept, and done, by this process."""
        return WHOLE_TOPIC in self._open

    @property
    def share(self) -> float:
        """The part of all sites that this process may ask, from 0 to 1."""
        return len(self._open) / PARTITIONS

    def holds(self, site: str) -> bool:
        """Whether a site may be asked by this process; else its URLs are sent."""
        return self._open.has(site)

    def add(self, waiting: Waiting, number: int) -> bool:
        """Add a URL under its 64-bit key number; False when it is known (A8).

        One of a partition that is not held is known when it was sent before.
        """
        if number >> KEY_BITS not in self._takes_in:
            is_new = self._sent.add(number)
            if is_new:
                self._gathered.send(number >> KEY_BITS, SentLink(waiting, number))
            return is_new
        if not self.seen.add(number):
            return False
        changes = self._enqueue(waiting)
        changes.seen.append(number)
        return True

    def add_again(self, waiting: Waiting) -> int:
        """Add a URL whether known or not: a revisit, a request that must not be filtered.

        Returns its sequence number; 0 when it was sent.
        """
        if not self._takes_in.has(waiting.site):
            self._gathered.send(partition_of(waiting.site), SentLink(waiting, 0))
            return 0
        sequence = self._next_sequence
        self._enqueue(waiting)
        return sequence

    def add_volatile(self, waiting: Waiting, number: int) -> int:
        """Add a URL that cannot be stored; it lives and dies with this process."""
        self.seen.add(number)
        sequence = self._own_number()
        self._rows.volatile[sequence] = Row(sequence, waiting)
        self._queue_again(sequence, waiting, self._lines.site(waiting.site))
        return sequence

    def _own_number(self) -> int:
        """Return a number for a URL that is never stored: without any left, one that is never drawn."""
        if self._next_sequence < self._no_number:
            sequence = self._next_sequence
            self._next_sequence += 1
            self.number()
            return sequence
        return PROMISE_MASK - len(self._rows.volatile)

    def unpark(self, row: Row) -> None:
        """Let a parked URL wait again."""
        site = self._lines.site(row.waiting.site)
        self._store(row._replace(state=WAITING, reason=""), site)
        self._parked[self._gathered.home(site)] -= 1
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

    # Taking -------------------------------------------------------------------------------------

    def take(self, now: float, wall: float) -> Row | None:
        """Take the next URL whose site may be asked now; None when there is none (A7).

        Its site is asked nothing more for now.
        """
        lines, order = self._lines, self.order
        lines.advance(now)
        if self._failed.retries:
            self._retry(wall)
        for level in order.first():
            if lines.ready[level] and (site := lines.head(level)) is not None:
                return self._from_level(site, level)
        if self.exploration is None:
            return self._by_weight(wall)
        row = None
        if self._turns.is_due:  # after returned pages and known sources; it takes what levels leave
            sources = order.rules.levels - 2  # they stand one below the top
            if sources < 0 or lines.head(sources) is None:
                row = self._exploring(self.exploration, wall)
        return row or self._by_weight(wall) or self._exploring(self.exploration, wall)

    def _by_weight(self, wall: float) -> Row | None:
        lines, order = self._lines, self.order
        if not any(lines.ready):
            return None
        if overdue := order.overdue_before(wall):
            site = lines.head(0)
            head = site.queue_of(0).head if site is not None else None
            if site is not None and head is not None and sequence_of(head) < overdue:
                return self._from_level(site, 0)
        level = order.heaviest(lines.lengths, lines.busy)
        site = lines.head(level)
        if site is not None:
            return self._from_level(site, level)
        for level in order.by_weight(lines.lengths, lines.busy):
            if lines.ready[level] and (site := lines.head(level)) is not None:
                return self._from_level(site, level)
        return None

    def _from_level(self, site: Site, level: int) -> Row:
        sequence = self._lines.pop(site, level)
        row = self._row(sequence, level + 1)
        self.order.served(level)
        if self.exploration:
            self._turns.taken(exploring=False)
        self._in_flight[sequence] = InFlight(row, site, level, False)
        self._lines.occupy(site, level)
        if site.name in self.crowded:
            self.crowded.shrank(site)
        return row

    def _exploring(self, exploration: Order, wall: float) -> Row | None:
        """Take the next URL of the order of exploration."""
        lines = self._lines
        picked = exploration.pick(lines.is_ready, wall)
        if picked is None:
            return None
        sequence, number = picked
        site = lines.by_number[number]
        site.exploring -= 1
        row = self._row(sequence, 0)  # alone, for an order takes them from all over
        self.order.passed()
        self._turns.taken(exploring=True)
        level = lines.index(row.waiting.level)
        self._in_flight[sequence] = InFlight(row, site, level, True)
        lines.occupy(site, level)
        if site.name in self.crowded:
            self.crowded.shrank(site)
        return row

    def _row(self, sequence: int, level: int) -> Row:
        row = self._rows.at_hand(sequence) or self._stored(sequence, level)
        if row is None:
            raise LookupError(f"the store has lost row {sequence}")
        return row

    # What became of a URL -----------------------------------------------------------------------

    def free(self, sequence: int, now: float, *, asked: bool = True) -> None:
        """Free a URL's site again, before or with the URL's end; counts once.

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
        if flight.is_lost:
            return
        changes = self._gathered.of(self._home(flight))
        for number in self._claims.pop(sequence, ()):  # it may be of another partition than its row
            self._gathered.at(number >> KEY_BITS).seen.append(number)
        if self._rows.forget(sequence):
            changes.removed.append(sequence)

    def put_back(self, sequence: int, now: float, site: str | None = None) -> None:
        """Queue a URL in flight again as the same row: a retry, or a redirect to ``site``."""
        self.free(sequence, now)
        flight = self._land(sequence)
        if flight.is_lost:
            return
        goes_to = flight.site if site is None else self._lines.site(site)
        self._queue_again(sequence, flight.row.waiting, goes_to)

    def fail(self, sequence: int, reason: str, now: float, wall: float) -> bool:
        """A fetch failed for good in this round; False when the URL is given up and done."""
        self.free(sequence, now)
        row = self._in_flight[sequence].row
        tries = row.tries + 1
        first_failed = row.first_failed or wall
        verdict = retry(tries, first_failed, wall, self.retry_waits)
        if verdict.give_up:
            self.acknowledge(sequence, now)
            return False
        flight = self._land(sequence)
        if flight.is_lost:
            return True
        for number in self._claims.pop(sequence, ()):
            self.seen.discard(number)
        row = row._replace(
            state=FAILED, tries=tries, first_failed=first_failed, next_try=verdict.at, reason=reason
        )
        home = self._home(flight)
        self._store(row, home)
        lane = Lane.of(row.waiting).packed() if row.waiting.explore else 0
        place = (home, flight.level, order_of(sequence, row.waiting.priority), lane)
        self._failed.add(place, verdict.at)
        return True

    def park(self, sequence: int, reason: str, now: float) -> None:
        """Set a URL in flight aside until ``unpark``."""
        self.free(sequence, now, asked=False)
        flight = self._land(sequence)
        if flight.is_lost:
            return
        home = self._home(flight)
        self._store(flight.row._replace(state=PARKED, reason=reason), home)
        self._parked[self._gathered.home(home)] += 1

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

    def has_ended(self, sequence: int) -> bool:
        """Whether a URL is done that waits in the store still, until its window is there."""
        return self._rows.has_ended(sequence)

    # Politeness ---------------------------------------------------------------------------------

    def set_politeness(self, name: str, politeness: Politeness) -> None:
        """Treat a site differently from now on."""
        site = self._lines.site(name)
        site.politeness = politeness
        site.ready_at = max(site.ready_at, self._asked_before(name, politeness))
        self._lines.schedule(site)  # it may take more at once than before

    def politeness_of(self, name: str) -> Politeness:
        """Return how a site is treated now."""
        return self._lines.site(name).politeness

    def block(self, name: str, until: float, *, for_all: bool = False) -> None:
        """Ask a site nothing before ``until`` (steady time); ``for_all``: nor may other crawls of the process."""
        self._lines.block(self._lines.site(name), until)
        if for_all:
            self._clock.block(name, until)

    # Several crawls of one process ----------------------------------------------------------------

    def ask_by(self, clock: SiteClock, wake: Callable[[], object]) -> None:
        """Take turns with other crawls from now on; ``wake`` is called when a site may be looked at again."""
        self._clock, self._wake = clock, wake
        self._lines.took = partial(clock.take, self)
        self._lines.gave_back = partial(clock.give_back, self)
        clock.join(self)

    def ask_no_more(self, now: float) -> None:
        """Leave all sites to the others."""
        self._lines.took, self._lines.gave_back = ignore_taken, ignore_given_back
        self._clock.leave(self, now)

    @property
    def crawls(self) -> int:
        """How many crawls of this process take turns, this one included."""
        return self._clock.number

    def wish(self, site: str) -> Politeness | None:
        """Return how it would treat a site; None when it has nothing to ask there."""
        found = self._lines.by_name.get(site)
        has_some = found is not None and (found.waiting or found.exploring or found.active)
        return found.politeness if found is not None and has_some else None

    def is_ready(self, name: str) -> bool:
        """Whether a site has a URL that could be asked for now."""
        site = self._lines.by_name.get(name)
        return (
            site is not None and bool(site.waiting or site.exploring) and self._lines.is_free(site)
        )

    def may_come(self, site: str) -> bool:
        """Look again at a site that was held back; False: it was not."""
        is_held = self._lines.open_again(site)
        if is_held:
            self._wake()
        return is_held

    def seconds_to_turn(self, site: str, now: float) -> float:
        """Return in how many seconds it is this crawl's turn at a site; 0: now."""
        return self._clock.wait(self, site, now)

    def is_left_alone(self, site: str, now: float) -> bool:
        """Whether a site has asked some crawl of this process to be left alone."""
        return self._clock.is_left_alone(site, now)

    # What goes to the store -----------------------------------------------------------------------

    @property
    def operations(self) -> int:
        """How much has gathered since the last commit."""
        return self._gathered.operations

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

    def knows_site(self, name: str) -> bool:
        """Whether a URL of a site has ever waited, as far as this run knows."""
        return name in self._lines.by_name

    def note_fact(self, kind: str, key: str, value: object, partition: int = WHOLE_TOPIC) -> None:
        """Store a fact with the next commit, with the partition of the site or page that it is about."""
        self._gathered.at(partition).facts[kind, key] = value

    def restore_measures(self, facts: Mapping[str, Any]) -> None:
        """Go on from what earlier runs measured, the facts of the kind MEASURED.

        What boards have shown is counted by the process that has led the crawl from its beginning.
        """
        if self.leads and not self.factor.elsewhere[1]:
            self.factor.restore(*facts.get("factor", (0.0, 0)))
        self.order.restore(facts.get("checkpoints", ()))

    def observe_board(self, new_links: int) -> None:
        """Count the new links of a board that was read again (A6)."""
        self.factor.observe(new_links)
        self.note_fact(MEASURED, "factor", self.factor.measured)

    def checkpoint(self, wall: float) -> None:
        """Note now and then up to which number URLs were added by when."""
        # Others may have numbers above ours, given at the same time.
        top = self._numbers.top() if self._numbers else self._next_sequence
        if self.order.checkpoint(wall, top):
            self.note_fact(MEASURED, "checkpoints", self.order.checkpoints())

    def drain(self) -> dict[int, Changes]:
        """Hand over everything since the last call; the caller commits it, then calls ``committed``."""
        self._rows.drained()
        return self._gathered.drain()

    def committed(self) -> None:
        """Note that everything handed over is in the store now."""
        self._rows.committed()

    # Looking ------------------------------------------------------------------------------------

    def next_wakeup(self, now: float, wall: float) -> float:
        """Return in how many seconds a URL may become ready; infinity: none will by waiting.

        0 means one is ready now. A URL behind a site that is busy is not counted: the end of that
        fetch is an event of its own.
        """
        self._lines.advance(now)
        self._retry(wall)
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
        return max(0.0, min(waits, default=inf))

    def pauses(self, now: float, wall: float) -> Iterator[tuple[str, float]]:
        """Go through the sites that pause though URLs wait for them: name, and for how long."""
        self._lines.advance(now)
        self._retry(wall)
        for site in self._lines.pausing():
            yield site.name, max(0.0, site.ready_at - now)

    def counts(self) -> QueueCounts:
        """Return how many URLs are in each state; what the order keeps back counts as parked."""
        exploring, held = self.exploration.counts() if self.exploration else (0, 0)
        return QueueCounts(
            waiting=sum(self._lines.lengths) + exploring,
            in_flight=len(self._in_flight),
            failed=len(self._failed),
            parked=self._parked.total() + held,
            known=len(self.seen),
        )

    def lengths(self) -> list[int]:
        """Return the number of waiting URLs of each level, level 1 first, without exploration's."""
        return list(self._lines.lengths)

    def next_sequence(self) -> int:
        """Return the number the next URL will get."""
        return self._next_sequence

    # Inside -------------------------------------------------------------------------------------

    def _home(self, flight: InFlight) -> Site:
        """Return the site under which a row is stored; a redirect may fetch it from another."""
        return self._lines.site(flight.row.waiting.site)

    def _land(self, sequence: int) -> InFlight:
        """Take a URL out of those in flight."""
        flight = self._in_flight.pop(sequence)
        if flight.explores and self.exploration:
            self.exploration.ended(sequence)
        if sequence in self._come_back:
            self._come_back.remove(sequence)
            self._queue_again(sequence, flight.row.waiting, self._home(flight))
        return flight

    def _retry(self, wall: float) -> None:
        """Let failed URLs that are due wait again."""
        retries = self._failed.retries
        while retries and retries[0][0] <= wall:
            self._put(*self._failed.pop())

    def _enqueue(self, waiting: Waiting) -> Changes:
        # Done for every new link of every page: tuple.__new__ is a third of the price of Row(…).
        sequence = self._next_sequence
        self._next_sequence = sequence + 1
        if sequence + 1 >= self._no_number:
            self.number()
        lines = self._lines
        site = lines.by_name.get(waiting.site) or lines.site(waiting.site)
        row = tuple.__new__(Row, (sequence, waiting, WAITING, 0, 0.0, None, ""))
        self._rows.fresh[sequence] = row
        changes = self._gathered.of(site)
        changes.added.append(row)
        if site.waiting + site.exploring > self._few:
            self.crowded.grew(site, len(waiting.url) + 3 * len(waiting.anchor) + ROW_BYTES)
        if self.added is not None:
            self.added(waiting)
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

    def _store(self, row: Row, site: Site) -> None:
        if row.sequence in self._rows.volatile:
            self._rows.volatile[row.sequence] = row
            return
        self._rows.replace(row)
        self._gathered.of(site).moved.append(row)


def _wake_none() -> None:
    """Do nothing: there is no engine yet."""
