"""What counts as a change, by the class of the page.

    records, threads   MD5 of their fields                                        → major
    boards             a content link that the board has not shown before          → major
    articles           MD5 of title and text without volatile parts; SimHash tells → minor, major
    strict (B2)        SimHash distance over 5, and the hash is stored at every visit

Each class has two functions: one makes a Mark of what was fetched, one compares it with the state.
The mark stored moves only when a change was counted, so that slow drift adds up.
"""

from __future__ import annotations

import json
import unicodedata
from array import array
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from hashlib import md5
from typing import Any, NamedTuple

from focuscrawl.revisit.change.volatile import (
    NO_LINE,
    Lesson,
    TextLine,
    TextRules,
    between,
    calm,
    digest_of,
    learn_lines,
    lines_of,
    unpacked,
    without_learnt,
)
from focuscrawl.values import PageState

# It tells near copies apart, not changes: of pages of five sentences it sees a new price in 2 %, a new
# reply in half, of pages of twenty none of either. So digests say whether, and distances how much.
_FAR = 5
"""SimHash distance above which a change is major; strict: above which there is one (B2)."""

_MOST_LINKS = 1_000
"""Links that are remembered of a board, the latest."""

_COUNTERS = frozenset(
    {
        *("views", "view_count", "hits", "clicks", "reads", "read_count", "likes", "shares"),
        *(
            "阅读",
            "阅读量",
            "阅读数",
            "浏览",
            "浏览量",
            "浏览次数",
            "点击",
            "点击量",
            "点击数",
            "访问量",
            "人气",
        ),
    }
)
"""Fields that count visitors and never count as a change, unless the template says otherwise."""


class ChangeKind(StrEnum):
    """How much a page has changed; the values of the results table ``changes``."""

    SAME = "same"
    MINOR = "minor"
    MAJOR = "major"


class PageMark(NamedTuple):
    """What a page looked like: the fields of the same names in its PageState."""

    digest: bytes
    simhash: int | None = None
    details: bytes = b""


