"""A page that cannot be reached by http is asked for by https, and the other way round (A8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost

from focuscrawl.kernel.requests import OTHER_SCHEME, by_other_scheme
from focuscrawl.middlewares import OfRun
from focuscrawl.urls.schemes import other_address, other_scheme

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

UNREACHABLE = (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    TunnelError,
    ConnectError,
    ConnectionDone,
    ConnectionLost,
)
"""No answer came, though the host has an address: nobody listens, or does not speak this scheme."""

FROM_THE_SITE = 500
"""Statuses from here on may be those of a proxy that cannot reach the site."""


class SchemeMiddleware(OfRun):
    """Tries the other scheme before a page, or robots.txt, counts as failed.

    Next to OutcomeMiddleware, behind the retries. A page goes on under its row, as a redirect does;
    after a kill it begins anew, with what was learnt.
    """

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Ask by the other scheme, once."""
        if not isinstance(exception, UNREACHABLE) or OTHER_SCHEME in request.meta:
            return None
        flight = self.run.flights.get(request)
        if flight is not None:
            waiting, before = flight.waiting, flight.before
            is_failing = before is not None and before.failing_since is not None
            failed_before = bool(flight.tries) or is_failing
            site = waiting.site
        else:
            address = (
                self.run.rules.canonicalizer.address(request.url) if _is_robots(request) else None
            )
            if address is None:
                return None
            site, failed_before = address.site, False
        url = self._other(request, site, failed_before)
        if not url:
            return None
        has_secrets = any(is_secret(site) for is_secret in self.run.hooks.is_secret)
        again = by_other_scheme(request, url, has_secrets=has_secrets)
        if again is None:
            return None
        again.meta[OTHER_SCHEME] = True
        if flight is not None:
            flight.unreached = request.url
            self.run.slots.ask_robots_again(url)
        return again

    def _other(self, request: Request, site: str, failed_before: bool) -> str:
        """Return the address to try; "" for none, or for one that has led here."""
        schemes = self.run.rules.schemes
        if not schemes.may_be_other(site, request.url, failed_before=failed_before):
            return ""
        url = other_address(self.run.rules.canonicalizer, request.url)
        return "" if url in request.meta.get("redirect_urls", ()) else url


class AnswerMiddleware(OfRun):
    """Learns by which scheme sites answer. Before redirects are followed, which are answers, too."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Learn it; from now on a page goes by the address that is answered."""
        flight = self.run.flights.get(request)
        if flight is None or response.status >= FROM_THE_SITE or "cached" in response.flags:
            return response
        waiting, schemes = flight.waiting, self.run.rules.schemes
        schemes.answered(waiting.site, request.url)
        if flight.unreached and request.url == other_scheme(flight.unreached):
            schemes.refused(waiting.site, flight.unreached)
        if request.url == other_scheme(waiting.url) and "redirect_urls" not in request.meta:
            flight.waiting, flight.by_other_scheme = waiting._replace(url=request.url), True
        return response


def _is_robots(request: Request) -> bool:
    """Whether it is Scrapy's own request for a robots.txt, which is no URL of the crawl."""
    return bool(request.meta.get("dont_obey_robotstxt")) and request.url.endswith("/robots.txt")
