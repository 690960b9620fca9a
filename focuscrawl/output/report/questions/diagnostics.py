"""What to look after: what needs the user, sites and their bans, visits and what they were expected to find, fields of
records, errors."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, literal_column, select, text

from focuscrawl.output.report.contents import (
    Anchor,
    Bar,
    BarChart,
    Cell,
    Cells,
    Chapter,
    Listing,
    Moment,
    Share,
    Span,
    Term,
)
from focuscrawl.output.report.forms.words import advise_on, cause_of
from focuscrawl.output.report.questions.inquiry import (
    ERROR_SHOWN,
    NAME_SHOWN,
    REASON_SHOWN,
    Inquiry,
    shorten,
    title_link,
)
from focuscrawl.output.summary.advice import empty_reasons, findings_of
from focuscrawl.values import EXPECTED_CHANGES, FOUND_CHANGES, VISITS_MADE, Json

if TYPE_CHECKING:
    from sqlalchemy import Select

    from focuscrawl.stores.results.kinds.last_run import LastRun

EVIDENCE_NAMED = 3
"""Pages that are named for a ban: it rests on more, and three are looked at."""

MOST_INTERVALS = 2_000
"""Pages of a class from whose intervals the median is taken."""

MOST_REASONS, REASONS_DRAWN = 50, 10
"""Reasons of errors that are counted, and that have a bar: there are some ten in a bad run."""

TROUBLE = ("banned", "blocked", "unreachable")
"""States of sites in trouble, which are listed with why."""

FIELDS = {
    "sqlite": "SELECT record_type, one.key, count(*) FROM records, json_each(data) one"
    " WHERE topic = :topic AND one.value IS NOT NULL GROUP BY 1, 2",
    "postgresql": "SELECT record_type, one.key, count(*) FROM records, jsonb_each(data) one"
    " WHERE topic = :topic AND one.value <> 'null'::jsonb GROUP BY 1, 2",
}
"""Counts how many records have each field, by the database."""


def sites_of(inquiry: Inquiry) -> Chapter:
    """Return the sites, those in trouble with what speaks for it."""
    if not inquiry.has("sites"):
        return Chapter("sites")
    sites = inquiry.table("sites")
    of_topic = select(sites).where(sites.c.topic == inquiry.topic)
    every = inquiry.listing(
        "sites",
        ("site", "state", "articles", "relevant", "errors", "delay", "last_ok"),
        of_topic.order_by(sites.c.articles.desc(), sites.c.relevant.desc(), sites.c.host),
        _site,
    )
    trouble = inquiry.listing(
        "sites_trouble",
        ("site", "state", "until", "why"),
        of_topic.where(sites.c.state.in_(TROUBLE)).order_by(sites.c.state, sites.c.host),
        _trouble,
    )
    by_state = (
        select(sites.c.state, func.count())
        .where(sites.c.topic == inquiry.topic)
        .group_by(sites.c.state)
    )
    counts = sorted(inquiry.all_rows(by_state), key=lambda one: -one[1])
    bars = [Bar(Term("site", state), (("sites", float(n)),), n) for state, n in counts]
    return Chapter("sites", [every, trouble], [BarChart("sites", bars, "sites")] if bars else [])


def _site(site: Any) -> tuple[Cell, ...]:
    delay = None if site.delay_s is None else Span(site.delay_s)
    return (
        Anchor(f"http://{site.host}/", site.host),
        Term("site", site.state),
        *(site.articles, site.relevant, site.errors),
        delay,
        None if site.last_ok is None else Moment(site.last_ok),
    )


def _trouble(site: Any) -> tuple[Cell, ...]:
    evidence: Json = site.evidence if isinstance(site.evidence, dict) else {}
    said: list[Cell] = []
    if why := evidence.get("why"):
        said.append(Term("ban", str(why)))
    if pages := evidence.get("pages"):
        said.append(Share(int(site.relevant or 0), int(pages)))
    said += [
        title_link(str(url), None) for url in (evidence.get("irrelevant") or ())[:EVIDENCE_NAMED]
    ]
    if site.last_error:
        said.append(shorten(site.last_error, ERROR_SHOWN))
    until = Moment(site.until) if site.until is not None else None
    return (
        Anchor(f"http://{site.host}/", site.host),
        Term("site", site.state),
        until,
        Cells(tuple(said)),
    )


# Visits -----------------------------------------------------------------------------------------


def visits_chapter(inquiry: Inquiry, run: LastRun) -> Chapter:
    """Return how often pages of each class are visited, and expected against found changes."""
    columns = ("class", "watched", "interval", "due", "visited", "expected", "changed")
    if not inquiry.has("pages") or not inquiry.is_asked("visits"):
        return Chapter("visits")
    pages = inquiry.table("pages")
    watched = (
        select(pages.c.page_class, func.count())
        .where(pages.c.topic == inquiry.topic, pages.c.next_visit.is_not(None))
        .group_by(pages.c.page_class)
    )
    due = _by_class(inquiry, watched.where(pages.c.next_visit <= inquiry.now))
    found = _by_class(inquiry, watched)
    counted = {name: _counted(run, name) for name in (VISITS_MADE, EXPECTED_CHANGES, FOUND_CHANGES)}
    classes = sorted({*found, *counted[VISITS_MADE]}, key=lambda one: -found.get(one, 0))
    rows: list[tuple[Cell, ...]] = [
        (
            Term("class", one),
            found.get(one, 0),
            _interval(inquiry, one),
            due.get(one, 0),
            *(
                round(counted[name].get(one, 0))
                for name in (VISITS_MADE, EXPECTED_CHANGES, FOUND_CHANGES)
            ),
        )
        for one in classes
    ]
    bars = [
        Bar(Term("class", one), tuple((name, float(counts.get(one, 0))) for name, counts in (
            ("expected", counted[EXPECTED_CHANGES]), ("changed", counted[FOUND_CHANGES])
        )))
        for one in classes
        if counted[VISITS_MADE].get(one)
    ]  # fmt: skip
    total = sum(found.values())
    listing = Listing("visits", len(rows), columns, rows, number=total)
    return Chapter("visits", [listing], [BarChart("visits", bars, "visit")] if bars else [])


def _by_class(inquiry: Inquiry, query: Select[Any]) -> dict[str, int]:
    return {name: int(number) for name, number in inquiry.all_rows(query)}


def _counted(run: LastRun, begin: str) -> dict[str, float]:
    return {
        name.removeprefix(begin): float(value)
        for name, value in run.counters.items()
        if name.startswith(begin)
    }


def _interval(inquiry: Inquiry, page_class: str) -> Span | None:
    """Return the median of how long pages of a class wait from visit to visit, by some of them."""
    pages = inquiry.table("pages")
    query = (
        select(pages.c.next_visit, pages.c.last_fetched)
        .where(
            pages.c.topic == inquiry.topic,
            pages.c.page_class == page_class,
            pages.c.next_visit.is_not(None),
            pages.c.last_fetched.is_not(None),
        )
        .limit(MOST_INTERVALS)
    )
    waits = [row.next_visit - row.last_fetched for row in inquiry.all_rows(query)]
    return Span(median(waits)) if waits else None


# Records ----------------------------------------------------------------------------------------


def fields_of(inquiry: Inquiry) -> Chapter:
    """Return which fields were found of each kind of record, and the records that miss required ones."""
    if not inquiry.has("records"):
        return Chapter("fields")
    records = inquiry.table("records")
    by_kind = (
        select(records.c.record_type, func.count())
        .where(records.c.topic == inquiry.topic)
        .group_by(records.c.record_type)
    )
    totals = {kind: int(number) for kind, number in inquiry.all_rows(by_kind)}
    if not totals:
        return Chapter("fields")
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    if question := FIELDS.get(inquiry.connection.dialect.name):
        for kind, name, number in inquiry.connection.execute(
            text(question), {"topic": inquiry.topic}
        ):
            found[kind][name] += number
    rows: list[tuple[Cell, ...]] = [
        (kind, shorten(name, NAME_SHOWN), Share(number, totals[kind]))
        for kind in totals
        for name, number in found[kind].most_common()
    ]
    listings = []
    if inquiry.is_asked("fields"):
        told = Listing(
            "fields", len(rows), ("type", "field", "found"), rows, number=sum(totals.values())
        )
        listings.append(told)
    listings.append(_incomplete(inquiry))
    bars = [
        Bar(f"{kind} · {name}" if len(totals) > 1 else name, (("found", float(share.part)), ("missing", float(share.whole - share.part))))
        for kind, name, share in rows[:MOST_REASONS // 2]
        if isinstance(share, Share)
    ]  # fmt: skip
    return Chapter("fields", listings, [BarChart("fields", bars, "field")] if bars else [])


def _incomplete(inquiry: Inquiry) -> Listing:
    records = inquiry.table("records")
    query = (
        select(records.c.record_type, records.c.url, records.c.host, records.c.missing)
        .where(records.c.topic == inquiry.topic, records.c.complete.is_(False))
        .order_by(records.c.found.desc(), records.c.record_id)
    )

    def row(record: Any) -> tuple[Cell, ...]:
        missing = tuple(shorten(name, NAME_SHOWN) for name in record.missing or ())
        return record.record_type, Cells(missing), title_link(record.url, None)

    return inquiry.listing("incomplete", ("type", "missing", "page"), query, row)


# What went wrong --------------------------------------------------------------------------------


def reasons_of(inquiry: Inquiry, run: LastRun) -> Chapter:
    """Return why a topic for which nothing was ever found has none, as the summary of its last run says it."""
    rows = [(reason,) for reason in empty_reasons(run.counters)]
    if not rows or not inquiry.is_asked("reasons"):
        return Chapter("reasons")
    return Chapter("reasons", [Listing("reasons", len(rows), ("why",), rows, is_first=True)])


def needs_of(inquiry: Inquiry, run: LastRun) -> Chapter:
    """Return what of the last run needs the topic's user, as in its summary."""
    columns = ("kind", "page", "why", "advice")
    rows: list[tuple[Cell, ...]] = [
        (
            Term("needs", found.kind),
            Cells(
                tuple(title_link(url, None) for url in found.examples),
                max(0, found.number - len(found.examples)) if found.examples else 0,
            ),
            Share(found.number, found.of)
            if found.kind == "mentions"
            else Term("reason", shorten(cause_of(found), ERROR_SHOWN)),
            Term("advice", advise_on(found)),
        )
        for found in findings_of(run.counters)
    ]
    if not inquiry.is_asked("needs"):
        return Chapter("needs")
    listing = Listing("needs", len(rows), columns, rows, is_first=True)
    return Chapter("needs", [listing] if rows else [])


