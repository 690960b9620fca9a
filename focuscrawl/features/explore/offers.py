"""What is on offer: sites, their folders' waiting URLs, and the orders over them.

Best-first; the best URL of the best folder; the best URL of the best site; the best URL of the best
folder where near folders are preferred. Of an unknown site with more than ``quota`` links so many are
offered: the best of each folder, or, where it has more folders than that, the best link alone.

Everything is lazily cleaned: changes are noted, and entries that no longer hold are dropped when
they come to the top, so that a pick costs the logarithm of what waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush

from focuscrawl.features.explore.groups import (
    KEYS,
    NOT_LISTED,
    RATHER_NEAR,
    VALUE_BITS,
    Groups,
    Keys,
    score_in,
    value_key,
)
from focuscrawl.features.explore.ledger import Ledger

# Entries are keys above the number of a group, or of a site: compared as one number in a heap.
GROUP_BITS = 32
GROUP_MASK = (1 << GROUP_BITS) - 1

LINKS, _VALUES, NEAR_VALUES = range(KEYS)
"""The lists of a site, as ``Groups.keys`` has their keys."""

ORDERS = 4
"""How many orders there are."""

SLACK = 64
"""Entries that no longer hold are dropped at once when there are so many, and more than hold."""

_SITE_BITS = 24
_SITE_MASK = (1 << _SITE_BITS) - 1
BY_LINK, BY_FOLDER, BY_SITE, BY_NEAR = range(ORDERS)
LIST_OF = (LINKS, _VALUES, LINKS, NEAR_VALUES)
"""The list of a site that each order takes from."""

BY_VALUE = (_VALUES, NEAR_VALUES)
_IN_NO_LIST = (NOT_LISTED, NOT_LISTED, NOT_LISTED, NOT_LISTED)


class OfferingSite:
    """A site's counts, its groups by folder number, and lazily cleaned lists of them.

    An entry is a key above the group's number; it holds as long as it is the one that ``Groups``
    names for the group.
    ``listed`` are the site's own entries in the orders, which hold in the same way.
    ``asleep``: not to be asked before it is woken. ``open`` counts the URLs it offers.
    ``by_links``: as it is listed now, its best link stands for its folders.
    """

    __slots__ = (
        "asleep",
        "by_links",
        "groups",
        "is_trusted",
        "listed",
        "lists",
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
        self.asleep = self.by_links = False
        self.open = 0
        self.groups: dict[int, int] = {}
        self.lists: list[list[int]] = [[] for _ in range(KEYS)]
        self.listed = [NOT_LISTED] * ORDERS

    @property
    def is_known(self) -> bool:
        """Whether it has shown something relevant, or is trusted: then it has no quota (E4)."""
        return bool(self.relevant or self.is_trusted)

    def is_full(self, quota: int) -> bool:
        """Whether more links of an unknown site wait than its quota (E4)."""
        return self.open > quota and not self.is_known

    def enter(self, group: int, keys: Keys, kept: tuple[int, ...], groups: Groups) -> bool:
        """Enter a group in the lists that are ``kept``; True when the first of one changes."""
        is_first = False
        for place in kept:
            entries, listed = self.lists[place], groups.listed[place]
            is_first = _push(entries, keys[place] << GROUP_BITS | group, listed) or is_first
            if len(entries) > 2 * len(self.groups) + SLACK:
                self.lists[place] = self._holding(listed)
        return is_first

    def best(self, place: int, groups: Groups) -> int | None:
        """Return the best key of a list, whose group ``first`` tells then; None: it is empty."""
        return _first(self.lists[place], groups.listed[place])

    def first(self, place: int) -> int:
        """Return the group that is first in a list, after ``best`` was asked for."""
        return self.lists[place][0] & GROUP_MASK

    def _holding(self, listed: list[int]) -> list[int]:
        entries = [listed[group] for group in self.groups.values()]
        return sorted(entry for entry in entries if entry != NOT_LISTED)


def _push(entries: list[int], entry: int, listed: list[int]) -> bool:
    """Add an entry; True when it comes first, or its group came first so far."""
    group = entry & GROUP_MASK
    if listed[group] == entry:
        return False
    listed[group] = entry
    is_first = not entries or entry < entries[0] or entries[0] & GROUP_MASK == group
    heappush(entries, entry)
    return is_first


def _first(entries: list[int], listed: list[int]) -> int | None:
    """Return the best key after dropping entries that no longer hold."""
    while entries:
        entry = entries[0]
        if listed[entry & GROUP_MASK] == entry:
            return entry >> GROUP_BITS
        heappop(entries)
    return None


class Offers:
    """Waiting URLs by folder (``groups``), and which of them is first in each of the ``orders``.

    ``open`` counts the URLs that are offered, those beyond a quota included, ``blocked`` those of
    banned folders. Counts of pages come from the ``ledger``; who changes it says ``judged``.
    """

    def __init__(
        self,
        orders: Iterable[int],
        quota: int,
        ledger: Ledger,
        trust: tuple[float, ...] = RATHER_NEAR,
    ) -> None:
        self.groups = Groups(trust)
        self.open = 0
        self.blocked = 0
        self._quota = quota
        self._ledger = ledger
        self._sites: dict[int, OfferingSite] = {}
        self._heads: dict[int, list[int]] = {order: [] for order in orders}
        self._kept = tuple(sorted({LINKS, *(LIST_OF[order] for order in self._heads)}))
        self._busy: dict[int, None] = {}
        self._changed_groups: set[int] = set()
        self._changed_sites: set[int] = set()

    # Adding -------------------------------------------------------------------------------------

    def group(self, number: int, name: str, folder: int) -> int:
        """Return the group of a site's folder, made when there is none."""
        site = self._sites.get(number)
        if site is None:
            ledger = self._ledger
            site = OfferingSite(number, name, ledger.counts(name), ledger.is_trusted(name))
            self._sites[number] = site
        group = site.groups.get(folder)
        if group is None:
            counts, step = self._ledger.counts(name, folder), self._ledger.step(name, folder)
            group = site.groups[folder] = self.groups.add(number, folder, *counts, step)
        return group

    def push(self, group: int, code: int) -> bool:
        """Add a URL to its group; False when the group is blocked."""
        groups = self.groups
        if groups.push(group, code):
            self._changed_groups.add(group)
        if groups.blocked[group]:
            self.blocked += 1
            return False
        site = self._sites[groups.sites[group]]
        self.open += 1
        site.open += 1
        if site.open == self._quota + 1:  # an unknown site is full from now on
            self._changed_sites.add(site.number)
        return True

    def extend(self, group: int, codes: list[int]) -> None:
        """Add many URLs, sorted, to a group."""
        if self.groups.length(group) or self.groups.blocked[group]:
            for code in codes:
                self.push(group, code)
        elif codes:
            self.groups.extend(group, codes)
            self._changed_groups.add(group)
            self._count(group, len(codes))

    # Taking -------------------------------------------------------------------------------------

    def site_of(self, group: int) -> OfferingSite:
        """Return the site of a group."""
        return self._sites[self.groups.sites[group]]

    def sites(self) -> Iterator[OfferingSite]:
        """Go through all sites."""
        yield from self._sites.values()

    def first(self, order: int, is_ready: Callable[[int], bool]) -> int | None:
        """Return the group to take from in one of the orders, or None.

        ``is_ready`` is asked for a site's number; a site that was not ready is not looked at again
        before ``wake``. What a busy site's page is like will be known soon and may say not to go on
        there, so busy sites come when no other is ready.
        """
        group = self._first(order, is_ready)
        if group is None and self._busy:
            busy, self._busy = self._busy, {}
            for number in busy:
                self.wake(number)
            group = self._first(order, is_ready)
        return group

    def _first(self, order: int, is_ready: Callable[[int], bool]) -> int | None:
        self._list_changes()
        heads = self._heads[order]
        while heads:
            entry = heads[0]
            site = self._sites.get(entry & _SITE_MASK)
            if site is None or site.listed[order] != entry:
                heappop(heads)
            elif site.asleep or not is_ready(site.number):
                heappop(heads)
                site.listed[order] = NOT_LISTED
                site.asleep = True
            else:
                return site.first(LINKS if site.by_links else LIST_OF[order])
        return None

    def take(self, group: int) -> int:
        """Take the best URL out of a group and return its code; its site is busy until woken."""
        code = self.groups.pop(group)
        if self.groups.blocked[group]:
            self.blocked -= 1
        else:
            self._count(group, -1)
            self._changed_groups.add(group)
        self.site_of(group).asleep = True
        return code

    def wake(self, number: int, *, busy: bool = False) -> None:
        """Let a site be asked again; ``busy``: an earlier request to it has not ended."""
        site = self._sites.get(number)
        if site is None or not site.asleep:
            return
        if busy:
            self._busy[number] = None
        else:
            self._busy.pop(number, None)
            site.asleep = False
            self._changed_sites.add(number)

    def leave(self, number: int) -> list[int]:
        """Let go of a site and return its groups, which are empty now."""
        site = self._sites.pop(number, None)
        if site is None:
            return []
        for group in site.groups.values():
            if self.groups.blocked[group]:
                self.blocked -= self.groups.length(group)
            else:
                self.open -= self.groups.length(group)
            self.groups.empty(group)
        self._busy.pop(number, None)
        self._changed_sites.discard(number)
        self._changed_groups.difference_update(site.groups.values())
        return [*site.groups.values()]

    # What is offered ----------------------------------------------------------------------------

    def judged(self, group: int) -> None:
        """Update a group and its site when the ledger has counted a page."""
        groups, site = self.groups, self.site_of(group)
        counts = self._ledger.counts(site.name, groups.folders[group])
        groups.pages[group], groups.relevant[group] = counts
        site.pages, site.relevant = self._ledger.counts(site.name)
        self._changed_groups.add(group)
        self._changed_sites.add(site.number)

    def block(self, group: int) -> None:
        """Offer nothing of a group from now on."""
        self._count(group, -self.groups.length(group))
        self.blocked += self.groups.length(group)
        self.groups.blocked[group] = 1
        self.groups.unlist(group)
        self._changed_sites.add(self.groups.sites[group])

    def unblock(self, group: int) -> None:
        """Offer a group's URLs again."""
        self.groups.blocked[group] = 0
        self.blocked -= self.groups.length(group)
        self._count(group, self.groups.length(group))
        self._changed_groups.add(group)

    def behind(self) -> int:
        """Return how many URLs wait beyond the quota of their sites."""
        return sum(
            site.open - self._quota for site in self._sites.values() if site.is_full(self._quota)
        )

    def _count(self, group: int, change: int) -> None:
        """Count URLs of a group that came to those on offer, or left them."""
        site = self.site_of(group)
        was_full = site.is_full(self._quota)
        site.open += change
        self.open += change
        if site.is_full(self._quota) != was_full:
            self._changed_sites.add(site.number)

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
        """List a group in its site; the site is listed again only when its first changes."""
        site = self.site_of(group)
        keys = self.groups.keys(group)
        if keys is None:
            self.groups.unlist(group)
            self._changed_sites.add(site.number)
            return
        if site.enter(group, keys, self._kept, self.groups):
            self._changed_sites.add(site.number)

    def _list_site(self, site: OfferingSite) -> None:
        """List a site where it stands in none of the orders yet, or stands wrong."""
        if site.asleep:
            return
        entries = self._entries(site)
        for order, heads in self._heads.items():
            entry = entries[order]
            if site.listed[order] == entry:
                continue
            site.listed[order] = entry
            if entry != NOT_LISTED:
                heappush(heads, entry)
            if len(heads) > 2 * len(self._sites) + SLACK:
                self._heads[order] = self._holding(order)

    def _entries(self, site: OfferingSite) -> tuple[int, int, int, int]:
        """Return a site's entry in each of the orders: its key there, above its number."""
        groups, number = self.groups, site.number
        rank = site.best(LINKS, groups)
        if rank is None:
            return _IN_NO_LIST
        site.by_links = len(site.groups) > self._quota and site.is_full(self._quota)
        if site.by_links:
            first = site.first(LINKS)
            folder, near = (groups.listed[place][first] >> GROUP_BITS for place in BY_VALUE)
        else:
            folder, near = (site.best(place, groups) or 0 for place in BY_VALUE)
        whole = value_key(site.pages, site.relevant, score_in(rank >> VALUE_BITS))
        return (
            rank << _SITE_BITS | number,
            folder << _SITE_BITS | number,
            whole << _SITE_BITS | number,
            near << _SITE_BITS | number,
        )

    def _holding(self, order: int) -> list[int]:
        """Return the entries of an order that hold, which makes a heap."""
        entries = []
        for site in self._sites.values():
            if site.asleep:
                site.listed[order] = NOT_LISTED
            elif site.listed[order] != NOT_LISTED:
                entries.append(site.listed[order])
        return sorted(entries)
