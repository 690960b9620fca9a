"""The lane of exploration: who says which of its URLs is next, and how often it has its turn.

Known sources and what belongs to them wait in the level queues (method A). URLs that lead into
the unknown wait in an *order*, handed in by whoever puts the crawl together: the frontier knows
nothing of relevance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Order(Protocol):
    """Waiting URLs as numbers, and which of them is next.

    Sites are the frontier's numbers; the name is given for whoever keeps books by name. A site
    for which ``is_ready`` said no is left alone until ``wake``; after a pick its site counts as
    not ready. ``ended`` is called once for every URL picked.
    """

    def add(self, sequence: int, site: int, name: str, folder: int, score: int, step: int) -> None:
        """Let a URL wait; ``folder``, ``score``, ``step`` as in ``values.Lane``."""

    def extend(self, site: int, name: str, folder: int, promises: list[int]) -> None:
        """Let URLs of one folder wait, as ``values.Lane.promise`` has them: at a start, many."""

    def pick(self, is_ready: Callable[[int], bool], wall: float) -> tuple[int, int] | None:
        """Take the next URL of a ready site: (sequence, site); None when there is none."""

    def waits(self, is_ready: Callable[[int], bool], wall: float) -> bool:
        """Whether ``pick`` would return a URL."""

    def wake(self, site: int, *, busy: bool) -> None:
        """Hear that a site may be asked again; ``busy``: an earlier request to it has not ended."""

    def ended(self, sequence: int) -> None:
        """Hear that a URL that was picked is no longer in flight."""

    def counts(self) -> tuple[int, int]:
        """Return how many URLs wait, and how many are kept back for now (parked)."""


class Turns:
    """Bounds exploration to a share of the picks while the other lane has something ready."""

    def __init__(self, share: float) -> None:
        self.share = share
        self._credit = 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is exploration's turn."""
        return self._credit >= 1.0

    def taken(self, *, exploring: bool) -> None:
        """Count a pick."""
        if exploring:
            self._credit = max(0.0, self._credit - 1.0)
        # Turns that nobody could take are not saved up: at most two come in a row.
        self._credit = min(self._credit + self.share, 2.0)
