"""Scrapy's middlewares: glue only, the rules live in the rooms.

Downloader: what became of a fetch (kept with its flight), conditional requests, Retry-After and
Crawl-delay, the quota of a site, bodies that were cut, encodings. Spider: a page's LinkBatch goes
to the scheduler.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, signals
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import IgnoreRequest, NotSupported, StopDownload
from scrapy.http import TextResponse

from focuscrawl.frontier.page_states import CONTENT
from focuscrawl.kernel.feature import HeldPage
from focuscrawl.kernel.flight import ENDED, LONGEST_REASON, Flight, flight_of
from focuscrawl.kernel.guard import PrivateAddress, PrivateHost
from focuscrawl.kernel.items import ChangeFailed
from focuscrawl.kernel.requests import ASKED_SITE, CONDITIONS_SET, FLIGHT, UNASKED, has_condition
from focuscrawl.kernel.run import Run
from focuscrawl.links.admission import in_parts
from focuscrawl.pages.content import is_whole
from focuscrawl.pages.document import MOST_MARKUP
from focuscrawl.pages.encodings import codec_name, declared_in_header, find_encoding
from focuscrawl.urls.private import PRIVATE, PRIVATE_ADDRESS
from focuscrawl.urls.sites import host_of
from focuscrawl.values import LinkBatch

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from focuscrawl.scheduler import Scheduler

logger = logging.getLogger(__name__)

_GONE = frozenset({404, 410})
_NOT_MODIFIED = 304

BROKEN_OFF = ("Lost", "ConnectionDone", "ResponseFailed", "DownloadFailed", "NeverReceived")
"""Parts of the names of exceptions that say that an answer began too late or not at all."""

LIMIT = "download_maxsize"
PARTIAL_CONTENT = 206
_WHOLE = re.compile(rb"bytes 0-(\d{1,18})/(\d{1,18})")
CORRUPT = "corrupt"
"""Reason of an answer whose body was packed, and of which nothing can be unpacked."""


class Quota(IgnoreRequest):
    """A site has given as many pages as ``limits.per_site`` allows."""


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
        self.run.tally.counters["answers"] += 1
        if flight.unchanged:
            flight.outcome, flight.reason = "unchanged", ""
        elif response.status in self._failures or response.status == _NOT_MODIFIED:
            _fail(flight, f"http {response.status}")
        elif response.status in _GONE:
            flight.outcome, flight.reason = "gone", f"http {response.status}"
        elif not 200 <= response.status < 300:
            flight.outcome, flight.reason = "error", f"http {response.status}"
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note why nothing came."""
        flight = flight_of(self.run, request)
        if isinstance(exception, Quota):
            flight.outcome, flight.reason = "parked", "quota"
        elif isinstance(exception, Banned):
            flight.outcome, flight.reason = "refused", str(exception)
        elif isinstance(exception, PrivateHost):
            flight.outcome, flight.reason = "refused", PRIVATE
        elif isinstance(exception, IgnoreRequest) and not isinstance(exception, PrivateAddress):
            flight.outcome, flight.reason = "refused", _why_ignored(str(exception))
        elif isinstance(exception, NotSupported):
            flight.outcome, flight.reason = "refused", "scheme"
        else:
            _fail(flight, _name_of(exception))

    def _callback_failed(self, failure: Failure, response: Any) -> None:
        self._behind(response).failed = f"callback: {_type_of(failure)}"

    async def _item_failed(self, item: Any, failure: Failure, response: Any) -> None:
        error, kind = failure.value, failure.type
        self._behind(response).failed = f"pipeline: {_type_of(failure)}"
        await self.run.items.lost(
            item, error if isinstance(error, Exception) else RuntimeError(kind)
        )

    async def _item_dropped(self, item: Any, response: Any, exception: Exception) -> None:
        is_said = False
        try:
            is_said = await self.run.items.lost(item, exception)
        except ChangeFailed as error:
            self._behind(response).failed = f"pipeline: {type(error).__name__}"
        page = self._behind(response).page
        if page is not None and not is_said:  # else the row of its first page says so
            page.outcome = getattr(exception, "outcome", "dropped")
            page.reason = getattr(exception, "reason", page.reason)[:LONGEST_REASON]

    def _behind(self, response: Any) -> Flight:
        """Return the flight of the page that an item is from; many an item is from none."""
        return flight_of(self.run, getattr(response, "request", None) or ENDED)


