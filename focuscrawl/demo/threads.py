"""Judges the threads and posts of a crawl of the demo web, and whether new replies were told (A9)."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC
from pathlib import Path
from typing import Any

from focuscrawl.demo.report import Finding, plain
from focuscrawl.demo.truth import Page, PostTruth, ThreadTruth
from focuscrawl.values import PageClass

Row = Mapping[str, Any]
Threads = Mapping[str, Row]
"""Rows of ``threads`` by plain address."""


def read_threads(path: Path, topic: str) -> Threads:
    """Read the threads of a results database, each with its rows of ``posts``."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        query = "SELECT * FROM threads WHERE topic = ?"
        by_key = {
            row["url_key"]: {**dict(row), "posts": []}
            for row in connection.execute(query, (topic,))
        }
        for post in connection.execute("SELECT * FROM posts WHERE topic = ?", (topic,)):
            if post["thread_key"] in by_key:
                by_key[post["thread_key"]]["posts"].append(dict(post))
    return {plain(row["url"]): row for row in by_key.values()}


def posting(expected: Mapping[str, Page], kept: Threads) -> list[Finding]:
    """Judge threads: all there, with all their posts as they are, and counts as their board says."""
    threads = {
        plain(url): page.thread
        for url, page in expected.items()
        if page.thread and page.page_class is PageClass.THREAD
    }
    relevant = {url: thread for url, thread in threads.items() if thread.relevant}
    have = {url: thread for url, thread in relevant.items() if url in kept}
    lost = sorted(relevant.keys() - have.keys())
    wrongly = sorted(kept.keys() - relevant.keys())
    torn = sorted(filter(None, (_torn(url, have[url], kept[url]) for url in have)))
    miscounted = sorted(
        f"{url} ({kept[url]['replies']} replies, {kept[url]['views']} views,"
        f" are {thread.replies} and {thread.views})"
        for url, thread in have.items()
        if (kept[url]["replies"], kept[url]["views"]) != (thread.replies, thread.views)
    )
    return [
        Finding("relevant threads stored", len(have), len(relevant), tuple(lost), fatal=True),
        Finding("irrelevant threads left out", len(threads) - len(relevant) - len(wrongly), len(threads) - len(relevant), tuple(wrongly)),
        Finding("threads with all posts right", len(have) - len(torn), len(have), tuple(torn), fatal=True),
        Finding("counts of replies and views right", len(have) - len(miscounted), len(have), tuple(miscounted)),
    ]  # fmt: skip


def _torn(url: str, truth: ThreadTruth, row: Row) -> str:
    """Say what is wrong with a thread; "" when nothing is."""
    if (row["title"], row["author"]) != (truth.title, truth.author):
        return f"{url} (title or author)"
    posts = {post["post_no"]: post for post in row["posts"]}
    if posts.keys() != {post.number for post in truth.posts}:
        return f"{url} ({len(posts)} of {len(truth.posts)} posts)"
    wrong = [str(post.number) for post in truth.posts if not _is_same(post, posts[post.number])]
    return f"{url} (posts {', '.join(wrong)})" if wrong else ""


def _is_same(truth: PostTruth, row: Row) -> bool:
    text = "".join(str(row["text"] or "").split())
    when = f"{truth.posted.astimezone(tz=UTC):%Y-%m-%dT%H:%M}"
    return (row["author"], text, str(row["posted"])[:16]) == (
        truth.author,
        "".join(truth.text.split()),
        when,
    )


def replying(
    earlier: Iterable[ThreadTruth], later: Iterable[ThreadTruth], changes: Iterable[Row]
) -> list[Finding]:
    """Judge what was told between two readings: each relevant thread that grew, once, and no other.

    ``changes`` are rows of the results that were written since the first reading.
    """
    before = {plain(thread.url): thread.replies for thread in earlier}
    grown = {
        plain(thread.url): [before[plain(thread.url)], thread.replies]
        for thread in later
        if thread.relevant and thread.replies > before.get(plain(thread.url), thread.replies)
    }
    told: dict[str, list[object]] = defaultdict(list)
    for row in changes:
        if row["kind"] == "reply":
            told[plain(str(row["url"]))].append(row["fields"]["replies"])
    missed = sorted(grown.keys() - told.keys())
    wrong = sorted(f"{url} (told {told[url]})" for url in told if told[url] != [grown.get(url)])
    return [
        Finding("grown threads told", len(grown) - len(missed), len(grown), tuple(missed), fatal=True),
        Finding("told once, and as they grew", len(told) - len(wrong), len(told), tuple(wrong)),
    ]  # fmt: skip
