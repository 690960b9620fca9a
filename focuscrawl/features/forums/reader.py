"""Reads boards and threads from pages (A9): which pages they are, what a board shows of its threads, and
what a page of a thread gives to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.features.forums.board import Board, read_board
from focuscrawl.features.forums.elements import ForumSelectors
from focuscrawl.features.forums.threads.page import (
    ThreadPage,
    ThreadPost,
    is_thread,
    may_be_thread,
    read_thread,
)
from focuscrawl.features.forums.walks import (
    LONGEST_DIFF,
    Read,
    Walk,
    changes_of,
    links_inside,
    numbered_posts,
)
from focuscrawl.readers.links.continuations import following_pages, selectors_of, told_apart
from focuscrawl.readers.links.criteria import (
    Content,
    Criteria,
    OpenPage,
    PageReader,
    PageVerdict,
    verdict_of,
)
from focuscrawl.readers.pages.content import Fetched, Judged
from focuscrawl.readers.pages.feeds.feeds import Feed
from focuscrawl.readers.pages.feeds.sitemaps import Sitemap
from focuscrawl.readers.pages.kind import PageKind
from focuscrawl.readers.pages.links import FoundLink
from focuscrawl.readers.pages.table import Select
from focuscrawl.readers.relevance.scores import PageScorer
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, LinkBatch, PageChange, PageClass, Post, Thread, Waiting

if TYPE_CHECKING:
    from focuscrawl.template.table import Source

FEWEST_THREADS = (
    3  # with counts, that make a page under a forum source a board, whatever it is else
)
TO_A_POST = re.compile(r"\?.*#(?:p|pid|post|msg|comment|reply|c)?[-_]?\d+$", re.IGNORECASE)
_NO_THREAD = frozenset({
    PageClass.ARTICLE, PageClass.ARTICLE_PAGING, PageClass.BOARD, PageClass.PAGING, PageClass.OTHER,
})  # fmt: skip


def is_forum_source(waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether the source a page was found through is of kind forum."""
    source = sources.get(waiting.source_id)
    return source is not None and source.kind == "forum"


