"""Scrapy's middlewares: glue only, the rules live in the rooms.

Downloader: what became of a fetch (kept with its flight), conditional requests, Retry-After and
Crawl-delay, bans, the quota of a site. Spider: a page's LinkBatch goes to the scheduler.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, NotSupported

from focuscrawl.kernel.feature import HeldPage
from focuscrawl.kernel.flight import LONGEST_REASON, Detour, Flight, flight_of
from focuscrawl.kernel.items import ChangeFailed
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.transport.guard import (
    Banned,
    PrivateAddress,
    PrivateHost,
    RobotsUnread,
    Withdrawn,
)
from focuscrawl.kernel.transport.requests import (
    ASKED_SITE,
    CONDITIONS_SET,
    ENDED,
    FLIGHT,
    UNASKED,
    has_condition,
)
from focuscrawl.kernel.transport.slots import PutBack
from focuscrawl.readers.links.admission import in_parts
from focuscrawl.urls.private import PRIVATE, PRIVATE_ADDRESS
from focuscrawl.urls.sites import site_of
from focuscrawl.values import LinkBatch, QuotaOutcome

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from focuscrawl.scheduler import Scheduler

logger = logging.getLogger(__name__)

_GONE_STATUSES = frozenset({404, 410})
_NOT_MODIFIED = 304

BROKEN_OFF = ("Lost", "ConnectionDone", "ResponseFailed", "DownloadFailed", "NeverReceived")
"""Parts of the names of exceptions that say that an answer began too late or not at all."""


class Quota(IgnoreRequest):
    """A quota of its site stops a URL; ``outcome`` is what becomes of it."""

    def __init__(self, outcome: QuotaOutcome, site: str) -> None:
        super().__init__(f"a quota of {site} is used up")
        self.outcome = outcome


class OfRun:
    """A part that Scrapy makes for a crawler, and finds its run."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawler."""
        return cls(crawler)


# A URL of the crawl has a flight; a request for a robots.txt, say, has none, and mostly passes as it is.
# These find out which it is, one for each of Scrapy's moments: a middleware is made of those it needs, for
# Scrapy calls every method that is there.


class OnRequest(OfRun):
    """One that acts on URLs of the crawl before they are fetched."""

    def process_request(self, request: Request) -> Any:
        """Find out whose it is."""
        flight = self.run.flights.get(request)
        return None if flight is None else self.before_fetch(flight, request)

    def before_fetch(self, flight: Flight, request: Request) -> Any:
        """Act on it; what it returns goes to Scrapy."""
        raise NotImplementedError


