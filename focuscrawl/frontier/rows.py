"""The rows behind the numbers: who still has a URL's payload, this process or the store.

The frontier itself keeps eight bytes a waiting URL. A row is here only from its adding to the
commit that stores it, from a read that brought it along until it is taken, or for good when it
cannot be stored.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import islice

from focuscrawl.store.protocol import Row

MOST_AHEAD = 4096
"""Rows kept because they were read together with one that was taken, or because they explore."""


class Rows:
    """Rows by their sequence numbers; ``stored`` reads from the store (``Store.read``).

    ``fresh`` are those that go with the next commit, ``ahead`` those that a read brought along and
    the latest that explore, ``volatile`` those that are never stored. ``explores``: some do.
    """

    def __init__(
        self, stored: Callable[[int, int], Iterable[Row]], *, explores: bool = False
    ) -> None:
        self._stored = stored
        self._explores = explores
        self.fresh: dict[int, Row] = {}
        self._committing: dict[int, Row] = {}
        self.ahead: dict[int, Row] = {}
        self.volatile: dict[int, Row] = {}

    def replace(self, row: Row) -> None:
        """Keep a row in the place of one that is stored."""
        self.ahead.pop(row.sequence, None)
        self.fresh[row.sequence] = row

    def forget(self, sequence: int) -> bool:
        """Let go of a row that ended; False when it was never to be stored."""
        for rows in (self.fresh, self._committing, self.ahead):
            rows.pop(sequence, None)
        return self.volatile.pop(sequence, None) is None

    def drained(self) -> None:
        """Hear that all rows so far were handed over for a commit."""
        self._committing.update(self.fresh)
        self.fresh = {}

    def committed(self) -> None:
        """Hear that the store has them now.

        Exploration takes what was found last before the rest, in no order a store could read ahead
        in: so the latest are kept.
        """
        committed, self._committing = self._committing, {}
        if self._explores:
            for sequence, row in committed.items():
                if row.waiting.explore:
                    self.ahead[sequence] = row
            self._drop_oldest()

    def at_hand(self, sequence: int) -> Row | None:
        """Return a row, each once, for which the store need not be asked."""
        return (
            self.ahead.pop(sequence, None)
            or self.fresh.get(sequence)
            or self.volatile.get(sequence)
            or self._committing.get(sequence)
        )

    def read(self, sequence: int, level: int, taken: Collection[int]) -> Row | None:
        """Return a row of the store; those that come along are kept, but none of ``taken``."""
        ahead, fresh, committing = self.ahead, self.fresh, self._committing
        self._drop_oldest()
        found = None
        for row in self._stored(sequence, level):
            other = row.sequence
            if other == sequence:
                found = row
            elif not (other in taken or other in fresh or other in committing):
                ahead[other] = row
        return found

    def _drop_oldest(self) -> None:
        """Keep few of those at hand: the sites of the oldest rest, or they have ended since."""
        ahead = self.ahead
        if len(ahead) > MOST_AHEAD:
            for sequence in list(islice(ahead, MOST_AHEAD // 2)):
                del ahead[sequence]
