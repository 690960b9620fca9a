"""Forums put on a crawl (A9): which pages are boards and threads, what a board shows of its threads, and
what a page of a thread gives to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.crawl.verdict import Content, PageVerdict, verdict_of
from focuscrawl.forums.board import Board, read_board
from focuscrawl.forums.elements import ForumSelectors
from focuscrawl.forums.thread import (
    ThreadPage,
    ThreadPost,
    is_thread,
    may_be_thread,
    read_thread,
)
from focuscrawl.forums.walks import (
    LONGEST_DIFF,
    Read,
    Walk,
    changes_of,
    links_inside,
    numbered_posts,
)
from focuscrawl.links.continuations import following_pages, selectors_of, told_apart
from focuscrawl.links.criteria import Criteria
from focuscrawl.pages.content import Fetched, Judged
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.pages.table import Select
from focuscrawl.relevance.page_score import PageScorer
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, LinkBatch, Page, PageChange, PageClass, Post, Thread, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template

FEWEST_THREADS = 3
"""Threads with counts that make a page under a forum source a board, whatever else is on it."""

TO_A_POST = re.compile(r"\?.*#(?:p|pid|post|msg|comment|reply|c)?[-_]?\d+$", re.IGNORECASE)

_LISTS = frozenset({PageClass.BOARD, PageClass.PAGING, PageClass.OTHER})


def forum_selectors(template: Template, site: str) -> ForumSelectors:
    """Return where the forum pages of a site have their parts, by the template."""
    rules = template.site(host_of(site)).of(Select)
    return ForumSelectors(
        rules.thread,
        rules.replies,
        rules.views,
        rules.post,
        rules.posted,
        rules.poster,
        rules.post_text,
    )


def is_forum(waiting: Waiting, criteria: Criteria) -> bool:
    """Whether a page was found through a source of kind forum."""
    return is_forum_source(waiting, criteria.sources)


def is_forum_source(waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether the source a page was found through is of kind forum."""
    source = sources.get(waiting.source_id)
    return source is not None and source.kind == "forum"


def board_of(
    fetched: Fetched,
    waiting: Waiting,
    criteria: Criteria,
    document: Document,
    links: Sequence[FoundLink],
) -> Board | None:
    """Return what a page of a forum shows of threads; None for pages of other sources."""
    if not is_forum(waiting, criteria):
        return None
    template = criteria.template
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
    wanted = {link.url for link in batch.links if not link.nofollow}
    marked = {link.url for link in batch.links if link.nofollow} - wanted
    threads = [
        Link(thread.url, thread.title, PageClass.THREAD, nofollow=thread.url in marked)
        for thread in board.threads
    ]
    return replace(batch, links=(*others, *threads), threads=board.threads)


def without_jumps(batch: LinkBatch, links: Sequence[FoundLink]) -> LinkBatch:
    """Return the links of a page of a forum without those that jump to one post (?post=299#299): the
    thread is listed on its board, and under each of these addresses it would be another page.

    ``links`` are find_links' of the page, whose elements still have what stands behind the #.
    """
    jumps = {link.url for link in links if TO_A_POST.search(link.element.get("href", ""))}
    jumps -= {link.url for link in links if "#" not in link.element.get("href", "")}
    if not jumps:
        return batch
    return replace(batch, links=tuple(link for link in batch.links if link.url not in jumps))


def thread_of(
    fetched: Fetched,
    waiting: Waiting,
    criteria: Criteria,
    walks: Mapping[bytes, Walk],
    document: Document,
    hint: PageClass | None,
) -> ThreadPage | None:
    """Return a page's posts when it is one of a thread, by where it came from or by its looks."""
    called = hint is PageClass.THREAD or (waiting.first_key or waiting.key) in walks
    if not called and (hint in {PageClass.ARTICLE, *_LISTS, PageClass.ARTICLE_PAGING}):
        return None
    if not called and not may_be_thread(document):
        return None
    page = read_thread(
        document,
        forum_selectors(criteria.template, waiting.site),
        timezone=str(criteria.template.topic.timezone),
        now=fetched.at,
        called=called,
    )
    return page if page is not None and (called or is_thread(page, document)) else None