class OnAnswer(OfRun):
    """One that acts on the answers for URLs of the crawl."""

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Find out whose it is."""
        flight = self.run.flights.get(request)
        return response if flight is None else self.answered(flight, request, response)

    def answered(self, flight: Flight, request: Request, response: Response) -> Response | Request:
        """Act on it; what is returned goes on."""
        raise NotImplementedError


_COME_AGAIN = PrivateAddress, RobotsUnread
"""What is not asked for now, but is tried again as what failed."""


class OutcomeMiddleware(OnAnswer):
    """Keeps with each flight how its fetch ended. Nearest to the engine: it sees what is final."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._failures = {int(code) for code in crawler.settings.getlist("RETRY_HTTP_CODES")}
        crawler.signals.connect(self._callback_failed, signals.spider_error)
        crawler.signals.connect(self._item_failed, signals.item_error)
        crawler.signals.connect(self._item_dropped, signals.item_dropped)

    def answered(self, flight: Flight, request: Request, response: Response) -> Response:
        """Note the status; a failure that the retries did not cure comes back later."""
        flight.status = response.status
        if flight.of(Detour).passed_by and site_of(response.url) != flight.waiting.site:
            flight.outcome, flight.reason = "refused", "scope"  # it does not lead back
            return _kept_quiet(request, response)
        self.run.tally.counters["answers"] += 1
        if flight.unchanged:
            flight.outcome, flight.reason = "unchanged", ""
        elif response.status in self._failures or response.status == _NOT_MODIFIED:
            flight.fail(f"http {response.status}")
        elif response.status in _GONE_STATUSES:
            flight.outcome, flight.reason = "gone", f"http {response.status}"
        elif not 200 <= response.status < 300:
            flight.outcome, flight.reason = "error", f"http {response.status}"
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note why nothing came."""
        flight = flight_of(self.run, request)
        if isinstance(exception, Quota) and exception.outcome == "waiting":
            flight.is_withdrawn = True
        elif isinstance(exception, Quota):
            flight.outcome, flight.reason = exception.outcome, "quota"
        elif isinstance(exception, Banned):
            flight.outcome, flight.reason = "refused", str(exception)
        elif isinstance(exception, PrivateHost):
            flight.outcome, flight.reason = "refused", PRIVATE
        elif isinstance(exception, Withdrawn):
            flight.is_withdrawn = True
        elif isinstance(exception, IgnoreRequest) and not isinstance(exception, _COME_AGAIN):
            flight.outcome, flight.reason = "refused", _why_ignored(str(exception))
        elif isinstance(exception, NotSupported):
            flight.outcome, flight.reason = "refused", "scheme"
        else:
            flight.fail(_name_of(exception))

    def _callback_failed(self, failure: Failure, response: Any) -> None:
        self._behind(response).failed = f"callback: {_type_of(failure)}"

    async def _item_failed(self, item: Any, failure: Failure, response: Any) -> None:
        self._behind(response).failed = f"pipeline: {_type_of(failure)}"
        error: Any = failure.value
        error = error if isinstance(error, Exception) else RuntimeError(failure.type)
        await self.run.items.lost(item, error)

    async def _item_dropped(self, item: Any, response: Any, exception: Exception) -> None:
        is_said = False
        try:
            is_said = await self.run.items.lost(item, exception)
        except ChangeFailed as error:
            self._behind(response).failed = f"pipeline: {type(error).__name__}"
        if isinstance(exception, PutBack) and not is_said:
            self._behind(response).is_withdrawn = True
            return
        page = self._behind(response).page
        if page is not None and not is_said:  # else the row of its first page says so
            page.outcome = getattr(exception, "outcome", "dropped")
            page.reason = getattr(exception, "reason", page.reason)[:LONGEST_REASON]

    def _behind(self, response: Any) -> Flight:
        """Return the flight of the page that an item is from; many an item is from none."""
        return flight_of(self.run, getattr(response, "request", None) or ENDED)


def _type_of(failure: Failure) -> str:
    return failure.type.__name__ if failure.type else ""


def _why_ignored(words: str) -> str:
    """Name the middleware that gave a request up."""
    if "robots.txt" in words:
        return "robots"
    return "oversized" if "DOWNLOAD_MAXSIZE" in words else "ignored"


def _name_of(exception: Exception) -> str:
    """Name a network failure: timeout, dns, private address, or the class that raised it."""
    name = type(exception).__name__
    if isinstance(exception, PrivateAddress):
        return PRIVATE_ADDRESS
    if isinstance(exception, RobotsUnread):
        return str(exception)
    if "Timeout" in name or "timed out" in str(exception).lower():
        return "timeout"
    if "DNS" in name or "Resolve" in name:
        return "dns"
    if "Refused" in name:
        return "connection refused"
    if any(word in name for word in BROKEN_OFF):
        return "connection lost"
    if "Tunnel" in name:
        return "proxy"
    return name


class ConditionMiddleware(OnRequest, OnAnswer):
    """Asks for pages that are known only if there is a newer version (ETag, Last-Modified).

    Behind the middlewares that set headers, so that a user's own condition is seen, which wins. A
    304 ends its URL as unchanged; no callback sees it, unless the user asked for it and takes it.
    """

    def before_fetch(self, flight: Flight, request: Request) -> None:
        """Let a page be asked for on a condition."""
        self.run.hooks.visits.add_conditions(flight, request)

    def answered(self, flight: Flight, request: Request, response: Response) -> Response | Request:
        """End the page that has no newer version."""
        flight.unchanged = response.status == _NOT_MODIFIED and has_condition(request)
        if response.status != _NOT_MODIFIED:
            return response
        if not flight.unchanged:
            return self._unasked(request, response)
        if CONDITIONS_SET not in request.meta and self._is_taken(request):
            return response
        return _kept_quiet(request, response)

    def _unasked(self, request: Request, response: Response) -> Response | Request:
        """Ask once more, past all caches; a server that does it again has failed."""
        if UNASKED in request.meta:
            return response
        self.run.tally.counters["unasked_304"] += 1
        again = request.replace(dont_filter=True)
        again.meta.update({UNASKED: True, "dont_cache": True})
        again.headers.setdefault("Cache-Control", "no-cache")
        return again

    def _is_taken(self, request: Request) -> bool:
        """Whether the user's own callback takes a 304."""
        meta, settings = request.meta, self._crawler.settings
        if meta.get("handle_httpstatus_all") or settings.getbool("HTTPERROR_ALLOW_ALL"):
            return True
        general = settings.getlist("HTTPERROR_ALLOWED_CODES")
        taken = getattr(self._crawler.spider, "handle_httpstatus_list", general)
        taken = meta.get("handle_httpstatus_list", taken)
        return _NOT_MODIFIED in {int(status) for status in taken}


