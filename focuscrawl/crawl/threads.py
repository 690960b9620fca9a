"""Forums put on a crawl (A9): boards whose counts are read, threads that are read on where they grew.

A Walk is one reading of a thread, from its first page on or, when it has grown, from its last known
page on; what is left of it when it has ended tells the next one where to begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.crawl.fetched import Fetched, Judged, Judging, selectors_of, told_apart
from focuscrawl.crawl.paging import following
from focuscrawl.crawl.verdict import Content, Verdict, verdict_of
from focuscrawl.extract.document import Document
from focuscrawl.extract.forum_board import Board, read_board
from focuscrawl.extract.forum_selectors import ForumSelectors
from focuscrawl.extract.forum_thread import (
    ThreadPage,
    ThreadPost,
    is_thread,
    may_be_thread,
    read_thread,
)
from focuscrawl.extract.links import FoundLink
from focuscrawl.urls.sites import host_of
from focuscrawl.values import (
    Link,
    LinkBatch,
    Page,
    PageChange,
    PageClass,
    Post,
    Thread,
    Waiting,
    change_key,
)

if TYPE_CHECKING:
    from focuscrawl.topic.template import Template

LONGEST_DIFF = 64 * 1024
"""Characters of the text of new posts that a change tells."""

FEWEST_THREADS = 3
"""Threads with counts that make a page under a forum source a board, whatever else is on it."""

LISTS = frozenset({PageClass.BOARD, PageClass.PAGING, PageClass.OTHER})


class Walk(NamedTuple):
    """A thread and how far it is read.

    ``replies``, ``views``, ``author`` and ``last_reply`` are what its board ``board_key`` (hex)
    says; None and "" when no board led to it. ``counted`` are the replies it had when a walk ended
    last, -1 before. ``posts`` is the number of its last known post, ``before`` that with which this
    walk began. ``page`` counts from 1 and has the address ``page_url``. ``apart``: its opening post
    stands apart and numbers do not count it. ``walks`` counts those that have ended, ``at`` is when
    something of it was done last (wall time). ``news`` is the text of new posts.
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


class Read(NamedTuple):
    """What a page gave to its thread, whose first page has ``key`` (hex); ``ended``: it was the last."""

    key: str
    walk: Walk
    ended: bool
    thread: Thread | None = None
    posts: tuple[Post, ...] = ()
    changes: tuple[PageChange, ...] = ()


def forum_selectors(template: Template, site: str) -> ForumSelectors:
    """Return where the forum pages of a site have their parts, by the template."""
    rules = template.site(host_of(site))
    return ForumSelectors(
        rules.thread, rules.replies, rules.views, rules.post, rules.posted, rules.poster
    )


def is_forum(waiting: Waiting, judging: Judging) -> bool:
    """Whether a page was found through a source of kind forum."""
    source = judging.sources.get(waiting.source_id)
    return source is not None and source.kind == "forum"


# Boards -------------------------------------------------------------------------------------------


def board_of(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    document: Document,
    links: Sequence[FoundLink],
) -> Board | None:
    """Return what a page of a forum shows of threads; None for pages of other sources."""
    if not is_forum(waiting, judging):
        return None
    template = judging.template
    return read_board(
        document,
        links,
        forum_selectors(template, waiting.site),
        timezone=str(template.topic.timezone),
        now=fetched.at,
    )


def with_threads(batch: LinkBatch, board: Board) -> LinkBatch:
    """Return the links of a board: of what stands in a thread's row only the thread itself."""
    titles = {thread.url for thread in board.threads}
    others = [
        link for link in batch.links if link.url not in board.inside and link.url not in titles
    ]
    threads = [Link(thread.url, thread.title, PageClass.THREAD) for thread in board.threads]
    return replace(batch, links=(*others, *threads), threads=board.threads)


# Threads ------------------------------------------------------------------------------------------


def thread_of(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    document: Document,
    hint: PageClass | None,
) -> ThreadPage | None:
    """Return a page's posts when it is one of a thread, by where it came from or by its looks."""
    called = hint is PageClass.THREAD or (waiting.first_key or waiting.key) in judging.walks
    if not called and (hint in {PageClass.ARTICLE, *LISTS, PageClass.ARTICLE_PAGING}):
        return None
    if not called and not may_be_thread(document):
        return None
    page = read_thread(
        document,
        forum_selectors(judging.template, waiting.site),
        timezone=str(judging.template.topic.timezone),
        now=fetched.at,
    )
    return page if page is not None and (called or is_thread(page, document)) else None


