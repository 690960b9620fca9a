"""What is known of a forum's threads between a board and the admission of its links."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from focuscrawl.features.forums.readings import ThreadReadings
from focuscrawl.features.forums.rows import StoredPost
from focuscrawl.features.forums.walks import Read, Walk
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.stores.results.columns import text_md5
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import BoardThread, LinkBatch, PageClass, Post, Waiting
from tests.clock import NOON, StandingClock

pytestmark = pytest.mark.A9

TOPIC = """
[topic]
name = "x"
keywords = ["食品"]
[[source]]
url = "http://bbs.test/"
kind = "forum"
name = "bbs"
[follow]
deny = ["/secret/"]
"""


@contextmanager
def opened(
    tmp_path: Path, stored: dict[int, StoredPost] | None = None
) -> Iterator[tuple[ThreadReadings, AdmissionRules]]:
    """Make the forums of a run, whose results have these posts of every thread."""

    async def stored_posts(key: str, first: int, last: int) -> dict[int, StoredPost]:
        return {no: post for no, post in (stored or {}).items() if first <= no <= last}

    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    rules = AdmissionRules.from_template(load(TOPIC).template, NOON)
    frontier = Frontier(
        LevelOrder(LevelRules(), Factor()),
        politeness=lambda _: Politeness(0.0, 0.0, 1),
        partition_of=partition_of,
        stored=store.read,
        random=lambda: 0.0,
    )
    yield ThreadReadings(rules, frontier, store, StandingClock(), Counter(), stored_posts), rules
    store.release()


def test_threads_that_are_refused_are_not_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as (forums, _):
        for folder, kept in (("secret", 0), ("open", 3)):
            urls = [f"http://bbs.test/{folder}/{number}.html" for number in range(3)]
            threads = tuple(BoardThread(url, "食品", 3) for url in urls)
            asyncio.run(forums.prepare(LinkBatch(PageClass.BOARD, (), threads=threads)))
            assert len(forums._told) == kept


POSTS = {
    number: StoredPost(f"人{number}", NOON - 500.0 * number, text_md5(f"第{number}楼"))
    for number in range(1, 6)
}
LONG = "很长的名字" * 60
POSTS[4] = POSTS[4]._replace(author="两 行")
POSTS[5] = POSTS[5]._replace(author=LONG[:120])  # as its column has it


@pytest.mark.parametrize(
    ("number", "author", "moved", "text", "edited"),
    [
        (3, "人3", 0.0, "第3楼", []),
        (3, "人3", 0.0, " 第 ３楼", []),
        (3, "人3", 0.0, "改过了", [3]),
        (3, "人3", 86_400.0, "改过了", [3]),  # 3 days ago, then 4
        (3, "人4", 0.0, "改过了", []),
        (3, "人3", 9 * 86_400.0, "改过了", []),
        (5, LONG, 0.0, "改过了", [5]),
        (4, "两\n行", 0.0, "改过了", [4]),
        (7, "人7", 0.0, "改过了", []),
    ],
)
def test_only_the_posts_that_are_stored_under_their_numbers_can_have_been_edited(
    tmp_path: Path, number: int, author: str, moved: float, text: str, edited: list[int]
) -> None:
    with opened(tmp_path, POSTS) as (forums, rules):
        address = rules.look("http://bbs.test/t/1").address
        row = Waiting(
            address.url, address.key, address.site, 3, 3, PageClass.THREAD, first_walk=False
        )
        walk = Walk(address.url, posts=5, before=5, relevant=True)
        forums.walks[address.key] = walk
        asyncio.run(forums.recall(row))
        known = (
            Post(address.key.hex(), 2, "人2", NOON - 1_000.0, "第2楼"),
            Post(address.key.hex(), number, author, NOON - 500.0 * number + moved, text),
        )
        read = Read(address.key.hex(), walk, ended=True, known=known)
        assert [post.post_no for post in forums.edited(read)] == edited
        assert forums.edited(read) == [], "what was stored has been compared"
