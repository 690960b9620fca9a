"""When a receiver gets messages: times of day, a pause between them, quiet hours, the most of a day.

Pure: moments are seconds since 1970 UTC and are passed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from focuscrawl.template.kinds.times import Hours

WAITS = (60.0, 300.0, 1_800.0, 7_200.0, 21_600.0, 43_200.0, 86_400.0)
"""Seconds until a message that was not taken is tried again; the last one holds from then on."""

MOST_SENDINGS = 12
"""The summary names a receiver that has not answered for six days, and no more is sent to it."""


class DigestTimes(NamedTuple):
    """When one receiver gets messages."""

    at: Sequence[time]
    every: float
    quiet: Hours
    most: int
    zone: tzinfo

    def due(self, found: float) -> float:
        """Return when what is found at a moment is sent at the earliest: at the next of the times of day."""
        if not self.at:
            return found
        day = datetime.fromtimestamp(found, self.zone).date()
        moments = (
            datetime.combine(day + timedelta(days=ahead), one, self.zone).timestamp()
            for ahead in range(3)
            for one in self.at
        )
        return next(moment for moment in moments if moment >= found)

    def due_tomorrow(self, now: float) -> float:
        """Return when what is above the most of a day is sent: at the first time of the next day."""
        day = datetime.fromtimestamp(now, self.zone).date() + timedelta(days=1)
        return self.due(datetime.combine(day, time(), self.zone).timestamp())

    def may_send(self, now: float, last: float | None, today: int) -> bool:
        """Whether a message may be sent now; ``last`` was the last one, ``today`` counts those of the day.

        A ``last`` that is still to come was sent by a clock that ran ahead, and holds nothing up.
        """
        if self.quiet and self.quiet.open_at(now):
            return False
        if today >= self.most:
            return False
        return bool(self.at) or last is None or last > now or now - last >= self.every


def wait_after(tries: int) -> float:
    """Return the seconds after which a message that was tried so often is tried again."""
    return WAITS[min(tries, len(WAITS)) - 1] if tries > 0 else 0.0
