"""Results of a page by what they are (C2): for an engine nobody has described, or one that looks
otherwise than it did.

A result is a link that leads out of the engine and stands in or around a heading, several of them under
headings of one rank; without headings, links of one place in the page's structure, each with words of
its own below it. What stands before the next such link is its snippet.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

_RANKS = ("h1", "h2", "h3", "h4", "h5", "h6")
OF_THE_ENGINE = frozenset({"nav", "footer", "header", "form", "aside"})
"""Elements whose links belong to the engine, whatever they lead to."""

NEAR_HEADING = 4  # elements between a heading and its link; seen: 0 to 2
FEWEST, FEWEST_WORDS = 3, 4
"""Links of one place that are results without headings, and characters of their titles."""

LEAST_SNIPPET = 20
"""Characters below a link that make a result of one that stands alone."""

LONGEST_BLOCK = 2_000
"""Characters of a result with all its boxes; what is longer is a part of the page."""

LONGEST_SNIPPET = 500

_MOST_BESIDE = 20
"""Elements behind a link that stands alone: each of many groups of links would read the rest of the page."""

_TEXTS = etree.XPath(".//text()[not(parent::script or parent::style or parent::noscript)]")


class ResultBlock(NamedTuple):
    """A result: the element that holds it alone, its link as written, title and snippet."""

    element: etree._Element
    href: str
    title: str
    snippet: str


def result_blocks(
    root: etree._Element, leads_out: Callable[[str], bool], most: int
) -> list[ResultBlock]:
    """Return the results of a page, in order; ``leads_out(href)``: it does not lead to the engine itself."""
    anchors = [
        one
        for one in root.iter("a")
        if leads_out(one.get("href", "").strip()) and not any(_is_around(one))
    ]
    headed: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for anchor in anchors:
        for heading in _headings(anchor):
            headed[str(heading.tag)].append(anchor)
    found = [_blocks(group[:most]) for _, group in sorted(headed.items())]
    if found:
        # Links below a result are headings of a lower rank: the more of the page lies under a rank,
        # the likelier it is that of the results; of two that say as much, the higher.
        best = max(
            found, key=lambda blocks: sum(len(one.snippet) >= LEAST_SNIPPET for one in blocks)
        )
        return best if len(best) >= FEWEST or any(_says_much(one) for one in best) else []
    places: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for anchor in anchors:
        places[_place(anchor)].append(anchor)
    found = [_blocks(group[:most]) for group in places.values() if len(group) >= FEWEST]
    found = [blocks for blocks in found if all(map(_says_much, blocks[:FEWEST]))]
    return max(found, key=len, default=[])


def _text(element: etree._Element) -> str:
    """Return what a reader sees of an element, blanks collapsed."""
    return " ".join("".join(cast("list[str]", _TEXTS(element))).split())


def _is_around(anchor: etree._Element) -> Iterator[bool]:
    return (above.tag in OF_THE_ENGINE for above in anchor.iterancestors())


def _headings(anchor: etree._Element) -> Iterator[etree._Element]:
    """Give the heading that a link is in, or around, when there is one."""
    near = (*islice(anchor.iterancestors(), NEAR_HEADING), *islice(anchor.iter(*_RANKS), 1))
    return islice((one for one in near if one.tag in _RANKS), 1)


def _place(anchor: etree._Element) -> str:
    """Return where in a page's structure a link stands: tags down to it, and what it is called."""
    tags = [str(above.tag) for above in anchor.iterancestors()]
    return f"{'/'.join(tags)} {anchor.get('class', '')}"


def _says_much(block: ResultBlock) -> bool:
    return len(block.title) >= FEWEST_WORDS and len(block.snippet) >= LEAST_SNIPPET


def _blocks(anchors: Sequence[etree._Element]) -> list[ResultBlock]:
    """Return what belongs to each link: all that holds it and no other one of them."""
    others: defaultdict[etree._Element, int] = defaultdict(int)
    for anchor in anchors:
        others[anchor] += 1
        for above in anchor.iterancestors():
            others[above] += 1
    first = {anchor.get("href", "").strip(): anchor for anchor in reversed(anchors)}
    return [_block(anchor, others) for anchor in reversed(first.values())]


def _block(anchor: etree._Element, others: dict[etree._Element, int]) -> ResultBlock:
    title = _text(next(anchor.iter(*_RANKS), anchor))
    element, text = anchor, _text(anchor)
    for above in anchor.iterancestors():
        if others[above] > 1 or above.tag in ("body", "html"):
            break
        around = _text(above)
        if len(around) > LONGEST_BLOCK:
            break
        element, text = above, around
    snippet = text.partition(title)[2].strip() if title else ""
    if not snippet:  # rows of a table: the words stand in the next ones
        after = []
        for beside in islice(element.itersiblings(), _MOST_BESIDE):
            if beside in others or not isinstance(beside.tag, str):
                break
            after.append(_text(beside))
        snippet = " ".join(filter(None, after))
    return ResultBlock(element, anchor.get("href", "").strip(), title, snippet[:LONGEST_SNIPPET])
