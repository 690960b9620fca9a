"""Lists that have been silent for long are read less often than every run (A6, B).

A run begins with every list once more. On a blog of 200 posts these are 216 pages of tags, authors and
months, most of which have shown nothing new for months. How long a list has been silent is seen at its
first reading, by the dates beside its entries. It may be left out for a thirtieth of that: one that has
been silent for a month is read every day, one of half a year each sixth day. So what is new is put
off by a thirtieth of the time that it was waited for, and then till the next run.
"""

from __future__ import annotations

from focuscrawl.revisit.settings import DAY, scattered
from focuscrawl.values import LinkBatch, PageState

NEWEST = "newest"
"""Fact of a list's state: the date of the newest thing it has shown, in seconds since 1970 UTC."""

SHARE = 1 / 30
"""Of its silence a list may be left out: a column that posts once a month is read every day. With it a day
without news cost 11 to 25 % of the first crawl of a WordPress of 454 pages, 48 % without."""

LONGEST = 9 * DAY

FEWEST_READINGS = 2
"""Readings from which a list may be left out: one whose own entries show no dates has shown by then,
by something new, that an old date on it is not theirs."""


def newest_shown(batch: LinkBatch, now: float, *, has_new: bool) -> float | None:
    """Return the date of the newest thing on a list, None when it shows none.

    ``has_new``: links were new when it was read again. Boards of forums are never silent: they
    count replies.
    """
    if has_new or batch.threads:
        return now
    dates = (told.value for told in batch.told if told.is_date and told.value <= now)
    return max(dates, default=None)


def with_newest(state: PageState, newest: float | None) -> PageState:
    """Return a list's state with what it has shown last; it never becomes older."""
    if newest is None or newest <= state.facts.get(NEWEST, 0.0):
        return state
    return state._replace(facts={**state.facts, NEWEST: newest})


def rests(state: PageState, now: float) -> bool:
    """Whether a list may be left out by a run that begins now."""
    newest: float | None = state.facts.get(NEWEST)
    if newest is None or state.visits < FEWEST_READINGS or not newest <= state.last_fetched <= now:
        return False
    longest = scattered(LONGEST, state.key, state.visits)
    return now - state.last_fetched < min(longest, SHARE * (state.last_fetched - newest))
