"""Two fillings of one form (D): notices of one site whose words differ by replacement only.

Authorities and shops publish by forms: 停水 on another day or in another street, another post that is
vacant, 可以 and 不可以. Such texts have nearly all their pieces in common, and what is new in each of them may be one word.
A copy of a text on its own site has passages more or less (another head, related titles), not other words in
the same places. So both are walked side by side: what stands between equal words of both, inside a line that
both begin or end alike, was filled in.
"""

from __future__ import annotations

import re
import unicodedata
import zlib

import numpy as np

from focuscrawl.stories.copies import normal
from focuscrawl.text.furniture import is_furniture_line, without_furniture

MOST_UNITS = 3_000
"""Characters, or words of letters, of a text up to which fillings are told apart, two bytes each: of 900
notices of twelve offices the longest had 2,100. A longer text is no form."""

_UNITS = re.compile(r"[0-9a-z]+|[^\W_]")
_LINE_END = 0
_IS_NEGATION = 1
"""The lowest bit of a unit's number: it may be inserted alone, and turns what is said around."""

_NEGATIONS = frozenset(
    ["不", "没", "未", "无", "非", "勿", "否", "禁", "not", "no", "never", "without", "cannot"]
)

_LONGEST_FILLING = 40
"""Units of a filling, in one text: a name, an address, a list of streets. Longer ones are passages."""

_ALIKE_AFTER = 3
"""Equal units in a row with which both texts are at the same place again."""

_LONGEST_SLIP = 4
"""Units that only one text has and that are no passage: 上午, 左右, a comma's worth of words."""

_SHORT_LINE = 12
"""Units of a line that may be a filling as a whole, as the value in a table is; another quotation or advertisement
in the place of one is longer, and is a passage that was exchanged."""

_MOST_FILLINGS = 64
"""Fillings after which nothing is one form any more."""

_STAMP = re.compile(r"\d{4}\s*[-年/.]\s*\d{1,2}\s*[-月/.]\s*\d{1,2}\s*日?\s*\d{1,2}:\d{2}")
"""Day and time in a line that is no sentence: when the page was made, not what it tells."""


def filled_form(site: str, text: str) -> bytes:
    """Return what a text is compared by with others of its site: the number of the site, then those of its
    units in order; b"" for a text that is too long, or of no site.
    """
    if not site:
        return b""
    numbers: list[int] = []
    for line in unicodedata.normalize("NFKC", text[: 4 * MOST_UNITS]).splitlines():
        if is_furniture_line(line):
            line = _STAMP.sub("", without_furniture(line))
        units = _UNITS.findall(normal(line))
        numbers += [_number_of(unit) for unit in units]
        if units:
            numbers.append(_LINE_END)
        if len(numbers) > MOST_UNITS:
            return b""
    return zlib.crc32(site.encode()).to_bytes(4, "little") + np.array(numbers, "<u2").tobytes()


def _number_of(unit: str) -> int:
    return (zlib.crc32(unit.encode("utf-8", "replace")) & 0xFFFC) | 2 | (unit in _NEGATIONS)


def are_two_fillings(one: bytes, other: bytes) -> bool:
    """Whether two texts (``filled_form``) are of one site and form, and say different things in it."""
    if len(one) <= 4 or len(other) <= 4 or one[:4] != other[:4] or one == other:
        return False
    first, second = (np.frombuffer(form[4:], "<u2").tolist() for form in (one, other))
    at = then = fillings = 0
    while at < len(first) or then < len(second):
        if at < len(first) and then < len(second) and first[at] == second[then]:
            at, then = at + 1, then + 1
            continue
        gap = _gap(first, at, second, then)
        if gap is None:
            return False
        ours, theirs = first[at : at + gap[0]], second[then : then + gap[1]]
        if _LINE_END in (*ours, *theirs):
            return False
        if not ours or not theirs:
            extra = ours or theirs
            if len(extra) > _LONGEST_SLIP:
                return False  # a passage more
            fillings += any(unit & _IS_NEGATION for unit in extra)
        elif _is_whole_line(first, at, gap[0]) and max(gap) > _SHORT_LINE:
            return False
        else:
            fillings += 1
        if fillings > _MOST_FILLINGS:
            return False
        at, then = at + gap[0], then + gap[1]
    return fillings > 0


def _gap(first: list[int], at: int, second: list[int], then: int) -> tuple[int, int] | None:
    """Return how many units of each text stand before both go on alike; None: they do not, or far away.

    The shortest way counts. At the end of a line, or of a text, one equal unit is enough.
    """
    for both in range(1, 2 * _LONGEST_FILLING + 1):
        for ours in range(max(0, both - _LONGEST_FILLING), min(both, _LONGEST_FILLING) + 1):
            here, there = at + ours, then + both - ours
            if here > len(first) or there > len(second):
                continue
            if here == len(first) or there == len(second):
                if here == len(first) and there == len(second):
                    return ours, both - ours
                continue
            ahead = first[here : here + _ALIKE_AFTER]
            if ahead != second[there : there + len(ahead)]:
                end = _LINE_END in ahead and ahead.index(_LINE_END) + 1
                if not end or ahead[:end] != second[there : there + end]:
                    continue
            return ours, both - ours
    return None


def _is_whole_line(units: list[int], at: int, length: int) -> bool:
    """Whether some units are all of their line."""
    begins = at == 0 or units[at - 1] == _LINE_END
    return begins and (at + length == len(units) or units[at + length] == _LINE_END)
