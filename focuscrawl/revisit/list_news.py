"""Which lists show what is new on a site, and which only repeat it (A6, B).

A run begins with every list once more. On a blog two hundred of them are pages of tags, authors and
months: what is new stands on the front page and in the feed as well. So it is counted who shows a new
link when lists are read once more. Lists that lead are those the template names, feeds and sitemaps; the
more of what is new they show, the longer the lists that show nothing else may rest. A list that showed
something no leading list did is read by every run again.

State of a site: ``found``, the new links that lists showed; ``covered``, those a leading list showed, too;
``brought``, the lists that showed others, by the date they last did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from focuscrawl.revisit.settings import DAY
from focuscrawl.values import Json, PageClass

PART = "lists"
"""The part of a site's record."""

LEADING = frozenset({PageClass.FEED, PageClass.SITEMAP})

MEAN_DELAY = DAY
"""What rest may cost: of the news of a site the share that leading lists do not show comes late by half
of a list's rest in the mean, and so by this at most in all. Of half a day the visits of a blog of 216 lists
were 26 % of its pages on a day without news, of a day 15 %."""

LONGEST = 9 * DAY

DOUBT = 0.5
"""New links that nobody has shown yet, counted as not covered: of a site with one piece of news that its
front page showed two thirds are believed."""

SHORTEST_SHARE = 0.25
"""Share of the longest rest after which the first list is read: lists read in one run come back
scattered over several."""

REMEMBERED = 30 * DAY
"""How long a list that showed something of its own is read by every run."""

MOST_LISTS = 2_000
"""Lists of a site whose dates are kept; of more, those of the latest."""

MOST_PENDING = 100_000
"""Links of a run that ordinary lists showed first and a leading one may show yet."""


@dataclass(slots=True)
class SiteLists:
    """What is known of one site's lists, see above; dates are wall time, keys hexadecimal."""

    found: float = 0
    covered: float = 0
    brought: dict[str, float] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of what is new that leading lists show: 0 before anything is known."""
        return self.covered / (self.found + DOUBT)

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
        kept = sorted(self.brought.items(), key=lambda one: one[1])[-MOST_LISTS:]
        return {"found": self.found, "covered": self.covered, "brought": dict(kept)}

    @classmethod
    def from_json(cls, kept: Json) -> SiteLists:
        """Read what ``to_json`` wrote."""
        return cls(float(kept["found"]), float(kept["covered"]), dict(kept["brought"]))


@dataclass(slots=True)
class Alone:
    """A list with so many ``links`` of this run that no leading one has shown yet; ``before`` is the
    date of those of earlier runs.
    """

    site: str
    name: str
    before: float | None
    links: int = 0


class ListNews:
    """The lists of one run's sites. A kill loses only that more lists are read than need be."""

    def __init__(self) -> None:
        self._sites: dict[str, SiteLists] = {}
        self._pending: dict[str, Alone] = {}
        self._alone: dict[tuple[str, str], Alone] = {}
        self._changed: set[str] = set()

    def load(self, records: Mapping[str, Mapping[str, Json]]) -> None:
        """Read what earlier runs learnt; ``records`` are those of the sites."""
        for site, parts in records.items():
            if PART in parts:
                self._sites[site] = SiteLists.from_json(parts[PART])

    def found(self, url: str, by: bytes, site: str, now: float, *, leads: bool) -> None:
        """Count a link that nobody had shown when a list was read once more.

        ``by`` is the key of the list, ``site`` its site; ``leads``: it is a leading list.
        """
        lists = self._sites.setdefault(site, SiteLists())
        lists.found += 1
        self._changed.add(site)
        if leads:
            lists.covered += 1
        elif len(self._pending) < MOST_PENDING:
            name = by.hex()
            alone = self._alone.get((site, name))
            if alone is None:
                alone = self._alone[site, name] = Alone(site, name, lists.brought.get(name))
            alone.links += 1
            lists.brought[name] = now  # until a leading list shows it, too
            self._pending[url] = alone

    def covers(self, urls: Iterable[str]) -> None:
        """Note what a leading list shows: other lists may have shown it first, in this run."""
        if self._pending:
            for url in urls:
                alone = self._pending.pop(url, None)
                if alone is not None:
                    self._cover(alone)

    def keep_reading(self, key: bytes, site: str, now: float) -> None:
        """Note that a list shows something else that every run wants to know."""
        self._sites.setdefault(site, SiteLists()).brought[key.hex()] = now
        self._changed.add(site)

    def _cover(self, alone: Alone) -> None:
        """Note that a leading list has shown what another one had shown first."""
        lists = self._sites[alone.site]
        lists.covered += 1
        self._changed.add(alone.site)
        alone.links -= 1
        if not alone.links:
            if alone.before is None:
                del lists.brought[alone.name]
            else:
                lists.brought[alone.name] = alone.before

    def rests(self, key: bytes, site: str, last_fetched: float, now: float) -> bool:
        """Whether a list that no template names may be left out by a run that begins now."""
        lists = self._sites.get(site)
        if lists is None or not lists.share or last_fetched > now:
            return False
        brought = lists.brought.get(key.hex())
        if brought is not None and abs(now - brought) < REMEMBERED:
            return False
        longest = min(LONGEST, 2 * MEAN_DELAY * lists.share / (1 - lists.share))
        spread = SHORTEST_SHARE + (1 - SHORTEST_SHARE) * key[0] / 255
        return now - last_fetched < longest * spread

    def changed(self) -> dict[str, Json]:
        """Return the records of the sites that have changed since the last call."""
        changed, self._changed = self._changed, set()
        return {site: self._sites[site].to_json() for site in changed}
