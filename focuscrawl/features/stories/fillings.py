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
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from focuscrawl.features.stories.copies import LONGEST_COMPARED, normal
from focuscrawl.readers.text.lines import is_furniture_line, without_furniture

MOST_UNITS = 3_000
"""Characters, or words of letters, of a text up to which each is a number of two bytes: of 900 notices of twelve
offices the longest has 2,100. Of a longer text each phrase is one: rules, tenders, reports of 10,000 characters."""

_MOST_PHRASES = 6_000
"""Phrases of a text that are compared: those of some 60,000 characters."""

_PHRASE = re.compile(r"[^,，、。;；:：!！?？|()（）\t]+")
_BY_UNITS, _BY_PHRASES = 4, 8
"""What stands first in a form, and is no unit's number: how finely its text is cut. Earlier versions have neither."""

_UNITS = re.compile(r"[0-9a-z]+|[^\W_]")
_LINE_END = 0
_IS_SHORT_PHRASE = 4
_IS_NEGATION = 1
"""The lowest bit of a unit's number: it may be inserted alone, and negates what follows."""

_NEGATIONS = frozenset(
    ["不", "没", "未", "无", "非", "勿", "否", "禁", "not", "no", "never", "without", "cannot"]
)

_LONGEST_FILLING = 40
"""Units of a filling, in one text: a name, an address, a list of streets. Longer ones are passages."""

_ALIKE_AFTER = 3
"""Equal units in a row with which both texts are at the same place again."""

_LONGEST_SLIP = 4
"""Units that only one text has and that are no passage: 上午, 左右, a comma's worth of words."""

_PHRASES_FILLED, _PHRASES_SLIPPED = 6, 1
"""The same two of a text that is cut into phrases."""

_SHORT_FILLING = 12
"""Units of a line that may be a filling as a whole, as the value in a table is; another quotation or advertisement
in the place of one is longer, and is a passage that was exchanged."""

_LONGEST_STORY_TITLE = 200
"""Characters of a title that are compared."""

FEWEST_WORDS = 3
"""Units of a title that names something: a tracker calls the page of a comment Message 81."""

_MOST_FILLINGS = 64
"""Fillings after which nothing is one form any more."""

_STAMP = re.compile(r"\d{4}\s*+[-年/.]\s*+\d{1,2}\s*+[-月/.]\s*+\d{1,2}\s*+日?\s*+\d{1,2}:\d{2}")
"""Day and time in a line that is no sentence: when the page was made, not what it tells."""


def filled_form(site: str, title: str, text: str) -> bytes:
    """Return what a text is compared by with others of its site: the number of the site, how finely the text is
    told, the units of the title, then those of its lines in order; b"" for a text of no site.
    """
    if not site:
        return b""
    lines = _lines_of(text[: 4 * MOST_UNITS], 4 * MOST_UNITS)
    numbers, grain = _numbers_of(lines, by_phrases=False), _BY_UNITS
    if len(numbers) > MOST_UNITS or len(text) > 4 * MOST_UNITS:
        lines = _lines_of(text, LONGEST_COMPARED)
        numbers, grain = _numbers_of(lines, by_phrases=True)[:_MOST_PHRASES], _BY_PHRASES
    headed = [grain, *_numbers_of(_lines_of(title, _LONGEST_STORY_TITLE)[:1], by_phrases=False)]
    whole = headed if headed[-1] == _LINE_END else [*headed, _LINE_END]
    return (
        zlib.crc32(site.encode()).to_bytes(4, "little")
        + np.array([*whole, *numbers], "<u2").tobytes()
    )


def site_in(form: bytes) -> bytes:
    """Return what is the same in all forms of a site; b"" where there is none."""
    return form[:4]


def title_in(form: bytes) -> str:
    """Return the units of a title, a character each; "" where it has none."""
    units = np.frombuffer(form[4 : 4 + 2 * (2 + _LONGEST_STORY_TITLE)], "<u2").tolist()
    if not units or units[0] not in (_BY_UNITS, _BY_PHRASES):
        return ""
    return "".join(map(chr, units[1 : units.index(_LINE_END) if _LINE_END in units else None]))


def shows_title(form: bytes, title: str) -> bool:
    """Whether a text has some words at the beginning of a line, or in its own title, as a list has its entries'."""
    units = np.frombuffer(form[4:], "<u2").tolist()
    if not units or units[0] not in (_BY_UNITS, _BY_PHRASES):
        return False
    lines, start = _lines_of(title, _LONGEST_STORY_TITLE)[:1], units.index(_LINE_END)
    fine = _as_text(_numbers_of(lines, by_phrases=False)[:-1])
    if len(fine) < FEWEST_WORDS:
        return False
    wanted = _as_text(_numbers_of(lines, by_phrases=units[0] == _BY_PHRASES)[:-1])
    text = _as_text([_LINE_END, *units[start + 1 :]])
    return fine in _as_text(units[1:start]) or chr(_LINE_END) + wanted in text


