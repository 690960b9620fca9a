"""Requests of our own to a site, beside those of its pages: with its robots.txt, pause and dress.

They are no URLs of the crawl and are not stored, as those for robots.txt are not.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy import Request
from scrapy.exceptions import IgnoreRequest

from focuscrawl.kernel.guard import PrivateAddress, PrivateHost
from focuscrawl.pages.content import Fetched
from focuscrawl.urls.sites import host_of, site_of

if TYPE_CHECKING:
    from scrapy.http import Response

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.slots import Slots
    from focuscrawl.running.manners import Manners
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

ASKED_SITE = "focuscrawl_site"
"""Key in ``Request.meta``: the site that is asked, for those who look for a flight in vain."""

MOST_REDIRECTS = 3
_FORBIDDEN = 403
"""The status that stands for an address which robots.txt does not allow."""


class Asking:
    """Asks sites for single addresses, in the place of their pages in the downloader."""

    def __init__(self, slots: Slots, manners: Manners, frontier: Frontier, clock: Clock) -> None:
        self._slots = slots
        self._manners = manners
        self._frontier = frontier
        self._clock = clock

    async def __call__(self, site: str, url: str) -> Fetched | None:
        """Return a site's answer, after redirects inside it; None when there was none.

        A redirect that leads elsewhere is not followed: it is the answer, with its target as
        address. What robots.txt forbids is answered by 403.
        """
        for _ in range(MOST_REDIRECTS):
            try:
                response = await self._slots.fetch(self._request(site, url))
            except (PrivateHost, PrivateAddress):
                return None
            except IgnoreRequest:
                return self._fetched(url, _FORBIDDEN)
            except Exception:
                logger.debug("%s has not answered", url, exc_info=True)
                return None
            if response.status == 429 or response.status >= 500:
                return None
            target = _target_of(response)
            if not target:
                return self._fetched(response.url, response.status, response)
            url = target
            if site_of(url) != site:
                break
        return self._fetched(url, 302)

    def _request(self, site: str, url: str) -> Request:
        meta = {
            ASKED_SITE: site,
            "download_slot": host_of(site),
            "dont_redirect": True,
            "dont_retry": True,
            "dont_cache": True,
            "handle_httpstatus_all": True,
        }
        request = Request(url, meta=meta, dont_filter=True)
        dress = self._manners.dress(site)
        if dress is not None:
            request.meta.update(dress.meta)
            request.headers.update(dress.headers)
            request.cookies = [*dress.cookies]
        politeness = self._frontier.politeness_of(site)
        self._slots.mirror(request, politeness.delay, politeness.concurrency)
        return request

    def _fetched(self, url: str, status: int, response: Response | None = None) -> Fetched:
        body, content_type = b"", ""
        if response is not None:
            body = response.body
            content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        return Fetched(url, status, body, content_type, self._clock.wall())


def _target_of(response: Response) -> str:
    """Return where an answer sends who asked; "" when it does not."""
    location = response.headers.get("Location") or b""
    if not 300 <= response.status < 400 or not location:
        return ""
    return urljoin(response.url, location.decode("utf-8", "replace"))
