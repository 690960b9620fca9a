"""What is known of each site and of each folder of it: pages, relevant pages, bans (E2, E4).

The ledger decides nothing about order. It counts judged pages, bans what gives too little, lifts
bans, and says of any address whether it may be fetched. Time is passed in as wall time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from focuscrawl.urls.site_memory import SiteValues
from focuscrawl.urls.sites import Hosts, Partitions, folder_named, folder_number, folder_of, host_of
from focuscrawl.values import MOST_STEPS, Json

MOST_EVIDENCE = 5
"""Irrelevant pages that are named behind a ban: the latest."""


BAN = "ban"
"""The part of a site's record in the store that is the ledger's."""

BAN_ORDER, UNBAN_ORDER = "ban", "unban"
"""What a person may order about a site while its crawl runs."""

SITE_PATIENCE = 5
"""A whole site is banned only after so many times the irrelevant pages that ban a folder."""

LOWEST_RATE = 0.05
"""The crawl's rate is taken for at least this, so that one without luck leaves traps too."""

MOST_FOLDERS = 200
"""Folders remembered of one site; those with the fewest pages are forgotten first."""

BY_HAND, BY_RATE, BY_COUNT = "hand", "rate", "count"


class Ban(NamedTuple):
    """A ban in force until wall time ``until`` (None: until lifted by hand).

    ``why`` is "hand", "rate" or "count"; ``pages`` and ``relevant`` are what it was founded on,
    ``evidence`` are addresses of irrelevant pages.
    """

    until: float | None
    why: str
    pages: int = 0
    relevant: int = 0
    evidence: tuple[str, ...] = ()


class JudgedPages(msgspec.Struct, array_like=True):
    """Judged pages of a site or of one folder (``name``); ``latest`` are irrelevant addresses.

    ``step`` is the least at which one of its pages was found: 0 when a relevant page links to it. It
    is stored as a row of its fields; older files say no step.
    """

    name: str = ""
    pages: int = 0
    relevant: int = 0
    ban: Ban | None = None
    latest: list[str] = []
    step: int = MOST_STEPS

    @property
    def irrelevant(self) -> int:
        """How many pages did not belong to the topic."""
        return self.pages - self.relevant

    def count(self, url: str, relevant: bool, step: int) -> None:
        """Count a page that was found at a step."""
        self.pages += 1
        self.step = min(self.step, step)
        if relevant:
            self.relevant += 1
            return
        self.latest.append(url)
        if len(self.latest) > MOST_EVIDENCE:
            del self.latest[0]


@dataclass(slots=True)
class SiteRecord:
    """A site as a whole and its folders by number; ``has_bans`` spares most sites the look."""

    whole: JudgedPages = field(default_factory=JudgedPages)
    folders: dict[int, JudgedPages] = field(default_factory=dict)
    has_bans: bool = False

    def ban(self, counts: JudgedPages, until: float | None, why: str) -> Ban:
        """Ban the site (``counts`` is ``whole``) or a folder, with what speaks against it."""
        counts.ban = Ban(until, why, counts.pages, counts.relevant, tuple(counts.latest))
        self.has_bans = True
        return counts.ban

    def lift(self, counts: JudgedPages, *, forget: bool = False) -> None:
        """End a ban; ``forget`` also sets its counts to nought."""
        counts.ban = None
        if forget:
            counts.pages = counts.relevant = 0
            counts.latest = []
        self.has_bans = any(one.ban for one in [self.whole, *self.folders.values()])

    def forget_folder(self) -> None:
        """Forget the folder that says least: no ban, no relevant page, fewest pages."""
        folders = self.folders
        least = min(
            folders,
            key=lambda number: (
                folders[number].ban is not None,
                folders[number].relevant,
                folders[number].pages,
            ),
        )
        del folders[least]

    def to_json(self) -> Json:
        """Return everything as plain JSON."""
        folders = msgspec.to_builtins([*self.folders.values()])
        return {"whole": msgspec.to_builtins(self.whole), "folders": folders}

    @classmethod
    def from_json(cls, kept: Json) -> SiteRecord:
        """Read what ``to_json`` wrote."""
        counts = msgspec.convert(kept.get("folders", ()), list[JudgedPages])
        whole = msgspec.convert(kept["whole"], JudgedPages)
        record = cls(whole, {folder_number(one.name): one for one in counts})
        record.has_bans = any(one.ban for one in [whole, *counts])
        return record