def _as_text(units: Sequence[int]) -> str:
    return "".join(map(chr, units))


def _lines_of(text: str, most: int) -> list[str]:
    lines = unicodedata.normalize("NFKC", text[:most])[:most].splitlines()
    return [
        _STAMP.sub("", without_furniture(line)) if is_furniture_line(line) else line
        for line in lines
    ]


def _numbers_of(lines: Iterable[str], *, by_phrases: bool) -> list[int]:
    """Return the numbers of the units, or phrases, of some lines; a line that has none is left out."""
    numbers: list[int] = []
    for line in lines:
        plain = normal(line)
        units = _UNITS.findall(plain)
        if by_phrases and units:
            phrases = (_UNITS.findall(phrase) for phrase in _PHRASE.findall(plain))
            numbers += [_number_of_phrase(phrase) for phrase in phrases if phrase]
        else:
            numbers += [_number_of(unit) for unit in units]
        if units:
            numbers.append(_LINE_END)
    return numbers


def _number_of(unit: str) -> int:
    return (zlib.crc32(unit.encode("utf-8", "replace")) & 0xFFFC) | 2 | (unit in _NEGATIONS)


def _number_of_phrase(units: Sequence[str]) -> int:
    """Return the number of a phrase; of a short one _IS_SHORT_PHRASE is set."""
    plain = " ".join(units).encode("utf-8", "replace")
    short = _IS_SHORT_PHRASE if len(units) <= _SHORT_FILLING else 0
    return (zlib.crc32(plain) & 0xFFF8) | short | 2


def are_two_fillings(one: bytes, other: bytes) -> bool:
    """Whether two texts (``filled_form``) are of one site and form, and say different things in it.

    Titles alone may differ: a form whose blank is in its title.
    """
    if len(one) <= 4 or len(other) <= 4 or one[:4] != other[:4] or one == other:
        return False
    first, second = (np.frombuffer(form[4:], "<u2").tolist() for form in (one, other))
    if first[0] != second[0] or first[0] not in (_BY_UNITS, _BY_PHRASES):
        return False
    grain = _Grain(_LONGEST_FILLING, _LONGEST_SLIP, by_phrases=False)
    starts = first.index(_LINE_END), second.index(_LINE_END)
    titles = first[1 : starts[0]], second[1 : starts[1]]
    # A title that is another as a whole may be what the page's list, or its site, is called.
    common = len({*titles[0]} & {*titles[1]})
    of_titles = _fillings(*titles, grain) if 2 * common >= max(map(len, titles)) else 0
    if first[0] == _BY_PHRASES:
        grain = _Grain(_PHRASES_FILLED, _PHRASES_SLIPPED, by_phrases=True)
    of_texts = _fillings(first[starts[0] + 1 :], second[starts[1] + 1 :], grain)
    return of_texts is not None and of_texts + (of_titles or 0) > 0


class _Grain(NamedTuple):
    """From what length on a difference is a passage, in the units of a text."""

    longest: int
    slip: int
    by_phrases: bool

    def is_short(self, units: Sequence[int]) -> bool:
        """Whether all of a line may be a filling."""
        if self.by_phrases:
            return len(units) == 1 and bool(units[0] & _IS_SHORT_PHRASE)
        return len(units) <= _SHORT_FILLING


def _fillings(first: Sequence[int], second: Sequence[int], grain: _Grain) -> int | None:
    """Return in how many places two texts differ by replacement; None where a passage does."""
    at = then = fillings = 0
    while at < len(first) or then < len(second):
        if at < len(first) and then < len(second) and first[at] == second[then]:
            at, then = at + 1, then + 1
            continue
        gap = _gap(first, at, second, then, grain.longest)
        if gap is None:
            return None
        ours, theirs = first[at : at + gap[0]], second[then : then + gap[1]]
        if _LINE_END in ours or _LINE_END in theirs:
            return None
        if not ours or not theirs:
            extra = ours or theirs
            if len(extra) > grain.slip:
                return None  # a passage more
            fillings += not grain.by_phrases and any(unit & _IS_NEGATION for unit in extra)
        elif _is_whole_line(first, at, gap[0]) and not (
            grain.is_short(ours) and grain.is_short(theirs)
        ):
            return None
        else:
            fillings += 1
        if fillings > _MOST_FILLINGS:
            return None
        at, then = at + gap[0], then + gap[1]
    return fillings


def _gap(
    first: Sequence[int], at: int, second: Sequence[int], then: int, longest: int
) -> tuple[int, int] | None:
    """Return how many units of each text stand before both go on alike; None: they do not, or far away.

    The shortest way counts. At the end of a line, or of a text, one equal unit is enough.
    """
    for both in range(1, 2 * longest + 1):
        for ours in range(max(0, both - longest), min(both, longest) + 1):
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


def _is_whole_line(units: Sequence[int], at: int, length: int) -> bool:
    """Whether some units are all of their line."""
    begins = at == 0 or units[at - 1] == _LINE_END
    return begins and (at + length == len(units) or units[at + length] == _LINE_END)
