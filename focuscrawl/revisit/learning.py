"""Learning what always changes: lines of a page that differ at every visit stop counting.

It begins when a page has changed, and only what differed at three visits in a row after that is
learnt, if it is a short line and no sentence: a line whose numbers differ, or one line between two
that stay. Inserted lines are never learnt, so a page that grows keeps being news. What was learnt
on several pages of a site holds for all its pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple
from zlib import crc32

import msgspec

from focuscrawl.revisit.volatile import Line
from focuscrawl.values import Json

VISITS_NEEDED = 3
PAGES_NEEDED = 2
MOST_LEARNT = 64
_MOST_COMPARED = 200
"""Lines of a page that are compared; learning is for pages, not for books."""

NO_LINE = 0


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


def _places(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Go through the two numbers of each line's place: by its shape, and by its neighbours."""
    for index, line in enumerate(lines):
        before = lines[index - 1].shape if index else NO_LINE
        after = lines[index + 1].shape if index + 1 < len(lines) else NO_LINE
        yield line.shape, between(before, after)


def between(before: int, after: int) -> int:
    """Return the number of the place between two lines, other than any shape's by chance only."""
    return crc32(before.to_bytes(4, "big") + after.to_bytes(4, "big"), 0x5EED)


def counting(lines: Sequence[Line], learnt: Sequence[int]) -> list[Line]:
    """Return the lines that count."""
    if not learnt:
        return list(lines)
    known = set(learnt)
    return [
        line
        for line, place in zip(lines, _places(lines), strict=True)
        if not (line.is_furniture and known.intersection(place))
    ]


def differing(lesson: Lesson, lines: Sequence[Line]) -> set[int]:
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
            before = shapes[new - 1] if new else NO_LINE
            after = shapes[new_end] if new_end < len(shapes) else NO_LINE
            found.add(between(before, after))
    return found


def learn(lesson: Lesson, lines: Sequence[Line]) -> Lesson:
    """Return what is known after a visit at which the page had changed."""
    compared = lines[:_MOST_COMPARED]
    shapes, exacts = [line.shape for line in compared], [line.exact for line in compared]
    if not lesson.shapes:
        return Lesson(shapes, exacts, {}, lesson.learnt)
    suspects = {place: lesson.suspects.get(place, 0) + 1 for place in differing(lesson, lines)}
    new = [place for place, times in suspects.items() if times >= VISITS_NEEDED]
    learnt = list(dict.fromkeys([*lesson.learnt, *new]))[-MOST_LEARNT:]
    suspects = {place: times for place, times in suspects.items() if times < VISITS_NEEDED}
    return Lesson(shapes, exacts, suspects, learnt)


def calm(lesson: Lesson) -> Lesson:
    """Return what is known after a visit at which nothing that counts had changed."""
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
