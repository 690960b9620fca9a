"""All that is asked of the internals of Scrapy's engine and downloader: slots, requests in progress, waking.

Scrapy has no public way to ask whether a site's download slot can take a request, when a request
has been fully processed, or to wake the engine from a timer. What is used instead stands here and
nowhere else, and ``open`` checks it once, so that a change in Scrapy stops a crawl with a clear
message instead of losing URLs.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from collections.abc import Set as AbstractSet
from contextlib import suppress
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import FormRequest, Request, signals
from scrapy.downloadermiddlewares import cookies
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.dupefilters import BaseDupeFilter
from scrapy.exceptions import DropItem
from scrapy.http.cookies import CookieJar
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.defer import Deferred
from twisted.web._newclient import HTTPParser
from twisted.web.http_headers import InvalidHeaderName

from focuscrawl.urls.sites import suffixes

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from focuscrawl.kernel.transport.aiohttp_handler import Connector

logger = logging.getLogger(__name__)

Send = Callable[[Request], Awaitable["Response"]]
WEB = ("http", "https")

MOST_COOKIES, COOKIE_BYTES = 50, 20_000
"""Of one domain. RFC 6265 (6.1) asks for 50 of 4 kB; servers refuse heads of more than 8 to 16 kB."""

UNKNOWN_ENGINE = (
    "this Scrapy shows neither the engine's requests in progress nor the downloader's and scraper's"
    " active requests, so the end of a page cannot be seen; use Scrapy 2.19 or later"
    " that focuscrawl was tested with"
)

UNKNOWN_DOWNLOADER = (
    "this Scrapy's downloader does not show where it sends requests, so they cannot be kept out of"
    " private networks; use Scrapy 2.19 or later that focuscrawl was tested with"
)


class NotStored(DropItem):
    """An item goes no further; ``outcome`` and ``reason`` are those of its page in the log book.

    ``like`` is the key (hex) of what a copy is one of.
    """

    def __init__(self, url: str, outcome: str, reason: str = "", like: str = "") -> None:
        super().__init__(f"{outcome} ({reason}): {url}", log_level="DEBUG")
        self.outcome = outcome
        self.reason = reason
        self.like = like


class PutBack(NotStored):
    """An item may not be stored in this run: its page waits as before, for the next one."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(url, "put back", reason)


def was_dropped(error: Exception) -> bool:
    """Whether a pipeline has dropped an item (DropItem), and not failed on it."""
    return isinstance(error, DropItem)


class EngineChanged(RuntimeError):
    """Scrapy's engine is not as we know it."""


