"""The rows of runs: how one begins, gives signs of life and ends."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, func, insert, select, true, update

from focuscrawl.results.batch import RunRow, run_counters
from focuscrawl.results.schema import CRAWL_RUNS

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from focuscrawl.results.batch import RunStart

SILENCE = 300.0
"""Seconds without a heartbeat after which a run of another worker counts as crashed."""


class End(NamedTuple):
    """When and why a run ended, by the columns of its row."""

    ended: float
    end_reason: str
    end_detail: str
    exit_code: int


def begin(connection: Connection, topic: str, run: RunStart, now: float, *, alone: bool) -> None:
    """Write the row of a run that begins, and which earlier ones have crashed."""
    sign = func.coalesce(CRAWL_RUNS.c.heartbeat, CRAWL_RUNS.c.started)
    earlier = and_(
        CRAWL_RUNS.c.topic == topic,
        CRAWL_RUNS.c.run_id != run.run_id,
        CRAWL_RUNS.c.ended.is_(None),
        CRAWL_RUNS.c.end_reason.is_(None),
        true() if alone else sign < now - SILENCE,
    )
    detail = f"Gave no sign of life any more; the run {run.run_id} went on from there."
    crashed = update(CRAWL_RUNS).where(earlier)
    connection.execute(crashed.values(end_reason="crashed", end_detail=detail))
    connection.execute(insert(CRAWL_RUNS).values(_first_values(topic, run, now)))


def rewrite_templates(connection: Connection, topic: str, rewritten: Callable[[str], str]) -> None:
    """Write the templates of earlier runs anew where a login may stand in an address."""
    this, text = CRAWL_RUNS.c.topic == topic, CRAWL_RUNS.c.template
    rows = connection.execute(select(CRAWL_RUNS.c.run_id, text).where(this, text.like("%://%:%@%")))
    for run_id, template in rows.all():
        if (anew := rewritten(template)) != template:
            connection.execute(
                update(CRAWL_RUNS).where(_this_run(topic, run_id)).values(template=anew)
            )


def beat(
    connection: Connection, topic: str, run_id: str | None, run: RunRow | None, now: float
) -> None:
    """Write that a run is alive, and its counters when they are given."""
    values: dict[str, object] = {"heartbeat": now}
    if run is not None:
        values |= run_counters(run)
    connection.execute(update(CRAWL_RUNS).where(_this_run(topic, run_id)).values(values))


def end(connection: Connection, topic: str, run_id: str | None, ended: End) -> None:
    """Write when and why a run ended."""
    this = update(CRAWL_RUNS).where(_this_run(topic, run_id))
    connection.execute(this.values(ended._asdict()))


def last_run(connection: Connection, topic: str) -> str | None:
    """Return the id of the run that began last; None before the first."""
    query = (
        select(CRAWL_RUNS.c.run_id)
        .where(CRAWL_RUNS.c.topic == topic)
        .order_by(CRAWL_RUNS.c.started.desc())
        .limit(1)
    )
    return connection.execute(query).scalar()


def has_run(connection: Connection, topic: str, run_id: str) -> bool:
    """Return whether a run has its row."""
    query = select(CRAWL_RUNS.c.run_id).where(_this_run(topic, run_id))
    return connection.execute(query).first() is not None


def _first_values(topic: str, run: RunStart, now: float) -> dict[str, object]:
    return {
        "topic": topic,
        "run_id": run.run_id,
        "job": run.job or None,
        "worker": run.worker or None,
        "started": now,
        "heartbeat": now,
        "template_hash": hashlib.md5(run.template.encode()).hexdigest(),
        "template": run.template,
        "versions": run.versions,
        **run_counters(RunRow()),
    }


def _this_run(topic: str, run_id: str | None) -> ColumnElement[bool]:
    if run_id is None:
        raise RuntimeError("begin_run comes before heartbeat, end_run and a batch with a run")
    return and_(CRAWL_RUNS.c.topic == topic, CRAWL_RUNS.c.run_id == run_id)
