"""Withheld pages in a crawl: what stands in front of a page is never taken for it, and the page is tried later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from focuscrawl.features.withheld.walls import MOST_LETTERS, MOST_LINKS_BESIDE, is_teaser, wall_in
from focuscrawl.kernel.feature import Feature
from focuscrawl.readers.links.criteria import PageReader
from focuscrawl.readers.pages.texts import element_text, paragraphs, top_headings
from focuscrawl.readers.text.characters import shows
from focuscrawl.urls.sites import host_of
from focuscrawl.values import MOST_EXAMPLES, Finding

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.links.criteria import OpenPage
    from focuscrawl.readers.pages.content import Fetched, Judged
    from focuscrawl.values import Page

REASON = "withheld"
SITE = "site"
"""The kind of what stands at all addresses of a site, and says nothing of itself."""

_MOST_KEPT = 20_000
"""Addresses of a site that are remembered, so that one which is tried again counts once; more are not counted."""

LARGEST = 300_000
"""Bytes of a page that may be a wall; those of Cloudflare and Yahoo's consent have 30,000 to 120,000."""


class WallReader(PageReader):
    """Finds out whether something stands in front of a page; notes articles that are only a beginning."""

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Note it."""
        article = judged.article or (judged.piece.article if judged.piece is not None else None)
        is_small = page.fetched.status == 200 and len(page.fetched.body) <= LARGEST
        is_alone = len(page.links) <= MOST_LINKS_BESIDE
        is_short = article is None or len(article.text) <= MOST_LETTERS
        if not is_small or not is_short or not (is_alone or article is not None):
            return
        root = deepcopy(page.document.root)
        if article is not None and is_teaser(article.text, paragraphs(root).splitlines()):
            article.complete = False
        is_dated = article is not None and article.published is not None
        if not is_alone or is_dated or judged.records:
            return
        root = deepcopy(page.document.root)
        etree.strip_elements(root, "a", with_tail=False)  # 系统维护公告 as a link is what is listed
        text, title = paragraphs(root), page.document.title
        headings = (title, *map(element_text, top_headings(page.document.root)))
        if (kind := wall_in(title, text)) and not shows(page.waiting.anchor, headings):
            judged.withheld, judged.headings = kind, headings


class WithheldPage(NamedTuple):
    """A page in front of which something stands, by ``kind``, unless it shows what it is ``known`` as."""

    feature: Withheld
    flight: Flight
    kind: str
    headings: tuple[str, ...]
    known: list[str]

    async def clear_up(self) -> None:
        """Recall under which title the page is stored."""
        before = self.flight.before
        if before is not None:
            self.known.append(await self.feature.kernel.stored.title(before.key.hex()))

    def settle(self, judged: Judged) -> bool:
        """Note in its flight that it is tried later."""
        if any(shows(one, self.headings) for one in self.known):
            return False
        flight, page = self.flight, judged.page
        page.relevant = page.score = None
        page.title = ""  # the log book keeps that of the page itself
        page.outcome, page.reason = "error", f"{REASON}: {self.kind}"
        flight.page, flight.failed = page, page.reason
        self.feature.count(self.kind, flight)
        return True


class Withheld(Feature):
    """Holds back what is no answer to what was asked; counts it as ``withheld``."""

    name = "withheld"

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._urls: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def readers(self) -> Iterable[PageReader]:
        """Look at pages."""
        return (WallReader(self.kernel.criteria),)

    def doubt(self, flight: Flight, judged: Judged, fetched: Fetched) -> WithheldPage | None:
        """Doubt what says that it stands in front of the page."""
        if not judged.withheld:
            return None
        return WithheldPage(self, flight, judged.withheld, judged.headings, [])

    def settle(self, flight: Flight, page: Page | None, *, comes_back: bool) -> None:
        """Say of a known page that leads to a log-in, which is not asked for, what stands in front of it."""
        is_log_in = (flight.outcome, flight.reason) == ("refused", "action:login")
        if flight.before is not None and is_log_in:
            flight.outcome, flight.reason, flight.failed = "", "", f"{REASON}: log-in"
            self.count("log-in", flight)
        elif flight.failed == f"{REASON}: {SITE}":
            self.count(SITE, flight)

    def count(self, kind: str, flight: Flight) -> None:
        """Count a page that was withheld."""
        urls = self._urls[f"{host_of(flight.waiting.site)} ({kind})"]
        if len(urls) < _MOST_KEPT:
            urls[flight.first_url] = None
        self.kernel.counters[REASON] += 1

    def findings(self) -> Iterable[Finding]:
        """Return the sites with withheld pages, and what stands in front of them."""
        for where, urls in self._urls.items():
            yield Finding(REASON, len(urls), [*urls][:MOST_EXAMPLES], where)
