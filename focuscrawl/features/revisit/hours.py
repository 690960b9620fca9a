"""The hours of a day at which a page changes, where it has some: a list that is written at 9:00 and at 17:00.

The day is cut into half hours. What a visit that found no change covers whole is *quiet*; the others are left. Where few
are left, and each change that visits found lay around one of these, the page keeps hours: the next visit comes when
the nearest of them is over. Two days in sixteen go by the policy alone, by which a page shows that it has other hours
now. Half hours are those of UTC: a clock that is put forward makes a page learn anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

DAY, SLOT = 86_400, 1_800
SLOTS = DAY // SLOT
WHOLE_DAY = (1 << SLOTS) - 1

MOST_LEFT = 8
"""Half hours of 48 that may be left: two hours of the day whose changes take some minutes leave two to five. Of 72 pages that
change at any time, once to eight times a day on the mean, none was taken for one that keeps hours in 90 days."""

FEWEST_MET = 6
"""Changes in a row that must have lain around the half hours that are left."""

KEPT_FOR = 30 * DAY
"""Seconds for which what was quiet is kept at least, and twice that at most, unless the page keeps hours."""

LONGEST_TELLING = DAY // 2
"""Seconds between two visits beyond which a change says nothing of its hour."""

BY_POLICY = 16
"""On two days in so many visits come when the policy wants them: a page of 17:00 that changes at 12:00 now is found changed
at 17:00, too, and one day begins with the visit after that."""

HOURS = "hours"
"""The fact of a page's state that is kept here."""


class DayHours(NamedTuple):
    """What visits have shown: half hours that are quiet, one bit each, since ``began`` (wall time) and in the ``KEPT_FOR``
    before, and how many changes in a row lay around the others.
    """

    quiet: int = 0
    before: int = 0
    met: int = 0
    began: int = 0

    @property
    def left(self) -> int:
        """The half hours that are not quiet."""
        return WHOLE_DAY & ~(self.quiet | self.before)

    @property
    def are_few(self) -> bool:
        """Whether so few half hours are left that a change around them is no accident."""
        return 0 < self.left.bit_count() <= MOST_LEFT

    @property
    def are_kept(self) -> bool:
        """Whether the page keeps hours."""
        return self.are_few and self.met >= FEWEST_MET


def hours_of(kept: object) -> DayHours:
    """Return what a state's fact says; what has another form says nothing."""
    if not isinstance(kept, list | tuple) or len(kept) != len(DayHours()):
        return DayHours()
    return DayHours(*(one if isinstance(one, int) else 0 for one in kept))


def are_kept_in(kept: object) -> bool:
    """Whether a state's fact says that the page keeps hours: of most pages its changes alone say that it keeps none."""
    match kept:
        case [_, _, int(met), _] if met >= FEWEST_MET:
            return hours_of(kept).are_kept
    return False


def learn(
    hours: DayHours, quiet_since: float, since: float, now: float, *, changed: bool
) -> DayHours:
    """Return what is known after a visit, whose page was seen before at ``since``, and as it was then from ``quiet_since``
    on (wall time).
    """
    if changed and now - since > LONGEST_TELLING:
        return hours
    if now - hours.began >= KEPT_FOR or now < hours.began:
        # Who keeps hours is hardly seen between them, and each change at them says that they hold.
        quiet = hours.quiet | hours.before if hours.are_kept else 0
        hours = hours._replace(quiet=quiet, before=0 if quiet else hours.quiet, began=int(now))
    if not changed:
        return hours._replace(quiet=hours.quiet | _within(quiet_since, now))
    if not hours.are_few:
        return hours if hours.met == 0 else hours._replace(met=0)
    around = _within(since - SLOT + 1, now + SLOT - 1)
    if around & hours.left:
        return hours._replace(met=hours.met + 1)
    return DayHours()  # it has changed at a quiet time


def is_by_policy(key: bytes, last: float) -> bool:
    """Whether the visit after ``last`` comes when the policy wants it; not on the same day for all pages."""
    return (int(last // DAY) + key[0]) % BY_POLICY < 2


def kept_date(hours: DayHours, last: float, planned: float, soonest: float) -> float | None:
    """Return the end of the half hour nearest to a planned date, after ``soonest``; None: it keeps none."""
    if not hours.are_kept:
        return None
    ends = [at for at in _ends(hours.left, last, planned) if at >= soonest]
    return min(ends, key=lambda at: (abs(at - planned), at), default=None)


def _ends(left: int, last: float, planned: float) -> Iterator[float]:
    """Go through the ends of what is left of each day, from the last visit to a day after a planned one; those that are
    next to each other end as one.
    """
    ends = [
        slot + 1 for slot in range(SLOTS) if left >> slot & 1 and not left >> (slot + 1) % SLOTS & 1
    ]
    for day in {int(at // DAY) + more for at in (last, planned) for more in (-1, 0, 1)}:
        yield from (day * DAY + end * SLOT for end in ends)


def _within(since: float, until: float) -> int:
    """Return the half hours that lie whole between two moments."""
    first, end = -int(-since // SLOT), int(until // SLOT)
    if end - first >= SLOTS:
        return WHOLE_DAY
    found = 0
    for slot in range(first, end):
        found |= 1 << slot % SLOTS
    return found
