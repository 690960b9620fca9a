"""The demo web's clock for a crawl: ``FOCUSCRAWL_CLOCK = focuscrawl.demo.clock:clock``."""

from __future__ import annotations

import os
import time

from focuscrawl.demo.truth import DAY_ZERO

DAY_VARIABLE = "FOCUSCRAWL_DEMO_DAY"
"""The virtual day on which the clock starts (0 when not set)."""


class DemoClock:
    """Wall time that starts on a virtual day and runs on at normal speed; steady time is real."""

    def __init__(self, day: float) -> None:
        self._start = DAY_ZERO.timestamp() + day * 86400
        self._since = time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970 UTC, on the demo web's calendar."""
        return self._start + self.steady() - self._since

    def steady(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()


clock = DemoClock(float(os.environ.get(DAY_VARIABLE) or 0))
