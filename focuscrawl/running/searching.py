"""Searching put on a run (C2, C5): requests to engines, seeds in the frontier, what came of each.

Requests to engines are not stored: the plan is, in the commit that holds the seeds they gave. After
a crash it asks again what it had no answer to.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any

from focuscrawl.crawl.search import (
    SEARCH_FACT,
    SEED_FACT,
    SOURCE,
    SearchCycle,
    SearchStep,
    answered,
    facts,
    following,
    not_answered,
    open_cycle,
    seed_of,
    start,
)
from focuscrawl.kernel.feature import Links
from focuscrawl.running.confirming import Confirming
from focuscrawl.running.seeding import Seeding
from focuscrawl.running.walking import REACHED_FACT, Walking
from focuscrawl.search.result_page import Answered
from focuscrawl.store.protocol import WAITING

if TYPE_CHECKING:
    from focuscrawl.explore.explorer import Explorer
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.running.url_ending import Ending
    from focuscrawl.search.plan import SearchRequest
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock, LinkBatch, Waiting

logger = logging.getLogger(__name__)


class Searching:
    """The searches and seeds of one run.

    ``counts`` are the pages of ``walking`` and ``confirming``: new, known, missing, gone, confirmed.
    """

    def __init__(
        self,
        template: Template,
        rules: AdmissionRules,
        frontier: Frontier,
        clock: Clock,
        explorer: Explorer | None = None,
    ) -> None:
        self.template = template
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        self._cycle: SearchCycle | None = None
        self._alive: Counter[str] = Counter()
        strict = template.search.strict
        self.counts: Counter[str] = Counter()
        self.confirming = Confirming(rules, frontier, self.counts, strict=strict)
        self.walking = Walking(
            rules, frontier, self._alive, self.counts, self.confirming, strict=strict
        )
        self._seeding = Seeding(template, rules, self.walking, explorer)
        self._changed = False
        self._rows: list[dict[str, Any]] = []

    async def begin(self, store: Store, visits: Container[bytes] = ()) -> tuple[SearchRequest, ...]:
        """Go on with the cycle that is under way, or begin the next one when it is due.

        ``visits`` knows the keys of pages that are queued for a visit already.
        """
        now = self._clock.wall()
        states = await store.facts(SEARCH_FACT)
        known = await store.facts(SEED_FACT)
        self._cycle = open_cycle(
            self.template, self._rules.canonicalizer, known, states.get(""), now
        )
        if self._cycle is None:
            return ()
        reached = await store.facts(REACHED_FACT)
        waiting = (row.waiting for row in store.rows(WAITING))
        self.walking.begin(self._cycle.seeds, reached, waiting, visits)
        return self._take(start(self._cycle, now))

    def again(self) -> tuple[SearchRequest, ...]:
        """Begin the next cycle in the middle of a run, when it is due; returns what to ask."""
        now, due = self._clock.wall(), self.next_due()
        if self._cycle is None or due is None or now < due:
            return ()
        self._cycle = following(self._cycle, now)
        self.walking.next_cycle()
        return self._take(start(self._cycle, now))

    def answered(
        self, asked: SearchRequest, url: str, status: int, body: bytes, content_type: str
    ) -> tuple[SearchRequest, ...]:
        """Read an engine's answer; returns what to ask next."""
        if self._cycle is None:
            return ()
        now = self._clock.wall()
        zone = str(self.template.topic.timezone)
        answer = Answered(body, url, status, content_type, asked.query, zone, now)
        return self._take(answered(self._cycle, asked, answer, now))

    def failed(self, asked: SearchRequest, reason: str) -> None:
        """An engine could not be asked: robots.txt forbids it, or it did not answer."""
        if self._cycle is not None:
            now = self._clock.wall()
            self._take(not_answered(self._cycle, asked.engine, reason, now))

    @property
    def refusals(self) -> dict[str, str]:
        """Why engines were not asked to the end, by name."""
        return self._cycle.plan.stopped if self._cycle is not None else {}

    @property
    def is_refused(self) -> bool:
        """Whether the cycle gave no result since engines did not answer."""
        return self._cycle is not None and self._cycle.plan.refused

    # What comes of seeds ------------------------------------------------------------------------

    def links_of(self, batch: LinkBatch, waiting: Waiting) -> Links | None:
        """Return how the links of a page are admitted that belongs to the walk of a seed (C8)."""
        return self.walking.links_of(batch, waiting) if self._cycle is not None else None

    def confirms(self, queued: Waiting) -> bool:
        """Whether a URL is fetched to see if a page is gone that no seed leads to any more (C8)."""
        return self._cycle is not None and self.confirming.confirms(queued)

    def is_asking(self) -> bool:
        """Whether engines are still to answer, so that nobody knows which seeds are walked."""
        return self._cycle is not None and not self._cycle.plan.done

    def is_under_way(self) -> bool:
        """Whether the cycle is not at its end: searches, draws or walks are still to come."""
        cycle = self._cycle
        if cycle is None:
            return False
        is_drawing = self.template.search.strict and not (cycle.seeds.drawn or cycle.plan.stopped)
        return not cycle.plan.done or is_drawing or self.walking.is_under_way()

    def reads(self, key: bytes) -> bool:
        """Whether the walks of the cycle read a page, sooner or later, or leave it to those of the
        next one: a visit of its own would be a second fetch.
        """
        if self._cycle is None:
            return False
        return self.walking.is_skipped(key) or (self.is_under_way() and self.walking.reads(key))

    def must_read(self, queued: Waiting) -> bool:
        """Whether the links of a page are needed, so that a 304 would say too little."""
        return self._cycle is not None and self.walking.must_read(queued)

    def admitted(self, source_id: str, count: int) -> None:
        """Note that so many URLs wait that were found through a seed."""
        if count and source_id.startswith(SOURCE):
            self._alive[source_id] += count

    def led_to(self, waiting: Waiting) -> None:
        """Note a relevant article or record that was found through a seed, when it is new."""
        if self._cycle is not None and waiting.first_walk and (seed := seed_of(waiting)):
            self._cycle.seeds.led_to(seed)
            self._changed = True

    def ended(self, queued: Waiting, end: Ending) -> None:
        """Note the end of a URL as it waited; with the last one its seed was crawled to its end."""
        if self._cycle is None or not seed_of(queued):
            return
        self._changed = True
        seed = self.walking.counts_for(queued)
        self.walking.ended(queued, end)
        if not seed or end.tries:
            return  # it was counted when it failed for the first time
        source_id = f"{SOURCE}{seed}"
        self._alive[source_id] -= 1
        if self._alive[source_id] <= 0:
            del self._alive[source_id]
            self._cycle.seeds.finished(seed)
            self._seeding.draw(self._cycle)

    def is_at_end(self) -> bool:
        """Strict: whether the cycle is at its end, so that what it has not reached is to go.

        It never is when an engine did not answer, for nobody knows what it would have shown.
        """
        cycle = self._cycle
        is_drawn = cycle is not None and cycle.seeds.drawn and not cycle.plan.stopped
        return is_drawn and self.walking.is_at_end()

    def end_cycle(self, gone: Iterable[bytes]) -> None:
        """Close a cycle that is at its end; ``gone`` are pages that are deleted in this commit."""
        self._changed = True
        self.confirming.close(gone)

    def walks(self) -> dict[str, int]:
        """Return how many pages of walks this run has found new, known, missing, gone, confirmed;
        and how many of earlier cycles nobody has looked for (not_judged).
        """
        counts = dict(self.counts)
        return counts | {"not_judged": self.confirming.not_judged()} if counts else {}

    def next_due(self) -> float | None:
        """Return when searches are to be made again, wall time; None while a cycle is asked for.

        ``again`` makes them then, in the middle of a run.
        """
        plan = self._cycle.plan if self._cycle is not None else None
        return plan.begun + self.template.search.every if plan is not None and plan.done else None

    def note(self) -> None:
        """Put what has changed into the commit: the plan, the sequence, the seeds, the queue."""
        for key, page in self.walking.take_changed().items():
            self._frontier.note_fact(REACHED_FACT, key, page)
        if self._cycle is None or not self._changed:
            return
        self._changed = False
        for (kind, key), value in facts(self._cycle).items():
            self._frontier.note_fact(kind, key, value)
            if kind == SEED_FACT:
                self._rows += self._cycle.seeds.seeds[key].rows(self.template.name)

    def take_rows(self) -> list[dict[str, Any]]:
        """Hand over the rows for the results table seeds."""
        rows, self._rows = self._rows, []
        return rows

    # Inside -------------------------------------------------------------------------------------

    def _take(self, taken: SearchStep) -> tuple[SearchRequest, ...]:
        self._changed = True
        if taken.said:
            logger.warning("search: %s", taken.said)
        cycle = self._cycle
        if cycle is not None:
            for seed in taken.seeds:
                self._seeding.queue(cycle, seed)
            if cycle.seeds.complete:
                self.confirming.searched()
            self._seeding.draw(cycle)
        return taken.requests
