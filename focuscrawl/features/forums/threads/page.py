"""A page of a forum's thread: its posts with author, time, text and number (A9).

The page is cut into blocks (blocks.py), their authors and times are read where all of them say them
(places.py), and the rest is text (texts.py). An opening post that stands apart, over the replies, is
one, too. A site's selectors win where they find something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import NamedTuple, cast
from urllib.parse import urlsplit

from lxml import etree

from focuscrawl.features.forums.elements import (
    LONGEST_NAME,
    BoardRow,
    ForumSelectors,
    elements_of,
    pieces,
    sign_of,
)
from focuscrawl.features.forums.threads.authors import FEWEST_FOR_AUTHOR, is_member_link
from focuscrawl.features.forums.threads.blocks import MOST_POSTS, best_cut, owners_of
from focuscrawl.features.forums.threads.outline import Outline, outline_of
from focuscrawl.features.forums.threads.places import authors_of, clues_in, most_common, times_of
from focuscrawl.features.forums.threads.texts import (
    PostBlock,
    floors_of,
    islands_in,
    like_most,
    longest_text,
    says_something,
    text_selected,
    texts_of,
)
from focuscrawl.features.forums.threads.times import day_order
from focuscrawl.features.forums.words import POSTED, floor_in
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.selectors import find, text_of
from focuscrawl.readers.pages.texts import element_text, top_headings
from focuscrawl.readers.text.dates import read_date

_LONGEST_THREAD_TITLE = 500
# Characters of a paragraph outside of all posts from which a page is an article with comments.
LONGEST_PROSE = 150
# Lengths are compared here: sorting what an expression picks from among many neighbours took 3 s.
_FIND_TEXTS = etree.XPath("//body/descendant::text()", smart_strings=False)
_MOST_SHORT = 4_000

# How posts are numbered in markup; a page that has none of it twice is not asked for posts.
_FLOOR_MARKS = tuple(text.encode() for text in ("楼<", "樓<", 'class="no"', 'class="floor'))
# Most pages have no # in them, or few: three marks with it, each looked for by itself, took 30 µs of 14 kB, this takes 1.
_FLOOR_SIGN = re.compile(rb"#(?:<|(?<=>#))")
# What pages of threads call their posts, in attributes; what they state of themselves.
# In lower case, each with a beginning of its own that is looked for at once: asked of every page, one
# expression for both and for any case took .23 ms of 14 kB.
_POST_IDS = (
    re.compile(
        rb"""id=["']?(?:post|pid|p|comment|reply|answer|message|msg|floor|elcomment|post_message|postmessage)[_-]?\d+"""
    ),
    re.compile(rb"""data-(?:pid|cid|post-?id|reply-?id|answer-?id|number|floor)=["']?\d+"""),
)
_STATEMENTS_OF_THREAD = (b"DiscussionForumPosting", b"QAPage", b"schema.org/Question")
_SCHEMA = b"schema.org"  # where pages state anything of themselves
_FORUM_IDS = re.compile(
    rb"""(?:\sid=["']?(?:post|pid|p|post_message|postmessage|msg|message)[_-]?|data-(?:pid|cid|post-?id|reply-?id|number|floor)=["']?)\d+""",
    re.IGNORECASE,
)
# Addresses of threads, and what forums tell of each member beside a post.
_THREAD_PATH = re.compile(
    r"thread|topic|viewtopic|discussion|/questions?/|/q/\d|/t/|/d/|/p/\d|tid=|/forums?/|/bbs|//bbs|//forums?\.|tieba|read\.php",
    re.IGNORECASE,
)
_OF_MEMBERS = re.compile(
    r"注册时间|註冊時間|积分|積分|帖子|主题|威望|精华|金钱|经验|\bjoined\b|\bposts?\b|\bmessages\b|reputation|registered",
    re.IGNORECASE,
)

_OPENER = frozenset(("楼主", "樓主", "题主", "題主", "OP", "Topic starter", "Thread starter"))

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
    if any(markup.count(sign) > 1 for sign in _FLOOR_MARKS):
        return True
    if next(islice(_FLOOR_SIGN.finditer(markup), 1, None), None) is not None:
        return True
    if _SCHEMA in markup and any(one in markup for one in _STATEMENTS_OF_THREAD):
        return True
    if _THREAD_PATH.search(urlsplit(document.url).path):
        return True
    # A page called a thread is read, however long; what only looks like one must not be too large.
    lower, most = markup.lower(), 4 * MOST_POSTS
    found = chain.from_iterable(form.finditer(lower) for form in _POST_IDS)
    return 1 < len({one[0] for one in islice(found, most)}) < most


