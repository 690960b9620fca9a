"""What a crawl says of itself: its runs and their numbers by minute, its sites, and what people say of pages."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Index, and_, delete, extract, func, insert, select, true, update

from focuscrawl.stores.results.columns import (
    JSON_COLUMN,
    KEY_COLUMN,
    LARGE_COUNT,
    SMALL_COUNT,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.stores.results.kind import RowContext, RowKind, RowValues, row_by_names
from focuscrawl.stores.results.schema import LOCAL, View, views
from focuscrawl.stores.results.upsert import last
from focuscrawl.values import Json

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from focuscrawl.stores.results.upsert import Upsert


CRAWL_RUNS = table(
    "crawl_runs",
    key_column(
        "run_id", LineColumn(40), "When it began, and six random digits: 20261120T013000-a1b2c3."
    ),
    may("job", LineColumn(80), "The job of scrapyd or of a cloud that it was; empty: none."),
    may("worker", LineColumn(120), "The host and process that ran it."),
    must("started", Time, "When it began.", "UTC"),
    may("heartbeat", Time, "Its last sign of life, one a minute and at each commit.", "UTC"),
    may("ended", Time, "When it ended; empty, with an old sign of life: it crashed.", "UTC"),
    may(
        "end_reason",
        LineColumn(40),
        "Why, in a word: finished, nothing_due, limit_pages, shutdown, empty …",
    ),
    may("end_detail", TextColumn, "Why, in a sentence."),
    may("exit_code", SMALL_COUNT, "What its process returned."),
    must("template_hash", KEY_COLUMN, "MD5 of its template."),
    must("template", TextColumn, "Its template with all keys, secrets as env:NAME."),
    must("versions", JSON_COLUMN, "The versions of focuscrawl, Scrapy and Python."),
    may("requests", SMALL_COUNT, "Its requests.", "requests"),
    may("pages", SMALL_COUNT, "Answers that were pages.", "pages"),
    may("articles_new", SMALL_COUNT, "Articles that were stored first.", "articles"),
    may("articles_changed", SMALL_COUNT, "Articles that had another text.", "articles"),
    may("records_new", SMALL_COUNT, "Records that were stored first.", "records"),
    may("gone", SMALL_COUNT, "Pages that it found gone.", "pages"),
    may("duplicates", SMALL_COUNT, "Articles like an earlier one: copies and events.", "articles"),
    may("errors", SMALL_COUNT, "Fetches that failed.", "requests"),
    may("bytes", LARGE_COUNT, "What it received.", "bytes"),
    may("commits", SMALL_COUNT, "How often it has written here.", "commits"),
    may("found", SMALL_COUNT, "Rows that were new to these tables by its last commit.", "rows"),
    may(
        "counters",
        JSON_COLUMN,
        "All other counters, e.g. refused/allow; visits_made/CLASS, visits_expected/CLASS and visits_changed/CLASS count visits, changes they should have found, and found; unrecognised lists what was not made out, with examples.",
    ),
    Index("runs_started", "topic", "started"),
    about="One row per run (spider open to close). A row with no `ended` and an old `heartbeat` is a crash.",
)

SERIES = table(
    "series",
    key_column("minute", Time, "The minute, older than 14 days the hour.", "UTC"),
    key_column("name", LineColumn(40), "What is counted: pages, relevant, waiting, due …"),
    key_column("worker", LineColumn(120), "Whose number it is; empty where there is one process."),
    must("value", Figure, "The number."),
    about="Numbers by minute for charts (14 days, then by hour): each worker's own; series_total adds them up.",
)

SILENCE = 300.0  # seconds without a heartbeat after which a run of another worker counts as crashed

_MINUTE, _HOUR, SECONDS_OF_DAY = 60, 3600, 86400
KEPT_BY_MINUTE = 14 * SECONDS_OF_DAY
MINUTE_IN_TEXT = 15  # where the minutes stand in ``2026-11-20T01:30:00.000Z``, counted from 1


@dataclass(frozen=True, slots=True)
class RunStart:
    """What is known of a run when it begins. ``template`` names secrets as env:NAME only."""

    run_id: str
    template: str
    versions: Json
    job: str = ""
    worker: str = ""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run's counters so far; ``counters`` are those without a column, e.g. ``refused/allow``."""

    requests: int = 0
    pages: int = 0
    articles_new: int = 0
    articles_changed: int = 0
    records_new: int = 0
    gone: int = 0
    duplicates: int = 0
    errors: int = 0
    bytes: int = 0
    counters: Json = field(default_factory=dict)


