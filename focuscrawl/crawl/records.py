"""Records put on a crawl (C7): which pages are read for them, and what rows become of what is found."""

from __future__ import annotations

import hashlib
import logging
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from focuscrawl.articles.article import is_dated
from focuscrawl.crawl.fetched import Judging
from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.pages.document import Document
from focuscrawl.pages.texts import element_text
from focuscrawl.records.reader import read_records
from focuscrawl.records.rules import FieldRule, Found, FoundRecord, LabelPlace, RecordRules
from focuscrawl.topic.layers import is_last
from focuscrawl.values import Json, PageClass, Record, Waiting, record_class

if TYPE_CHECKING:
    from focuscrawl.records.table import RecordTable
    from focuscrawl.topic.template import Template

logger = logging.getLogger(__name__)

_CONTENT = frozenset({PageClass.ARTICLE, PageClass.OTHER})
"""Classes of pages that are called records when they hold one: lists stay lists, to be read again."""


def with_records(
    judged: Judged, document: Document, fetched: Fetched, waiting: Waiting, judging: Judging
) -> Judged:
    """Add the records a page holds; such a page is relevant to its topic.

    One that is no list and no article that is kept is called a record in the log book.
    """
    template = judging.template
    if not template.record:
        return judged
    try:
        found = tuple(_find(judged, document, fetched, waiting, template))
    except Exception:
        # A library stumbled over the page: its links are still good, and others must not wait.
        logger.exception("cannot read records of %s", fetched.url)
        return judged
    if not found:
        return judged
    page, batch = judged.page, judged.batch
    if page.page_class in _CONTENT and judged.article is None and judged.piece is None:
        page.page_class, page.outcome, page.reason = PageClass.RECORD, "stored", ""
    page.relevant = True
    if batch is not None:
        batch = replace(batch, relevant=True)
    return replace(judged, records=found, batch=batch)


def _find(
    judged: Judged, document: Document, fetched: Fetched, waiting: Waiting, template: Template
) -> Iterator[Record]:
    for table in template.record.values():
        if not _is_read(table, judged, document, waiting, template):
            continue
        rules = record_rules(table)
        zone = str(template.topic.timezone)
        dated = partial(is_dated, document, fetched=fetched.at, timezone=zone)
        for number, found in enumerate(
            read_records(document, rules, is_dated=dated, timezone=zone, now=fetched.at)
        ):
            yield record_of(found, rules, waiting, fetched.at, number)


def _is_read(
    table: RecordTable, judged: Judged, document: Document, waiting: Waiting, template: Template
) -> bool:
    """Whether a page is one of those that are read for a kind of record."""
    if table.pages == "all":
        return True
    if table.pages == "last-layer":
        return is_last(waiting.layer, template.follow.layers)
    if judged.page.relevant is not None:
        return judged.page.relevant
    return template.page_scorer.score(document.title, element_text(document.root)).relevant


def record_rules(table: RecordTable) -> RecordRules:
    """Return the rules of [record.NAME] in the words of the folder records."""

    def find_labels(text: str) -> Iterator[LabelPlace]:
        return (LabelPlace(*label) for label in table.find_labels(text))

    fields = tuple(
        FieldRule(one.name, one.type, one.required, one.many, one.pattern, one.places)
        for one in table.fields
    )
    return RecordRules(
        table.name, fields, find_labels, table.one_per, table.identity, strict=table.strict
    )


def record_of(
    found: FoundRecord, rules: RecordRules, waiting: Waiting, at: float, number: int
) -> Record:
    """Return the ``number``-th record of a page, which was fetched ``at``."""
    data: Json = {}
    for rule in rules.fields:
        values = [one.value for one in found.values.get(rule.name, ())]
        if values:
            data[rule.name] = values if rule.many else values[0]
    missing = [rule.name for rule in rules.fields if rule.required and rule.name not in data]
    return record_class(rules.name)(
        record_type=rules.name,
        record_id=record_id(data, rules, waiting, number),
        host=waiting.site,
        url_key=waiting.key.hex(),
        url=waiting.url,
        data=data,
        evidence={
            name: _evidence(values, waiting.url, at) for name, values in found.values.items()
        },
        missing=missing,
        complete=not missing,
        fetched=at,
    )


def _evidence(values: Sequence[Found], url: str, at: float) -> Json:
    """Return where each value of a field is from; those after the first are ``others``."""
    said = [
        {"value": one.value, "raw": one.raw, "label": one.label, "url": url, "at": at}
        for one in values
    ]
    return {**said[0], **({"others": said[1:]} if said[1:] else {})}


def record_id(data: Json, rules: RecordRules, waiting: Waiting, number: int) -> str:
    """Return the MD5 of what tells a record from others: its key fields, or the host of its site.

    Spelling does not matter: width, case, white space. Without any key field it is the place: the
    page and, on it, the ``number`` of the block.
    """
    if rules.one_per == "site":
        told = [waiting.site]
    else:
        told = [_norm(data[name]) for name in rules.key if name in data]
        if not told:
            told = ["", waiting.key.hex(), "" if rules.one_per == "page" else str(number)]
    return hashlib.md5("\n".join(told).encode()).hexdigest()


def _norm(value: object) -> str:
    first = value[0] if isinstance(value, list) else value
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", str(first))).lower()
