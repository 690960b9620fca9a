"""Searching put on a run (C2, C5): requests to engines, and what came of each."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from focuscrawl.kernel.feature import Hooks, Links
from focuscrawl.search.cycle import REACHED_FACT, SEARCH_FACT, SEED_FACT, Searches
from focuscrawl.search.result_page import Answered
from focuscrawl.store.protocol import WAITING

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.search.missing import MissingPages
    from focuscrawl.search.plan import SearchRequest
    from focuscrawl.search.walks import UrlEnd
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template
    from focuscrawl.values import Clock, LinkBatch, Waiting


class Searching:
    """The searches and seeds of one run."""

    def __init__(
        self,
        template: Template,
        rules: AdmissionRules,
        frontier: Frontier,
        clock: Clock,
        hooks: Hooks,
    ) -> None:
        self.template = template
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        self._hooks = hooks
        self._searches: Searches | None = None

    @property
    def searches(self) -> Searches:
        """What was opened."""
        if self._searches is None:
            raise RuntimeError("the searches of the run are not open yet")
        return self._searches

    async def open(self, store: Store, visits: Container[bytes]) -> None:
        """Take up what earlier runs know. ``visits`` knows the keys of pages that are queued for a visit."""
        facts = {kind: await store.facts(kind) for kind in (SEED_FACT, SEARCH_FACT, REACHED_FACT)}
        now = self._clock.wall()
        self._searches = Searches(
            self.template, self._rules, self._frontier, facts, now, visits, self._waits
        )

    def _waits(self, waiting: Waiting, promise: float, words: list[tuple[str, str]]) -> Waiting:
        for place in self._hooks.promised:
            waiting = place(waiting, promise, words)
        return waiting

    async def begin(self, store: Store) -> tuple[SearchRequest, ...]:
        """Go on with the cycle that is under way, or begin the next one when it is due."""
        waiting = (row.waiting for row in store.rows(WAITING))
        return self.searches.begin(waiting, self._clock.wall()).requests

    def again(self) -> tuple[SearchRequest, ...]:
        """Begin the next cycle in the middle of a run, when it is due; returns what to ask."""
        return self.searches.again(self._clock.wall()).requests

    def answered(
        self, asked: SearchRequest, url: str, status: int, body: bytes, content_type: str
    ) -> tuple[SearchRequest, ...]:
        """Read an engine's answer; returns what to ask next."""
        now, zone = self._clock.wall(), str(self.template.topic.timezone)
        answer = Answered(body, url, status, content_type, asked.query, zone, now)
        searches = self.searches
        return searches.take(searches.cycle.answered(asked, answer, now)).requests

    def failed(self, asked: SearchRequest, reason: str) -> None:
        """An engine could not be asked: robots.txt forbids it, or it did not answer."""
        searches, now = self.searches, self._clock.wall()
        searches.take(searches.cycle.not_answered(asked.engine, reason, now))

    # What is asked of it beside ------------------------------------------------------------------

    @property
    def missing(self) -> MissingPages:
        """Pages that the cycle does not reach."""
        return self.searches.missing

    @property
    def refusals(self) -> dict[str, str]:
        """Why engines were not asked to the end, by name."""
        return self.searches.cycle.plan.stopped

    @property
    def is_refused(self) -> bool:
        """Whether the cycle gave no result since engines did not answer."""
        return self.searches.cycle.plan.refused

    def links_of(self, batch: LinkBatch, waiting: Waiting) -> Links | None:
        """Return how the links of a page are admitted that belongs to the walk of a seed (C8)."""
        walks = self.searches.walks
        found = walks.links_of(batch, waiting)
        return Links(*found, walks.add, walks.again) if found is not None else None

    def confirms(self, queued: Waiting) -> bool:
        """Whether a URL is fetched to see if a page is gone that no seed leads to any more (C8)."""
        return self.missing.confirms(queued.key)

    def is_asking(self) -> bool:
        """Whether engines are still to answer, so that nobody knows which seeds are walked."""
        return not self.searches.cycle.plan.done

    def is_under_way(self) -> bool:
        """Whether the cycle is not at its end."""
        return self.searches.is_under_way()

    def reads(self, key: bytes) -> bool:
        """Whether the walks of the cycle read a page, see Searches.reads."""
        return self.searches.reads(key)

    def must_read(self, queued: Waiting) -> bool:
        """Whether the links of a page are needed, so that a 304 would say too little."""
        return self.searches.walks.must_read(queued)

    def admitted(self, waiting: Waiting, count: int) -> None:
        """Note that so many URLs wait that were found through a seed."""
        self.searches.walks.admitted(waiting, count)

    def led_to(self, waiting: Waiting) -> None:
        """Note a relevant article or record that was found through a seed, when it is new."""
        self.searches.led_to(waiting)

    def ended(self, queued: Waiting, end: UrlEnd) -> None:
        """Note the end of a URL as it waited."""
        self.searches.ended(queued, end)

    def is_at_end(self) -> bool:
        """Strict: whether the cycle is at its end, so that what it has not reached is to go."""
        return self.searches.is_at_end()

    def next_due(self) -> float | None:
        """Return when searches are to be made again, wall time; None while a cycle is asked for."""
        return self.searches.next_due()

    def note(self) -> None:
        """Put what has changed into the commit."""
        if self._searches is not None:
            self._searches.note()

    def take_rows(self) -> list[dict[str, Any]]:
        """Hand over the rows for the results table seeds."""
        if self._searches is None:
            return []
        return self._searches.take_rows()