def _fail(flight: Flight, reason: str) -> None:
    """Note that a fetch has failed: it comes back later, unless an errback of its own deals with it."""
    flight.outcome, flight.reason = "error", reason
    if flight.request.errback is None:
        flight.failed = reason


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
        for change in self.run.hooks.before_wire:
            change(flight, request)

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
    """Lets all hear of an answer, one that asks to be left alone above all (429, 503).

    Before Scrapy's retry middleware.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Tell of it."""
        flights = self.run.flights
        asked = request.meta.get(ASKED_SITE, "")
        site = flights[request].waiting.site if request in flights else asked
        for hear in self.run.hooks.answered:
            hear(request, response, site)
        return response


class OnBody(OfRun):
    """One that takes no body for whole that is not. A robots.txt is one, too."""

    def again(self, request: Request, reason: str, **headers: str) -> Request | None:
        """Return a request to be sent anew, past all caches; None when it was sent often enough."""
        if request.meta.get("dont_retry"):
            return None
        anew, spider = request.copy(), cast("Spider", self._crawler.spider)
        anew.meta["dont_cache"] = True
        anew.headers.update(headers)
        return get_retry_request(anew, spider=spider, reason=reason)

    def as_truncated(self, request: Request, response: Response) -> Response:
        """Take a part of a page for want of the whole. Raises IgnoreRequest when it is no gain."""
        if request not in self.run.flights:
            return response
        flight = self.run.flights[request]
        flight.mark = "truncated"
        is_known = flight.before and flight.before.page_class in CONTENT
        if is_known or not response.body:
            # What is known is whole, or no worse: half a page is no news, and nothing to keep.
            flight.status, flight.failed = response.status, flight.mark
            raise IgnoreRequest(flight.mark)
        return response


class BodyMiddleware(OnBody):
    """Cuts bodies at DOWNLOAD_MAXSIZE and marks those that were cut or came short.

    Scrapy throws a body away that is too large; here its first part is kept. A body that ends
    before its declared length or its last chunk is fetched again like any failure, and what came is
    taken when it stays so, if anything came. One that declares neither is whole where its connection ends.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._received: dict[Request, int] = {}
        if self._limit:
            crawler.signals.connect(self._bytes_received, signals.bytes_received)
            crawler.signals.connect(self._left_downloader, signals.request_left_downloader)

    def process_request(self, request: Request) -> None:
        """Keep Scrapy from throwing the body away."""
        if self._limit:
            request.meta[LIMIT] = 0

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Mark a body, or fetch it again."""
        if self._limit:
            request.meta[LIMIT] = self._limit  # holds for what a packed body becomes
        if "download_stopped" in response.flags:
            flight_of(self.run, request).mark = "oversized"
        elif _is_page(response) and ("dataloss" in response.flags or _is_part(request, response)):
            return self.again(request, "truncated") or self.as_truncated(request, response)
        return response

    def _bytes_received(self, data: bytes, request: Request) -> None:
        size = self._received.get(request, 0) + len(data)
        self._received[request] = size
        if size > self._limit:
            raise StopDownload(fail=False)

    def _left_downloader(self, request: Request) -> None:
        self._received.pop(request, None)


class UnpackingMiddleware(OnBody):
    """Unpacks bodies as Scrapy does, and tells what is broken from what is too large.

    Unpacking what is broken ends in an exception of any class, or in silence when only the end is
    lost. Such a body is fetched again, unpacked if the server can do that. When it stays so, the
    part of a page is taken, and nothing at all is a failure.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._unpacking = HttpCompressionMiddleware.from_crawler(crawler)

    def process_request(self, request: Request) -> None:
        """Say what can be unpacked."""
        self._unpacking.process_request(request)

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Unpack a body, or fetch it again."""
        encoding = (response.headers.get("Content-Encoding") or b"").decode("latin-1")
        if not encoding:
            return response
        try:
            unpacked = self._unpacking.process_response(request, response)
        except IgnoreRequest:  # small on the wire, too large when unpacked
            flight = flight_of(self.run, request)
            flight.outcome, flight.reason = "refused", "oversized"
            raise
        except Exception as error:  # noqa: BLE001 - each library that unpacks has its own
            return self._broken(request, response, error)
        was_cut = {"download_stopped", "dataloss"} & {*response.flags}
        if was_cut or isinstance(unpacked, Request) or not _is_page(response):
            return unpacked
        if not is_whole(response.body, encoding.rpartition(",")[2].strip().lower(), unpacked.body):
            if not unpacked.body:
                return self._broken(request, response, EOFError("nothing can be unpacked"))
            return self._unpacked_by_server(request) or self.as_truncated(request, unpacked)
        return unpacked

    def _broken(self, request: Request, response: Response, error: Exception) -> Response | Request:
        flight = flight_of(self.run, request)
        if not _is_page(response):  # its status says it all
            response = response.replace(body=b"")
            del response.headers["Content-Encoding"]
            return response
        if "download_stopped" in response.flags:
            flight.outcome, flight.reason = "refused", "oversized"
            raise IgnoreRequest("of a body that was cut nothing can be unpacked") from error
        if again := self._unpacked_by_server(request):
            return again
        flight.status = response.status
        _fail(flight, CORRUPT)
        logger.info("%s: its body cannot be unpacked (%s)", response.url, error)
        raise IgnoreRequest(CORRUPT) from error

    def _unpacked_by_server(self, request: Request) -> Request | None:
        return self.again(request, CORRUPT, **{"Accept-Encoding": "identity"})


