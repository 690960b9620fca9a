"""A cycle of searches (C2, C5, C8): it begins when it is due, the plan asks, answers are read, results
become seeds, and walks from seeds reach pages.

The cycle is stored in the commit that holds the seeds it gave, requests to engines are not: after a
crash the plan asks again what was not answered.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from focuscrawl.features.search.missing import MissingPages
from focuscrawl.features.search.plan import Ranked, SearchPlan, SearchRequest, Step
from focuscrawl.features.search.reached import ReachedPages
from focuscrawl.features.search.result_page import read_results
from focuscrawl.features.search.seeds import (
    PRIORITIES,
    Find,
    Seed,
    SeedCount,
    SeedSequence,
    SeedState,
)
from focuscrawl.features.search.table import SearchTable, all_queries
from focuscrawl.features.search.walks import SOURCE, SeedWalks, UrlEnd, seed_of
from focuscrawl.frontier.retries import comes_now, is_to_come
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import Json, Waiting

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.readers.pages.content import Fetched
    from focuscrawl.template.template import Template
    from focuscrawl.urls.canonical import Canonicalizer
    from focuscrawl.urls.sites import Partitions

logger = logging.getLogger(__name__)

SEED_FACT, SEARCH_FACT, REACHED_FACT = "seed", "search", "reached"
"""Kinds of facts: a seed by its key, the state of plan and sequence under the key "", and a page of the
queue of pages reached by its key in hexadecimal."""


STILL = 10.0
"""Seconds for which nothing of a seed waits anywhere before it is taken for crawled to its end: a link is on its
way for a second or two, and for ``lease`` when a process is killed, which then does no harm."""

Explored = Callable[[Waiting, float, list[tuple[str, str]]], Waiting]
"""How a seed waits where sites are explored, by its probability, and the titles and snippets it was shown with."""


class SearchStep(NamedTuple):
    """What follows from an answer.

    ``requests`` are to be fetched next, ``seeds`` to be queued (``cycle.seeds.priority(seed)``),
    ``lost`` to be confirmed by a fetch, since a search no longer shows them; ``said`` is for the log.
    """

    requests: tuple[SearchRequest, ...] = ()
    seeds: tuple[Seed, ...] = ()
    lost: tuple[Seed, ...] = ()
    said: str = ""


class SearchCycle:
    """The cycle under way, or the next one when it is due: its ``plan``, and the ``seeds`` of all.

    ``seeds`` and ``state`` are the facts of earlier runs. Changed searches begin a new cycle, and so
    does a run after one in which every engine refused.
    """

    def __init__(
        self,
        template: Template,
        canonicalizer: Canonicalizer,
        seeds: Mapping[str, Json],
        state: Json | None,
        now: float,
    ) -> None:
        self._template = template
        self._canonicalizer = canonicalizer
        search, state = template.of(SearchTable), state or {}
        queries = all_queries(search, template.topic)
        self.seeds = SeedSequence(
            template.name,
            strict=search.strict,
            searches=len(queries),
            expected=len(queries) * search.results,
            seeds=[Seed.from_plain(key, plain) for key, plain in seeds.items()],
            state=state.get("seeds"),
        )
        self.plan = plan = SearchPlan(search, template.topic, now, state.get("plan"))
        is_due = comes_now(plan.begun + search.every, plan.begun, now)
        if plan.refused or (plan.done and (is_due or is_to_come(plan.begun, now))):
            again = plan.first and plan.refused  # no engine answered the first time
            self.plan = SearchPlan(search, template.topic, now, first=again)
        if self.plan.new:
            self.seeds.begin()

    def next(self, now: float) -> None:
        """Begin the cycle after one that is done, with the same seeds."""
        self.seeds.begin()
        search, topic = self._template.of(SearchTable), self._template.topic
        self.plan = SearchPlan(search, topic, now, first=False)

    def start(self, now: float) -> SearchStep:
        """Begin asking, or ask again what was under way when the run before ended."""
        left_over = tuple(self.seeds.left_over())
        taken = self._take(self.plan.start(), now)
        return taken._replace(seeds=left_over + taken.seeds)

    def answered(self, request: SearchRequest, fetched: Fetched) -> SearchStep:
        """Read the answer to a request and go on."""
        engine = self._template.of(SearchTable).engine[request.engine]
        zone = str(self._template.topic.timezone)
        read = read_results(fetched, engine, query=request.query, timezone=zone)
        return self._take(self.plan.answered(request, read), fetched.at)

    def not_answered(self, engine: str, reason: str, now: float) -> SearchStep:
        """Ask an engine no more in this cycle: robots.txt forbids it, or it cannot be reached."""
        return self._take(self.plan.stop(engine, reason), now)

    def _take(self, step: Step, now: float) -> SearchStep:
        sequence = self.seeds
        queued = [seed for found in step.found if (seed := self._seed(found, now)) is not None]
        lost = [
            seed
            for query in step.ended
            for seed in sequence.missing(query.engine, query.text, self.plan.begun, now)
        ]
        if self.plan.done and not sequence.complete:
            sequence.close()
        return SearchStep(step.requests, tuple(queued), tuple(lost), step.said)

    def _seed(self, found: Ranked, now: float) -> Seed | None:
        """Note a result; return the seed when it is to be queued now."""
        query, number, rank, result = found
        address = self._canonicalizer.address(result.url)
        if address is None:
            return None
        shown = (result.title, result.snippet, result.dated)
        find = Find(query.engine, query.text, rank, *shown, now, now)
        key = address.key.hex()
        return self.seeds.found(key, address.url, find, number, redirect=result.redirect)

    def is_drawing(self) -> bool:
        """Strict: whether seeds are still to be drawn. Not while an engine did not answer, for what
        it would have shown is unknown.
        """
        return self.seeds.strict and not self.seeds.drawn and not self.plan.stopped

    def facts(self) -> dict[tuple[str, str], Json]:
        """Return what has changed since the last call, to be committed with the requests and seeds."""
        state = {"plan": self.plan.to_plain(), "seeds": self.seeds.to_plain()}
        changed = self.seeds.take_changed().values()
        return {(SEARCH_FACT, ""): state} | {
            (SEED_FACT, seed.key): seed.to_plain() for seed in changed
        }


class Searches:
    """The searches of one run, its seeds in the frontier, and what came of each.

    ``facts`` are those of earlier runs by their kinds, ``visits`` knows the keys of pages that are
    queued for a visit of their own, ``explored`` says how seeds wait. ``counts`` counts the pages of ``walks`` and ``missing``: new,
    known, missing, gone, confirmed. ``is_shared``: others read pages of the same seeds, so ``judge`` says what became
    of each.
    """

    def __init__(
        self,
        template: Template,
        rules: AdmissionRules,
        frontier: Frontier,
        facts: Mapping[str, Mapping[str, Json]],
        now: float,
        visits: Container[bytes] = (),
        explored: Explored | None = None,
        *,
        is_shared: bool = False,
    ) -> None:
        self._search = search = template.of(SearchTable)
        self._name = template.name
        self._rules = rules
        self._frontier = frontier
        self._explored = explored
        self._is_shared = is_shared
        self._still: dict[str, float] = {}
        state = facts[SEARCH_FACT].get("")
        self.cycle = SearchCycle(template, rules.canonicalizer, facts[SEED_FACT], state, now)
        self._pages = ReachedPages(facts[REACHED_FACT])
        self.counts: Counter[str] = Counter()
        seeds, strict = self.cycle.seeds, search.strict
        shared = (rules, frontier, seeds, self._pages, visits, self.counts, strict)
        self.missing = MissingPages(*shared)
        self.walks = SeedWalks(*shared, self.missing)
        self._changed = False

    # Asking engines -----------------------------------------------------------------------------

    def begin(self, waiting: Iterable[Waiting], now: float) -> SearchStep:
        """Go on with the cycle, or begin it; ``waiting`` is what waits in the frontier."""
        self.walks.begin(waiting)
        return self.take(self.cycle.start(now))

    def next_due(self) -> float | None:
        """Return when searches are to be made again, wall time; None while a cycle is asked for."""
        plan = self.cycle.plan
        return plan.begun + self._search.every if plan.done else None

    def again(self, now: float) -> SearchStep:
        """Begin the next cycle in the middle of a run, when it is due."""
        due = self.next_due()
        if due is None or now < due:
            return SearchStep()
        self.cycle.next(now)
        self.walks.next_cycle()
        return self.take(self.cycle.start(now))

    def take(self, step: SearchStep) -> SearchStep:
        """Queue the seeds that follow from an answer, and look for pages that no search leads to."""
        self._changed = True
        if step.said:
            logger.warning("search: %s", step.said)
        for seed in step.seeds:
            self._queue(seed)
        if self.cycle.seeds.complete:
            self.missing.searched()
        self._draw()
        return step

    # Seeds --------------------------------------------------------------------------------------

    def _queue(self, seed: Seed) -> bool:
        """Queue a seed at the level of sources, by its probability; False when it may not be.

        One whose title and snippet do not name the topic waits in the lane of exploration.
        """
        look = self._rules.look(seed.url)
        if look.refused is not None:
            return False
        address, level = look.address, max(1, self._rules.top - 1)
        waiting = Waiting(
            url=address.url,
            key=address.key,
            site=address.site,
            level=level,
            passed_level=level,
            source_id=f"{SOURCE}{seed.key}",
            priority=self.cycle.seeds.priority(seed),
            baseline=int(self.cycle.plan.begun) if self.cycle.plan.first else 0,
        )
        if self._explored is not None and not seed.redirect and not self._search.strict:
            words = [(find.title, find.snippet) for find in seed.finds]
            waiting = self._explored(waiting, waiting.priority / PRIORITIES, words)
        return self.walks.start(waiting, address.number)

    def _draw(self) -> None:
        """Strict: take the next seed, once the one before has been crawled to its end."""
        seeds = self.cycle.seeds
        while self._search.strict and (seed := seeds.draw()) is not None and not self._queue(seed):
            seeds.finished(seed.key)

    def led_to(self, waiting: Waiting) -> None:
        """Note a relevant article or record that was found through a seed: it leads to what is new, and its walks
        reach what is known.
        """
        if self._is_shared or not (seed := seed_of(waiting)):
            return
        if waiting.first_walk:
            self.cycle.seeds.led_to(seed)
        else:
            self.cycle.seeds.reach(seed)
        self._changed = True

    def ended(self, queued: Waiting, end: UrlEnd) -> None:
        """Note the end of a URL as it waited; with the last one its seed was crawled to its end."""
        if not seed_of(queued):
            return
        self._changed = True
        if (seed := self.walks.ended(queued, end)) and not self._is_shared:
            self.cycle.seeds.finished(seed)
            self._draw()

    def judge(self, counts: Mapping[str, SeedCount], now: float, *, after: float = STILL) -> None:
        """Finish the seeds of which nothing waits in any process, ``after`` seconds of that; and note how
        much each has led to. ``counts`` are those of SeedCounts of all.

        What is on its way from one process to another is counted by none, so one look is not enough. A
        seed that led to something later is useful after all, and one that was gone is gone.
        """
        seeds = self.cycle.seeds
        seeds.have_led_to({seed: count.useful for seed, count in counts.items()})
        for key, seed in seeds.seeds.items():
            count = counts.get(key) or SeedCount()
            is_under_way = count.waiting > 0 or self.walks.is_open(key)
            if seed.state is not SeedState.TAKEN or is_under_way:
                self._still.pop(key, None)
                if seed.state is SeedState.USELESS and count.gone:
                    seeds.is_gone(key)
            elif now - self._still.setdefault(key, now) >= after:
                seeds.finished(key, gone=bool(count.gone))
        self._changed = self._changed or seeds.have_changed

    def load(self, partitions: Partitions, reached: Mapping[str, Json]) -> None:
        """Take up the pages reached of new partitions; ``reached`` are facts, of these and others."""
        found = {
            key: page for key, page in reached.items() if partition_of(page["site"]) in partitions
        }
        self._pages.load(found)

    # The end of a cycle -------------------------------------------------------------------------

    def is_under_way(self) -> bool:
        """Whether the cycle is not at its end: searches, draws or walks are still to come."""
        cycle = self.cycle
        return not cycle.plan.done or cycle.is_drawing() or self.walks.is_under_way()

    def reads(self, key: bytes) -> bool:
        """Whether the walks of the cycle read a page, sooner or later, or leave it to those of the
        next one: a visit of its own would be a second fetch.
        """
        walks = self.walks
        return walks.is_skipped(key) or (self.is_under_way() and walks.reads(key))

    def is_at_end(self) -> bool:
        """Strict: whether the cycle is at its end, so that what it has not reached is to go.

        It never is when an engine did not answer, for what it would have shown is unknown.
        """
        return self.cycle.seeds.drawn and not self.cycle.plan.stopped and self.walks.is_at_end()

    def end_cycle(self, gone: Iterable[bytes]) -> None:
        """Close a cycle that is at its end; ``gone`` are pages that are deleted in this commit."""
        self._changed = True
        self.missing.close(gone)

    def pages(self) -> dict[str, int]:
        """Return how many pages of walks this run has found new, known, missing, gone, confirmed;
        and how many of earlier cycles were not looked for (not_judged).
        """
        counts = dict(self.counts)
        return counts | {"not_judged": self.missing.not_judged()} if counts else {}

    def note(self) -> list[dict[str, Any]]:
        """Put what has changed into the commit: the plan, the sequence, the seeds, the queue.

        Returns the rows for the results table seeds.
        """
        for key, page in self._pages.take_changed().items():
            self._frontier.note_fact(REACHED_FACT, key, page, partition_of(page["site"]))
        rows: list[dict[str, Any]] = []
        facts = self.cycle.facts() if self._changed else {}
        self._changed = False
        for (kind, key), value in facts.items():
            self._frontier.note_fact(kind, key, value)
            if kind == SEED_FACT:
                rows += self.cycle.seeds.seeds[key].rows(self._name)
        return rows
