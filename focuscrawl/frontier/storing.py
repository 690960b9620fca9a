"""What the store hears from the frontier: the lowest of the layers the frontier is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from focuscrawl.frontier.gathered import Gathered
from focuscrawl.frontier.lines import Lines
from focuscrawl.frontier.rows import Rows
from focuscrawl.frontier.sites import Site
from focuscrawl.frontier.weights import LevelOrder
from focuscrawl.store.protocol import Changes, Row
from focuscrawl.values import PageState

MEASURED = "measured"
"""The kind of the facts that hold what the frontier measures."""


class Storing:
    """Gathers what goes with the next commit: rows, states of pages, parts of sites, facts."""

    def __init__(self, lines: Lines, order: LevelOrder, rows: Rows, gathered: Gathered) -> None:
        self.order = order
        self.factor = order.factor
        self.rules = order.rules
        self._lines = lines
        self._rows = rows
        self._gathered = gathered
        self._next_sequence = 1

    @property
    def operations(self) -> int:
        """How much has gathered since the last commit."""
        return self._gathered.operations

    def next_sequence(self) -> int:
        """Return the number the next URL will get."""
        return self._next_sequence

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

    def note_fact(self, kind: str, key: str, value: object) -> None:
        """Store a fact of the whole topic with the next commit."""
        self._gathered.of_topic().facts[kind, key] = value

    def restore_measures(self, facts: Mapping[str, Any]) -> None:
        """Go on from what earlier runs measured, the facts of the kind MEASURED."""
        self.factor.total, self.factor.boards = facts.get("factor", (0.0, 0))
        self.order.restore(facts.get("checkpoints", ()))

    def observe_board(self, new_links: int) -> None:
        """Count the new links of a board that was read again (A6)."""
        self.factor.observe(new_links)
        self.note_fact(MEASURED, "factor", (self.factor.total, self.factor.boards))

    def checkpoint(self, wall: float) -> None:
        """Note now and then which URLs had come by when."""
        if self.order.checkpoint(wall, self._next_sequence):
            self.note_fact(MEASURED, "checkpoints", self.order.checkpoints())

    def drain(self) -> dict[int, Changes]:
        """Hand over everything since the last call; the caller commits it, then says so."""
        self._rows.drained()
        return self._gathered.drain()

    def committed(self) -> None:
        """Say that everything handed over is in the store now."""
        self._rows.committed()

    def _store(self, row: Row, site: Site) -> None:
        if row.sequence in self._rows.volatile:
            self._rows.volatile[row.sequence] = row
            return
        self._rows.replace(row)
        self._gathered.of(site).moved.append(row)
