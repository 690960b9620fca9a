"""Searching put on a run (C2, C5): requests to engines, seeds in the frontier, what came of each.

Requests to engines are not stored: the plan is, in the commit that holds the seeds they gave. After
a crash it asks again what it had no answer to.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.crawl.search import (
    SEARCH_FACT,
    SEED_FACT,
    SearchCycle,
    Taken,
    answered,
    draw,
    facts,
    not_answered,
    open_cycle,
    start,
)
from focuscrawl.extract.serp_format import Answered
from focuscrawl.stores.base import WAITING
from focuscrawl.topic.searching import SearchRequest
from focuscrawl.topic.seeds import PRIORITIES, Seed
from focuscrawl.values import Json, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.explore import Explorer
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.stores.base import Store
    from focuscrawl.topic.template import Template
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

SOURCE = "seed:"
"""How the source_id of a page begins that was found through a seed; its key follows."""


class Searching:
    """The searches and seeds of one run."""

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
        self._explorer = explorer
        self._cycle: SearchCycle | None = None
        self._alive: Counter[str] = Counter()
        self._changed = False
        self._rows: list[dict[str, Any]] = []

    async def begin(self, store: Store) -> tuple[SearchRequest, ...]:
        """Go on with the cycle that is under way, or begin the next one when it is due."""
        now = self._clock.wall()
        states = await store.facts(SEARCH_FACT)
        known = await store.facts(SEED_FACT)
        self._cycle = open_cycle(
            self.template, self._rules.canonicalizer, known, states.get(""), now
        )
        if self._cycle is None:
            return ()
        for row in store.rows(WAITING):
            if row.waiting.source_id.startswith(SOURCE):
                self._alive[row.waiting.source_id] += 1
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

    def admitted(self, source_id: str, count: int) -> None:
        """Note that so many URLs wait that were found through a seed."""
        if count and source_id.startswith(SOURCE):
            self._alive[source_id] += count

    def led_to(self, source_id: str) -> None:
        """Note a relevant article that was found through a seed."""
        if self._cycle is not None and source_id.startswith(SOURCE):
            self._cycle.seeds.led_to(source_id.removeprefix(SOURCE))
            self._changed = True

    def ended(self, source_id: str, *, gone: bool = False) -> None:
        """Note the end of a URL; with the last one its seed has been crawled to its end."""
        if self._cycle is None or not source_id.startswith(SOURCE):
            return
        self._alive[source_id] -= 1
        if self._alive[source_id] <= 0:
            del self._alive[source_id]
            self._cycle.seeds.finished(source_id.removeprefix(SOURCE), gone=gone)
            self._changed = True
            self._draw(self._cycle)

    def note(self) -> None:
        """Put what has changed into the commit: the plan, the sequence, the seeds."""
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

    def _take(self, taken: Taken) -> tuple[SearchRequest, ...]:
        self._changed = True
        if taken.said:
            logger.warning("search: %s", taken.said)
        for seed in taken.seeds:
            self._queue(seed)
        if self._cycle is not None:
            self._draw(self._cycle)
        return taken.requests

    def _draw(self, cycle: SearchCycle) -> None:
        """Strict: take the next seed, once the one before has been crawled to its end."""
        if not self.template.search.strict:
            return
        seed = draw(cycle)
        while seed is not None and not self._queue(seed):
            cycle.seeds.finished(seed.key)
            seed = draw(cycle)

    def _queue(self, seed: Seed) -> bool:
        """Queue a seed at the level of sources, by its probability; False when it may not be.

        One whose title and snippet do not name the topic waits in the lane of exploration.
        """
        look = self._rules.look(seed.url)
        if look.refused is not None or self._cycle is None:
            return False
        address = look.address
        level = max(1, self._rules.top - 1)
        source_id = f"{SOURCE}{seed.key}"
        waiting = Waiting(
            url=address.url,
            key=address.key,
            site=address.site,
            level=level,
            passed_level=level,
            source_id=source_id,
            priority=self._cycle.seeds.priority(seed),
        )
        if self._explorer is not None and not seed.redirect and not self.template.search.strict:
            words = [(find.title, find.snippet) for find in seed.finds]
            waiting = self._explorer.seed(waiting, waiting.priority / PRIORITIES, words)
        if not self._frontier.add(waiting, address.number):
            return False
        self._alive[source_id] += 1
        return True


def search_meta(template: Template, asked: SearchRequest, level: int) -> Json:
    """Return the meta of a request to an engine."""
    meta: Json = {
        "focuscrawl": {"level": level, "class": PageClass.SEARCH, "volatile": True},
        "handle_httpstatus_all": True,
    }
    if not template.search.robots:
        meta["dont_obey_robotstxt"] = True
    return meta


def hosts_of(template: Template | None) -> Mapping[str, float]:
    """Return the hosts of the engines that are asked, with the pause between two requests."""
    if template is None:
        return {}
    search = template.search
    return {
        search.engine[name].host: search.delay for name in search.engines if name in search.engine
    }