class Slots:
    """A view of one crawler's engine."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.in_progress: Callable[[], AbstractSet[Request]] = _unknown
        """Returns the requests whose callback and items are not finished yet."""

    @property
    def _engine(self) -> Any:
        """The crawl's engine: there is one from the crawl's first moment on."""
        return self._crawler.engine

    def open(self) -> None:
        """Find out how to see unfinished requests. Raises EngineChanged when there is no way."""
        engine = self._engine
        slot = getattr(engine, "_slot", None)
        downloader: Any = getattr(engine, "downloader", None)
        scraper: Any = getattr(engine, "scraper", None)
        if hasattr(slot, "inprogress"):
            self.in_progress = lambda: engine._slot.inprogress
        elif hasattr(downloader, "active") and hasattr(scraper, "slot"):
            self.in_progress = lambda: (
                downloader.active
                | scraper.slot.active
                | {queued[1] for queued in scraper.slot.queue}
            )
        else:
            raise EngineChanged(UNKNOWN_ENGINE)
        self._repeat_nothing_unseen(downloader)
        leave_out_strange_headers()
        if hasattr(cookies, "_split_domain"):
            # Scrapy's cookies take the public suffixes from the list that comes with tldextract. Else the first cookie of
            # a fresh installation fetches the list from the Internet: past the crawl's manners, holding the reactor up,
            # and with a traceback where there is no network.
            cookies._split_domain = suffixes()
        self._keep_cookies_to_their_hosts()
        # Two requests to a site must not arrive closer than its delay, however long the first was
        # on its way: the slot's pause counts from the end of a download, not from its start.
        self._crawler.signals.connect(self._left_downloader, signals.request_left_downloader)

    def _keep_cookies_to_their_hosts(self) -> None:
        """Let a cookie that names no domain go to the host alone that has set it (RFC 6265, 5.3): Python's cookies go to
        the hosts below it, too, as those of Netscape did.
        """
        manager: Any = getattr(self._engine.downloader, "middleware", None)
        for one in getattr(manager, "middlewares", ()):
            if isinstance(one, cookies.CookiesMiddleware):
                one.jars.default_factory = _jar_of_hosts

    def _repeat_nothing_unseen(self, downloader: Any) -> None:
        """Keep Twisted from sending a request again by itself when a connection was dropped.

        It does so at once, past the site's delay and past every count; Scrapy's retry middleware
        does it in the open.
        """
        for scheme in WEB:
            get_handler = getattr(downloader.handlers, "_get_handler", None)
            pool = getattr(get_handler(scheme), "_pool", None) if get_handler else None
            if pool:
                pool.retryAutomatically = False

    def crawl(
        self, url: str, method: str, form: dict[str, str] | None, meta: dict[str, Any] | None
    ) -> None:
        """Queue what a user has handed in, known or not, as scrapy-redis does. Raises ValueError for what is no
        request.
        """
        try:
            request = FormRequest(url, method=method, formdata=form, meta=meta, dont_filter=True)
        except Exception as error:
            # It is a stranger's, and Scrapy and w3lib raise what they like.
            raise ValueError(f"it is no request: {error}") from error
        self._engine.crawl(request)

    def send_through(self, gate: Callable[[Request, Send], Awaitable[Response]]) -> None:
        """Let everything that the downloader sends go through a gate, which may refuse it.

        Raises EngineChanged. Nearer to the network than all middlewares: what these ask for by
        themselves (robots.txt), and what they are led to, comes past it as well.
        """
        handlers: Any = getattr(getattr(self._engine, "downloader", None), "handlers", None)
        if not hasattr(handlers, "download_request_async"):
            raise EngineChanged(UNKNOWN_DOWNLOADER)
        send: Send = handlers.download_request_async
        handlers.download_request_async = lambda request: gate(request, send)

    def pools(self) -> list[Any]:
        """Return the pools of connections of Twisted's handlers; those of a user's have none that we know."""
        found = [getattr(handler, "_pool", None) for handler in self._handlers()]
        return [pool for pool in found if hasattr(pool, "getConnection")]

    def connectors(self) -> list[Connector]:
        """Return what connects in our handlers for aiohttp (FOCUSCRAWL_HTTP)."""
        found = [getattr(handler, "connector", None) for handler in self._handlers()]
        return [connector for connector in found if connector]

    def _handlers(self) -> list[Any]:
        handlers: Any = getattr(getattr(self._engine, "downloader", None), "handlers", None)
        return [handlers._get_handler(scheme) for scheme in WEB]

    @property
    def is_closing(self) -> bool:
        """Whether the engine waits for what is under way, and ends."""
        return bool(getattr(getattr(self._engine, "_slot", None), "closing", None))

    @property
    def is_told_to_stop(self) -> bool:
        """Whether a user wants the process to end (Ctrl-C, SIGTERM), and not the crawl itself."""
        return not self._crawler.crawling

    def before_exit(self, call: Callable[[], object]) -> Callable[[], None]:
        """Call something before the process ends, also when it is forced to; returns what takes that back."""
        if not is_reactor_installed():
            return _before_loop_ends(call)
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        running: Any = reactor
        trigger = running.addSystemEventTrigger("before", "shutdown", call)

        def take_back() -> None:
            with suppress(ValueError, KeyError):  # it was called
                running.removeSystemEventTrigger(trigger)

        return take_back

    def is_with_spider(self, request: Request) -> bool:
        """Whether a response has reached the spider: what it yields are new requests."""
        slot = self._engine.scraper.slot
        queued = slot.queue if slot else ()
        return any(request is one[1] for one in queued) or bool(slot and request in slot.active)

    async def fetch(self, request: Request) -> Response:
        """Return the answer to a request of our own, in its host's place in the downloader.

        Raises what the downloader and its middlewares raise.
        """
        response: Response = await self._engine.download_async(request)
        return response

    async def send(
        self, item: Any, *, quietly: bool, failed: Callable[[Any, Exception], Awaitable[object]]
    ) -> None:
        """Send an item through the pipelines as one of a callback, and wait; signals report its end.

        ``quietly``: it gives no signal, so that no feed and no count takes it; ``failed`` receives
        the exception a pipeline raised.
        """
        scraper = self._engine.scraper
        if not scraper.slot:
            return
        if not quietly:
            await scraper.start_itemproc_async(item, response=None)
            return
        try:
            await scraper.itemproc.process_item_async(item)
        except Exception as error:
            if not was_dropped(error):
                logger.exception("a pipeline failed on %r", item)
            await failed(item, error)

    def beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> bool:
        """Do what belongs to an item without blocking others; False: the pipelines are closed.

        They stay open, and the engine is not idle, until it is done.
        """
        scraper = self._engine.scraper
        if not scraper.slot or scraper.slot.closing:
            return False
        scraper.slot.itemproc_size += 1  # from now on the engine is not idle
        deferred_from_coro(self._until_done(scraper, work))
        return True

    async def _until_done(
        self, scraper: Any, work: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        try:
            await work()
        finally:
            scraper.slot.itemproc_size -= 1
            scraper._check_if_closing()
            self.wake()

    def hand_on(
        self, item: Any, *, quietly: bool, failed: Callable[[Any, Exception], Awaitable[object]]
    ) -> bool:
        """Send an item through the pipelines that no callback yields; False: they are closed."""
        return self.beside(lambda: self.send(item, quietly=quietly, failed=failed))

    def seconds_to_wait(self, host: str) -> float:
        """Return how long a host's slot cannot take a request; 0 when it can now.

        A slot with all places taken is free again at the end of a fetch, which is an event of its
        own; half a second is only a safety net.
        """
        slot = self._engine.downloader.slots.get(host)
        if not slot:
            return 0.0
        if len(slot.active) >= slot.concurrency:
            return 0.5
        pause: float = slot.lastseen + slot.delay - time.monotonic()
        return max(0.0, pause)

    def mirror(
        self, request: Request, delay: float, concurrency: int, *, anew: bool = False
    ) -> None:
        """Give a host's slot the delay (seconds) and concurrency that the frontier keeps to.

        The frontier draws the jitter; the slot is the safety net for what does not pass through
        the frontier, such as robots.txt. A slot that is there is only changed when ``anew``.
        """
        downloader = self._engine.downloader
        if not anew and request.meta["download_slot"] in downloader.slots:
            return
        _, slot = downloader._get_slot(request)
        slot.delay, slot.concurrency, slot.jitter = delay, concurrency, 0.0

    def bound_cookies(self, request: Request, host: str) -> None:
        """Drop the oldest cookies of a host, and of the domains above it, beyond what browsers keep: all are sent
        with each request, and a host that sets a new one with each answer came to 3.9 MB.
        """
        middleware = self._crawler.get_downloader_middleware(cookies.CookiesMiddleware)
        jars = getattr(middleware, "jars", {})
        jar = jars.get(request.meta.get("cookiejar"))
        for domain, paths in getattr(jar, "_cookies", {}).items():
            if host != domain and not host.endswith(f".{domain.removeprefix('.')}"):
                continue
            kept = [(path, one) for path, names in paths.items() for one in names.values()]
            size = sum(len(one.name) + len(one.value or "") for _, one in kept)
            for number, (path, one) in enumerate(kept):
                if len(kept) - number <= MOST_COOKIES and size <= COOKIE_BYTES:
                    break
                size -= len(one.name) + len(one.value or "")
                del paths[path][one.name]

    def ask_robots_again(self, url: str) -> None:
        """Let the robots.txt of an address's host be asked for once more, if nothing came of it."""
        if not self._robots_parsers().get(urlsplit(url).netloc, True):
            self.forget_robots(url)

    def forget_robots(self, url: str) -> None:
        """Let the robots.txt of an address's host be asked for once more, unless it is just asked for."""
        parsers, host = self._robots_parsers(), urlsplit(url).netloc
        if not isinstance(parsers.get(host), Deferred):
            parsers.pop(host, None)

    def _robots_parsers(self) -> dict[str, Any]:
        middleware = self._crawler.get_downloader_middleware(RobotsTxtMiddleware)
        parsers: dict[str, Any] = getattr(middleware, "_parsers", {})
        return parsers

    def close_spider(self, reason: str) -> None:
        """End the crawl."""
        deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason))

    def wake(self) -> None:
        """Let the engine ask for requests in its next turn."""
        slot: Any = getattr(self._engine, "_slot", None)
        # Without the private name the engine still asks every five seconds.
        if hasattr(slot, "nextcall"):
            slot.nextcall.schedule()

    def _left_downloader(self, request: Request) -> None:
        slot = self._engine.downloader.slots.get(request.meta.get("download_slot"))
        if slot:
            slot.lastseen = time.monotonic()


