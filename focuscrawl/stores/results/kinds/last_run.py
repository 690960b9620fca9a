"""The last run of a topic, as the results have it: how the topic is doing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select

from focuscrawl.stores.results.database import missing_file, results_to_read
from focuscrawl.stores.results.kinds.runs import CRAWL_RUNS, SILENCE
from focuscrawl.stores.results.stored_tables import StoredTables

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection, Select

_MOST_WORKERS = 30
"""Runs before the last that are looked at: of those that overlap it, each is another worker's."""

COUNTED = ("pages", "requests", "bytes", "errors", "articles_new", "articles_changed", "records_new", "gone")  # fmt: skip

CUT_OFF_REASONS = frozenset({"shutdown", "crashed"})


class LastRun(NamedTuple):
    """The last run of a topic; of several workers all runs that overlap are one. Times are wall time.

    ``state`` is its end reason, or "running", "crashed", "never". ``ended``: None, it has no end, or it is
    unknown; ``sign`` is its last sign of life, else its end. ``news_since`` is when it began, or the first of
    those that were killed right before it: no report has what they found. ``counts`` are those of its row,
    ``counters`` those without a column.
    """

    state: str
    started: float = 0.0
    ended: float | None = None
    sign: float = 0.0
    detail: str = ""
    exit_code: int | None = None
    counts: Mapping[str, int] = {}
    counters: Mapping[str, Any] = {}
    workers: int = 0
    news_since: float = 0.0

    @property
    def has_begun(self) -> bool:
        """Whether there was any."""
        return self.state != "never"

    @property
    def seconds(self) -> float:
        """How long it took, so far."""
        return max(0.0, self.sign - self.started)

    @property
    def was_cut_off(self) -> bool:
        """Whether it did not end by itself, as far as its row says."""
        return self.ended is None or self.state in CUT_OFF_REASONS


NEVER = LastRun("never")


def runs_of(topic: str) -> Select[Any]:
    """Return the question for all runs of a topic, the last one first."""
    return (
        select(CRAWL_RUNS).where(CRAWL_RUNS.c.topic == topic).order_by(CRAWL_RUNS.c.started.desc())
    )


def last_run_of(connection: Connection, topic: str, now: float) -> LastRun:
    """Return the last run of a topic, with what all its workers have done together; NEVER: there is none."""
    if not StoredTables(connection, {CRAWL_RUNS.name: CRAWL_RUNS}).has(CRAWL_RUNS.name):
        return NEVER
    found = connection.execute(runs_of(topic).limit(_MOST_WORKERS)).all()
    if not found:
        return NEVER
    together = [found[0]]
    for row in found[1:]:  # another worker of the same crawl ended after this one began
        begun = min(one.started for one in together)
        if found[0].worker and row.worker != found[0].worker and last_sign(row) >= begun:
            together.append(row)
    begun = news_since = min(one.started for one in together)
    for row in found:
        if row.started < begun and row.ended is not None:
            break
        news_since = min(news_since, row.started)
    alive = [one for one in together if one.ended is None and one.end_reason is None]
    latest = max(together, key=last_sign)
    goes_on = any(now - last_sign(one) < SILENCE for one in alive)
    counts, counters = _summed(together)
    return LastRun(
        state="running" if goes_on else latest.end_reason or "crashed",
        started=begun,
        news_since=news_since,
        ended=None if goes_on else latest.ended,
        sign=last_sign(latest),
        detail=latest.end_detail or "",
        exit_code=latest.exit_code,
        counts=counts,
        counters=counters,
        workers=len(together),
    )


def last_run_in(place: str | Path, topic: str, now: float) -> LastRun:
    """Return the same of results, which it opens to read; NEVER: there are none yet. Raises ResultsError."""
    if missing_file(place):
        return NEVER
    with results_to_read(place) as connection:
        return last_run_of(connection, topic, now)


def last_sign(run: Any) -> float:
    """Return the time of the last sign of life in the row of a run."""
    return float(run.ended or run.heartbeat or run.started)


def _summed(runs: list[Any]) -> tuple[Counter[str], dict[str, Any]]:
    """Return counts and counters of some runs together; lists are joined."""
    counts: Counter[str] = Counter()
    counters: defaultdict[str, Any] = defaultdict(int)
    for one in runs:
        counts.update({name: getattr(one, name) or 0 for name in COUNTED})
        for name, value in (one.counters or {}).items():
            if isinstance(value, list):
                counters[name] = [*(counters[name] or ()), *value]
            elif isinstance(value, int | float):
                counters[name] += value
    return counts, dict(counters)
