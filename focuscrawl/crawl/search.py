"""A search cycle put together: the plan asks, answers are read, results become seeds (C2, C5)."""

from __future__ import annotations

from typing import NamedTuple

from focuscrawl.crawl.search_cycles import SearchCycle
from focuscrawl.search.page_format import Answered
from focuscrawl.search.result_page import read_results
from focuscrawl.topic.searching import Ranked, SearchRequest, Step
from focuscrawl.topic.seeds import Find, Seed


class Taken(NamedTuple):
    """What follows from an answer.

    ``requests`` are to be fetched next, ``seeds`` to be queued (``cycle.seeds.priority(seed)``),
    ``lost`` to be confirmed by a fetch, since a search no longer shows them; ``said`` is for the log.
    """

    requests: tuple[SearchRequest, ...] = ()
    seeds: tuple[Seed, ...] = ()
    lost: tuple[Seed, ...] = ()
    said: str = ""


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
