"""Threads and posts in the results (A9): their rows, and how a row that exists takes a new one."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Connection, case, func, or_, select, update

from focuscrawl.results.columns import LineColumn, clean_text, cut, time_or_none
from focuscrawl.results.schema import POSTS, THREADS
from focuscrawl.results.upsert import Columns, Merge
from focuscrawl.values import Json, Post, Thread, ThreadCounts

THREAD_COLUMNS = (
    "topic",
    "url_key",
    "url",
    "host",
    "board_key",
    "title",
    "author",
    "started",
    "replies",
    "views",
    "replies_seen",
    "last_reply",
    "score",
    "found",
    "updated",
    "gone_at",
    "extra",
)
POST_COLUMNS = (
    "topic",
    "thread_key",
    "post_no",
    "author",
    "posted",
    "text",
    "text_md5",
    "hits",
    "found",
    "extra",
)
_AUTHOR = cast("LineColumn", POSTS.c.author.type)
_LEAD = 300
"""Characters of a post that ``output.text = "lead"`` keeps."""


def thread_row(topic: str, thread: Thread, now: float) -> Json:
    """Return the row of a thread as if it were new."""
    at = thread.fetched or now
    return {
        "topic": topic,
        "url_key": thread.url_key,
        "url": thread.url,
        "host": thread.host,
        "board_key": thread.board_key or None,
        "title": thread.title,
        "author": thread.author or None,
        "started": time_or_none(thread.started),
        "replies": thread.replies,
        "views": thread.views,
        "replies_seen": thread.replies_seen,
        "last_reply": time_or_none(thread.last_reply),
        "score": thread.score,
        "found": at,
        "updated": at,
        "gone_at": None,
        "extra": thread.extra or None,
    }


def post_row(topic: str, post: Post, now: float, *, text: str) -> Json:
    """Return the row of a post; ``text`` is output.text: full, lead or none."""
    body = clean_text(post.text)
    return {
        "topic": topic,
        "thread_key": post.thread_key,
        "post_no": post.post_no,
        "author": post.author or None,
        "posted": time_or_none(post.posted),
        "text": body if text == "full" else cut(body, _LEAD) if text == "lead" else None,
        "text_md5": post_mark(body),
        "hits": post.hits,
        "found": post.fetched or now,
        "extra": post.extra or None,
    }


class StoredPost(NamedTuple):
    """What tells whether a post that is read again is the same, and says the same."""

    author: str
    posted: float | None
    mark: str


def post_mark(text: str) -> str:
    """Return what stands for a text in ``text_md5``: blanks and forms of signs make no difference."""
    plain = "".join(unicodedata.normalize("NFKC", clean_text(text)).split())
    return hashlib.md5(plain.encode()).hexdigest()


def stored_author(author: str) -> str:
    """Return the author of a post as StoredPost has it."""
    return _AUTHOR.stored(author)


def stored_posts(
    connection: Connection, topic: str, key: str, first: int, last: int
) -> dict[int, StoredPost]:
    """Return those posts of a thread that are stored, by number, from ``first`` to ``last``."""
    query = select(POSTS.c.post_no, POSTS.c.author, POSTS.c.posted, POSTS.c.text_md5).where(
        POSTS.c.topic == topic, POSTS.c.thread_key == key, POSTS.c.post_no.between(first, last)
    )
    return {
        row.post_no: StoredPost(row.author or "", row.posted, row.text_md5 or "")
        for row in connection.execute(query)
    }


def write_counts(connection: Connection, topic: str, counts: Sequence[ThreadCounts]) -> None:
    """Let threads that are stored have the counts their boards show now."""
    for key, replies, views in counts:
        told = {"replies": replies, "views": views}
        values = {name: value for name, value in told.items() if value is not None}
        if values:
            of_thread = (THREADS.c.topic == topic) & (THREADS.c.url_key == key)
            others = or_(*(THREADS.c[name].is_distinct_from(one) for name, one in values.items()))
            connection.execute(update(THREADS).where(of_thread, others).values(values))


def new_among(connection: Connection, rows: Sequence[Json]) -> frozenset[str]:
    """Return the keys of those threads that are not stored."""
    keys = {row["url_key"] for row in rows}
    if not keys:
        return frozenset()
    query = select(THREADS.c.url_key).where(
        THREADS.c.topic == rows[0]["topic"], THREADS.c.url_key.in_(keys)
    )
    return frozenset(keys.difference(connection.execute(query).scalars()))


def _known(name: str) -> Merge:
    """What was known stays: later pages of a thread do not show how it began."""
    return lambda old, new: func.coalesce(old[name], new[name])


def _told(name: str) -> Merge:
    return lambda old, new: func.coalesce(new[name], old[name])


def _later(name: str) -> Merge:
    return lambda old, new: case(
        (or_(old[name].is_(None), new[name] > old[name]), new[name]), else_=old[name]
    )


def _updated(old: Columns, new: Columns) -> ColumnElement[Any]:
    """A thread is another one when it has more posts."""
    return case((new.replies_seen > old.replies_seen, new.updated), else_=old.updated)


THREAD_RULES: dict[str, Merge] = {
    "updated": _updated,  # before what it reads: MySQL assigns from left to right
    "replies_seen": _later("replies_seen"),
    "last_reply": _later("last_reply"),
    **{name: _known(name) for name in ("author", "started")},
    **{name: _told(name) for name in ("board_key", "replies", "views", "score", "extra")},
}
