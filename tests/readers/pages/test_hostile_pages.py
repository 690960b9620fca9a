"""No page costs more than two seconds of CPU, whatever it was made for."""

import random

import pytest

from focuscrawl.features.articles.article import read_article
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.kind import page_kind
from focuscrawl.readers.pages.links import find_links
from focuscrawl.readers.pages.paging import find_paging
from tests.cost import holds

pytestmark = pytest.mark.hostile_pages

PROSE = "内容文字，句子很多。"
LEVELS = f"<div><p>{PROSE * 3}</p>" * 200 + "</div>" * 200
PAGES: dict[str, str | bytes] = {
    "empty": b"",
    "binary": random.Random(1).randbytes(2_000_000),
    "binary called HTML": b"<html><body>" + random.Random(2).randbytes(2_000_000),
    "nested ten thousand deep": "<div>" * 10_000 + "text" + "</div>" * 10_000,
    "links nested and never closed": "<div><p>x, y. z<a href=/a>b" * 30_000,
    "four hundred thousand attributes": "<a " + " ".join(f"x{n}=1" for n in range(400_000)) + ">",
    "many elements of many attributes": ("<a " + " ".join(f"x{n}=1" for n in range(290)) + ">") * 1_500,
    "tiny elements": "<b></b>" * 250_000,
    "forty thousand links": "".join(f'<a href="/p/{n}.html">link number {n} here</a>' for n in range(40_000)),
    "pager of six thousand": "".join(f'<a href="/list_{n}.html">{n}</a> ' for n in range(6_000)),
    "eight megabytes of text": f"<p>{PROSE * 20}</p>" * 14_000,
    "one endless paragraph": f"<p>{PROSE * 200_000}",
    "paragraphs in deep divisions": LEVELS * 45,
    "end tags of nothing": "<div>" * 200 + "</b></i></p></a>" * 120_000,
    "titles in a drawing": "<svg>" * 250 + "<title>x</title>" * 80_000,
    "dates": "<p>发布时间：2026-11-20 10:00 来源：报</p>" * 40_000,
    "headings": "<h2>title words here</h2>" * 60_000,
    "breaks": ("文字，" * 5 + "<br>") * 60_000,
    "long classes": (f'<div class="{"comment-" * 1000}"><p>{PROSE * 3}</p></div>') * 180,
    "text in nested listings": "<pre>" * 250 + "1 " * 700_000,
    "text in nested cells": "<table><tr><td>" * 70 + PROSE * 40_000,
    "text in nested blocks": f"<div><p>{PROSE * 3}</p>" * 240 + PROSE * 40_000,
    "text in many nested blocks": f"<div><p>{PROSE * 3}</p>" * 240 + PROSE * 1_700,
    "headings in headings": "<h1>" * 60 + "abc " * 700_000,
    "a chain of dates and authors": '<div class="date time author"><i></i>' * 2_000 + "2019年3月5日 " * 14_000,
    "labels without names": "<b>作者：</b>" * 50_000,
    "numbers of lines": "<pre>" + "<span>1</span>\n" * 100_000 + "</pre><code>" + PROSE * 1_000,
    "nested JSON-LD": '<script type="application/ld+json">' + "[" * 190_000 + "</script><p>hello",
}  # fmt: skip


@pytest.mark.timed
@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_page_is_read_within_two_seconds(name: str) -> None:
    markup = PAGES[name]
    body = markup if isinstance(markup, bytes) else markup.encode()
    holds(lambda: read_whole(body))


def read_whole(body: bytes) -> None:
    """Read a page as a crawl does that looks for all that pages have."""
    document = Document.read(body, url="http://h.example/a/b_2.html")
    links = find_links(document)
    kind = page_kind(document, links)
    find_paging(document, links, kind.page_class)
    read_article(document, fetched=1.8e9, timezone="Asia/Shanghai", language="zh")
