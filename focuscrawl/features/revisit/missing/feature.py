"""Soft 404 in a crawl: pages that may be the error page of a site that answers 200 for everything.

A page is doubted when it has become quite another since its last visit, when it has moved, or when
several addresses of a site say the same. One that says in a few words that it is not there any more
(revisit.missing.notices) is believed, when it held much more text before. For others the site is asked for an
address that cannot exist (revisit.missing.soft_404), and the page is held until the answer is there: what
looks like it is gone. Never are addresses that the template names, and pages that say the same as
before. After a kill the page that was held is fetched again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focuscrawl.features.revisit.change.comparison import ChangeKind
from focuscrawl.features.revisit.feature import UNSURE, WITHHELD, Revisit
from focuscrawl.features.revisit.missing.soft_404 import (
    ErrorPageProbe,
    TitleAndText,
    gives_content,
    is_another,
    look,
    said_by,
)
from focuscrawl.features.revisit.moved import seen_at
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.flight import Detour
from focuscrawl.readers.links.sources import is_named
from focuscrawl.readers.text.characters import shows
from focuscrawl.values import CONTENT, PageClass

if TYPE_CHECKING:
    from focuscrawl.features.revisit.missing.notices import Notice
    from focuscrawl.features.revisit.missing.soft_404 import PageLook
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.pages.content import Fetched, Judged
    from focuscrawl.urls.site_memory import SiteMemory
    from focuscrawl.values import PageState

REASON, NOTICE, WALL = "soft-404", "notice", "withheld: site"
"""Why a page is gone: it looks like the site's error page, it says so itself; and why a visit has
failed when its site shows one text at all its addresses."""

TIMES_LONGER = 1.5
"""An article with so many times the characters of a notice was none: 280 Chinese characters of news
against the 150 letters of an English wiki."""

OF_FIELDS = frozenset({PageClass.RECORD, PageClass.THREAD})
"""Pages that are kept for more than a text: one that still gives it is no notice."""

FEWEST_SAME = 3
"""Addresses of one site with the same title and text that make it worth asking."""

FEWEST_WITHHELD = 5
"""Known pages of one site that show one text now, from which its front page is looked at: sites delete less
than that between two visits, or all of it."""

FEWEST_OF_NAME = 4
"""Characters from which what a link says is a name of its page."""

MOST_OF_A_WALL = 600
"""Characters of text of a page that may stand in place of any other: a firewall's notice has 420 letters."""

TITLES_KEPT, _TEXTS_KEPT = 5_000, 20
"""Titles, some 550 bytes each, and texts under one title, that are compared with those of further addresses: the latest.
Error pages come in a row."""


@dataclass(slots=True, eq=False)
class DoubtedPage:
    """A page that may be an error page: ``asked`` is the address that was asked for, ``seen`` how
    it looks. ``notice`` is what it reads as when that says that the page is not there, ``is_notice``: it
    held more text before. ``unsure``: its site was asked, and did not answer. ``is_alone``: nothing else was seen on
    its site, so that it may stand in front of all pages.
    """

    feature: SoftNotFound
    flight: Flight
    site: str
    asked: str
    seen: PageLook
    notice: Notice | None = None
    is_notice: bool = False
    unsure: bool = False
    is_alone: bool = False

    async def clear_up(self) -> None:
        """Find out whether it held more text before; else ask its site for what cannot exist, unless that
        was done lately.
        """
        self.is_notice, probe = await self._said_more(), self.feature.probe
        if not self._is_missing() and probe.may_ask(self.site):
            self.unsure = not await probe.question(self.site, self.asked)
        if not self.is_notice and self.flight.before is not None and self._is_missing():
            await self.feature.count_same(self.site, self.asked)
        if self.flight.before is None and self._is_missing():
            self.is_alone = not await self.feature.shows_others(self.site, self.asked)

    async def _said_more(self) -> bool:
        """Whether a page that reads as a notice held much more text when it was stored."""
        before, notice = self.flight.before, self.notice
        if notice is None or before is None or before.page_class in OF_FIELDS:
            return notice is not None
        stored = await self.feature.kernel.stored.text(before.key.hex())
        if not stored:
            return False  # nothing is known of it, and nothing is lost
        if not notice.words and stored.title and stored.title in notice.shown:
            return False  # its heading still stands there: its text has become a picture, say
        return not stored.length or stored.length > TIMES_LONGER * notice.length

    def _is_missing(self) -> bool:
        """Whether it says that it is gone, or is its site's error page."""
        return self.is_notice or self.feature.probe.of(self.site).is_error(self.seen, self.asked)

    def settle(self, judged: Judged) -> bool:
        """Note in its flight that a page is no page; False when it is one, to be read.

        What was asked for is gone, wherever a redirect has led. A known page whose site did not
        answer is read another time.
        """
        flight, page, is_missing = self.flight, judged.page, self._is_missing()
        before = flight.before
        # No list promises pages that are all gone: what stands there is seen again, and tells the two apart by then.
        is_kept = is_missing and self.is_alone and is_misled(flight, judged)
        is_missing = is_missing and not is_kept
        is_wall = is_kept or self.feature.probe.of(self.site).is_wall(self.seen, self.asked)
        is_wall = is_wall and not is_missing
        if not is_missing and not (is_wall or (self.unsure and before is not None)):
            return False
        if before is not None and before.key != flight.waiting.key:
            flight.waiting = flight.waiting._replace(
                url=before.url, key=before.key, site=before.site
            )
            page.url_key, page.url, page.host = before.key.hex(), before.url, before.site
        page.relevant = page.score = None
        page.title = ""  # the log book keeps that of the page itself
        flight.page = page
        if is_missing:
            self.feature.is_gone(flight, NOTICE if self.is_notice else REASON)
            page.outcome, page.reason = flight.outcome, flight.reason
        else:
            page.outcome, page.reason = "error", WALL if is_wall else UNSURE
            flight.failed = page.reason
        return True


