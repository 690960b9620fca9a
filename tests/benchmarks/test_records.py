"""The generator of contact pages is the same everywhere, and a scorer can call the reader."""

from __future__ import annotations

import hashlib

from benchmarks.parts.contact_pages import pages
from benchmarks.parts.readers import contact_records


def test_contact_pages_are_the_same_in_every_process() -> None:
    digest = hashlib.md5(b"".join(page.body for page in pages(1, 40))).hexdigest()
    assert digest == "97656e258de005905753d276572c2826"


def test_a_scorer_gets_plain_values() -> None:
    body = "<p>公司名称：云杉</p><p>电话：028-55501234</p><p>网址：www.a.com</p>".encode()
    assert contact_records(body, "http://a.example/") == [
        {"name": "云杉", "phone": ["028-55501234"], "url": "http://www.a.com/"}
    ]