def _before_loop_ends(call: Callable[[], object]) -> Callable[[], None]:
    """Call something when a loop without a reactor ends: Scrapy cancels all tasks then, also when it is forced to."""
    is_wanted = True

    async def until_cancelled() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            if is_wanted:
                call()

    def take_back() -> None:
        nonlocal is_wanted
        is_wanted = False
        task.cancel()

    task = asyncio.get_running_loop().create_task(until_cancelled())
    return take_back


def _unknown() -> AbstractSet[Request]:
    raise EngineChanged(UNKNOWN_ENGINE)


def leave_out_strange_headers() -> None:
    """Let Twisted leave out a header whose name it refuses, as browsers do: with an error in the midst of an
    answer it would drop the connection, and a page, or a robots.txt, for a blank before a colon.
    """
    take = HTTPParser.headerReceived
    if take.__module__ == __name__:
        return  # once a process

    def take_or_leave(self: Any, name: bytes, value: bytes) -> None:
        with suppress(InvalidHeaderName):
            take(self, name, value)  # type: ignore[no-untyped-call]

    HTTPParser.headerReceived = take_or_leave  # type: ignore[method-assign]


def _jar_of_hosts() -> CookieJar:
    strict = DefaultCookiePolicy.DomainStrictNonDomain
    return CookieJar(DefaultCookiePolicy(strict_ns_domain=strict))


OUR_SCHEDULER = "focuscrawl.scheduler.Scheduler"


def scheduler_of(crawler: Crawler) -> Any:
    """Return the scheduler's class, which builds the queues and the tunnel: the project's, or ours where that builds
    neither (a spider that takes our pipelines alone).
    """
    found = load_object(crawler.settings["SCHEDULER"])
    return (
        found
        if hasattr(found, "queues") and hasattr(found, "tunnel")
        else load_object(OUR_SCHEDULER)
    )


def only_looks(crawler: Crawler) -> bool:
    """Whether the crawler belongs to a command that looks at pages and must leave stores alone."""
    if os.environ.get("SCRAPY_CHECK"):
        return True
    if load_object(crawler.settings["DUPEFILTER_CLASS"]) is BaseDupeFilter:
        return True
    start = getattr(crawler.spidercls, "start", None)
    return getattr(start, "__module__", "").startswith("scrapy.commands")
