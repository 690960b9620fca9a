"""What of a text never counts as a change: clocks, counters, advertisements, what was ignored or learnt.

Only short lines that are no sentences are looked at: a number in a sentence is news, but in one in which a page
speaks of itself, as when it was made and how often it was read. The lines that
are left are compared without white space, so that a page that is only set anew has not changed.

Lines of a page that differ at every visit stop counting. Learning begins when a page has changed, and
only what differed at three visits in a row after that is learnt: a line whose numbers differ, or one line
between two that stay. Inserted lines are never learnt, so a page that grows keeps being news. What was
learnt on several pages of a site holds for all its pages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import md5
from typing import NamedTuple
from zlib import crc32

import msgspec
import regex

from focuscrawl.readers.text.lines import is_furniture_line, speaks_of_itself, without_furniture
from focuscrawl.values import Json

_MOST_LINES = 5_000
_SPACE = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\u00ad]+")
_VARYING_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_WITH_DIGITS = re.compile(r"[A-Za-z]*\d[\w:./-]*")
VISITS_NEEDED = 3  # in a row: an article may well be edited at two
PAGES_NEEDED = 2  # of a site, before what one page taught holds for all
MOST_LEARNT = 64  # places a page, the latest: a few hundred bytes of its state
_MOST_COMPARED = 200
"""Lines of a page that are compared; learning is for pages, not for books."""

NO_LINE = 0  # the neighbour of a first and of a last line


_VERSION = 2
"""Raised when the built-in rules change, so that no page seems to have changed then."""


class TextLine(NamedTuple):
    """A line that counts. ``shape`` is that of the text with all numbers alike."""

    text: str
    exact: int
    shape: int
    is_furniture: bool


@dataclass(frozen=True, slots=True)
class TextRules:
    """What is left out: built-in parts and ``ignore``, whose matches are cut out of every line.

    ``shapes`` are lines of a site that were learnt to be volatile.
    """

    ignore: tuple[re.Pattern[str] | regex.Pattern[str], ...] = ()
    built_in: bool = True
    shapes: Collection[int] = ()

    @property
    def version(self) -> bytes:
        """Two bytes that differ between rules: texts read by other rules cannot be compared."""
        said = "\n".join([str(_VERSION), str(self.built_in), *(one.pattern for one in self.ignore)])
        return md5(said.encode("utf-8", "replace")).digest()[:2]


def lines_of(text: str, rules: TextRules) -> list[TextLine]:
    """Return the lines of a text that count, in order; a text has one paragraph a line."""
    lines = unicodedata.normalize("NFKC", text).splitlines()[:_MOST_LINES]
    return [read for line in lines if (read := read_line(line, rules)) is not None]


def read_line(line: str, rules: TextRules) -> TextLine | None:
    """Return what counts of a line (NFKC); None for nothing."""
    for expression in rules.ignore:
        line = expression.sub("", line)
    line = line.strip()
    is_furniture = is_furniture_line(line)
    if is_furniture and rules.built_in:
        line = without_furniture(line)
    elif rules.built_in and speaks_of_itself(line):
        line = _WITH_DIGITS.sub("", line)
    text = _SPACE.sub("", line)
    if not text:
        return None
    shape = _number_of(_VARYING_NUMBER.sub("0", text))
    if is_furniture and shape in rules.shapes:
        return None
    return TextLine(text, _number_of(text), shape, is_furniture)


def _number_of(text: str) -> int:
    """Return a text's 32-bit number."""
    return crc32(text.encode("utf-8", "replace"))


def digest_of(lines: Sequence[TextLine], rules: TextRules) -> bytes:
    """Return the MD5 of what counts, behind the version of the rules: 18 bytes."""
    text = "".join([line.text for line in lines])
    return rules.version + md5(text.encode("utf-8", "replace")).digest()


