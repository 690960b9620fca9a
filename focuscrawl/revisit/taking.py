"""Periods over a store, and the same without one: where a period gets its pages from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import AsyncIterator, Callable
from math import inf
from typing import Protocol

from focuscrawl.revisit.periods import Period, Taken
from focuscrawl.revisit.settings import RevisitRules
from focuscrawl.revisit.signals import Signal
from focuscrawl.revisit.visits import Visits
from focuscrawl.values import PageClass, PageState

BEFORE_ALL = b""


class DuePages(Protocol):
    """What is needed of a store (store.protocol.Store has it)."""

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first pages by date and key, up to ``now``, behind ``after``."""


async def take(store: DuePages, period: Period) -> Taken:
    """Run one period over a store; the caller stores ``Taken.pages`` before it fetches them."""
    after = None
    while period.most > 0:
        pages = await store.due(period.horizon, period.batch, after)
        if not period.offer(pages):
            break
        after = _place(pages[-1])
    return period.close()


async def pulled_back(store: DuePages, visits: Visits, now: float) -> AsyncIterator[PageState]:
    """Go through the pages planned later than any rule plans, with dates within reach.

    There are none, but when a clock ran ahead or longest intervals were shortened. To be stored.
    """
    after = (now + visits.rules.horizon, BEFORE_ALL)
    while pages := await store.due(inf, visits.rules.candidates, after):
        for page in pages:
            if page.every is None or (page.next_visit or 0.0) > now + page.every:
                yield visits.replanned(page, now)
        after = _place(pages[-1])


def _place(page: PageState) -> tuple[float, bytes]:
    return (inf if page.next_visit is None else page.next_visit, page.key)


class Agenda:
    """Method B page by page, in memory: for trying policies out and for small programs.

    first seen → take → fetched or failed → take …; times are seconds of one clock.
    """

    def __init__(self, rules: RevisitRules | None = None) -> None:
        self.visits = Visits(rules or RevisitRules())
        self.pages: dict[bytes, PageState] = {}
        self._order: list[tuple[float, bytes]] = []

    def first_seen(
        self, key: bytes, now: float, *, site: str = "", page_class: PageClass = PageClass.ARTICLE
    ) -> PageState:
        """Note a page that was fetched for the first time; a known one stays as it is."""
        if key not in self.pages:
            self._put(self.visits.first_seen(key, "", site, page_class, now))
        return self.pages[key]

    def take(
        self,
        most: int,
        now: float,
        room: Callable[[str], int] = lambda site: 1_000_000,
        *,
        by_budget: bool = False,
    ) -> list[PageState]:
        """Return at most ``most`` pages to fetch now; each has a lease until it is answered."""
        period = Period(self.visits, now, most, room, by_budget=by_budget)
        after = None
        while period.offer(pages := self._due(period.horizon, period.batch, after)):
            after = _place(pages[-1])
        taken = period.close().pages
        for page in taken:
            self._put(page)
        return taken

    def fetched(self, page: PageState, now: float, *, changed: bool) -> PageState:
        """Note an answer to a page as ``take`` returned it; a second answer counts nothing."""
        return self._put(self.visits.visited(self.pages[page.key], page.visits, now, changed))

    def failed(
        self, page: PageState, now: float, *, says_gone: bool = False, confirms: bool = False
    ) -> PageState:
        """Note a fetch that brought no page."""
        return self._put(
            self.visits.failed(
                *(self.pages[page.key], page.visits, now, "failed"),
                says_gone=says_gone,
                confirms=confirms,
            )
        )

    def gone(self, key: bytes, now: float, reason: str = "gone") -> PageState:
        """Bury a page."""
        return self._put(self.visits.gone(self.pages[key], now, reason))

    def signalled(self, key: bytes, signal: Signal, now: float) -> PageState:
        """Note a signal about a page."""
        return self._put(self.visits.signalled(self.pages[key], signal, now))

    def _put(self, page: PageState) -> PageState:
        old = self.pages.get(page.key)
        if old is not None and old.next_visit is not None:
            del self._order[bisect_left(self._order, (old.next_visit, old.key))]
        self.pages[page.key] = page
        if page.next_visit is not None:
            insort(self._order, (page.next_visit, page.key))
        return page

    def _due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        start = 0 if after is None else bisect_right(self._order, after)
        found = []
        for date, key in self._order[start : start + most]:
            if date > now:
                break
            found.append(self.pages[key])
        return found
