"""A stored difference as a person reads it: within a sentence that was edited only the words that differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from focuscrawl.output.report.contents import Difference, Edit
from focuscrawl.stores.results.columns import cut

MOST_EDITS = 8
LONGEST_LINE = 240
"""Lines and their characters that are shown of a difference: enough for a correction, and its command
shows the rest."""

ALIKE_LINES = 0.5
"""How alike two lines must be, that one is the other edited: below it their common words are chance."""

_WORD_OF_EDIT = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|.", re.DOTALL)
"""Words of scripts that have blanks, else single characters."""


def difference_of(said: str) -> Difference:
    """Return a unified difference (lines that begin with "-" and "+") as lines of pieces."""
    lines = [*_lines(said)]
    return Difference(tuple(lines[:MOST_EDITS]), max(0, len(lines) - MOST_EDITS))


def compare_lines(before: str, after: str) -> tuple[Edit, ...]:
    """Return two lines as one: what stayed, what went and what came."""
    old, new = _WORD_OF_EDIT.findall(before), _WORD_OF_EDIT.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    pieces: list[Edit] = []
    for what, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if what == "equal":
            pieces.append(Edit("=", "".join(old[old_from:old_to])))
            continue
        if old_to > old_from:
            pieces.append(Edit("-", "".join(old[old_from:old_to])))
        if new_to > new_from:
            pieces.append(Edit("+", "".join(new[new_from:new_to])))
    return tuple(pieces)


def _lines(said: str) -> Iterator[tuple[Edit, ...]]:
    """Go through runs of lines that went, each with the run that came in its place."""
    went: list[str] = []
    came: list[str] = []
    for line in [*said.split("\n"), "@@"]:
        sign, words = line[:1], line[1:].strip()
        if sign == "-" and not came:
            went.append(words)
        elif sign == "+":
            came.append(words)
        else:
            yield from _paired(went, came)
            went, came = ([words], []) if sign == "-" else ([], [])


def _paired(went: Sequence[str], came: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    left = [*came]
    for old in filter(None, went):
        old = _cut(old)
        new = next((one for one in left if _is_alike(old, _cut(one))), None)
        if new is None:
            yield (Edit("-", old),)
        else:
            left.remove(new)
            yield compare_lines(old, _cut(new))
    yield from ((Edit("+", _cut(new)),) for new in left if new)


def _is_alike(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= ALIKE_LINES and matcher.ratio() >= ALIKE_LINES


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else cut(line, LONGEST_LINE - 1) + "…"
