"""When a page is gone: after several failures over some time, or when a fetch confirms it (C8).

A page that is gone keeps its row as a tombstone with a date and a reason. A server that does not
answer says nothing about its pages.
"""

from __future__ import annotations

from focuscrawl.revisit.rules import DAY, HOUR, ClassTimes, RevisitRules
from focuscrawl.values import PageState

RETRY_FIRST, RETRY_LONGEST = HOUR, DAY
GONE_STATUS = frozenset({404, 410})


def says_gone(status: int) -> bool:
    """Whether a status says that there is no such page."""
    return status in GONE_STATUS


def is_gone(rules: RevisitRules, state: PageState, now: float, *, confirms: bool) -> bool:
    """Whether a page whose ``failures`` say so is gone.

    After ``gone_after`` failures spread over ``gone_within`` seconds, or at once when the fetch
    ``confirms`` what its absence from a search cycle said.
    """
    if confirms:
        return True
    since = now if state.failing_since is None else state.failing_since
    return state.failures >= rules.gone_after and now - since >= rules.gone_within


def next_try(
    rules: RevisitRules, times: ClassTimes, state: PageState, now: float, *, says_gone: bool
) -> float:
    """Return how many seconds after a failure a page is tried again.

    Failures that say the page is gone are spread evenly over ``gone_within``, so that the last one
    decides; after others the page waits as long as it has not answered, between an hour and a day
    (never longer than the class's longest interval).
    """
    if says_gone:
        since = now if state.failing_since is None else state.failing_since
        left = max(1, rules.gone_after - state.failures)
        wait = max(since + rules.gone_within - now, 0.0) / left
        return max(wait, times.shortest, 1.0)
    silent = max(0.0, now - state.last_fetched)
    return min(max(silent / 2, RETRY_FIRST), RETRY_LONGEST, max(times.longest, RETRY_FIRST))
