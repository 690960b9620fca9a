"""Rows of a forum's page, the pieces of text in them, and where a template says that its parts stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Literal, NamedTuple

from lxml import etree

from focuscrawl.values import Selector

_MOST_PIECES_OF_POST = 400  # pieces of text of one row that are looked at
MOST_ROWS = 500
_LONGEST_WAY = 24  # from a mark to its row: hostile pages nest 800 deep
_MOST_COLUMNS = 64  # before a cell in its row; no board has as many columns
LONGEST_NAME = 60  # characters of a name or of a text with a date

# Where a row ends when there is only one.
SINGLE = frozenset(("li", "tr", "tbody", "article", "dl", "section"))

UNREAD = frozenset(("script", "style", "noscript", "template", "textarea", "select", "button"))

Extent = Literal["element", "neighbours", "tagged"]
RowPath = tuple[str, ...]  # where in its row something stands
Sign = tuple[str, str]  # what rows of one list have in common: tag and first class


class BoardRow(NamedTuple):
    """The elements of one row: one, or neighbours; what lies below ``others`` but its own is not."""

    elements: tuple[etree._Element, ...]
    others: frozenset[etree._Element] = frozenset()

    @property
    def top(self) -> etree._Element:
        """Its first element."""
        return self.elements[0]


class TextPiece(NamedTuple):
    """A piece of text and the element it stands in; ``tail`` counts the children before it."""

    element: etree._Element
    text: str
    tail: int


def outward(element: etree._Element) -> Iterator[etree._Element]:
    """Go through an element and those it stands in, as far as is asked for.

    A tuple of them costs 10 ms in tables nested 650 deep, and so 4 s for the 200 numbers of a board.
    """
    return chain((element,), element.iterancestors())


def inside(elements: Iterable[etree._Element], roots: Iterable[etree._Element]) -> Iterator[bool]:
    """Tell of each element whether it stands in one of some roots, or is one.

    What was passed once is remembered: links nested 800 deep took 12 s else.
    """
    known = dict.fromkeys(roots, True)
    for element in elements:
        passed: list[etree._Element] = []
        for one in outward(element):
            passed.append(one)
            if one in known:
                break
        is_inside = known.get(passed[-1], False)
        known.update(dict.fromkeys(passed, is_inside))
        yield is_inside


def rows_of(
    marks: Sequence[tuple[etree._Element, Hashable]], extent: Extent = "element"
) -> list[BoardRow]:
    """Return the row of each mark, given with what it marks; marks of one thing share a row.

    ``extent`` neighbours: a row goes on over the elements behind it, up to the next row; tagged: it
    is the nearest element that is called a row or an entry.
    """
    below: dict[etree._Element, Hashable] = {}
    mixed: set[etree._Element] = set()
    for element, thing in marks:
        for above in outward(element):
            if above in mixed:
                break
            if below.setdefault(above, thing) != thing:
                mixed.add(above)
    several = len({thing for _, thing in marks}) > 1
    by_tag = extent == "tagged" or not several
    tops = [_single(element) if by_tag else _top(element, mixed) for element, _ in marks]
    most, times = Counter(map(sign_of, tops)).most_common(1)[0] if tops else (("", ""), 0)
    if 2 * times > len(tops):
        tops = [_like(top, most, mark) for top, (mark, _) in zip(tops, marks, strict=True)]
    elif not by_tag:
        tops = _alike([element for element, _ in marks], tops)
    every = frozenset(tops)
    on = extent == "neighbours"
    behind = (islice(_behind(top, below), _MOST_PIECES_OF_POST) if on else () for top in tops)
    # One set for all: a set of its own for each row cost half a second on a page of 1,500.
    return [BoardRow((top, *more), every) for top, more in zip(tops, behind, strict=True)]


def sign_of(element: etree._Element) -> Sign:
    """Return what an element shares with others of its list."""
    return str(element.tag), next(iter(element.get("class", "").split()), "").rstrip("0123456789")


def _like(top: etree._Element, most: Sign, mark: etree._Element) -> etree._Element:
    """Return a row, or the element in it or above it that is like most rows."""
    near = chain((top,), reversed(_way(mark, top)), islice(top.iterancestors(), 8))
    return next((one for one in near if sign_of(one) == most), top)


def _alike(marks: Sequence[etree._Element], tops: Sequence[etree._Element]) -> list[etree._Element]:
    """Return rows that have no form in common, or their parts that have one: answers within answers."""
    pairs = [*zip(tops, marks, strict=True)]
    signs = [[sign_of(one) for one in reversed(_way(mark, top))] for top, mark in pairs]
    common = Counter(chain.from_iterable(map(set, signs)))
    times = max(common.values(), default=0)
    if 2 * times <= len(tops):
        return [*tops]
    outermost = next(one for one in chain.from_iterable(signs) if common[one] == times)
    return [_like(top, outermost, mark) for top, mark in pairs]


def _way(mark: etree._Element, top: etree._Element) -> list[etree._Element]:
    """Return the elements from that above a mark to its row."""
    above = [] if mark is top else [*islice(mark.iterancestors(), _LONGEST_WAY)]
    return above[: above.index(top) + 1] if top in above else above


def _top(element: etree._Element, mixed: set[etree._Element]) -> etree._Element:
    top = element
    for above in element.iterancestors():
        if above in mixed:
            break
        top = above
    return top


def _single(element: etree._Element) -> etree._Element:
    for above in islice(element.iterancestors(), 6):
        if above.tag in SINGLE:
            return above
    parent = element.getparent()
    return element if parent is None or parent.tag in {"body", "html"} else parent


def _behind(top: etree._Element, taken: Container[etree._Element]) -> Iterator[etree._Element]:
    for after in top.itersiblings():
        if after in taken:
            return
        if isinstance(after.tag, str):
            yield after


def pieces(row: BoardRow, most: int = _MOST_PIECES_OF_POST) -> list[TextPiece]:
    """Return the first pieces of text of a row, in order."""
    own = (piece for element in row.elements for piece in _pieces(element, row.others))
    return list(islice(own, most))


def elements_of(row: BoardRow) -> Iterator[etree._Element]:
    """Go through all elements of a row."""
    for root in row.elements:
        stack = [iter((root,))]  # a row may have a hundred thousand children, and few are asked for
        while stack:
            element = next(stack[-1], None)
            if element is None:
                stack.pop()
            elif isinstance(element.tag, str) and (element is root or element not in row.others):
                yield element
                stack.append(element.iterchildren())


def _pieces(root: etree._Element, others: frozenset[etree._Element]) -> Iterator[TextPiece]:
    """Go through the pieces below an element; of its children only those that are come to."""
    if text := _own_text(root):
        yield TextPiece(root, text, 0)
    open_ones = [(root, 0, _children(root))]
    while open_ones:
        element, place, children = open_ones[-1]
        index, child = next(children, (0, None))
        if child is None:
            open_ones.pop()
            if open_ones and (text := (element.tail or "").strip()):
                yield TextPiece(open_ones[-1][0], text, place)
        elif child not in others:
            if text := _own_text(child):
                yield TextPiece(child, text, 0)
            open_ones.append((child, index, _children(child)))


def _own_text(element: etree._Element) -> str:
    """Return the text before an element's first child, "" where readers see none."""
    is_read = isinstance(element.tag, str) and element.tag not in UNREAD
    return (element.text or "").strip() if is_read else ""


