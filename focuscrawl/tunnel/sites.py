"""One site as the orders see it: its folders' groups, listed by best link and by value."""

from __future__ import annotations

from heapq import heappop, heappush

from focuscrawl.tunnel.groups import NOT_LISTED, Groups

GROUP_BITS = 32
GROUP_MASK = (1 << GROUP_BITS) - 1

SLACK = 64
"""Entries that no longer hold are dropped at once when there are so many, and more than hold."""


class Site:
    """A site's counts, its groups by folder number, and two lazily cleaned lists of them.

    An entry is a key above the group's number; it holds as long as it is the one that ``Groups``
    names for the group.
    ``listed`` are the site's own entries in the three orders, which hold in the same way.
    ``asleep``: not to be asked before somebody wakes it. ``open`` counts the URLs it offers.
    """

    __slots__ = (
        "asleep",
        "by_link",
        "by_value",
        "groups",
        "is_trusted",
        "listed",
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
        self.listed = [NOT_LISTED, NOT_LISTED, NOT_LISTED]

    def is_full(self, quota: int) -> bool:
        """Whether more links of an unknown site wait than its quota (E4)."""
        return self.open > quota and not self.relevant and not self.is_trusted

    def enter(self, group: int, rank: int, key: int | None, groups: Groups) -> bool:
        """Enter a group by its rank and, unless None, its key; True when a list's first changes."""
        is_first = _push(self.by_link, rank << GROUP_BITS | group, groups.by_link)
        if len(self.by_link) > 2 * len(self.groups) + SLACK:
            self.by_link = self._holding(groups.by_link)
        if key is not None:
            is_first = _push(self.by_value, key << GROUP_BITS | group, groups.by_value) or is_first
            if len(self.by_value) > 2 * len(self.groups) + SLACK:
                self.by_value = self._holding(groups.by_value)
        return is_first

    def best_rank(self, groups: Groups) -> int | None:
        """Return the rank of the best link; its group is ``by_link[0] & GROUP_MASK`` then."""
        return _first(self.by_link, groups.by_link)

    def best_key(self, groups: Groups) -> int | None:
        """Return the key of the best folder; its group is ``by_value[0] & GROUP_MASK`` then."""
        return _first(self.by_value, groups.by_value)

    def _holding(self, listed: list[int]) -> list[int]:
        entries = [listed[group] for group in self.groups.values()]
        return sorted(entry for entry in entries if entry != NOT_LISTED)


def _push(entries: list[int], entry: int, listed: list[int]) -> bool:
    """Add an entry; True when it comes first, or its group had come first so far."""
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
