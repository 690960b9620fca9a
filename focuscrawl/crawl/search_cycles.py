"""The cycles of a search: begun when they are due, gone on with by the next run (C2, C5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from focuscrawl.crawl.timers import comes_now, is_to_come
from focuscrawl.topic.queries import all_queries
from focuscrawl.topic.searching import SearchPlan
from focuscrawl.topic.seed_sequence import SeedSequence
from focuscrawl.topic.seeds import Seed
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


def facts(cycle: SearchCycle) -> dict[tuple[str, str], Json]:
    """Return what has changed since the last call, to be committed with the requests and seeds."""
    state = {"plan": cycle.plan.to_plain(), "seeds": cycle.seeds.to_plain()}
    changed = cycle.seeds.take_changed().values()
    return {(SEARCH_FACT, ""): state} | {(SEED_FACT, seed.key): seed.to_plain() for seed in changed}
