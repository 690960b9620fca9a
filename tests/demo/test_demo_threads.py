"""The demo's verdict on threads: a post that is missed, mixed up or told twice shows."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest

from focuscrawl.demo.report import Finding
from focuscrawl.demo.threads import posting, replying
from focuscrawl.demo.truth import Page, ThreadTruth
from focuscrawl.demo.web import DemoWeb

pytestmark = pytest.mark.A9

START = "http://bbs.example/forum-1-1.html"


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(1, "small")


@pytest.fixture(scope="module")
def expected(web: DemoWeb) -> dict[str, Page]:
    return web.walk([START], hosts={"bbs.example"})


def kept(web: DemoWeb) -> dict[str, Any]:
    """What a perfect crawl stores."""
    return {
        thread.url: {
            "title": thread.title,
            "author": thread.author,
            "replies": thread.replies,
            "views": thread.views,
            "posts": [
                {
                    "post_no": post.number,
                    "author": post.author,
                    "posted": f"{post.posted.astimezone(UTC):%Y-%m-%dT%H:%M:00}+00:00",
                    "text": post.text,
                }
                for post in thread.posts
            ],
        }
        for thread in web.threads()
        if thread.relevant
    }


def rights(findings: list[Finding]) -> list[tuple[int, int]]:
    return [(finding.right, finding.total) for finding in findings]


def test_perfect_threads_are_all_right(web: DemoWeb, expected: dict[str, Page]) -> None:
    assert all(right == total > 0 for right, total in rights(posting(expected, kept(web))))


def test_what_is_wrong_is_named(web: DemoWeb, expected: dict[str, Page]) -> None:
    found = kept(web)
    first, second, third = list(found)[:3]
    del found[first]
    found[second]["posts"][0]["text"] = "别的话"
    found[third]["views"] += 1
    lost, _, torn, miscounted = posting(expected, found)
    assert lost.misses == (first,)
    assert torn.misses == (f"{second} (posts 1)",)
    assert miscounted.misses[0].startswith(third)
    assert lost.lost
    assert torn.lost


def test_replies_are_to_be_told_once(web: DemoWeb) -> None:
    days = (0.0, 10.0)
    earlier, later = (list(web.threads(day)) for day in days)
    before = {thread.url: thread.replies for thread in earlier}

    def grown(thread: ThreadTruth) -> bool:
        return thread.relevant and thread.replies > before.get(thread.url, thread.replies)

    rows: list[dict[str, Any]] = [
        {"kind": "reply", "url": one.url, "fields": {"replies": [before[one.url], one.replies]}}
        for one in filter(grown, later)
    ]
    assert rows
    assert rights(replying(earlier, later, rows)) == [(len(rows), len(rows))] * 2
    told, once = replying(earlier, later, [*rows, rows[0]])
    assert not told.misses
    assert once.misses[0].startswith(rows[0]["url"])
    assert replying(earlier, later, rows[1:])[0].misses == (rows[0]["url"],)
