"""The default order: one set of waiting URLs, three orders over it, and a bandit that chooses.

Best-first; the best URL of the best folder; the best URL of the best site. Each pick follows one
of the three, drawn by how many relevant pages its last picks gave (see arms). Nothing is dropped:
links beyond so many irrelevant pages are parked until the crawl runs dry or its harvest falls, a
banned folder keeps its URLs and is tried again now and then, and of an unknown site with more
than ``quota`` links only the best are offered; the next best moves up when one is fetched.

Everything is lazily cleaned: changes are noted, and entries that no longer hold are dropped when
they come to the top, so that a pick costs the logarithm of what waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from focuscrawl.tunnel.arms import Arms
from focuscrawl.tunnel.groups import (
    MOST_STEP,
    SEQUENCE_BITS,
    SEQUENCE_MASK,
    VALUE_BITS,
    Groups,
    code_of,
    codes_of,
    score_of,
    value_key,
)
from focuscrawl.tunnel.ledger import BY_HAND, Ledger
from focuscrawl.tunnel.parking import Parking
from focuscrawl.tunnel.probes import Probes

SITE_BITS = 24
SITE_MASK = (1 << SITE_BITS) - 1
GROUP_BITS = 32
GROUP_MASK = (1 << GROUP_BITS) - 1

BY_LINK, BY_FOLDER, BY_SITE = 0, 1, 2
PROBE = -1
"""The arm of a URL that was taken to try out a banned folder: no arm chose it."""

PROMISING = 410
"""A link with this score (of 1023) is taken though its folder is banned, …"""

MOST_TRIES = 5
"""… until so many such links of it in a row misled."""

SMALL = 20
"""A banned folder with at most so many links is read to its end before a crawl ends: that costs no
more than finding out that it is to be banned."""

RECENT = 300
POOR = 0.25
RELEASED_TOGETHER = 2_000
SLACK = 64


@dataclass(frozen=True, slots=True)
class PortfolioRules:
    """``steps`` (K) and ``quota`` (R) as in the template; ``orders`` are those that take part."""

    steps: int = 10
    quota: int = 15
    orders: tuple[int, ...] = (BY_LINK, BY_FOLDER, BY_SITE)


class _Site:
    """One site's groups, by folder number, and its two lists of those that offer something."""

    __slots__ = (
        "asleep",
        "by_link",
        "by_value",
        "groups",
        "is_trusted",
        "name",
        "number",
        "open",
        "pages",
        "relevant",
    )

    def __init__(self, number: int, name: str, counts: tuple[int, int], is_trusted: bool) -> None:
        self.number = number
        self.name = name
        self.pages, self.relevant = counts
        self.is_trusted = is_trusted
        self.asleep = False
        self.open = 0
        self.groups: dict[int, int] = {}
        self.by_link: list[int] = []
        self.by_value: list[int] = []


