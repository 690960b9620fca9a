"""A clock for crawls of other days: ``FOCUSCRAWL_CLOCK = benchmarks.parts.moved_clock:clock``."""

from __future__ import annotations

import os
import time

MOVED = "MOVED_BY"
"""Environment variable: how many seconds the wall clock runs ahead of the machine's."""


class MovedClock:
    """Wall time that runs ahead, and so does not jump back when a killed crawl goes on."""

    def __init__(self, ahead: float) -> None:
        self._ahead = ahead

    def wall(self) -> float:
        """Seconds since 1970 UTC."""
        return time.time() + self._ahead

    def steady(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()


clock = MovedClock(float(os.environ.get(MOVED) or 0))
