"""What a run may ask of a site: its quota, its ban, the pauses it asks for itself."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.explore.ledger import BY_HAND
from focuscrawl.kernel.counters import NOT_FETCHED
from focuscrawl.kernel.flight import Flight
from focuscrawl.running.manners import PART, Hold, Manners
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Clock

if TYPE_CHECKING:
    from scrapy import Request

    from focuscrawl.explore.explorer import Explorer
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.slots import Slots
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

PAGES_PART = "pages"
"""The part of a site's record that counts its pages over all runs."""


class Sites:
    """What the downloader middlewares ask and tell of sites. ``pages`` counts over all runs."""

    def __init__(
        self,
        template: Template | None,
        manners: Manners,
        frontier: Frontier,
        slots: Slots,
        clock: Clock,
        explorer: Explorer | None,
        flights: Mapping[Request, Flight],
    ) -> None:
        self.pages: Counter[str] = Counter()
        self._template = template
        self._manners = manners
        self._frontier = frontier
        self._slots = slots
        self._clock = clock
        self._explorer = explorer
        self._flights = flights

    def load(self, records: Mapping[str, Mapping[str, Any]]) -> None:
        """Go on from what earlier runs have counted, and from the pauses sites have asked for."""
        for site, parts in records.items():
            self.pages[site] = parts.get(PAGES_PART, 0)
        self._manners.block_sites(self._frontier, self._clock)

    def quota_allows(self, flight: Flight) -> bool:
        """Whether a site may give one more page (limits.per_site, over all runs)."""
        site = flight.waiting.site
        quota = self._quota(site)
        if not quota or flight.before is not None:  # it counts pages, not visits
            return True
        unsettled = sum(
            other.waiting.site == site and not other.failed and other.outcome not in NOT_FETCHED
            for other in self._flights.values()
        )
        return self.pages[site] + unsettled <= quota

    def count_page(self, site: str) -> None:
        """Count a page of a site."""
        self.pages[site] += 1
        if self._quota(site):
            self._frontier.note_site(site, PAGES_PART, self.pages[site])

    def banned(self, flight: Flight) -> str | None:
        """Return why a site must not be asked: banned by hand.

        A ban by count (published form) keeps links out when they are found: what waits by then is
        fetched. A ban by rate is a matter of the order.
        """
        if self._explorer is None:
            return None
        waiting = flight.waiting
        why = self._explorer.ledger.why_not(waiting.url, waiting.site, self._clock.wall())
        return why if why == f"ban:{BY_HAND}" else None

    def leave_alone(self, site: str, seconds: float) -> None:
        """Ask a site nothing for a while (Retry-After); remembered over restarts."""
        self._manners.leave_alone(site, seconds, self._clock.wall())
        self._frontier.block(site, self._clock.steady() + seconds)
        self._frontier.note_site(site, PART, self._manners.record(site))

    def holds(self) -> Iterator[Hold]:
        """Go through the sites that cannot be asked now though URLs wait for them."""
        now, wall = self._clock.steady(), self._clock.wall()
        for site, wait in self._frontier.pauses(now, wall):
            yield self._manners.hold(site, wait, wall)

    def crawl_delay(self, request: Request, site: str, seconds: float) -> None:
        """Obey a site's Crawl-delay, up to politeness.crawl_delay_max."""
        obeyed, was_cut = self._manners.crawl_delay(site, seconds)
        if was_cut:
            logger.warning(
                "%s asks for %g s between requests; %g s are kept (politeness.crawl_delay_max)",
                site,
                seconds,
                obeyed,
            )
        politeness = self._manners.politeness(site)
        self._frontier.set_politeness(site, politeness)
        self._slots.mirror(request, politeness.delay, politeness.concurrency, anew=True)
        self._frontier.note_site(site, PART, self._manners.record(site))

    def _quota(self, site: str) -> int:
        return (self._template.site(host_of(site)).quota or 0) if self._template is not None else 0
