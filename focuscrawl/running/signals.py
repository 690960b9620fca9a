"""Signals put on a run: what a list that was read says of pages that are known.

Cheap, since it is done for every list: dates that were heard before are left out unseen, and the
others cost one look into the store for the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Self

from focuscrawl.crawl.revisit.signals import (
    UNPROVEN,
    are_heard,
    is_signal_file,
    signal_file,
    signals_of,
    site_of_signal,
)
from focuscrawl.crawl.revisit.visits import CONTENT, KEPT
from focuscrawl.kernel.feature import Feature
from focuscrawl.pages.feeds import MOST_NAMED, named_by_robots
from focuscrawl.revisit.signals import Trust

if TYPE_CHECKING:
    from collections.abc import Sequence

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.feature import Kernel, Round
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.values import Clock, Json, LinkBatch, Page, PageState, Waiting

_HALF = 0.5
"""The share of a site's signals that must have been true for all of them to be followed."""

_AT_ONCE = 500
"""Pages that are looked up before others have their turn: a sitemap may name 50,000."""


_PART = "signal_files"
"""The part of a site's record: its files by whether they were queued, since when they are known, and
how many pages were kept."""

FEWEST_KEPT = 5
"""Pages that must have been kept of a site for its files to be worth a request each day."""


class SignalFiles:
    """The feeds and sitemaps that sites name, read for their signals once pages of a site are kept.

    The first run only notes them, in the site's record: it has no older copy of anything. A later one
    reads those of sites of which it keeps pages; from then on they are lists as any other.
    """

    def __init__(self, rules: AdmissionRules, frontier: Frontier, clock: Clock) -> None:
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        self._sites: dict[str, Json] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs noted of sites."""
        self._sites |= {site: parts[_PART] for site, parts in records.items() if _PART in parts}

    def named(self, site: str, urls: Iterable[str]) -> None:
        """Note files that a site names; the first few are kept."""
        known = self._sites.get(site, {}).get("files", {})
        new = [url for url in dict.fromkeys(urls) if url not in known]
        new = new[: max(0, MOST_NAMED - len(known))]
        if new:
            self._note(site, files=known | dict.fromkeys(new, False))

    def kept(self, site: str) -> None:
        """Hear that a page of a site was kept, new or as it was; the first few are counted."""
        count = self._sites.get(site, {}).get("kept", 0)
        if count < FEWEST_KEPT:
            self._note(site, kept=count + 1)

    def since(self, site: str) -> float | None:
        """Return since when a site is known, wall time: no page of it was fetched before."""
        return self._sites.get(site, {}).get("since")

    def queue(self) -> int:
        """Queue the files of sites of which pages are kept; returns how many are new."""
        queued = 0
        for site, noted in [*self._sites.items()]:
            files = noted.get("files", {})
            if noted.get("kept", 0) < FEWEST_KEPT or all(files.values()):
                continue
            for url in (url for url, is_queued in files.items() if not is_queued):
                found = signal_file(url, site, self._rules)
                if found is not None:
                    queued += self._frontier.add(*found)
                    files = {**files, url: True}
            if files != noted["files"]:  # what is refused today may be wanted by another template
                self._note(site, files=files)
        return queued

    def _note(self, site: str, **changed: Json | int) -> None:
        noted = {"since": self._clock.wall()} | self._sites.get(site, {}) | changed
        self._sites[site] = noted
        self._frontier.note_site(site, _PART, noted)


class Signals(Feature):
    """The signals of one run; the counter ``signals`` counts those that were news."""

    name = "signals"
    after = ("forums",)
    """Boards say first which threads they count."""

    @classmethod
    def of(cls, kernel: Kernel) -> Self:
        """Make it for every topic; whether its template wants signals at all, ``Visits`` knows."""
        return cls(kernel, SignalFiles(kernel.rules, kernel.frontier, kernel.clock))

    def __init__(self, kernel: Kernel, files: SignalFiles) -> None:
        self.files = files
        self._queues = are_heard(kernel.template)
        self._rules = kernel.rules
        self._store = kernel.store
        self._frontier = kernel.frontier
        self._commits = kernel.commits
        self._states = kernel.pages
        self._clock = kernel.clock
        self._counters = kernel.counters

    async def open(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs noted of sites."""
        self.files.load(records)

    async def begin(self, round_: Round) -> int:
        """Queue the files of sites of which pages are kept."""
        return self.files.queue() if self._queues else 0

    def robots_read(self, site: str, text: str) -> None:
        """Note the sitemaps that a robots.txt names."""
        self.files.named(site, named_by_robots(text))

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Count the pages that are kept of a site."""
        if page.outcome in KEPT and page.page_class in CONTENT:
            self.files.kept(page.host)

    async def after_links(self, flight: Flight, batch: LinkBatch) -> None:
        """Tell the pages that are known what a list says of them."""
        counted = flight.counted  # their news is taken without a visit
        if counted and not self._commits.broken:
            now = self._clock.wall()
            for state in (await self._known(counted)).values():
                later = self._states.visits.left_alone(state, now)
                if later != state:
                    self._counters["visits_saved"] += 1
                    self._remember(later)
        if batch.signal_files:
            self.files.named(flight.waiting.site, batch.signal_files)
        if self._commits.broken or not (batch.told or batch.threads):
            return
        before, is_file = flight.before, is_signal_file(flight.waiting.source_id)
        since = before.last_fetched if before is not None else None
        if since is None and is_file:
            since = self.files.since(site_of_signal(flight.waiting.source_id))
        most = self._most_believed(flight.waiting.site) if is_file else inf
        signals = signals_of(batch, flight.waiting, self._rules, since)
        keys = [*signals]
        for first in range(0, len(keys), _AT_ONCE):
            for key, state in (await self._known(keys[first : first + _AT_ONCE])).items():
                if most <= 0:
                    return
                now = self._clock.wall()
                told = self._states.visits.signalled(state, signals[key], now)
                if told != state:
                    is_news = told.signalled != state.signalled
                    self._counters["signals"] += is_news
                    most -= is_news
                    if is_news and told.next_visit is None and told.gone is None:
                        told = told._replace(next_visit=now)  # past ``until``: nothing else would
                    self._remember(told)
            await asyncio.sleep(0)

    def _most_believed(self, site: str) -> float:
        """Return how many pages one reading of a site's file may bring forward."""
        trust = self._states.visits.trusts.get(site, Trust())
        is_proven = trust.followed >= UNPROVEN and trust.precision >= _HALF
        return inf if is_proven else UNPROVEN

    async def _known(self, keys: Sequence[bytes]) -> dict[bytes, PageState]:
        """Return the states of pages as they are now: in flight, to be written, in the store."""
        await self._commits.settled()
        known = await self._store.pages(keys)
        known |= self._frontier.remembered(keys)
        visited = self._states.visited
        return known | {key: visited[key] for key in keys if key in visited}

    def _remember(self, state: PageState) -> None:
        if state.key in self._states.visited:
            self._states.visited[state.key] = state
        self._states.remember(state)
