"""One line of URLs: those of one level and one site, as numbers only.

A URL's *order* is one integer: its sequence number, moved forward or back by its priority, so
that comparing orders means first come, first served among equal priorities. The payloads stay on
disk; eight bytes a URL stay here.
"""

from __future__ import annotations

from array import array
from heapq import heappop, heappush

# With a priority of ±2^14 above them orders fit an array "q": eight bytes a URL.
_SEQUENCE_BITS = 48
SEQUENCE_MASK = (1 << _SEQUENCE_BITS) - 1
MOST_PRIORITY = 1 << 14
COMPACT_AFTER = 64  # taken ones are cut off when they are half of a line: each is moved once


def order_of(sequence: int, priority: int = 0) -> int:
    """Return the order of a URL; a higher priority comes earlier, clipped to ±16384."""
    if not priority:
        return sequence
    clipped = max(-MOST_PRIORITY, min(MOST_PRIORITY, priority))
    return sequence - (clipped << _SEQUENCE_BITS)


def sequence_of(order: int) -> int:
    """Return the sequence number inside an order."""
    return order & SEQUENCE_MASK


class Queue:
    """Orders, smallest first. Nearly all arrive in order; the others wait in a small heap.

    ``head`` is the smallest order, None when no URL waits. ``listed`` belongs to the frontier: the
    order under which it last listed this queue as ready.
    """

    __slots__ = ("_early", "_orders", "_start", "head", "listed")

    def __init__(self) -> None:
        self._orders = array("q")
        self._start = 0
        self._early: list[int] | None = None
        self.head: int | None = None
        self.listed: int | None = None

    def __len__(self) -> int:
        """Return how many URLs wait here."""
        return len(self._orders) - self._start + (len(self._early) if self._early else 0)

    def push(self, order: int) -> None:
        """Add an order."""
        orders = self._orders
        if len(orders) == self._start or order > orders[-1]:
            orders.append(order)
        else:
            if self._early is None:
                self._early = []
            heappush(self._early, order)
        if self.head is None or order < self.head:
            self.head = order

    def extend(self, orders: list[int]) -> None:
        """Add orders that ascend, at least one."""
        if self._orders and orders[0] < self._orders[-1]:
            for order in orders:
                self.push(order)
            return
        self._orders.fromlist(orders)
        if self.head is None or orders[0] < self.head:
            self.head = orders[0]

    def pop(self) -> int:
        """Take the smallest order out. Raises IndexError when no URL waits."""
        order = self.head
        if order is None:
            raise IndexError("no URL waits")
        early = self._early
        if early and early[0] == order:
            heappop(early)
            if not early:
                self._early = None
            self._find_head()
            return order
        orders = self._orders
        self._start = start = self._start + 1
        if start >= COMPACT_AFTER and start * 2 >= len(orders):
            del orders[:start]
            self._start = start = 0
        if early:
            self._find_head()
        else:
            self.head = orders[start] if start < len(orders) else None
        return order

    def remove(self, order: int) -> bool:
        """Take one order out of the middle; rare, so it looks through the line."""
        early = self._early
        if early and order in early:
            early.remove(order)
            early.sort()
        else:
            try:
                position = self._orders.index(order, self._start)
            except ValueError:
                return False
            del self._orders[position]
        self._find_head()
        return True

    def _find_head(self) -> None:
        start, orders, early = self._start, self._orders, self._early
        first = orders[start] if start < len(orders) else None
        if early and (first is None or early[0] < first):
            first = early[0]
        self.head = first
