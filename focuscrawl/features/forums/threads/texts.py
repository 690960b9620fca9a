"""The number and the text of a post: its text stands where posts say most that is not repeated, without
what it quotes of others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import islice, pairwise
from typing import NamedTuple

from lxml import etree

from focuscrawl.features.forums.elements import (
    LONGEST_NAME,
    BoardRow,
    ForumSelectors,
    RowPath,
    TextPiece,
    elements_of,
    path_in,
    pieces,
)
from focuscrawl.features.forums.words import (
    FLOOR_BESIDE,
    LONGEST_FLOOR,
    NAMED_FLOORS,
    NUMBER_ONLY_FLOOR,
    floor_in,
)
from focuscrawl.readers.pages.selectors import find
from focuscrawl.readers.pages.texts import element_text, names_of, paragraphs, short_text
from focuscrawl.readers.text.dates import find_dates


class PostBlock(NamedTuple):
    """A block with what was found in it besides text; ``marked`` are the elements of name, moment and
    number, which are no text; ``usual`` counts which of name and moment stand where most posts say them;
    ``others`` are names and moments that are not the post's.
    """

    row: BoardRow
    author: str = ""
    posted: float | None = None
    floor: int | None = None
    marked: frozenset[etree._Element] = frozenset()
    usual: int = 2
    others: frozenset[etree._Element] = frozenset()


def floors_of(rows: Sequence[BoardRow]) -> list[tuple[int, etree._Element] | None]:
    """Return the number each post has on its page; numbers that do not ascend are none."""
    found = [_floor(row) for row in rows]
    numbers = [floor[0] for floor in found if floor]
    if len(set(numbers)) < len(numbers):  # 楼主 is a rank, too
        found = [floor if floor and not floor[2] else None for floor in found]
        numbers = [floor[0] for floor in found if floor]
    rises = all(a < b for a, b in pairwise(numbers))
    falls = all(a > b for a, b in pairwise(numbers))
    return [(floor[0], floor[1]) if floor and (rises or falls) else None for floor in found]


def _floor(row: BoardRow) -> tuple[int, etree._Element, bool] | None:
    named: tuple[int, etree._Element, bool] | None = None
    for piece in pieces(row)[:80]:
        number, element = _floor_of(piece)
        if number is None:
            continue
        if piece.text in NAMED_FLOORS and not piece.text[0].isdigit():
            named = named or (number, element, True)
        else:
            return number, element, False
    return named


def _floor_of(piece: TextPiece) -> tuple[int | None, etree._Element]:
    element = piece.element
    number = floor_in(piece.text)
    if number is not None:
        return number, element
    if not any(map(str.isdigit, piece.text)):
        return None, element
    if len(piece.text) > 12:
        inside = FLOOR_BESIDE.search(piece.text) if len(piece.text) < LONGEST_NAME else None
        dated = inside and next(find_dates(piece.text), None)
        return (int(next(filter(None, inside.groups()))) if inside and dated else None), element
    if (
        piece.text.isdecimal()
        and len(piece.text) <= LONGEST_FLOOR
        and NUMBER_ONLY_FLOOR.search(element.get("class", ""))
    ):
        return int(piece.text), element
    above = element.getparent()
    if above is not None and len(above) <= 3:
        return floor_in(element_text(above).replace(" ", "")), above
    return None, element


LONGEST_POST = 100_000
# Parts of a post that are joined with the text before them, which is copied each time: 45,000 buttons in
# one post of 1 MB took 6.7 s. What comes after is left empty in its place.
_MOST_REMOVED = 500
ABOUT_AUTHOR = re.compile(
    r"sign|user|member|avatar|profile|pls|poster|author|rate|tool|button|action|foot|quick",
    re.IGNORECASE,
)
HOLDS_TEXT = re.compile(
    r"content|message|t_f|t_msg|(?<!table)body|post_?text|cooked|wrapper|reply_?con", re.IGNORECASE
)
_STATED = frozenset(("text", "articleBody", "commentText", "reviewBody"))
# Parts of a post's text that others or the software wrote.
_QUOTE = re.compile(r"quot|引用", re.IGNORECASE)
_SAYS_WHO = re.compile(
    r"(?:\bwrote|\bsaid|\bschrieb|写道|寫道|说|說|发表于|發表於|原帖由|originally posted|quote|引用|回复).{0,40}$|[:：]$",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(
    r"(?:^|[\s_-])(?:signatures?|sig|sigline|modified|sr-only|visually-?hidden|hidden|hide|tip|edited|edit-?note|lastedit|pstatus|locked|likes?|reactions?|share|toolbar|buttons?|attach(?:ment)?-?info)(?:$|[\s_-])",
    re.IGNORECASE,
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SIGNED = re.compile(r"^_{6,}$|^-- ?$", re.MULTILINE)  # the line above a signature
_QUOTED = re.compile(
    r"(?:quote\s*[:：]|quote from|originally posted by|原帖由|引用[:：\s])", re.IGNORECASE
)
_MOST_OF_IT = 0.9  # share of a place's text from which the part that holds it is the text
_INSIDE = frozenset(("div", "td", "tr", "tbody", "table", "section", "article", "main", "dd"))


def islands_in(
    row: BoardRow, marked: frozenset[etree._Element] | set[etree._Element]
) -> Iterator[etree._Element]:
    """Go through the largest elements of a block that hold no name, no date and no number."""
    around = {above for one in marked for above in (one, *one.iterancestors())}
    stack = [*reversed(row.elements)]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str) or element in marked:
            continue
        if element in row.others and element not in row.elements:
            continue
        if element in around or not row.others.isdisjoint(islice(element.iter(), 2_000)):
            stack.extend(reversed(element))
        elif element.tag not in {"script", "style"}:
            yield element


def text_place(blocks: Sequence[PostBlock]) -> RowPath | None:
    """Return the place of the text in blocks: that with most to say; what differs, counts."""
    said: dict[RowPath, set[str]] = defaultdict(set)
    weights: Counter[RowPath] = Counter()
    for block in blocks:
        for element in islands_in(block.row, block.marked):
            text = element_text(element)
            place = path_in(element, block.row)
            if text and text not in said[place]:
                said[place].add(text)
                remarks = sum(not block.others.isdisjoint((one,)) for one in element.iter())
                length = max(0, len(text) - _length_of_rest(element))
                weights[place] += length * worth_of(element) // (1 + remarks)
    return max(weights, key=weights.__getitem__, default=None)


def _length_of_rest(element: etree._Element) -> int:
    """Return how much of a text is a signature, or what tools say."""
    rest = [
        one
        for one in islice(element.iter(), 500)
        if isinstance(one.tag, str) and _NO_TEXT.search(names_of(one))
    ]
    inside = set(rest)
    return sum(len(element_text(one)) for one in rest if inside.isdisjoint(one.iterancestors()))


def worth_of(element: etree._Element) -> int:
    """Weigh an element by its class: what is called a message is, what is called a user is not."""
    names = names_of(element)
    inner = " ".join(
        one.get("class", "") for one in islice(element.iter("div", "td", "p", "span"), 8)
    )
    if HOLDS_TEXT.search(names) or (HOLDS_TEXT.search(inner) and not ABOUT_AUTHOR.search(names)):
        return 20
    return 1 if ABOUT_AUTHOR.search(names) else 4


def says_something(element: etree._Element) -> bool:
    """Whether an element has a text that is not about who wrote it, by its class."""
    return not ABOUT_AUTHOR.search(names_of(element)) and len(element_text(element)) > 1


def texts_of(blocks: Sequence[PostBlock]) -> list[tuple[str, etree._Element | None]]:
    """Return the text of each post and the element that holds it; None: it is spread over the block."""
    place = text_place(blocks)
    found: list[etree._Element | None] = []
    for block in blocks:
        islands = islands_in(block.row, block.marked)
        there = [one for one in islands if path_in(one, block.row) == place] or [
            one
            for one in elements_of(block.row)
            if one not in block.marked and path_in(one, block.row) == place
        ]
        at_place = max(there, key=lambda one: len(element_text(one)) * worth_of(one), default=None)
        stated = _stated(block.row)
        found.append(stated if stated is not None else at_place)
    holding = _holding(found)
    found = [None if one in holding else one for one in found]
    narrow = _narrowed([one for one in found if one is not None])
    texts = []
    for block, element in zip(blocks, found, strict=True):
        if element is None:
            text, other = longest_text(block)
            texts.append(
                (text, other)
                if place is not None and other is not None
                else (_spread(block, place), None)
            )
        else:
            inner = narrow.get(element, element)
            texts.append((own_text(inner), inner))
    return list(
        zip(_without_refrain([text for text, _ in texts]), [one for _, one in texts], strict=True)
    )


def _holding(elements: Iterable[etree._Element | None]) -> set[etree._Element]:
    """Return those that hold another of them: what is in them is not the text of one post, and 499 inside each other
    took 20 s, for each was read to its end (make fuzz, page 8484 of seed 20261130)."""
    every = {one for one in elements if one is not None}
    return {above for one in every for above in one.iterancestors() if above in every}


def like_most(blocks: Sequence[PostBlock]) -> list[PostBlock]:
    """Return the blocks that say two of name, moment and text where most do: others are what heads a
    page, other threads, and advertisements.
    """
    place = text_place(blocks)
    sure = []
    for block in blocks:
        islands = islands_in(block.row, block.marked)
        has_text = _stated(block.row) is not None or any(
            path_in(one, block.row) == place for one in islands
        )
        if block.usual + has_text > 1:
            sure.append(block)
    return sure if len(sure) > 1 else [*blocks]


def _stated(row: BoardRow) -> etree._Element | None:
    """Return the element that a page itself calls the text of a post."""
    return next((one for one in elements_of(row) if one.get("itemprop") in _STATED), None)


def _narrowed(elements: Sequence[etree._Element]) -> dict[etree._Element, etree._Element]:
    """Return for elements the part of them at one place that holds nearly all of their texts."""
    now = {one: one for one in elements}
    for _ in range(8):
        whole = sum(len(element_text(one)) for one in now.values())
        parts: dict[RowPath, dict[etree._Element, etree._Element]] = defaultdict(dict)
        for first, element in now.items():
            for child in element:
                if child.tag in _INSIDE:
                    parts[str(child.tag), child.get("class", "").partition(" ")[0]].setdefault(
                        first, child
                    )
        best = max(parts.values(), key=_length, default={})
        if not best or _length(best) < _MOST_OF_IT * whole or len(best) < _MOST_OF_IT * len(now):
            break
        now |= best
    return now


def _length(parts: dict[etree._Element, etree._Element]) -> int:
    return sum(len(element_text(one)) for one in parts.values())


def own_text(element: etree._Element) -> str:
    """Return what an author wrote in an element: not what is quoted from others, nor what tools say."""
    copied = deepcopy(element)
    left = _MOST_REMOVED
    for one in list(copied.iter()):
        if one is copied or not isinstance(one.tag, str) or one.getparent() is None:
            continue
        if one.tag == "button" or _NO_TEXT.search(names_of(one)) or _HIDDEN_STYLE.search(one.get("style", "")) or _is_quote(one):  # fmt: skip
            (_remove if left > 0 else _blank)(one)
            left -= 1
    text = _SIGNED.split(paragraphs(copied), maxsplit=1)[0].rstrip()
    return (text or paragraphs(deepcopy(element)))[:LONGEST_POST]


def _is_quote(element: etree._Element) -> bool:
    named = _QUOTE.search(element.get("class", "")) is not None
    if element.tag == "blockquote" or (element.tag == "aside" and named):
        before = element.getprevious()
        said = (before.tail or "").strip() or short_text(before, 200) if before is not None and isinstance(before.tag, str) else ""  # fmt: skip
        own = (
            short_text(element[0], 200) if len(element) and isinstance(element[0].tag, str) else ""
        )
        says = any(_SAYS_WHO.search(one) for one in (said, own, (element.text or "").strip()[:80]))
        return named or says or bool(element.keys() and element.xpath(".//cite")) or element.find(".//cite") is not None  # fmt: skip
    if element.tag not in {"div", "table", "section", "fieldset", "dl"}:
        return False
    is_inside = bool((element.tail or "").strip())  # what it answers comes right behind
    return named or (is_inside and _QUOTED.match(" ".join(islice(_words(element), 4))) is not None)


def _words(element: etree._Element) -> Iterator[str]:
    """Go through the first words of an element."""
    for text in islice(element.itertext(), 12):
        yield from str(text)[:200].split()


def _blank(element: etree._Element) -> None:
    """Leave nothing of an element but a new line, where it stands."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = "span", "\n", tail


