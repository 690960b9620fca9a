"""What a run that a timer starts each day at the same hour counts as due, and clocks that ran ahead.

A page that was fetched some minutes into yesterday's run is due some minutes into today's. Left to
its date it would be visited by every other run only.
"""

EARLY, MOST_EARLY = 0.1, 10_800.0
"""The part of its interval, and the seconds, by which something may come before its date. Dates are
spread by a tenth, too, which is more than two hours of a day."""

JUMP = 300.0
"""Seconds by which a clock may be set back and nothing is made of it."""


def comes_now(date: float, since: float, now: float) -> bool:
    """Whether a run that begins now does what was planned at ``since`` for ``date``."""
    return date <= now or date - now <= min(EARLY * (date - since), MOST_EARLY)


def is_to_come(done: float, now: float) -> bool:
    """Whether something was done in a time that is still to come: by a clock that ran ahead."""
    return done > now + JUMP
