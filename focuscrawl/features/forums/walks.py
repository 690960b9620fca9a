"""How far a thread is read (A9).

A Walk is one reading of a thread, from its first page on or, when it has grown, from its last known
page on; what is left of it when it has ended tells the next one where to begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from focuscrawl.features.forums.elements import inside
from focuscrawl.features.forums.threads.page import ThreadPage, ThreadPost
from focuscrawl.readers.pages.links import NOFOLLOW, FoundLink
from focuscrawl.values import Link, PageChange, Post, Thread, change_key

LONGEST_DIFF = 64 * 1024  # characters of the text of new posts that a change tells


class Walk(NamedTuple):
    """A thread and how far it is read.

    ``replies``, ``views``, ``author`` and ``last_reply`` are what its board ``board_key`` (hex)
    says; None and "" when no board led to it. ``counted`` are its replies when a walk ended
    last, -1 before. ``posts`` is the number of its last known post, ``before`` that with which this
    walk began. ``page`` counts from 1 and has the address ``page_url``. ``apart``: its opening post
    stands apart and numbers do not count it. ``walks`` counts those that have ended, ``at`` is when
    something of it was done last (wall time). ``news`` is the text of new posts, ``known``: the thread itself
    stood there when its source was first read.
    """

    url: str
    board_key: str = ""
    replies: int | None = None
    views: int | None = None
    author: str = ""
    last_reply: float | None = None
    counted: int = -1
    posts: int = 0
    before: int = 0
    page: int = 1
    page_url: str = ""
    page_posts: int = 0
    apart: bool = False
    relevant: bool = False
    walks: int = 0
    at: float = 0.0
    news: str = ""
    known: bool = False


class Read(NamedTuple):
    """What a page gave to its thread, whose first page has ``key`` (hex); ``ended``: it was the last.

    ``posts`` are new, ``known`` those of an earlier reading, as they are now.
    """

    key: str
    walk: Walk
    ended: bool
    thread: Thread | None = None
    posts: tuple[Post, ...] = ()
    changes: tuple[PageChange, ...] = ()
    known: tuple[Post, ...] = ()


def numbered_posts(
    found: ThreadPage, walk: Walk, page_number: int
) -> Iterator[tuple[int, ThreadPost]]:
    """Give posts their numbers in the thread: 1 opens it, whatever the page calls it."""
    apart = found.opening if page_number == 1 else walk.apart or found.opening
    posts = found.posts[1:] if found.opening else found.posts
    if found.opening and page_number == 1:
        yield 1, found.posts[0]
    floors = [post.floor for post in posts if post.floor is not None]
    # Where replies are numbered from 1 although something opens the thread, or from 0 on
    shift = int(apart and 1 in floors) if page_number == 1 else int(apart)
    if page_number == 1 and floors and min(floors) == 0:
        shift = 1
    start = int(apart) + 1 if page_number == 1 else (page_number - 1) * walk.page_posts + 1
    for index, post in enumerate(posts):
        yield (post.floor + shift if post.floor is not None else start + index), post


def links_inside(found: ThreadPage, links: Sequence[FoundLink]) -> tuple[Link, ...]:
    """Return the links in posts that lead elsewhere: what stands around texts are tools and people."""
    are_inside = inside((link.element for link in links), found.texts)
    return tuple(
        Link(link.url, link.anchor, title=link.title, nofollow=NOFOLLOW in link.rel)
        for link, is_inside in zip(links, are_inside, strict=True)
        if is_inside
    )


def changes_of(key: str, walk: Walk, title: str, at: float) -> Iterator[PageChange]:
    """Tell that a thread is new, unless it is known, or that it has new replies."""
    if not walk.before and walk.known:
        return
    if not walk.before:
        yield PageChange(
            change_key(key, "new", walk.walks), at, key, walk.url, "new", "thread", title=title
        )
    elif walk.posts > walk.before:
        yield PageChange(
            change_key(key, "reply", walk.walks),
            *(at, key, walk.url, "reply", "thread"),
            fields={"replies": [walk.before - 1, walk.posts - 1]},
            diff=walk.news,
            title=title,
        )
