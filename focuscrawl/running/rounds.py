"""A round: one run, or several that were cut off and gone on with soon after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.frontier.retries import is_to_come
from focuscrawl.store.protocol import WAITING

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store

ROUND = "round"
SAME_ROUND = 3600.0
"""Seconds after which a run that was cut off is not gone on with, but begun anew."""


async def clock_ran_ahead(store: Store, now: float) -> bool:
    """Whether the last run was in a time that is still to come. Ask before begin_round."""
    return is_to_come((await store.facts(ROUND)).get("alive", 0.0), now)


async def begin_round(store: Store, frontier: Frontier, now: float) -> float:
    """Return when the round began that this run is part of (A6); ``now`` is wall time.

    A run that goes on with one that was cut off less than an hour ago does not fetch again what
    that one had fetched.
    """
    facts = await store.facts(ROUND)
    cut_off = facts.get("open") and abs(now - facts.get("alive", 0.0)) < SAME_ROUND
    began: float = facts["began"] if cut_off else now
    frontier.note_fact(ROUND, "began", began)
    frontier.note_fact(ROUND, "open", True)
    is_alive(frontier, now)
    return began


async def begin_anew(store: Store, frontier: Frontier, *, fresh: bool) -> bool:
    """Begin the round of a spider without a topic; True when the crawl file was emptied for it.

    With ``fresh`` it is when the last run ended by itself and left nothing waiting; one that was killed
    or stopped is gone on with. Ask before anything is loaded.
    """
    was_open = (await store.facts(ROUND)).get("open")
    is_over = fresh and was_open is False and not any(store.rows(WAITING))
    if is_over:
        store.clear()
    frontier.note_fact(ROUND, "open", True)
    return is_over


def is_alive(frontier: Frontier, now: float) -> None:
    """Note that the round goes on."""
    frontier.note_fact(ROUND, "alive", now)


def end_round(frontier: Frontier, now: float, *, cut_off: bool) -> None:
    """Note that the run ends; ``cut_off``: its round is not over."""
    frontier.note_fact(ROUND, "open", cut_off)
    is_alive(frontier, now)
