"""What a site answers for an address that cannot exist, and what pages say that may be like it.

A site is asked once in some days. What its error page looks like is a part of its record, so after a
kill nothing is asked twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from focuscrawl.articles.article import read_article
from focuscrawl.links.continuations import selectors_of
from focuscrawl.pages.content import sniff
from focuscrawl.pages.document import Document
from focuscrawl.revisit.missing.notices import Notice, notice_in, text_length
from focuscrawl.revisit.missing.soft_404 import (
    ErrorPages,
    PageLook,
    TitleAndText,
    impossible_address,
    look,
)
from focuscrawl.text.keywords import simhash_words
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from random import Random

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.pages.content import Fetched
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

SOFT_404 = "soft_404"
"""The part of a site's record that keeps its error pages."""

REDIRECTS = range(300, 400)
_NO_PAGES = frozenset({PageClass.FEED, PageClass.SITEMAP, PageClass.FILE})


class ErrorPageProbe:
    """Asks the sites of a topic for what cannot exist, and reads what pages say.

    ``ask(site, url)`` returns a site's answer, None when nobody has answered. ``counters`` counts the
    sites that were asked as ``soft_404/asked``.
    """

    def __init__(
        self,
        template: Template,
        frontier: Frontier,
        clock: Clock,
        random: Random,
        counters: Counter[str],
        ask: Callable[[str, str], Awaitable[Fetched | None]],
    ) -> None:
        self._template = template
        self._frontier = frontier
        self._clock = clock
        self._random = random
        self._counters = counters
        self._ask = ask
        self._sites: dict[str, ErrorPages] = {}
        self._asking: dict[str, asyncio.Future[bool]] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of sites."""
        for site, parts in records.items():
            if SOFT_404 in parts:
                self._sites[site] = ErrorPages.from_json(parts[SOFT_404])

    def of(self, site: str) -> ErrorPages:
        """Return what is known of a site."""
        return self._sites.get(site) or ErrorPages()

    def may_ask(self, site: str) -> bool:
        """Whether a site was not asked lately."""
        return self.of(site).may_ask(self._clock.wall())

    def question(self, site: str, url: str) -> asyncio.Future[bool]:
        """Ask a site, once at a time; the future says whether it has answered."""
        asking = self._asking.get(site)
        if asking is None:
            asking = self._asking[site] = asyncio.ensure_future(self._learn(site, url))
        return asking

    async def _learn(self, site: str, url: str) -> bool:
        address = impossible_address(url, f"{self._random.getrandbits(64):016x}")
        pages = self._sites.setdefault(site, ErrorPages())
        try:
            fetched = await self._ask(site, address)
            now = self._clock.wall()
            if fetched is None:
                pages.asked = now  # what is known of it stays
            else:
                seen = self._look_of(fetched, site, address)
                pages.learn(200 if seen is not None else fetched.status, seen, now)
        finally:
            del self._asking[site]
        self._counters["soft_404/asked"] += 1
        self._frontier.note_site(site, SOFT_404, pages.to_json())
        if pages.looks:
            logger.info("%s answers %s: what looks like that is gone", site, address)
        return fetched is not None

    def _look_of(self, fetched: Fetched, site: str, asked: str) -> PageLook | None:
        """Return how an answer looks; of a redirect that is not followed only its target is known."""
        if fetched.status in REDIRECTS:
            return PageLook(fetched.url, "", "", 0, 0)
        said = self.said_by(fetched, site) if 200 <= fetched.status < 300 else None
        return self.look(said, fetched.url, asked) if said is not None else None

    # What pages say -----------------------------------------------------------------------------

    def look(self, said: TitleAndText, final_url: str, asked: str) -> PageLook:
        """Return how a page looks that was asked for at ``asked`` and came from ``final_url``."""
        words = Counter(self._template.splitter.cut(said.text))
        return look(final_url, *said, simhash_words(words), asked)

    def said_by(self, fetched: Fetched, site: str) -> TitleAndText | None:
        """Read a page of a site as an article, whatever it is; None when it is no page at all."""
        if sniff(fetched.body, fetched.content_type, fetched.url) in _NO_PAGES:
            return None
        topic = self._template.topic
        try:
            document = self._document(fetched, site)
            text = read_article(
                document,
                fetched=fetched.at,
                timezone=str(topic.timezone),
                language=topic.language,
                selectors=selectors_of(self._template, site),
            )
        except Exception:
            # A library stumbled over the page; a page without a title and a text is no error page.
            logger.exception("cannot read %s", fetched.url)
            return None
        if text is None:
            return TitleAndText(document.title, "")
        return TitleAndText(text.title, text.text)

    def notice_of(self, fetched: Fetched, site: str) -> Notice | None:
        """Return what a page says in place of its content; None when it has more, or is no page."""
        try:
            document = self._document(fetched, site)
            words = notice_in(document)
            return Notice(words, text_length(document)) if words else None
        except Exception:
            logger.exception("cannot read %s", fetched.url)
            return None

    def _document(self, fetched: Fetched, site: str) -> Document:
        return Document.read(
            fetched.body,
            url=fetched.url,
            content_type=fetched.content_type,
            forced=self._template.site(host_of(site)).encoding,
            found=fetched.encoding,
        )
