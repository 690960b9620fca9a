"""What a site answers for an address that cannot exist, and which pages look like that.

A site is asked once in some days. What its error page looks like is a part of its record, so after a
kill nothing is asked twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from focuscrawl.articles.article import read_article
from focuscrawl.links.continuations import selectors_of
from focuscrawl.pages.content import sniff
from focuscrawl.pages.document import Document
from focuscrawl.revisit.missing.notices import notice_in, text_length
from focuscrawl.revisit.missing.soft_404 import (
    ErrorPages,
    Notice,
    PageLook,
    TitleAndText,
    impossible_address,
    look_of,
)
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from collections import Counter
    from random import Random

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.criteria import Criteria
    from focuscrawl.pages.content import Fetched
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

SOFT_404 = "soft_404"
"""The part of a site's record that keeps its error pages."""


REDIRECTS = range(300, 400)


def read_again(fetched: Fetched, site: str, judging: Criteria) -> TitleAndText | None:
    """Read a page of a site as an article, whatever it is; None when it is no page at all."""
    if sniff(fetched.body, fetched.content_type, fetched.url) in (
        PageClass.FEED,
        PageClass.SITEMAP,
        PageClass.FILE,
    ):
        return None
    try:
        return _read(fetched, site, judging)
    except Exception:
        # A library stumbled over the page; a page without a title and a text is no error page.
        logger.exception("cannot read %s", fetched.url)
        return None


def notice_of(fetched: Fetched, site: str, judging: Criteria) -> Notice | None:
    """Return what a page says in place of its content; None when it has more, or is no page."""
    try:
        document = _document(fetched, site, judging)
        words = notice_in(document)
        return Notice(words, text_length(document)) if words else None
    except Exception:
        logger.exception("cannot read %s", fetched.url)
        return None


def _document(fetched: Fetched, site: str, judging: Criteria) -> Document:
    return Document.read(
        fetched.body,
        url=fetched.url,
        content_type=fetched.content_type,
        forced=judging.template.site(host_of(site)).encoding,
        found=fetched.encoding,
    )


def _read(fetched: Fetched, site: str, judging: Criteria) -> TitleAndText:
    template = judging.template
    document = _document(fetched, site, judging)
    text = read_article(
        document,
        fetched=fetched.at,
        timezone=str(template.topic.timezone),
        language=template.topic.language,
        selectors=selectors_of(template, site),
    )
    return (
        TitleAndText(text.title, text.text)
        if text is not None
        else TitleAndText(document.title, "")
    )


def look_of_answer(fetched: Fetched, site: str, asked: str, judging: Criteria) -> PageLook | None:
    """Return how an answer looks; of a redirect that is not followed only its target is known."""
    if fetched.status in REDIRECTS:
        return PageLook(fetched.url, "", "", 0, 0)
    said = read_again(fetched, site, judging) if 200 <= fetched.status < 300 else None
    return (
        look_of(said, fetched.url, asked, judging.template.splitter.cut)
        if said is not None
        else None
    )


class SiteErrors:
    """The error pages of a topic's sites, in ``sites`` by site.

    ``counters`` counts the sites that were asked as ``soft_404/asked``.
    """

    def __init__(
        self,
        criteria: Criteria,
        frontier: Frontier,
        clock: Clock,
        random: Random,
        counters: Counter[str],
        ask: Callable[[str, str], Awaitable[Fetched | None]],
    ) -> None:
        self.sites: dict[str, ErrorPages] = {}
        self._criteria = criteria
        self._frontier = frontier
        self._clock = clock
        self._random = random
        self._counters = counters
        self._ask = ask
        self._asking: dict[str, asyncio.Future[bool]] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of sites."""
        for site, parts in records.items():
            if SOFT_404 in parts:
                self.sites[site] = ErrorPages.from_json(parts[SOFT_404])

    def question(self, site: str, url: str) -> asyncio.Future[bool]:
        """Ask a site, once at a time; the future says whether it has answered."""
        asking = self._asking.get(site)
        if asking is None:
            asking = self._asking[site] = asyncio.ensure_future(self._learn(site, url))
        return asking

    async def _learn(self, site: str, url: str) -> bool:
        address = impossible_address(url, f"{self._random.getrandbits(64):016x}")
        pages = self.sites.setdefault(site, ErrorPages())
        try:
            fetched = await self._ask(site, address)
            now = self._clock.wall()
            if fetched is None:
                pages.asked = now  # what is known of it stays
            else:
                seen = look_of_answer(fetched, site, address, self._criteria)
                pages.learn(200 if seen is not None else fetched.status, seen, now)
        finally:
            del self._asking[site]
        self._counters["soft_404/asked"] += 1
        self._frontier.note_site(site, SOFT_404, pages.to_json())
        if pages.looks:
            logger.info("%s answers %s: what looks like that is gone", site, address)
        return fetched is not None
