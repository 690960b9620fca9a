"""Learned address patterns of sites (D5): what a link leads to, before it is fetched.

Every page that was judged teaches the patterns of its site. A pattern is held to what it said: it
is dropped when it is wrong too often. People may pin patterns, which then hold like the
template's, and veto addresses, which then are never classed by what was learnt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from focuscrawl.urls.site_patterns import Expected, Known, SitePatterns
from focuscrawl.values import Json, PageClass

PART = "patterns"
"""The part of a site's record in the store that is written here."""


class Matcher(Protocol):
    """An address pattern of the template's language."""

    def search(self, text: str, /) -> bool:
        """Whether it is found in an address."""


UNKNOWN = Expected()


class Learnt(NamedTuple):
    """A pattern for people: ``written`` is in the template's language.

    ``support`` pages have taught it, ``precision`` is the share of them it is right about; ``seen``
    links were fetched since, and it had said what ``right`` of them are.
    """

    written: str
    page_class: PageClass
    support: int
    precision: float
    seen: int
    right: int


class UrlPatterns:
    """The patterns of all sites of a topic. ``read_match`` compiles an entry of the kind *match*."""

    def __init__(self, read_match: Callable[[str], Matcher]) -> None:
        self._read_match = read_match
        self._sites: dict[str, SitePatterns] = {}
        self._matchers: dict[str, Matcher] = {}
        self._kept: dict[str, Json] = {}
        self._changed: set[str] = set()
        self._fresh: set[str] = set()

    def load(self, records: Mapping[str, Json]) -> None:
        """Take the sites of earlier runs: ``Loaded.records``, whose parts PART are read."""
        self._kept = {site: parts[PART] for site, parts in records.items() if PART in parts}

    def class_of(self, url: str, site: str) -> Expected:
        """Return what a link leads to; UNKNOWN itself where nothing is known."""
        known = self._sites.get(site) or self._site(site)
        if known is None or (known.expression is None and not known.pins):
            return UNKNOWN
        for written, page_class in known.pins.items():
            if self._found(written, url):
                return Expected(page_class, by_hand=True)
        found = known.match(url)
        if found is None:
            return UNKNOWN
        if known.vetoes and any(self._found(written, url) for written in known.vetoes):
            return UNKNOWN
        return found.expected

    def knows_news(self, site: str) -> bool:
        """Whether there are patterns of articles on a site (what strict following waits for)."""
        known = self._site(site)
        return known is not None and known.has_news

    def judged(self, url: str, site: str, page_class: PageClass) -> None:
        """Learn from a page that was judged, once for each page."""
        known = self._site(site)
        if known is None:
            known = self._sites[site] = SitePatterns()
        known.judged(url, page_class)
        (self._changed if known.changed else self._fresh).add(site)

    def pin(self, site: str, written: str, page_class: PageClass) -> None:
        """Let a pattern hold on a site whatever is learnt."""
        known = self._for_hand(site)
        known.pins[written] = page_class
        known.compile()

    def veto(self, site: str, written: str) -> None:
        """Never class addresses of a site that match a pattern by what is learnt."""
        known = self._for_hand(site)
        if written not in known.vetoes:
            known.vetoes.append(written)

    def forget(self, site: str, written: str) -> bool:
        """Take a pin or veto back; False: there was none."""
        known = self._for_hand(site)
        was = known.pins.pop(written, None) is not None or written in known.vetoes
        known.vetoes = [one for one in known.vetoes if one != written]
        known.compile()
        return was

    def sites(self) -> Iterator[str]:
        """Go through the sites of which something is known."""
        yield from sorted({*self._sites, *self._kept})

    def learnt(self, site: str) -> list[Learnt]:
        """Return the patterns in use on a site, for people."""
        known = self._site(site)
        return [_learnt(one) for one in (known.known if known else ())]

    def pattern_of(self, url: str, site: str) -> Learnt | None:
        """Return the pattern in use that an address matches, for people."""
        known = self._site(site)
        found = known.match(url) if known is not None else None
        return _learnt(found) if found is not None else None

    def by_hand(self, site: str) -> tuple[dict[str, PageClass], list[str]]:
        """Return the pins and vetoes of a site."""
        known = self._site(site)
        return (dict(known.pins), list(known.vetoes)) if known else ({}, [])

    def answers(self, site: str) -> tuple[int, int]:
        """Return how many links were classed before they were fetched, and how many rightly."""
        known = self._site(site)
        return (known.asked, known.right) if known else (0, 0)

    def changed(self, *, all_of_it: bool = False) -> dict[str, Json]:
        """Return the records that the store should have, by site.

        A site is written when its patterns were learnt anew, and at the end of a run: pages judged
        since then are few.
        """
        names = self._changed | self._fresh if all_of_it else self._changed
        self._fresh -= names
        self._changed = set()
        for name in names:
            self._sites[name].changed = False
        return {name: self._sites[name].to_json() for name in names}

    def _site(self, site: str) -> SitePatterns | None:
        known = self._sites.get(site)
        if known is None and site in self._kept:
            known = self._sites[site] = SitePatterns.from_json(self._kept.pop(site))
        return known

    def _for_hand(self, site: str) -> SitePatterns:
        known = self._site(site)
        if known is None:
            known = self._sites[site] = SitePatterns()
        self._changed.add(site)
        return known

    def _found(self, written: str, url: str) -> bool:
        matcher = self._matchers.get(written)
        if matcher is None:
            matcher = self._matchers[written] = self._read_match(written)
        return matcher.search(url)


def _learnt(known: Known) -> Learnt:
    pattern = known.pattern
    return Learnt(
        f"re:://[^/]+{pattern.expression}$",
        PageClass(pattern.page_class),
        pattern.support,
        pattern.right / pattern.support,
        known.seen,
        known.right,
    )
