"""What a run learns of addresses and passes on to the next: patterns, same pages, traps, schemes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.feature import Feature
from focuscrawl.links.learned import learn_likeness, learn_pattern
from focuscrawl.urls.patterns.url_patterns import PATTERNS
from focuscrawl.urls.same_pages import SAME_PAGES
from focuscrawl.urls.schemes import SCHEMES
from focuscrawl.urls.traps import FOLDER_COPIES

if TYPE_CHECKING:
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.pages.content import Judged
    from focuscrawl.values import Json

logger = logging.getLogger(__name__)


class Addresses(Feature):
    """The addresses of one run: pages teach their patterns, sites how they can be reached."""

    name = "addresses"
    needs_topic = False

    async def open(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt of sites."""
        rules = self.kernel.rules
        for learnt in (rules.schemes, rules.patterns, rules.same, rules.copies):
            if learnt is not None:
                learnt.load(records)

    def judged(self, flight: Flight | None, judged: Judged) -> Iterator[Any]:
        """Learn what pages of such an address are, and which addresses are one page."""
        if flight is not None:
            rules, waiting = self.kernel.rules, flight.waiting
            if told := learn_likeness(judged, flight.request.url, waiting, rules):
                logger.warning("%s", told)
            if waiting.first_walk and not judged.by_pattern:
                learn_pattern(judged.page, waiting, rules)
        return iter(())

    def note(self, *, closing: bool) -> None:
        """Put what has changed into the commit."""
        rules, frontier = self.kernel.rules, self.kernel.frontier
        patterns = rules.patterns.changed(all_of_it=closing) if rules.patterns is not None else {}
        learnt = {PATTERNS: patterns, SAME_PAGES: rules.same.changed()}
        learnt[FOLDER_COPIES] = rules.copies.changed()
        for part, changed in learnt.items():
            for site, record in changed.items():
                frontier.note_site(site, part, record)
        for site, known in rules.schemes.changed().items():
            if frontier.knows_site(site):  # of others no address has been let in
                frontier.note_site(site, SCHEMES, known)
