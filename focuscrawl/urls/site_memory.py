"""What is remembered of sites: of each idea one part of a site's record, over runs and from worker to worker.

A feature returns its memories (``Feature.memories``). The kernel reads them with the sites' partitions, asks before each
commit what has changed, and lets go of a partition that others take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json

V = TypeVar("V")


class SiteMemory(Protocol):
    """The ``part`` of sites' records that belongs to one idea."""

    @property
    def part(self) -> str:
        """The name of the part."""

    @property
    def of_crawled(self) -> bool:
        """Whether it is stored only of sites of which an address has been let in."""

    def load(self, records: Mapping[str, Json]) -> None:
        """Take what earlier runs learnt: the records of some sites, with all their parts."""

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions; ``changed`` was asked for before."""

    def changed(self, *, all_of_it: bool = False) -> Mapping[str, Any]:
        """Return by site what is to be stored and was not returned before; ``all_of_it``: also what can wait for the
        end of a run."""


def _as_it_is(value: Any) -> Any:
    return value


class SiteValues(Generic[V]):
    """A memory with one value a site, which is read when it is asked for first. ``read`` and ``write`` make the value
    from JSON, and JSON of it.
    """

    def __init__(
        self, part: str, read: Callable[[Any], V] = _as_it_is, write: Callable[[V], Any] = _as_it_is
    ) -> None:
        self.part, self.of_crawled = part, False
        self._read, self._write = read, write
        self._values: dict[str, V] = {}
        self._stored: dict[str, Any] = {}
        self._changed: set[str] = set()
        self._waiting: set[str] = set()

    def __len__(self) -> int:
        return len(self._values) + len(self._stored)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._values, *self._stored])

    def get(self, site: str) -> V | None:
        """Return the value of a site; None: there is none."""
        value = self._values.get(site)
        if value is None and self._stored and site in self._stored:
            value = self._values[site] = self._read(self._stored.pop(site))
        return value

    def put(self, site: str, value: V) -> None:
        """Remember a value."""
        self._stored.pop(site, None)
        self._values[site] = value
        self._changed.add(site)

    def touch(self, site: str, *, can_wait: bool = False) -> None:
        """Note that the value of a site has changed; ``can_wait``: until the end of the run."""
        (self._waiting if can_wait else self._changed).add(site)

    def add(self, site: str, value: V) -> V:
        """Take a value that is nothing to be stored yet."""
        self._values[site] = value
        return value

    @property
    def has_changed(self) -> bool:
        """Whether something is to be stored with the next commit."""
        return bool(self._changed)

    def load(self, records: Mapping[str, Json]) -> None:
        """Take what earlier runs learnt."""
        for site, parts in records.items():
            if (stored := parts.get(self.part)) is not None:
                self._stored[site] = stored
                self._values.pop(site, None)

    def release(self, partitions: Partitions) -> None:
        """Forget the sites of some partitions."""
        for memory in (self._values, self._stored):
            partitions.take_from(memory)
        self._changed &= self._values.keys()
        self._waiting &= self._values.keys()

    def changed(self, *, all_of_it: bool = False) -> dict[str, Any]:
        """Return what is to be stored, by site."""
        names = self._changed | self._waiting if all_of_it else self._changed
        self._changed = set()
        self._waiting = self._waiting - names
        return {site: self._write(self._values[site]) for site in names if site in self._values}
