"""What is learnt of a host by asking it: the scheme by which it answers (A8), and its robots.txt.

A page that cannot be reached by http is asked for by https, and the other way round. A robots.txt is
remembered: every run looks whether there is a newer one, and reads the old one if not. Scrapy's own
middleware asks for it once a run and site, by a request that is no URL of the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost
from w3lib.url import safe_url_string

from focuscrawl.features.politeness.sites import ROBOTS_KEPT, is_no_word
from focuscrawl.features.revisit.conditions import PageVersion
from focuscrawl.kernel.flight import Detour, flight_of
from focuscrawl.kernel.transport.guard import RobotsUnreached, RobotsUnread
from focuscrawl.kernel.transport.requests import ASKED_SITE, OTHER_SCHEME, by_other_scheme
from focuscrawl.middlewares import OfRun, OnAnswer
from focuscrawl.urls.actions import action_in
from focuscrawl.urls.same_pages import other_address, other_scheme
from focuscrawl.urls.sites import partition_of, site_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers

    from focuscrawl.kernel.flight import Flight

UNREACHABLE = (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    TunnelError,
    ConnectError,
    ConnectionDone,
    ConnectionLost,
    RobotsUnreached,
)
"""No answer came, though the host has an address: no server listens, or not by this scheme."""

FROM_THE_SITE = 500
"""Statuses from here on may be those of a proxy that cannot reach the site."""

NO_ANSWER = "no answer"

_ASKED = "focuscrawl_robots"
"""Key in ``Request.meta``: what is known of the robots.txt that is asked for."""

ROBOTS_RETRIES = 1
"""Times that a robots.txt is tried again at once: a host that never answers took two minutes by it alone."""

LONGEST_KEPT = 30 * 86400.0
"""Seconds for which a robots.txt that was read holds while it cannot be fetched."""

_LARGEST = 500_000
"""Bytes that crawlers must read of a robots.txt (RFC 9309); a larger one is not kept."""


ROBOTS_TXT = "robots.txt"


class KnownRules(NamedTuple):
    """A robots.txt as it was read, or confirmed, ``at`` (wall time); 0: by a version that did not note it.

    ``conditions`` are the names of the headers by which it is asked for; ``text`` is in Latin-1.
    """

    conditions: tuple[str, ...]
    etag: str
    modified: str
    text: str
    at: float = 0.0


def first_host(request: Request) -> str:
    """Return the host, with its port, of which a robots.txt is that may have been redirected."""
    first: str = request.meta.get("redirect_urls", [request.url])[0]
    return urlsplit(first).netloc


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
        has_secrets = self.run.hooks.sites.has_secrets(site)
        again = by_other_scheme(request, url, has_secrets=has_secrets)
        if again:
            again.meta[OTHER_SCHEME] = True
            flight.of(Detour).unreached = request.url
            if is_page:
                self.run.slots.ask_robots_again(url)
        return again


class AnswerMiddleware(OnAnswer):
    """Learns by which scheme sites answer. Before redirects are followed, which are answers, too."""

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Take the place out of a redirect that leads to no address at all, and keep few cookies."""
        if "Set-Cookie" in response.headers:
            self.run.slots.bound_cookies(request, urlsplit(response.url).hostname or "")
        response = _without_odd_location(response)
        if "Location" in response.headers and request not in self.run.flights:
            response = _without_form_for_robots(request, response)
        return super().process_response(request, response)

    def answered(self, flight: Flight, request: Request, response: Response) -> Response:
        """Learn it; from now on a page goes by the address that is answered."""
        if response.status >= FROM_THE_SITE or "cached" in response.flags:
            return response
        waiting, schemes = flight.waiting, self.run.rules.schemes
        detour = flight.of(Detour)
        if detour.passed_by and site_of(request.url) != waiting.site:
            return response  # of another host, on the way
        schemes.answered(waiting.site, request.url)
        if detour.unreached and request.url == other_scheme(detour.unreached):
            schemes.refused(waiting.site, detour.unreached)
        if request.url == other_scheme(waiting.url) and "redirect_urls" not in request.meta:
            flight.waiting, detour.by_other_scheme = waiting._replace(url=request.url), True
        return response


def _without_odd_location(response: Response) -> Response:
    """Return an answer whose Location can be read: Scrapy raises ValueError for ``http://[::bad/``, which was a
    failed fetch with a traceback, and the site's fault each time it was tried."""
    if "Location" not in response.headers:
        return response
    try:
        place = urljoin(response.url, safe_url_string(response.headers["Location"] or b""))
        _ = urlsplit(place).port
    except ValueError:
        headers = response.headers.copy()
        del headers["Location"]
        return response.replace(headers=headers)
    return response


def _is_robots_url(url: str) -> bool:
    return urlsplit(url).path == f"/{ROBOTS_TXT}"


def _without_form_for_robots(request: Request, response: Response) -> Response:
    """Return 404 for a robots.txt that leads to what a server has for any address which it does not know: a form, or a
    log-in, with this address in its query. A wiki led each run through three pages to its log-in.
    """
    asked, *_rest = request.meta.get("redirect_urls", (request.url,))
    if not request.meta.get("dont_obey_robotstxt") or not _is_robots_url(asked):
        return response
    place = urljoin(response.url, safe_url_string(response.headers["Location"] or b""))
    is_form = ROBOTS_TXT in urlsplit(place).query or bool(action_in(place))
    return Response(request.url, status=404, request=request) if is_form else response