def judge_thread(
    fetched: Fetched,
    waiting: Waiting,
    criteria: Criteria,
    walks: Mapping[bytes, Walk],
    document: Document,
    links: Sequence[FoundLink],
    page: Page,
    found: ThreadPage,
) -> Judged:
    """Judge a page of a thread. It is about the topic, or not, by its first page; a thread that is
    not is read no further, and judged again when it has grown.
    """
    key = waiting.first_key or waiting.key
    before = walks.get(key) or Walk(waiting.url, page_url=waiting.url)
    number = waiting.page_number if waiting.first_key else 1
    page.page_class = PageClass.THREAD if number == 1 else PageClass.ARTICLE_PAGING
    page.title = found.title or page.title
    numbered = list(numbered_posts(found, before, number))
    verdict = _verdict(found, waiting, criteria, fetched)
    relevant = before.relevant or verdict.outcome in {"stored", "short"}
    page.relevant, page.score = relevant, verdict.score.score
    page.outcome, page.reason = verdict.outcome, verdict.reason
    if relevant:
        page.outcome, page.reason = ("stored" if number == 1 else "part"), ""
    selectors = selectors_of(criteria.template, waiting.site)
    _, further, missed = told_apart(document, links, PageClass.ARTICLE, selectors)
    batch = LinkBatch(
        page.page_class,
        links_inside(found, links),
        tuple(further) if relevant else (),
        until_known=True,  # page by page, so that the last one ends the walk
        score=verdict.score.score,
        relevant=relevant,
        title=document.title,
    )
    batch = replace(batch, continuations=_next_page(batch, waiting, criteria, before, number))
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
    read = given_to_thread(
        key.hex(), walk, before, numbered, found, fetched, waiting, criteria, ended, verdict
    )
    return Judged(page, batch, why="its posts", missed=(*missed, *found.missed), read=read)


def _next_page(
    batch: LinkBatch, waiting: Waiting, criteria: Criteria, walk: Walk, number: int
) -> tuple[Link, ...]:
    """Return the page of a thread to be read after this one: the last known one, else the next."""
    found = following_pages(
        list(batch.continuations),
        replace(batch, until_known=False),
        waiting._replace(first_walk=True),
        criteria.rules,
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


def _verdict(
    found: ThreadPage, waiting: Waiting, criteria: Criteria, fetched: Fetched
) -> PageVerdict:
    text = "\n".join(post.text for post in found.posts)
    dates = [post.posted for post in found.posts if post.posted is not None]
    content = Content(found.title, text, max(dates, default=None), "", False, waiting.layer)
    source = criteria.sources.get(waiting.source_id)
    return verdict_of(content, criteria.template, source, waiting.site, fetched.at)


def given_to_thread(
    key: str,
    walk: Walk,
    before: Walk,
    numbered: Sequence[tuple[int, ThreadPost]],
    found: ThreadPage,
    fetched: Fetched,
    waiting: Waiting,
    criteria: Criteria,
    ended: bool,
    verdict: PageVerdict,
) -> Read:
    """Return what a page gives to its thread: items when it is relevant, the count when it ended."""
    fresh = [(no, post) for no, post in numbered if no > walk.before]
    posts: tuple[Post, ...] = ()
    thread: Thread | None = None
    changes: tuple[PageChange, ...] = ()
    known: tuple[Post, ...] = ()
    if walk.relevant:
        known = tuple(
            _post(key, no, post, criteria.template, fetched.at)
            for no, post in numbered
            if no <= walk.before
        )
        posts = tuple(_post(key, no, post, criteria.template, fetched.at) for no, post in fresh)
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
    hits = template.once(PageScorer.of).score("", post.text).hits
    return Post(key, no, post.author, post.posted, post.text, hits, at)


def _thread(
    key: str,
    walk: Walk,
    numbered: Sequence[tuple[int, ThreadPost]],
    found: ThreadPage,
    fetched: Fetched,
    waiting: Waiting,
    verdict: PageVerdict,
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
