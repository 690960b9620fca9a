"""Forums put on a crawl (A9): which pages are boards and threads, and what a board shows of its threads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.crawl.fetched import Fetched, Judging
from focuscrawl.forums.boards.board import Board, read_board
from focuscrawl.forums.selectors import ForumSelectors
from focuscrawl.forums.threads.thread import ThreadPage, is_thread, may_be_thread, read_thread
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.urls.sites import host_of
from focuscrawl.values import Link, LinkBatch, PageClass, Waiting

if TYPE_CHECKING:
    from focuscrawl.topic.table import Source
    from focuscrawl.topic.template import Template

FEWEST_THREADS = 3
"""Threads with counts that make a page under a forum source a board, whatever else is on it."""

TO_A_POST = re.compile(r"\?.*#(?:p|pid|post|msg|comment|reply|c)?[-_]?\d+$", re.IGNORECASE)

_LISTS = frozenset({PageClass.BOARD, PageClass.PAGING, PageClass.OTHER})


def forum_selectors(template: Template, site: str) -> ForumSelectors:
    """Return where the forum pages of a site have their parts, by the template."""
    rules = template.site(host_of(site))
    return ForumSelectors(
        rules.thread,
        rules.replies,
        rules.views,
        rules.post,
        rules.posted,
        rules.poster,
        rules.post_text,
    )


def is_forum(waiting: Waiting, judging: Judging) -> bool:
    """Whether a page was found through a source of kind forum."""
    return is_forum_source(waiting, judging.sources)


def is_forum_source(waiting: Waiting, sources: Mapping[str, Source]) -> bool:
    """Whether the source a page was found through is of kind forum."""
    source = sources.get(waiting.source_id)
    return source is not None and source.kind == "forum"


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
    judging: Judging,
    document: Document,
    hint: PageClass | None,
) -> ThreadPage | None:
    """Return a page's posts when it is one of a thread, by where it came from or by its looks."""
    called = hint is PageClass.THREAD or (waiting.first_key or waiting.key) in judging.walks
    if not called and (hint in {PageClass.ARTICLE, *_LISTS, PageClass.ARTICLE_PAGING}):
        return None
    if not called and not may_be_thread(document):
        return None
    page = read_thread(
        document,
        forum_selectors(judging.template, waiting.site),
        timezone=str(judging.template.topic.timezone),
        now=fetched.at,
        called=called,
    )
    return page if page is not None and (called or is_thread(page, document)) else None
