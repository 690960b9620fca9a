"""A text that its page shows twice, for desktops and for telephones, is one text.

Both blocks hold the same paragraphs, so that extractors take what is around them. The second one begins where
the first line of the first comes again.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any, cast

from lxml import etree

from focuscrawl.readers.text.dates import PRINTED_DAY

_FEWEST_LETTERS = 60  # letters of a text that is shown twice; a refrain of a song is shorter
_SHARE_TWICE = (
    0.9  # of the letters of the one that the other must have; of two blocks one has a byline more
)
_MOST_LINES_TWICE = 5_000  # lines of a text that is compared with itself
_SHORT = 60  # characters up to which a line beside a text is its title or byline
_MOST_STARTS = 8  # lines that the second text may begin with, and times its first line comes again
_MOST_BLOCKS = 3  # that show one text: for desktops, telephones, print
_MOST_PIECES_TWICE = 20_000  # pieces of text of a page among which a line is looked for
FIND_TEXTS = etree.XPath("/descendant::text()[not(parent::script or parent::style)]")
# What a line stands in; a heading is looked for around all of them, too.
_OF_A_LINE = frozenset(
    ("p", "li", "span", "b", "strong", "em", "i", "a", "font", "h1", "h2", "h3", "br")
)
_NO_LETTERS = re.compile(r"[\W_]+")
_PRINTED_DATE = re.compile(PRINTED_DAY)


def shown_once(text: str, root: etree._Element) -> str:
    """Return a text (a paragraph a line) without its second showing; the text itself when there is none.

    ``root`` is its page: what repeats itself in one block is its author's. What only the second one says stays,
    but for another byline.
    """
    lines = text.split("\n")
    if not 2 <= len(lines) <= _MOST_LINES_TWICE:
        return text
    plain = ["" if _is_byline(line) else _NO_LETTERS.sub("", line) for line in lines]
    in_two: frozenset[str] | None = None  # looked for at most once: it goes through the page
    for first in range(min(_MOST_STARTS, len(lines))):
        if not plain[first]:
            continue
        again = [place for place in range(first + 1, len(lines)) if plain[place] == plain[first]]
        for place in again[:_MOST_STARTS]:
            if not _is_same(plain[first:place], plain[place:]):
                continue
            if in_two is None:
                in_two = _in_two_blocks(root, {*plain[:_MOST_STARTS]} - {""})
            if plain[first] in in_two:
                known = {"", *plain[:place]}
                more = [line for line, one in zip(lines, plain, strict=True) if one not in known]
                return "\n".join([*lines[: _end(plain, first, place)], *more])
    return text


def _in_two_blocks(root: etree._Element, lines: AbstractSet[str]) -> frozenset[str]:
    """Return those of some lines that stand in more than one block of a page; what is quoted again is the author's."""
    holders: dict[str, set[etree._Element]] = {line: set() for line in lines}
    shortest = min(map(len, lines))
    for piece in islice(cast("list[Any]", FIND_TEXTS(root)), _MOST_PIECES_TWICE):
        found = holders.get(_NO_LETTERS.sub("", piece)) if len(piece) >= shortest else None
        if found is None:
            continue
        element = piece.getparent()
        if piece.is_tail:
            element = element.getparent()
        while element is not None and element.tag in _OF_A_LINE:
            element = element.getparent()
        if element is not None:
            found.add(element)
    return frozenset(
        line
        for line, blocks in holders.items()
        if 1 < len(blocks) <= _MOST_BLOCKS and all(one.tag != "blockquote" for one in blocks)
    )


def _is_byline(line: str) -> bool:
    return len(line) <= _SHORT and _PRINTED_DATE.search(line) is not None


def _is_same(one: list[str], other: list[str]) -> bool:
    """Whether two runs of lines are the same text."""
    known, here = set(one), set(other)
    letters, others = sum(map(len, one)), sum(map(len, other))
    if letters < _FEWEST_LETTERS:
        return False
    shared = sum(len(line) for line in other if line in known)
    found = sum(len(line) for line in one if line in here)
    return shared >= _SHARE_TWICE * others and found >= _SHARE_TWICE * letters


def _end(plain: list[str], first: int, place: int) -> int:
    """Return where the first text ends: without title and byline of the second, which stand before it."""
    before, behind = {"", *plain[:first]}, {*plain[place:]} - {""}
    end = place
    while end > first + 1 and plain[end - 1] in before and plain[end - 1] not in behind:
        end -= 1
    return end