@dataclass(slots=True)
class SameTitle:
    """The addresses of a site that have one title, by what they say; that of the ``first`` is unknown."""

    first: bytes
    texts: dict[str, set[bytes]] = field(default_factory=dict)

    def say(self, text: str, key: bytes) -> int:
        """Take what an address says (its digest); returns how many may say the same."""
        addresses = self.texts.setdefault(text, {self.first})
        if len(addresses) < FEWEST_SAME:
            addresses.add(key)
        if len(self.texts) > _TEXTS_KEPT:
            del self.texts[next(iter(self.texts))]
        return len(addresses)


class SoftNotFound(Feature):
    """Doubts pages; counts those that are none as ``soft_404``."""

    name = "soft_404"

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self.probe = ErrorPageProbe(
            *(kernel.template, kernel.frontier, kernel.clock, kernel.run.random, kernel.counters),
            kernel.transport.probe,
            kernel.stored.pages_there,
        )
        self._titles: dict[tuple[str, str], SameTitle] = {}
        self._errors: Counter[str] = Counter()
        self._showing: set[str] = set()

    def memories(self) -> tuple[SiteMemory]:
        """Remember how sites answer for what they do not have."""
        return (self.probe.sites,)

    # A page has come ----------------------------------------------------------------------------

    def doubt(self, flight: Flight, judged: Judged, fetched: Fetched) -> DoubtedPage | None:
        """Return what is doubted of a page before anything of it is kept; None for nearly all."""
        before, page = flight.before, judged.page
        is_known = before is not None and before.page_class in CONTENT
        if not (is_known or gives_content(judged)):
            return None
        site, asked = _asked_for(flight)
        if _is_home(asked) or is_named(flight.waiting, self.kernel.sources):
            return None  # it is there, though it may answer for all that is not
        kind = self._how_changed(flight, judged)
        if kind is ChangeKind.SAME:
            return None  # so it did before, whatever else looks like it
        pages, notice = self.probe.of(site), None
        is_told = bool(pages.looks or pages.walls)
        may_ask = is_told or self.probe.may_ask(site)
        if before is not None and is_known:
            has_moved = flight.waiting.url != asked
            is_strange = has_moved or is_another(before, judged) or kind is ChangeKind.MAJOR
            if is_strange:
                notice = self._notice_of(before, judged, fetched)
        else:
            is_common = self._is_common(flight, judged, asked)
            is_strange = may_ask and (is_common or is_misled(flight, judged))
        if notice is None and not (is_told or (may_ask and is_strange)):
            return None
        said = said_by(judged) or self.probe.said_by(fetched, site) or TitleAndText(page.title, "")
        seen = self.probe.look(said, flight.waiting.url, asked)
        doubted = DoubtedPage(self, flight, site, asked, seen, notice)
        looks_so = pages.is_error(seen, asked) or pages.is_wall(seen, asked)
        return doubted if is_strange or looks_so else None

    def _notice_of(self, before: PageState, judged: Judged, fetched: Fetched) -> Notice | None:
        """Return what a known page says of itself when it says that it is not there; None where it still
        gives what it is kept for besides a text.
        """
        notice = self.probe.notice_of(fetched, before.site)
        of_fields = before.page_class in OF_FIELDS and gives_content(judged)
        still_so = of_fields and judged.page.page_class is before.page_class
        return None if still_so else notice

    def _how_changed(self, flight: Flight, judged: Judged) -> ChangeKind | None:
        """Return how a page has changed since its last visit; None when that cannot be compared."""
        state = flight.before
        if state is None:  # a page's first visit, or Revisit is switched off
            return None
        comparison = self.kernel.hooks.feature(Revisit).comparison
        article = judged.article or (judged.piece.article if judged.piece is not None else None)
        if article is not None and state.page_class is PageClass.ARTICLE:
            return comparison.how_changed(state, article, judged.ignored)
        if judged.records and state.page_class is PageClass.RECORD:
            return comparison.how_records_changed(state, judged.records)
        return None

    def _is_common(self, flight: Flight, judged: Judged, asked: str) -> bool:
        """Whether several addresses of a site say what a new page says."""
        said = said_by(judged)
        if said is None or flight.waiting.page_class is PageClass.ARTICLE_PAGING:
            return False
        key = flight.waiting.key
        title = (flight.waiting.site, said.title)
        known = self._titles.pop(title, None)
        if known is None:  # as nearly always: what it says is not looked at
            self._titles[title] = SameTitle(key)
            if len(self._titles) > TITLES_KEPT:
                del self._titles[next(iter(self._titles))]
            return False
        self._titles[title] = known  # the latest stand last
        return known.say(look("", *said, 0, asked).digest, key) >= FEWEST_SAME

    def judged(self, flight: Flight | None, judged: Judged) -> Iterable[object]:
        """Note which sites show pages."""
        if flight is not None and gives_content(judged):
            self._showing.add(flight.waiting.site)
        return ()

    async def shows_others(self, site: str, asked: str) -> bool:
        """Whether a site shows something else than its error page, as far as is known."""
        if site not in self._showing and await self.probe.shows_others(site, asked):
            self._showing.add(site)
        return site in self._showing

    async def count_same(self, site: str, asked: str) -> None:
        """Count a known page that looks like its site's error page now: at the fifth of a run it is seen
        whether the front page does, too."""
        self._errors[site] += 1
        if self._errors[site] == FEWEST_WITHHELD:
            await self.probe.see_home(site, asked)

    def is_gone(self, flight: Flight, reason: str) -> None:
        """Note that a page is gone, and why."""
        flight.outcome, flight.reason = "gone", reason
        self.kernel.counters["soft_404"] += 1

    def ending(self, flight: Flight) -> None:
        """Call a page gone whose visit ended at an address that is known or refused, and was not read, or with a form
        that stands in front of a page, if its site leads all requests there.

        Else the site is asked, for the next time.
        """
        before = flight.before
        if before is None or before.page_class not in CONTENT:
            return
        asked, is_withheld = seen_at(before), flight.failed.startswith(WITHHELD)
        led_to = flight.of(Detour).led_to or (flight.waiting.url if is_withheld else "")
        if led_to in ("", asked) or is_named(flight.waiting, self.kernel.sources):
            return
        if self.probe.of(before.site).stands_at(led_to, asked):
            flight.failed = ""
            if flight.page is not None:
                flight.page.outcome, flight.page.reason = "gone", REASON
            self.is_gone(flight, REASON)
        elif self.probe.may_ask(before.site):
            self.probe.question(before.site, asked)

    def idle(self, *, is_over: bool) -> bool:
        """Stay until the sites that were asked have answered: what a visit has found is understood by that."""
        return not is_over and self.probe.is_asking()


def is_misled(flight: Flight, judged: Judged) -> bool:
    """Whether a new page of a few words shows neither the words of the link to it nor a date."""
    article, anchor = judged.article, flight.waiting.anchor
    if article is None or article.published is not None or len(article.text) > MOST_OF_A_WALL:
        return False
    is_name = len(anchor) >= FEWEST_OF_NAME
    return is_name and not shows(anchor, (article.title, judged.page.title or ""))


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _asked_for(flight: Flight) -> tuple[str, str]:
    """Return the site and the address that were asked for: of a page's state, else before redirects."""
    if flight.before is not None:
        return flight.before.site, flight.before.url
    asked: list[str] = flight.request.meta.get("redirect_urls", [])
    return flight.waiting.site, asked[0] if asked else flight.waiting.url
