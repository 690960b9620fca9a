"""A page of a forum's thread: its posts with author, time, text and number.

Posts are blocks that repeat. Each holds a date at the same place, the name of who wrote it, mostly its
number (5楼, #5), and the rest is its text. An opening post that stands apart, over the replies, is one, too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice, pairwise
from typing import NamedTuple, cast

from lxml import etree

from focuscrawl.extract.document import Document, element_text
from focuscrawl.extract.forum_board import ForumSelectors
from focuscrawl.extract.forum_rows import (
    LONGEST_NAME,
    Extent,
    Piece,
    Row,
    elements_of,
    names_somebody,
    path_in,
    pieces,
    rows_of,
    sign_of,
)
from focuscrawl.extract.forum_words import (
    FLOOR_BESIDE,
    NAMED_FLOORS,
    NUMBER_ONLY_FLOOR,
    POSTED,
    floor_in,
)
from focuscrawl.extract.paragraphs import paragraphs
from focuscrawl.extract.selectors import find, text_of
from focuscrawl.text.dates import FoundDate, find_dates, read_date

EXTENTS: tuple[Extent, ...] = ("element", "neighbours")
MOST_POSTS = 500
LONGEST_POST = 100_000
LONGEST_TITLE = 500
LONGEST_PROSE = 150
"""Characters of a paragraph outside of all posts from which a page is an article with comments."""

NUMBERED = tuple(
    text.encode() for text in ("楼<", "樓<", "#<", ">#", "<sup>#", 'class="no"', 'class="floor')
)
"""How posts are numbered in markup; a page that has none of it twice is not asked for posts."""

FIND_HEADINGS = etree.XPath("//h1 | //h2 | //h3")
TITLE_END = re.compile(r"\s+[-–—|_]\s+|_|\s*\|\s*")
ABOUT_SOMEBODY = re.compile(
    r"sign|user|member|avatar|profile|pls|poster|author|rate|tool|button|action|foot|quick",
    re.IGNORECASE,
)
HOLDS_TEXT = re.compile(
    r"content|message|t_f|t_msg|body|post_?text|cooked|wrapper|reply_?con", re.IGNORECASE
)


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


class _Mark(NamedTuple):
    """A date in a page."""

    element: etree._Element
    date: FoundDate


def may_be_thread(document: Document) -> bool:
    """Whether it is worth the time to look for posts: something is numbered as posts are."""
    markup = document.markup
    return any(markup.count(sign) > 1 for sign in NUMBERED)


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
) -> ThreadPage | None:
    """Read the posts of a page; None when it has none. ``now`` dates "3 hours ago"."""
    missed: list[str] = []
    rows, marks = _selected(document, selectors, missed)
    if not rows:
        rows, marks = _found_out(document, timezone, now)
    if not rows:
        return None
    authors = [_author(row, selectors, missed) for row in rows]
    floors = _floors(rows)
    places = _text_places(rows, authors, marks, floors)
    posts, texts = [], []
    for row, author, mark, floor in zip(rows, authors, marks, floors, strict=True):
        marked = _marked([author[1], mark.element if mark else None, floor[1] if floor else None])
        text, element = _text(row, places, marked)
        posted = _posted(row, mark, selectors, missed, timezone, now)
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
        title[:LONGEST_TITLE],
        tuple(posts[:MOST_POSTS]),
        apart is not None and is_first,
        tuple(blocks),
        tuple(texts),
        tuple(dict.fromkeys(missed)),
    )


# Which blocks are posts ---------------------------------------------------------------------------


def _selected(
    document: Document, selectors: ForumSelectors, missed: list[str]
) -> tuple[list[Row], list[_Mark | None]]:
    if selectors.post is None:
        return [], []
    found = find(document.root, selectors.post)[:MOST_POSTS]
    tops = list(dict.fromkeys(one for one in found if isinstance(one, etree._Element)))
    inner = set(tops)
    tops = [top for top in tops if inner.isdisjoint(top.iterancestors())]
    if not tops:
        missed.append("post")
    rows = [Row((top,)) for top in tops]
    marks: list[_Mark | None] = [next(_dates(row, "UTC", None), None) for row in rows]
    return rows, marks


def _found_out(
    document: Document, timezone: str, now: float | None
) -> tuple[list[Row], list[_Mark | None]]:
    """Return the blocks around dates that stand at the same place; those with the most posts."""
    groups: dict[tuple[object, ...], list[_Mark]] = defaultdict(list)
    for mark in _dates(Row((document.root,)), timezone, now, most=20_000):
        above = [sign_of(one) for one in islice((mark.element, *mark.element.iterancestors()), 3)]
        groups[tuple(above)].append(mark)
    best: tuple[list[Row], list[_Mark | None]] = ([], [])
    most = 0.0
    for marks in groups.values():
        rows, own = _blocks(marks)
        floors = [floor for floor in _floors(rows) if floor]
        texts = sum(min(len(_all_text(row)), 200) for row in rows)
        weight = (len(rows) + 3 * len(floors)) * (50 + texts / max(1, len(rows)))
        if rows and weight > most:
            best, most = (rows, own), weight
    return best


def _blocks(marks: Sequence[_Mark]) -> tuple[list[Row], list[_Mark | None]]:
    """Return the blocks of dates of one kind that have an author and more text than that."""
    firsts = list({mark.element: mark for mark in marks}.values())[:MOST_POSTS]
    if len(firsts) == 1:
        row = _alone(firsts[0].element)
        return ([row], [firsts[0]]) if row is not None else ([], [])
    found: tuple[list[Row], list[_Mark | None]] = ([], [])
    pairs = [(mark.element, index) for index, mark in enumerate(firsts)]
    for extent in EXTENTS:
        rows: list[Row] = []
        own: list[_Mark | None] = []
        for row, mark in zip(rows_of(pairs, extent), firsts, strict=True):
            if _is_post(row, mark):
                rows.append(row)
                own.append(mark)
        if len(rows) > len(found[0]):
            found = (rows, own)
        if 2 * len(rows) > len(firsts):
            break
    return found


def _alone(element: etree._Element) -> Row | None:
    """Return the block of the only post of a page: it has a number, a name and a text."""
    for above in islice(element.iterancestors(), 12):
        if above.tag in {"body", "html"}:
            return None
        row = Row((above,))
        if any(_floors([row])) and _author(row, ForumSelectors(), [])[0]:
            marked = {element, *(floor[1] for floor in _floors([row]) if floor)}
            named = _author(row, ForumSelectors(), [])[1]
            rest = [p for p in pieces(row) if p.element not in marked and p.element is not named]
            if any(len(piece.text) > 1 and floor_in(piece.text) is None for piece in rest):
                return row
    return None


def _is_post(row: Row, mark: _Mark) -> bool:
    author, element = _author(row, ForumSelectors(), [])
    if not author:
        return False
    rest = [p for p in pieces(row) if p.element is not element and p.element is not mark.element]
    return any(any(map(str.isalnum, piece.text)) for piece in rest)


def _dates(row: Row, timezone: str, now: float | None, most: int = 400) -> Iterator[_Mark]:
    """Go through the elements that say a date, with the time of day or how long ago."""
    for element in islice(elements_of(row), most):
        said = (
            element.get("title", "") if element.tag in {"span", "time", "abbr", "em", "a"} else ""
        )
        texts = [said, element.get("datetime", ""), element.text or ""]
        texts += [child.tail or "" for child in element]
        for text in texts:
            if 3 < len(text.strip()) < LONGEST_NAME:
                date = next(find_dates(text, timezone=timezone, now=now), None)
                if date is not None and date.precision != "month":
                    yield _Mark(element, date)
                    break


# What a block says --------------------------------------------------------------------------------


def _author(
    row: Row, selectors: ForumSelectors, missed: list[str]
) -> tuple[str, etree._Element | None]:
    if selectors.poster is not None:
        name = next(filter(None, (text_of(one, selectors.poster) for one in row.elements)), "")
        if name:
            return name[:LONGEST_NAME], None
        missed.append("poster")
    for element in elements_of(row):
        if names_somebody(element):
            return element_text(element), element
    return "", None


def _posted(
    row: Row,
    mark: _Mark | None,
    selectors: ForumSelectors,
    missed: list[str],
    timezone: str,
    now: float | None,
) -> float | None:
    if selectors.posted is not None:
        text = next(filter(None, (text_of(one, selectors.posted) for one in row.elements)), "")
        date = read_date(POSTED.sub("", text), timezone=timezone, now=now) if text else None
        if date is not None:
            return date.seconds
        missed.append("posted")
    if selectors.post is not None:  # its marks were found without a zone
        mark = next(_dates(row, timezone, now), None)
    return mark.date.seconds if mark is not None else None


def _floors(rows: Sequence[Row]) -> list[tuple[int, etree._Element] | None]:
    """Return the number each post has on its page; numbers that do not ascend are none."""
    found = [_floor(row) for row in rows]
    numbers = [floor[0] for floor in found if floor]
    if len(set(numbers)) < len(numbers):  # 楼主 is a rank, too
        found = [floor if floor and not floor[2] else None for floor in found]
        numbers = [floor[0] for floor in found if floor]
    rises = all(a < b for a, b in pairwise(numbers))
    falls = all(a > b for a, b in pairwise(numbers))
    return [(floor[0], floor[1]) if floor and (rises or falls) else None for floor in found]


def _floor(row: Row) -> tuple[int, etree._Element, bool] | None:
    named: tuple[int, etree._Element, bool] | None = None
    for piece in pieces(row)[:80]:
        number, element = _floor_of(piece)
        if number is None:
            continue
        if piece.text in NAMED_FLOORS and not piece.text[0].isdigit():
            named = named or (number, element, True)
        else:
            return number, element, False
    return named


def _floor_of(piece: Piece) -> tuple[int | None, etree._Element]:
    element = piece.element
    number = floor_in(piece.text)
    if number is not None:
        return number, element
    if not any(map(str.isdigit, piece.text)):
        return None, element
    if len(piece.text) > 12:
        inside = FLOOR_BESIDE.search(piece.text) if len(piece.text) < LONGEST_NAME else None
        dated = inside and next(find_dates(piece.text), None)
        return (int(next(filter(None, inside.groups()))) if inside and dated else None), element
    if piece.text.isdecimal() and NUMBER_ONLY_FLOOR.search(element.get("class", "")):
        return int(piece.text), element
    above = element.getparent()
    if above is not None and len(above) <= 3:
        return floor_in(element_text(above).replace(" ", "")), above
    return None, element


# Which part of a block is its text ----------------------------------------------------------------


def _islands(row: Row, marked: set[etree._Element]) -> Iterator[etree._Element]:
    """Go through the largest elements of a block that hold no name, no date and no number."""
    around = {above for one in marked for above in (one, *one.iterancestors())}
    stack = [*reversed(row.elements)]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str) or element in marked or element in row.others:
            continue
        if element in around:
            stack.extend(reversed(element))
        else:
            yield element


def _text_places(
    rows: Sequence[Row],
    authors: Sequence[tuple[str, etree._Element | None]],
    marks: Sequence[_Mark | None],
    floors: Sequence[tuple[int, etree._Element] | None],
) -> list[tuple[str, ...]]:
    """Return the places of texts in blocks, that with most to say first: what differs, counts."""
    said: dict[tuple[str, ...], set[str]] = defaultdict(set)
    weights: Counter[tuple[str, ...]] = Counter()
    for row, author, mark, floor in zip(rows, authors, marks, floors, strict=True):
        marked = _marked([author[1], mark.element if mark else None, floor[1] if floor else None])
        for element in _islands(row, marked):
            text = element_text(element)
            place = path_in(element, row)
            if text and text not in said[place]:
                said[place].add(text)
                weights[place] += len(text) * _worth(element)
    return [place for place, _ in weights.most_common(1)]


def _worth(element: etree._Element) -> int:
    """Weigh an element by its class: what is called a message is, what is called a user is not."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    inner = " ".join(one.get("class", "") for one in islice(element.iter("div", "td", "p"), 8))
    if HOLDS_TEXT.search(names) or (HOLDS_TEXT.search(inner) and not ABOUT_SOMEBODY.search(names)):
        return 20
    return 1 if ABOUT_SOMEBODY.search(names) else 4


