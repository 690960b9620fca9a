"""What is known of each site and of each folder of it: pages, relevant pages, bans (E2, E4).

The ledger decides nothing about order. It counts judged pages, bans what gives too little, lifts
bans, and says of any address whether it may be fetched. Time is passed in as wall time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

from focuscrawl.explore.hosts import Hosts
from focuscrawl.explore.records import Ban, Counts, SiteRecord
from focuscrawl.explore.steps import MOST_STEPS
from focuscrawl.urls.folders import folder_named, folder_number, folder_of
from focuscrawl.values import Json

PART = "ban"
"""The part of a site's record in the store that is the ledger's."""

SITE_PATIENCE = 5
"""A whole site is banned only after so many times the irrelevant pages that ban a folder."""

LOWEST_RATE = 0.05
"""The crawl's rate is taken for at least this, so that one without luck leaves traps too."""

MOST_FOLDERS = 200
"""Folders remembered of one site; those with the fewest pages are forgotten first."""

BY_HAND, BY_RATE, BY_COUNT = "hand", "rate", "count"


@dataclass(frozen=True, slots=True)
class BanRules:
    """When a site or folder is banned.

    ``after`` irrelevant pages (P) and a share of relevant pages under ``rate`` × the crawl's own,
    for ``lasting`` seconds (inf: until lifted). ``strict``: after more than P irrelevant pages of
    a site, whatever else it gave, for ever. ``banned`` and ``trusted`` are hosts (and their
    subdomains; "=host" is the host alone) that are never fetched, or never banned and unlimited.
    """

    after: int = 20
    rate: float = 0.3
    lasting: float = 30 * 86400.0
    banned: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    strict: bool = False


