"""What is on offer: sites, their folders' waiting URLs, and the three orders over them.

Best-first; the best URL of the best folder; the best URL of the best site. Of an unknown site with
more than ``quota`` links only the best are offered; the next best moves up when one is taken.

Everything is lazily cleaned: changes are noted, and entries that no longer hold are dropped when
they come to the top, so that a pick costs the logarithm of what waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush

from focuscrawl.tunnel.groups import NEAR_FIRST, VALUE_BITS, Groups, score_of, value_key
from focuscrawl.tunnel.ledger import Ledger
from focuscrawl.tunnel.sites import GROUP_BITS, GROUP_MASK, SLACK, Site

SITE_BITS = 24
SITE_MASK = (1 << SITE_BITS) - 1
BY_LINK, BY_FOLDER, BY_SITE = 0, 1, 2


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
        trust: tuple[float, ...] = NEAR_FIRST,
    ) -> None:
        self.groups = Groups(trust)
        self.open = 0
        self.blocked = 0
        self._quota = quota
        self._ledger = ledger
        self._sites: dict[int, Site] = {}
        self._heads: dict[int, list[int]] = {order: [] for order in orders}
        self._changed_groups: set[int] = set()
        self._changed_sites: set[int] = set()

    # Adding -------------------------------------------------------------------------------------

    def group(self, number: int, name: str, folder: int) -> int:
        """Return the group of a site's folder, made when there is none."""
        site = self._sites.get(number)
        if site is None:
            ledger = self._ledger
            site = Site(number, name, ledger.counts(name), ledger.is_trusted(name))
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

    def site_of(self, group: int) -> Site:
        """Return the site of a group."""
        return self._sites[self.groups.sites[group]]

    def sites(self) -> Iterator[Site]:
        """Go through all sites."""
        yield from self._sites.values()

    def first(self, order: int, is_ready: Callable[[int], bool]) -> int | None:
        """Return the group to take from in one of the orders, or None.

        ``is_ready`` is asked for a site's number; a site that was not ready is not looked at again
        before ``wake``.
        """
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
                by_value = order == BY_FOLDER and not site.is_full(self._quota)
                return (site.by_value if by_value else site.by_link)[0] & GROUP_MASK
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

    def wake(self, number: int) -> None:
        """Hear that a site may be asked again."""
        site = self._sites.get(number)
        if site is not None and site.asleep:
            site.asleep = False
            self._changed_sites.add(number)

    # What is offered ----------------------------------------------------------------------------

    def judged(self, group: int) -> None:
        """Hear that the ledger has counted a page of a group."""
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

    def _site_key(self, site: Site, order: int) -> int | None:
        """Return the key of a site in one of the orders; None when it offers nothing."""
        if order == BY_FOLDER and not site.is_full(self._quota):
            return site.best_key(self.groups)
        rank = site.best_rank(self.groups)
        if order == BY_LINK or rank is None:
            return rank
        if order == BY_FOLDER:
            return self.groups.by_value[site.by_link[0] & GROUP_MASK] >> GROUP_BITS
        return value_key(site.pages, site.relevant, score_of(rank >> VALUE_BITS))

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
        keys = self.groups.rank_and_key(group)
        if keys is None:
            self.groups.unlist(group)
            self._changed_sites.add(site.number)
            return
        rank, key = keys
        if site.enter(group, rank, key if BY_FOLDER in self._heads else None, self.groups):
            self._changed_sites.add(site.number)

    def _list_site(self, site: Site) -> None:
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
