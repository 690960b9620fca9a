"""What all processes of a crawl may have together, and how many of it this one may still have."""

from __future__ import annotations

from collections.abc import Callable

from focuscrawl.store.protocol import TicketsWanted

TICKETS_AHEAD = 16
"""Tickets that are drawn ahead at least: what is usually in flight at once."""


class Tickets:
    """Tickets for ``limit`` that may be counted under ``counter`` (0: any number), of which each process draws
    some ahead, and gives back what it does not use. An embedded crawl has all of them.

    ``used`` says how many of one's own are counted or about to be; ``reason`` ends a run that has all. Those of
    one that is gone are ``kept`` for so many seconds.
    """

    def __init__(
        self,
        counter: str,
        limit: int,
        reason: str,
        used: Callable[[], int],
        *,
        kept: float,
        is_shared: bool,
    ) -> None:
        self.counter = counter
        self.limit = limit
        self.reason = reason
        self.are_gone = False
        self.counted: Callable[[], int] = used
        """How many all have counted."""

        self._used = used
        self._kept = kept
        self._is_shared = is_shared
        self._granted = self._asked_for = self._used_before = 0

    @property
    def left(self) -> int:
        """How many may still be used; of no limit always one."""
        if not self.limit:
            return 1
        return (self._granted if self._is_shared else self.limit) - self._used()

    @property
    def may_go_on(self) -> bool:
        """Whether what may use one more may begin."""
        return self.left > 0

    @property
    def are_used_up(self) -> bool:
        """Whether all have counted as many as they may."""
        return 0 < self.limit <= self.counted()

    def wanted(self, *, ahead: bool) -> TicketsWanted:
        """Return what is told to the others: how many are wanted, with some ``ahead``.

        Those beyond are others' at once.
        """
        used = self._used()
        # Twice as many as were used since the last beat: a fast crawl never waits for its tickets.
        more = max(TICKETS_AHEAD, 2 * (used - self._used_before)) if ahead else 0
        self._used_before, self._asked_for = used, used + more
        self._granted = min(self._granted, self._asked_for)
        return TicketsWanted(self.counter, self.limit, self._asked_for, self._kept)

    @property
    def have_served(self) -> bool:
        """Whether some were used since the last beat."""
        return self._used() > self._used_before

    def grant(self, number: int) -> None:
        """Hear how many one may have in all."""
        self._granted = number
        self.are_gone = number < self._asked_for