class ForumReader(PageReader):
    """Reads boards and threads. ``walks`` are the threads being read, by key."""

    def __init__(self, criteria: Criteria, walks: Mapping[bytes, Walk]) -> None:
        super().__init__(criteria)
        self._walks = walks
        self._timezone = str(criteria.template.topic.timezone)

    def recognise(self, page: OpenPage) -> PageKind | None:
        """Return that a page is one of a thread, or a board, when its posts or threads say so."""
        thread = self._thread_on(page)
        if thread is not None:
            page.left["thread"] = thread
            return PageKind(PageClass.THREAD, "its posts")
        if not is_forum_source(page.waiting, self.criteria.sources):
            return None
        page.left["board"] = board = read_board(
            page.document,
            page.links,
            self._selectors(page.waiting.site),
            timezone=self._timezone,
            now=page.fetched.at,
        )
        is_board = len(board.threads) >= FEWEST_THREADS and page.is_found_out
        return PageKind(PageClass.BOARD, "its threads") if is_board else None

    def judge(self, page: OpenPage) -> Judged | None:
        """Judge a page of a thread."""
        thread = page.left.get("thread")
        return self._judge_thread(page, thread) if thread is not None else None

    def add(self, page: OpenPage, judged: Judged) -> None:
        """Tell threads from other links of a board."""
        board, batch = page.left.get("board"), judged.batch
        if "thread" not in page.left:
            judged.unclear = self._unclear(page.waiting, batch, page.left.get("board"))
        if board is None or batch is None or not page.is_list:
            return
        batch = _without_jumps(batch, page.links)
        if board.threads:
            batch = _with_threads(batch, board)
            judged.missed, judged.beyond = (*judged.missed, *board.missed), board.beyond
        judged.batch = batch

    def add_to_feed(
        self, feed: Feed | Sitemap, fetched: Fetched, waiting: Waiting, judged: Judged
    ) -> None:
        """Say of a source of kind forum that it is none."""
        judged.unclear = self._unclear(waiting, judged.batch, None)

    def _unclear(self, waiting: Waiting, batch: LinkBatch | None, board: Board | None) -> str:
        """Return what a page should be and is not: a thread, or a board that a source names."""
        if waiting.page_class is PageClass.THREAD:
            return "threads"
        is_source = not waiting.parent_key and is_forum_source(waiting, self.criteria.sources)
        has_threads = board is not None and bool(board.threads) and batch is not None
        return "boards" if is_source and not has_threads else ""

    def _selectors(self, site: str) -> ForumSelectors:
        """Return where the forum pages of a site have their parts, by the template."""
        rules = self.criteria.template.site(host_of(site)).of(Select)
        return ForumSelectors(*(getattr(rules, name) for name in ForumSelectors._fields))

    def _thread_on(self, page: OpenPage) -> ThreadPage | None:
        """Return a page's posts when it is one of a thread, by where it came from or by its looks."""
        waiting, document = page.waiting, page.document
        called = page.hint is PageClass.THREAD or (waiting.first_key or waiting.key) in self._walks
        if not called and (page.hint in _NO_THREAD or not may_be_thread(document)):
            return None
        found = read_thread(
            document,
            self._selectors(waiting.site),
            timezone=self._timezone,
            now=page.fetched.at,
            called=called,
        )
        return found if found is not None and (called or is_thread(found, document)) else None

    def _judge_thread(self, page: OpenPage, found: ThreadPage) -> Judged:
        """Judge a page of a thread. It is about the topic, or not, by its first page; a thread that is
        not is read no further, and judged again when it has grown.
        """
        waiting, row = page.waiting, page.row
        key = waiting.first_key or waiting.key
        before = self._walks.get(key) or Walk(waiting.url, page_url=waiting.url)
        number = waiting.page_number if waiting.first_key else 1
        row.page_class = PageClass.THREAD if number == 1 else PageClass.ARTICLE_PAGING
        row.title = found.title or row.title
        numbered = list(numbered_posts(found, before, number))
        verdict = self._verdict(found, page)
        relevant = before.relevant or verdict.outcome in {"stored", "short"}
        row.relevant, row.score = relevant, verdict.score.score
        row.outcome, row.reason = verdict.outcome, verdict.reason
        if relevant:
            row.outcome, row.reason = ("stored" if number == 1 else "part"), ""
        selectors = selectors_of(self.criteria.template, waiting.site)
        _, further, missed, _ = told_apart(page.document, page.links, PageClass.ARTICLE, selectors)
        batch = LinkBatch(
            row.page_class,
            links_inside(found, page.links),
            tuple(further) if relevant else (),
            score=verdict.score.score,
            relevant=relevant,
            title=page.document.title,
        )
        # Page by page (until_known), so that the last one ends the walk.
        continuations = self._next_page(batch, waiting, before, number)
        batch = replace(batch, until_known=True, continuations=continuations)
        ended = not continuations
        last = max((no for no, _ in numbered), default=0)
        walk = before._replace(
            url=waiting.url if number == 1 else before.url,  # where it stands now
            posts=max(before.posts, last) if relevant else 0,
            page=number,
            page_url=waiting.url,
            page_posts=len(found.posts) if number == 1 and not ended else before.page_posts,
            apart=found.opening if number == 1 else before.apart,
            relevant=relevant,
            at=page.fetched.at,
            known=waiting.knows(_opened(numbered)) if number == 1 else before.known,
        )
        read = self._given(page, found, key.hex(), before, walk, numbered, verdict, ended=ended)
        return Judged(
            row,
            batch,
            why="its posts",
            missed=(*missed, *found.missed),
            read=read,
            groups=verdict.score.groups,
        )

    def _next_page(
        self, batch: LinkBatch, waiting: Waiting, walk: Walk, number: int
    ) -> tuple[Link, ...]:
        """Return the page of a thread to be read after this one: the last known one, else the next."""
        parent = waiting._replace(first_walk=True)
        rules = self.criteria.rules
        found = following_pages(list(batch.continuations), batch, parent, rules, 0, {})
        pages = {one.page_number: one.url for one, _ in found if one.page_number > number}
        if not pages:
            return ()
        if number < walk.page and walk.before:
            pages.setdefault(walk.page, walk.page_url)
        page = min(page for page in pages if page >= walk.page or not walk.before)
        return (Link(pages[page], str(page), PageClass.ARTICLE_PAGING),)

    def _verdict(self, found: ThreadPage, page: OpenPage) -> PageVerdict:
        waiting, criteria = page.waiting, self.criteria
        text = "\n".join(post.text for post in found.posts)
        dates = [post.posted for post in found.posts if post.posted is not None]
        content = Content(found.title, text, max(dates, default=None), "", False, waiting.layer)
        source = criteria.sources.get(waiting.source_id)
        return verdict_of(content, criteria.template, source, waiting.site, page.fetched.at)

    def _given(
        self,
        page: OpenPage,
        found: ThreadPage,
        key: str,
        before: Walk,
        walk: Walk,
        numbered: Sequence[tuple[int, ThreadPost]],
        verdict: PageVerdict,
        *,
        ended: bool,
    ) -> Read:
        """Return what a page gives to its thread: items when it is relevant, the count when it ended."""
        at, score = page.fetched.at, self.criteria.template.once(PageScorer.of).score
        posts: list[Post] = []
        thread: Thread | None = None
        changes: tuple[PageChange, ...] = ()
        if walk.relevant:
            posts = [
                Post(
                    *(key, no, post.author, post.posted, post.text),
                    *(score("", post.text).hits, at, page.waiting.knows(post.posted)),
                )
                for no, post in numbered
            ]
            unheard = [post for post in posts if post.post_no > max(walk.before, before.posts)]
            news = "".join(f"+{post.post_no} {post.author}: {post.text}\n" for post in unheard)
            walk = walk._replace(news=(walk.news + news)[:LONGEST_DIFF] if walk.before else "")
            if ended or walk.page == 1:
                thread = _thread(key, walk, numbered, found, page, verdict)
            if ended:
                changes = tuple(changes_of(key, walk, found.title, at))
        if ended:
            told = walk.replies if walk.replies is not None else -1
            count = max(told, before.counted, walk.posts - 1, 0)
            walk = walk._replace(counted=count, walks=walk.walks + 1, news="")
        fresh = tuple(post for post in posts if post.post_no > walk.before)
        known = tuple(post for post in posts if post.post_no <= walk.before)
        return Read(key, walk, ended, thread, fresh, changes, known)


