"""Pages that gave items are asked for again, in any Scrapy project, and give those again only once they have changed (B).

``PageVisits`` is a spider middleware of the add-on, switched on by FOCUSCRAWL_VISITS. What is known of a page stands in
``NAME.visits.db`` of the data folder: its request as the spider made it, a digest of its items, and when to come again by
the default form of method B (``features.revisit.policies.IndexPolicy``): sooner where it changes, ever later where not. Due
pages wait in the frontier like all others, which loses none and tries again what has failed.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter, is_item
from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from focuscrawl.config import project_dir, read_config, seconds
from focuscrawl.features.revisit.table import CLASS_TIMES, DAY, RevisitRules, RevisitTimes
from focuscrawl.features.revisit.visits import GONE_STATUS, Visits
from focuscrawl.kernel.flight import Ties
from focuscrawl.kernel.transport.requests import from_stored
from focuscrawl.kernel.transport.slots import only_looks
from focuscrawl.middlewares import OfRun
from focuscrawl.stores.state.protocol import Changes, StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import PageClass, PageState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from focuscrawl.kernel.flight import Flight
    from focuscrawl.values import Waiting

logger = logging.getLogger(__name__)

REQUEST_FACT, VISIT = "request", "focuscrawl_visit"
"""Fact of a page: its request as plain values; key in ``Request.meta`` of one that is a visit."""

_ALL_PAGES = 0  # their partition
DUE_AT_ONCE = 1_000  # pages that are read of the store at once
FIRST_FAILURE = 400  # statuses from here on
LONGEST_BETWEEN = 30 * DAY
"""Seconds after which a page is visited at the latest, however long it has not changed."""

LONGEST_IN_FRONTIER = 3 * DAY
"""Seconds for which a page that was asked for and has not come is left to the frontier, which gives it up after two days."""

_BARE: Any = object.__repr__
_LOST = "Visits are switched off for the rest of the run, and its items go on as they come: %s"


@dataclass(slots=True)
class PageItems:
    """What a page gives: ``state`` is stored when it has ended and all ``left`` items are through the pipelines."""

    left: int = 0
    state: PageState | None = None
    has_failed: bool = False


class PageVisits(OfRun):
    """Asks for due pages with each run; of a page that gives the same items as before none goes on."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawler. Raises ConfigError, and NotConfigured for a topic, which has visits of its own, and for
        a command that only looks.
        """
        if hasattr(crawler.spider, "template_path") or only_looks(crawler):
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = read_config(crawler.settings, os.environ, project_dir())
        self._fields = frozenset(crawler.settings.getlist("FOCUSCRAWL_VISIT_FIELDS"))
        self._clock = config.clock
        name = crawler.spider.name if crawler.spider else "spider"
        path = config.data_dir / f"{name}.visits.db"
        self._store = SQLiteStore(path, synchronous=config.synchronous)
        self._visits = Visits(rules_for(first_interval(crawler.settings)))
        self._given: dict[Request, PageItems] = {}
        self._noting: set[asyncio.Future[None]] = set()
        self._is_on = False
        self._unstorable = 0
        for receive, signal in (
            (self._open, signals.spider_opened),
            (self._through, signals.item_scraped),
            (self._through, signals.item_dropped),
            (self._failed, signals.item_error),
            (self._close, signals.spider_closed),
        ):
            crawler.signals.connect(receive, signal)

    def _open(self) -> None:
        try:
            self._store.own()
        except StoreError as error:
            logger.error(_LOST, error)
        else:
            self._is_on = True

    async def _close(self) -> None:
        await asyncio.gather(*self._noting, return_exceptions=True)
        self._store.release()
        if self._unstorable:
            logger.warning(
                "%d pages are not visited again, for their requests or items hold what cannot be stored (a lambda as"
                " callback)",
                self._unstorable,
            )

    # What is due --------------------------------------------------------------------------------

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Give what the spider begins with, and then the pages that are due."""
        async for output in start:
            yield output
        now, after = self._clock.wall(), None
        while pages := await self._due(now, after):
            after = pages[-1].next_visit or 0.0, pages[-1].key
            for page in pages:
                if page.reserved and now < page.reserved + LONGEST_IN_FRONTIER:
                    continue
                if request := self._request(page):
                    yield request
                    self._keep(self._visits.taken(page, self._clock.wall()))

    async def _due(self, now: float, after: tuple[float, bytes] | None) -> list[PageState]:
        try:
            return await self._store.due(now, DUE_AT_ONCE, after) if self._is_on else []
        except StoreError as error:
            self._switch_off(error)
            return []

    def _request(self, page: PageState) -> Request | None:
        try:
            request = from_stored(page.facts[REQUEST_FACT], self._crawler.spider)
        except ValueError as error:  # its callback is gone: another version of the spider
            logger.warning("%s is not visited again: %s", page.url, error)
            self._keep(page._replace(next_visit=None))
            return None
        request.meta[VISIT] = True
        return request.replace(dont_filter=True)

    # What has come ------------------------------------------------------------------------------

    def process_spider_input(self, response: Response) -> None:
        """Note that a page is not there, or is refused; meanwhile Scrapy goes on. What the frontier tries again is its matter."""
        flight = self._flight(response)
        if response.status < FIRST_FAILURE or not flight or flight.failed:
            return
        noting = asyncio.ensure_future(self._note_missing(self._first(flight), response.status))
        self._noting.add(noting)
        noting.add_done_callback(self._noting.discard)

    async def _note_missing(self, first: Waiting, status: int) -> None:
        if state := await self._state(first):
            now, why, is_gone = self._clock.wall(), f"http {status}", status in GONE_STATUS
            later = self._visits.failed(state, state.visits, now, why, says_gone=is_gone)
            self._keep(later)
            self._count("gone" if later.gone else "failed")

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Give what a callback gives; items of a page that has given the same before stay here."""
        request, flight = response.request, self._flight(response)
        if not request or not flight or not 200 <= response.status < 300:
            async for output in result:
                yield output
            return
        first = self._first(flight)
        before = await self._state(first)
        given, held, digests = PageItems(), list[Any](), list[bytes]()
        self._given[request] = given
        try:
            async for output in result:
                if not is_item(output):
                    yield output
                    continue
                digests.append(self._digest(output))
                if before:  # whether it has changed is known when all items have come
                    held.append(output)
                    continue
                given.left += 1
                yield output
        except Exception:  # what came before it goes on, and nothing is known of the page
            del self._given[request]
            for item in held:
                yield item
            raise
        state = self._state_after(flight, first, before, digests)
        if before and state and (not digests or state.details == before.details):
            del self._given[request]
            self._count("unchanged" if digests else "empty")
            self._keep(state)
            return
        if not state:
            del self._given[request]
        elif before:
            self._count("changed")
        given.left += len(held)
        given.state = state
        for item in held:
            yield item
        self._end_if_through(request)

    def _flight(self, response: Response) -> Flight | None:
        """Return the flight that a response ends; None where visits are off, or it is no URL of the crawl."""
        return self.run.flights.get(response.request) if self._is_on and response.request else None

    def _first(self, flight: Flight) -> Waiting:
        """Return the URL as the spider asked for it, before redirects, cookies and secrets."""
        row = self.run.frontier.in_flight(flight.sequence)
        return row.waiting if row else flight.waiting

    async def _state(self, first: Waiting) -> PageState | None:
        try:
            return (await self._store.pages([first.key])).get(first.key)
        except StoreError as error:
            self._switch_off(error)
            return None

    def _state_after(
        self, flight: Flight, first: Waiting, before: PageState | None, digests: list[bytes]
    ) -> PageState | None:
        """Return the state of a page that was read; None: it gave nothing before either, or is not visited."""
        now = self._clock.wall()
        if before and not digests:  # for once, it may be: a callback that fails gives nothing, too
            return _planned(
                self._visits.failed(before, before.visits, now, "no items"), flight.request
            )
        if not digests:
            return None
        if flight.of(Ties).kept or not first.request or not all(digests):
            self._unstorable += 1
            return None
        details = b"".join(sorted(digests))
        if before:
            changed = details != before.details
            state = self._visits.visited(before, before.visits, now, changed)
        else:
            page_class = PageClass.ARTICLE
            state = self._visits.first_seen(first.key, first.url, first.site, page_class, now)
        if VISIT not in flight.request.meta:
            state = state._replace(facts={**state.facts, REQUEST_FACT: first.request})
        return _planned(state, flight.request)._replace(details=details)

    def _digest(self, item: Any) -> bytes:
        """Return what tells an item from others; b"" for one that cannot be told.

        Items of a foreign project have no class of page, whose rules ``features.revisit.change`` has.
        """
        adapter = ItemAdapter(item)
        names = [name for name in adapter if not self._fields or name in self._fields]
        try:
            said = repr(sorted((name, plain(adapter[name])) for name in names))
        except (RecursionError, TypeError):
            return b""
        return hashlib.md5(said.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()

    # Its items go through the pipelines ---------------------------------------------------------

    def _through(self, item: Any, response: Response | None) -> None:
        """Count an item that was stored, or dropped for good; what it says is known from then on."""
        request = response.request if response else None
        if request in self._given:
            self._given[request].left -= 1
            self._end_if_through(request)

    def _failed(self, item: Any, response: Response | None) -> None:
        """Forget a page one of whose items a pipeline failed on: it gives them all again."""
        request = response.request if response else None
        if request in self._given:
            self._given[request].has_failed = True
            self._through(item, response)

    def _end_if_through(self, request: Request) -> None:
        given = self._given.get(request)
        if given and given.state and given.left <= 0:
            del self._given[request]
            if not given.has_failed:
                self._keep(given.state)

    def _keep(self, state: PageState) -> None:
        if self._is_on:
            try:
                self._store.commit({_ALL_PAGES: Changes(pages=[state])})
            except StoreError as error:
                self._switch_off(error)

    def _switch_off(self, error: StoreError) -> None:
        if self._is_on:
            self._is_on = False
            logger.error(_LOST, error)

    def _count(self, what: str) -> None:
        if self._crawler.stats:
            self._crawler.stats.inc_value(f"focuscrawl/visits_{what}")


def _planned(state: PageState, request: Request) -> PageState:
    """Return a state without a next visit for a page that the spider begins with, for it asks for that itself."""
    is_start = request.meta.get("is_start_request") and VISIT not in request.meta
    return state._replace(next_visit=None) if is_start else state


def plain(value: Any) -> Any:
    """Return a value whose repr says the same in every process. Raises RecursionError."""
    if isinstance(value, Mapping):
        return sorted((repr(name), plain(inner)) for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, (set, frozenset)):
        return sorted(repr(plain(inner)) for inner in value)
    if is_item(value):
        return plain(dict(ItemAdapter(value)))
    if type(value).__repr__ is _BARE:  # it would say where it lies in memory
        return [type(value).__name__, plain(getattr(value, "__dict__", {}))]
    return repr(value)


def first_interval(settings: BaseSettings) -> float:
    """Return FOCUSCRAWL_VISITS in seconds: how long after its first fetch a page is due; 0: none is visited again.

    Raises ConfigError.
    """
    value = str(settings["FOCUSCRAWL_VISITS"] or "")
    if value.lower() in {"", "false", "0"}:
        return 0.0
    return seconds("1d" if value.lower() in {"true", "1"} else value, "FOCUSCRAWL_VISITS")


def rules_for(first: float) -> RevisitRules:
    """Return when pages are visited again that are first due after so many seconds."""
    times = RevisitTimes(first=first, min=first / 4, max=max(LONGEST_BETWEEN, first), until=inf)
    return RevisitRules(classes={**CLASS_TIMES, PageClass.ARTICLE: times})