def errors_of(inquiry: Inquiry) -> Chapter:
    """Return the pages whose fetch failed, by reason, the latest of them, and what robots.txt and rules refused."""
    if not inquiry.has("pages"):
        return Chapter("errors")
    pages = inquiry.table("pages")
    failed = (pages.c.topic == inquiry.topic, pages.c.outcome == "error")
    reasons = (
        select(pages.c.reason, func.count().label("number"))
        .where(*failed)
        .group_by(pages.c.reason)
        .order_by(literal_column("number").desc())
        .limit(MOST_REASONS)
    )
    counts = [(reason or "", int(number)) for reason, number in inquiry.all_rows(reasons)]
    bars = [
        Bar(Term("reason", shorten(reason, REASON_SHOWN)), (("errors", float(number)),), number)
        for reason, number in counts[:REASONS_DRAWN]
    ]
    query = (
        select(pages.c.last_fetched, pages.c.status, pages.c.reason, pages.c.url)
        .where(*failed)
        .order_by(pages.c.last_fetched.desc(), pages.c.url_key)
    )

    def row(page: Any) -> tuple[Cell, ...]:
        return (
            None if page.last_fetched is None else Moment(page.last_fetched),
            page.status or None,
            Term("reason", shorten(page.reason or "", REASON_SHOWN)),
            title_link(page.url, None),
        )

    listing = inquiry.listing("errors", ("last_ok", "status", "reason", "page"), query, row)
    return Chapter(
        "errors",
        [listing] if listing.total else [],
        [BarChart("errors", bars, "error")] if bars else [],
    )
