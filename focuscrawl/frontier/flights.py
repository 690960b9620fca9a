"""A URL that was taken and has not ended."""

from __future__ import annotations

from focuscrawl.frontier.sites import Site
from focuscrawl.store.protocol import Row


class InFlight:
    """A URL that was taken; ``level`` is the index of its level (0 = level 1).

    ``ready_before`` is since when its site had been ready. ``explores``: it came from the order.
    ``released``: its site is free again.
    """

    __slots__ = ("explores", "level", "ready_before", "released", "row", "site")

    def __init__(self, row: Row, site: Site, level: int, *, explores: bool = False) -> None:
        self.row = row
        self.site = site
        self.level = level
        self.ready_before = site.ready_at
        self.explores = explores
        self.released = False