def is_thread(page: ThreadPage, document: Document) -> bool:
    """Whether a page that was not called a thread is one: it states so, or two signs say so (numbered
    posts alone, its address, what it tells of members, ids of posts) and all its text is in posts.

    An article with comments has its own text outside of them. One post alone shows nothing: many
    an article has a name, a date and a number beside them.
    """
    count = len(page.posts)
    if count < 2:
        return False
    if any(one in document.markup for one in _STATEMENTS_OF_THREAD):
        return True
    numbered = sum(post.floor is not None for post in page.posts[page.opening :])
    is_numbered = 5 * numbered >= 4 * (count - page.opening)
    is_called = _THREAD_PATH.search(document.url) is not None
    of_members = sum(_tells_of_a_member(block) for block in page.blocks)
    has_ids = len({*_FORUM_IDS.findall(document.markup)}) >= count - page.opening
    signs = 2 * is_numbered + is_called + (2 * of_members >= len(page.blocks)) + has_ids
    if not is_numbered and _is_list(page.blocks):
        return False
    if page.opening and sign_of(page.blocks[0]) != sign_of(page.blocks[1]):
        return is_called and signs > 1
    return signs > 1 and not _has_prose(document, set(page.blocks))


_BESIDE_A_NAME = 60  # pieces of text of a block among which is what it tells of its author


def _tells_of_a_member(block: etree._Element) -> bool:
    texts = (piece.text for piece in pieces(BoardRow((block,)), _BESIDE_A_NAME))
    return any(len(text) < LONGEST_NAME and _OF_MEMBERS.search(text) for text in texts)


def _is_list(blocks: Sequence[etree._Element]) -> bool:
    """Whether most blocks have a heading of their own that leads elsewhere: a list of articles."""
    links = (
        next(heading.iter("a"), None)
        for block in blocks
        for heading in islice(block.iter("h1", "h2", "h3", "h4"), 1)
    )
    titles = [element_text(one) for one in links if one is not None and not is_member_link(one)]
    own = {title for title in titles if len(title) > 8}
    return 2 * len(own) > len(blocks)


def _has_prose(document: Document, own: set[etree._Element]) -> bool:
    for element in document.root.iter("p", "div", "td", "article", "section"):
        text = "".join([element.text or "", *(child.tail or "" for child in element)])
        if len(text) < LONGEST_PROSE or len("".join(text.split())) < LONGEST_PROSE:
            continue
        if own.isdisjoint((element, *element.iterancestors())):
            return True
    return False


def read_thread(
    document: Document,
    selectors: ForumSelectors = ForumSelectors(),  # noqa: B008 - frozen
    *,
    timezone: str = "UTC",
    now: float | None = None,
    called: bool = False,
) -> ThreadPage | None:
    """Read the posts of a page; None when it has none. ``now`` dates "3 hours ago".

    ``called``: a board or a link says that it is one of a thread, so that a post alone needs no number.
    """
    missed: list[str] = []
    short = (text for text in cast("list[str]", _FIND_TEXTS(document.root)) if 7 < len(text) < 60)
    order = day_order(islice(short, _MOST_SHORT))
    outline = outline_of(document.root, timezone, now, order)
    rows = _selected(document, selectors, missed)
    is_selected = bool(rows)
    rows = rows or _found_out(outline, called=called)
    if not rows:
        return None
    blocks = _read(outline, rows, selectors, missed, timezone, now)
    if not is_selected:
        blocks = like_most([block for block in blocks if block.author])
    if not blocks:
        return None
    heading = _heading(document, blocks[0].row)
    apart = _opening(outline, heading, blocks) if selectors.post is None else None
    found = [*([apart] if apart is not None else ()), *blocks]
    texts: list[etree._Element] = []
    posts: list[ThreadPost] = []
    own = texts_of(blocks)
    if apart is not None:
        own.insert(0, longest_text(apart))
    is_apart = apart is not None or _opens_unnumbered(blocks)
    for block, (text, element) in zip(found, own, strict=True):
        chosen = text_selected(block.row, selectors, missed)
        text, element = chosen if chosen is not None else (text, element)
        posts.append(ThreadPost(block.floor, block.author, block.posted, text))
        texts += [element] if element is not None else []
    title = element_text(heading) if heading is not None else TITLE_END.split(document.title)[0]
    return ThreadPage(
        title[:_LONGEST_THREAD_TITLE],
        tuple(posts[:MOST_POSTS]),
        is_apart,
        tuple(element for block in found for element in block.row.elements),
        tuple(texts),
        tuple(dict.fromkeys(missed)),
    )


