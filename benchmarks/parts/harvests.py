"""The harvest of one run, read from the results: relevant pages over pages fetched.

A page counts for the run in which it was fetched for the first time; visits of known pages are no harvest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from focuscrawl.stores.results.kinds.last_run import runs_of
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.kinds.runs import CRAWL_RUNS

NOT_SAID = "-"
_RUNS_NAMED = 5  # of those there are, where a run is not found


class NoSuchRun(LookupError):
    """There is no such run, or more than one; the message says what there is."""


@dataclass(frozen=True, slots=True)
class Harvest:
    """A run: ``relevant[n]`` of its first n + 1 pages are relevant; ``name`` is what it is called here.

    ``started`` is in seconds since 1970, ``seconds`` how long it took (None: it goes on, or crashed).
    ``seed`` is that of its random draws, ``order`` what explore.order said; both NOT_SAID of an old version.
    """

    name: str
    topic: str
    run_id: str
    started: float
    seconds: float | None
    seed: str
    order: str
    relevant: Sequence[int]

    @property
    def pages(self) -> int:
        """Pages that were fetched for the first time."""
        return len(self.relevant)

    def at(self, pages: int) -> int:
        """Return how many of the first pages were relevant."""
        return self.relevant[min(pages, self.pages) - 1] if pages and self.relevant else 0

    def share(self, pages: int) -> float:
        """Return the harvest rate of the first pages, 0 to 1."""
        return self.at(pages) / min(pages, self.pages) if pages and self.relevant else 0.0


def read_harvest(connection: Connection, name: str, topic: str = "", run: str = "") -> Harvest:
    """Read a run: the one whose id begins with ``run``, else the last one of a topic.

    Without a ``topic`` the results must be of one alone. Raises NoSuchRun.
    """
    topic = topic or _only_topic(connection, name)
    row = _run(connection, name, topic, run)
    began, ended = row["started"], row["ended"]
    resolved = _plain(row["template"])
    return Harvest(
        name=name,
        topic=topic,
        run_id=row["run_id"],
        started=began,
        seconds=ended - began if ended else None,
        seed=str(_plain(row["versions"]).get("seed", NOT_SAID)),
        order=str((resolved.get("explore") or {}).get("order", NOT_SAID)),
        relevant=_curve(connection, topic, row),
    )


def _only_topic(connection: Connection, name: str) -> str:
    topics = sorted(connection.scalars(select(CRAWL_RUNS.c.topic).distinct()))
    if len(topics) != 1:
        told = "{name}: there are no run at all"
        if topics:
            told = "{name}: there are topics {topics}: name one, as in NAME"
        raise NoSuchRun(told.format(name=name, topics=", ".join(topics)))
    return str(topics[0])


def _run(connection: Connection, name: str, topic: str, run: str) -> RowMapping:
    rows = connection.execute(runs_of(topic)).mappings().all()
    found = [row for row in rows if row["run_id"].startswith(run)]
    if not run and found:
        return found[0]
    if len(found) == 1:
        return found[0]
    there = ", ".join(row["run_id"] for row in reversed(rows[:_RUNS_NAMED])) or "none"
    told = "{name}: no run begins with {run!r}; the last ones of {topic}: {there}"
    if found:
        told = "{name}: several runs begin with {run!r}; the last ones of {topic}: {there}"
    raise NoSuchRun(told.format(name=name, run=run, topic=topic, there=there))


def _curve(connection: Connection, topic: str, run: RowMapping) -> Sequence[int]:
    first = PAGES.c.first_fetched
    fetched = (
        select(PAGES.c.relevant)
        .where(PAGES.c.topic == topic, PAGES.c.status > 0, first >= run["started"])
        .order_by(first, PAGES.c.url_key)
    )
    if run["ended"]:
        fetched = fetched.where(first <= run["ended"])
    else:  # it may go on, or have crashed: then until the next one began
        following = select(CRAWL_RUNS.c.started).where(
            CRAWL_RUNS.c.topic == topic, CRAWL_RUNS.c.started > run["started"]
        )
        later = connection.scalar(following.order_by(CRAWL_RUNS.c.started).limit(1))
        fetched = fetched.where(first < later) if later else fetched
    return tuple(accumulate(int(bool(one)) for one in connection.scalars(fetched)))


def _plain(value: Any) -> dict[str, Any]:
    """Return a column of JSON as a table; {} where there is none."""
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
