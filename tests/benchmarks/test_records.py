"""The generator of contact pages is the same everywhere, and its pages are read right."""

from __future__ import annotations

import hashlib
from collections import Counter

from benchmarks.parts.contact_pages import LAYOUTS, pages
from benchmarks.records import compare, contact_records, f1, rules
from focuscrawl.extract.document import Document
from focuscrawl.extract.records import read_records

FLOOR = 0.97


def test_contact_pages_are_the_same_in_every_process() -> None:
    digest = hashlib.md5(b"".join(page.body for page in pages(1, 40))).hexdigest()
    assert digest == "8cf5f38c3b162bd91cc18169192d60e7"


def test_values_of_contact_pages_are_read_right() -> None:
    total: Counter[str] = Counter()
    count = 8 * len(LAYOUTS)
    for page in pages(3, count):
        document = Document.read(page.body, url="http://a.example/", content_type=page.content_type)
        counts, _ = compare(page, read_records(document, rules()))
        total += counts
    assert f1(total) >= FLOOR
    assert total["alike"] >= FLOOR * count


def test_a_scorer_gets_plain_values() -> None:
    body = "<p>公司名称：云杉</p><p>电话：028-55501234</p><p>网址：www.a.com</p>".encode()
    assert contact_records(body, "http://a.example/") == [
        {"name": "云杉", "phone": ["028-55501234"], "url": "http://www.a.com/"}
    ]
