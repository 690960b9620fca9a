"""A page of a forum's thread: its posts with author, time, text and number (A9).

Posts are blocks that repeat. Each holds a date at the same place, the name of who wrote it, mostly its
number (5楼, #5), and the rest is its text. An opening post that stands apart, over the replies, is one, too.
Of the kinds of dates on a page that one is taken whose blocks are the most, are numbered, and say the most.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.forums.elements import (
    BoardRow,
    Extent,
    ForumSelectors,
    elements_of,
    pieces,
    rows_of,
    sign_of,
)
from focuscrawl.forums.posts import (
    LONGEST_POST,
    Mark,
    PostBlock,
    author_of,
    author_selected,
    dates_in,
    floors_of,
    islands_in,
    posted_at,
    says_something,
    text_in,
    text_place,
    text_selected,
    worth_of,
)
from focuscrawl.forums.words import floor_in
from focuscrawl.pages.document import Document
from focuscrawl.pages.selectors import find
from focuscrawl.pages.texts import element_text, paragraphs, top_headings

_EXTENTS: tuple[Extent, ...] = ("element", "neighbours")
MOST_POSTS = 500


def blocks_selected(
    document: Document, selectors: ForumSelectors, missed: list[str]
) -> list[PostBlock]:
    """Return the blocks that a site's selector names, with the first date of each."""
    if selectors.post is None:
        return []
    found = find(document.root, selectors.post)[:MOST_POSTS]
    tops = dict.fromkeys(one for one in found if isinstance(one, etree._Element))
    rows = [BoardRow((top,)) for top in tops if tops.keys().isdisjoint(top.iterancestors())]
    if not rows:
        missed.append("post")
    return [PostBlock(row, next(dates_in(row, "UTC", None), None)) for row in rows]


def blocks_found_out(
    document: Document, timezone: str, now: float | None, *, called: bool = False
) -> list[PostBlock]:
    """Return the blocks around dates that stand at the same place; those with the most posts.

    ``called``: something says that the page is one of a thread, so that a post alone needs no number.
    """
    groups: dict[tuple[object, ...], list[Mark]] = defaultdict(list)
    for mark in dates_in(BoardRow((document.root,)), timezone, now, most=20_000):
        above = [sign_of(one) for one in islice((mark.element, *mark.element.iterancestors()), 3)]
        groups[tuple(above)].append(mark)
    found = (_blocks(marks, called=called) for marks in groups.values())
    return max(filter(None, found), key=_weight, default=[])


def _weight(blocks: Sequence[PostBlock]) -> float:
    """Return how much blocks look like posts: many, numbered, and long."""
    rows = [block.row for block in blocks]
    floors = sum(floor is not None for floor in floors_of(rows))
    texts = sum(min(len(" ".join(piece.text for piece in pieces(row))), 200) for row in rows)
    return (len(rows) + 3 * floors) * (50 + texts / len(rows))


def _blocks(marks: Sequence[Mark], *, called: bool) -> list[PostBlock]:
    """Return the blocks of dates of one kind that have an author and more text than that."""
    firsts = list({mark.element: mark for mark in marks}.values())[:MOST_POSTS]
    if len(firsts) == 1:
        row = _alone(firsts[0].element, called=called)
        return [PostBlock(row, firsts[0])] if row is not None else []
    best: list[PostBlock] = []
    pairs = [(mark.element, index) for index, mark in enumerate(firsts)]
    for extent in _EXTENTS:
        rows = zip(rows_of(pairs, extent), firsts, strict=True)
        blocks = [PostBlock(row, mark) for row, mark in rows if _is_post(row, mark)]
        best = max(best, blocks, key=len)
        if 2 * len(blocks) > len(firsts):
            break
    return best


def _alone(element: etree._Element, *, called: bool) -> BoardRow | None:
    """Return the block of the only post of a page: it has a number, a name and a text; of a page
    that is ``called`` one of a thread, a name and a text that is nobody's.
    """
    for above in islice(element.iterancestors(), 12):
        if above.tag in {"body", "html"}:
            return None
        row = BoardRow((above,))
        author, named = author_of(row)
        floor = floors_of([row])[0] if author else None
        if not author or (floor is None and not called):
            continue
        marked = {element, *PostBlock(row, None, author, named, floor).marked}
        if floor is None:
            says_more = any(map(says_something, islands_in(row, marked)))
        else:
            rest = [piece.text for piece in pieces(row) if piece.element not in marked]
            says_more = any(len(text) > 1 and floor_in(text) is None for text in rest)
        if says_more:
            return row
    return None


def _is_post(row: BoardRow, mark: Mark) -> bool:
    author, element = author_of(row)
    if not author:
        return False
    rest = [p for p in pieces(row) if p.element is not element and p.element is not mark.element]
    return any(any(map(str.isalnum, piece.text)) for piece in rest)


_LONGEST_TITLE = 500
# Characters of a paragraph outside of all posts from which a page is an article with comments.
LONGEST_PROSE = 150

# How posts are numbered in markup; a page that has none of it twice is not asked for posts.
_NUMBERED = tuple(
    text.encode() for text in ("楼<", "樓<", "#<", ">#", "<sup>#", 'class="no"', 'class="floor')
)

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
    blocks = blocks_selected(document, selectors, missed)
    blocks = blocks or blocks_found_out(document, timezone, now, called=called)
    if not blocks:
        return None
    rows = [block.row for block in blocks]
    found = [
        PostBlock(row, mark, *author_selected(row, selectors, missed), floor)
        for (row, mark, *_), floor in zip(blocks, floors_of(rows), strict=True)
    ]
    place = text_place(found)
    posts, texts = [], []
    for block in found:
        text, element = text_selected(block.row, selectors, missed) or text_in(block, place)
        posted = posted_at(block.row, block.mark, selectors, missed, timezone, now)
        posts.append(
            ThreadPost(block.floor[0] if block.floor else None, block.author, posted, text)
        )
        texts += [element] if element is not None else []
    heading = _heading(document, rows[0])
    apart = _opening(heading, rows[0], timezone, now) if selectors.post is None else None
    elements = [element for row in rows for element in row.elements]
    if apart is not None:
        posts.insert(0, apart[0])
        elements.append(apart[1])
        texts.append(apart[1])
    title = element_text(heading) if heading is not None else TITLE_END.split(document.title)[0]
    return ThreadPage(
        title[:_LONGEST_TITLE],
        tuple(posts[:MOST_POSTS]),
        apart is not None,
        tuple(elements),
        tuple(texts),
        tuple(dict.fromkeys(missed)),
    )


def _heading(document: Document, first: BoardRow) -> etree._Element | None:
    """Return the heading that is the title: it stands before the posts and the page is named by it."""
    inside = {first.top, *first.top.iterancestors()}
    for heading in top_headings(document.root):
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
    author, element = author_of(row)
    mark = next(dates_in(row, timezone, now), None)
    if not author or mark is None:
        return None
    marked = {mark.element, heading, *PostBlock(row, None, author, element).marked}
    texts = [one for one in islands_in(row, marked) if len(element_text(one)) > 1]
    best = max(texts, key=lambda one: len(element_text(one)) * worth_of(one), default=None)
    text = paragraphs(deepcopy(best))[:LONGEST_POST] if best is not None else ""
    return ThreadPost(1, author, mark.date.seconds, text), region
