"""A site as the frontier knows it: its queues, its politeness, and when it may be asked."""

from __future__ import annotations

from focuscrawl.frontier.politeness import Politeness
from focuscrawl.frontier.queue import Queue, sequence_of

UNKNOWN = -1
"""The partition of a site before it is asked for."""


class Site:
    """One site's queues and its politeness. ``ready_at`` is steady time.

    ``waiting`` counts its URLs in the level queues, ``exploring`` those in the order.
    ``partition`` is where its rows live, UNKNOWN until it is asked for.
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

    def is_before(self, level: int, sequence: int) -> bool:
        """Whether the head of a queue, which is there, has a lower sequence number."""
        head = self.queues[level].head
        return head is not None and sequence_of(head) < sequence


def no_gate(site: str) -> float:
    """Let every site pass: the gate of a frontier that nobody else guards."""
    return 0.0
