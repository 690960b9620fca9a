"""Lists that come as JSON: their addresses are found by what they are, and what holds no list of pages is none."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.pages.content import sniff
from focuscrawl.readers.pages.feeds.feeds import read_feed
from focuscrawl.readers.pages.feeds.json_lists import read_json_list
from focuscrawl.values import PageClass
from tests.tables import each_row

URL = "http://gov.example/api/list?cat=3&page=2"
ROWS = [{"id": n, "title": f"第{n}号通知", "url": f"/n/{n}.html", "date": f"2026-11-0{n}"} for n in (1, 2, 3)]  # fmt: skip
FOUND = [(f"http://gov.example/n/{n}.html", f"第{n}号通知") for n in (1, 2, 3)]
MARKUP = "".join(f"<li><a href='/n/{n}.html'>第{n}号通知</a></li>" for n in (1, 2, 3))


@each_row(
    "said",
    [
        ROWS,
        {"code": 0, "data": {"total": 3, "rows": ROWS}},
        {"list": [{"cover": f"/i/{row['id']}.jpg", **row} for row in ROWS]},
        {"items": [{"name": row["title"], "weg": row["url"], "cat": "/n/"} for row in ROWS]},
        {"ok": True, "html": f"<ul>{MARKUP}</ul>"},
    ],
)
def test_the_entries_of_a_list_are_found_whatever_its_fields_are_called(said: Any) -> None:
    body = json.dumps(said).encode()
    assert sniff(body, "application/json", URL) is PageClass.FEED
    feed = read_feed(body, URL, content_type="application/json")
    assert [(entry.url, entry.title) for entry in feed.entries] == FOUND


def test_dates_of_entries_are_read() -> None:
    feed = read_feed(json.dumps(ROWS).encode(), URL, now=1.9e9)
    assert all(entry.published for entry in feed.entries)


@each_row(
    "said",
    [
        {},
        [1, 2, 3],
        {"name": "app", "icons": [{"src": "/i/1.png", "sizes": "48x48"}]},
        {"data": [{"id": 1, "title": "第1号通知"}]},
        {"data": [{"title": f"第{n}号通知", "url": "/n/"} for n in (1, 2)]},
        {"text": "见 /n/1.html"},
    ],
)
def test_json_without_addresses_of_pages_is_a_file(said: Any) -> None:
    assert sniff(json.dumps(said).encode(), "application/json", URL) is PageClass.FILE


@each_row(
    ("more", "following"),
    [
        ({}, ""),
        ({"next": "/api/list?after=99"}, "http://gov.example/api/list?after=99"),
        ({"hasMore": True}, "http://gov.example/api/list?cat=3&page=3"),
        ({"hasMore": False}, ""),
        ({"totalPages": 3}, "http://gov.example/api/list?cat=3&page=3"),
        ({"totalPages": 2}, ""),
    ],
)
def test_a_list_that_says_that_it_goes_on_is_gone_on_with(more: Any, following: str) -> None:
    body = json.dumps({"rows": ROWS, **more}).encode()
    assert read_feed(body, URL).following == following


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_any_json_is_read_or_is_no_list(said: Any) -> None:
    read_json_list(json.dumps(said).encode(), URL)


def test_hostile_json_costs_little() -> None:
    deep = b"[" * 100_000
    wide = json.dumps([[{"url": f"/{n}", "t": "x" * 9} for n in range(200)]] * 200).encode()
    began = process_time()
    assert read_json_list(deep, URL) is None
    assert read_json_list(wide, URL) is not None
    assert process_time() - began < 1.0
