"""robots.txt over runs: every run looks whether there is a newer one, and reads the old one if not.

Scrapy's own middleware asks for it once a run and site, by a request that is no URL of the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.http import Response

from focuscrawl.middlewares import OfRun
from focuscrawl.revisit.conditions import PageVersion
from focuscrawl.urls.sites import site_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

_FACT = "robots"
_ASKED = "focuscrawl_robots"
"""Key in ``Request.meta``: names of the headers we set, and the body that holds after a 304."""

_LARGEST = 500_000
"""Bytes that crawlers must read of a robots.txt (RFC 9309); a larger one is not kept."""


class RobotsMiddleware(OfRun):
    """Asks for a robots.txt that is known only if there is a newer version."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._has_cache = crawler.settings.getbool("HTTPCACHE_ENABLED")

    async def process_request(self, request: Request) -> None:
        """Set the conditions of the version that is known."""
        headers, _ = request.meta.pop(_ASKED, ((), b""))
        for name in headers:  # of an earlier try, or of the address that led here
            del request.headers[name]
        if not self._is_robots(request):
            return
        site = site_of(request.url)
        kept = (await self.run.store.facts(_FACT, [site])).get(site)
        if kept and all(believes(site) for believes in self.run.hooks.believes):
            etag, modified, text = kept
            conditions = PageVersion(etag, modified).headers()
            request.headers.update(conditions)
            request.meta[_ASKED] = [*conditions], text.encode("latin-1")

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep a new version, give the known one instead of a 304."""
        if not self._is_robots(request):
            return response
        if response.status == 304 and _ASKED in request.meta:
            _, body = request.meta[_ASKED]
            return Response(request.url, headers=response.headers, body=body, request=request)
        if response.status == 200:
            text = response.body[:_LARGEST].decode("utf-8", "replace")
            for hear in self.run.hooks.robots_read:
                hear(site_of(request.url), text)
            self._keep(site_of(request.url), response)
        return response

    def _keep(self, site: str, response: Response) -> None:
        version = PageVersion.of(response.headers)
        is_whole = not {"download_stopped", "dataloss"} & {*response.flags}
        kept = None
        if any(version) and is_whole and len(response.body) <= _LARGEST:
            kept = [*version, response.body.decode("latin-1")]
        self.run.frontier.note_fact(_FACT, site, kept)

    def _is_robots(self, request: Request) -> bool:
        """Whether it is a request of Scrapy's; a page of the crawl may have that address, too."""
        return (
            self.run.is_open
            and not self._has_cache  # which does the same by its own policy
            and request not in self.run.flights
            and request.method == "GET"
            and bool(request.meta.get("dont_obey_robotstxt"))
            and urlsplit(request.url).path == "/robots.txt"
        )
