"""A topic's report read from its databases, and a page written: for the command, and for a crawl that ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focuscrawl.frontier.table import QueuesTable
from focuscrawl.output.report.contents import FIRST_ROWS, TopicReport, chapters_of
from focuscrawl.output.report.questions.inquiry import Inquiry
from focuscrawl.output.report.questions.topics import (
    TopicLine,
    document_of,
    topic_line,
    topic_report,
)
from focuscrawl.stores.results.database import missing_file, results_to_read
from focuscrawl.stores.results.kinds.last_run import NEVER, last_run_of
from focuscrawl.stores.results.news import LAST, moment_of
from focuscrawl.stores.state.drafts import draft_of
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.stores.state.topic_store import queues_seen

if TYPE_CHECKING:
    from focuscrawl.config import Config
    from focuscrawl.output.report.contents import Listing, ReportDocument
    from focuscrawl.stores.results.kind import Kinds
    from focuscrawl.stores.state.queues import QueuesSeen
    from focuscrawl.template.template import Template

REPORT_SUFFIX = ".report.html"
ALL_TOPICS = "report.html"
"""How the file of one topic ends, and what that of several is called; both lie beside the results."""


def report_path(template: Template, folder: Path) -> Path | None:
    """Return where in the ``folder`` of the data a crawl writes its report when it ends; None: nowhere."""
    wish = template.output.report
    if wish is False:
        return None
    return folder / (f"{template.name}{REPORT_SUFFIX}" if wish is True else wish)


@dataclass(frozen=True, slots=True)
class ReportSource:
    """Where reports come from: the places of all topics, and the ``settings`` that name a Redis.

    ``now`` is wall time, ``span`` what ``--since`` says. ``only`` names a listing that is read whole.
    """

    config: Config
    kinds: Kinds
    settings: Any
    now: float
    span: str = LAST
    only: str = ""

    def topic(
        self, template: Template, *, news_only: bool = False
    ) -> tuple[TopicReport | None, TopicLine]:
        """Return a topic's report (None: it was never crawled), and its line in a table of topics.

        Raises StoreError where its results cannot be read, SinceError.
        """
        name, title = template.name, template.topic.title or template.name
        place = self.config.results_of(name)
        never = TopicLine(name, title, NEVER)
        if missing_file(place):
            return None, never
        with results_to_read(place) as connection:
            run = last_run_of(connection, name, self.now)
            if not run.has_begun:
                return None, never
            zone = template.topic.timezone
            inquiry = Inquiry(
                *(connection, self.kinds, name),
                since=moment_of(self.span, now=self.now, zone=zone, last=run.news_since),
                now=self.now,
                span=self.span,
                only=self.only,
            )
            queues = None if news_only else self._queues(name)
            levels = template.of(QueuesTable).levels
            told = topic_report(inquiry, run, title, str(zone), queues, levels, news_only=news_only)
            own = report_path(template, self.config.data_dir)
            if own is not None and own.is_file():
                told = told._replace(place=str(own.absolute()))
            return told, topic_line(inquiry, run, title)

    def _queues(self, name: str) -> QueuesSeen | None:
        """Look at what waits; None where the store cannot be read: the report does without."""
        try:
            most = None if self.only else FIRST_ROWS
            return queues_seen(name, self.config, self.settings, most)
        except StoreError:
            return None

    def document(
        self,
        templates: Sequence[Template],
        lines: Sequence[TopicLine] = (),
        unread: Callable[[StoreError], object] | None = None,
    ) -> ReportDocument:
        """Return the report of topics, whole of one and what is new of several; ``lines`` are of topics
        that cannot be read. Of several, one whose results cannot be read is such a line, too, and ``unread``
        gets the error. Raises as ``topic`` does.
        """
        is_one = len(templates) == 1 and not lines
        told: list[tuple[TopicReport | None, TopicLine]] = []
        for one in templates:
            try:
                told.append(self.topic(one, news_only=not is_one))
            except StoreError as error:
                if is_one or unread is None:
                    raise
                unread(error)
                title = one.topic.title or one.name
                told.append((None, TopicLine(one.name, title, NEVER, why=str(error))))
        reports = [report for report, _ in told if report is not None]
        zone = str(templates[0].topic.timezone) if templates else "UTC"
        every = [*lines, *(line for _, line in told)]
        if is_one and reports:
            every = []
        return document_of(reports, every, self.now, zone)


def listing_named(document: ReportDocument, name: str) -> Listing | None:
    """Return the listing that was asked for alone."""
    for section in chapters_of(document):
        for one in section.listings:
            if name == (f"{one.name}.{one.term.word}" if one.term else one.name):
                return one
    return None


def write_report(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path) as draft:
        draft.write_text(text, "utf-8")
