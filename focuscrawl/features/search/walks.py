"""Walks from seeds (C8): in each cycle the seeds are walked anew.

What their pages lead to is compared with the queue of the cycles before: new pages are read, known
ones read again, missing ones are sure to be gone when a fetch says so (missing). What is known of it
goes into the commit that ends the URL which showed it. What a page has changed, and that it is gone
or back, is reported as of every visit (revisit).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.search.reached import ReachedPage
from focuscrawl.values import LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.features.search.missing import MissingPages
    from focuscrawl.features.search.reached import ReachedPages
    from focuscrawl.features.search.seeds import SeedSequence
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.urls.sites import Partitions

PART_CLASSES = frozenset({PageClass.ARTICLE_PAGING, PageClass.FILE})
"""What belongs to a page and stands in no queue of its own."""

SOURCE = "seed:"
"""How the source_id of a page begins that was found through a seed; its key follows."""


def seed_of(waiting: Waiting) -> str:
    """Return the key of the seed a URL was found through; "" when it was found otherwise."""
    name = waiting.source_id
    return name.removeprefix(SOURCE) if name.startswith(SOURCE) else ""


class UrlEnd(NamedTuple):
    """How a URL ended. ``url`` and ``key`` are where a redirect led to, else its own.

    ``gone``: the answer says that there is no such page; ``answered``: it was there; ``read``: and
    its links were seen, as they are not in a 304. None of it: the fetch failed or was not made.
    ``comes_back``: it will be tried again; ``tries`` counts the failures before.
    """

    url: str
    key: bytes
    page_class: PageClass | None = None
    answered: bool = True
    read: bool = True
    gone: bool = False
    comes_back: bool = False
    tries: int = 0


@dataclass(slots=True, eq=False)
class SeedWalks:
    """The walks of one cycle.

    ``visits`` knows the keys of pages that are queued for a visit of their own. ``counts`` counts
    this run's pages that walks reach: new, known. ``strict``: the published form.
    """

    rules: AdmissionRules
    frontier: Frontier
    seeds: SeedSequence
    pages: ReachedPages
    visits: Container[bytes]
    counts: Counter[str]
    strict: bool
    missing: MissingPages
    _alive: Counter[str] = field(default_factory=Counter)
    _open: dict[str, set[bytes]] = field(default_factory=dict)
    _walked_for: dict[bytes, str] = field(default_factory=dict)

    def begin(self, waiting: Iterable[Waiting]) -> None:
        """Take up what waits in the frontier.

        It has not been fetched in this cycle: it will be, and need not be queued again.
        """
        for one in waiting:
            if (seed := seed_of(one)) not in self.seeds.seeds:
                continue
            if self._is_of_walk(one) and not self.missing.confirms(one.key):
                self._open_up(one.key, seed)
            self._in_this_cycle(one.key)
            if self._counts_for(one):
                self._alive[seed] += 1

    def next_cycle(self) -> None:
        """Go on with the next cycle in the middle of a run; walks that are not at their end go on."""
        self.missing.next_cycle()
        for keys in self._open.values():
            for key in keys:
                self._in_this_cycle(key)

    def _in_this_cycle(self, key: bytes) -> None:
        for known, page in self.pages.standing_at(key).items():
            if not page.confirming:
                self.pages.walk(known, self.seeds.cycle)

    def _counts_for(self, waiting: Waiting) -> str:
        """Return the seed that is not crawled to its end before this URL is; "" for none: visits of
        known pages that no walk has asked for are not counted.
        """
        seed = self._walked_for.get(waiting.key)
        return seed or (seed_of(waiting) if waiting.first_walk else "")

    def start(self, waiting: Waiting, number: int) -> bool:
        """Take a seed, new or to be walked anew; False when there is nothing to fetch for it."""
        return self.add(waiting, number) or seed_of(waiting) in self._open

    # Going on -----------------------------------------------------------------------------------

    def links_of(
        self, batch: LinkBatch, waiting: Waiting
    ) -> tuple[LinkBatch, AdmissionRules] | None:
        """Return which links of a page of a walk are admitted, and by what rules: by ``add`` and
        ``again``; None when it is of none.

        Known pages must be seen to be reached: the rules know no addresses yet, and a list that is
        walked anew is not at its end where nothing is new.
        """
        if not self.seeds.is_drawn(seed_of(waiting)):
            self._not_walked(waiting.key)
            return None
        if not self._leads_on(waiting):
            return None
        if self.missing.confirms(waiting.key):
            return None  # no seed leads to it, nor by it to anything else
        if self.rules.layers is None and batch.page_class is PageClass.ARTICLE:
            return None  # what stands beside an article is no list of the topic's
        return replace(batch, until_known=False), replace(self.rules, known=set())

    def _leads_on(self, page: Waiting | ReachedPage) -> bool:
        """Whether the links of a page that a seed led to belong to the walk of it.

        Those of every layer do (C6). Without layers the seed's own page leads to what the walk reaches,
        with its further pages; what lies behind is for exploration and revisits.
        """
        return page.page_class not in PART_CLASSES and (
            self.rules.layers is not None or not page.depth
        )

    def _not_walked(self, key: bytes) -> None:
        """Mark a page as not walked, since its seed is not drawn: a walk that comes reads it again."""
        for known, page in self.pages.standing_at(key).items():
            if page.walked == self.seeds.cycle:
                self.pages.walk(known, 0)

    def add(self, waiting: Waiting, number: int) -> bool:
        """Take a link of a page of a walk; False when the page is known, read again or not.

        One of a site that another process asks is sent there and belongs to no walk: it is not seen read here.
        """
        if not self.frontier.holds(waiting.site):
            return self.frontier.add(waiting, number)
        seed, cycle = seed_of(waiting), self.seeds.cycle
        if waiting.page_class in PART_CLASSES or not seed:
            added = self.frontier.add(waiting, number)
            if added and waiting.first_walk:
                self._alive[seed] += 1
            return added
        page = self.pages.get(waiting.key)
        if page is None:
            if not self.frontier.add(waiting, number):
                return False  # a source's, or found by exploring: no walk's business
            page = ReachedPage(
                url=waiting.url,
                site=waiting.site,
                level=waiting.level,
                depth=waiting.depth,
                layer=waiting.layer,
                page_class=waiting.page_class,
                walked=cycle,
            )
            self.pages.add(waiting.key, page, seed, cycle)
            self.counts["new"] += 1
            self._queued(waiting, seed)
            return True
        if cycle not in page.seeds.values():
            self.counts["known" if page.seeds else "new"] += 1
        self.pages.reach(waiting.key, seed, cycle)
        # Pages of layers are read once in each cycle, to compare what they say, and all of them in the
        # published form; without layers what a seed's list leads to comes again by its own dates (B).
        if page.walked != cycle and (self.strict or page.gone or self._leads_on(waiting)):
            self.pages.walk(waiting.key, cycle)
            self._read_anew(waiting, page, seed)
        return False

    def _read_anew(self, waiting: Waiting, page: ReachedPage, seed: str) -> None:
        """Queue a known page, where a redirect has led to last time.

        It waits in the levels: it explores nothing.
        """
        address = self.rules.look(page.moved_to or waiting.url).address
        if address.key in self._walked_for:
            return  # another address that leads there is being read for its own seed
        if not self.frontier.holds(address.site):
            return  # the process that asks that site reads it again by its own dates
        waiting = waiting._replace(
            url=address.url,
            key=address.key,
            site=address.site,
            first_walk=False,
            explore=False,
            step=0,
            score=0.0,
            folder=0,
            baseline=0,  # what it shows now and did not before is new
        )
        if waiting.key not in self.visits:  # else it is about to be fetched anyway
            self.frontier.add_again(waiting)
        self._queued(waiting, seed)

    def again(self, waiting: Waiting) -> None:
        """Take a further page of a list that is read again, which ``add`` reported as known."""
        if waiting.page_class in PART_CLASSES or self.pages.get(waiting.key) is None:
            self.frontier.add_again(waiting)

    def admitted(self, waiting: Waiting, count: int) -> None:
        """Note that so many links of a page wait that belong to its seed, but to no walk."""
        if count and (seed := seed_of(waiting)):
            self._alive[seed] += count

    def _queued(self, waiting: Waiting, seed: str) -> None:
        if self._is_of_walk(waiting):
            self._open_up(waiting.key, seed)
        self._alive[seed] += 1

    def _open_up(self, key: bytes, seed: str) -> None:
        self._open.setdefault(seed, set()).add(key)
        self._walked_for[key] = seed

    def _is_of_walk(self, waiting: Waiting) -> bool:
        return not waiting.first_walk or self._leads_on(waiting)

    def release(self, partitions: Partitions) -> None:
        """Let go of partitions: another process reads their pages, and nothing is judged by these walks."""
        for key in self.pages.release(partitions):
            seed = self._walked_for.pop(key, "")
            if (is_open := self._open.get(seed)) is not None:
                is_open.discard(key)
                self.seeds.walk_failed(seed)
                if not is_open:
                    del self._open[seed]

    def is_open(self, seed: str) -> bool:
        """Whether the walk of a seed has not come to its end."""
        return seed in self._open

    # Ending -------------------------------------------------------------------------------------

    def ended(self, queued: Waiting, end: UrlEnd) -> str:
        """Note how a URL ended that was found through a seed; ``queued`` is it as it waited.

        Returns the seed that is crawled to its end with it, or "".
        """
        seed = self._counts_for(queued)
        for key, page in self.pages.standing_at(queued.key).items():
            if end.answered:
                self.pages.fetched(key, end.page_class, end.url, end.key)
            if page.confirming:
                self.missing.confirmed(key, end)
        if end.answered and not end.read and self.must_read(queued):
            # a visit of its own has heard that nothing is newer, but not where the page leads to
            self._alive[self._walked_for[queued.key]] += 1
            self.frontier.add_again(queued)
        else:
            self._close(queued, end)
        if not seed or end.tries:
            return ""  # it was counted when it failed for the first time
        self._alive[seed] -= 1
        if self._alive[seed] > 0:
            return ""
        del self._alive[seed]
        return seed

    def _close(self, queued: Waiting, end: UrlEnd) -> None:
        """End the part of a walk that a URL was; with the last of them the walk is at its end."""
        seed = self._walked_for.pop(queued.key, "")
        is_open = self._open.get(seed)
        if is_open is None:
            return
        is_open.discard(queued.key)
        if end.gone and bytes.fromhex(seed) in self.pages.standing_at(queued.key):
            self.seeds.is_gone(seed)
        if not (end.read or end.gone) and not queued.first_walk:
            self.seeds.walk_failed(seed)  # where it leads to now was not seen
        if not is_open:
            del self._open[seed]
            self.missing.walked(seed)

    def is_at_end(self) -> bool:
        """Published form: whether a cycle is at its end that was not closed yet."""
        return self.strict and not self._open and self.seeds.cycle != self.seeds.closed

    def is_under_way(self) -> bool:
        """Whether a walk of the cycle has not come to its end; strict: or the cycle itself."""
        return bool(self._open) or self.is_at_end()

    # Visits that are left to walks --------------------------------------------------------------

    def reads(self, key: bytes) -> bool:
        """Whether a page is read for a walk, about to be, or asked whether it is gone."""
        pages = self.pages.standing_at(key).values()
        return key in self._walked_for or any(map(self._will_read, pages))

    def _will_read(self, page: ReachedPage) -> bool:
        if page.confirming:
            return True
        is_walked = self.strict or page.gone or self._leads_on(page)
        return bool(page.seeds) and is_walked and page.walked != self.seeds.cycle

    def is_skipped(self, key: bytes) -> bool:
        """Published form: whether a page belongs to walks that the coin has put off to the next cycle."""
        return self.strict and any(
            page.walked != self.seeds.cycle
            and self._leads_on(page)
            and self.seeds.are_skipped(page.seeds)
            for page in self.pages.standing_at(key).values()
        )

    def must_read(self, queued: Waiting) -> bool:
        """Whether the links of a page are needed, so that "not modified" would say too little."""
        is_found = queued.key in self._walked_for and bool(seed_of(queued))
        return is_found and self._leads_on(queued)
