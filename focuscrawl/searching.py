"""Searching put on a run (C2, C5): which results become seeds, and what came of each.

Requests to engines are not stored: the plan is, in the commit that holds the seeds they gave. After
a crash it asks again what it had no answer to.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from focuscrawl.extract.serp import read_results
from focuscrawl.extract.serp_format import Answered
from focuscrawl.topic.searching import SearchPlan, SearchRequest, Step
from focuscrawl.topic.seeds import Find, Seed, SeedSequence
from focuscrawl.values import Json, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.crawl.rules import AdmissionRules
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.stores.base import Store
    from focuscrawl.topic.template import Template
    from focuscrawl.values import Clock

logger = logging.getLogger(__name__)

FACTS, SEEDS = "search", "seed"
"""Kinds of facts: the plan and the sequence; each seed by its key."""

SOURCE = "seed:"
"""How the source_id of a page begins that was found through a seed; its key follows."""


class Searching:
    """The searches and seeds of one run."""

    def __init__(
        self, template: Template, rules: AdmissionRules, frontier: Frontier, clock: Clock
    ) -> None:
        self.template = template
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        self._plan = SearchPlan.from_template(template, clock.wall())
        self._seeds = SeedSequence(template.name)
        self._alive: Counter[str] = Counter()
        self.rows: list[dict[str, Any]] = []
        self.refused: dict[str, str] = {}

    async def begin(self, store: Store) -> Step:
        """Go on with the cycle that is under way, or begin the next one; [] when none is due."""
        search, now = self.template.search, self._clock.wall()
        facts = await store.facts(FACTS)
        known = await store.facts(SEEDS)
        state: Json | None = facts.get("plan")
        self._plan = SearchPlan.from_template(self.template, now, state)
        self._seeds = SeedSequence(
            self.template.name,
            strict=search.strict,
            searches=self._plan.searches,
            expected=self._plan.searches * search.results,
            seeds=[Seed.from_plain(key, plain) for key, plain in known.items()],
            state=facts.get("sequence"),
        )
        for row in store.rows(0):
            if row.waiting.source_id.startswith(SOURCE):
                self._alive[row.waiting.source_id] += 1
        is_due = self._plan.done and now - self._plan.begun >= search.every
        if is_due:
            self._plan = SearchPlan.from_template(self.template, now)
        if self._plan.begun == now:  # a new plan: the first, one that is due, or other searches
            self._seeds.begin()
            for seed in self._seeds.left_over():
                self._queue(seed)
        step = self._plan.start() if not self._plan.done else Step()
        self._take(step, 0)
        return step

    def answered(
        self, asked: SearchRequest, url: str, status: int, body: bytes, content_type: str
    ) -> tuple[SearchRequest, ...]:
        """Read an engine's answer; returns what to ask next."""
        answer = read_results(
            Answered(
                body,
                url,
                status,
                content_type,
                asked.query,
                str(self.template.topic.timezone),
                self._clock.wall(),
            ),
            self.template.search.engine[asked.engine],
        )
        step = self._plan.answered(asked, answer)
        self._take(step, asked.number, asked)
        return step.requests

    def failed(self, asked: SearchRequest, reason: str) -> None:
        """An engine could not be asked: robots.txt forbids it, or it did not answer."""
        self._take(self._plan.stop(asked.engine, reason), asked.number, asked)

    @property
    def refusals(self) -> dict[str, str]:
        """Why engines were not asked to the end, by name."""
        return self._plan.stopped

    @property
    def is_refused(self) -> bool:
        """Whether the cycle gave no result since engines did not answer."""
        return self._plan.refused

    # What comes of seeds ------------------------------------------------------------------------

    def admitted(self, source_id: str, count: int) -> None:
        """Note that so many URLs wait that were found through a seed."""
        if count and source_id.startswith(SOURCE):
            self._alive[source_id] += count

    def led_to(self, source_id: str) -> None:
        """Note a relevant article that was found through a seed."""
        if source_id.startswith(SOURCE):
            self._seeds.led_to(source_id.removeprefix(SOURCE))

    def ended(self, source_id: str, *, gone: bool = False) -> None:
        """Note the end of a URL; with the last one its seed has been crawled to its end."""
        if not source_id.startswith(SOURCE):
            return
        self._alive[source_id] -= 1
        if self._alive[source_id] <= 0:
            del self._alive[source_id]
            self._seeds.finished(source_id.removeprefix(SOURCE), gone=gone)
            self._draw()

    def note(self) -> None:
        """Put what has changed into the commit."""
        changed = self._seeds.take_changed()
        for key, seed in changed.items():
            self._frontier.note_fact(SEEDS, key, seed.to_plain())
            self.rows += seed.rows(self.template.name)
        if changed:
            self._note_plan()

    def take_rows(self) -> list[dict[str, Any]]:
        """Hand over the rows for the results table seeds."""
        rows, self.rows = self.rows, []
        return rows

    # Inside -------------------------------------------------------------------------------------

    def _take(self, step: Step, number: int, asked: SearchRequest | None = None) -> None:
        now = self._clock.wall()
        if step.said:
            logger.warning("search: %s", step.said)
        for rank, result in step.found:
            address = self._rules.canonicalizer.address(result.url)
            if address is None:
                continue
            find = Find(
                asked.engine if asked else "list",
                asked.query if asked else "",
                rank,
                result.title,
                result.snippet,
                result.dated,
                now,
                now,
            )
            seed = self._seeds.found(
                address.key.hex(), address.url, find, number, redirect=result.redirect
            )
            if seed is not None:
                self._queue(seed)
        for query in step.ended:
            self._seeds.missing(query.engine, query.text, self._plan.begun, now)
        if self._plan.done and not self._seeds.complete:
            self._seeds.close()
            self._draw()
        self._note_plan()

    def _draw(self) -> None:
        """Strict: take the next seed, once the one before has been crawled to its end."""
        if not self.template.search.strict:
            return
        seed = self._seeds.draw()
        while seed is not None and not self._queue(seed):
            self._seeds.finished(seed.key)
            seed = self._seeds.draw()

    def _queue(self, seed: Seed) -> bool:
        """Queue a seed at the level of sources, by its probability; False when it may not be."""
        look = self._rules.look(seed.url)
        if look.refused is not None:
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
            priority=self._seeds.priority(seed),
        )
        if not self._frontier.add(waiting, address.number):
            return False
        self._alive[source_id] += 1
        return True

    def _note_plan(self) -> None:
        self._frontier.note_fact(FACTS, "plan", self._plan.to_plain())
        self._frontier.note_fact(FACTS, "sequence", self._seeds.to_plain())


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