def _kept_quiet(request: Request, response: Response) -> Response:
    """Return an answer that reaches neither callback nor errback, and is no error on its way."""
    quiet = request.replace(callback=_nothing, errback=None, cb_kwargs={})
    quiet.meta["handle_httpstatus_list"] = [response.status]
    return response.replace(request=quiet)


def _nothing(response: Response) -> None:
    """Parse nothing."""


class RetryAfterMiddleware(OfRun):
    """Passes each answer to the features, above all one that asks to be left alone (429, 503).

    Before Scrapy's retry middleware.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Call the features' hooks with it."""
        flights = self.run.flights
        asked = request.meta.get(ASKED_SITE, "")
        site = flights[request].waiting.site if request in flights else asked
        for hear in self.run.hooks.answered:
            hear(request, response, site)
        return response


class VisitMiddleware(OnRequest):
    """Finds out what is known of a page that is visited again, before anything else is asked."""

    async def before_fetch(self, flight: Flight, request: Request) -> None:
        """Put the page's state into its flight."""
        for find_out in self.run.hooks.before_fetch:
            await find_out(flight)


class BanMiddleware(OnRequest):
    """Asks the black list (E2) when a URL is taken: a person may have banned its site since it was found.

    A site goes onto the list by ``features.explore.ledger.Ledger.judged``: too many of its pages were irrelevant. A ban by
    count (published form) stops links when they are found. A ban by rate is the matter of the order: it
    keeps the URLs of a banned folder and now and then tries one.
    """

    def before_fetch(self, flight: Flight, request: Request) -> None:
        """Stop a request to a banned site. Raises Banned."""
        explorer, wall = self.run.rules.explorer, self.run.clock.wall()
        if explorer and (why := explorer.why_banned(flight.waiting, wall)):
            raise Banned(why)


class QuotaMiddleware(OnRequest):
    """Asks the quotas of a site when a URL is taken: R of an unknown site (E4), which was asked when the link was
    found and may have been lowered since, and limits.per_site (pages over all runs).
    """

    def before_fetch(self, flight: Flight, request: Request) -> None:
        """Stop a request to a site that has given its share. Raises Quota."""
        waiting, explorer = flight.waiting, self.run.rules.explorer
        if explorer and (outcome := explorer.over_quota(waiting, flight.sequence)):
            raise Quota(outcome, waiting.site)
        if outcome := self.run.hooks.sites.quota(flight):
            raise Quota(outcome, waiting.site)


class CrawlDelay(OfRun):
    """Tells what Scrapy makes of a robots.txt: it reads Crawl-delay, but does not keep to it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self._robots_parsed, signals.robots_parsed)

    def _robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        flights = self.run.flights
        if request in flights:
            self.run.hooks.sites.robots_parsed(flights[request], request, robotparser)


class LinkBatchMiddleware(OfRun):
    """Takes the LinkBatch out of what a callback yields. Nearest to the spider: no other sees it."""

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Hand batches to the scheduler; requests get to know the page they come from."""
        request, flights, hooks = response.request, self.run.flights, self.run.hooks
        if request not in flights:  # a user only looks, and follows no links
            async for output in result:
                if not isinstance(output, LinkBatch):
                    yield output
            return
        flight = flights[request]
        for recall in hooks.before_read:
            await recall(flight)
        async for output in result:  # the page is judged when it is asked for what it gives
            for hear in hooks.given:
                await hear(flight, output)
            if isinstance(output, HeldPage):
                await output.doubt.clear_up()  # then the spider goes on
            elif isinstance(output, LinkBatch):
                await self._follow(flight, output)
            else:
                if isinstance(output, Request):
                    output.meta[FLIGHT] = flight
                yield output

    async def _follow(self, flight: Flight, batch: LinkBatch) -> None:
        """Hand over a batch; others have their turn between the parts of a long one."""
        hooks, scheduler = self.run.hooks, cast("Scheduler", self._crawler.engine.scheduler)
        if not all([await hook(flight, batch) is not False for hook in hooks.before_links]):
            return
        for number, part in enumerate(in_parts(batch)):
            if number:
                await asyncio.sleep(0)
            scheduler.admit(flight, part)
        for hear in hooks.after_links:
            await hear(flight, batch)
