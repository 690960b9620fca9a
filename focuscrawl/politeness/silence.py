"""Hosts that do not answer: they are asked less, and hold up nothing else.

Each URL of such a host takes the time of all its tries, two minutes by default; three hosts that never answered took
six of the seven minutes of a first crawl. So one URL says it for all of them: the others wait.
"""

from __future__ import annotations

from collections.abc import Sequence

UNANSWERED = 1
"""URLs of a host that has not answered in this run which get no answer, until it is left alone."""

ANSWERED = 3
"""The same in a row, of one that has answered before: a page may be slow, three one after another are not."""

RETRIES = 1
"""Times that Scrapy tries a request again at once at a host that has not answered yet, instead of RETRY_TIMES."""


class SilentHosts:
    """Which hosts of a run do not answer. ``waits`` are the seconds after which a URL that failed is tried again, by
    how often it has (FOCUSCRAWL_RETRY_WAITS).

    Where no host at all has answered, the fault may be this machine's: the first of the waits comes first. Else it is
    theirs, and the second one does, for which a run need not stay.
    """

    def __init__(self, waits: Sequence[float]) -> None:
        self._waits = waits
        self._answered: set[str] = set()
        self._failures: dict[str, int] = {}
        self._until: dict[str, float] = {}

    def answered(self, site: str) -> None:
        """Note any answer of a site."""
        self._answered.add(site)
        self._failures.pop(site, None)
        self._until.pop(site, None)

    def failed(self, site: str, now: float, *, is_known: bool = False) -> None:
        """Note a URL of a site that got no answer, all tries together; ``is_known``: an earlier run had it."""
        failures = self._failures[site] = self._failures.get(site, 0) + 1
        first = ANSWERED if is_known or site in self._answered else UNANSWERED
        if failures >= first and self._waits:
            place = failures - first + bool(self._answered)
            self._until[site] = now + self._waits[min(place, len(self._waits) - 1)]

    def left(self, site: str, now: float) -> float:
        """Return the seconds for which a site is left alone; 0: it is not."""
        return max(0.0, self._until.get(site, 0.0) - now)

    def is_unknown(self, site: str) -> bool:
        """Whether a site has not answered in this run."""
        return site not in self._answered
