"""What one run has read and could not make out: by address, so that each counts once.

Most of it the page shows at once; that a list looks like an article is known only at the end,
when the patterns of its site have been learnt.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from focuscrawl.kernel.feature import Feature
from focuscrawl.readers.links.sources import is_named
from focuscrawl.urls.sites import host_of
from focuscrawl.values import MOST_EXAMPLES, Finding, PageClass

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.urls.patterns.url_patterns import Learnt
    from focuscrawl.values import Waiting

logger = logging.getLogger(__name__)

_MOST_UNREAD_KEPT = 20_000
"""Addresses of one kind that are remembered; more are not counted."""

_FEWEST_UNREAD = 3
"""Pages without text that make a site one of scripts, or all of them where there are fewer."""

_LEADS_TO = 3
"""Articles that a page led to first which make it a list, whatever pages of such an address are."""

_UNREAD_LISTS = frozenset({PageClass.BOARD, PageClass.OTHER})
LIKE_ARTICLES, BOARDS = "lists", "boards"
_THREADS, _SCRIPTS, _GOES_ON = "threads", "scripts", "goes_on"


MISSED = (
    '[site."%s".select] %s finds nothing on %s: it is found out instead, there and wherever else it'
    " finds nothing; pages are counted as %s"
)
BEYOND = "%s counts %s beyond 2^53: they are unknown; pages are counted as %s"


class Unrecognised(Feature):
    """Collects it."""

    name = "unrecognised"

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel)
        self._found: dict[str, dict[str, str]] = defaultdict(dict)
        self._pages: Counter[str] = Counter()
        self._shown: dict[str, int] = {}
        self._led: Counter[bytes] = Counter()
        self._keys: dict[str, bytes] = {}

    def judged(self, flight: Flight | None, judged: Judged) -> tuple[()]:
        """Note what a page was taken for, and count what was looked for in vain on it."""
        page = judged.page
        for name in judged.missed:
            host = self.kernel.template.site(host_of(page.host)).host
            self._tell_once(f"selector/{host}/{name}", MISSED, host, name, page.url)
        for name in judged.beyond:
            self._tell_once(f"unknown/{name}", BEYOND, page.url, name)
        if flight is not None:
            self._hear(judged, flight.waiting)
        return ()

    def _tell_once(self, counter: str, words: str, *said: str) -> None:
        """Count a page, and say of the first what is counted."""
        self.kernel.counters[counter] += 1
        if self.kernel.counters[counter] == 1:
            logger.warning(words, *said, counter)

    def _hear(self, judged: Judged, waiting: Waiting) -> None:
        page, url, host = judged.page, waiting.url, host_of(waiting.site)
        is_counted = waiting.parent_key in self._led or len(self._led) < _MOST_UNREAD_KEPT
        if page.page_class is PageClass.ARTICLE and is_counted:
            self._led[waiting.parent_key] += 1
        for known in self._found.values():
            known.pop(url, None)  # read again, it may be clear
        self._pages[host] += 1
        is_source = is_named(waiting, self.kernel.sources)
        if judged.goes_on_after:
            self._note(_GOES_ON, url, host)
            self._shown[url] = judged.goes_on_after
        if judged.is_scripted:
            self._note(_SCRIPTS, url, host)
        elif judged.unclear:
            self._note(judged.unclear, url, host)
        elif page.page_class in _UNREAD_LISTS and not is_source:
            self._note(LIKE_ARTICLES, url, waiting.site)
            if url in self._found[LIKE_ARTICLES]:
                self._keys[url] = waiting.key

    def findings(self) -> list[Finding]:
        """Return what is to be told now."""
        return [*self._by_place(BOARDS, _THREADS), *self._lists(), *self._scripts()]

    def _note(self, kind: str, url: str, place: str) -> None:
        known = self._found[kind]
        if len(known) < _MOST_UNREAD_KEPT:
            known[url] = place

    def _by_place(self, *kinds: str) -> Iterator[Finding]:
        for kind in kinds:
            for place, urls in _grouped(self._found[kind]).items():
                yield Finding(kind, len(urls), urls[:MOST_EXAMPLES], place)

    def _lists(self) -> Iterator[Finding]:
        """Go through the patterns of articles that addresses of lists match."""
        rules = self.kernel.rules
        if rules.patterns is None:
            return
        urls: dict[tuple[str, Learnt], list[str]] = defaultdict(list)
        for url, site in self._found[LIKE_ARTICLES].items():
            learnt = rules.patterns.pattern_of(url, site)
            is_article = learnt is not None and learnt.page_class is PageClass.ARTICLE
            if self._led[self._keys[url]] >= _LEADS_TO:
                continue
            if learnt is not None and is_article and rules.look(url).page_class is None:
                urls[site, learnt].append(url)
        for (_, learnt), own in urls.items():
            right = round(learnt.precision * learnt.support)
            yield Finding(
                LIKE_ARTICLES, len(own), own[:MOST_EXAMPLES], learnt.written, learnt.support, right
            )

    def _scripts(self) -> Iterator[Finding]:
        """Go through sites without text but by script, and those whose lists show more by script, with the fewest entries
        that one of them shows.
        """
        for host, urls in _grouped(self._found[_SCRIPTS]).items():
            pages = self._pages[host]
            if 2 * len(urls) >= pages and len(urls) >= min(_FEWEST_UNREAD, pages):
                yield Finding(_SCRIPTS, len(urls), urls[:MOST_EXAMPLES], host, pages)
        for host, urls in _grouped(self._found[_GOES_ON]).items():
            fewest = min(self._shown[url] for url in urls)
            yield Finding(_GOES_ON, len(urls), urls[:MOST_EXAMPLES], host, fewest)


def _grouped(places: Mapping[str, str]) -> dict[str, list[str]]:
    """Return addresses by their place."""
    grouped: dict[str, list[str]] = defaultdict(list)
    for url, place in places.items():
        grouped[place].append(url)
    return grouped