def _children(element: etree._Element) -> Iterator[tuple[int, etree._Element]]:
    is_read = isinstance(element.tag, str) and element.tag not in UNREAD
    return enumerate(element, 1) if is_read else iter(())


def path_in(element: etree._Element, row: BoardRow) -> RowPath:
    """Return where in its row an element stands: tags, with the column of a cell, else the class."""
    path: list[str] = []
    own = row.elements
    while element not in own:
        above = element.getparent()
        if above is None:
            break
        path.append(_step(element))
        element = above
    if element in own[1:]:
        path.append(str(own.index(element)))
    return tuple(path)


def _step(element: etree._Element) -> str:
    tag = str(element.tag)
    if tag in {"td", "th"}:
        return f"{tag}{column_of(element)}"
    name = sign_of(element)[1]
    return f"{tag}.{name}" if name else tag


def column_of(cell: etree._Element) -> int:
    """Return the column of a cell, cells that span several counted so."""
    column = 0
    for before in islice(cell.itersiblings(preceding=True), _MOST_COLUMNS):
        if before.tag in {"td", "th"}:
            span = before.get("colspan", "1")
            column += min(int(span), 50) if span.isdecimal() and len(span) < 4 else 1
    return column


class ForumSelectors(NamedTuple):
    """Where a site's pages have their parts: rows of a board, posts of a thread; None: found out."""

    thread: Selector | None = None
    replies: Selector | None = None
    views: Selector | None = None
    post: Selector | None = None
    posted: Selector | None = None
    poster: Selector | None = None
    post_text: Selector | None = None
