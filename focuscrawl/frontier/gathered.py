"""What is to be written: every change since the last commit, by partition of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from focuscrawl.frontier.sites import UNKNOWN, Site
from focuscrawl.store.protocol import Changes
from focuscrawl.values import PageState

WHOLE_TOPIC = 0
"""The partition of facts that belong to no site."""


class Gathered:
    """Changes that wait for the next commit; ``operations`` counts them roughly.

    ``partition_of`` tells where a site's rows live.
    """

    def __init__(self, partition_of: Callable[[str], int]) -> None:
        self.operations = 0
        self._partition_of = partition_of
        self._changes: dict[int, Changes] = {}

    def of(self, site: Site) -> Changes:
        """Return the changes of a site's partition, to add one."""
        self.operations += 1
        changes = self._changes.get(site.partition)
        if changes is not None:
            return changes
        if site.partition == UNKNOWN:  # asked late: most sites of a large crawl rest all day
            site.partition = self._partition_of(site.name)
        return self._changes.setdefault(site.partition, Changes())

    def of_topic(self) -> Changes:
        """Return the changes of the partition of what no site owns."""
        return self._changes.setdefault(WHOLE_TOPIC, Changes())

    def pages(self, keys: Iterable[bytes]) -> dict[bytes, PageState]:
        """Return those of some pages whose states wait here."""
        wanted = set(keys)
        pages = (state for changes in self._changes.values() for state in changes.pages)
        return {state.key: state for state in pages if state.key in wanted}

    def drain(self) -> dict[int, Changes]:
        """Hand over everything since the last call."""
        changes, self._changes = self._changes, {}
        self.operations = 0
        return changes
