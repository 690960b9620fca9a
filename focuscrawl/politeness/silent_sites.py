"""Sites that have never answered: they are asked last and less, so that they do not hold up a crawl.

Three hosts that were dead for years cost six of a first crawl's seven minutes: each of their pages, and each
robots.txt before it, was waited for three times. One that has answered once is none of them, whatever fails.
"""

from __future__ import annotations

from collections import Counter

PAUSES = (60.0, 600.0, 3_600.0)
"""Seconds for which a site is left alone after so many pages in a row that brought no answer: the first is that
after which a page is tried again, the second is longer than a run lingers, so that it ends without them."""

NO_ANSWERS = frozenset(
    {"timeout", "dns", "connection refused", "connection lost", "proxy", "TunnelError"}
)
"""Reasons of fetches by which a host has not said a word."""

MOST_KNOWN = 100_000
"""Sites that are kept in mind; those that were heard first are forgotten, and have another try then."""


class SilentSites:
    """Which sites of one run have answered, and how often in a row the others have not."""

    def __init__(self) -> None:
        self._heard: dict[str, None] = {}
        self._silent: Counter[str] = Counter()

    def hear(self, site: str) -> None:
        """Hear any answer of a site."""
        if site in self._heard:
            return
        self._silent.pop(site, None)
        self._heard[site] = None
        if len(self._heard) > MOST_KNOWN:
            del self._heard[next(iter(self._heard))]

    def is_silent(self, site: str) -> bool:
        """Whether a site was asked and has never answered."""
        return site in self._silent

    def failed(self, site: str, reason: str) -> float:
        """Take a page that was not had; returns for how many seconds its site is left alone."""
        if site in self._heard or reason not in NO_ANSWERS:
            return 0.0
        self._silent[site] += 1
        return PAUSES[min(self._silent[site], len(PAUSES)) - 1]
