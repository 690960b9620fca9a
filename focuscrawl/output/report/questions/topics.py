"""The report of topics: each from its own database, and a table of all, with those in trouble first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select

from focuscrawl.output.report.contents import (
    Cell,
    Chapter,
    Listing,
    Moment,
    PagePart,
    ReportDocument,
    Term,
    TopicReport,
)
from focuscrawl.output.report.questions.course import (
    end_cells,
    harvest_of,
    pages_of,
    queues_of,
)
from focuscrawl.output.report.questions.diagnostics import (
    errors_of,
    fields_of,
    needs_of,
    reasons_of,
    sites_of,
    visits_chapter,
)
from focuscrawl.output.report.questions.inquiry import REASON_SHOWN, Inquiry, shorten
from focuscrawl.output.report.questions.news import news_of
from focuscrawl.output.summary.advice import empty_reasons, findings_of

if TYPE_CHECKING:
    from focuscrawl.stores.results.kinds.last_run import LastRun
    from focuscrawl.stores.state.queues import QueuesSeen

LATE = 3600.0
"""Seconds after which a visit that is due is late: each run takes some time for its visits."""

WHY_SHOWN = 200
"""Characters of what is wrong with a topic: its row has two lines on a screen."""

MOST_TOPICS = 200
"""Topics in the table of all."""

READ_FIRST = frozenset({"reasons", "needs", "stories", "articles", "changed"})
"""Listings whose rows are kept longest where many topics share a page."""

USUAL_LEVELS = 5
"""Levels of queues (queues.levels) where no template says how many there are."""

GOOD_ENDS = frozenset({"finished", "nothing_due", "limit_pages", "limit_articles", "limit_time", "outside_hours", "running", "shutdown"})  # fmt: skip


class TopicLine(NamedTuple):
    """A topic in the table of all. ``known`` counts what its last run found and what was there before the topic was
    crawled, ``needs`` what of that run needs its user; ``why`` says what is wrong, "" when nothing is.
    """

    topic: str
    title: str
    run: LastRun
    new: int = 0
    known: int = 0
    needs: int = 0
    late: int = 0
    why: str = ""

    @property
    def is_well(self) -> bool:
        """Whether its last run has ended as it should."""
        return not self.why and self.run.state in GOOD_ENDS

    @property
    def is_new(self) -> bool:
        """Whether it was never crawled, and nothing speaks against it."""
        return not self.why and not self.run.has_begun

    @property
    def is_in_trouble(self) -> bool:
        """Whether the user should look after it."""
        return not self.is_well and not self.is_new


def topic_report(
    inquiry: Inquiry,
    run: LastRun,
    title: str,
    zone: str,
    queues: QueuesSeen | None = None,
    levels: int = USUAL_LEVELS,
    *,
    news_only: bool = False,
) -> TopicReport:
    """Return the report of a topic; ``news_only``: not how it went."""
    course = [] if news_only else [
        harvest_of(inquiry, run),
        pages_of(inquiry),
        queues_of(inquiry, queues, levels),
        sites_of(inquiry),
        visits_chapter(inquiry, run),
        fields_of(inquiry),
        errors_of(inquiry),
    ]  # fmt: skip
    first = [one for one in (reasons_of(inquiry, run), needs_of(inquiry, run)) if one.listings]
    told = [*first, *news_of(inquiry)]
    return TopicReport(
        inquiry.topic,
        title,
        zone,
        inquiry.since,
        end_cells(run),
        _alone(told) if news_only else told,
        [one for one in course if one.listings or one.charts or one.facts],
        inquiry.is_first,
    )


def _alone(chapters: Sequence[Chapter]) -> list[Chapter]:
    """Return chapters without commands: among many topics one that shows all of a topic is enough."""
    return [
        one._replace(
            listings=[
                listing._replace(command="", is_first=listing.name in READ_FIRST)
                for listing in one.listings
            ]
        )
        for one in chapters
    ]


def topic_line(inquiry: Inquiry, run: LastRun, title: str) -> TopicLine:
    """Return a topic as the table of all shows it."""
    new, known = inquiry.news.count(), inquiry.baseline.count()
    needs = len(findings_of(run.counters))
    return TopicLine(inquiry.topic, title, run, new, known, needs, _late(inquiry))


def _late(inquiry: Inquiry) -> int:
    """Count the visits that should have been made."""
    if not inquiry.has("pages"):
        return 0
    pages = inquiry.table("pages")
    query = select(func.count()).where(
        pages.c.topic == inquiry.topic, pages.c.next_visit <= inquiry.now - LATE
    )
    return inquiry.connection.execute(query).scalar_one()


def overview_of(lines: Sequence[TopicLine], parts: Mapping[str, int]) -> Chapter:
    """Return the table of all topics: those in trouble first, then those with most news.

    ``parts`` says by topic the number of its part of the report.
    """
    ordered = sorted(
        lines, key=lambda one: (not one.is_in_trouble, -one.needs, -one.new, one.topic)
    )
    rows: list[tuple[Cell, ...]] = [_row(one, parts.get(one.topic)) for one in ordered]
    columns = ("topic", "last_run", "end", "new", "known", "needs", "late", "why")
    command = "scrapy report --all --text" if len(rows) > MOST_TOPICS else ""
    listing = Listing("topics", len(rows), columns, rows[:MOST_TOPICS], command, is_first=True)
    facts: list[tuple[str, Cell]] = [
        ("topics_well", sum(one.is_well for one in lines)),
        ("topics_trouble", sum(one.is_in_trouble for one in lines)),
        ("new", sum(one.new for one in lines)),
    ]
    if never := sum(one.is_new for one in lines):
        facts.insert(2, ("topics_never", never))
    return Chapter("topics", [listing], facts=facts)


def _row(line: TopicLine, part: int | None) -> tuple[Cell, ...]:
    name = f"{line.title} ({line.topic})" if line.title not in ("", line.topic) else line.topic
    when: Cell = Moment(line.run.sign) if line.run.has_begun else None
    reason = next(iter(empty_reasons(line.run.counters)), "")
    said: Cell = shorten(line.why or line.run.detail or reason, WHY_SHOWN)
    if not said and line.run.state not in ("finished", "never"):
        said = Term("end", line.run.state)
    told: Cell = (
        shorten(name, REASON_SHOWN) if part is None else PagePart(part, shorten(name, REASON_SHOWN))
    )
    counts = (line.new, line.known, line.needs, line.late)
    return told, when, Term("ended", line.run.state), *counts, said


def document_of(
    reports: Sequence[TopicReport], lines: Sequence[TopicLine], now: float, zone: str
) -> ReportDocument:
    """Return the whole report; a table of topics stands before several."""
    parts = {report.topic: number for number, report in enumerate(reports, start=1)}
    overview = [overview_of(lines, parts)] if lines else []
    return ReportDocument(now, zone, reports, overview)