@dataclass(frozen=True, slots=True)
class BanRules:
    """When a site or folder is banned.

    ``after`` irrelevant pages (P) and a share of relevant pages under ``rate`` × the crawl's own,
    for ``lasting`` seconds (inf: until lifted). ``strict``: after more than P irrelevant pages of
    a site, whatever else it gave, for ever. ``banned`` and ``trusted`` are hosts (and their
    subdomains; "=host" is the host alone) that are never fetched, or never banned and unlimited.
    """

    # By rate 8, 20 and 50 came within 2 % of each other in simulated crawls. By the count alone
    # (strict) 20 misses end a rich site: recall at 1,000 pages was .143, that of best-first .505.
    after: int = 20
    rate: float = 0.3
    lasting: float = 30 * 86400.0
    banned: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    strict: bool = False


class Ledger(SiteValues[SiteRecord]):
    """Counts and bans of all sites; ``pages`` and ``relevant`` count the whole crawl, all runs.

    Where several processes crawl, each has its own sites' counts, and hears what those of all others are.
    """

    def __init__(self, rules: BanRules) -> None:
        super().__init__(BAN, SiteRecord.from_json, SiteRecord.to_json)
        self.rules = rules
        self.pages = self.pages_elsewhere = 0
        self.relevant = self.relevant_elsewhere = 0
        self._banned = Hosts(rules.banned)
        self._trusted = Hosts(rules.trusted)

    # Asking -------------------------------------------------------------------------------------

    @property
    def rate(self) -> float:
        """The share of relevant pages among all that were judged."""
        pages = self.pages + self.pages_elsewhere
        return (self.relevant + self.relevant_elsewhere) / pages if pages else 0.0

    def hear(self, *, pages: int | None = None, relevant: int | None = None) -> None:
        """Set the counts of other processes' pages; None leaves one as it is."""
        self.pages_elsewhere = self.pages_elsewhere if pages is None else pages
        self.relevant_elsewhere = self.relevant_elsewhere if relevant is None else relevant

    def is_known(self, site: str) -> bool:
        """Whether a site is known as relevant: it is trusted or gave a relevant page (E4)."""
        record = self.get(site)
        return (record is not None and record.whole.relevant > 0) or self.is_trusted(site)

    def is_trusted(self, site: str) -> bool:
        """Whether a site is never banned."""
        return _is_of(site, self._trusted)

    def is_named(self, site: str) -> bool:
        """Whether the template says that a site is never fetched (explore.banned)."""
        return _is_of(site, self._banned)

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

    def _counts(self, site: str, folder: int | None) -> JudgedPages | None:
        record = self.get(site)
        if record is None:
            return None
        return record.whole if folder is None else record.folders.get(folder)

    def ban_of(self, site: str, folder: int, wall: float) -> Ban | None:
        """Return the ban in force for a folder (by its number) or for its whole site."""
        if _is_of(site, self._banned):
            return Ban(None, BY_HAND)
        record = self.get(site)
        if record is None or not record.has_bans:
            return None
        for counts in (record.whole, record.folders.get(folder)):
            if counts is None or counts.ban is None:
                continue
            if counts.ban.until is None or counts.ban.until > wall:
                return counts.ban
            record.lift(counts, forget=True)
            self.touch(site)
        return None

    def why_not(self, url: str, site: str, wall: float) -> str | None:
        """Return why an address must not be fetched ("ban:hand", "ban:rate", "ban:count"), or None.

        To be asked when a link is found (E2), and of bans by hand again when its URL is taken.
        """
        record = self.get(site)
        if (record is None or not record.has_bans) and not _is_of(site, self._banned):
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
        record = self.get(site) or self.add(site, SiteRecord())
        self.touch(site)
        name = folder_of(url) if folder is None else folder_named(url, folder)
        number = folder_number(name)
        counts = record.folders.get(number)
        if counts is None:
            if len(record.folders) >= MOST_FOLDERS:
                record.forget_folder()
            counts = record.folders[number] = JudgedPages(name)
        self.pages += 1
        self.relevant += relevant
        record.whole.count(url, relevant, step)
        counts.count(url, relevant, step)
        if relevant:
            self._lift_if_good(record, counts)
            return None
        return self._ban_if_bad(site, record, counts, wall)

    def _ban_if_bad(
        self, site: str, record: SiteRecord, folder: JudgedPages, wall: float
    ) -> Ban | None:
        if self.is_trusted(site):
            return None
        rules = self.rules
        if rules.strict:
            if record.whole.ban is None and record.whole.irrelevant > rules.after:
                return record.ban(record.whole, None, BY_COUNT)
            return None
        for counts, patience in ((folder, 1), (record.whole, SITE_PATIENCE)):
            if (
                counts.ban is None
                and counts.irrelevant > rules.after * patience
                and self._is_poor(counts)
            ):
                return record.ban(counts, wall + rules.lasting, BY_RATE)
        return None

    def _is_poor(self, counts: JudgedPages) -> bool:
        share = (counts.relevant + 1) / (counts.pages + 2)
        return share < self.rules.rate * max(self.rate, LOWEST_RATE)

    def _lift_if_good(self, record: SiteRecord, folder: JudgedPages) -> None:
        """Take a ban by rate back when a page fetched to try it out was relevant enough."""
        for counts in (folder, record.whole):
            if counts.ban is not None and counts.ban.why == BY_RATE and not self._is_poor(counts):
                record.lift(counts)

    def give_back(self, site: str, folder: int) -> bool:
        """Lift the bans by rate of a folder that was not all bad, for a crawl with nothing better.

        True when the folder may be fetched now; it has its whole patience again.
        """
        record = self.get(site) or SiteRecord()
        for counts in (record.whole, record.folders.get(folder)):
            if counts is None or counts.ban is None:
                continue
            share = (counts.relevant + 1) / (counts.pages + 2)
            if counts.ban.why != BY_RATE or share < LOWEST_RATE:
                return False
            record.lift(counts, forget=True)
            self.touch(site)
        return True

    # Bans by hand -------------------------------------------------------------------------------

    def ban(self, site: str) -> None:
        """Ban a site by hand, until it is lifted by hand."""
        record = self.get(site) or self.add(site, SiteRecord())
        record.ban(record.whole, None, BY_HAND)
        self.touch(site)

    def lift(self, site: str, folder: str | None = None) -> bool:
        """Lift the bans of a site, or of one folder of it; False when there was none.

        What was counted before is forgotten: the site has its whole patience again.
        """
        record = self.get(site)
        if record is None:
            return False
        lifted = False
        for counts in [record.whole, *record.folders.values()]:
            if counts.ban is not None and folder in (None, counts.name):
                record.lift(counts, forget=True)
                lifted = True
        if lifted:
            self.touch(site)
        return lifted

    # Keeping ------------------------------------------------------------------------------------

    def records(self) -> Iterator[tuple[str, SiteRecord]]:
        """Go through all sites that were judged or banned, for people to look at."""
        yield from ((site, record) for site in self if (record := self.get(site)))

    def load(self, records: Mapping[str, Json]) -> None:
        """Take the sites of earlier runs."""
        super().load(records)
        for record in filter(None, map(self.get, records)):
            self.pages += record.whole.pages
            self.relevant += record.whole.relevant

    def release(self, partitions: Partitions) -> None:
        """Let go of the sites of some partitions: another process counts their pages from now on."""
        for site, record in self.records():
            if partitions.has(site):
                self.pages -= record.whole.pages
                self.relevant -= record.whole.relevant
        super().release(partitions)


def _is_of(site: str, hosts: Hosts) -> bool:
    return bool(hosts) and host_of(site) in hosts  # mostly there are none, and it is asked per link
