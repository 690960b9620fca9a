"""Criteria a page as a crawl of a topic does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from focuscrawl.features.articles.reader import ArticleReader
from focuscrawl.features.forums.reader import ForumReader
from focuscrawl.features.forums.walks import Walk
from focuscrawl.features.records.reader import RecordReader
from focuscrawl.features.revisit.change.visit_comparison import VisitReader
from focuscrawl.features.revisit.signals.signals import SignalReader
from focuscrawl.features.site_layouts.feature import LayoutMemory, LayoutReader
from focuscrawl.kernel.judge import Judge
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.criteria import Criteria
from focuscrawl.readers.pages.content import Fetched, Judged
from focuscrawl.template.load import load
from focuscrawl.values import Waiting
from tests.clock import NOON

NO_WALKS: Mapping[bytes, Walk] = {}


def judge_page(
    topic: str, url: str, content: bytes, kind: str = "text/html; charset=utf-8", **waiting: Any
) -> Judged:
    """Judge a page that was found at its source "a"; ``topic`` is the template."""
    template = load(topic, {}, {}).template
    rules = AdmissionRules.from_template(template, NOON)
    address = rules.canonicalizer.address(url)
    assert address is not None
    row = Waiting(address.url, address.key, address.site, 3, 3, source_id="a", parent_key=b"p" * 16)
    criteria = Criteria(template, rules, {one.source_id: one for one in template.sources})
    return judge(Fetched(url, 200, content, kind, NOON), row._replace(**waiting), criteria)


def judge(
    fetched: Fetched, waiting: Waiting, criteria: Criteria, walks: Mapping[bytes, Walk] = NO_WALKS
) -> Judged:
    """Judge an answer by all who read pages."""
    readers = [
        SignalReader(criteria),
        ForumReader(criteria, walks),
        ArticleReader(criteria),
        LayoutReader(criteria, LayoutMemory()),
        VisitReader(criteria),
        RecordReader(criteria),
    ]
    return Judge(criteria, readers).judge(fetched, waiting)