def _is_page(response: Response) -> bool:
    return 200 <= response.status < 300


def _is_part(request: Request, response: Response) -> bool:
    """Whether a server has sent a part of what it was asked for as a whole."""
    if response.status != PARTIAL_CONTENT or "Range" in request.headers:
        return False
    whole = _WHOLE.match(response.headers.get("Content-Range") or b"")
    return not (whole and int(whole[1]) + 1 == int(whole[2]))


class EncodingMiddleware(OfRun):
    """Gives a response the encoding its body is written in (C4), where its header is not that.

    Behind the middlewares that unpack bodies, so that every callback sees characters. What was
    found is kept with the flight: the judge need not look again.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        """Replace the encoding, if it must be."""
        flight = flight_of(self.run, request)
        flight.encoding = None
        if isinstance(response, TextResponse) and response.body:
            found = flight.encoding = find_encoding(
                response.body[:MOST_MARKUP],
                content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
                forced=self.run.template.site(host_of(flight.waiting.site)).encoding,
                url=response.url,
            )
            if not is_read_with(response, found.name):
                response = response.replace(encoding=found.name)
        return response


def is_read_with(response: TextResponse, name: str) -> bool:
    """Whether Scrapy reads a response with an encoding of its own accord: its header names it.

    What a page says of itself is not looked for: giving the encoding is cheaper than that.
    """
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return codec_name(declared_in_header(content_type)) == name


class Banned(IgnoreRequest):
    """A site is banned by hand, or by the published form's count of pages."""


class VisitMiddleware(OnRequest):
    """Finds out what is known of a page that is visited again, before anything else is asked."""

    async def before_fetch(self, flight: Flight, request: Request) -> None:
        """Put the page's state into its flight."""
        for find_out in self.run.hooks.before_fetch:
            await find_out(flight)


class BanMiddleware(OnRequest):
    """Asks the ledger again when a URL is taken: somebody may have banned its site since.

    Bans by rate are the order's own matter: it keeps the URLs of a banned folder and now and then
    tries one. Those of the published form (E2) are for links when they are found.
    """

    def before_fetch(self, flight: Flight, request: Request) -> None:
        """Stop a request to a banned site."""
        for ban in self.run.hooks.ban:
            if why := ban(flight):
                raise Banned(why)


class QuotaMiddleware(OnRequest):
    """Holds limits.per_site: the pages of one site, over all runs."""

    def before_fetch(self, flight: Flight, request: Request) -> None:
        """Stop a request to a site that has given its share."""
        if any(is_used_up(flight) for is_used_up in self.run.hooks.quota):
            raise Quota(f"limits.per_site: {flight.waiting.site} has given its share")


class CrawlDelay(OfRun):
    """Tells what Scrapy makes of a robots.txt: it reads Crawl-delay, but does not keep to it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self._robots_parsed, signals.robots_parsed)

    def _robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        flights = self.run.flights
        for hear in self.run.hooks.robots_parsed if request in flights else ():
            hear(flights[request], request, robotparser)


class LinkBatchMiddleware(OfRun):
    """Takes the LinkBatch out of what a callback yields. Nearest to the spider: no other sees it."""

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Hand batches to the scheduler; requests get to know the page they come from."""
        request, flights, hooks = response.request, self.run.flights, self.run.hooks
        if request not in flights:  # somebody only looks, who follows no links
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
