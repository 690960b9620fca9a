"""A text that its page shows twice, for desktops and for telephones, is one text.

Both blocks hold the same paragraphs, so that extractors take what is around them. The second one begins where
the first line of the first comes again.
"""

from __future__ import annotations

import re

from focuscrawl.text.dates import PRINTED_DAY

_FEWEST_LETTERS = 60  # letters of a text that is shown twice; a refrain of a song is shorter
_SHARE = (
    0.9  # of the letters of the one that the other must have; of two blocks one has a byline more
)
_MOST_LINES = 5_000  # lines of a text that is compared with itself
_SHORT = 60  # characters up to which a line beside a text is its title or byline
_MOST_STARTS = 8  # lines that the second text may begin with, and times its first line comes again
_MARKS = re.compile(r"[\W_]+")
_DATED = re.compile(PRINTED_DAY)


def shown_once(text: str) -> str:
    """Return a text (a paragraph a line) without its second showing; the text itself when there is none.

    What only the second one says stays, but for another byline.
    """
    lines = text.split("\n")
    if not 2 <= len(lines) <= _MOST_LINES:
        return text
    plain = ["" if _is_byline(line) else _MARKS.sub("", line) for line in lines]
    for first in range(min(_MOST_STARTS, len(lines))):
        if not plain[first]:
            continue
        again = [place for place in range(first + 1, len(lines)) if plain[place] == plain[first]]
        for place in again[:_MOST_STARTS]:
            if _is_same(plain[first:place], plain[place:]):
                known = {"", *plain[:place]}
                more = [line for line, one in zip(lines, plain, strict=True) if one not in known]
                return "\n".join([*lines[: _end(plain, first, place)], *more])
    return text


def _is_byline(line: str) -> bool:
    return len(line) <= _SHORT and _DATED.search(line) is not None


def _is_same(one: list[str], other: list[str]) -> bool:
    """Whether two runs of lines are the same text."""
    known, here = set(one), set(other)
    letters, others = sum(map(len, one)), sum(map(len, other))
    if letters < _FEWEST_LETTERS:
        return False
    shared = sum(len(line) for line in other if line in known)
    found = sum(len(line) for line in one if line in here)
    return shared >= _SHARE * others and found >= _SHARE * letters


def _end(plain: list[str], first: int, place: int) -> int:
    """Return where the first text ends: without title and byline of the second, which stand before it."""
    before, behind = {"", *plain[:first]}, {*plain[place:]} - {""}
    end = place
    while end > first + 1 and plain[end - 1] in before and plain[end - 1] not in behind:
        end -= 1
    return end
