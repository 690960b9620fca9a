"""What a run learns of sites and passes on to the next: patterns, versions, same pages, schemes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.urls.patterns.url_patterns import PATTERNS
from focuscrawl.urls.same_pages import SAME_PAGES
from focuscrawl.urls.schemes import SCHEMES
from focuscrawl.urls.traps import FOLDER_COPIES

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules


class Learning:
    """Reads what was learnt when a run opens, and adds to each commit what has changed since.

    ``conditions``: which servers' versions can be believed; ``schemes``: how sites can be reached.
    """

    def __init__(
        self,
        frontier: Frontier,
        rules: AdmissionRules,
    ) -> None:
        self._schemes = rules.schemes
        self._frontier = frontier
        self._patterns = rules.patterns
        self._rules = rules

    def load(self, records: Mapping[str, dict[str, Any]]) -> None:
        """Read it; ``records`` are those of the sites."""
        self._schemes.load(records)
        if self._patterns is not None:
            self._patterns.load(records)
        self._rules.same.load(records)
        self._rules.copies.load(records)

    def note(self, *, all_of_it: bool) -> None:
        """Put what has changed into the commit; ``all_of_it``: this is the run's last one."""
        frontier = self._frontier
        if self._patterns is not None:
            for site, record in self._patterns.changed(all_of_it=all_of_it).items():
                frontier.note_site(site, PATTERNS, record)
        for site, record in self._rules.same.changed().items():
            frontier.note_site(site, SAME_PAGES, record)
        for site, record in self._rules.copies.changed().items():
            frontier.note_site(site, FOLDER_COPIES, record)
        for site, known in self._schemes.changed().items():
            if frontier.knows_site(site):  # of others no address has been let in
                frontier.note_site(site, SCHEMES, known)