def _marked(elements: Sequence[etree._Element | None]) -> set[etree._Element]:
    return {element for element in elements if element is not None}


def _text(
    row: Row, places: Sequence[tuple[str, ...]], marked: set[etree._Element]
) -> tuple[str, etree._Element | None]:
    """Return the text of a post and the element that holds it; None: it is spread over the block."""
    for element in _islands(row, marked):
        if places and path_in(element, row) == places[0]:
            return paragraphs(deepcopy(element))[:LONGEST_POST], element
    rest = [piece.text for piece in pieces(row) if piece.element not in marked]
    if places:
        rest = [text for text in rest if len(text) > LONGEST_NAME]
    return "\n".join(rest)[:LONGEST_POST], None


def _all_text(row: Row) -> str:
    return " ".join(piece.text for piece in pieces(row))


# The title and the post below it ------------------------------------------------------------------


def _heading(document: Document, first: Row) -> etree._Element | None:
    """Return the heading that is the title: it stands before the posts and the page is named by it."""
    inside = {first.top, *first.top.iterancestors()}
    for heading in cast("list[etree._Element]", FIND_HEADINGS(document.root))[:50]:
        text = element_text(heading)
        if heading not in inside and len(text) > 1 and text in document.title:
            return heading
    return next(iter(cast("list[etree._Element]", document.root.xpath("//h1"))), None)


def _opening(
    heading: etree._Element | None, first: Row, timezone: str, now: float | None
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
    row = Row((region,))
    author, element = _author(row, ForumSelectors(), [])
    mark = next(_dates(row, timezone, now), None)
    if not author or mark is None:
        return None
    marked = _marked([element, mark.element, heading])
    texts = [one for one in _islands(row, marked) if len(element_text(one)) > 1]
    best = max(texts, key=lambda one: len(element_text(one)) * _worth(one), default=None)
    text = paragraphs(deepcopy(best))[:LONGEST_POST] if best is not None else ""
    return ThreadPost(1, author, mark.date.seconds, text), region