def _remove(element: etree._Element) -> None:
    above, before = element.getparent(), element.getprevious()
    if above is None:
        return
    tail = f"\n{element.tail or ''}"
    above.remove(element)
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        above.text = (above.text or "") + tail


def longest_text(block: PostBlock) -> tuple[str, etree._Element | None]:
    """Return the text of a post that is like no other."""
    islands = [one for one in islands_in(block.row, block.marked) if len(element_text(one)) > 1]
    best = max(islands, key=lambda one: len(element_text(one)) * worth_of(one), default=None)
    return (own_text(best), best) if best is not None else ("", None)


def _spread(block: PostBlock, place: RowPath | None) -> str:
    rest = [piece.text for piece in pieces(block.row) if piece.element not in block.marked]
    if place is not None:
        rest = [text for text in rest if len(text) > LONGEST_NAME]
    return "\n".join(rest)[:LONGEST_POST]


def _without_refrain(texts: Sequence[str]) -> list[str]:
    """Drop lines with which most posts begin or end: what tools say."""
    lines = [text.split("\n") for text in texts]
    times = Counter(line for one in lines for line in set(one) if len(line) <= LONGEST_NAME)
    refrain = {line for line, number in times.items() if number > 2 and 2 * number > len(texts)}
    if not refrain:
        return list(texts)
    kept = []
    for one in lines:
        while len(one) > 1 and one[-1] in refrain:
            one.pop()
        while len(one) > 1 and one[0] in refrain:
            one.pop(0)
        kept.append("\n".join(one))
    return kept


def text_selected(
    row: BoardRow, selectors: ForumSelectors, missed: list[str]
) -> tuple[str, etree._Element] | None:
    """Return the text of a post by its site's selector and its first element; None: found out."""
    if selectors.post_text is None:
        return None
    found = [one for top in row.elements for one in find(top, selectors.post_text, inside=True)]
    tops = dict.fromkeys(one for one in found if isinstance(one, etree._Element))
    whole = [one for one in tops if tops.keys().isdisjoint(one.iterancestors())]
    if not whole:
        missed.append("post_text")
        return None
    text = "\n".join(paragraphs(deepcopy(one)) for one in whole)
    return text[:LONGEST_POST], whole[0]