class Lesson(NamedTuple):
    """What is known of a page's lines; empty for most pages.

    ``shapes`` and ``exacts`` are its lines at the last visit (32-bit numbers), kept only while it
    changes visit after visit. ``suspects`` says at how many visits in a row a place differed,
    ``learnt`` are the places that no longer count.
    """

    shapes: list[int]
    exacts: list[int]
    suspects: dict[int, int]
    learnt: list[int]

    def packed(self) -> bytes:
        """Return everything as bytes; none for the empty lesson."""
        return msgspec.msgpack.encode(self) if self.shapes or self.learnt else b""


def unpacked(details: bytes) -> Lesson:
    """Return what ``packed`` wrote; an empty lesson for what it cannot read."""
    try:
        return msgspec.msgpack.decode(details, type=Lesson)
    except msgspec.MsgspecError:
        return Lesson([], [], {}, [])


def line_places(shapes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the two numbers of each line's place: its shape, and what is between its neighbours."""
    around = [NO_LINE, *shapes, NO_LINE]
    return [
        (shape, between(around[index], around[index + 2])) for index, shape in enumerate(shapes)
    ]


def between(before: int, after: int) -> int:
    """Return the number of the place between two lines, other than any shape's by chance only."""
    return crc32(before.to_bytes(4, "big") + after.to_bytes(4, "big"), 0x5EED)


def without_learnt(lines: Sequence[TextLine], learnt: Sequence[int]) -> list[TextLine]:
    """Return the lines that count."""
    if not learnt:
        return list(lines)
    known = set(learnt)
    return [
        line
        for line, place in zip(lines, line_places([line.shape for line in lines]), strict=True)
        if not (line.is_furniture and known.intersection(place))
    ]


def changed_places(lesson: Lesson, lines: Sequence[TextLine]) -> set[int]:
    """Return the places whose short line differs from the last visit's."""
    lines = lines[:_MOST_COMPARED]
    shapes = [line.shape for line in lines]
    found = set()
    matcher = SequenceMatcher(None, lesson.shapes, shapes, autojunk=False)
    for tag, old, old_end, new, new_end in matcher.get_opcodes():
        if tag == "equal":
            for one, other in zip(range(old, old_end), range(new, new_end), strict=True):
                if lesson.exacts[one] != lines[other].exact and lines[other].is_furniture:
                    found.add(lines[other].shape)
        elif tag == "replace" and old_end - old == new_end - new == 1 and lines[new].is_furniture:
            found.add(line_places(shapes)[new][1])
    return found


def learn_lines(lesson: Lesson, lines: Sequence[TextLine]) -> Lesson:
    """Return what is known after a visit that found the page changed."""
    compared = lines[:_MOST_COMPARED]
    shapes, exacts = [line.shape for line in compared], [line.exact for line in compared]
    if not lesson.shapes:
        return Lesson(shapes, exacts, {}, lesson.learnt)
    suspects = {place: lesson.suspects.get(place, 0) + 1 for place in changed_places(lesson, lines)}
    new = [place for place, times in suspects.items() if times >= VISITS_NEEDED]
    learnt = list(dict.fromkeys([*lesson.learnt, *new]))[-MOST_LEARNT:]
    suspects = {place: times for place, times in suspects.items() if times < VISITS_NEEDED}
    return Lesson(shapes, exacts, suspects, learnt)


def calm(lesson: Lesson) -> Lesson:
    """Return what is known after a visit that found no change that counts."""
    return Lesson([], [], {}, lesson.learnt)


def shapes_of_site(kept: Mapping[str, int]) -> frozenset[int]:
    """Return the shapes learnt on enough pages of a site (its part ``volatile``)."""
    return frozenset(int(shape) for shape, pages in kept.items() if pages >= PAGES_NEEDED)


def noted(kept: Mapping[str, int], new: Sequence[int]) -> Json:
    """Return a site's part ``volatile`` after a page has learnt places: in how many pages each."""
    counted = {**kept}
    for place in new:
        counted[str(place)] = counted.get(str(place), 0) + 1
    often = sorted(counted.items(), key=lambda item: -item[1])
    return dict(often[: 4 * MOST_LEARNT])
