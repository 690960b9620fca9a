"""What a page of a thread gives to it (A9): posts, the thread, and that it has grown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from focuscrawl.crawl.fetched import Fetched, Judging
from focuscrawl.crawl.verdict import Verdict
from focuscrawl.forums.threads.thread import ThreadPage, ThreadPost
from focuscrawl.forums.threads.walks import LONGEST_DIFF, Read, Walk, changes_of
from focuscrawl.values import PageChange, Post, Thread, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template


def given_to_thread(
    key: str,
    walk: Walk,
    before: Walk,
    numbered: Sequence[tuple[int, ThreadPost]],
    found: ThreadPage,
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    ended: bool,
    verdict: Verdict,
) -> Read:
    """Return what a page gives to its thread: items when it is relevant, the count when it ended."""
    fresh = [(no, post) for no, post in numbered if no > walk.before]
    posts: tuple[Post, ...] = ()
    thread: Thread | None = None
    changes: tuple[PageChange, ...] = ()
    known: tuple[Post, ...] = ()
    if walk.relevant:
        known = tuple(
            _post(key, no, post, judging.template, fetched.at)
            for no, post in numbered
            if no <= walk.before
        )
        posts = tuple(_post(key, no, post, judging.template, fetched.at) for no, post in fresh)
        unheard = [(no, post) for no, post in fresh if no > before.posts]  # of this reading, too
        news = "".join(f"+{no} {post.author}: {post.text}\n" for no, post in unheard)
        walk = walk._replace(news=(walk.news + news)[:LONGEST_DIFF] if walk.before else "")
        if ended or walk.page == 1:
            thread = _thread(key, walk, numbered, found, fetched, waiting, verdict)
        if ended:
            changes = tuple(changes_of(key, walk, found.title, fetched.at))
    if ended:
        count = max(
            walk.replies if walk.replies is not None else -1, before.counted, walk.posts - 1, 0
        )
        walk = walk._replace(counted=count, walks=walk.walks + 1, news="")
    return Read(key, walk, ended, thread, posts, changes, known)


def _post(key: str, no: int, post: ThreadPost, template: Template, at: float) -> Post:
    hits = template.page_scorer.score("", post.text).hits
    return Post(key, no, post.author, post.posted, post.text, hits, at)


def _thread(
    key: str,
    walk: Walk,
    numbered: Sequence[tuple[int, ThreadPost]],
    found: ThreadPage,
    fetched: Fetched,
    waiting: Waiting,
    verdict: Verdict,
) -> Thread:
    opening = next((post for no, post in numbered if no == 1), None)
    dates = [post.posted for _, post in numbered if post.posted is not None]
    dates += [walk.last_reply] if walk.last_reply is not None else []
    return Thread(
        key,
        walk.url,
        waiting.site,
        found.title,
        walk.board_key,
        author=opening.author if opening is not None else walk.author,
        started=opening.posted if opening is not None else None,
        replies=max(walk.replies or 0, walk.posts - 1),  # the board may not have counted the last
        views=walk.views,
        replies_seen=walk.posts,
        last_reply=max(dates, default=None),
        score=verdict.score.score if walk.page == 1 else None,
        fetched=fetched.at,
    )
