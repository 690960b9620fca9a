"""Judge a page of a thread (A9): is it about the topic, and which page of it is read next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from focuscrawl.crawl.fetched import Fetched, Judged, Judging
from focuscrawl.crawl.paging import following
from focuscrawl.crawl.posts import given_to_thread
from focuscrawl.crawl.tell_apart import selectors_of, told_apart
from focuscrawl.crawl.verdict import Content, Verdict, verdict_of
from focuscrawl.forums.threads.thread import ThreadPage
from focuscrawl.forums.threads.walks import Walk, links_inside, numbered_posts
from focuscrawl.pages.document import Document
from focuscrawl.pages.links import FoundLink
from focuscrawl.values import Link, LinkBatch, Page, PageClass, Waiting


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
    numbered = list(numbered_posts(found, before, number))
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
        links_inside(found, links),
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
    read = given_to_thread(
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