class End(NamedTuple):
    """When and why a run ended, by the columns of its row."""

    ended: float
    end_reason: str
    end_detail: str
    exit_code: int


def begin(connection: Connection, topic: str, run: RunStart, now: float, *, alone: bool) -> None:
    """Write the row of a run that begins, and which earlier ones have crashed."""
    call_crashed(connection, topic, run.run_id, silent_since=None if alone else now - SILENCE)
    if not has_run(
        connection, topic, run.run_id
    ):  # the connection may be lost just as it is written
        connection.execute(insert(CRAWL_RUNS).values(_first_values(topic, run, now)))


def call_crashed(
    connection: Connection, topic: str, run_id: str | None, *, silent_since: float | None
) -> None:
    """Call other runs crashed that have no end and gave no sign since then; None: all of them."""
    sign = func.coalesce(CRAWL_RUNS.c.heartbeat, CRAWL_RUNS.c.started)
    others = and_(
        CRAWL_RUNS.c.topic == topic,
        CRAWL_RUNS.c.run_id != run_id,
        CRAWL_RUNS.c.ended.is_(None),
        CRAWL_RUNS.c.end_reason.is_(None),
        true() if silent_since is None else sign < silent_since,
    )
    detail = f"Gave no sign of life any more; the run {run_id} went on from there."
    crashed = update(CRAWL_RUNS).where(others)
    connection.execute(crashed.values(end_reason="crashed", end_detail=detail))


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
    """Write that a run is alive, and its counters when they are given.

    One that was called crashed, since it gave no sign for long, was not.
    """
    values: dict[str, object] = {"heartbeat": now, "end_reason": None, "end_detail": None}
    if run is not None:
        values |= asdict(run)
    connection.execute(update(CRAWL_RUNS).where(_this_run(topic, run_id)).values(values))


class CommitMark(NamedTuple):
    """How far the results of a run have come: its commits, the new rows in them, and when the last one was made."""

    commits: int = 0
    found: int = 0
    at: float | None = None


def mark_commit(
    connection: Connection, topic: str, run_id: str | None, mark: CommitMark, now: float
) -> None:
    """Number a commit, within it: a crawl file that knows a larger number has lost results."""
    values = {"commits": mark.commits, "found": mark.found, "heartbeat": now}
    connection.execute(update(CRAWL_RUNS).where(_this_run(topic, run_id)).values(values))


def commit_marks(connection: Connection, topic: str) -> dict[str, CommitMark]:
    """Return how far the results have come, by run."""
    runs = CRAWL_RUNS.c
    rows = connection.execute(
        select(runs.run_id, runs.commits, runs.found, runs.heartbeat).where(runs.topic == topic)
    )
    return {
        run_id: CommitMark(commits or 0, found or 0, heartbeat)
        for run_id, commits, found, heartbeat in rows
    }


def call_gone(connection: Connection, topic: str, worker: str) -> None:
    """Call the run of another process, by its name in logs, crashed: from now on ``was_called_gone`` says so.

    One that stands still while it writes is left out: the caller is not to wait until it goes on.
    """
    runs = CRAWL_RUNS.c
    this = and_(runs.topic == topic, runs.worker == worker, runs.ended.is_(None))
    free = connection.scalars(select(runs.run_id).where(this).with_for_update(skip_locked=True))
    detail = "Was taken for gone: other workers went on from there."
    called = update(CRAWL_RUNS).where(runs.topic == topic, runs.run_id.in_([*free]))
    connection.execute(called.values(end_reason="crashed", end_detail=detail))


