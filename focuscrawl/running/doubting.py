"""Soft 404 put on a run: pages that may be the error page of a site that answers 200 for everything.

A page is doubted when it has become quite another since its last visit, when it has moved, or when
several addresses of a site say the same. One that says in a few words that it is not there any more
(revisit.missing.notices) is believed, when it had much more text before. For others the site is asked for an
address that cannot exist (error_pages), and the page is held until the answer is there: what looks like
it is gone. Never are addresses that the template names, and pages that say what they said before. After
a kill the page that was held is fetched again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focuscrawl.revisit.change.comparison import ChangeKind
from focuscrawl.revisit.missing.soft_404 import (
    ErrorPages,
    Notice,
    PageLook,
    TitleAndText,
    gives_content,
    is_another,
    look,
    look_of,
    said_by,
)
from focuscrawl.revisit.states import CONTENT, is_named
from focuscrawl.running.error_pages import SiteErrors, notice_of, read_again
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from collections import Counter
    from random import Random

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.links.criteria import Criteria
    from focuscrawl.pages.content import Fetched, Judged
    from focuscrawl.running.comparing import Comparing
    from focuscrawl.values import Clock

REASON, NOTICE, UNSURE = "soft-404", "notice", "soft-404?"
"""Why a page is gone: it looks like the site's error page, it says so itself; and why a visit has
failed when its site did not answer."""

TIMES_LONGER = 1.5
"""An article with so many times the characters of a notice was none: 280 Chinese characters of news
against the 150 letters of an English wiki."""

OF_FIELDS = frozenset({PageClass.RECORD, PageClass.THREAD})
"""Pages that are kept for more than a text: one that still gives it is no notice."""

LengthBefore = Callable[[str], Awaitable["int | None"]]
"""Returns the characters of an article that is stored, by its key in hexadecimal; None: it is not."""

FEWEST_SAME = 3
"""Addresses of one site with the same title and text that make it worth asking."""

TITLES_KEPT, _TEXTS_KEPT = 10_000, 20
"""Titles, and texts under one title, that are compared with those of further addresses: the latest."""


@dataclass(slots=True, eq=False)
class PageDoubt:
    """A page that may be an error page: ``asked`` is the address that was asked for, ``seen`` how
    it looks. ``notice`` is what it reads as when that says that the page is not there, ``is_notice``: it
    said more before. ``unsure``: its site was asked, and did not answer.
    """

    doubting: Doubting
    flight: Flight
    site: str
    asked: str
    seen: PageLook
    notice: Notice | None = None
    is_notice: bool = False
    unsure: bool = False

    async def clear_up(self) -> None:
        """Find out what it is."""
        await self.doubting.clear_up(self)

    def settle(self, judged: Judged) -> bool:
        """Whether it is no page."""
        return self.doubting.settle(self, judged)


@dataclass(slots=True)
class Same:
    """The addresses of a site that have one title, by what they say; of the ``first`` nobody knows."""

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


class Doubting:
    """The doubts of one run. ``counters`` counts pages that are none as ``soft_404``, and the
    sites that were asked as ``soft_404/asked``.
    """

    def __init__(
        self,
        criteria: Criteria,
        comparing: Comparing,
        frontier: Frontier,
        clock: Clock,
        random: Random,
        counters: Counter[str],
        ask: Callable[[str, str], Awaitable[Fetched | None]],
        length_before: LengthBefore,
    ) -> None:
        self._criteria = criteria
        self._comparing = comparing
        self._length_before = length_before
        self._errors = SiteErrors(criteria, frontier, clock, random, counters, ask)
        self._clock = clock
        self._counters = counters
        self._titles: dict[tuple[str, str], Same] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of sites."""
        self._errors.load(records)

    # A page has come ----------------------------------------------------------------------------

    def doubt(self, flight: Flight, judged: Judged, fetched: Fetched) -> PageDoubt | None:
        """Return what is doubted of a page before anything of it is kept; None for nearly all.

        It is to be cleared up (``clear_up``) and then settled (``settle``).
        """
        before, page = flight.before, judged.page
        is_known = before is not None and before.page_class in CONTENT
        if not (is_known or gives_content(judged)):
            return None
        asked = before.url if before is not None else _asked_at_first(flight)
        if _is_home(asked) or is_named(flight.waiting, self._criteria.sources):
            return None  # it is there, though it may answer for all that is not
        kind = self._how_changed(flight, judged)
        if kind is ChangeKind.SAME:
            return None  # so it did before, whatever else looks like it
        site = before.site if before is not None else flight.waiting.site
        pages = self._errors.sites.get(site, ErrorPages())
        may_ask = bool(pages.looks) or pages.may_ask(self._clock.wall())
        if before is not None and is_known:
            has_moved = flight.waiting.url != asked
            is_strange = has_moved or is_another(before, judged) or kind is ChangeKind.MAJOR
            notice = notice_of(fetched, site, self._criteria) if is_strange else None
            if notice is not None and before.page_class in OF_FIELDS and gives_content(judged):
                notice = None if judged.page.page_class is before.page_class else notice
        else:
            is_strange, notice = may_ask and self._is_common(flight, judged, asked), None
        if notice is None and not (may_ask and (pages.looks or is_strange)):
            return None
        said = (
            said_by(judged)
            or read_again(fetched, site, self._criteria)
            or TitleAndText(page.title, "")
        )
        seen = look_of(said, flight.waiting.url, asked, self._criteria.template.splitter.cut)
        doubt = PageDoubt(self, flight, site, asked, seen, notice)
        return doubt if is_strange or pages.is_error(seen, asked) else None

    def _how_changed(self, flight: Flight, judged: Judged) -> ChangeKind | None:
        """Return how a page has changed since its last visit; None when that cannot be compared."""
        state = flight.before
        if state is None:
            return None
        article = judged.article or (judged.piece.article if judged.piece is not None else None)
        if article is not None and state.page_class is PageClass.ARTICLE:
            return self._comparing.how_changed(state, article, judged.ignored)
        if judged.records and state.page_class is PageClass.RECORD:
            return self._comparing.how_records_changed(state, judged.records)
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
            self._titles[title] = Same(key)
            if len(self._titles) > TITLES_KEPT:
                del self._titles[next(iter(self._titles))]
            return False
        self._titles[title] = known  # the latest stand last
        return known.say(look("", *said, 0, asked).digest, key) >= FEWEST_SAME

    def is_missing(self, doubt: PageDoubt) -> bool:
        """Whether a page that is doubted says that it is gone, or is its site's error page."""
        pages = self._errors.sites.get(doubt.site)
        return doubt.is_notice or (pages is not None and pages.is_error(doubt.seen, doubt.asked))

    def settle(self, doubt: PageDoubt, judged: Judged) -> bool:
        """Note in its flight that a page is no page; False when it is one, to be read.

        What was asked for is gone, wherever a redirect has led. A known page of whose site nobody
        knows is read another time.
        """
        flight, page = doubt.flight, judged.page
        is_missing = self.is_missing(doubt)
        if not is_missing and not (doubt.unsure and flight.before is not None):
            return False
        before = flight.before
        if before is not None and before.key != flight.waiting.key:
            flight.waiting = flight.waiting._replace(
                url=before.url, key=before.key, site=before.site
            )
            page.url_key, page.url, page.host = before.key.hex(), before.url, before.site
        page.relevant = page.score = None
        page.title = ""  # the log book keeps that of the page itself
        flight.page = page
        if is_missing:
            flight.outcome, flight.reason = "gone", NOTICE if doubt.is_notice else REASON
            page.outcome, page.reason = flight.outcome, flight.reason
            self._counters["soft_404"] += 1
        else:
            page.outcome, page.reason = "error", UNSURE
            flight.failed = UNSURE
        return True

    # A redirect that was not followed -----------------------------------------------------------

    def led_elsewhere(self, flight: Flight) -> None:
        """Hear that a visit has ended at an address that is known or refused, and was not read.

        When the site sends everybody there it is gone; else the site is asked, for the next time.
        """
        before = flight.before
        if before is None or before.page_class not in CONTENT or not flight.led_to:
            return
        if is_named(flight.waiting, self._criteria.sources):
            return
        pages = self._errors.sites.get(before.site, ErrorPages())
        if pages.stands_at(flight.led_to):
            flight.outcome, flight.reason = "gone", REASON
            self._counters["soft_404"] += 1
        elif pages.may_ask(self._clock.wall()):
            self._errors.question(before.site, before.url)

    # Asking -------------------------------------------------------------------------------------

    async def clear_up(self, doubt: PageDoubt) -> None:
        """Find out whether a page said more before; else ask its site for what cannot exist, unless
        that was done lately.
        """
        doubt.is_notice = await self._said_more(doubt)
        pages = self._errors.sites.get(doubt.site, ErrorPages())
        if self.is_missing(doubt) or not pages.may_ask(self._clock.wall()):
            return
        doubt.unsure = not await self._errors.question(doubt.site, doubt.asked)

    async def _said_more(self, doubt: PageDoubt) -> bool:
        """Whether a page that reads as a notice had much more text when it was stored."""
        before, notice = doubt.flight.before, doubt.notice
        if notice is None or before is None or before.page_class in OF_FIELDS:
            return notice is not None
        length = await self._length_before(before.key.hex())
        if length is None:
            return False  # nothing is known of it, and nothing is lost
        return not length or length > TIMES_LONGER * notice.length


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _asked_at_first(flight: Flight) -> str:
    """Return the address that was asked for before redirects."""
    asked: list[str] = flight.request.meta.get("redirect_urls", [])
    return asked[0] if asked else flight.waiting.url
