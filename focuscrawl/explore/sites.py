"""One site as the orders see it: its folders' groups, listed by best link and twice by value."""

from __future__ import annotations

from heapq import heappop, heappush

from focuscrawl.explore.groups import KEYS, NOT_LISTED, Groups, Keys

GROUP_BITS = 32
GROUP_MASK = (1 << GROUP_BITS) - 1

LINKS, VALUES, NEAR_VALUES = range(KEYS)
"""The lists of a site, as ``Groups.keys`` has their keys."""

ORDERS = 4
"""How many orders there are (see offers)."""

SLACK = 64
"""Entries that no longer hold are dropped at once when there are so many, and more than hold."""


class Site:
    """A site's counts, its groups by folder number, and lazily cleaned lists of them.

    An entry is a key above the group's number; it holds as long as it is the one that ``Groups``
    names for the group.
    ``listed`` are the site's own entries in the orders, which hold in the same way.
    ``asleep``: not to be asked before somebody wakes it. ``open`` counts the URLs it offers.
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

    def is_full(self, quota: int) -> bool:
        """Whether more links of an unknown site wait than its quota (E4)."""
        return self.open > quota and not self.relevant and not self.is_trusted

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
