"""Which parts of a page are its posts: the cut that explains most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from lxml import etree

from focuscrawl.features.forums.elements import BoardRow, Extent, rows_of, sign_of
from focuscrawl.features.forums.threads.authors import FEWEST_FOR_AUTHOR
from focuscrawl.features.forums.threads.outline import Outline

MOST_POSTS = 500
_MOST_MARKS = 1_000  # of one kind: a page with more posts is read so far
_MOST_BLOCK_GROUPS = 24  # kinds of marks that are tried, the most frequent first
_ENOUGH_PROSE = 300  # characters of a post above which it explains no more
# Share of its worth that a cut loses whose posts have nothing in common: between posts stand
# summaries and advertisements with a name and a moment of their own.
_UNLIKE = 0.25
_EXTENTS: tuple[Extent, ...] = ("element", "neighbours")
# Items of schema.org that are posts; a Comment is one only where it is part of no answer.
_POSTINGS = ("DiscussionForumPosting", "SocialMediaPosting", "Question", "Answer")
_REMARKS = ("Comment", "UserComments")


class PageCut(NamedTuple):
    """A page cut into blocks; ``owners`` gives for each element of the outline its block, -1: none."""

    rows: list[BoardRow]
    owners: list[int]
    worth: float


class _Content(NamedTuple):
    prose: list[int]
    named: list[bool]
    dated: list[bool]
    numbered: list[bool]


def best_cut(outline: Outline) -> PageCut | None:
    """Return how a page is cut into two posts and more; None when it shows fewer."""
    stated = _stated(outline)
    if stated is not None:
        return stated
    cuts: list[PageCut] = []
    seen: set[frozenset[etree._Element]] = set()
    for marks in _groups(outline):
        pairs: list[tuple[etree._Element, Hashable]] = [
            (outline.elements[one], one) for one in marks
        ]
        for extent in _EXTENTS:
            rows = _distinct(rows_of(pairs, extent))
            tops = frozenset(one for row in rows for one in row.elements)
            if tops in seen or len(rows) < 2:
                continue
            seen.add(tops)
            cut = _of(outline, rows)
            if cut is not None:
                cuts.append(cut)
    best = max(cuts, key=_rank, default=None)
    return None if best is None else _around(outline, best, cuts)


def _rank(cut: PageCut) -> tuple[float, int]:
    """Order cuts: of two that explain as much, the one whose posts are fewer elements."""
    return round(cut.worth), -sum(len(row.elements) for row in cut.rows)


def _around(outline: Outline, best: PageCut, cuts: Iterable[PageCut]) -> PageCut:
    """Return a cut whose posts hold the blocks of the best one: those are comments below posts."""
    inner = {row.top for row in best.rows}
    outer = [
        cut
        for cut in cuts
        if cut is not best
        and 2 <= len(cut.rows) < len(best.rows)
        and _holds(outline, cut, best, inner)
    ]
    return max(outer, key=lambda cut: len(cut.rows), default=best)


def _holds(outline: Outline, cut: PageCut, best: PageCut, inner: set[etree._Element]) -> bool:
    tops = [place for place, one in enumerate(outline.elements) if one in inner]
    inside = [place for place in tops if cut.owners[place] >= 0]
    is_alike = len({sign_of(row.top) for row in cut.rows}) == 1
    if not is_alike or len({cut.owners[place] for place in inside}) < 2:
        return False
    if 10 * len(inside) < 9 * len(tops) or any(
        outline.elements[one] in {row.top for row in cut.rows} for one in tops
    ):
        return False
    own = [-1 if best.owners[place] >= 0 else owner for place, owner in enumerate(cut.owners)]
    content = _content(outline, own, len(cut.rows))
    whole = sum(
        named and dated and prose > 20
        for prose, named, dated in zip(content.prose, content.named, content.dated, strict=True)
    )
    return whole >= 2 and whole == len(cut.rows)


def _distinct(rows: Sequence[BoardRow]) -> list[BoardRow]:
    """Return rows without those that stand in others."""
    by_top = {row.top: row for row in rows}
    inside = [row for top, row in by_top.items() if by_top.keys().isdisjoint(top.iterancestors())]
    return inside if 2 * len(inside) > len(by_top) else [*by_top.values()]


def _groups(outline: Outline) -> Iterator[list[int]]:
    """Go through the marks of one kind each: moments, names, numbered elements of the same form."""
    groups: dict[object, list[int]] = defaultdict(list)
    for place, stamp in outline.stamps.items():
        if stamp.weight >= 0:
            for depth in (1, 3):
                groups["stamp", _form(outline.elements[place], depth)].append(place)
    for place, name in outline.names.items():
        if name.weight >= FEWEST_FOR_AUTHOR:
            for depth in (1, 3):
                groups["name", _form(outline.elements[place], depth)].append(place)
    for place, called in outline.numbered.items():
        groups["id", outline.elements[place].tag, called].append(place)
    for place in outline.floors:
        groups["floor", _form(outline.elements[place], 1)].append(place)
    several = [marks[:_MOST_MARKS] for marks in groups.values() if len(marks) > 1]
    return islice(sorted(several, key=len, reverse=True), _MOST_BLOCK_GROUPS)


def _form(element: etree._Element, depth: int) -> tuple[object, ...]:
    return tuple(sign_of(one) for one in islice((element, *element.iterancestors()), depth))


def owners_of(outline: Outline, rows: Sequence[BoardRow]) -> list[int]:
    """Return to which row each element of a page belongs, -1: to none."""
    begins = {one: number for number, row in enumerate(rows) for one in row.elements}
    others = frozenset[etree._Element]().union(
        *{id(row.others): row.others for row in rows}.values()
    )
    owners: list[int] = []
    for element, above in zip(outline.elements, outline.above, strict=True):
        owner = owners[above] if above >= 0 else -1
        owners.append(begins.get(element, -1 if element in others else owner))
    return owners


def _content(outline: Outline, owners: Sequence[int], count: int) -> _Content:
    content = _Content([0] * count, [False] * count, [False] * count, [False] * count)
    for owner, prose in zip(owners, outline.prose, strict=True):
        if owner >= 0:
            content.prose[owner] += prose
    for place, name in outline.names.items():
        if owners[place] >= 0 and name.weight >= FEWEST_FOR_AUTHOR:
            content.named[owners[place]] = True
    for place, stamp in outline.stamps.items():
        if owners[place] >= 0 and stamp.weight >= 0:
            content.dated[owners[place]] = True
    for place in outline.floors:
        if owners[place] >= 0:
            content.numbered[owners[place]] = True
    return content


def _of(outline: Outline, rows: Sequence[BoardRow]) -> PageCut | None:
    """Return the cut of those rows that may be posts; None: fewer than two may."""
    owners = owners_of(outline, rows[:MOST_POSTS])
    content = _content(outline, owners, len(rows))
    worth, kept = 0.0, []
    for number, row in enumerate(rows[:MOST_POSTS]):
        if not content.named[number] or content.prose[number] < 1:
            continue
        sure = 1.0 if content.dated[number] else 0.35
        sure *= 1.5 if content.numbered[number] else 1.0
        worth += (min(content.prose[number], _ENOUGH_PROSE) + 10) * sure
        kept.append(row)
    if len(kept) < 2:
        return None
    if len(kept) < len(rows):
        owners = owners_of(outline, kept)
    alike = Counter(sign_of(row.top) for row in kept).most_common(1)[0][1] / len(kept)
    return PageCut(kept, owners, worth * (1 - _UNLIKE + _UNLIKE * alike))


def _stated(outline: Outline) -> PageCut | None:
    """Return the cut that a page states itself by items of schema.org."""
    posts = [one for one in outline.elements if _item(one) in _POSTINGS]
    remarks = [one for one in outline.elements if _item(one) in _REMARKS]
    tops = frozenset((*posts, *remarks))
    if any(_item(one) == "Answer" or _item(one) == "Question" for one in posts):
        inside = set(posts)
        remarks = [one for one in remarks if inside.isdisjoint(one.iterancestors())]
    every = [*posts, *remarks]
    order = {one: place for place, one in enumerate(outline.elements)}
    rows = [BoardRow((one,), tops) for one in sorted(every, key=order.__getitem__)]
    return _of(outline, rows) if len(rows) > 1 else None


def _item(element: etree._Element) -> str:
    return element.get("itemtype", "").rpartition("/")[2]
