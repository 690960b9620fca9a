"""A search cycle put together: the plan asks, answers are read, results become seeds (C2, C5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from focuscrawl.crawl.timers import comes_now, is_to_come
from focuscrawl.extract.serp import read_results
from focuscrawl.extract.serp_format import Answered
from focuscrawl.topic.queries import all_queries
from focuscrawl.topic.searching import Ranked, SearchPlan, SearchRequest, Step
from focuscrawl.topic.seed_sequence import SeedSequence
from focuscrawl.topic.seeds import Find, Seed
from focuscrawl.topic.template import Template
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.values import Json

SEED_FACT, SEARCH_FACT = "seed", "search"
"""Kinds of facts: a seed by its key, and the state of plan and sequence under the key ""."""


@dataclass(frozen=True, slots=True)
class SearchCycle:
    """What a run knows of its searches. ``plan`` and ``seeds`` change; ``facts`` is what to store."""

    template: Template
    canonicalizer: Canonicalizer
    plan: SearchPlan
    seeds: SeedSequence


class Taken(NamedTuple):
    """What follows from an answer.

    ``requests`` are to be fetched next, ``seeds`` to be queued (``cycle.seeds.priority(seed)``),
    ``lost`` to be confirmed by a fetch, since a search no longer shows them; ``said`` is for the log.
    """

    requests: tuple[SearchRequest, ...] = ()
    seeds: tuple[Seed, ...] = ()
    lost: tuple[Seed, ...] = ()
    said: str = ""


def open_cycle(
    template: Template,
    canonicalizer: Canonicalizer,
    seeds: Mapping[str, Json],
    state: Json | None,
    now: float,
) -> SearchCycle | None:
    """Go on with the cycle under way, or begin the next one when it is due; None without [search].

    ``seeds`` and ``state`` are the facts of earlier runs. Changed searches begin a new cycle, and so
    does a run after one in which every engine refused.
    """
    search = template.search
    if not search.engines:
        return None
    state = state or {}
    queries = all_queries(search, template.topic)
    sequence = SeedSequence(
        template.name,
        strict=search.strict,
        searches=len(queries),
        expected=len(queries) * search.results,
        seeds=[Seed.from_plain(key, plain) for key, plain in seeds.items()],
        state=state.get("seeds"),
    )
    plan = SearchPlan.from_template(template, now, state.get("plan"))
    is_due = comes_now(plan.begun + search.every, plan.begun, now) or is_to_come(plan.begun, now)
    if plan.refused or (plan.done and is_due):
        plan = SearchPlan.from_template(template, now)
    if plan.new:
        sequence.begin()
    return SearchCycle(template, canonicalizer, plan, sequence)


def following(cycle: SearchCycle, now: float) -> SearchCycle:
    """Return the cycle after one that is done, with the same seeds."""
    cycle.seeds.begin()
    return replace(cycle, plan=SearchPlan.from_template(cycle.template, now))


def start(cycle: SearchCycle, now: float) -> Taken:
    """Begin asking, or ask again what was under way when the run before ended."""
    left_over = tuple(cycle.seeds.left_over())
    taken = _take(cycle, cycle.plan.start(), now)
    return taken._replace(seeds=left_over + taken.seeds)


def answered(cycle: SearchCycle, request: SearchRequest, answer: Answered, now: float) -> Taken:
    """Read the answer to a request and go on."""
    read = read_results(answer, cycle.template.search.engine[request.engine])
    return _take(cycle, cycle.plan.answered(request, read), now)


def not_answered(cycle: SearchCycle, engine: str, reason: str, now: float) -> Taken:
    """Ask an engine no more in this cycle: robots.txt forbids it, or it cannot be reached."""
    return _take(cycle, cycle.plan.stop(engine, reason), now)


def draw(cycle: SearchCycle) -> Seed | None:
    """Strict: return the next seed to crawl, once the searches are done and no other is under way."""
    return cycle.seeds.draw()


def facts(cycle: SearchCycle) -> dict[tuple[str, str], Json]:
    """Return what has changed since the last call, to be committed with the requests and seeds."""
    state = {"plan": cycle.plan.to_plain(), "seeds": cycle.seeds.to_plain()}
    changed = cycle.seeds.take_changed().values()
    return {(SEARCH_FACT, ""): state} | {(SEED_FACT, seed.key): seed.to_plain() for seed in changed}


def _take(cycle: SearchCycle, step: Step, now: float) -> Taken:
    sequence = cycle.seeds
    queued = [seed for found in step.found if (seed := _seed(cycle, found, now)) is not None]
    lost = [
        seed
        for query in step.ended
        for seed in sequence.missing(query.engine, query.text, cycle.plan.begun, now)
    ]
    if cycle.plan.done and not sequence.complete:
        sequence.close()
    return Taken(step.requests, tuple(queued), tuple(lost), step.said)


def _seed(cycle: SearchCycle, found: Ranked, now: float) -> Seed | None:
    """Note a result; return the seed when it is to be queued now."""
    query, number, rank, result = found
    address = cycle.canonicalizer.address(result.url)
    if address is None:
        return None
    find = Find(
        query.engine, query.text, rank, result.title, result.snippet, result.dated, now, now
    )
    key = address.key.hex()
    return cycle.seeds.found(key, address.url, find, number, redirect=result.redirect)
