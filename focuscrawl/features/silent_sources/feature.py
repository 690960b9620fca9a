"""Silent sources in a crawl: each notes what its page showed, until a page that it led to is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.features.silent_sources.reasons import (
    NO_TEXT,
    SilentSource,
    SilentSources,
    SourcePage,
    why_silent,
)
from focuscrawl.kernel.feature import Feature
from focuscrawl.readers.links.sources import is_named, is_source
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import MOST_EXAMPLES, Article, Finding, Record, Thread

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json, LinkBatch, Page, Waiting

FACTS = "silent_sources"
"""A kind of facts, with the partition of a source's site: its page by its key, as a SilentSource."""

MISSING, DEAD, SILENT = "sources", "dead", "silent"


class Sources(Feature):
    """Tells of sources that gave nothing so far, and of those whose own page could not be fetched in this run."""

    name = "sources"

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._silent = SilentSources()
        self._not_had: dict[str, tuple[str, str]] = {}

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Read what is known of the sources of some partitions."""
        for known in (await self.kernel.store.facts_in(partitions, FACTS)).values():
            for key, source in known.items():
                self._silent.put(key, SilentSource(*source))

    def release(self, partitions: Partitions) -> None:
        """Leave the sources of some partitions to the process that takes them."""
        for key, source in [*self._silent.known.items()]:
            if partition_of(source.site) in partitions:
                self._silent.drop(key)

    # What is seen -------------------------------------------------------------------------------

    def judged(self, flight: Flight | None, judged: Judged) -> tuple[()]:
        """Note that the source of a page with a text, a record or posts is not silent, and what a source's page is."""
        if flight is None:
            return ()
        if judged.article or judged.piece or judged.records or judged.read or judged.unclear:
            self._gave(flight.waiting)
        elif is_source(flight.waiting, self.kernel.sources):
            page, key = flight.of(SourcePage), flight.waiting.key.hex()
            page.is_read, page.is_scripted = True, judged.is_scripted
            if (
                key not in self._silent.known
            ):  # what it leads to may be read before this page has ended
                self._silent.put(key, self._source(flight, NO_TEXT))
        return ()

    async def given(self, flight: Flight, item: Any) -> None:
        """Note that the source of a user's own item is not silent."""
        if isinstance(item, Article | Record | Thread):
            self._gave(flight.waiting)

    def _gave(self, waiting: Waiting) -> None:
        for key in self._silent.given_by(waiting):
            self._note(key, self._silent.known[key]._replace(why=""))

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Note what became of the links of a source's page."""
        if is_source(flight.waiting, self.kernel.sources):
            page = flight.of(SourcePage)
            page.followed += admission.added + admission.continued + admission.duplicates
            page.refused = admission.refused

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Note with the end of a source's page why nothing comes of it, or why it could not be fetched."""
        waiting = flight.waiting
        if not is_named(waiting, self.kernel.sources):
            return
        url = self._source(flight, "").url
        self._not_had.pop(url, None)
        if page.outcome in {"gone", "error"} and 400 <= page.status < 500:
            self._not_had[url] = MISSING, str(page.status)
        elif page.outcome == "error" and not page.reason.startswith("withheld"):
            self._not_had[url] = DEAD, page.reason.removeprefix("given up: ")
        elif page.outcome == "refused":
            self._not_had[url] = SILENT, page.reason.partition(":")[0]
        elif (seen := flight.of(SourcePage)).is_read:
            known = self._silent.known.get(key := waiting.key.hex())
            if known is None or known.why:
                self._note(key, self._source(flight, why_silent(seen)))

    def _source(self, flight: Flight, why: str) -> SilentSource:
        """Return a source by the address that the template names, wherever redirects lead, now or when it was read
        first.
        """
        waiting = flight.waiting
        known = self._silent.known.get(waiting.key.hex())
        url = flight.first_url if known is None else known.url
        return SilentSource(why, url, waiting.site, waiting.source_id)

    def _note(self, key: str, source: SilentSource) -> None:
        self._silent.put(key, source)
        self.kernel.frontier.note_fact(FACTS, key, [*source], partition_of(source.site))

    # What is reported ---------------------------------------------------------------------------

    def findings(self) -> Iterable[Finding]:
        """Return the sources that give nothing, by their reasons."""
        found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for url, told in self._not_had.items():
            found[told].append(url)
        is_done = not (self.kernel.store.is_shared or self.kernel.frontier.counts().waiting)
        for source in self._silent.known.values():
            is_told = is_done if source.why == NO_TEXT else bool(source.why)
            is_asked = source.source_id in self.kernel.sources and source.url not in self._not_had
            if is_told and is_asked:
                found[SILENT, source.why].append(source.url)
        return [
            Finding(kind, len(urls), urls[:MOST_EXAMPLES], why)
            for (kind, why), urls in found.items()
        ]