class VisitVerdict(NamedTuple):
    """What came of comparing. ``mark`` is to be stored, see ``remembered``.

    ``distance`` is in SimHash bits, None where there is none. ``new`` counts a board's new links.
    ``learnt`` are places newly known to be volatile (for volatile.noted).
    """

    kind: ChangeKind
    mark: PageMark
    distance: int | None = None
    new: int = 0
    learnt: tuple[int, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether a change is counted: x grows."""
        return self.kind is not ChangeKind.SAME


def remembered(state: PageState, verdict: VisitVerdict) -> PageState:
    """Return the state with the mark a later visit compares with."""
    mark = verdict.mark
    return state._replace(digest=mark.digest, simhash=mark.simhash, details=mark.details)


def _stored(state: PageState) -> PageMark:
    return PageMark(state.digest, state.simhash, state.details)


# Records and threads ------------------------------------------------------------------------------


def fields_mark(fields: Mapping[str, Any], ignore: Collection[str] = _COUNTERS) -> PageMark:
    """Return the mark of extracted fields: plain values, None for one that was not found."""
    kept = {name: _plain(value) for name, value in fields.items() if name not in ignore}
    names = json.dumps(sorted(kept), ensure_ascii=False)
    values = json.dumps(kept, ensure_ascii=False, sort_keys=True)
    return PageMark(_md5(names)[:2] + _md5(values))


def compare_fields(state: PageState, mark: PageMark) -> VisitVerdict:
    """Compare fields; when other fields are extracted than before there is nothing to compare."""
    if not state.digest or state.digest[:2] != mark.digest[:2]:
        return VisitVerdict(ChangeKind.SAME, mark)
    if state.digest == mark.digest:
        return VisitVerdict(ChangeKind.SAME, _stored(state))
    return VisitVerdict(ChangeKind.MAJOR, mark)


def _plain(value: Any) -> Any:
    """Return a value as it is compared: white space and forms of characters do not matter."""
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).split())
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if value is None or isinstance(value, int | float) else str(value)


# Boards -------------------------------------------------------------------------------------------


def links_mark(keys: Iterable[bytes]) -> PageMark:
    """Return the mark of a board's content links, by their keys (at least 4 bytes each)."""
    numbers = array("I", dict.fromkeys(int.from_bytes(key[:4], "big") for key in keys))
    ordered = array("I", sorted(numbers))
    return PageMark(md5(ordered.tobytes()).digest(), None, numbers[:_MOST_LINKS].tobytes())


def compare_links(state: PageState, mark: PageMark) -> VisitVerdict:
    """Compare a board: a link it never showed is a change, one that is pushed off is none."""
    if not state.digest:
        return VisitVerdict(ChangeKind.SAME, mark)
    shown, known = array("I", mark.details), array("I")
    known.frombytes(state.details[: len(state.details) // known.itemsize * known.itemsize])
    new = len(set(shown).difference(known))
    if not new:
        return VisitVerdict(ChangeKind.SAME, _stored(state))
    both = array("I", dict.fromkeys([*shown, *known]))[:_MOST_LINKS]
    return VisitVerdict(ChangeKind.MAJOR, mark._replace(details=both.tobytes()), new=new)


# Articles -----------------------------------------------------------------------------------------


class TextMark(NamedTuple):
    """An article's lines that count, its digest and the SimHash of its text (text.simhash)."""

    lines: list[TextLine]
    simhash: int | None
    rules: TextRules


def text_mark(title: str, text: str, simhash: int | None, rules: TextRules) -> TextMark:
    """Return the mark of an article. Its title is no counter, whatever it counts."""
    lines = lines_of(title, replace(rules, built_in=False)) + lines_of(text, rules)
    return TextMark(lines, simhash, rules)


def compare_text(state: PageState, mark: TextMark) -> VisitVerdict:
    """Compare an article: minor up to a SimHash distance of 5, major above.

    A state without a SimHash (it is not comparable) gets one; a change is major then.
    """
    lesson = unpacked(state.details)
    digest = digest_of(without_learnt(mark.lines, lesson.learnt), mark.rules)
    if not state.digest or state.digest[:2] != digest[:2]:  # first visit, or other rules
        return VisitVerdict(ChangeKind.SAME, PageMark(digest, mark.simhash, calm(lesson).packed()))
    if digest == state.digest:
        simhash = mark.simhash if state.simhash is None else state.simhash
        return VisitVerdict(ChangeKind.SAME, PageMark(state.digest, simhash, calm(lesson).packed()))
    after = learn_lines(lesson, mark.lines)
    new = tuple(place for place in after.learnt if place not in lesson.learnt)
    if new and _is_only_in(lesson, mark.lines, after):
        digest = digest_of(without_learnt(mark.lines, after.learnt), mark.rules)
        return VisitVerdict(
            ChangeKind.SAME, PageMark(digest, mark.simhash, after.packed()), learnt=new
        )
    if new:
        digest = digest_of(without_learnt(mark.lines, after.learnt), mark.rules)
    kind, distance = _how_far(state.simhash, mark.simhash)
    return VisitVerdict(kind, PageMark(digest, mark.simhash, after.packed()), distance, learnt=new)


def _is_only_in(lesson: Lesson, lines: list[TextLine], after: Lesson) -> bool:
    """Whether the lines differ from the last visit's only where it no longer counts."""
    known = set(after.learnt)
    before = [
        exact
        for index, exact in enumerate(lesson.exacts)
        if lesson.shapes[index] not in known and _place(lesson.shapes, index) not in known
    ]
    return before == [line.exact for line in without_learnt(lines, after.learnt)]


def _place(shapes: list[int], index: int) -> int:
    before = shapes[index - 1] if index else NO_LINE
    return between(before, shapes[index + 1] if index + 1 < len(shapes) else NO_LINE)


def _how_far(before: int | None, after: int | None) -> tuple[ChangeKind, int | None]:
    if before is None or after is None:
        return ChangeKind.MAJOR, None
    distance = (before ^ after).bit_count()
    return (ChangeKind.MAJOR if distance > _FAR else ChangeKind.MINOR), distance


def compare_strictly(state: PageState, simhash: int) -> VisitVerdict:
    """Compare as published (B2, B3): a distance over 5 is a change, the hash is always stored."""
    mark = PageMark(state.digest, simhash, state.details)
    if state.simhash is None:
        return VisitVerdict(ChangeKind.SAME, mark)
    distance = (state.simhash ^ simhash).bit_count()
    return VisitVerdict(ChangeKind.MAJOR if distance > _FAR else ChangeKind.SAME, mark, distance)


def _md5(text: str) -> bytes:
    return md5(text.encode("utf-8", "replace")).digest()
