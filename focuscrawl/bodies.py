"""The body of an answer: cut where it is too large, fetched again where it is not whole, unpacked, and read
in the encoding it is written in (C4).
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, cast

from scrapy import Request, signals
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import TextResponse

from focuscrawl.kernel.flight import flight_of
from focuscrawl.middlewares import OfRun
from focuscrawl.readers.pages.content import is_whole
from focuscrawl.readers.pages.document import MOST_MARKUP
from focuscrawl.readers.pages.encodings import codec_name, declared_in_header, find_encoding
from focuscrawl.urls.sites import host_of
from focuscrawl.values import CONTENT

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

LIMIT = "download_maxsize"
PARTIAL_CONTENT = 206
_WHOLE = re.compile(rb"bytes 0-(\d{1,18})/(\d{1,18})")
CORRUPT = "corrupt"
"""Reason of an answer whose body was packed, and of which nothing can be unpacked."""


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
        flight.fail(CORRUPT)
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
