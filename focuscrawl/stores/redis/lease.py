"""The lease: for how long a worker holds its partitions without a beat, and who counts it.

Redis counts it from when a beat comes: ``scripts.JOIN``, ``KEEP`` and ``RENEW`` write its end under the worker's
name, and a partition of a worker whose lease has ended is free. The worker counts it from when the beat was
sent, which is earlier, and is sure of nine tenths of it. So it stops before another begins, as long as both
clocks differ less in speed:

    sent + SURE · seconds  <  sent + seconds  ≤  come + seconds

It is FOCUSCRAWL_LEASE, which ``config`` reads and refuses below three beats. ``kernel.shared.partitions`` takes and
lets go of what the store says is held. A page that is due and queued has a reservation, which is no lease.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

SURE = 0.9
"""The part of a lease for which its holder is sure of it: its clock and Redis's may differ in speed."""

JOIN_EVERY = 2.0
"""Seconds between two looks at who works on the crawl, at most: a worker that joins is to have its share soon."""

LOOKS_IN_LEASE = 3
"""So often at least a worker looks while a lease lasts, however short it is."""

LIVES_EVERY = 4
"""Into so many parts a worker that loads for long cuts its lease: after each it reports that it lives."""

COMMAND_LEASE = 60.0
"""Seconds for which a command has a crawl on Redis at least: it sends no beats."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The lease of one worker; times are of ``boot_time`` or a clock like it, in seconds."""

    seconds: float

    @classmethod
    def of_command(cls, seconds: float) -> Lease:
        """Return the lease of a command, which renews it with each commit only."""
        return cls(max(seconds, COMMAND_LEASE))

    @property
    def milliseconds(self) -> int:
        """How Redis is told of it."""
        return round(self.seconds * 1000)

    def sure_until(self, sent: float) -> float:
        """Return until when a worker is sure of what it holds, by when the beat that renewed its lease was sent."""
        return sent + SURE * self.seconds

    def is_time_to_look(self, since: float) -> bool:
        """Whether so much time has passed since the last look at who works on the crawl that the next is due."""
        return since >= min(self.seconds / LOOKS_IN_LEASE, JOIN_EVERY)

    def is_time_to_report(self, since: float) -> bool:
        """Whether a worker that loads, and sends no beat meanwhile, must report that it lives."""
        return since >= self.seconds / LIVES_EVERY


def boot_time() -> float:
    """Return seconds of a clock that goes on while the machine is suspended: leases do, too."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
