"""Signals put on a run: what a list that was read says of pages that are known.

Cheap, since it is done for every list: dates that were heard before are left out unseen, and the
others cost one look into the store for the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING

from focuscrawl.features.revisit.feature import Revisit
from focuscrawl.features.revisit.signals.entry_texts import FeedTexts, waiting_for_feeds
from focuscrawl.features.revisit.signals.signals import (
    SignalFiles,
    SignalReader,
    signals_of,
    site_of_signal,
)
from focuscrawl.features.revisit.table import RevisitTable
from focuscrawl.features.revisit.visits import NO_TRUST
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.flight import ThreadPart
from focuscrawl.readers.pages.feeds.feeds import named_by_robots
from focuscrawl.values import CONTENT, KEPT_OUTCOMES, PageClass, is_signal_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from focuscrawl.kernel.feature import Kernel, Round
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.links.criteria import PageReader
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json, LinkBatch, Page, PageState, ShownText, Waiting

_HALF = 0.5
"""The share of a site's signals that must have been true for all of them to be followed."""

_PAGES_AT_ONCE = 500
"""Pages that are looked up before others have their turn: a sitemap may name 50,000."""

UNPROVEN = 10
"""Pages that one reading of a file brings forward as long as less than half of what its site told
proved true: some programs write today's date beside every page."""


class Signals(Feature):
    """The signals of one run; the counter ``signals`` counts those that were news."""

    name = "signals"
    after = ("forums",)
    """Boards say first which threads they count."""
    needs = frozenset({"revisit"})

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.files = SignalFiles(kernel.rules, kernel.frontier, kernel.clock)
        self.texts = FeedTexts(kernel.store, kernel.frontier, kernel.clock)

    def readers(self) -> Iterable[PageReader]:
        """Read what lists say of the pages they lead to."""
        return (SignalReader(self.kernel.criteria),)

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Find who keeps what visits have shown."""
        self._visits = self.kernel.hooks.feature(Revisit).visits

    def release(self, partitions: Partitions) -> None:
        """Let go of the sites of some partitions."""
        self.texts.release(partitions)

    def memories(self) -> tuple[SiteMemory]:
        """Remember the files that sites name."""
        return (self.files,)

    async def begin(self, round_: Round) -> int:
        """Queue the files of sites of which pages are kept."""
        return self.files.queue() if self.kernel.template.of(RevisitTable).hears_signals else 0

    def go_on(self, round_: Round) -> None:
        """Queue the files that no other process has queued."""
        if self.kernel.template.of(RevisitTable).hears_signals:
            self.files.queue()

    def robots_read(self, site: str, text: str) -> None:
        """Note the sitemaps that a robots.txt names."""
        self.files.named(site, named_by_robots(text))

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Count the pages that are kept of a site, and note feeds that show what they showed before."""
        before = flight.before
        if flight.unchanged and before is not None and before.page_class is PageClass.FEED:
            self.texts.came_unchanged(before)
        if page.outcome in KEPT_OUTCOMES and page.page_class in CONTENT:
            self.files.kept(page.host)

    async def after_links(self, flight: Flight, batch: LinkBatch) -> None:
        """Tell the pages that are known what a list says of them."""
        counted = flight.of(ThreadPart).counted
        if counted and not self.kernel.commits.broken:
            await self._leave_alone(counted)
        if batch.signal_files:
            self.files.named(flight.waiting.site, batch.signal_files)
        if batch.shown and not self.kernel.commits.broken:
            await self._take_texts(flight.waiting, batch.shown)
        if self.kernel.commits.broken or not (batch.told or batch.threads):
            return
        before, is_file = flight.before, is_signal_file(flight.waiting.source_id)
        since = before.last_fetched if before is not None else None
        if since is None and is_file:
            since = self.files.since(site_of_signal(flight.waiting.source_id))
        most = self._most_believed(flight.waiting.site) if is_file else inf
        signals = signals_of(batch, flight.waiting, self.kernel.rules, since)
        keys = [*signals]
        for first in range(0, len(keys), _PAGES_AT_ONCE):
            for key, state in (await self._known(keys[first : first + _PAGES_AT_ONCE])).items():
                if most <= 0:
                    return
                now = self.kernel.clock.wall()
                told = self._visits.signalled(state, signals[key], now)
                if told != state:
                    most -= self._take_signal(state, told, now)
            await asyncio.sleep(0)

    async def _leave_alone(self, counted: Sequence[bytes]) -> None:
        """Put off the visits of pages whose news a list counts: these are taken without a visit."""
        now = self.kernel.clock.wall()
        for state in (await self._known(counted)).values():
            later = self._visits.left_alone(state, now)
            if later != state:
                self.kernel.counters["visits_saved"] += 1
                self.kernel.pages.moved(later)

    def _take_signal(self, state: PageState, told: PageState, now: float) -> bool:
        """Move a page as a signal tells; returns whether that was not known."""
        is_news = told.signalled != state.signalled
        self.kernel.counters["signals"] += is_news
        if is_news and told.next_visit is None and not self._is_idle_talk(state.site):
            told = told._replace(next_visit=now)  # past ``until``: nothing else would
        self.kernel.pages.moved(told)
        return is_news

    def _is_idle_talk(self, site: str) -> bool:
        """Whether what was told of a site's pages has proved wrong more often than right: a list may write today's date
        beside each."""
        trust = self._visits.trusts.get(site) or NO_TRUST
        return trust.followed >= UNPROVEN and trust.precision < _HALF

    async def _take_texts(self, waiting: Waiting, shown: Sequence[ShownText]) -> None:
        """Remember what a feed shows of the pages of its own site."""
        rules = self.kernel.rules
        looks = ((rules.look(one.url).address, one) for one in shown)
        texts = {at.key: one for at, one in looks if at.key and at.site == waiting.site}
        await self.texts.read(waiting.key, waiting.site, texts)

    def visits_wait(self, queued: Mapping[bytes, PageState]) -> Callable[[PageState], bool] | None:
        """Let young articles wait that a feed may speak of, which is about to be read."""
        if self.kernel.pages.stays or not self._believes_texts:
            return None
        return waiting_for_feeds(queued.values(), self._visits.is_young)

    async def put_off(self, pages: list[PageState]) -> dict[bytes, float]:
        """Give articles that are due a later visit whose texts stand in a feed as they are known."""
        return await self.texts.quiet(pages) if self._believes_texts else {}

    @property
    def _believes_texts(self) -> bool:
        """Whether a feed may spare a visit: who fixes the interval of visits wants each of them."""
        table = self.kernel.template.of(RevisitTable)
        return table.hears_signals and self._visits.policy.by_value

    def _most_believed(self, site: str) -> float:
        """Return how many pages one reading of a site's file may bring forward."""
        trust = self._visits.trusts.get(site) or NO_TRUST
        is_proven = trust.followed >= UNPROVEN and trust.precision >= _HALF
        return inf if is_proven else UNPROVEN

    async def _known(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of pages as they are now."""
        await self.kernel.commits.settled()
        return await self.kernel.pages.known(self.kernel.store, keys)
