"""Feeds and sitemaps that sites name, read for their signals once pages of the site are watched (B).

The first run only notes them, in the site's record: it has no older copy of anything. A later one
reads those of sites of which it keeps pages; from then on they are lists as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from focuscrawl.crawl.revisit.signals import signal_file
from focuscrawl.pages.signal_files import MOST_NAMED
from focuscrawl.values import Json

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.topic.admission_rules import AdmissionRules
    from focuscrawl.values import Clock

_PART = "signal_files"
"""The part of a site's record: its files by whether they were queued, since when they are known, and
how many pages were kept."""

FEWEST_KEPT = 5
"""Pages that must have been kept of a site for its files to be worth a request each day."""


class SignalFiles:
    """The files of one topic's sites."""

    def __init__(self, rules: AdmissionRules, frontier: Frontier, clock: Clock) -> None:
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        self._sites: dict[str, Json] = {}

    def load(self, records: Mapping[str, Json]) -> None:
        """Read what earlier runs noted of sites."""
        self._sites |= {site: parts[_PART] for site, parts in records.items() if _PART in parts}

    def named(self, site: str, urls: Iterable[str]) -> None:
        """Note files that a site names; the first few are kept."""
        known = self._sites.get(site, {}).get("files", {})
        new = [url for url in dict.fromkeys(urls) if url not in known]
        new = new[: max(0, MOST_NAMED - len(known))]
        if new:
            self._note(site, files=known | dict.fromkeys(new, False))

    def kept(self, site: str) -> None:
        """Hear that a page of a site was kept, new or as it was; the first few are counted."""
        count = self._sites.get(site, {}).get("kept", 0)
        if count < FEWEST_KEPT:
            self._note(site, kept=count + 1)

    def since(self, site: str) -> float | None:
        """Return since when a site is known, wall time: no page of it was fetched before."""
        return self._sites.get(site, {}).get("since")

    def queue(self) -> int:
        """Queue the files of sites of which pages are kept; returns how many are new."""
        queued = 0
        for site, noted in [*self._sites.items()]:
            files = noted.get("files", {})
            if noted.get("kept", 0) < FEWEST_KEPT or all(files.values()):
                continue
            for url in (url for url, is_queued in files.items() if not is_queued):
                found = signal_file(url, site, self._rules)
                if found is not None:
                    queued += self._frontier.add(*found)
                    files = {**files, url: True}
            if files != noted["files"]:  # what is refused today may be wanted by another template
                self._note(site, files=files)
        return queued

    def _note(self, site: str, **changed: Json | int) -> None:
        noted = {"since": self._clock.wall()} | self._sites.get(site, {}) | changed
        self._sites[site] = noted
        self._frontier.note_site(site, _PART, noted)
