"""The choice of the next URL: which level or order has its turn, and which of its ready sites (A7)."""

from __future__ import annotations

from collections.abc import Collection

from focuscrawl.frontier.levels import LevelOrder
from focuscrawl.frontier.lines import Lines, Site
from focuscrawl.frontier.order import Order, Turns
from focuscrawl.frontier.rows import Rows
from focuscrawl.store.protocol import Row

NO_LEVEL = -1
"""The index of no level: a row is read alone, for an order takes them from all over."""


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


class Picker:
    """Takes URLs out of ``lines`` or of ``exploration``, whose share of the picks is ``turns``.

    ``order`` says which level comes first. ``in_flight`` are the sequence numbers of URLs that were
    taken already.
    """

    def __init__(
        self,
        lines: Lines,
        rows: Rows,
        order: LevelOrder,
        in_flight: Collection[int],
        exploration: Order | None,
        turns: Turns,
    ) -> None:
        self._lines = lines
        self._rows = rows
        self._order = order
        self._in_flight = in_flight
        self._exploration = exploration
        self._turns = turns

    def pick(self, wall: float) -> InFlight | None:
        """Take out the next URL whose site may be asked now; None when there is none.

        Exploration has its turn after returned pages and known sources, and takes what the levels
        leave.
        """
        lines = self._lines
        for level in self._order.first():
            site = lines.head(level) if lines.has(level) else None
            if site is not None:
                return self._from_level(site, level)
        if self._exploration is None:
            return self._by_level(wall)
        picked = self._in_turn(self._exploration, wall) if self._turns.is_due else None
        return picked or self._by_level(wall) or self._exploring(self._exploration, wall)

    def _in_turn(self, exploration: Order, wall: float) -> InFlight | None:
        """Take an exploring URL unless a known source is ready: sources stand one below the top."""
        levels = self._order.rules.levels
        if levels > 1 and self._lines.head(levels - 2) is not None:
            return None
        return self._exploring(exploration, wall)

    def _by_level(self, wall: float) -> InFlight | None:
        lines, order = self._lines, self._order
        levels = lines.with_any()
        if not levels:
            return None
        overdue = order.overdue_before(wall)
        if overdue:
            site = lines.head(0)
            if site is not None and site.is_before(0, overdue):
                return self._from_level(site, 0)
        # Mostly it is one, and its weight decides nothing.
        level = levels[0] if len(levels) == 1 else order.heaviest(lines.lengths, lines.busy)
        site = lines.head(level)
        if site is not None:
            return self._from_level(site, level)
        for level in order.by_weight(lines.lengths, lines.busy):
            site = lines.head(level)
            if site is not None:
                return self._from_level(site, level)
        return None

    def _from_level(self, site: Site, level: int) -> InFlight:
        sequence = self._lines.pop(site, level)
        row = self._rows.ahead.pop(sequence, None) or self._row(sequence, level)
        self._order.served(level)
        if self._exploration:
            self._turns.taken(exploring=False)
        return InFlight(row, site, level)

    def _exploring(self, exploration: Order, wall: float) -> InFlight | None:
        """Take the next URL of the order of exploration."""
        lines = self._lines
        picked = exploration.pick(lines.is_ready, wall)
        if picked is None:
            return None
        sequence, number = picked
        site = lines.by_number[number]
        site.exploring -= 1
        row = self._row(sequence, NO_LEVEL)
        self._order.passed()
        self._turns.taken(exploring=True)
        return InFlight(row, site, lines.index(row.waiting.level), explores=True)

    def _row(self, sequence: int, level: int) -> Row:
        row = self._rows.at_hand(sequence)
        if row is None:
            row = self._rows.read(sequence, level + 1, self._in_flight)
        if row is None:
            raise LookupError(f"the store has lost row {sequence}")
        return row
