"""How the crawl of a topic went: its runs, its harvest over time, its pages by class and outcome, its queues."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from focuscrawl.output.report.contents import (
    Anchor,
    Bar,
    BarChart,
    Cell,
    Cells,
    Chapter,
    Curve,
    LineChart,
    Listing,
    Moment,
    Share,
    Span,
    Term,
)
from focuscrawl.output.report.questions.inquiry import (
    NAME_SHOWN,
    REASON_SHOWN,
    Inquiry,
    shorten,
    title_link,
)
from focuscrawl.output.summary.advice import findings_of
from focuscrawl.output.summary.lines import size_text
from focuscrawl.stores.results.kinds.last_run import LastRun, last_sign, runs_of
from focuscrawl.stores.results.kinds.runs import SECONDS_OF_DAY, minute_of

if TYPE_CHECKING:
    from focuscrawl.stores.state.queues import QueuesSeen

POINTS = 120
"""Points of a line: a chart is some 700 pixels wide."""

MOST_DAYS = 7
"""Days of numbers by minute that are read for a chart; runs have the earlier ones."""

MOST_RUNS = 30
MOST_BARS = 12
"""Bars of a chart: a month of daily runs side by side, and as many below each other as a screen has."""

END_SHOWN = 300
"""Characters of why a run ended: two sentences."""

HARVEST = ("pages", "relevant", "articles")
"""Names of the table series that a chart of the harvest shows."""

COPY_REASONS = frozenset({"copy_of_its_text", "copy_of_the_other_text"})
"""Words that say of which text a copy has a share."""

TOLD_OUTCOMES = ("stored", "unchanged", "list", "irrelevant", "copy", "part", "error")
"""Outcomes that have a colour of their own in the chart of pages: a person tells no more apart."""


def end_cells(run: LastRun) -> list[Cell]:
    """Return in a few cells how the last run ended."""
    if not run.has_begun:
        return [Term("end", "never")]
    said: list[Cell] = [Term("end", run.state)]
    if run.state == "finished" and findings_of(run.counters):
        said = [Term("end", "but_needed")]
    if run.detail:
        said.append(shorten(run.detail, END_SHOWN))
    return [*said, Moment(run.sign)]


# The run and its harvest ------------------------------------------------------------------------


def harvest_of(inquiry: Inquiry, run: LastRun) -> Chapter:
    """Return what the last run brought, what it cost, and all runs since."""
    counts, counters = run.counts, run.counters
    facts: list[tuple[str, Cell]] = []
    if run.has_begun:
        facts = [
            ("started", Moment(run.started)),
            ("lasted", Span(run.seconds)),
            ("requests", counts.get("requests", 0)),
            ("pages", counts.get("pages", 0)),
            ("relevant", Share(int(counters.get("relevant", 0)), counts.get("pages", 0))),
            ("traffic", size_text(counts.get("bytes", 0))),
        ]
        if run.workers > 1:
            facts.append(("workers", run.workers))
    charts = [one for one in (_over_time(inquiry, run), _by_run(inquiry)) if one is not None]
    return Chapter("harvest", [_runs(inquiry)], charts, facts)


def _runs(inquiry: Inquiry) -> Listing:
    columns = ("started", "lasted", "end", "pages", "new", "changed", "gone", "errors", "worker")
    if not inquiry.has("crawl_runs"):
        return Listing("runs", 0, columns, ())

    def row(run: Any) -> tuple[Cell, ...]:
        return (
            Moment(run.started),
            Span(last_sign(run) - run.started),
            Term("ended", run.end_reason or "running"),
            *(run.pages, run.articles_new, run.articles_changed, run.gone, run.errors),
            shorten(run.worker or "", NAME_SHOWN),
        )

    return inquiry.listing("runs", columns, runs_of(inquiry.topic), row)


def _over_time(inquiry: Inquiry, run: LastRun) -> LineChart | None:
    """Return pages, relevant pages and articles since then, added up; runs and workers count from nought."""
    if not inquiry.has("series") or inquiry.only or not run.has_begun:
        return None
    series = inquiry.table("series")
    begin = max(min(inquiry.since, run.started), inquiry.now - MOST_DAYS * SECONDS_OF_DAY)
    worker = inquiry.column("series", "worker")
    query = (
        select(series.c.name, series.c.minute, worker, series.c.value)
        .where(
            series.c.topic == inquiry.topic,
            series.c.minute >= minute_of(begin),
            series.c.name.in_(HARVEST),
        )
        .order_by(series.c.minute)
    )
    gained: dict[str, Counter[float]] = {name: Counter() for name in HARVEST}
    before: dict[tuple[str, str], float] = {}
    for name, minute, by, value in inquiry.all_rows(query):
        last = before.get((name, by or ""), 0.0)
        gained[name][minute] += value - last if value >= last else value
        before[name, by or ""] = value
    lines = [Curve(name, _added(gained[name])) for name in HARVEST]
    return LineChart("harvest", lines) if len(gained["pages"]) > 1 else None


def _added(gained: Mapping[float, float]) -> list[tuple[float, float]]:
    """Return sums over time, at most so many as a chart shows, the last one always."""
    points, total = [], 0.0
    for minute in sorted(gained):
        total += gained[minute]
        points.append((minute, total))
    step = max(1, -(-len(points) // POINTS))
    return points[::-step][::-1]


def _by_run(inquiry: Inquiry) -> BarChart | None:
    if not inquiry.has("crawl_runs") or inquiry.only:
        return None
    bars = [
        Bar(
            Moment(run.started),
            (("new", float(run.articles_new or 0)), ("changed", float(run.articles_changed or 0))),
            run.pages or 0,
        )
        for run in inquiry.all_rows(runs_of(inquiry.topic).limit(MOST_RUNS))
    ]
    return BarChart("runs", bars[::-1], "gain", upright=True) if len(bars) > 1 else None


# Pages ------------------------------------------------------------------------------------------


def pages_of(inquiry: Inquiry) -> Chapter:
    """Return the log book by class and outcome, and the latest pages of each outcome."""
    if not inquiry.has("pages"):
        return Chapter("pages")
    pages = inquiry.table("pages")
    count = func.count().label("number")
    by_both = (
        select(pages.c.outcome, pages.c.page_class, count)
        .where(pages.c.topic == inquiry.topic)
        .group_by(pages.c.outcome, pages.c.page_class)
    )
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    of_class: Counter[str] = Counter()
    for outcome, page_class, number in inquiry.all_rows(by_both):
        found[outcome][page_class] += number
        of_class[page_class] += number
    outcomes = sorted(found, key=lambda one: -found[one].total())
    told = [*(one for one in TOLD_OUTCOMES if one in found)]
    others = [one for one in outcomes if one not in told]
    bars = [
        Bar(
            Term("class", name),
            (
                *((one, float(found[one][name])) for one in told),
                ("others", float(sum(found[one][name] for one in others))),
            ),
            number,
        )
        for name, number in of_class.most_common(MOST_BARS)
    ]
    chart = [BarChart("pages", bars, "outcome")] if bars else []
    listings = [_pages_with(inquiry, one, found[one].total()) for one in outcomes]
    return Chapter("pages", [one for one in listings if one.total], chart)


def _pages_with(inquiry: Inquiry, outcome: str, total: int) -> Listing:
    """Return the latest pages of an outcome; how many there are is known."""
    name, columns = f"pages.{outcome}", ("time", "class", "score", "reason", "title")
    if not inquiry.is_asked(name):
        return Listing("pages", 0, columns, ())
    pages = inquiry.table("pages")
    names = ("last_fetched", "first_seen", "page_class", "score", "reason", "title", "url")
    query = (
        select(*(pages.c[one] for one in names))
        .where(pages.c.topic == inquiry.topic, pages.c.outcome == outcome)
        .order_by(pages.c.last_fetched.desc(), pages.c.url_key)
    )
    rows = [
        (
            Moment(page.last_fetched or page.first_seen),
            Term("class", page.page_class),
            None if page.score is None else round(page.score, 2),
            _reason(page.reason or ""),
            title_link(page.url, page.title),
        )
        for page in inquiry.rows(query)
    ]
    command = inquiry.command(name)
    return Listing("pages", total, columns, rows, command, term=Term("outcome", outcome))


def _reason(reason: str) -> Cell:
    """Return why a page is not in the results; of a copy how much of which text stands in both."""
    share, _of, text = reason.removesuffix(" in both").partition(" of ")
    word = f"copy_of_{text.replace(' ', '_')}"
    if share.endswith("%") and word in COPY_REASONS:
        return Cells((share, Term("reason", word)))
    return Term("reason", shorten(reason, NAME_SHOWN))


# Queues -----------------------------------------------------------------------------------------


def queues_of(inquiry: Inquiry, seen: QueuesSeen | None, levels: int) -> Chapter:
    """Return what waits, by level with its weight, and what was put aside; None: the store cannot be read."""
    now = _latest_figures(inquiry)
    lengths = dict(seen.waiting) if seen is not None else {}
    if not lengths:
        lengths = {level: int(now.get(f"level_{level}_len", 0)) for level in range(1, levels + 1)}
    factor = now.get("factor", 0.0)
    rows: list[tuple[Cell, ...]] = []
    for level in range(levels, 0, -1):
        length = lengths.get(level, 0)
        weight = length / factor ** (levels - level) if factor else None
        rows.append((level, length, None if weight is None else round(weight, 1)))
    bars = [Bar(row[0], (("waiting", float(row[1] or 0)),), row[2]) for row in rows]  # type: ignore[arg-type]
    listings = []
    if inquiry.is_asked("levels"):
        waiting = sum(lengths.values()) if seen is None else seen.total
        listings.append(
            Listing("levels", len(rows), ("level", "waiting", "weight"), rows, number=waiting)
        )
    if seen is not None:
        listings += _aside(inquiry, seen)
    listings.append(_due(inquiry))
    is_empty = not any(lengths.values())
    facts: list[tuple[str, Cell]] = []
    if factor and not is_empty:
        facts = [("factor", round(factor, 2))]
    return Chapter(
        "queues", listings, [] if is_empty else [BarChart("queues", bars, "queue")], facts
    )


def _latest_figures(inquiry: Inquiry) -> dict[str, float]:
    """Return the numbers of the last minute that has any, of all workers together."""
    if not inquiry.has("series"):
        return {}
    series = inquiry.table("series")
    of_topic = series.c.topic == inquiry.topic
    last = inquiry.connection.execute(select(func.max(series.c.minute)).where(of_topic)).scalar()
    if last is None:
        return {}
    query = (
        select(series.c.name, func.sum(series.c.value), func.max(series.c.value))
        .where(of_topic, series.c.minute == last)
        .group_by(series.c.name)
    )
    # The factor is one for all; the others add up.
    return {
        name: float(most if name == "factor" else total)
        for name, total, most in inquiry.all_rows(query)
    }


def _aside(inquiry: Inquiry, seen: QueuesSeen) -> list[Listing]:
    """Return the URLs that failed and those that are parked, and the sites most URLs wait for."""
    found = []
    if inquiry.is_asked("sites_waiting"):
        rows: list[tuple[Cell, ...]] = [(site, number) for site, number in seen.sites]
        found.append(Listing("sites_waiting", seen.site_count, ("site", "waiting"), rows))
    for name, total, some in (
        ("failed", seen.failed, seen.failed_rows),
        ("parked", seen.parked, seen.parked_rows),
    ):
        if inquiry.is_asked(name):
            aside = [
                (
                    Anchor(row.waiting.url, shorten(row.waiting.url)),
                    shorten(row.reason, REASON_SHOWN),
                    row.tries,
                    Term("page", "next_run") if row.next_try is None else Moment(row.next_try),
                )
                for row in some
            ]
            columns = ("page", "reason", "tries", "next")
            command = inquiry.command(name) if total else ""
            found.append(Listing(name, total, columns, aside, command))
    return found


def _due(inquiry: Inquiry) -> Listing:
    """Return the pages whose visit is due, the longest overdue first."""
    columns = ("next", "class", "last", "title")
    if not inquiry.has("pages"):
        return Listing("due", 0, columns, ())
    pages = inquiry.table("pages")
    names = ("next_visit", "page_class", "last_fetched", "title", "url")
    query = (
        select(*(pages.c[one] for one in names))
        .where(pages.c.topic == inquiry.topic, pages.c.next_visit <= inquiry.now)
        .order_by(pages.c.next_visit, pages.c.url_key)
    )

    def row(page: Any) -> tuple[Cell, ...]:
        return (
            Moment(page.next_visit),
            Term("class", page.page_class),
            None if page.last_fetched is None else Moment(page.last_fetched),
            title_link(page.url, page.title),
        )

    return inquiry.listing("due", columns, query, row)
