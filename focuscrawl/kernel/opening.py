"""How a run begins and ends beside its URLs: its round, its results, what is said of it at first.

A round is one run, or several that were cut off and gone on with soon after.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import socket
from collections import Counter
from math import inf
from typing import TYPE_CHECKING

import scrapy

from focuscrawl import __version__
from focuscrawl.frontier.retries import is_to_come
from focuscrawl.kernel.commit import Commits
from focuscrawl.records.table import RecordTable
from focuscrawl.results.forgetting import MOST_AT_ONCE
from focuscrawl.results.kinds.runs import RunStart
from focuscrawl.results.results import Results
from focuscrawl.store.protocol import WAITING, StoreError
from focuscrawl.values import Clock

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.results.kind import Kinds
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

ROUND = "round"
SAME_ROUND = 3600.0
"""Seconds after which a run that was cut off is not gone on with, but begun anew."""

FORGET_EVERY, MOST_MEANWHILE = 3600.0, 2_000
"""Seconds, and about so many rows (a second's work) that are deleted in the midst of a run."""


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


def open_results(
    config: Config, name: str, template: Template, clock: Clock, kinds: Kinds
) -> Results:
    """Open the results of a topic, or of a user's own spider. Raises StoreError."""
    return Results.open(
        config.results or config.data_dir / f"{name}.db",
        name,
        kinds=kinds,
        clock=clock,
        timezone=str(template.topic.timezone),
        text=template.output.text,
        history=template.output.history,
        text_index=config.text_index,
        synchronous=config.synchronous,
        records={
            name: [field.name for field in record.fields]
            for name, record in template.named(RecordTable).items()
        },
    )


def run_start(run_id: str, template: Template) -> RunStart:
    """Return what is known of a run when it begins."""
    return RunStart(
        run_id=run_id,
        template=json.dumps(template.resolved, ensure_ascii=False, sort_keys=True),
        versions={
            "focuscrawl": __version__,
            "scrapy": scrapy.__version__,
            "python": platform.python_version(),
        },
        job=os.environ.get("SCRAPY_JOB") or os.environ.get("SHUB_JOBKEY") or "",
        worker=f"{socket.gethostname()}:{os.getpid()}",
    )


class OldRows:
    """Deletes a little every hour, since a run that stays has no end, and the rest at the end."""

    def __init__(
        self, template: Template, commits: Commits, clock: Clock, counters: Counter[str]
    ) -> None:
        self._keep = template.output.keep
        self._commits = commits
        self._clock = clock
        self._counters = counters
        self._last = clock.wall()

    def meanwhile(self) -> None:
        """Delete some, when it is time."""
        now, commits = self._clock.wall(), self._commits
        if now - self._last < FORGET_EVERY or commits.broken or commits.results is None:
            return
        self._last = now
        try:
            self.forget(commits.results, MOST_MEANWHILE)
        except StoreError as error:
            commits.break_off(error)

    def forget(self, results: Results, most: int = MOST_AT_ONCE) -> None:
        """Delete about so many rows. Raises StoreError."""
        if self._keep == inf:
            return
        deleted = results.forget_old(self._keep, most)
        if deleted:
            rows = ", ".join(f"{count} {table}" for table, count in deleted.most_common())
            logger.info("output.keep: deleted what was last seen longer ago: %s", rows)
            self._counters["deleted"] += deleted.total()
