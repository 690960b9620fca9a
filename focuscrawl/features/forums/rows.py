"""Threads and posts in the results (A9): their rows, and how a row that exists takes a new one."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from sqlalchemy import Boolean, ColumnElement, Connection, Index, case, or_, select, update

from focuscrawl.stores.results.columns import (
    JSON_COLUMN,
    KEY_COLUMN,
    LARGE_COUNT,
    SMALL_COUNT,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    clean_text,
    cut,
    key_column,
    may,
    must,
    table,
    text_md5,
)
from focuscrawl.stores.results.kind import (
    Orphans,
    RowContext,
    RowKind,
    RowValues,
    WriteWindow,
    row_by_names,
)
from focuscrawl.stores.results.upsert import Columns, Merge, first, last
from focuscrawl.values import Post, Thread, ThreadCounts

THREADS = table(
    "threads",
    key_column("url_key", KEY_COLUMN, "The thread's key: MD5 of the address of its first page."),
    must("url", TextColumn, "The address of its first page."),
    may("host", LineColumn(255), "The host it is from."),
    may("board_key", KEY_COLUMN, "The board that led to it."),
    may("title", LineColumn(500), "Its title."),
    may("author", LineColumn(120), "Who opened it."),
    may("started", Time, "When it was opened, as it says.", "UTC"),
    may("replies", LARGE_COUNT, "The replies that its board counts.", "posts"),
    may("views", LARGE_COUNT, "The views that its board counts.", "views"),
    must("replies_seen", LARGE_COUNT, "The posts that are stored, the first among them.", "posts"),
    may("last_reply", Time, "When its last reply came.", "UTC"),
    may("score", Figure, "How much it belongs to the topic.", "0 to 1"),
    may(
        "known",
        Boolean,
        "Whether it stood there when the topic, or its source, was read for the first time. False: it came later and is news; empty, in rows of earlier versions: known.",
    ),
    must("found", Time, "When it was stored first.", "UTC"),
    must("updated", Time, "When posts came last, else when it was found.", "UTC"),
    may("gone_at", Time, "Since when it is gone for sure; empty: it is there.", "UTC"),
    may("extra", JSON_COLUMN, "What a user's own pipeline added."),
    Index("threads_updated", "topic", "updated"),
    about="Forum threads.",
)

POSTS = table(
    "posts",
    key_column("thread_key", KEY_COLUMN, "The thread it is in."),
    key_column("post_no", SMALL_COUNT, "Its place there: 1 opens the thread."),
    may("author", LineColumn(120), "Who wrote it."),
    may("posted", Time, "When, as it says.", "UTC"),
    may("text", TextColumn, "Its text."),
    may("text_md5", KEY_COLUMN, "MD5 of its text without white space."),
    may("hits", JSON_COLUMN, "The topic's words that it has: {word: how often}.", "times"),
    may(
        "known",
        Boolean,
        "Whether it stood there when its thread's source was read for the first time; empty, in rows of earlier versions: known.",
    ),
    must("found", Time, "When it was stored first.", "UTC"),
    may("extra", JSON_COLUMN, "What a user's own pipeline added."),
    Index("posts_found", "topic", "found"),
    about="Their posts.",
)

_AUTHOR_COLUMN = cast("LineColumn", POSTS.c.author.type)
_LEAD_OF_POST = 300  # characters of a post that ``output.text = "lead"`` keeps
SAME_DATE = 2 * 86400.0  # by which a date may differ: "3 days ago" is a day of some length


_thread_by_names = row_by_names(
    THREADS, besides=("found", "updated", "gone_at"), empty_is_null=("board_key", "author", "extra")
)
_post_by_names = row_by_names(
    POSTS, besides=("text_md5", "found"), empty_is_null=("author", "extra")
)


def thread_row(thread: Thread, context: RowContext) -> RowValues:
    """Return the row of a thread as if it were new."""
    at = thread.fetched or context.now
    return {**_thread_by_names(thread, context), "found": at, "updated": at, "gone_at": None}


def post_row(post: Post, context: RowContext) -> RowValues:
    """Return the row of a post."""
    body = clean_text(post.text)
    kept = {"full": body, "lead": cut(body, _LEAD_OF_POST)}
    made = {"text": kept.get(context.text), "text_md5": text_md5(body)}
    return {**_post_by_names(post, context), **made, "found": post.fetched or context.now}


class StoredPost(NamedTuple):
    """What tells whether a post that is read again is the same, and says the same."""

    author: str
    posted: float | None
    mark: str

    def is_of(self, post: Post) -> bool:
        """Whether a post is the one that is stored under its number, whatever it says now."""
        moved = abs(post.posted - self.posted) if post.posted and self.posted else 0.0
        return stored_author(post.author) == self.author and moved < SAME_DATE

    def says(self, text: str) -> bool:
        """Whether it has this text."""
        return text_md5(text) == self.mark


def stored_author(author: str) -> str:
    """Return the author of a post as StoredPost has it."""
    return _AUTHOR_COLUMN.stored(author)


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


def _later(name: str) -> Merge:
    return lambda old, new: case(
        (or_(old[name].is_(None), new[name] > old[name]), new[name]), else_=old[name]
    )


def _updated(old: Columns, new: Columns) -> ColumnElement[Any]:
    """A thread is another one when it has more posts."""
    return case((new.replies_seen > old.replies_seen, new.updated), else_=old.updated)


def _write_counts(window: WriteWindow, counts: list[RowValues]) -> None:
    """Let threads that are stored have the counts their boards show now."""
    for count in counts:
        told = {name: count[name] for name in ("replies", "views")}
        values = {name: value for name, value in told.items() if value is not None}
        if values:
            of_thread = (THREADS.c.topic == window.topic) & (THREADS.c.url_key == count["url_key"])
            others = or_(*(THREADS.c[name].is_distinct_from(one) for name, one in values.items()))
            window.connection.execute(update(THREADS).where(of_thread, others).values(values))


COUNT_ROWS = RowKind(  # before threads: one that is read counts itself
    THREADS,
    lambda counts, context: {"topic": context.topic, **counts._asdict()},
    part="counts",
    item=ThreadCounts,
    needs={"url_key": str},
    latest=True,
    write=_write_counts,
)

THREAD_ROWS = RowKind(
    THREADS,
    thread_row,
    item=Thread,
    needs={"url_key": str},
    keep={"found", "known"},
    merge={
        "updated": _updated,  # before what it reads: MySQL assigns from left to right
        "replies_seen": _later("replies_seen"),
        "last_reply": _later("last_reply"),
        **{name: first(name) for name in ("author", "started")},
        **{name: last(name) for name in ("board_key", "replies", "views", "score", "extra")},
    },
    counters=("new", "grown"),
    what="thread",
    address="url_key",
    seen="updated",
)

POST_ROWS = RowKind(
    POSTS,
    post_row,
    item=Post,
    keep={"found", "known"},
    address="thread_key",
    orphans=(
        Orphans(
            "posts are of no thread",
            "thread_key",
            "NOT EXISTS (SELECT 1 FROM threads t"
            " WHERE t.topic = posts.topic AND t.url_key = posts.thread_key)",
        ),
    ),
)
