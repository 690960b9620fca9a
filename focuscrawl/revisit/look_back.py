"""Looks back at pages past ``until`` (B): a share of the visits, the longest unseen page first.

By their policy these pages are never visited again, and on a site that is not news they are most of
it. A tenth of a budget of one visit a day for each of them sees every page within ten days, and a day
without news costs a tenth of the site.
"""

from __future__ import annotations

from focuscrawl.revisit.settings import DAY
from focuscrawl.values import Json

MOST_A_DAY = 5_000
"""Visits that are a day's budget at most where the template names none: an archive of a million pages
is not worth a tenth of them each day."""

KEPT = 2.0
"""Days whose share may be spent at once, after a pause: a run costs a fifth of the pages at most."""

SOONEST = 7 * DAY
"""No page is looked at again sooner, in seconds."""


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
        most = self._share * budget * KEPT
        days = min(max(0.0, now - self._at) / DAY, KEPT)
        self._left = min(self._left + self._share * budget * days, most)
        self._at = now
        return int(self._left)

    def spend(self, visits: int) -> None:
        """Take visits off what is left."""
        self._left -= visits

    def to_json(self) -> Json:
        """Return what a later run goes on from."""
        return {"at": self._at, "left": self._left}
