"""Requests as plain values, and back: what a row keeps of a Request.

Only plain values are stored (None, bool, int, float, str, bytes, list, tuple, dict); callbacks and
errbacks by the name of the spider's method. Never pickle: a crawl file must not run code.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.utils.request import request_from_dict

from focuscrawl.kernel.transport.guard import PrivateAddress, PrivateHost, RobotsUnread
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.urls.canonical import key_number
from focuscrawl.urls.sites import host_of, partition_of, site_of
from focuscrawl.values import Json, PageClass, Waiting

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.feature import Hooks
    from focuscrawl.kernel.transport.slots import Slots
    from focuscrawl.readers.pages.encodings import Encoding
    from focuscrawl.urls.canonical import Canonicalizer
    from focuscrawl.values import Clock

ENDED: Final = Request("data:,")
"""What a flight has in place of the request of a URL that has ended, or was never sent."""

FLIGHT = "focuscrawl_flight"
"""Key in ``Request.meta`` of the flight in this process; never stored."""

OWN = "focuscrawl"
"""Key in ``Request.meta`` by which a spider names ``level`` and ``class`` of a request.

``volatile``: it is not to be stored, since its maker asks again after a crash.
"""

UNASKED = "focuscrawl_unasked"
"""Key in ``Request.meta``: it was answered 304, though it set no condition."""

CONDITIONAL = ("If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range")
CONDITIONS_SET = "focuscrawl_conditions"
"""Key in ``Request.meta``: names of the headers by which we ask for a newer version only."""

OTHER_SCHEME = "focuscrawl_other_scheme"
"""Key in ``Request.meta``: it is asked for by the other scheme, since its own was not answered."""

PASSING = frozenset(
    {FLIGHT, UNASKED, OTHER_SCHEME, "download_slot", "download_latency", "download_timeout"}
)
"""Entries of meta that belong to one fetch."""

WORN = "focuscrawl_worn"
"""Key in ``Request.meta`` of what it was given for a site: for whom, names of meta values, names of headers, and
whether cookies, too."""

VERBATIM = "verbatim_url"
"""Scrapy's key in ``Request.meta`` for an address that is to be left as it is."""


def has_condition(request: Request) -> bool:
    """Whether a request asks for an answer on conditions, a user's own or ours."""
    return any(name in request.headers for name in CONDITIONAL)


def undress(request: Request, whom: str = "") -> None:
    """Take off what a request was given for another site: a redirect is made of the request that was redirected, and a
    token of the one site is for no other. A retry keeps it.
    """
    worn_for, values, headers, has_cookies = request.meta.get(WORN, (whom, (), (), False))
    if worn_for == whom:
        return
    del request.meta[WORN]
    for name in values:
        request.meta.pop(name, None)
    for name in headers:
        request.headers.pop(name, None)
    if has_cookies:
        request.cookies = {}
        request.headers.pop("Cookie", None)
    if "proxy" in values:  # what Scrapy has made of its name and password
        request.meta.pop("_auth_proxy", None)
        request.headers.pop("Proxy-Authorization", None)


TUPLE = "focuscrawl:tuple"

_MOST_PRIORITY = 2**53
"""Beyond, and below the negative of it, priorities are one: the crawl file has 64 bits for them."""


class Unstorable(ValueError):
    """The request holds something that has no plain value."""


def to_waiting(
    request: Request, canonicalizer: Canonicalizer, parent: Waiting | None, levels: int
) -> tuple[Waiting, int]:
    """Return a request as the frontier takes it, and its 64-bit key number.

    ``meta["focuscrawl"]`` may name level and class; else a start request waits one below the top
    and a found one a level below its parent. Raises ValueError for an address that is none.
    """
    address = canonicalizer.address(request.url)
    if not address:
        raise ValueError(f"not an http(s) address: {request.url!r}")
    key, number = address.key, address.number
    if request.method != "GET" or request.body:
        key = hashlib.md5(b"\n".join([key, request.method.encode(), request.body])).digest()
        number = key_number(key, partition_of(address.site))
    named: Json = request.meta.get(OWN) or {}
    start_level = max(1, levels - 1)
    level = int(named.get("level") or (max(1, parent.passed_level - 1) if parent else start_level))
    waiting = Waiting(
        url=address.url,
        key=key,
        site=address.site,
        level=level,
        passed_level=level,
        page_class=named.get("class"),
        depth=int(request.meta.get("depth", 0)),
        parent_key=parent.key if parent else b"",
        source_id=parent.source_id if parent else "",
        baseline=parent.baseline if parent else 0,
        priority=max(-_MOST_PRIORITY, min(request.priority, _MOST_PRIORITY)),
    )
    return waiting, number


