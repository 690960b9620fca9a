"""How politely a run asks: the pauses, hours and quotas of each site, and what sites ask for.

The order in which URLs are fetched draws and keeps the pauses (frontier); this feature brings the delays, learns
from robots.txt and Retry-After, and counts the pages of a site over all runs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Self

from focuscrawl.features.politeness.silence import RETRIES, SilentHosts, UnprovenHosts
from focuscrawl.features.politeness.sites import (
    ROBOTS_KEPT,
    TOO_MANY,
    Extras,
    PoliteSites,
    has_secrets,
    is_no_word,
)
from focuscrawl.features.politeness.table import PolitenessTable
from focuscrawl.features.search.table import SearchTable
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.figures import NOT_FETCHED
from focuscrawl.kernel.ports import Hold, SitePolicy
from focuscrawl.kernel.transport.requests import WORN, robots_allow, undress
from focuscrawl.locale.messages import _
from focuscrawl.output.explain.facts import Fact, Question
from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import host_of, site_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

    from focuscrawl.frontier.lines import Politeness
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json, Page, QuotaOutcome, Waiting

logger = logging.getLogger(__name__)

PAGES_PART = "pages"
"""The part of a site's record that counts its pages over all runs."""

WITHOUT_RETRY_AFTER = 60.0
"""Seconds a site is left alone after 429 when it does not say for how long."""

LONGEST_RETRY_AFTER = 7 * 86400.0


_AGENT = "User-Agent"
"""The only header of a site's own that goes on by http where https was asked: it says who asks, and gives no access."""

_FEWER = "focuscrawl_tried_less"
"""In the meta of a request that is tried less often at once, until its site has answered."""


def _fell(request: Request, host: str) -> bool:
    """Whether redirects have led from https of a host to http of it: everybody on the way reads and changes that."""
    before = request.meta.get("redirect_urls") or ()
    return request.url.startswith("http:") and any(
        url.startswith("https:") and host_of(site_of(url)) == host for url in before
    )