def judge_thread(
    fetched: Fetched,
    waiting: Waiting,
    judging: Judging,
    document: Document,
    links: Sequence[FoundLink],
    page: Page,
    found: ThreadPage,
) -> Judged:
    """Judge a page of a thread. It is about the topic, or not, by its first page; a thread that is
    not is read no further, and judged again when it has grown.
    """
    key = waiting.first_key or waiting.key
    before = judging.walks.get(key) or Walk(waiting.url, page_url=waiting.url)
    number = waiting.page_number if waiting.first_key else 1
    page.page_class = PageClass.THREAD if number == 1 else PageClass.ARTICLE_PAGING
    page.title = found.title or page.title
    numbered = list(_numbered(found, before, number))
    verdict = _verdict(found, waiting, judging, fetched)
    relevant = before.relevant or verdict.outcome in {"stored", "short"}
    page.relevant, page.score = relevant, verdict.score.score
    page.outcome, page.reason = verdict.outcome, verdict.reason
    if relevant:
        page.outcome, page.reason = ("stored" if number == 1 else "part"), ""
    selectors = selectors_of(judging.template, waiting.site)
    _, further, missed = told_apart(document, links, PageClass.ARTICLE, selectors)
    batch = LinkBatch(
        page.page_class,
        _links_inside(found, links),
        tuple(further) if relevant else (),
        until_known=True,  # page by page, so that the last one ends the walk
        score=verdict.score.score,
        relevant=relevant,
        title=document.title,
    )
    batch = replace(batch, continuations=_next_page(batch, waiting, judging, before, number))
    ended = not batch.continuations
    last = max((no for no, _ in numbered), default=0)
    walk = before._replace(
        posts=max(before.posts, last) if relevant else 0,
        page=number,
        page_url=waiting.url,
        page_posts=len(found.posts) if number == 1 and not ended else before.page_posts,
        apart=found.opening if number == 1 else before.apart,
        relevant=relevant,
        at=fetched.at,
    )
    read = _read(
        key.hex(), walk, before, numbered, found, fetched, waiting, judging, ended, verdict
    )
    return Judged(page, batch, why="its posts", missed=(*missed, *found.missed), read=read)


def _next_page(
    batch: LinkBatch, waiting: Waiting, judging: Judging, walk: Walk, number: int
) -> tuple[Link, ...]:
    """Return the page of a thread to be read after this one: the last known one, else the next."""
    found = following(
        list(batch.continuations),
        replace(batch, until_known=False),
        waiting._replace(first_walk=True),
        judging.rules,
        0,
        {},
    )
    pages = {one.page_number: one.url for one, _ in found if one.page_number > number}
    if not pages:
        return ()
    if number < walk.page and walk.before:
        pages.setdefault(walk.page, walk.page_url)
    page = min(page for page in pages if page >= walk.page or not walk.before)
    return (Link(pages[page], str(page), PageClass.ARTICLE_PAGING),)


def _verdict(found: ThreadPage, waiting: Waiting, judging: Judging, fetched: Fetched) -> Verdict:
    text = "\n".join(post.text for post in found.posts)
    dates = [post.posted for post in found.posts if post.posted is not None]
    content = Content(found.title, text, max(dates, default=None), "", False, waiting.layer)
    source = judging.sources.get(waiting.source_id)
    return verdict_of(content, judging.template, source, waiting.site, fetched.at)


def _numbered(found: ThreadPage, walk: Walk, page_number: int) -> Iterator[tuple[int, ThreadPost]]:
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


def _links_inside(found: ThreadPage, links: Sequence[FoundLink]) -> tuple[Link, ...]:
    """Return the links in posts that lead elsewhere: what stands around texts are tools and people."""
    own = set(found.texts)
    return tuple(
        Link(link.url, link.anchor, title=link.title)
        for link in links
        if not own.isdisjoint((link.element, *link.element.iterancestors()))
    )


def _read(
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
    if walk.relevant:
        posts = tuple(_post(key, no, post, judging.template, fetched.at) for no, post in fresh)
        unheard = [(no, post) for no, post in fresh if no > before.posts]  # of this reading, too
        news = "".join(f"+{no} {post.author}: {post.text}\n" for no, post in unheard)
        walk = walk._replace(news=(walk.news + news)[:LONGEST_DIFF] if walk.before else "")
        if ended or walk.page == 1:
            thread = _thread(key, walk, numbered, found, fetched, waiting, verdict)
        if ended:
            changes = tuple(_changes(key, walk, found.title, fetched.at))
    if ended:
        count = max(
            walk.replies if walk.replies is not None else -1, before.counted, walk.posts - 1, 0
        )
        walk = walk._replace(counted=count, walks=walk.walks + 1, news="")
    return Read(key, walk, ended, thread, posts, changes)


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
        replies=walk.replies if walk.replies is not None else max(0, walk.posts - 1),
        views=walk.views,
        replies_seen=walk.posts,
        last_reply=max(dates, default=None),
        score=verdict.score.score if walk.page == 1 else None,
        fetched=fetched.at,
    )


def _changes(key: str, walk: Walk, title: str, at: float) -> Iterator[PageChange]:
    """Tell that a thread is new, or has new replies."""
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
