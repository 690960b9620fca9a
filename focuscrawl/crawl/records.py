"""Records put on a crawl (C7): which pages are read for them, and what rows become of what is found."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from focuscrawl.articles.article import is_dated
from focuscrawl.links.admission_rules import is_last
from focuscrawl.links.criteria import Criteria
from focuscrawl.links.table import FollowTable
from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.pages.document import Document
from focuscrawl.pages.texts import element_text
from focuscrawl.records.reader import read_records, record_of
from focuscrawl.records.table import RecordTable
from focuscrawl.relevance.page_score import PageScorer
from focuscrawl.values import PageClass, Record, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.template import Template

logger = logging.getLogger(__name__)

_CONTENT = frozenset({PageClass.ARTICLE, PageClass.OTHER})
"""Classes of pages that are called records when they hold one: lists stay lists, to be read again."""


def with_records(
    judged: Judged, document: Document, fetched: Fetched, waiting: Waiting, criteria: Criteria
) -> None:
    """Add the records a page holds; such a page is relevant to its topic.

    One that is no list and no article that is kept is called a record in the log book.
    """
    template = criteria.template
    if not template.named(RecordTable):
        return
    try:
        found = tuple(_find(judged, document, fetched, waiting, template))
    except Exception:
        # A library stumbled over the page: its links are still good, and others must not wait.
        logger.exception("cannot read records of %s", fetched.url)
        return
    if not found:
        return
    page, batch = judged.page, judged.batch
    if page.page_class in _CONTENT and judged.article is None and judged.piece is None:
        page.page_class, page.outcome, page.reason = PageClass.RECORD, "stored", ""
    page.relevant = True
    judged.records = found
    if batch is not None:
        judged.batch = replace(batch, relevant=True)


def _find(
    judged: Judged, document: Document, fetched: Fetched, waiting: Waiting, template: Template
) -> Iterator[Record]:
    for table in template.named(RecordTable).values():
        if not _is_read(table, judged, document, waiting, template):
            continue
        zone = str(template.topic.timezone)
        dated = partial(is_dated, document, fetched=fetched.at, timezone=zone)
        for number, found in enumerate(
            read_records(document, table, is_dated=dated, timezone=zone, now=fetched.at)
        ):
            yield record_of(found, table, waiting, fetched.at, number)


def _is_read(
    table: RecordTable, judged: Judged, document: Document, waiting: Waiting, template: Template
) -> bool:
    """Whether a page is one of those that are read for a kind of record."""
    if table.pages == "all":
        return True
    if table.pages == "last-layer":
        return is_last(waiting.layer, template.of(FollowTable).layers)
    if judged.page.relevant is not None:
        return judged.page.relevant
    return template.once(PageScorer.of).score(document.title, element_text(document.root)).relevant
