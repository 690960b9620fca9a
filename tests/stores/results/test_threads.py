"""Threads and posts in the results: written twice they are the same, and grow as they are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from focuscrawl.features.forums.rows import stored_author, stored_posts
from focuscrawl.stores.results.columns import text_md5
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import PageChange, Post, Thread, ThreadCounts, change_key
from tests.clock import NOON, StandingClock
from tests.kinds import KINDS

pytestmark = pytest.mark.A9

KEY = "a" * 32
THREAD = Thread(
    KEY, "http://bbs.cn/t-1", "bbs.cn", "帖子", "b" * 32, author="甲", started=NOON - 500.0,
    replies=2, views=90, replies_seen=3, last_reply=NOON - 100.0, score=0.8, fetched=NOON,
)  # fmt: skip
POSTS = [Post(KEY, number, f"人{number}", NOON - 500.0, f"第{number}楼", fetched=NOON) for number in (1, 2, 3)]  # fmt: skip


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        found = [dict(row) for row in connection.execute(text(f"SELECT * FROM {table}")).mappings()]
    engine.dispose()
    return found


def opened(path: Path, **options: Any) -> Results:
    return Results.open(path, "topic", kinds=KINDS, clock=StandingClock(), **options)


def test_a_thread_written_twice_is_one_and_new_once(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with opened(path) as results:
        batch = ResultBatch(threads=[THREAD], posts=POSTS)
        assert results.write(batch).of("threads").new == {KEY}
        before = (rows(path, "threads"), rows(path, "posts"))
        assert results.write(batch).of("threads").new == set()
        assert (rows(path, "threads"), rows(path, "posts")) == before
    assert [row["post_no"] for row in before[1]] == [1, 2, 3]
    assert before[0][0]["replies_seen"] == 3


def test_what_a_later_page_does_not_show_stays_known(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    later = replace(
        THREAD, author="board's", started=None, score=None, replies=9, replies_seen=10,
        last_reply=NOON + 50.0, fetched=NOON + 60.0,
    )  # fmt: skip
    with opened(path) as results:
        results.write(ResultBatch(threads=[THREAD], posts=POSTS))
        results.write(ResultBatch(threads=[later]))
        results.write(
            ResultBatch(threads=[replace(THREAD, fetched=NOON + 99.0)])
        )  # an old page again
    (row,) = rows(path, "threads")
    assert (row["author"], row["score"], row["replies_seen"]) == ("甲", 0.8, 10)
    assert row["started"] is not None
    assert row["updated"].startswith("2026-11-20T04:01:00")  # when it grew, not when it was read


def test_output_text_holds_for_posts(tmp_path: Path) -> None:
    long = [replace(POSTS[0], text="长" * 500)]
    for kept, length in (("full", 500), ("lead", 300), ("none", None)):
        path = tmp_path / f"{kept}.db"
        with opened(path, text=kept) as results:
            results.write(ResultBatch(posts=long))
        (row,) = rows(path, "posts")
        assert (None if row["text"] is None else len(row["text"])) == length
        assert len(row["text_md5"]) == 32


def test_a_change_is_told_once_however_often_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    change = PageChange(
        change_key(KEY, "reply", 1), NOON, KEY, THREAD.url, "reply", "thread", {"replies": [2, 9]}
    )
    with opened(path) as results:
        results.write(ResultBatch(changes=[change]))
        results.write(ResultBatch(changes=[replace(change, at=NOON + 5.0)]))
        results.write(ResultBatch(changes=[replace(change, change_id=change_key(KEY, "reply", 2))]))
    found = rows(path, "changes")
    assert len(found) == 2
    assert {row["at"] for row in found} == {found[0]["at"]}


def test_what_a_board_counts_moves_a_stored_thread_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with opened(path) as results:
        results.write(ResultBatch(threads=[THREAD], posts=POSTS))
        before = rows(path, "threads")[0]
        results.write(
            ResultBatch(counts=[ThreadCounts(KEY, 7, None), ThreadCounts("f" * 32, 1, 1)])
        )
        results.write(ResultBatch(counts=[ThreadCounts(KEY, None, 10**30)]))
        results.write(ResultBatch(counts=[ThreadCounts(KEY, None, None)]))
    (row,) = rows(path, "threads")
    assert row["replies"] == 7
    assert {**row, "replies": 0, "views": 0} == {**before, "replies": 0, "views": 0}


def test_posts_that_are_stored_are_known_by_number(tmp_path: Path) -> None:
    with opened(tmp_path / "r.db") as results:
        results.write(ResultBatch(posts=POSTS))
        found = results.ask(stored_posts, KEY, 2, 500)
        assert [*found] == [2, 3]
        assert (found[2].author, found[2].posted) == ("人2", NOON - 500.0)
        assert found[2].mark == text_md5(" 第 2 楼")
        assert results.ask(stored_posts, "f" * 32, 1, 500) == {}


def test_a_post_that_was_edited_keeps_when_it_was_found(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with opened(path) as results:
        results.write(ResultBatch(posts=POSTS))
        found = rows(path, "posts")[1]["found"]
        edited = replace(POSTS[1], text="改过了", fetched=NOON + 99.0)
        results.write(ResultBatch(posts=[edited]))
    row = rows(path, "posts")[1]
    assert (row["text"], row["found"]) == ("改过了", found)


@pytest.mark.parametrize("author", ["人" * 300, "食品\n安全 网", "甲\t乙\x00", "e\u0301" * 90, ""])
def test_authors_are_compared_as_their_column_has_them(tmp_path: Path, author: str) -> None:
    with opened(tmp_path / "r.db") as results:
        results.write(ResultBatch(posts=[replace(POSTS[0], author=author)]))
        assert results.ask(stored_posts, KEY, 1, 1)[1].author == stored_author(author)
