"""What has been silent for long is read less often than every run (A6, B).

Pages past ``until`` are never visited again by their policy, and on a site that is not news they are most
of it: a share of the visits looks back at them, the longest unseen first. A tenth of a budget of one visit
a day for each of them sees every page within ten days, and a day without news costs a tenth of the site.

A run begins with every list once more. On a blog of 200 posts these are 216 pages of tags, authors and
months, most of which have shown nothing new for months. How long a list has been silent is seen at its
first reading, by the dates beside its entries. It may be left out for a thirtieth of that: one that has
been silent for a month is read every day, one of half a year each sixth day. So what is new is put
off by a thirtieth of the time that it was waited for, and then till the next run.
"""

from __future__ import annotations

from focuscrawl.revisit.rules import DAY, scattered
from focuscrawl.values import Json, LinkBatch, PageState

MOST_A_DAY = 5_000
"""Visits that are a day's budget at most where the template names none: an archive of a million pages
is not worth a tenth of them each day."""

DAYS_KEPT = 2.0
"""Days whose share may be spent at once, after a pause: a run costs a fifth of the pages at most."""

SOONEST = 7 * DAY
"""No page is looked at again sooner, in seconds."""

NEWEST = "newest"
"""Fact of a list's state: the date of the newest thing it has shown, in seconds since 1970 UTC."""

SHARE = 1 / 30
"""Of its silence a list may be left out: a column that posts once a month is read every day. With it a day
without news cost 11 to 25 % of the first crawl of a WordPress of 454 pages, 48 % without."""

LONGEST_SILENCE = 9 * DAY  # so that nothing new waits longer, however long its list was silent

FEWEST_READINGS = 2
"""Readings from which a list may be left out: one whose own entries show no dates has shown by then,
by something new, that an old date on it is not theirs."""


class LookBack:
    """How many visits of old pages are allowed by now.

    ``share`` is that of the budget, from 0 to 1; ``rate`` the budget in visits a second, None: one
    visit a day for each old page. ``kept`` is what ``to_json`` wrote in an earlier run; before the
    first nothing is allowed. Dates are wall time: what was saved up must outlast a run.
    """

    def __init__(self, share: float, rate: float | None, kept: Json | None, now: float) -> None:
        self._share = share
        self._rate = rate
        self._at: float = kept["at"] if kept else now
        self._left: float = kept["left"] if kept else 0.0

    def allowed(self, old: int, now: float) -> int:
        """Return how many of so many old pages may be visited now. A clock set back allows none."""
        budget = self._rate * DAY if self._rate is not None else min(old, MOST_A_DAY)
        most = self._share * budget * DAYS_KEPT
        days = min(max(0.0, now - self._at) / DAY, DAYS_KEPT)
        self._left = min(self._left + self._share * budget * days, most)
        self._at = now
        return int(self._left)

    def spend(self, visits: int) -> None:
        """Take visits off what is left."""
        self._left -= visits

    def to_json(self) -> Json:
        """Return what a later run goes on from."""
        return {"at": self._at, "left": self._left}


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
    longest = scattered(LONGEST_SILENCE, state.key, state.visits)
    return now - state.last_fetched < min(longest, SHARE * (state.last_fetched - newest))
