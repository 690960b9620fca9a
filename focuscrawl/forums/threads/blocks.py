"""Which blocks of a page are posts.

Dates at the same place, each in a block with a name and more text: of the kinds of dates on a page that
one whose blocks are the most, are numbered, and say the most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice

from lxml import etree

from focuscrawl.forums.elements import BoardRow, Extent, pieces, rows_of, sign_of
from focuscrawl.forums.selectors import ForumSelectors
from focuscrawl.forums.threads.posts import Mark, author_of, dates_in, floors_of
from focuscrawl.forums.threads.texts import islands_in, marked_elements, says_something
from focuscrawl.forums.words import floor_in
from focuscrawl.pages.document import Document
from focuscrawl.pages.selectors import find

_EXTENTS: tuple[Extent, ...] = ("element", "neighbours")
MOST_POSTS = 500


def blocks_selected(
    document: Document, selectors: ForumSelectors, missed: list[str]
) -> tuple[list[BoardRow], list[Mark | None]]:
    """Return the blocks that a site's selector names, and the first date of each."""
    if selectors.post is None:
        return [], []
    found = find(document.root, selectors.post)[:MOST_POSTS]
    tops = list(dict.fromkeys(one for one in found if isinstance(one, etree._Element)))
    inner = set(tops)
    tops = [top for top in tops if inner.isdisjoint(top.iterancestors())]
    if not tops:
        missed.append("post")
    rows = [BoardRow((top,)) for top in tops]
    marks: list[Mark | None] = [next(dates_in(row, "UTC", None), None) for row in rows]
    return rows, marks


def blocks_found_out(
    document: Document, timezone: str, now: float | None, *, called: bool = False
) -> tuple[list[BoardRow], list[Mark | None]]:
    """Return the blocks around dates that stand at the same place; those with the most posts.

    ``called``: something says that the page is one of a thread, so that a post alone needs no number.
    """
    groups: dict[tuple[object, ...], list[Mark]] = defaultdict(list)
    for mark in dates_in(BoardRow((document.root,)), timezone, now, most=20_000):
        above = [sign_of(one) for one in islice((mark.element, *mark.element.iterancestors()), 3)]
        groups[tuple(above)].append(mark)
    best: tuple[list[BoardRow], list[Mark | None]] = ([], [])
    most = 0.0
    for marks in groups.values():
        rows, own = _blocks(marks, called=called)
        floors = [floor for floor in floors_of(rows) if floor]
        texts = sum(min(len(_all_text(row)), 200) for row in rows)
        weight = (len(rows) + 3 * len(floors)) * (50 + texts / max(1, len(rows)))
        if rows and weight > most:
            best, most = (rows, own), weight
    return best


def _blocks(marks: Sequence[Mark], *, called: bool) -> tuple[list[BoardRow], list[Mark | None]]:
    """Return the blocks of dates of one kind that have an author and more text than that."""
    firsts = list({mark.element: mark for mark in marks}.values())[:MOST_POSTS]
    if len(firsts) == 1:
        row = _alone(firsts[0].element, called=called)
        return ([row], [firsts[0]]) if row is not None else ([], [])
    found: tuple[list[BoardRow], list[Mark | None]] = ([], [])
    pairs = [(mark.element, index) for index, mark in enumerate(firsts)]
    for extent in _EXTENTS:
        rows: list[BoardRow] = []
        own: list[Mark | None] = []
        for row, mark in zip(rows_of(pairs, extent), firsts, strict=True):
            if _is_post(row, mark):
                rows.append(row)
                own.append(mark)
        if len(rows) > len(found[0]):
            found = (rows, own)
        if 2 * len(rows) > len(firsts):
            break
    return found


def _alone(element: etree._Element, *, called: bool) -> BoardRow | None:
    """Return the block of the only post of a page: it has a number, a name and a text; of a page
    that is ``called`` one of a thread, a name and a text that is nobody's.
    """
    for above in islice(element.iterancestors(), 12):
        if above.tag in {"body", "html"}:
            return None
        row = BoardRow((above,))
        author, named = author_of(row, ForumSelectors(), [])
        floor = floors_of([row])[0] if author else None
        if not author or (floor is None and not called):
            continue
        marked = marked_elements([element, floor[1] if floor else None, named])
        if floor is None:
            if any(says_something(island) for island in islands_in(row, marked)):
                return row
            continue
        rest = [piece for piece in pieces(row) if piece.element not in marked]
        if any(len(piece.text) > 1 and floor_in(piece.text) is None for piece in rest):
            return row
    return None


def _is_post(row: BoardRow, mark: Mark) -> bool:
    author, element = author_of(row, ForumSelectors(), [])
    if not author:
        return False
    rest = [p for p in pieces(row) if p.element is not element and p.element is not mark.element]
    return any(any(map(str.isalnum, piece.text)) for piece in rest)


def _all_text(row: BoardRow) -> str:
    return " ".join(piece.text for piece in pieces(row))