class Ledger:
    """Counts and bans of all sites; ``pages`` and ``relevant`` count the whole crawl, all runs."""

    def __init__(self, rules: BanRules) -> None:
        self.rules = rules
        self.pages = 0
        self.relevant = 0
        self._sites: dict[str, SiteRecord] = {}
        self._changed: set[str] = set()
        self._banned = Hosts(rules.banned)
        self._trusted = Hosts(rules.trusted)

    # Asking -------------------------------------------------------------------------------------

    @property
    def rate(self) -> float:
        """The share of relevant pages among all that were judged."""
        return self.relevant / self.pages if self.pages else 0.0

    def is_known(self, site: str) -> bool:
        """Whether a site is known as relevant: it is trusted or gave a relevant page (E4)."""
        record = self._sites.get(site)
        return (record is not None and record.whole.relevant > 0) or self.is_trusted(site)

    def is_trusted(self, site: str) -> bool:
        """Whether a site is never banned."""
        return site in self._trusted

    def is_named(self, site: str) -> bool:
        """Whether the template says that a site is never fetched (explore.banned)."""
        return site in self._banned

    def counts(self, site: str, folder: int | None = None) -> tuple[int, int]:
        """Return (pages, relevant pages) of a site, or of the folder with this number."""
        counts = self._counts(site, folder)
        return (counts.pages, counts.relevant) if counts else (0, 0)

    def step(self, site: str, folder: int) -> int:
        """Return the least step at which a page of a folder was found.

        It is MOST_STEPS when none was judged yet.
        """
        counts = self._counts(site, folder)
        return counts.step if counts else MOST_STEPS

    def _counts(self, site: str, folder: int | None) -> Counts | None:
        record = self._sites.get(site)
        if record is None:
            return None
        return record.whole if folder is None else record.folders.get(folder)

    def ban_of(self, site: str, folder: int, wall: float) -> Ban | None:
        """Return the ban in force for a folder (by its number) or for its whole site."""
        if site in self._banned:
            return Ban(inf, BY_HAND)
        record = self._sites.get(site)
        if record is None or not record.has_bans:
            return None
        for counts in (record.whole, record.folders.get(folder)):
            if counts is None or counts.ban is None:
                continue
            if counts.ban.until > wall:
                return counts.ban
            record.lift(counts, forget=True)
            self._changed.add(site)
        return None

    def why_not(self, url: str, site: str, wall: float) -> str | None:
        """Return why an address must not be fetched ("ban:hand", "ban:rate", "ban:count"), or None.

        To be asked when a link is found (E2), and of bans by hand again when its URL is taken.
        """
        record = self._sites.get(site)
        if (record is None or not record.has_bans) and site not in self._banned:
            return None  # as for most: no need to know the folder
        ban = self.ban_of(site, folder_number(folder_of(url)), wall)
        return f"ban:{ban.why}" if ban else None

    # Counting -----------------------------------------------------------------------------------

    def judged(
        self,
        url: str,
        site: str,
        relevant: bool,
        wall: float,
        step: int = MOST_STEPS,
        folder: int | None = None,
    ) -> Ban | None:
        """Count a page by the address it was queued under; returns the ban that it caused.

        ``step`` is the one it was found at, ``folder`` the number of the folder that it waited in;
        left out, they say nothing.
        """
        record = self._sites.get(site)
        if record is None:
            record = self._sites[site] = SiteRecord()
        self._changed.add(site)
        name = folder_of(url) if folder is None else folder_named(url, folder)
        number = folder_number(name)
        counts = record.folders.get(number)
        if counts is None:
            if len(record.folders) >= MOST_FOLDERS:
                record.forget_folder()
            counts = record.folders[number] = Counts(name)
        self.pages += 1
        self.relevant += relevant
        record.whole.count(url, relevant, step)
        counts.count(url, relevant, step)
        if relevant:
            self._lift_if_good(record, counts)
            return None
        return self._ban_if_bad(site, record, counts, wall)

    def _ban_if_bad(self, site: str, record: SiteRecord, folder: Counts, wall: float) -> Ban | None:
        if self.is_trusted(site):
            return None
        rules = self.rules
        if rules.strict:
            if record.whole.ban is None and record.whole.irrelevant > rules.after:
                return record.ban(record.whole, inf, BY_COUNT)
            return None
        for counts, patience in ((folder, 1), (record.whole, SITE_PATIENCE)):
            if (
                counts.ban is None
                and counts.irrelevant > rules.after * patience
                and self._is_poor(counts)
            ):
                return record.ban(counts, wall + rules.lasting, BY_RATE)
        return None

    def _is_poor(self, counts: Counts) -> bool:
        share = (counts.relevant + 1) / (counts.pages + 2)
        return share < self.rules.rate * max(self.rate, LOWEST_RATE)

    def _lift_if_good(self, record: SiteRecord, folder: Counts) -> None:
        """Take a ban by rate back when a page fetched to try it out was relevant enough."""
        for counts in (folder, record.whole):
            if counts.ban is not None and counts.ban.why == BY_RATE and not self._is_poor(counts):
                record.lift(counts)

    def give_back(self, site: str, folder: int) -> bool:
        """Lift the bans by rate of a folder that was not all bad, for a crawl with nothing better.

        True when the folder may be fetched now; it has its whole patience again.
        """
        record = self._sites[site]
        for counts in (record.whole, record.folders.get(folder)):
            if counts is None or counts.ban is None:
                continue
            share = (counts.relevant + 1) / (counts.pages + 2)
            if counts.ban.why != BY_RATE or share < LOWEST_RATE:
                return False
            record.lift(counts, forget=True)
            self._changed.add(site)
        return True

    # Bans by hand -------------------------------------------------------------------------------

    def ban(self, site: str) -> None:
        """Ban a site by hand, until it is lifted by hand."""
        record = self._sites.setdefault(site, SiteRecord())
        record.ban(record.whole, inf, BY_HAND)
        self._changed.add(site)

    def lift(self, site: str, folder: str | None = None) -> bool:
        """Lift the bans of a site, or of one folder of it; False when there was none.

        What was counted before is forgotten: the site has its whole patience again.
        """
        record = self._sites.get(site)
        if record is None:
            return False
        lifted = False
        for counts in [record.whole, *record.folders.values()]:
            if counts.ban is not None and folder in (None, counts.name):
                record.lift(counts, forget=True)
                lifted = True
        if lifted:
            self._changed.add(site)
        return lifted

    # Keeping ------------------------------------------------------------------------------------

    def record(self, site: str) -> SiteRecord | None:
        """Return what is known of one site."""
        return self._sites.get(site)

    def records(self) -> Iterator[tuple[str, SiteRecord]]:
        """Go through all sites that were judged or banned, for people to look at."""
        yield from self._sites.items()

    def load(self, records: Mapping[str, Json]) -> None:
        """Take the sites of earlier runs: ``Loaded.records``, whose parts PART are read."""
        for site, parts in records.items():
            if PART in parts:
                record = self._sites[site] = SiteRecord.from_json(parts[PART])
                self.pages += record.whole.pages
                self.relevant += record.whole.relevant

    def changed(self) -> dict[str, Json]:
        """Return the records that changed since the last call, to be stored as the part PART."""
        changed, self._changed = self._changed, set()
        return {site: self._sites[site].to_json() for site in changed}
