"""Search again put on a run (C8): walks from seeds.

In each cycle the seeds are walked anew, and what their pages lead to is compared with the queue of
the cycles before: new pages are read, known ones read again, missing ones are sure to be gone when a
fetch says so (confirming). What is known of it goes into the commit that ends the URL which showed it.
What a page has changed, and that it is gone or back, is told as of every visit (revisiting).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.crawl.search import (
    PART_CLASSES,
    SOURCE,
    is_list_of_walk,
    is_read_anew,
    leads_on,
    reached_page,
    read_anew,
    seed_of,
)
from focuscrawl.kernel.feature import Links
from focuscrawl.revisit.cycles import ReachedPages
from focuscrawl.search.seed_sequence import SeedSequence
from focuscrawl.values import Json, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.running.confirming import Confirming
    from focuscrawl.running.url_ending import Ending

REACHED_FACT = "reached"
"""Kind of the facts that keep the queue, each page under its key in hexadecimal."""


class Walking:
    """The walks of one cycle. ``alive`` counts, by source, the URLs of each seed that wait.

    ``counts`` counts this run's pages that they reach: new, known.
    """

    def __init__(
        self,
        rules: AdmissionRules,
        frontier: Frontier,
        alive: Counter[str],
        counts: Counter[str],
        confirming: Confirming,
        *,
        strict: bool,
    ) -> None:
        self._rules = rules
        self._frontier = frontier
        self._alive = alive
        self._counts = counts
        self._confirming = confirming
        self._strict = strict
        self._seeds = SeedSequence("")
        self._pages = ReachedPages()
        self._visits: Container[bytes] = ()
        self._open: dict[str, set[bytes]] = {}
        self._walked_for: dict[bytes, str] = {}

    def begin(
        self,
        seeds: SeedSequence,
        kept: Mapping[str, Json],
        waiting: Iterable[Waiting],
        visits: Container[bytes],
    ) -> None:
        """Start from the facts of earlier runs and from what waits in the frontier.

        ``visits`` knows the keys of pages that are queued for a visit of their own. What waits has
        not been fetched in this cycle: it will be, and need not be queued again.
        """
        self._seeds = seeds
        self._pages = ReachedPages(kept)
        self._visits = visits
        self._confirming.begin(seeds, self._pages, visits)
        for one in waiting:
            if (seed := seed_of(one)) not in seeds.seeds:
                continue
            if self._is_of_walk(one) and not self._confirming.confirms(one):
                self._open_up(one.key, seed)
            self._in_this_cycle(one.key)
            if self.counts_for(one):
                self._alive[one.source_id] += 1

    def _in_this_cycle(self, key: bytes) -> None:
        for known in self._pages.standing_at(key):
            page = self._pages.get(known)
            if page is not None and not page.confirming and page.walked != self._seeds.cycle:
                page.walked = self._seeds.cycle
                self._pages.note(known)

    def next_cycle(self) -> None:
        """Go on with the next cycle in the middle of a run; walks that are not at their end go on."""
        self._confirming.next_cycle()
        for keys in self._open.values():
            for key in keys:
                self._in_this_cycle(key)

    def counts_for(self, waiting: Waiting) -> str:
        """Return the seed that is not crawled to its end before this URL is; "" for none: visits of
        known pages that no walk has asked for are not counted.
        """
        seed = self._walked_for.get(waiting.key)
        return seed or (seed_of(waiting) if waiting.first_walk else "")

    def start(self, waiting: Waiting, number: int) -> bool:
        """Take a seed, new or to be walked anew; False when there is nothing to fetch for it."""
        return self.add(waiting, number) or seed_of(waiting) in self._open

    # Going on -----------------------------------------------------------------------------------

    def links_of(self, batch: LinkBatch, waiting: Waiting) -> Links | None:
        """Return how the links of a page of a walk are admitted; None when it is none.

        Known pages must be seen to be reached: the rules know no addresses yet, and a list that is
        walked anew is not at its end where nothing is new.
        """
        if not self._seeds.is_drawn(seed_of(waiting)):
            self._not_walked(waiting.key)
            return None
        if not leads_on(waiting, self._rules):
            return None
        if self._confirming.confirms(waiting):
            return None  # no seed leads to it, nor by it to anything else
        if self._rules.layers is None and batch.page_class is PageClass.ARTICLE:
            return None  # what stands beside an article is no list of the topic's
        whole, rules = replace(batch, until_known=False), replace(self._rules, known=set())
        return Links(whole, rules, self.add, self.again)

    def _not_walked(self, key: bytes) -> None:
        """Hear that a page was read of whose seed no walk has come: one that comes reads it again."""
        for known in self._pages.standing_at(key):
            page = self._pages.get(known)
            if page is not None and page.walked == self._seeds.cycle:
                page.walked = 0
                self._pages.note(known)

    def add(self, waiting: Waiting, number: int) -> bool:
        """Take a link of a page of a walk; False when the page is known, read again or not."""
        seed, cycle = seed_of(waiting), self._seeds.cycle
        if waiting.page_class in PART_CLASSES or not seed:
            added = self._frontier.add(waiting, number)
            if added and waiting.first_walk:
                self._alive[waiting.source_id] += 1
            return added
        page = self._pages.get(waiting.key)
        if page is None:
            if not self._frontier.add(waiting, number):
                return False  # a source's, or found by exploring: no walk's business
            page = reached_page(waiting)
            page.walked = cycle
            self._pages.add(waiting.key, page, seed, cycle)
            self._counts["new"] += 1
            self._queued(waiting, seed)
            return True
        if cycle not in page.seeds.values():
            self._counts["known" if page.seeds else "new"] += 1
        self._pages.reach(waiting.key, seed, cycle)
        if page.walked != cycle and is_read_anew(waiting, page, self._rules, strict=self._strict):
            page.walked = cycle
            self._pages.note(waiting.key)
            self._read_anew(read_anew(waiting, page, self._rules), seed)
        return False

    def _read_anew(self, waiting: Waiting, seed: str) -> None:
        if waiting.key in self._walked_for:
            return  # another address that leads there is being read for its own seed
        if waiting.key not in self._visits:  # else it is about to be fetched anyway
            self._frontier.add_again(waiting)
        self._queued(waiting, seed)

    def again(self, waiting: Waiting) -> None:
        """Take a further page of a list that is read again, which ``add`` said was known."""
        if waiting.page_class in PART_CLASSES or self._pages.get(waiting.key) is None:
            self._frontier.add_again(waiting)

    def _queued(self, waiting: Waiting, seed: str) -> None:
        if self._is_of_walk(waiting):
            self._open_up(waiting.key, seed)
        self._alive[waiting.source_id] += 1

    def _open_up(self, key: bytes, seed: str) -> None:
        self._open.setdefault(seed, set()).add(key)
        self._walked_for[key] = seed

    def _is_of_walk(self, waiting: Waiting) -> bool:
        return not waiting.first_walk or leads_on(waiting, self._rules)

    # Ending -------------------------------------------------------------------------------------

    def ended(self, queued: Waiting, end: Ending) -> None:
        """Note how a URL ended that was found through a seed; ``queued`` is it as it waited."""
        for key in self._pages.standing_at(queued.key):
            page = self._pages.get(key)
            if end.answered:
                self._pages.fetched(key, end.page_class, end.url, end.key)
            if page is not None and page.confirming:
                self._confirming.confirmed(key, end)
        if end.answered and not end.read and self.must_read(queued):
            # a visit of its own has heard that nothing is newer, but not where the page leads to
            self._alive[f"{SOURCE}{self._walked_for[queued.key]}"] += 1
            self._frontier.add_again(queued)
            return
        seed = self._walked_for.pop(queued.key, "")
        is_open = self._open.get(seed)
        if is_open is None:
            return
        is_open.discard(queued.key)
        if end.gone and self._is_start(queued.key, seed):
            self._seeds.is_gone(seed)
        if not (end.read or end.gone) and not queued.first_walk:
            self._seeds.walk_failed(seed)  # nobody has seen where it leads to now
        if not is_open:
            del self._open[seed]
            self._confirming.walked(seed)

    def _is_start(self, key: bytes, seed: str) -> bool:
        return bytes.fromhex(seed) in self._pages.standing_at(key)

    def is_at_end(self) -> bool:
        """Published form: whether a cycle is at its end that was not closed yet."""
        return self._strict and not self._open and self._seeds.cycle != self._seeds.closed

    def is_under_way(self) -> bool:
        """Whether a walk of the cycle has not come to its end; strict: or the cycle itself."""
        return bool(self._open) or self.is_at_end()

    def reads(self, key: bytes) -> bool:
        """Whether a page is read for a walk, about to be, or asked whether it is gone."""
        return key in self._walked_for or any(
            self._will_read(known) for known in self._pages.standing_at(key)
        )

    def is_skipped(self, key: bytes) -> bool:
        """Published form: whether a page belongs to walks that the coin has put off to the next cycle."""
        pages = map(self._pages.get, self._pages.standing_at(key))
        return self._strict and any(
            page is not None
            and page.walked != self._seeds.cycle
            and is_list_of_walk(page, self._rules)
            and self._seeds.are_skipped(page.seeds)
            for page in pages
        )

    def _will_read(self, key: bytes) -> bool:
        page, cycle = self._pages.get(key), self._seeds.cycle
        if page is None or not page.seeds:
            return False
        if page.confirming:
            return True
        is_walked = self._strict or page.gone or is_list_of_walk(page, self._rules)
        return is_walked and page.walked != cycle

    def must_read(self, queued: Waiting) -> bool:
        """Whether the links of a page are needed, so that "not modified" would say too little."""
        return queued.key in self._walked_for and leads_on(queued, self._rules)

    # Storing ------------------------------------------------------------------------------------

    def take_changed(self) -> dict[str, Json]:
        """Return the facts that have changed since the last call."""
        return self._pages.take_changed()