def _thread(
    key: str,
    walk: Walk,
    numbered: Sequence[tuple[int, ThreadPost]],
    found: ThreadPage,
    page: OpenPage,
    verdict: PageVerdict,
) -> Thread:
    opening = next((post for no, post in numbered if no == 1), None)
    dates = [post.posted for _, post in numbered if post.posted is not None]
    dates += [walk.last_reply] if walk.last_reply is not None else []
    return Thread(
        key,
        walk.url,
        page.waiting.site,
        found.title,
        walk.board_key,
        author=opening.author if opening is not None else walk.author,
        started=opening.posted if opening is not None else None,
        replies=max(walk.replies or 0, walk.posts - 1),  # the board may not have counted the last
        views=walk.views,
        replies_seen=walk.posts,
        last_reply=max(dates, default=None),
        score=verdict.score.score if walk.page == 1 else None,
        fetched=page.fetched.at,
        known=walk.known,
    )


def _opened(numbered: Iterable[tuple[int, ThreadPost]]) -> float | None:
    """Return when the thread was opened, if its page says so."""
    return next((post.posted for no, post in numbered if no == 1), None)


def _with_threads(batch: LinkBatch, board: Board) -> LinkBatch:
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


def _without_jumps(batch: LinkBatch, links: Sequence[FoundLink]) -> LinkBatch:
    """Return the links of a page of a forum without those that jump to one post (?post=299#299): the
    thread is listed on its board, and under each of these addresses it would be another page.

    ``links`` are find_links' of the page, whose elements still have what stands behind the #.
    """
    jumps = {link.url for link in links if TO_A_POST.search(link.element.get("href", ""))}
    jumps -= {link.url for link in links if "#" not in link.element.get("href", "")}
    if not jumps:
        return batch
    return replace(batch, links=tuple(link for link in batch.links if link.url not in jumps))