class SitePoliteness(Feature, SitePolicy):
    """The politeness of one run. ``pages`` counts those of each site over all runs."""

    name = "politeness"
    needs_topic = False

    @classmethod
    def of(cls, kernel: Kernel) -> Self:
        """Make it for every run: a user's own spider is as polite."""
        engines = kernel.template.of(SearchTable).delays
        template = kernel.template if kernel.run.has_topic else None
        return cls(kernel, PoliteSites(kernel.transport.settings, template, engines))

    def __init__(self, kernel: Kernel, sites: PoliteSites) -> None:
        self.pages = SiteValues(PAGES_PART, int)
        self._sites = sites
        self._agent = (
            kernel.transport.settings["ROBOTSTXT_USER_AGENT"]
            or kernel.transport.settings["USER_AGENT"]
            or "*"
        )
        self._kernel = kernel
        self._frontier = kernel.frontier
        self._clock = kernel.clock
        self._has_topic = kernel.run.has_topic
        self._silence = SilentHosts(kernel.frontier.retry_waits)
        self._unproven = UnprovenHosts(
            self._silence, kernel.transport.settings.getint("CONCURRENT_REQUESTS")
        )
        self._retries = min(RETRIES, kernel.transport.settings.getint("RETRY_TIMES"))

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Go on with the pauses that sites have asked for."""
        self._sites.block_sites(self._frontier, self._clock, records)

    def memories(self) -> tuple[SiteMemory, ...]:
        """Remember what sites have asked for, and how many pages each has given."""
        return self._sites.asked, self.pages

    # How a site is asked ------------------------------------------------------------------------

    def politeness(self, site: str) -> Politeness:
        """Return how a site is treated."""
        return self._sites.politeness(site)

    def seconds_closed(self, site: str, wall: float) -> float:
        """Return the seconds until a site's hours begin, or for which one that does not answer is left alone, or
        waits for a place.
        """
        held = max(self._sites.closed_for(site, wall), self._silence.left(site, wall))
        if held:
            return held
        asked = (flight.waiting.site for flight in self._kernel.flights.values())
        return self._unproven.hold(site, asked, self._frontier.is_ready)

    def tick(self) -> None:
        """Let hosts come that were held back, as when all that answers has been fetched."""
        self._unproven.let_come(self._frontier.may_come)

    def hold(self, site: str, wait: float, wall: float) -> Hold:
        """Return how much of the seconds until a site may be asked is not our own pause."""
        if self._frontier.is_left_alone(
            site, self._clock.steady()
        ):  # another topic may have heard it
            return Hold(wait, "Retry-After")
        if silent := self._silence.left(site, wall):
            return Hold(silent, _("no answer"))
        return Hold(*self._sites.hold(site, wait, wall))

    def complete_request(self, request: Request, site: str) -> None:
        """Give a request what the template wants for its site; the request's own wins.

        Where nothing has answered yet it is tried less often at once. By http, where redirects have led from https
        of the same host, go its proxy, its User-Agent and the cookies which a browser's file has for http, too: of
        other headers and cookies the template does not say which give access.
        """
        if site and self._silence.is_unknown(site) and "max_retry_times" not in request.meta:
            request.meta.update({"max_retry_times": self._retries, _FEWER: True})
        fell = _fell(request, host_of(site))
        whom = f"http://{site}" if fell else site
        undress(request, whom)
        extras, empty = self._sites.extras(site), []
        if fell:  # Scrapy gives what goes to all sites to requests that lack it
            empty = [*self._sites.secret_headers(site)]
            request.headers.update(dict.fromkeys(empty, ()))
            extras = extras and extras.without_secrets(_AGENT)
        extras = extras or Extras({}, {}, [])
        worn = {name: value for name, value in extras.meta.items() if name not in request.meta}
        headers = [name for name in extras.headers if name not in request.headers]
        request.meta.update(worn)
        for name in headers:
            request.headers[name] = extras.headers[name]
        lacks_cookies = bool(extras.cookies) and not request.cookies
        if lacks_cookies:
            request.cookies = [*extras.cookies]  # type: ignore[list-item]
        if worn or headers or empty or lacks_cookies:
            request.meta[WORN] = (whom, [*worn], [*headers, *empty], lacks_cookies)

    def has_secrets(self, site: str) -> bool:
        """Whether the template sends a secret to a site."""
        return self._has_topic and has_secrets(self._kernel.template, host_of(site))

    # What sites ask for -------------------------------------------------------------------------

    def answered(self, request: Request, response: Response, site: str) -> None:
        """Leave a site alone as long as it asks (429, 503), also over restarts."""
        # A robots.txt that says "later" lets no page be asked for: each of them would ask for it once more.
        is_page = request in self._kernel.flights
        if is_page or not is_no_word(response.status):
            self._silence.answered(site, is_page=is_page)
        if request.meta.pop(_FEWER, False):  # a host that says 500 is there: as often as any other
            del request.meta["max_retry_times"]
        if response.status not in (TOO_MANY, 503) or not site:
            return
        header = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
        now = self._clock.wall()
        seconds = retry_after(header, now)
        if seconds is None and response.status == TOO_MANY:
            seconds = WITHOUT_RETRY_AFTER
        if seconds:
            self._sites.leave_alone(site, seconds, now)
            self._frontier.block(site, self._clock.steady() + seconds, for_all=True)

    def robots_parsed(self, flight: Flight, request: Request, parser: RobotParser) -> None:
        """Obey Crawl-delay, which Scrapy reads but does not keep to, up to crawl_delay_max."""
        seconds, site = float(parser.crawl_delay(self._agent) or 0.0), flight.waiting.site
        if seconds == self._sites.asked_delay(
            site
        ):  # else one that is asked no longer is forgotten
            return
        obeyed, was_cut = self._sites.crawl_delay(site, seconds)
        if was_cut:
            logger.warning(
                _("%s asks for %g s between requests; %g s are kept (politeness.crawl_delay_max)"),
                site,
                seconds,
                obeyed,
            )
        politeness = self._sites.politeness(site)
        self._frontier.set_politeness(site, politeness)
        self._kernel.transport.mirror(request, politeness.delay, politeness.concurrency, anew=True)

    # Quotas -------------------------------------------------------------------------------------

    def quota(self, flight: Flight) -> QuotaOutcome:
        """Park a URL that is one too many for its site (limits.per_site, over all runs)."""
        site = flight.waiting.site
        quota = self._quota(site)
        if not quota or flight.before:  # it counts pages, not visits
            return ""
        unsettled = sum(
            other.waiting.site == site and not other.failed and other.outcome not in NOT_FETCHED
            for other in self._kernel.flights.values()
        )
        return "parked" if self._pages_of(site) + unsettled > quota else ""

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Count a page of a site, or that it did not answer."""
        if flight.failed and not flight.status:
            site, is_known = flight.waiting.site, bool(flight.before)
            self._silence.failed(site, self._clock.wall(), is_known=is_known)
        self._unproven.let_come(self._frontier.may_come, ended=1)
        if not page.status or flight.failed or flight.before:
            return
        count = self.pages.put if self._quota(page.host) else self.pages.add
        count(page.host, self._pages_of(page.host) + 1)

    async def explain(self, question: Question) -> Iterable[Fact]:
        """Say how its site is asked, and what keeps it from being asked now."""
        site, wall, kernel = question.site, question.now, self._kernel
        facts = [self._how(site)]
        if seconds := self._sites.closed_for(site, wall):
            facts.append(Fact("hours", {"until": wall + seconds}))
        if (until := self._sites.left_until(site, wall)) > wall:
            facts.append(Fact("retry_after", {"until": until}))
        if quota := self._quota(site):
            is_used_up = self._pages_of(site) >= quota and not question.page
            facts.append(Fact("quota", {"pages": self._pages_of(site), "most": quota}, is_used_up))
        kept = (await kernel.store.facts(ROBOTS_KEPT, [site])).get(site)
        polite = kernel.template.site(host_of(site)).of(PolitenessTable)
        if kept and polite.robots:
            agent = str(self._agent)
            if not robots_allow(kept[2].encode("latin-1"), question.url, agent):
                facts.append(Fact("robots", {"agent": agent}, stops=True))
        return facts

    def _how(self, site: str) -> Fact:
        polite = self._sites.politeness(site)
        return Fact(
            "delay",
            {
                "seconds": polite.delay,
                "at_once": polite.concurrency,
                "from": self._sites.delay_from(site),
            },
        )

    def _pages_of(self, site: str) -> int:
        return self.pages.get(site) or 0

    def _quota(self, site: str) -> int:
        return self._kernel.template.site(host_of(site)).quota or 0

    def site(self, host: str) -> dict[str, Any]:
        """Return how a site is treated, and how many pages it has given."""
        return {"pages": self._pages_of(host), "delay_from": self._sites.delay_from(host)}


def retry_after(header: str, now: float) -> float | None:
    """Return the seconds a Retry-After header asks for (a number or a date); None: none it can be."""
    if header.isdecimal():
        return min(float(header), LONGEST_RETRY_AFTER)
    try:
        seconds = parsedate_to_datetime(header).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, seconds), LONGEST_RETRY_AFTER)
