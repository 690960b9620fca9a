"""Pages that gave items are asked for again, in any Scrapy project, and give those again only once they have changed (B).

``PageVisits`` is a spider middleware of the add-on, switched on by FOCUSCRAWL_VISITS; it needs no scheduler of ours. What is
known of a page stands in ``NAME.visits.db`` of the data folder: its request, a digest of its items, and when to come again by
the default form of method B (``features.revisit.policies.IndexPolicy``): sooner where it changes, ever later where not.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter, is_item
from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from focuscrawl.config import project_dir, read_config, seconds
from focuscrawl.features.revisit.table import CLASS_TIMES, DAY, RevisitRules, RevisitTimes
from focuscrawl.features.revisit.visits import GONE_STATUS, Visits
from focuscrawl.kernel.transport.requests import Unstorable, from_stored, stored
from focuscrawl.stores.state.protocol import Changes
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.urls.sites import site_of
from focuscrawl.values import PageClass, PageState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

REQUEST_FACT = "request"
"""Fact of a page: its request as plain values."""

_ALL_PAGES = 0  # their partition
DUE_AT_ONCE = 1_000  # pages that are read of the store at once
FIRST_FAILURE = 400  # statuses from here on
LONGEST_BETWEEN = 30 * DAY
"""Seconds after which a page is visited at the latest, however long it has not changed."""


@dataclass(slots=True)
class PageItems:
    """What a page gives: ``state`` is stored when it has ended and all ``left`` items are through the pipelines."""

    left: int = 0
    state: PageState | None = None
    has_failed: bool = False


class PageVisits:
    """Asks for due pages with each run; of a page that gives the same items as before none goes on."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawler. Raises ConfigError, and NotConfigured for a topic, which has visits of its own."""
        if hasattr(crawler.spider, "template_path"):
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        config = read_config(crawler.settings, os.environ, project_dir())
        self._crawler = crawler
        self._fields = frozenset(crawler.settings.getlist("FOCUSCRAWL_VISIT_FIELDS"))
        self._clock = config.clock
        name = crawler.spider.name if crawler.spider else "spider"
        path = config.data_dir / f"{name}.visits.db"
        self._store = SQLiteStore(path, synchronous=config.synchronous)
        self._visits = Visits(rules_for(first_interval(crawler.settings)))
        self._given: dict[Request, PageItems] = {}
        self._noting: set[asyncio.Future[None]] = set()
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
        self._store.own()

    async def _close(self) -> None:
        await asyncio.gather(*self._noting)
        self._store.release()
        if self._unstorable:
            logger.warning(
                "%d pages are not visited again, for their requests hold what cannot be stored (a lambda as callback)",
                self._unstorable,
            )

    # What is due --------------------------------------------------------------------------------

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Give what the spider begins with, and then the pages that are due."""
        async for output in start:
            yield output
        now = self._clock.wall()
        after: tuple[float, bytes] | None = None
        while pages := await self._store.due(now, DUE_AT_ONCE, after):
            after = pages[-1].next_visit or 0.0, pages[-1].key
            for page in pages:
                if request := self._request(page):
                    self._keep(self._visits.taken(page, self._clock.wall()))
                    yield request

    def _request(self, page: PageState) -> Request | None:
        try:
            request = from_stored(page.facts[REQUEST_FACT], self._crawler.spider)
        except ValueError as error:  # its callback is gone: another version of the spider
            logger.warning("%s is not visited again: %s", page.url, error)
            self._keep(page._replace(next_visit=None))
            return None
        return request.replace(dont_filter=True)

    # What has come ------------------------------------------------------------------------------

    def process_spider_input(self, response: Response) -> None:
        """Note that a page is not there, or does not answer; meanwhile Scrapy goes on."""
        if response.status >= FIRST_FAILURE and response.request:
            noting = asyncio.ensure_future(self._note_missing(response.request, response.status))
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)

    async def _note_missing(self, request: Request, status: int) -> None:
        if state := await self._state(request):
            now, why, is_gone = self._clock.wall(), f"http {status}", status in GONE_STATUS
            later = self._visits.failed(state, state.visits, now, why, says_gone=is_gone)
            self._keep(later)
            self._count("gone" if later.gone else "failed")

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Give what a callback gives; items of a page that has given the same before stay here."""
        request = response.request
        if not request:
            async for output in result:
                yield output
            return
        before = await self._state(request)
        given, held, digests = PageItems(), list[Any](), list[bytes]()
        async for output in result:
            if not is_item(output):
                yield output
                continue
            digests.append(self._digest(output))
            if before:  # what it is, is known when all have come
                held.append(output)
                continue
            given.left += 1
            self._given[request] = given
            yield output
        if not digests and (not before or response.status >= FIRST_FAILURE):
            return  # Scrapy asks for what a page gives that HttpError has kept from its callback, too
        digest = b"".join(sorted(digests))
        state = self._state_after(request, response.url, before, digest)
        if state and before and digest == before.details:
            self._count("unchanged")
            self._keep(state)
            return
        if state and before:
            self._count("changed")
        given.left += len(held)
        given.state = state
        self._given[request] = given
        for item in held:
            yield item
        self._end_if_through(request)

    async def _state(self, request: Request) -> PageState | None:
        key = self._key(request)
        return (await self._store.pages([key])).get(key)

    def _key(self, request: Request) -> bytes:
        fingerprinter = self._crawler.request_fingerprinter
        assert fingerprinter
        return fingerprinter.fingerprint(request)[:16]

    def _state_after(
        self, request: Request, url: str, before: PageState | None, digest: bytes
    ) -> PageState | None:
        """Return the state of a page that was read; None: its request cannot be stored."""
        now = self._clock.wall()
        if before:
            changed = digest != before.details
            state = self._visits.visited(before, before.visits, now, changed)
        else:
            key, site = self._key(request), site_of(url)
            state = self._visits.first_seen(key, url, site, PageClass.ARTICLE, now)
        try:
            facts = {**state.facts, REQUEST_FACT: stored(request, self._crawler.spider)}
        except Unstorable:
            self._unstorable += 1
            return None
        return state._replace(details=digest, facts=facts)

    def _digest(self, item: Any) -> bytes:
        values = ItemAdapter(item).asdict()
        kept = {name: value for name, value in values.items() if name in self._fields}
        text = json.dumps(kept if self._fields else values, default=str, sort_keys=True)
        return hashlib.md5(text.encode(), usedforsecurity=False).digest()

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
        self._store.commit({_ALL_PAGES: Changes(pages=[state])})

    def _count(self, what: str) -> None:
        if self._crawler.stats:
            self._crawler.stats.inc_value(f"focuscrawl/visits_{what}")


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
