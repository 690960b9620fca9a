"""What a site answers for an address that cannot exist, and which pages look like that.

A site is asked once in some days. What its error page looks like is a part of its record, so after a
kill nothing is asked twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from focuscrawl.crawl.revisit.soft_404 import look_of_answer
from focuscrawl.revisit.missing.soft_404 import ErrorPages, impossible_address
from focuscrawl.values import Json

if TYPE_CHECKING:
    from collections import Counter
    from random import Random

    from focuscrawl.crawl.fetched import Judging
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.pages.content import Fetched
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

SOFT_404 = "soft_404"
"""The part of a site's record that keeps its error pages."""


class SiteErrors:
    """The error pages of a topic's sites, in ``sites`` by site.

    ``counters`` counts the sites that were asked as ``soft_404/asked``.
    """

    def __init__(
        self,
        judging: Judging,
        frontier: Frontier,
        clock: Clock,
        random: Random,
        counters: Counter[str],
        ask: Callable[[str, str], Awaitable[Fetched | None]],
    ) -> None:
        self.sites: dict[str, ErrorPages] = {}
        self._judging = judging
        self._frontier = frontier
        self._clock = clock
        self._random = random
        self._counters = counters
        self._ask = ask
        self._asking: dict[str, asyncio.Future[bool]] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of sites."""
        for site, parts in records.items():
            if SOFT_404 in parts:
                self.sites[site] = ErrorPages.from_json(parts[SOFT_404])

    def question(self, site: str, url: str) -> asyncio.Future[bool]:
        """Ask a site, once at a time; the future says whether it has answered."""
        asking = self._asking.get(site)
        if asking is None:
            asking = self._asking[site] = asyncio.ensure_future(self._learn(site, url))
        return asking

    async def _learn(self, site: str, url: str) -> bool:
        address = impossible_address(url, f"{self._random.getrandbits(64):016x}")
        pages = self.sites.setdefault(site, ErrorPages())
        try:
            fetched = await self._ask(site, address)
            now = self._clock.wall()
            if fetched is None:
                pages.asked = now  # what is known of it stays
            else:
                seen = look_of_answer(fetched, site, address, self._judging)
                pages.learn(200 if seen is not None else fetched.status, seen, now)
        finally:
            del self._asking[site]
        self._counters["soft_404/asked"] += 1
        self._frontier.note_site(site, SOFT_404, pages.to_json())
        if pages.looks:
            logger.info("%s answers %s: what looks like that is gone", site, address)
        return fetched is not None