def _opens_unnumbered(blocks: Sequence[PostBlock]) -> bool:
    """Whether the first post stands before the one that has number 1."""
    return len(blocks) > 1 and blocks[0].floor is None and blocks[1].floor == 1


def _found_out(outline: Outline, *, called: bool) -> list[BoardRow]:
    """Return the blocks of a page's posts; the only post of a page is weighed against lists beside it."""
    cut = best_cut(outline)
    rows = cut.rows if cut is not None else []
    if cut is not None and cut.worth >= _ENOUGH_POINTS:
        return rows
    alone = _alone(outline, called=called)
    if alone is None or any(_overlap(alone.top, row.top) for row in rows):
        return rows
    owners = owners_of(outline, [alone])
    own = sum(said for said, owner in zip(outline.prose, owners, strict=True) if owner == 0)
    return [alone] if cut is None or own > cut.worth else rows


def _overlap(one: etree._Element, other: etree._Element) -> bool:
    return one is other or one in other.iterancestors() or other in one.iterancestors()


_ENOUGH_POINTS = (
    250.0  # worth of a cut from which no post alone is weighed against it: eight short posts
)


def _selected(document: Document, selectors: ForumSelectors, missed: list[str]) -> list[BoardRow]:
    """Return the blocks that a site's selector names."""
    if selectors.post is None:
        return []
    found = find(document.root, selectors.post)[:MOST_POSTS]
    tops = dict.fromkeys(one for one in found if isinstance(one, etree._Element))
    rows = [BoardRow((top,)) for top in tops if tops.keys().isdisjoint(top.iterancestors())]
    if not rows:
        missed.append("post")
    return rows


def _read(
    outline: Outline,
    rows: Sequence[BoardRow],
    selectors: ForumSelectors,
    missed: list[str],
    timezone: str,
    now: float | None,
) -> list[PostBlock]:
    """Read who wrote each block and when, and its number."""
    owners = owners_of(outline, rows)
    names = clues_in(outline, rows, owners, outline.names)
    stamps = clues_in(outline, rows, owners, outline.stamps)
    authors, times = authors_of(names), times_of(stamps)
    usual = [most_common(one and one.place for one in clues) for clues in (authors, times)]
    blocks: list[PostBlock] = []
    found = zip(rows, authors, times, floors_of(rows), strict=True)
    for number, (row, author, time, floor) in enumerate(found):
        name = author.value.text if author is not None else ""
        posted = time.value.date.seconds if time is not None else None
        marked = {one.element for one in (author, time) if one is not None}
        marked |= {floor[1]} if floor is not None else set()
        others = {one.element for own in (names[number], stamps[number]) for one in own} - marked
        said = _said(row, selectors, "poster", missed)
        moment = _said(row, selectors, "posted", missed)
        date = read_date(POSTED.sub("", moment), timezone=timezone, now=now) if moment else None
        blocks.append(
            PostBlock(
                row,
                said[:LONGEST_NAME] or name,
                date.seconds if date is not None else posted,
                floor[0] if floor is not None else None,
                frozenset(marked - {row.top}),
                sum(
                    one is not None and one.place == place
                    for one, place in zip((author, time), usual, strict=True)
                ),
                frozenset(others - {row.top}),
            )
        )
    return blocks


def _said(row: BoardRow, selectors: ForumSelectors, name: str, missed: list[str]) -> str:
    """Return what a site's selector finds in a post, "" without one."""
    selector = getattr(selectors, name)
    if selector is None:
        return ""
    text = next(filter(None, (text_of(one, selector) for one in row.elements)), "")
    if not text:
        missed.append(name)
    return text


def _alone(outline: Outline, *, called: bool) -> BoardRow | None:
    """Return the block of the only post of a page: it has a number, a name and a text; on a page
    ``called`` one of a thread, a name and a text outside of all marks.
    """
    named = {
        outline.elements[place]
        for place, name in outline.names.items()
        if name.weight >= FEWEST_FOR_AUTHOR
    }
    numbered = {outline.elements[place] for place in outline.floors}
    # Who and which number first stand in an element: moments of one list share all that is above them.
    first: dict[etree._Element, tuple[etree._Element | None, etree._Element | None]] = {}
    for place, stamp in islice(outline.stamps.items(), 50):
        if stamp.weight < 0:
            continue
        for above in islice(outline.elements[place].iterancestors(), 12):
            if above.tag in {"body", "html"}:
                break
            if above not in first:
                first[above] = _first_inside(above, named), _first_inside(above, numbered)
            author, floor = first[above]
            if author is None or (floor is None and not called):
                continue
            row = BoardRow((above,))
            marked = {outline.elements[place], author, *([floor] if floor is not None else ())}
            if floor is None:
                has_text = any(map(says_something, islands_in(row, marked)))
            else:
                has_text = _says_more(row, marked)
            if has_text:
                return row
    return None


