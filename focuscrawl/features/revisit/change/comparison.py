"""What counts as a change, by the class of the page, and how it is reported.

    records, threads   MD5 of their fields                                        → major
    boards             a content link that the board has not shown before          → major
    articles           MD5 of title and text without volatile parts; SimHash tells → minor, major
    strict (B2)        SimHash distance over 5, and the hash is stored at every visit

Each class has two functions: one makes a Mark of what was fetched, one compares it with the state.
The mark stored moves only when a change was counted, so that slow drift adds up.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, unified_diff
from enum import StrEnum
from hashlib import md5
from typing import Any, NamedTuple

from focuscrawl.features.revisit.change.volatile import (
    Lesson,
    TextLine,
    TextRules,
    calm,
    digest_of,
    learn_lines,
    line_places,
    lines_of,
    unpacked,
    without_learnt,
)
from focuscrawl.values import LISTS, ONCE, Article, PageChange, PageClass, PageState, change_key

# It tells near copies apart, not changes: of pages of five sentences it sees a new price in 2 %, a new
# reply in half, of pages of twenty none of either. So digests say whether, and distances how much.
_FAR_BITS = 5
"""SimHash distance above which a change is major; strict: above which there is one (B2)."""

_MOST_COMPARED_LINKS = 1_000
"""Links that are remembered of a board, the latest."""

_COUNTERS = frozenset(
    {
        *("views", "view_count", "hits", "clicks", "reads", "read_count", "likes", "shares"),
        *("阅读", "阅读量", "阅读数", "浏览", "浏览量", "浏览次数"),
        *("点击", "点击量", "点击数", "访问量", "人气"),
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
    return PageMark(md5(ordered.tobytes()).digest(), None, numbers[:_MOST_COMPARED_LINKS].tobytes())


def compare_links(state: PageState, mark: PageMark) -> VisitVerdict:
    """Compare a board: a link it never showed is a change, one that is pushed off is none."""
    if not state.digest:
        return VisitVerdict(ChangeKind.SAME, mark)
    shown, known = array("I", mark.details), array("I")
    known.frombytes(state.details[: len(state.details) // known.itemsize * known.itemsize])
    new = len(set(shown).difference(known))
    if not new:
        return VisitVerdict(ChangeKind.SAME, _stored(state))
    both = array("I", dict.fromkeys([*shown, *known]))[:_MOST_COMPARED_LINKS]
    return VisitVerdict(ChangeKind.MAJOR, mark._replace(details=both.tobytes()), new=new)


def links_to(state: PageState | None, key: bytes) -> bool | None:
    """Whether a list showed a link when it was read last, or before; None: unknown."""
    if state is None or not state.details or state.page_class not in LISTS:
        return None
    shown = array("I")
    shown.frombytes(state.details[: len(state.details) // shown.itemsize * shown.itemsize])
    found = int.from_bytes(key[:4], "big") in shown
    return found or (None if len(shown) >= _MOST_COMPARED_LINKS else False)


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
    before = zip(lesson.exacts, line_places(lesson.shapes), strict=True)
    counted = [exact for exact, place in before if not known.intersection(place)]
    return counted == [line.exact for line in without_learnt(lines, after.learnt)]


def _how_far(before: int | None, after: int | None) -> tuple[ChangeKind, int | None]:
    if before is None or after is None:
        return ChangeKind.MAJOR, None
    distance = (before ^ after).bit_count()
    return (ChangeKind.MAJOR if distance > _FAR_BITS else ChangeKind.MINOR), distance


def compare_strictly(state: PageState, simhash: int) -> VisitVerdict:
    """Compare as published (B2, B3): a distance over 5 is a change, the hash is always stored."""
    mark = PageMark(state.digest, simhash, state.details)
    if state.simhash is None:
        return VisitVerdict(ChangeKind.SAME, mark)
    distance = (state.simhash ^ simhash).bit_count()
    return VisitVerdict(
        ChangeKind.MAJOR if distance > _FAR_BITS else ChangeKind.SAME, mark, distance
    )


def _md5(text: str) -> bytes:
    return md5(text.encode("utf-8", "replace")).digest()


# What has changed, sentence by sentence ------------------------------------------------------------


LARGEST_DIFF = 64 * 1024
"""Bytes of a difference, as UTF-8."""

MOST_SENTENCES = 2_000
"""Sentences of a text up to which differences are looked for: it costs their square at worst."""

MUCH = 2
"""Whole sentences that came or went from which on a text has changed much."""

SHORTEST_SENTENCE = 15
"""Characters below which a line is a label or a signature, not a sentence."""

ALIKE = 0.5
"""The part of its characters that a sentence shares at least with what it was before an edit."""

_LONGEST_COMPARED = 200
"""Characters of a sentence that are compared: it costs their square at worst."""

_MOST_PAIRS = 400
"""Pairs of sentences that are looked at; where more differ, much has changed."""

_SENTENCE_END = re.compile(r"(?<=[。!?;…])|(?<=[.!?])\s+|\n+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line."""
    return [one for raw in _SENTENCE_END.split(text) if (one := " ".join(raw.split()))]