def _is_robots(request: Request) -> bool:
    """Whether it is Scrapy's own request for a robots.txt, which is no URL of the crawl."""
    return bool(request.meta.get("dont_obey_robotstxt")) and request.url.endswith("/robots.txt")


class RobotsMiddleware(OfRun):
    """Asks for a robots.txt that is known only if there is a newer version, and for nothing else of a host whose
    robots.txt cannot be fetched now (RFC 9309, 2.3.1.4): its pages wait like those that fail.

    What was read of it in the last ``LONGEST_KEPT`` seconds holds meanwhile.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._has_cache = crawler.settings.getbool("HTTPCACHE_ENABLED")
        self._retries = min(ROBOTS_RETRIES, crawler.settings.getint("RETRY_TIMES"))
        self._unread: dict[str, str] = {}  # by netloc: why

    async def process_request(self, request: Request) -> None:
        """Set the conditions of the version that is known. Raises RobotsUnread."""
        asked: KnownRules | None = request.meta.pop(_ASKED, None)
        # Those of an earlier try, or of the address that led here, go.
        for name in asked.conditions if asked else ():
            del request.headers[name]
        if not self._is_robots(request):
            self._hold_back(request)
            return
        request.meta.setdefault("max_retry_times", self._retries)
        site = site_of(request.url)
        request.meta.setdefault(ASKED_SITE, site)  # whose Retry-After it is, wherever it is led
        # A site that its own proxy alone reaches is asked for this by it, too.
        self.run.hooks.sites.complete_request(request, site)
        kept = (await self.run.store.facts(ROBOTS_KEPT, [site])).get(site)
        if not kept or self._has_cache:  # which asks on conditions of its own
            return
        etag, modified, text, *at = kept
        conditions = {}
        if (etag or modified) and self.run.hooks.visits.trusts_unchanged(site):
            conditions = PageVersion(etag, modified).headers()
            request.headers.update(conditions)
        request.meta[_ASKED] = KnownRules(
            (*conditions,), etag, modified, text, at[0] if at else 0.0
        )

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep a new version, give the known one instead of a 304, or of an answer that says nothing of it."""
        if not self._is_robots(request):
            return response
        status, host = response.status, first_host(request)
        known: KnownRules | None = request.meta.get(_ASKED)
        if known and status == 304:
            self._note(site_of(request.url), known)
            return self._answer_of(request, known, response.headers)
        if is_no_word(status):
            if known and self._holds(known):
                return self._answer_of(request, known, response.headers)
            self._unread[host] = f"http {status}"
            return response
        self._unread.pop(host, None)
        if status == 200:
            text = response.body[:_LARGEST].decode("utf-8", "replace")
            for hear in self.run.hooks.robots_read:
                hear(site_of(request.url), text)
            if not self._has_cache:
                self._keep(site_of(request.url), response)
        return response

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """Return the known version where none can be fetched; what is not asked for forbids nothing."""
        if isinstance(exception, IgnoreRequest) or not self._is_robots(request):
            return None
        known: KnownRules | None = request.meta.get(_ASKED)
        if known and self._holds(known):
            return self._answer_of(request, known)
        self._unread[first_host(request)] = NO_ANSWER
        return None

    def _answer_of(
        self, request: Request, known: KnownRules, headers: Headers | None = None
    ) -> Response:
        self._unread.pop(first_host(request), None)
        body = known.text.encode("latin-1")
        return Response(request.url, headers=headers, body=body, request=request)

    def _holds(self, known: KnownRules) -> bool:
        return self.run.clock.wall() - known.at < LONGEST_KEPT

    def _hold_back(self, request: Request) -> None:
        """Let no page of a host be asked for whose robots.txt was not fetched; the next page asks for that again."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        if why := self._unread.get(urlsplit(request.url).netloc):
            self.run.slots.forget_robots(request.url)
            kind = RobotsUnreached if why == NO_ANSWER else RobotsUnread
            raise kind(f"robots.txt: {why}")

    def _keep(self, site: str, response: Response) -> None:
        version = PageVersion.of(response.headers)
        is_whole = not {"download_stopped", "dataloss"} & {*response.flags}
        fits = is_whole and len(response.body) <= _LARGEST
        text = response.body.decode("latin-1")
        self._note(site, KnownRules((), *version, text) if fits else None)

    def _note(self, site: str, known: KnownRules | None) -> None:
        """Note what holds from now on."""
        now = self.run.clock.wall()
        kept = [known.etag, known.modified, known.text, now] if known else None
        self.run.frontier.note_fact(ROBOTS_KEPT, site, kept, partition_of(site))

    def _is_robots(self, request: Request) -> bool:
        """Whether it is a request of Scrapy's; a page of the crawl may have that address, too."""
        return (
            self.run.is_open
            and request not in self.run.flights
            and request.method == "GET"
            and bool(request.meta.get("dont_obey_robotstxt"))
            and _is_robots_url(request.url)
        )
