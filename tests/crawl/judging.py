"""Judging a page as a crawl of a topic does."""

from __future__ import annotations

from typing import Any

from focuscrawl.crawl.fetched import Judging
from focuscrawl.crawl.judge import judge
from focuscrawl.links.admission_rules import AdmissionRules
from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.template.load import load
from focuscrawl.values import Waiting
from tests.clock import NOON


def judge_page(
    topic: str, url: str, content: bytes, kind: str = "text/html; charset=utf-8", **waiting: Any
) -> Judged:
    """Judge a page that was found at its source "a"; ``topic`` is the template."""
    template = load(topic, {}, {}).template
    rules = AdmissionRules.from_template(template, NOON)
    address = rules.canonicalizer.address(url)
    assert address is not None
    row = Waiting(address.url, address.key, address.site, 3, 3, source_id="a", parent_key=b"p" * 16)
    return judge(
        Fetched(url, 200, content, kind, NOON),
        row._replace(**waiting),
        Judging(template, rules, {one.source_id: one for one in template.sources}),
    )