def was_called_gone(connection: Connection, topic: str, run_id: str | None) -> bool:
    """Whether a run was called crashed; no other process calls it so before this transaction is over."""
    query = select(CRAWL_RUNS.c.end_reason).where(_this_run(topic, run_id)).with_for_update()
    return connection.execute(query).scalar() == "crashed"


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
        **asdict(RunRow()),
    }


def _this_run(topic: str, run_id: str | None) -> ColumnElement[bool]:
    if run_id is None:
        raise RuntimeError("begin_run comes before heartbeat, end_run and a batch with a run")
    return and_(CRAWL_RUNS.c.topic == topic, CRAWL_RUNS.c.run_id == run_id)


def new_run_id(started: float, random_bits: int) -> str:
    """Return ``20261120T013000-a1b2c3`` for a start time and 24 random bits."""
    moment = datetime.fromtimestamp(started, UTC)
    return f"{moment:%Y%m%dT%H%M%S}-{random_bits & 0xFFFFFF:06x}"


# Numbers by minute ------------------------------------------------------------------------------


def minute_of(moment: float) -> float:
    """Return the beginning of the minute."""
    return float(moment // _MINUTE * _MINUTE)


def thin_series(connection: Connection, topic: str, now: float, series: Upsert) -> int:
    """Replace the minutes of all hours older than 14 days by their mean; return how many went.

    It is the mean of the sum over all workers, for a worker that came or went has no number at other
    minutes. Harmless when repeated: an hour that has one row at its beginning stays as it is.
    """
    end = (now - KEPT_BY_MINUTE) // _HOUR * _HOUR
    old = and_(SERIES.c.topic == topic, SERIES.c.minute < end)
    within = and_(old, _inside_an_hour(connection.dialect.name))
    first = connection.scalar(select(func.min(SERIES.c.minute)).where(within))
    if first is None:
        return 0
    span = and_(old, SERIES.c.minute >= first // _HOUR * _HOUR)
    found = connection.execute(
        select(SERIES.c.name, SERIES.c.minute, func.sum(SERIES.c.value).label("value"))
        .where(span)
        .group_by(SERIES.c.name, SERIES.c.minute)
        .order_by(SERIES.c.name, SERIES.c.minute)
    ).all()
    means = []
    for (name, hour), rows in groupby(found, lambda row: (row.name, row.minute // _HOUR * _HOUR)):
        values = [row.value for row in rows]
        mean = sum(values) / len(values)
        key = {"topic": topic, "minute": hour, "name": name, "worker": ""}
        means.append({**key, "value": mean})
    gone = connection.execute(delete(SERIES).where(span)).rowcount
    series.write(connection, means)
    return gone - len(means)


def _inside_an_hour(dialect: str) -> ColumnElement[bool]:
    if dialect == "postgresql":
        return extract("minute", SERIES.c.minute) != 0
    return func.substr(SERIES.c.minute, MINUTE_IN_TEXT, 2) != "00"


class MinuteFigure(NamedTuple):
    """A number at a moment, which is cut to its minute; ``worker`` is "" where there is one alone."""

    moment: float
    name: str
    value: float
    worker: str = ""


def _series_row(figure: MinuteFigure, context: RowContext) -> RowValues:
    """Return the row of a number."""
    moment, *rest = figure
    named = zip(("name", "value", "worker"), rest, strict=True)
    return {"topic": context.topic, "minute": minute_of(moment), **dict(named)}


SERIES_TOTAL = """
SELECT topic, {local:minute} AS time, name, sum(value) AS value, count(*) AS workers
FROM series
GROUP BY topic, minute, name
"""


RUN_ROWS = RowKind(CRAWL_RUNS)

SERIES_ROWS = RowKind(
    SERIES,
    _series_row,
    views=views(
        series_total=View(
            SERIES_TOTAL,
            "Numbers by minute, added up over all workers.",
            {
                "topic": ("The name of the topic.", ""),
                "time": ("The minute, older than 14 days the hour.", LOCAL),
                "name": ("What is counted.", ""),
                "value": ("The number of all workers together.", ""),
                "workers": ("Whose numbers these are.", "workers"),
            },
        )
    ),
)


# Sites and labels ------------------------------------------------------------------------------

SITES = table(
    "sites",
    key_column("host", LineColumn(255), "The host."),
    must(
        "state",
        LineColumn(12),
        "What it is to the topic: source, trusted, unknown, relevant, banned, blocked, unreachable.",
    ),
    may("evidence", JSON_COLUMN, "Why it is banned."),
    may("until", Time, "When its ban ends.", "UTC"),
    may("pages", SMALL_COUNT, "Pages fetched there.", "pages"),
    may("relevant", SMALL_COUNT, "Relevant ones among them.", "pages"),
    may("articles", SMALL_COUNT, "Articles stored from there.", "articles"),
    may("errors", SMALL_COUNT, "Fetches that failed there.", "requests"),
    may("delay_s", Figure, "The pause between two requests to it.", "seconds"),
    may(
        "delay_from",
        LineColumn(16),
        "Who asks for that pause: template, site, robots, retry-after.",
    ),
    may("last_ok", Time, "When it answered last.", "UTC"),
    may("last_error", LineColumn(200), "What went wrong last."),
    may("updated", Time, "When this row was written.", "UTC"),
    about="What is known of each site.",
)

LABELS = table(
    "labels",
    key_column(
        "target", LineColumn(16), "What it is said of: page, article, record, story, site, pattern."
    ),
    key_column("target_key", LineColumn(255), "The key of that."),
    must(
        "label", LineColumn(16), "What is said: relevant, irrelevant, right, wrong, read, starred …"
    ),
    may("note", TextColumn, "A note."),
    may("who", LineColumn(80), "Who said it."),
    must("at", Time, "When.", "UTC"),
    about="Judgements and notes by people; input for training.",
)

SITE_HEALTH = """
SELECT topic, host, state, {local:last_ok} AS last_ok,
       round(CAST(100.0 * coalesce(errors, 0)
             / (CASE WHEN coalesce(pages, 0) + coalesce(errors, 0) = 0 THEN 1
                     ELSE coalesce(pages, 0) + coalesce(errors, 0) END) AS numeric), 1)
           AS error_percent,
       CASE WHEN state = 'banned' THEN {local:until} END AS banned_until, last_error, delay_s
FROM sites
WHERE last_ok IS NULL OR last_ok < {two_days_ago} OR state IN ('banned', 'blocked', 'unreachable')
   OR coalesce(errors, 0) > coalesce(pages, 0)
ORDER BY last_ok
"""


@dataclass(frozen=True, slots=True)
class SiteRow:
    """What is known of a site. Counters are totals; None leaves what is stored."""

    host: str
    state: str = "unknown"
    evidence: Json | None = None
    until: float | None = None
    pages: int | None = None
    relevant: int | None = None
    articles: int | None = None
    errors: int | None = None
    delay_s: float | None = None
    delay_from: str | None = None
    last_ok: float | None = None
    last_error: str | None = None
    updated: float | None = None


_by_names = row_by_names(SITES)


def site_row(site: SiteRow, context: RowContext) -> RowValues:
    """Return the row of a site."""
    return {**_by_names(site, context), "updated": site.updated or context.now}


SITE_ROWS = RowKind(
    SITES,
    site_row,
    item=SiteRow,
    latest=True,
    merge={
        one.name: last(one.name)
        for one in SITES.columns
        if one.name not in {"topic", "host", "state", "until"}
    },
    views=views(
        site_health=View(
            SITE_HEALTH,
            "Sites that have not answered for two days, fail more often than not, or are banned.",
            {
                "topic": ("The name of the topic.", ""),
                "host": ("The host.", ""),
                "state": ("What it is to the topic.", ""),
                "last_ok": ("When it answered last.", LOCAL),
                "error_percent": ("The share of fetches that failed.", "%"),
                "banned_until": ("When its ban ends.", LOCAL),
                "last_error": ("What went wrong last.", ""),
                "delay_s": ("The pause between two requests to it.", "seconds"),
            },
        )
    ),
)

LABEL_ROWS = RowKind(LABELS, address="target_key")