class Portfolio:
    """Three orders over one set of URLs (method E, default form).

    An order in the sense of ``frontier.order.Order``. ``arms`` has as many arms as the rules have
    orders. Sites are named by the frontier's numbers, folders by ``urls.folders.folder_number``.
    """

    def __init__(self, rules: PortfolioRules, ledger: Ledger, arms: Arms) -> None:
        self.rules = rules
        self._steps = rules.steps
        self._quota = rules.quota
        self.ledger = ledger
        self.arms = arms
        self._groups = Groups()
        self._sites: dict[int, _Site] = {}
        self._heads: dict[int, list[int]] = {order: [] for order in rules.orders}
        self._changed_groups: set[int] = set()
        self._changed_sites: set[int] = set()
        self._parking = Parking()
        self._probes = Probes()
        self._spare: dict[int, int] = {}
        self._failed: dict[int, int] = {}
        self._promised: set[int] = set()
        self._flights: dict[int, tuple[int, int]] = {}
        self._recent: deque[bool] = deque(maxlen=RECENT)
        self._judged_since_release = 0
        self._open = 0
        self._blocked = 0

    # Adding -------------------------------------------------------------------------------------

    def refuses(self, url: str, site: str, step: int, wall: float) -> str | None:
        """Return why a link is not to wait at all: only sites named by hand are refused."""
        return f"ban:{BY_HAND}" if self.ledger.is_named(site) else None

    def add(self, sequence: int, site: int, name: str, folder: int, score: int, step: int) -> None:
        """Let a URL wait; it is parked when its ``step`` lies beyond the rules'."""
        known = self._sites.get(site) or self._site(site, name)
        group = known.groups.get(folder)
        if group is None:
            group = self._group(known, folder)
        code = code_of(sequence, score, step)
        if step > self._steps:
            self._parking.add(group, code)
        else:
            self._push(known, group, code)

    def extend(self, site: int, name: str, folder: int, promises: list[int]) -> None:
        """Let many URLs of one folder wait (``values.Lane.promise`` of each)."""
        known = self._sites.get(site) or self._site(site, name)
        group = known.groups.get(folder)
        if group is None:
            group = self._group(known, folder)
        codes = codes_of(promises)
        steps = self._steps
        parked = [code for code in codes if code >> SEQUENCE_BITS & MOST_STEP > steps]
        if parked:
            self._parking.extend(group, parked)
            codes = [code for code in codes if code >> SEQUENCE_BITS & MOST_STEP <= steps]
        if self._groups.length(group) or self._groups.blocked[group]:
            for code in codes:
                self._push(known, group, code)
        elif codes:
            self._groups.extend(group, codes)
            self._changed_groups.add(group)
            self._count_open(group, len(codes))

    def _push(self, site: _Site, group: int, code: int) -> None:
        groups = self._groups
        if groups.push(group, code):
            self._changed_groups.add(group)
        if groups.blocked[group]:
            self._blocked += 1
            if self._is_promising(group):
                self._unblock(group)
            return
        self._open += 1
        site.open += 1
        if site.open == self._quota + 1:  # an unknown site is full from now on
            self._changed_sites.add(site.number)

    def _group(self, site: _Site, folder: int) -> int:
        counts = self.ledger.counts(site.name, folder)
        group = site.groups[folder] = self._groups.add(site.number, folder, *counts)
        return group

    def _site(self, number: int, name: str) -> _Site:
        ledger = self.ledger
        site = _Site(number, name, ledger.counts(name), ledger.is_trusted(name))
        self._sites[number] = site
        return site

    def _count_open(self, group: int, change: int) -> None:
        """Count URLs of a group that came to those on offer, or left them."""
        site = self._sites[self._groups.sites[group]]
        was_full = self._is_full(site)
        site.open += change
        self._open += change
        if self._is_full(site) != was_full:
            self._changed_sites.add(site.number)

    def _is_full(self, site: _Site) -> bool:
        """Whether more links of an unknown site wait than its quota (E4)."""
        return site.open > self._quota and not site.relevant and not site.is_trusted

    # Taking -------------------------------------------------------------------------------------

    def pick(self, is_ready: Callable[[int], bool], wall: float) -> tuple[int, int] | None:
        """Take the next URL among the sites that are ready: (sequence, site), or None.

        ``is_ready`` is asked for a site's number; a site that was not ready is not looked at again
        before ``wake``. Folders that were banned meanwhile are found out here.
        """
        self._release_when_poor()
        arm = self.arms.draw()
        group = self._offered(self.rules.orders[arm], is_ready, wall)
        if group is None:
            return None
        probe = self._probes.due(lambda group: self._may_probe(group, is_ready))
        if probe is not None:
            self._unblock_if_free(probe, wall)  # bans end
            return self._take(probe, PROBE)
        self._probes.picked()
        return self._take(group, arm)

    def waits(self, is_ready: Callable[[int], bool], wall: float) -> bool:
        """Whether ``pick`` would return a URL."""
        return self._offered(self.rules.orders[0], is_ready, wall) is not None

    def _offered(self, order: int, is_ready: Callable[[int], bool], wall: float) -> int | None:
        """Return the group to take from, blocking those on the way that were banned."""
        while True:
            group = self._first(order, is_ready)
            if group is None:
                if not self._release_when_dry():
                    return None
            elif not self._block_if_banned(group, wall):
                return group

    def _first(self, order: int, is_ready: Callable[[int], bool]) -> int | None:
        """Return the group to take from in one of the orders; drops entries that do not hold."""
        self._list_changes()
        heads = self._heads[order]
        while heads:
            entry = heads[0]
            site = self._sites[entry & SITE_MASK]
            if site.asleep or self._site_key(site, order) != entry >> SITE_BITS:
                heappop(heads)
            elif not is_ready(site.number):
                heappop(heads)
                site.asleep = True
            else:
                by_value = order == BY_FOLDER and not self._is_full(site)
                return (site.by_value if by_value else site.by_link)[0] & GROUP_MASK
        return None

    def _site_key(self, site: _Site, order: int) -> int | None:
        """Return the key of a site in one of the orders; None when it offers nothing."""
        if order == BY_FOLDER and not self._is_full(site):
            return self._top(site.by_value, self._groups.key)
        rank = self._top(site.by_link, self._groups.rank)
        if order == BY_FOLDER and rank is not None:
            return self._groups.key(site.by_link[0] & GROUP_MASK)
        if order == BY_LINK or rank is None:
            return rank
        return value_key(site.pages, site.relevant, score_of(rank >> VALUE_BITS))

    def _top(self, entries: list[int], key_of: Callable[[int], int | None]) -> int | None:
        """Return the best key in a site's list after dropping entries that no longer hold."""
        while entries:
            entry = entries[0]
            key = entry >> GROUP_BITS
            if key_of(entry & GROUP_MASK) == key:
                return key
            heappop(entries)
        return None

    def _take(self, group: int, arm: int) -> tuple[int, int]:
        code = self._groups.pop(group)
        sequence = code & SEQUENCE_MASK
        if score_of(code) >= PROMISING:
            self._promised.add(sequence)
        if self._groups.blocked[group]:
            self._blocked -= 1
        else:
            self._count_open(group, -1)
            self._changed_groups.add(group)
        if self._spare.get(group):
            self._spare[group] -= 1
        # The site is busy now: it is listed again when somebody says that it may be asked.
        site = self._groups.sites[group]
        self._sites[site].asleep = True
        self._flights[sequence] = (arm, group)
        return sequence, site

    def wake(self, site: int) -> None:
        """Hear that a site may be asked again."""
        known = self._sites.get(site)
        if known is not None and known.asleep:
            known.asleep = False
            self._changed_sites.add(site)

    # Listing what changed -----------------------------------------------------------------------

    def _list_changes(self) -> None:
        if self._changed_groups:
            changed, self._changed_groups = self._changed_groups, set()
            for group in changed:
                self._list_group(group)
        if self._changed_sites:
            numbers, self._changed_sites = self._changed_sites, set()
            for number in numbers:
                self._list_site(self._sites[number])

    def _list_group(self, group: int) -> None:
        groups = self._groups
        site = self._sites[groups.sites[group]]
        self._changed_sites.add(site.number)
        keys = groups.rank_and_key(group)
        if keys is None:
            return
        rank, key = keys
        heappush(site.by_link, rank << GROUP_BITS | group)
        if BY_FOLDER in self._heads:
            heappush(site.by_value, key << GROUP_BITS | group)
        if len(site.by_link) > 2 * len(site.groups) + SLACK:
            site.by_link = self._compact(site, groups.rank)
        if len(site.by_value) > 2 * len(site.groups) + SLACK:
            site.by_value = self._compact(site, groups.key)

    def _compact(self, site: _Site, key_of: Callable[[int], int | None]) -> list[int]:
        pairs = [(key_of(group), group) for group in site.groups.values()]
        return sorted(key << GROUP_BITS | group for key, group in pairs if key is not None)

    def _list_site(self, site: _Site) -> None:
        if site.asleep:
            return
        for order, heads in self._heads.items():
            key = self._site_key(site, order)
            if key is not None:
                heappush(heads, key << SITE_BITS | site.number)
            if len(heads) > 2 * len(self._sites) + SLACK:
                self._heads[order] = self._compact_heads(order)

    def _compact_heads(self, order: int) -> list[int]:
        pairs = [(self._site_key(s, order), s.number) for s in self._sites.values() if not s.asleep]
        return sorted(key << SITE_BITS | number for key, number in pairs if key is not None)

    # Parking and bans ---------------------------------------------------------------------------

    def _release_when_poor(self) -> None:
        """Let parked links wait when the recent harvest is under a quarter of the crawl's."""
        if self._judged_since_release < RECENT or not self._parking:
            return
        if sum(self._recent) < POOR * self.ledger.rate * RECENT:
            self._release()

    def _release_when_dry(self) -> bool:
        """Let parked links wait when nothing else does, then folders whose ban was relative.

        True when there were any. A folder that gave next to nothing stays banned even then.
        """
        if self._open or self._flights:
            return False
        if self._parking:
            self._release()
            return True
        groups = self._groups
        for group in self._probes.groups():
            name = self._sites[groups.sites[group]].name
            if groups.length(group) and self.ledger.give_back(name, groups.folders[group]):
                self._unblock(group)
        return self._open > 0 or self._finish_small()

    def _finish_small(self) -> bool:
        """Let the rest of small banned folders be read, each once; True when there were any."""
        groups = self._groups
        for group in self._probes.groups():
            if 0 < groups.length(group) <= SMALL and group not in self._spare:
                self._spare[group] = groups.length(group)
                self._unblock(group)
        return self._open > 0

    def _is_promising(self, group: int) -> bool:
        """Whether a banned folder's best link names the topic, and others did not mislead."""
        best = self._groups.top(group)
        return score_of(best) >= PROMISING and self._failed.get(group, 0) < MOST_TRIES

    def _release(self) -> None:
        self._judged_since_release = 0
        for group, code in self._parking.release(RELEASED_TOGETHER):
            self._push(self._sites[self._groups.sites[group]], group, code)

    def _block_if_banned(self, group: int, wall: float) -> bool:
        groups = self._groups
        site = self._sites[groups.sites[group]]
        ban = self.ledger.ban_of(site.name, groups.folders[group], wall)
        if ban is None:
            return False
        if ban.why != BY_HAND and (self._spare.get(group) or self._is_promising(group)):
            return False
        groups.blocked[group] = 1
        self._count_open(group, -groups.length(group))
        self._blocked += groups.length(group)
        self._changed_sites.add(site.number)
        if ban.why != BY_HAND:
            self._probes.block(group)
        return True

    def _may_probe(self, group: int, is_ready: Callable[[int], bool]) -> bool:
        return self._groups.length(group) > 0 and is_ready(self._groups.sites[group])

    def unblock(self, name: str, wall: float) -> None:
        """Look again at the banned folders of a site, after its ban was lifted or has ended."""
        for site in self._sites.values():
            if site.name == name:
                for group in site.groups.values():
                    self._unblock_if_free(group, wall)

    def _unblock_if_free(self, group: int, wall: float) -> None:
        groups = self._groups
        site = self._sites[groups.sites[group]]
        if not groups.blocked[group]:
            return
        if self.ledger.ban_of(site.name, groups.folders[group], wall) is None:
            self._unblock(group)

    def _unblock(self, group: int) -> None:
        groups = self._groups
        groups.blocked[group] = 0
        self._probes.unblock(group)
        self._count_open(group, groups.length(group))
        self._blocked -= groups.length(group)
        self._changed_groups.add(group)

    # What became of a URL -----------------------------------------------------------------------

    def judged(self, sequence: int, url: str, relevant: bool, wall: float) -> None:
        """Hear whether a page that was picked here is relevant; ``url`` as it was queued.

        Counts it in the ledger too. To be called once, before the URL's end.
        """
        flight = self._flights.pop(sequence, None)
        if flight is None:
            return
        arm, group = flight
        groups = self._groups
        site = self._sites[groups.sites[group]]
        self.ledger.judged(url, site.name, relevant, wall)
        groups.pages[group], groups.relevant[group] = self.ledger.counts(
            site.name, groups.folders[group]
        )
        site.pages, site.relevant = self.ledger.counts(site.name)
        if sequence in self._promised:
            self._promised.discard(sequence)
            self._failed[group] = 0 if relevant else self._failed.get(group, 0) + 1
        self._changed_groups.add(group)
        if arm == PROBE:
            self._probes.judged(group, relevant)
            self._unblock_if_free(group, wall)
            return
        self.arms.judged(arm, relevant)
        self._recent.append(relevant)
        self._judged_since_release += 1

    def ended(self, sequence: int) -> None:
        """Hear that a URL that was picked is no longer in flight, judged or not."""
        flight = self._flights.pop(sequence, None)
        self._promised.discard(sequence)
        if flight is not None and flight[0] == PROBE:
            self._probes.judged(flight[1], False)

    # Looking and keeping ------------------------------------------------------------------------

    def counts(self) -> tuple[int, int]:
        """Return how many URLs wait, and how many are parked: beyond steps or quota, or banned."""
        quota = self.rules.quota
        behind = sum(site.open - quota for site in self._sites.values() if self._is_full(site))
        return self._open - behind, len(self._parking) + self._blocked + behind

    def facts(self) -> dict[str, Any]:
        """Return what survives a restart beside the URLs and the ledger's records (JSON)."""
        return {
            "arms": self.arms.to_json(),
            "recent": [int(relevant) for relevant in self._recent],
            "totals": [self.ledger.pages, self.ledger.relevant],
        }

    def restore(self, facts: Mapping[str, Any]) -> None:
        """Take the facts of an earlier run, after the ledger was loaded."""
        self.arms.restore(facts.get("arms", ()))
        self._recent.extend(bool(relevant) for relevant in facts.get("recent", ()))
        if "totals" in facts:
            pages, relevant = facts["totals"]
            self.ledger.pages, self.ledger.relevant = int(pages), int(relevant)
