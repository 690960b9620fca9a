"""Which part of a post's block is its text: the place at which blocks say most that is not repeated."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice

from lxml import etree

from focuscrawl.forums.elements import LONGEST_NAME, BoardRow, ForumSelectors, path_in, pieces
from focuscrawl.forums.threads.posts import Mark
from focuscrawl.pages.selectors import find
from focuscrawl.pages.texts import element_text, paragraphs

LONGEST_POST = 100_000
ABOUT_SOMEBODY = re.compile(
    r"sign|user|member|avatar|profile|pls|poster|author|rate|tool|button|action|foot|quick",
    re.IGNORECASE,
)
HOLDS_TEXT = re.compile(
    r"content|message|t_f|t_msg|body|post_?text|cooked|wrapper|reply_?con", re.IGNORECASE
)


def islands_in(row: BoardRow, marked: set[etree._Element]) -> Iterator[etree._Element]:
    """Go through the largest elements of a block that hold no name, no date and no number."""
    around = {above for one in marked for above in (one, *one.iterancestors())}
    stack = [*reversed(row.elements)]
    while stack:
        element = stack.pop()
        if not isinstance(element.tag, str) or element in marked or element in row.others:
            continue
        if element in around:
            stack.extend(reversed(element))
        else:
            yield element


def text_places(
    rows: Sequence[BoardRow],
    authors: Sequence[tuple[str, etree._Element | None]],
    marks: Sequence[Mark | None],
    floors: Sequence[tuple[int, etree._Element] | None],
) -> list[tuple[str, ...]]:
    """Return the places of texts in blocks, that with most to say first: what differs, counts."""
    said: dict[tuple[str, ...], set[str]] = defaultdict(set)
    weights: Counter[tuple[str, ...]] = Counter()
    for row, author, mark, floor in zip(rows, authors, marks, floors, strict=True):
        marked = marked_elements(
            [author[1], mark.element if mark else None, floor[1] if floor else None]
        )
        for element in islands_in(row, marked):
            text = element_text(element)
            place = path_in(element, row)
            if text and text not in said[place]:
                said[place].add(text)
                weights[place] += len(text) * worth_of(element)
    return [place for place, _ in weights.most_common(1)]


def worth_of(element: etree._Element) -> int:
    """Weigh an element by its class: what is called a message is, what is called a user is not."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    inner = " ".join(one.get("class", "") for one in islice(element.iter("div", "td", "p"), 8))
    if HOLDS_TEXT.search(names) or (HOLDS_TEXT.search(inner) and not ABOUT_SOMEBODY.search(names)):
        return 20
    return 1 if ABOUT_SOMEBODY.search(names) else 4


def says_something(element: etree._Element) -> bool:
    """Whether an element has a text that is not about who wrote it, by its class."""
    names = f"{element.get('class', '')} {element.get('id', '')}"
    return not ABOUT_SOMEBODY.search(names) and len(element_text(element)) > 1


def marked_elements(elements: Sequence[etree._Element | None]) -> set[etree._Element]:
    """Return those that were found of a block's name, date and number: they are no text."""
    return {element for element in elements if element is not None}


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


def text_in(
    row: BoardRow, places: Sequence[tuple[str, ...]], marked: set[etree._Element]
) -> tuple[str, etree._Element | None]:
    """Return the text of a post and the element that holds it; None: it is spread over the block."""
    for element in islands_in(row, marked):
        if places and path_in(element, row) == places[0]:
            return paragraphs(deepcopy(element))[:LONGEST_POST], element
    rest = [piece.text for piece in pieces(row) if piece.element not in marked]
    if places:
        rest = [text for text in rest if len(text) > LONGEST_NAME]
    return "\n".join(rest)[:LONGEST_POST], None
