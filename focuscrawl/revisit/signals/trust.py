"""Signals that a page may have changed: sitemap dates, feed entries, reply counts, and their worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

from focuscrawl.revisit.table import DAY
from focuscrawl.values import Json, PageState

LATEST_AHEAD = DAY
"""A date further in the future than any zone explains says nothing."""

MOST_RECALL = 0.8
"""No site is believed to announce more: a silent page waits at most five times as long. Measured: at a
tight budget more than that delays what was not announced too much."""

_FORGET_ABOVE = 1000
"""Counts are halved here, so that a site whose habits change is learnt anew."""


class Signal(NamedTuple):
    """What a sitemap, feed or board says of a page.

    ``value`` is a date (seconds since 1970 UTC) or a count; ``is_date`` tells which. A date without
    a time of day is given as the start of its day and ``precision`` is a day: a page fetched
    during that day may have changed after.
    """

    value: float
    is_date: bool = True
    precision: float = 1.0


def is_possible(signal: Signal, now: float) -> bool:
    """Whether a signal is a count, or a date that is not in the future."""
    return not signal.is_date or signal.value <= now + LATEST_AHEAD


def is_news(state: PageState, signal: Signal, now: float) -> bool:
    """Whether a signal says something that the last visit does not already know.

    It must differ from what was told before; a date must also be later than the last visit, as far
    as it is precise, whether that found the page or not; not in the future and not that of
    publication. A smaller count is no news: replies were deleted.
    """
    if not signal.is_date:
        return state.told is not None and signal.value > state.told
    if not is_possible(signal, now) or (state.told is not None and signal.value <= state.told):
        return False
    if state.born is not None and 0 <= state.born - signal.value < signal.precision:
        return False
    asked = max(state.last_fetched, state.failing_since or 0.0, state.gone or 0.0)
    return signal.value + signal.precision > asked


@dataclass(slots=True)
class Trust:
    """What a site's signals were worth so far; its part ``signals`` of the site's record.

    ``followed`` signals led to a visit, of which ``true`` found a change; of ``changes`` seen on
    the site ``announced`` had been signalled.
    """

    followed: float = 0
    true: float = 0
    changes: float = 0
    announced: float = 0

    @property
    def precision(self) -> float:
        """The share of signals that are true (q): one half before anything is known."""
        return (self.true + 1) / (self.followed + 2)

    @property
    def recall(self) -> float:
        """The share of changes that are signalled (r); 0 for a site that never signals."""
        if not self.followed:
            return 0.0
        return min(MOST_RECALL, (self.announced + 1) / (self.changes + 2))

    def learn(self, signalled: bool, changed: bool) -> None:
        """Count a visit."""
        if signalled:
            self.followed += 1
            self.true += changed
        if changed:
            self.changes += 1
            self.announced += signalled
        if max(self.followed, self.changes) > _FORGET_ABOVE:
            self.followed /= 2
            self.true /= 2
            self.changes /= 2
            self.announced /= 2

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Json) -> Trust:
        """Read what ``to_json`` wrote."""
        return cls(*(float(kept.get(name, 0)) for name in cls.__slots__))
