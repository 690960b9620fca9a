"""Soft 404 put on a run: pages that may be the error page of a site that answers 200 for everything.

A page is doubted when it has become quite another since its last visit, when it has moved, or when
several addresses of a site say the same. Then the site is asked for an address that cannot exist
(error_pages), and the page is held until the answer is there: what looks like it is gone. After a
kill the page that was held is fetched again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focuscrawl.crawl.doubts import (
    Said,
    gives_content,
    is_another,
    look_of,
    read_again,
    said_by,
)
from focuscrawl.crawl.visits import CONTENT, is_source
from focuscrawl.revisit.gone import ErrorPages, Look, look
from focuscrawl.running.error_pages import SiteErrors
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from collections import Counter
    from random import Random

    from focuscrawl.crawl.fetched import Fetched, Judged, Judging
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.running.comparing import Comparing
    from focuscrawl.running.error_pages import Ask
    from focuscrawl.running.leases import Lease
    from focuscrawl.values import Clock

REASON, UNSURE = "soft-404", "soft-404?"
"""Why a page is gone, and why a visit has failed when its site did not answer."""

FEWEST_SAME = 3
"""Addresses of one site with the same title and text that make it worth asking."""

TITLES_KEPT, TEXTS_KEPT = 10_000, 20
"""Titles, and texts under one title, that are compared with those of further addresses: the latest."""


@dataclass(slots=True, eq=False)
class Doubt:
    """A page that may be an error page: ``asked`` is the address that was asked for, ``seen`` how
    it looks. ``unsure``: its site was asked, and did not answer.
    """

    lease: Lease
    site: str
    asked: str
    seen: Look
    unsure: bool = False


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
        if len(self.texts) > TEXTS_KEPT:
            del self.texts[next(iter(self.texts))]
        return len(addresses)


class Doubting:
    """The doubts of one run. ``counters`` counts pages that are none as ``soft_404``, and the
    sites that were asked as ``soft_404/asked``.
    """

    def __init__(
        self,
        judging: Judging,
        comparing: Comparing,
        frontier: Frontier,
        clock: Clock,
        luck: Random,
        counters: Counter[str],
        ask: Ask,
    ) -> None:
        self._judging = judging
        self._comparing = comparing
        self._errors = SiteErrors(judging, frontier, clock, luck, counters, ask)
        self._clock = clock
        self._counters = counters
        self._titles: dict[tuple[str, str], Same] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of sites."""
        self._errors.load(records)

    # A page has come ----------------------------------------------------------------------------

    def doubt(self, lease: Lease, judged: Judged, fetched: Fetched) -> Doubt | None:
        """Return what is doubted of a page before anything of it is kept; None for nearly all.

        It is to be cleared up (``clear_up``) and then settled (``settle``).
        """
        before, page = lease.before, judged.page
        is_known = before is not None and before.page_class in CONTENT
        if not (is_known or gives_content(judged)):
            return None
        asked = before.url if before is not None else _asked_at_first(lease)
        if _is_home(asked) or is_source(lease.waiting, self._judging.sources):
            return None  # it is there, though it may answer for all that is not
        site = before.site if before is not None else lease.waiting.site
        pages = self._errors.sites.get(site, ErrorPages())
        if not (pages.looks or pages.may_ask(self._clock.wall())):
            return None
        look_at = self._is_strange if is_known else self._is_common
        is_strange = look_at(lease, judged, asked)
        if not (pages.looks or is_strange):
            return None
        said = said_by(judged) or read_again(fetched, site, self._judging) or Said(page.title, "")
        template = self._judging.template
        doubt = Doubt(lease, site, asked, look_of(said, lease.waiting.url, asked, template))
        return doubt if is_strange or pages.is_error(doubt.seen, asked) else None

    def _is_strange(self, lease: Lease, judged: Judged, asked: str) -> bool:
        """Whether a page that is visited again has moved, or become quite another."""
        state = lease.before
        if state is None:
            return False
        if lease.waiting.url != asked or is_another(state, judged):
            return True
        article = judged.article or (judged.piece.article if judged.piece is not None else None)
        return article is not None and self._comparing.is_rewritten(state, article, judged.ignored)

    def _is_common(self, lease: Lease, judged: Judged, asked: str) -> bool:
        """Whether several addresses of a site say what a new page says."""
        said = said_by(judged)
        if said is None or lease.waiting.page_class is PageClass.ARTICLE_PAGING:
            return False
        key = lease.waiting.key
        title = (lease.waiting.site, said.title)
        known = self._titles.pop(title, None)
        if known is None:  # as nearly always: what it says is not looked at
            self._titles[title] = Same(key)
            if len(self._titles) > TITLES_KEPT:
                del self._titles[next(iter(self._titles))]
            return False
        self._titles[title] = known  # the latest stand last
        return known.say(look("", *said, 0, asked).digest, key) >= FEWEST_SAME

    def is_missing(self, doubt: Doubt) -> bool:
        """Whether a page that is doubted is its site's error page."""
        pages = self._errors.sites.get(doubt.site)
        return pages is not None and pages.is_error(doubt.seen, doubt.asked)

    def settle(self, doubt: Doubt, judged: Judged) -> bool:
        """Note in its lease that a page is no page; False when it is one, to be read.

        What was asked for is gone, wherever a redirect has led. A known page of whose site nobody
        knows is read another time.
        """
        lease, page = doubt.lease, judged.page
        is_missing = self.is_missing(doubt)
        if not is_missing and not (doubt.unsure and lease.before is not None):
            return False
        before = lease.before
        if before is not None and before.key != lease.waiting.key:
            lease.waiting = lease.waiting._replace(url=before.url, key=before.key, site=before.site)
            page.url_key, page.url, page.host = before.key.hex(), before.url, before.site
        page.relevant = page.score = None
        lease.page = page
        if is_missing:
            page.outcome, page.reason = lease.outcome, lease.reason = "gone", REASON
            self._counters["soft_404"] += 1
        else:
            page.outcome, page.reason = "error", UNSURE
            lease.failed = UNSURE
        return True

    # A redirect that was not followed -----------------------------------------------------------

    def led_elsewhere(self, lease: Lease) -> None:
        """Hear that a visit has ended at an address that is known or refused, and was not read.

        When the site sends everybody there it is gone; else the site is asked, for the next time.
        """
        before = lease.before
        if before is None or before.page_class not in CONTENT or not lease.led_to:
            return
        pages = self._errors.sites.get(before.site, ErrorPages())
        if pages.stands_at(lease.led_to):
            lease.outcome, lease.reason = "gone", REASON
            self._counters["soft_404"] += 1
        elif pages.may_ask(self._clock.wall()):
            self._errors.question(before.site, before.url)

    # Asking -------------------------------------------------------------------------------------

    async def clear_up(self, doubt: Doubt) -> None:
        """Ask the site of a page for what cannot exist, unless that was done lately."""
        pages = self._errors.sites.get(doubt.site, ErrorPages())
        if self.is_missing(doubt) or not pages.may_ask(self._clock.wall()):
            return
        doubt.unsure = not await self._errors.question(doubt.site, doubt.asked)


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _asked_at_first(lease: Lease) -> str:
    """Return the address that was asked for before redirects."""
    asked: list[str] = lease.request.meta.get("redirect_urls", [])
    return asked[0] if asked else lease.waiting.url