def sentence_diff(before: str, after: str) -> str:
    """Return the unified difference of two texts by sentence, without a head.

    It is cut at 64 KB between two lines; "" for texts too long to compare.
    """
    old, new = sentences(before), sentences(after)
    if max(len(old), len(new)) > MOST_SENTENCES:
        return ""
    lines = list(unified_diff(old, new, n=1, lineterm=""))[2:]
    kept, size = [], 0
    for line in lines:
        size += len(line.encode("utf-8", "replace")) + 1
        if size > LARGEST_DIFF:
            break
        kept.append(line)
    return "\n".join(kept)


def is_much(before: str, after: str) -> bool:
    """Whether two whole sentences at least have come or gone, not only been edited or moved.

    A SimHash does not see that in a long text: there a new paragraph is a few bits at most.
    """
    old, new = sentences(before), sentences(after)
    went, came = _only_in(old, new), _only_in(new, old)
    if len(went) * len(came) > _MOST_PAIRS:
        return True
    for sentence in came[:]:
        edited = next((one for one in went if _is_alike(one, sentence)), None)
        if edited is not None:
            went.remove(edited)
            came.remove(sentence)
    return len(went) + len(came) >= MUCH


def _only_in(these: Sequence[str], others: Sequence[str]) -> list[str]:
    known = frozenset(others)
    return [one for one in these if len(one) >= SHORTEST_SENTENCE and one not in known]


def _is_alike(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, one[:_LONGEST_COMPARED], other[:_LONGEST_COMPARED], False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def change_of(
    article: Article, verdict: VisitVerdict, visit: int, earlier: tuple[str, str] | None, now: float
) -> PageChange:
    """Return the change of an article; ``earlier`` are title and text of its version before.

    One that is minor by its SimHash is major when whole sentences came or went; where SimHashes
    could not be compared, that alone tells. Its id goes by the SimHash alone: after a crash the
    version before may be the new one already.
    """
    fields = {}
    diff = ""
    kind = verdict.kind
    if earlier is not None:
        title, text = earlier
        if title != article.title:
            fields["title"] = [title, article.title]
        diff = sentence_diff(text, article.text) if text else ""
        if text and (kind is ChangeKind.MINOR or verdict.distance is None):
            kind = ChangeKind.MAJOR if is_much(text, article.text) else ChangeKind.MINOR
    key = article.url_key
    return PageChange(
        change_key(key, verdict.kind.value, visit),
        *(now, key, article.url, kind.value, "article"),
        *(fields, diff, verdict.distance, article.title),
    )


def without_ends(text: str, before: Sequence[str], behind: Sequence[str]) -> str:
    """Return a stored text without the lines at its ends that were cut from its new version: they are no change."""
    lines = text.split("\n")
    while lines and lines[0] in before:
        del lines[0]
    while lines and lines[-1] in behind:
        del lines[-1]
    return "\n".join(lines)


def first_change(article: Article, complete: bool | None, now: float) -> PageChange | None:
    """Return the change that an article is new, or that its missing parts have come, if so.

    ``complete``: none was missing when it was stored last; None: it is not stored.
    """
    if complete or not (complete is None or article.complete):
        return None
    kind, key = "new" if complete is None else "completed", article.url_key
    return PageChange(
        change_key(key, kind, ONCE),
        *(article.fetched or now, key, article.url, kind, "article"),
        title=article.title,
        version=1,
    )


WHAT = {PageClass.ARTICLE: "article", PageClass.RECORD: "record", PageClass.THREAD: "thread"}
"""What changes are reported of; users read no lists, and the pages on them have their own changes."""


def turned(before: PageState, after: PageState, now: float) -> PageChange | None:
    """Return the change from a page that is there to one that is gone, or back; None: neither, or
    it is no page to tell of. Its title comes on its way out.
    """
    what = WHAT.get(after.page_class)
    if what is None or (before.gone is None) == (after.gone is None):
        return None
    kind, key = "back" if after.gone is None else "gone", after.key.hex()
    number = change_key(key, kind, before.visits)
    return PageChange(number, now, key, after.url, kind, what)
