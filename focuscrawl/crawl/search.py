"""Searches put on a crawl (C2, C5, C8): cycles begin when they are due, the plan asks, answers are read,
results become seeds, and walks from seeds reach pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from focuscrawl.frontier.retries import comes_now, is_to_come
from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.revisit.cycles import ReachedPage
from focuscrawl.search.plan import Ranked, SearchPlan, SearchRequest, Step
from focuscrawl.search.queries import all_queries
from focuscrawl.search.result_page import Answered, read_results
from focuscrawl.search.seed_sequence import SeedSequence
from focuscrawl.search.seeds import Find, Seed
from focuscrawl.template.template import Template
from focuscrawl.urls.canonical import Canonicalizer
from focuscrawl.values import Json, PageClass, PageState, Waiting

SEED_FACT, SEARCH_FACT = "seed", "search"
"""Kinds of facts: a seed by its key, and the state of plan and sequence under the key ""."""

PART_CLASSES = frozenset({PageClass.ARTICLE_PAGING, PageClass.FILE})
"""What belongs to a page and stands in no queue of its own."""

NO_LONGER = "no longer reached"
"""Why a page is gone of which nobody has asked its server (strict)."""

SOURCE = "seed:"
"""How the source_id of a page begins that was found through a seed; its key follows."""


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
    plan = SearchPlan.of(search, template.topic, now, state.get("plan"))
    is_due = comes_now(plan.begun + search.every, plan.begun, now) or is_to_come(plan.begun, now)
    if plan.refused or (plan.done and is_due):
        plan = SearchPlan.of(search, template.topic, now)
    if plan.new:
        sequence.begin()
    return SearchCycle(template, canonicalizer, plan, sequence)


def following(cycle: SearchCycle, now: float) -> SearchCycle:
    """Return the cycle after one that is done, with the same seeds."""
    cycle.seeds.begin()
    return replace(cycle, plan=SearchPlan.of(cycle.template.search, cycle.template.topic, now))


def facts(cycle: SearchCycle) -> dict[tuple[str, str], Json]:
    """Return what has changed since the last call, to be committed with the requests and seeds."""
    state = {"plan": cycle.plan.to_plain(), "seeds": cycle.seeds.to_plain()}
    changed = cycle.seeds.take_changed().values()
    return {(SEARCH_FACT, ""): state} | {(SEED_FACT, seed.key): seed.to_plain() for seed in changed}


class SearchStep(NamedTuple):
    """What follows from an answer.

    ``requests`` are to be fetched next, ``seeds`` to be queued (``cycle.seeds.priority(seed)``),
    ``lost`` to be confirmed by a fetch, since a search no longer shows them; ``said`` is for the log.
    """

    requests: tuple[SearchRequest, ...] = ()
    seeds: tuple[Seed, ...] = ()
    lost: tuple[Seed, ...] = ()
    said: str = ""


def start(cycle: SearchCycle, now: float) -> SearchStep:
    """Begin asking, or ask again what was under way when the run before ended."""
    left_over = tuple(cycle.seeds.left_over())
    taken = _take(cycle, cycle.plan.start(), now)
    return taken._replace(seeds=left_over + taken.seeds)


def answered(
    cycle: SearchCycle, request: SearchRequest, answer: Answered, now: float
) -> SearchStep:
    """Read the answer to a request and go on."""
    read = read_results(answer, cycle.template.search.engine[request.engine])
    return _take(cycle, cycle.plan.answered(request, read), now)


def not_answered(cycle: SearchCycle, engine: str, reason: str, now: float) -> SearchStep:
    """Ask an engine no more in this cycle: robots.txt forbids it, or it cannot be reached."""
    return _take(cycle, cycle.plan.stop(engine, reason), now)


def draw_seed(cycle: SearchCycle) -> Seed | None:
    """Strict: return the next seed to crawl, once the searches are done and no other is under way."""
    return cycle.seeds.draw()


def _take(cycle: SearchCycle, step: Step, now: float) -> SearchStep:
    sequence = cycle.seeds
    queued = [seed for found in step.found if (seed := _seed(cycle, found, now)) is not None]
    lost = [
        seed
        for query in step.ended
        for seed in sequence.missing(query.engine, query.text, cycle.plan.begun, now)
    ]
    if cycle.plan.done and not sequence.complete:
        sequence.close()
    return SearchStep(step.requests, tuple(queued), tuple(lost), step.said)


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


def seed_of(waiting: Waiting) -> str:
    """Return the key of the seed a URL was found through; "" when it was found otherwise."""
    name = waiting.source_id
    return name.removeprefix(SOURCE) if name.startswith(SOURCE) else ""


def leads_on(waiting: Waiting, rules: AdmissionRules) -> bool:
    """Whether the links of a page belong to the walk of its seed.

    Those of every layer do (C6). Without layers the seed's own page leads to what the walk reaches,
    with its further pages; what lies behind is for exploration and revisits.
    """
    if not seed_of(waiting) or waiting.page_class in PART_CLASSES:
        return False
    return rules.layers is not None or not waiting.depth


def is_list_of_walk(page: ReachedPage, rules: AdmissionRules) -> bool:
    """Whether the links of a page that was reached before belong to a walk, see ``leads_on``."""
    return page.page_class not in PART_CLASSES and (rules.layers is not None or not page.depth)


def is_read_anew(
    waiting: Waiting, page: ReachedPage, rules: AdmissionRules, *, strict: bool
) -> bool:
    """Whether a known page is fetched once in each cycle, to compare what it says.

    The pages of layers are, and all of them in the published form; without layers, what a seed's
    list leads to comes again by its own dates (B), unless it was gone.
    """
    return strict or page.gone or leads_on(waiting, rules)


def reached_page(waiting: Waiting) -> ReachedPage:
    """Return a URL as it stands in the queue of pages reached."""
    return ReachedPage(
        url=waiting.url,
        site=waiting.site,
        level=waiting.level,
        depth=waiting.depth,
        layer=waiting.layer,
        page_class=waiting.page_class,
    )


def read_anew(waiting: Waiting, page: ReachedPage, rules: AdmissionRules) -> Waiting:
    """Return a known page as it waits to be read anew, where a redirect has led to last time.

    It waits in the levels: it explores nothing.
    """
    address = rules.look(page.moved_to or waiting.url).address
    return waiting._replace(
        url=address.url,
        key=address.key,
        site=address.site,
        first_walk=False,
        explore=False,
        step=0,
        score=0.0,
        folder=0,
    )


def deleted(state: PageState, now: float) -> PageState:
    """Return the tombstone of a page whose rows are deleted, since no seed leads to it (strict).

    It remembers nothing to compare with: when it is reached again, it is new.
    """
    return state._replace(
        gone=now,
        reason=NO_LONGER,
        next_visit=None,
        leased=None,
        digest=b"",
        simhash=None,
        details=b"",
    )


def confirmation(page: ReachedPage, rules: AdmissionRules) -> Waiting:
    """Return the fetch that is to confirm that a page is gone: on the lowest level, not urgent."""
    seed = next(iter(page.seeds))
    address = rules.look(page.moved_to or page.url).address
    return Waiting(
        url=address.url,
        key=address.key,
        site=address.site,
        level=1,
        passed_level=page.level,
        page_class=page.page_class,
        depth=page.depth,
        parent_key=bytes.fromhex(seed),
        source_id=f"{SOURCE}{seed}",
        first_walk=False,
        layer=page.layer,
    )