def _first_inside(
    element: etree._Element, those: AbstractSet[etree._Element]
) -> etree._Element | None:
    return next((one for one in islice(element.iter(), 2_000) if one in those), None)


def _says_more(row: BoardRow, marked: AbstractSet[etree._Element]) -> bool:
    """Whether a numbered post says more than its marks, and than further numbers."""
    rest = [piece.text for piece in pieces(row) if piece.element not in marked]
    return any(len(text) > 1 and floor_in(text) is None for text in rest)


def _heading(document: Document, first: BoardRow) -> etree._Element | None:
    """Return the heading that is the title: it stands before the posts and the page is named by it."""
    inside = {first.top, *first.top.iterancestors()}
    for heading in top_headings(document.root):
        text = element_text(heading)
        if heading not in inside and len(text) > 1 and text in document.title:
            return heading
    for element in islice(
        document.root.iter("h1", "h4", "h5", "strong", "b", "a", "span", "td"), 2_000
    ):
        if element.tag == "h1":
            return element
        text = element_text(element) if len(element) < 4 and element not in inside else ""
        if (
            len(text) > 4
            and document.title.startswith(text)
            and first.top not in element.iterancestors()
        ):
            return element
    return None


def _opener(blocks: Sequence[PostBlock]) -> str:
    """Return who opened a thread by a reply that says so of its author, "" when none does."""
    for block in blocks:
        if any(piece.text.strip("| ·") in _OPENER for piece in pieces(block.row)[:40]):
            return block.author
    return ""


def _opening(
    outline: Outline, heading: etree._Element | None, blocks: Sequence[PostBlock]
) -> PostBlock | None:
    """Return an opening post that stands apart: what comes before the others, with a title, a name, a
    moment that is none of theirs, and a text.
    """
    first = blocks[0]
    if heading is None or any(heading is one for one in elements_of(first.row)):
        return None
    earliest = min((one.posted for one in blocks if one.posted is not None), default=None)
    for row in _before(first, heading):
        owners = owners_of(outline, [row])
        names = clues_in(outline, [row], owners, outline.names)
        author = authors_of(names)[0]
        if author is not None and author.value.weight < FEWEST_FOR_AUTHOR:
            author = None
        time = times_of(clues_in(outline, [row], owners, outline.stamps))[0]
        if time is None or (author is None and first.floor != 2):
            continue
        if author is not None and sum(one.place == author.place for one in names[0]) > 2:
            return None  # a list of other threads
        if earliest is not None and time.value.date.seconds > earliest + 86_400:
            continue
        marked = {time.element, heading} | ({author.element} if author is not None else set())
        name = author.value.text if author is not None else _opener(blocks)
        block = PostBlock(row, name, time.value.date.seconds, 1, frozenset(marked))
        if _says_the_same(block, first):
            return None
        if longest_text(block)[0]:
            return block
    return None


def _before(first: PostBlock, heading: etree._Element) -> Iterator[BoardRow]:
    """Go outwards from the first reply, each time with all that comes before it from the title on.

    Before a post that is numbered 1 nothing opens the thread but what holds the title.
    """
    around = {heading, *heading.iterancestors()}
    before: list[etree._Element] = []
    for node in (first.row.top, *first.row.top.iterancestors()):
        if node.tag in {"body", "html"}:
            return
        ahead = [one for one in node.itersiblings(preceding=True) if isinstance(one.tag, str)]
        before = [*reversed(ahead), *before]
        titled = next((place for place, one in enumerate(before) if one in around), None)
        if ahead and not (titled is None and first.floor == 1):
            yield BoardRow(tuple(before[titled or 0 :]))


def _says_the_same(head: PostBlock, first: PostBlock) -> bool:
    """Whether what heads a page says of the thread what its first post says: who, and when."""
    posted = head.posted or 0.0
    return head.author == first.author and abs(posted - (first.posted or posted)) < 86_400
