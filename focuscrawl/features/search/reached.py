"""Search again (C8): the queue of pages that walks from seeds reach, against that of the cycle before.

New pages are extracted; of known ones the information is compared (revisit.change); missing ones
are confirmed by a fetch, strict: deleted at once. A page is not judged when a seed that led to it
last time was skipped, failed, or has not been walked to its end in this cycle: it was not looked for.

Each page is noted with every seed that led to it, and with the last cycle in which that seed did.
So a page stays reached as long as one of its seeds leads to it, and nothing has to be compared
before a seed has been walked to its end. Cycles are counted from 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, PageClass

if TYPE_CHECKING:
    from focuscrawl.urls.sites import Partitions


class Cycle(NamedTuple):
    """Pages by what became of them, each in the order of the cycle it stood in."""

    new: list[bytes]
    known: list[bytes]
    missing: list[bytes]
    not_judged: list[bytes]


def compare_cycles(
    before: Mapping[bytes, Collection[str]],
    now: Collection[bytes],
    walked: Collection[str],
    *,
    strict: bool = False,
) -> Cycle:
    """Compare the queues of pages reached (C8).

    ``before`` holds for each page of the last cycle the seeds that led to it, ``now`` the pages of
    this one, ``walked`` the seeds that were walked to their end in it. A page that no seed is
    known for is missing only when strict: then everything not reached is.
    """
    reached, ended = set(now), set(walked)
    cycle = Cycle([page for page in now if page not in before], [], [], [])
    for page, seeds in before.items():
        if page in reached:
            cycle.known.append(page)
        elif strict or (seeds and ended.issuperset(seeds)):
            cycle.missing.append(page)
        else:
            cycle.not_judged.append(page)
    return cycle


@dataclass(slots=True)
class ReachedPage:
    """One page of the queue, with what is needed to fetch it again.

    ``page_class`` is what its last fetch found (None: not fetched yet), ``seeds`` the last cycle in
    which each seed led to it, ``first`` the cycle since which it stands in the queue, ``walked``
    the last one in which a walk fetched it. ``moved_to`` is where a redirect led from it, and
    ``stored`` the key (hex) of that. ``confirming``: it was missing, and a fetch is under way to see
    whether it is gone. ``gone``: it was, when it left the queue.
    """

    url: str
    site: str
    level: int
    depth: int = 0
    layer: int = 0
    page_class: PageClass | None = None
    seeds: dict[str, int] = field(default_factory=dict)
    first: int = 0
    walked: int = 0
    moved_to: str = ""
    stored: str = ""
    confirming: bool = False
    gone: bool = False


class ReachedPages:
    """All pages that walks have reached, by their 16-byte key.

    A page that left the queue is remembered, without seeds, since it may come back. ``kept`` are
    the facts of earlier runs, by key in hexadecimal.
    """

    def __init__(self, kept: Mapping[str, Json] | None = None) -> None:
        self._pages: dict[bytes, ReachedPage] = {}
        self._of_seed: dict[str, dict[bytes, None]] = {}
        self._changed: set[bytes] = set()
        self._stored_as: dict[bytes, bytes] = {}
        self.load(kept or {})

    def load(self, kept: Mapping[str, Json]) -> None:
        """Take up pages of earlier runs, as ``take_changed`` returned them."""
        for name, plain in kept.items():
            key, page = bytes.fromhex(name), msgspec.convert(plain, ReachedPage)
            self._pages[key] = page
            if page.stored:
                self._stored_as[bytes.fromhex(page.stored)] = key
            for seed in page.seeds:
                self._of_seed.setdefault(seed, {})[key] = None

    def get(self, key: bytes) -> ReachedPage | None:
        """Return a page; None when no walk has ever reached it."""
        return self._pages.get(key)

    def standing_at(self, key: bytes) -> dict[bytes, ReachedPage]:
        """Return the pages whose content stands at an address: itself, one that redirects there."""
        found = (key, self._stored_as.get(key))
        return {one: self._pages[one] for one in found if one is not None and one in self._pages}

    def queue(self) -> list[bytes]:
        """Return the pages that stand in the queue."""
        return [key for key, page in self._pages.items() if page.seeds]

    def add(self, key: bytes, page: ReachedPage, seed: str, cycle: int) -> None:
        """Note a page that no walk has reached before."""
        self._pages[key] = page
        self.reach(key, seed, cycle)

    def reach(self, key: bytes, seed: str, cycle: int) -> ReachedPage | None:
        """Note that a seed leads to a page in this cycle; None when it was never reached before."""
        page = self._pages.get(key)
        if page is None:
            return None
        if not page.seeds:
            page.first = cycle
        if page.seeds.get(seed) != cycle:
            page.seeds[seed] = cycle
            page.confirming = False
            self._of_seed.setdefault(seed, {})[key] = None
            self._changed.add(key)
        return page

    def walk(self, key: bytes, cycle: int) -> None:
        """Note that a page is read in this cycle; 0: that it was read, but not by a walk."""
        page = self._pages[key]
        if page.walked != cycle:
            page.walked = cycle
            self._changed.add(key)

    def confirm(self, key: bytes, *, is_asked: bool) -> None:
        """Note that a missing page is asked whether it is gone, or that it did not say."""
        self._pages[key].confirming = is_asked
        self._changed.add(key)

    def fetched(
        self, key: bytes, page_class: PageClass | None, moved_to: str, stored: bytes
    ) -> None:
        """Note what the fetch of a page has found, and where; ``stored`` is its own key, or that of
        ``moved_to``.
        """
        page = self._pages[key]
        if stored == key:
            moved_to = ""
        found = (page_class, moved_to, stored.hex() if moved_to else "", False)
        if (page.page_class, page.moved_to, page.stored, page.gone) != found:
            page.page_class, page.moved_to, page.stored, page.gone = found
            self._changed.add(key)
            if moved_to:
                self._stored_as[stored] = key

    def leave(self, key: bytes, *, gone: bool) -> None:
        """Take a page out of the queue: a fetch has looked at it on its own, or it is gone."""
        page = self._pages[key]
        for seed in page.seeds:
            left = self._of_seed[seed]
            del left[key]
            if not left:
                del self._of_seed[seed]
        page.seeds, page.confirming, page.gone = {}, False, gone
        self._changed.add(key)

    def release(self, partitions: Partitions) -> list[bytes]:
        """Forget the pages of some partitions; returns their keys."""
        gone = [key for key, page in self._pages.items() if partition_of(page.site) in partitions]
        for key in gone:
            page = self._pages.pop(key)
            self._stored_as.pop(bytes.fromhex(page.stored), None)
            for seed in page.seeds:
                self._of_seed[seed].pop(key, None)
        self._changed.difference_update(gone)
        return gone

    def compare(
        self, seeds: Iterable[str], walked: Collection[str], cycle: int, *, strict: bool = False
    ) -> Cycle:
        """Compare what some seeds have led to, until the last cycle and in this one.

        ``walked`` and ``strict`` as in compare_cycles. A page whose absence a fetch is about to
        confirm is left out: it has been judged.
        """
        before: dict[bytes, Collection[str]] = {}
        now: dict[bytes, None] = {}
        for seed in seeds:
            for key in self._of_seed.get(seed, ()):
                page = self._pages[key]
                if page.confirming:
                    continue
                if page.first < cycle:
                    before[key] = page.seeds
                if cycle in page.seeds.values():
                    now[key] = None
        return compare_cycles(before, now, walked, strict=strict)

    def compare_all(self, walked: Collection[str], cycle: int, *, strict: bool = False) -> Cycle:
        """Compare the whole queue."""
        return self.compare(list(self._of_seed), walked, cycle, strict=strict)

    def take_changed(self) -> dict[str, Json]:
        """Return what has changed since the last call, by key in hexadecimal: to be stored."""
        changed, self._changed = self._changed, set()
        return {key.hex(): msgspec.to_builtins(self._pages[key]) for key in sorted(changed)}
