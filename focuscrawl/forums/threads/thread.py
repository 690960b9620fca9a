"""A page of a forum's thread: its posts with author, time, text and number.

Posts are blocks that repeat. Each holds a date at the same place, the name of who wrote it, mostly its
number (5楼, #5), and the rest is its text. An opening post that stands apart, over the replies, is one, too.
"""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.articles.titles import MOST_HEADINGS, TITLE_HEADINGS
from focuscrawl.forums.elements import BoardRow, elements_of
from focuscrawl.forums.selectors import ForumSelectors
from focuscrawl.forums.threads.blocks import MOST_POSTS, blocks_found_out, blocks_selected
from focuscrawl.forums.threads.posts import author_of, dates_in, floors_of, posted_at
from focuscrawl.forums.threads.texts import (
    LONGEST_POST,
    islands_in,
    marked_elements,
    text_in,
    text_places,
    text_selected,
    worth_of,
)
from focuscrawl.pages.document import Document, element_text
from focuscrawl.pages.paragraphs import paragraphs

_LONGEST_TITLE = 500
LONGEST_PROSE = 150
"""Characters of a paragraph outside of all posts from which a page is an article with comments."""

_NUMBERED = tuple(
    text.encode() for text in ("楼<", "樓<", "#<", ">#", "<sup>#", 'class="no"', 'class="floor')
)
"""How posts are numbered in markup; a page that has none of it twice is not asked for posts."""

TITLE_END = re.compile(r"\s+[-–—|_]\s+|_|\s*\|\s*")


class ThreadPost(NamedTuple):
    """A post; ``floor`` is the number the page gives it, ``posted`` in seconds since 1970 UTC."""

    floor: int | None
    author: str
    posted: float | None
    text: str


class ThreadPage(NamedTuple):
    """One page of a thread, posts in the page's order.

    ``opening``: the first of ``posts`` stands apart from the others, which are numbered without it.
    ``blocks`` are the elements of the posts, ``texts`` those of their texts. ``missed`` names
    selectors that found nothing.
    """

    title: str
    posts: tuple[ThreadPost, ...]
    opening: bool = False
    blocks: tuple[etree._Element, ...] = ()
    texts: tuple[etree._Element, ...] = ()
    missed: tuple[str, ...] = ()


def may_be_thread(document: Document) -> bool:
    """Whether it is worth the time to look for posts: something is numbered as posts are."""
    markup = document.markup
    return any(markup.count(sign) > 1 for sign in _NUMBERED)


def is_thread(page: ThreadPage, document: Document) -> bool:
    """Whether a page that nobody called a thread is one: numbered posts and no text but theirs.

    An article with comments has its own text outside of them. One post alone shows nothing: many
    an article has a name, a date and a number beside them.
    """
    numbered = sum(post.floor is not None for post in page.posts)
    if len(page.posts) < 2 or page.opening or 5 * numbered < 4 * len(page.posts):
        return False
    own = set(page.blocks)
    for element in document.root.iter("p", "div", "td", "article", "section"):
        text = "".join([element.text or "", *(child.tail or "" for child in element)])
        if len(text) < LONGEST_PROSE or len("".join(text.split())) < LONGEST_PROSE:
            continue
        if own.isdisjoint((element, *element.iterancestors())):
            return False
    return True


def read_thread(
    document: Document,
    selectors: ForumSelectors = ForumSelectors(),  # noqa: B008 - frozen
    *,
    timezone: str = "UTC",
    now: float | None = None,
    called: bool = False,
) -> ThreadPage | None:
    """Read the posts of a page; None when it has none. ``now`` dates "3 hours ago".

    ``called``: a board or a link says that it is one of a thread.
    """
    missed: list[str] = []
    rows, marks = blocks_selected(document, selectors, missed)
    if not rows:
        rows, marks = blocks_found_out(document, timezone, now, called=called)
    if not rows:
        return None
    authors = [author_of(row, selectors, missed) for row in rows]
    floors = floors_of(rows)
    places = text_places(rows, authors, marks, floors)
    posts, texts = [], []
    for row, author, mark, floor in zip(rows, authors, marks, floors, strict=True):
        marked = marked_elements(
            [author[1], mark.element if mark else None, floor[1] if floor else None]
        )
        text, element = text_selected(row, selectors, missed) or text_in(row, places, marked)
        posted = posted_at(row, mark, selectors, missed, timezone, now)
        posts.append(ThreadPost(floor[0] if floor else None, author[0], posted, text))
        texts += [element] if element is not None else []
    heading = _heading(document, rows[0])
    apart = _opening(heading, rows[0], timezone, now) if selectors.post is None else None
    is_first = not posts[0].floor or posts[0].floor != 1 or apart is not None
    posts = [apart[0], *posts] if apart is not None and is_first else posts
    blocks = [element for row in rows for element in row.elements]
    if apart is not None and is_first:
        blocks.append(apart[1])
        texts.append(apart[1])
    title = element_text(heading) if heading is not None else TITLE_END.split(document.title)[0]
    return ThreadPage(
        title[:_LONGEST_TITLE],
        tuple(posts[:MOST_POSTS]),
        apart is not None and is_first,
        tuple(blocks),
        tuple(texts),
        tuple(dict.fromkeys(missed)),
    )


def _heading(document: Document, first: BoardRow) -> etree._Element | None:
    """Return the heading that is the title: it stands before the posts and the page is named by it."""
    inside = {first.top, *first.top.iterancestors()}
    for heading in islice(document.root.iter(*TITLE_HEADINGS), MOST_HEADINGS):
        text = element_text(heading)
        if heading not in inside and len(text) > 1 and text in document.title:
            return heading
    return next(iter(cast("list[etree._Element]", document.root.xpath("//h1"))), None)


def _opening(
    heading: etree._Element | None, first: BoardRow, timezone: str, now: float | None
) -> tuple[ThreadPost, etree._Element] | None:
    """Return an opening post that stands apart: under the title, with a name and a date."""
    if heading is None or any(heading is one for one in elements_of(first)):
        return None
    around = {first.top, *first.top.iterancestors()}
    region = heading
    for above in heading.iterancestors():
        if above in around:
            break
        region = above
    row = BoardRow((region,))
    author, element = author_of(row, ForumSelectors(), [])
    mark = next(dates_in(row, timezone, now), None)
    if not author or mark is None:
        return None
    marked = marked_elements([element, mark.element, heading])
    texts = [one for one in islands_in(row, marked) if len(element_text(one)) > 1]
    best = max(texts, key=lambda one: len(element_text(one)) * worth_of(one), default=None)
    text = paragraphs(deepcopy(best))[:LONGEST_POST] if best is not None else ""
    return ThreadPost(1, author, mark.date.seconds, text), region
