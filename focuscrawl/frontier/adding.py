"""URLs that wait: how they come into the frontier, and how they are moved before they are taken."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence

from focuscrawl.frontier.failures import Failures
from focuscrawl.frontier.flights import InFlight
from focuscrawl.frontier.gathered import Gathered
from focuscrawl.frontier.lines import Lines
from focuscrawl.frontier.loading import load_lines
from focuscrawl.frontier.order import Order
from focuscrawl.frontier.queue import order_of, sequence_of
from focuscrawl.frontier.rows import Rows
from focuscrawl.frontier.seen import SeenSet
from focuscrawl.frontier.sites import Site
from focuscrawl.frontier.storing import Storing
from focuscrawl.frontier.weights import LevelOrder
from focuscrawl.store.protocol import PARKED, WAITING, Aside, Changes, Loaded, Row
from focuscrawl.values import Lane, Waiting


class Adding(Storing):
    """Lets URLs wait in the lines or in ``exploration``, and knows which URLs there ever were."""

    def __init__(
        self,
        lines: Lines,
        order: LevelOrder,
        rows: Rows,
        gathered: Gathered,
        exploration: Order | None,
        retry_waits: tuple[float, ...],
    ) -> None:
        super().__init__(lines, order, rows, gathered)
        self._retry_waits = retry_waits
        self.seen = SeenSet()
        self.exploration = exploration
        self._in_flight: dict[int, InFlight] = {}
        self._failed = Failures()
        self._parked = 0

    def load(self, loaded: Loaded, wall: float) -> None:
        """Start from what a store holds, before anything else is added.

        Failed rows whose time has come wait again.
        """
        collecting = gc.isenabled()
        gc.disable()  # a million small objects are made and none dies: nothing to collect
        try:
            self.seen.load(loaded.seen)
            sites = load_lines(self._lines, loaded, self.exploration)
            self._load_aside(sites, loaded.aside, wall)
            self._next_sequence = max(self._next_sequence, loaded.next_sequence)
            for site in sites:
                self._lines.schedule(site)
        finally:
            if collecting:
                gc.enable()

    def _load_aside(self, sites: Sequence[Site], rows: Iterable[Aside], wall: float) -> None:
        latest = wall + max(self._retry_waits, default=0.0)  # else a clock ran ahead
        for sequence, number, level, priority, state, next_try, lane in rows:
            order = order_of(sequence, priority)
            place = (sites[number], self._lines.index(level), order, lane)
            if state == PARKED:
                self._parked += 1
            elif next_try is not None and wall < next_try <= latest:
                self._failed.add(place, next_try)
            else:
                self._put(*place)

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

    def lengths(self) -> list[int]:
        """Return the number of waiting URLs of each level, level 1 first, without exploration's."""
        return list(self._lines.lengths)