def number_of(waiting: Waiting) -> int:
    """Return the 64-bit key number of a URL."""
    return key_number(waiting.key, partition_of(waiting.site))


def stored(request: Request, spider: Spider | None) -> Json:
    """Return a request as plain values. Raises Unstorable when it has none."""
    if (request.meta.get(OWN) or {}).get("volatile"):
        raise Unstorable("its maker keeps it")
    if (
        WORN in request.meta
    ):  # a redirect for another worker, or what a callback makes of its request
        request = request.copy()
        undress(request)
    try:
        values = request.to_dict(spider=spider)
    except ValueError as error:
        raise Unstorable(str(error)) from error
    values["meta"] = {name: value for name, value in request.meta.items() if name not in PASSING}
    values.pop("priority", None)
    return {
        name: _plain(value, name)
        for name, value in values.items()
        if value not in (None, b"", [], {}, False) or name == "dont_filter"
    }


def from_stored(values: Json, spider: Spider | None) -> Request:
    """Return the request that ``stored`` gave as plain values. Raises ValueError when its callback no longer exists."""
    return request_from_dict(_unplain(values), spider=spider)


def from_row(waiting: Waiting, spider: Spider | None) -> Request:
    """Return the request of a row. Raises ValueError when its callback no longer exists."""
    if waiting.request:
        request = from_stored(waiting.request, spider)
        request.priority = waiting.priority
    else:
        # The address is canonical, which Scrapy need not find out anew: it would take longer than all
        # the rest of a request. The key must go no further: a callback may pass its meta on.
        meta = {"depth": waiting.depth, VERBATIM: True}
        request = Request(waiting.url, dont_filter=True, meta=meta)
        del request.meta[VERBATIM]
    return request


def by_other_scheme(request: Request, url: str, *, has_secrets: bool) -> Request | None:
    """Return a request for its page at ``url``, by the other of http and https; None: it must not.

    What is secret is sent by https only: a login, cookies of the request's own, and what else its
    site is sent (``has_secrets``), which may not be in the request yet. A form is sent only by the
    scheme that it was meant for.
    """
    if request.method != "GET" or request.body:
        return None
    is_secret = has_secrets or "Authorization" in request.headers or bool(request.cookies)
    if url.startswith("http:") and is_secret:
        return None
    again = request.replace(url=url, dont_filter=True, meta={**request.meta, VERBATIM: True})
    del again.meta[VERBATIM]
    again.headers.pop("Cookie", None)  # set anew, as far as they may be sent there
    if again.meta.pop("_scheme_proxy", False):  # the environment may name another proxy
        again.meta.pop("proxy", None)
        again.meta.pop("_auth_proxy", None)
        again.headers.pop("Proxy-Authorization", None)
    return again


def _plain(value: Any, where: str) -> Any:
    if value is None or type(value) in (bool, int, float, str, bytes):
        return value
    if isinstance(value, str):
        return str(value)  # link extractors give strings that hold on to their whole page
    if type(value) is list:
        return [_plain(entry, where) for entry in value]
    if type(value) is tuple:
        return {TUPLE: [_plain(entry, where) for entry in value]}
    if type(value) is dict and all(type(name) in (str, bytes) for name in value):
        return {name: _plain(entry, f"{where}.{name}") for name, entry in value.items()}
    raise Unstorable(f"{where} holds a {type(value).__name__}")


def _unplain(value: Any) -> Any:
    if isinstance(value, list):
        return [_unplain(entry) for entry in value]
    if isinstance(value, dict):
        if TUPLE in value:
            return tuple(_unplain(entry) for entry in value[TUPLE])
        return {name: _unplain(entry) for name, entry in value.items()}
    return value


class Ask(NamedTuple):
    """A request of a feature's own, which asks again after a crash: it is not stored.

    ``answered`` reads the answer, whatever its status, and returns what to ask next; ``failed`` receives
    why there is none. ``meta`` is Scrapy's. With a ``body``, JSON, it is posted.
    """

    url: str
    page_class: PageClass
    answered: Callable[[Fetched], Iterable[Ask]]
    failed: Callable[[str], None]
    meta: Json
    body: str = ""


