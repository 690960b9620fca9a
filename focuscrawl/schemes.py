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

from focuscrawl.kernel.flight import flight_of
from focuscrawl.kernel.requests import OTHER_SCHEME, by_other_scheme
from focuscrawl.middlewares import OfRun, OnAnswer
from focuscrawl.urls.schemes import other_address, other_scheme

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from focuscrawl.kernel.flight import Flight

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
        """Ask by the other scheme, once; not at the address that has led here."""
        is_page, rules = request in self.run.flights, self.run.rules
        is_meant = (is_page or _is_robots(request)) and OTHER_SCHEME not in request.meta
        if not is_meant or not isinstance(exception, UNREACHABLE):
            return None
        flight = flight_of(self.run, request)
        site, before = flight.waiting.site, flight.before
        failed_before = bool(flight.tries or (before and before.failing_since is not None))
        if not rules.schemes.may_be_other(site, request.url, failed_before=failed_before):
            return None
        url = other_address(rules.canonicalizer, request.url)
        if not url or url in request.meta.get("redirect_urls", ()):
            return None
        has_secrets = any(is_secret(site) for is_secret in self.run.hooks.is_secret)
        again = by_other_scheme(request, url, has_secrets=has_secrets)
        if again:
            again.meta[OTHER_SCHEME] = True
            flight.unreached = request.url
            if is_page:
                self.run.slots.ask_robots_again(url)
        return again


class AnswerMiddleware(OnAnswer):
    """Learns by which scheme sites answer. Before redirects are followed, which are answers, too."""

    def answered(self, flight: Flight, request: Request, response: Response) -> Response:
        """Learn it; from now on a page goes by the address that is answered."""
        if response.status >= FROM_THE_SITE or "cached" in response.flags:
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
