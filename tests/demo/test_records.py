"""The demo's verdict on records: a company that is missed, mixed up or made up shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from focuscrawl.demo.report import Finding, Kept
from focuscrawl.demo.truth import Page
from focuscrawl.demo.verdicts import recording
from focuscrawl.demo.web import DemoWeb


@pytest.fixture(scope="module")
def expected() -> dict[str, Page]:
    web = DemoWeb(1, "small")
    pages = (web.page(owner.contact_url, 0.0) for owner in web.companies)
    return {page.url: page for page in pages if page is not None}


def rows(expected: dict[str, Page]) -> list[dict[str, Any]]:
    """What a perfect crawl stores."""
    return [
        {
            "url": url,
            "data": {"website" if name == "url" else name: value for name, value in page.record.fields.items()},
        }
        for url, page in expected.items()
        if page.record is not None
    ]  # fmt: skip


def judged(expected: dict[str, Page], found: list[dict[str, Any]]) -> list[Finding]:
    return recording(expected, Kept({}, {}, tuple(found)))


def test_perfect_records_are_all_right(expected: dict[str, Page]) -> None:
    right, none = judged(expected, rows(expected))
    assert right.right == right.total == len(expected)
    assert right.misses == none.misses == ()


def test_a_missed_company_is_named(expected: dict[str, Page]) -> None:
    right, _ = judged(expected, rows(expected)[1:])
    assert right.right == right.total - 1
    assert right.misses == (f"{next(iter(expected))} (0 records)",)


def test_a_wrong_value_is_named_with_its_field(expected: dict[str, Page]) -> None:
    found = rows(expected)
    found[0]["data"]["phone"] = ["028-99999999"]
    found[0]["data"]["hobby"] = "chess"
    right, _ = judged(expected, found)
    assert right.misses[0].endswith("(phone, hobby)")


def test_a_record_of_another_page_is_none(expected: dict[str, Page]) -> None:
    found = rows(expected)
    other = {"url": "http://news.example/", "data": {"name": "无"}}
    _, none = judged(expected, [*found, other])
    assert (none.right, none.misses) == (1, ("http://news.example",))


def test_one_page_that_gives_two_is_wrong(expected: dict[str, Page]) -> None:
    found = rows(expected)
    right, _ = judged(expected, [*found, dict(found[0])])
    assert right.misses == (f"{next(iter(expected))} (2 records)",)


def test_pages_without_a_record_ask_for_none(expected: dict[str, Page]) -> None:
    bare = {url: replace(page, record=None) for url, page in expected.items()}
    right, none = judged(bare, [])
    assert (right.total, none.total) == (0, 0)