class Asks:
    """Sends them: those of the beginning with the spider's first requests, later ones at once."""

    def __init__(self, crawler: Crawler, clock: Clock, level: int) -> None:
        self._crawler = crawler
        self._clock = clock
        self._level = level
        self._first: list[Ask] = []
        self._send: Callable[[Ask], object] = self._first.append

    def __call__(self, ask: Ask) -> None:
        """Send a request, in the top level."""
        self._send(ask)

    def first(self) -> Iterator[Request]:
        """Go through the requests of the beginning; from then on they are sent at once."""
        self._send = self._send_now
        yield from map(self._request, self._first)

    def _send_now(self, ask: Ask) -> None:
        engine: Any = self._crawler.engine
        engine.crawl(self._request(ask))

    def _request(self, ask: Ask) -> Request:
        own = {"level": self._level, "class": ask.page_class, "volatile": True}
        posted = {"Content-Type": "application/json", "Accept": "application/json"}
        return Request(
            ask.url,
            method="POST" if ask.body else "GET",
            body=ask.body,
            headers=posted if ask.body else None,
            callback=self._answered,
            errback=self._failed,
            cb_kwargs={"ask": ask},
            meta={OWN: own, "handle_httpstatus_all": True, **ask.meta},
            dont_filter=True,
        )

    def _answered(self, response: Response, ask: Ask) -> Iterator[Request]:
        response.meta["depth"] = 0  # follow.depth counts clicks, not pages of results
        if flight := response.meta.get(FLIGHT):
            flight.outcome, flight.reason = "list", ""
        fetched = fetched_of(response, self._clock.wall())
        yield from map(self._request, ask.answered(fetched))

    def _failed(self, failure: Failure) -> None:
        request: Any = failure.request  # type: ignore[attr-defined]
        request.cb_kwargs["ask"].failed(str(failure.value) or type(failure.value).__name__)


def fetched_of(response: Response, at: float, encoding: Encoding | None = None) -> Fetched:
    """Return an answer as those who read pages take it; ``at`` is wall time."""
    return Fetched(
        url=response.url,
        status=response.status,
        body=response.body,
        content_type=(response.headers.get("Content-Type") or b"").decode("latin-1"),
        at=at,
        encoding=encoding,
        robots=b"\n".join(response.headers.getlist("X-Robots-Tag")).decode("latin-1"),
    )


ASKED_SITE = "focuscrawl_site"
"""Key in ``Request.meta``: the site that is asked, for those who look for a flight in vain."""

MOST_REDIRECTS = 3
_FORBIDDEN = 403
"""The status that stands for an address which robots.txt does not allow."""


def robots_allow(robots: bytes, url: str, agent: str) -> bool:
    """Whether a robots.txt lets an agent ask for an address, as Scrapy reads it."""
    return ProtegoRobotParser(robots, None).allowed(url, agent)


class Probe:
    """Asks sites for single addresses, in the place of their pages in the downloader.

    With their robots.txt, pause and headers. These are no URLs of the crawl and are not stored, as
    those for robots.txt are not.
    """

    def __init__(self, slots: Slots, hooks: Hooks, frontier: Frontier, clock: Clock) -> None:
        self._slots = slots
        self._hooks = hooks
        self._frontier = frontier
        self._clock = clock

    async def __call__(self, site: str, url: str) -> Fetched | None:
        """Return a site's answer, after redirects inside it; None when there was none.

        A redirect that leads elsewhere is not followed: it is the answer, with its target as
        address. What robots.txt forbids is answered by 403.
        """
        before: list[str] = []
        for _ in range(MOST_REDIRECTS):
            try:
                response = await self._slots.fetch(self._request(site, url, before))
            except (PrivateHost, PrivateAddress, RobotsUnread):
                return None
            except IgnoreRequest:
                return self._without_page(url, _FORBIDDEN)
            except Exception:
                logger.debug("%s has not answered", url, exc_info=True)
                return None
            if response.status == 429 or response.status >= 500:
                return None
            target = _target_of(response)
            if not target:
                return fetched_of(response, self._clock.wall())
            before, url = [*before, url], target
            if site_of(url) != site:
                break
        return self._without_page(url, 302)

    def _request(self, site: str, url: str, before: list[str]) -> Request:
        meta = {
            ASKED_SITE: site,
            "download_slot": host_of(site),
            "dont_redirect": True,
            "dont_retry": True,
            "dont_cache": True,
            "handle_httpstatus_all": True,
        }
        request = Request(url, meta=meta, dont_filter=True)
        if before:
            request.meta["redirect_urls"] = (
                before  # as Scrapy notes it: ``complete_request`` asks what led here
            )
        self._hooks.sites.complete_request(request, site)
        politeness = self._frontier.politeness_of(site)
        self._slots.mirror(request, politeness.delay, politeness.concurrency)
        return request

    def _without_page(self, url: str, status: int) -> Fetched:
        return Fetched(url, status, b"", "", self._clock.wall())


def _target_of(response: Response) -> str:
    """Return where an answer redirects to; "" when it does not."""
    location = response.headers.get("Location") or b""
    if not 300 <= response.status < 400 or not location:
        return ""
    return urljoin(response.url, location.decode("utf-8", "replace"))
