"""Results of a page by what they are (C2): for an engine without a description, or one that looks
different now.

A result is a link that leads out of the engine and stands in or around a heading, several of them under
headings of one rank; without headings, links of one place in the page's structure, each with words of
its own below it. What stands before the next such link is its snippet; a link that leads where the one
before it does (the snippet itself, a picture) is part of the same result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

_RANKS = ("h1", "h2", "h3", "h4", "h5", "h6")
OF_THE_ENGINE = frozenset({"nav", "footer", "header", "form", "aside"})
"""Elements whose links belong to the engine, whatever they lead to, unless inside one of ``OF_A_RESULT``:
an article has a header of its own."""

OF_A_RESULT = frozenset({"article", "li"})

NEAR_HEADING = 4  # elements between a heading and its link; seen: 0 to 2
FEWEST, FEWEST_WORDS = 3, 4
"""Links of one place that are results without headings, and characters of their titles."""

LEAST_SNIPPET = 20
"""Characters below a link that make a result of one that stands alone."""

LONGEST_BLOCK = 2_000
"""Characters of a result with all its boxes; what is longer is a part of the page."""

LONGEST_SNIPPET = 500

_MOST_LETTERS_BESIDE = 20
"""Elements behind a link that stands alone: each of many groups of links would read the rest of the page."""

_MOST_RESULT_GROUPS = 3
"""Groups of links that are searched for advertisements: the likeliest alone, for it reads all of them."""

_FIND_RESULT_TEXTS = etree.XPath(
    ".//text()[not(parent::script or parent::style or parent::noscript)]"
)


class ResultBlock(NamedTuple):
    """A result: the element that holds it alone, its link as written, title and snippet."""

    element: etree._Element
    href: str
    title: str
    snippet: str


def result_blocks(
    root: etree._Element,
    leads_out: Callable[[str], bool],
    most: int,
    is_sold: Callable[[etree._Element], bool] = lambda _: False,
    says: Callable[[str], bool] = lambda _: False,
) -> list[ResultBlock]:
    """Return the results of a page, in order; ``leads_out(href)``: it does not lead to the engine itself,
    ``is_sold(element)``: it is an advertisement, ``says(text)``: it names what was asked for.
    """

    def organic(
        groups: list[list[ResultBlock]], score: Callable[[list[ResultBlock]], int]
    ) -> list[ResultBlock]:
        likely = sorted(groups, key=score, reverse=True)[:_MOST_RESULT_GROUPS]
        kept = [[one for one in blocks if not is_sold(one.element)] for blocks in likely]
        return max(kept, key=score, default=[])

    anchors = [
        one
        for one in root.iter("a")
        if leads_out(one.get("href", "").strip()) and not _is_engines(one)
    ]
    # Links below a result are headings of a lower rank: the more of the page lies under a rank, the
    # likelier it is that of the results; of two that say as much, the higher.
    texts = _Texts()
    ranks = [_blocks(group[:most], texts) for group in _by_rank(anchors)]
    best = organic(ranks, _how_many_say)
    if len(best) >= FEWEST or any(map(_says_much, best)):
        return best
    places = _by_place(anchors)
    best = organic(_blocks_of_many(places, texts, most), len)
    return best or organic(_blocks_of_few(places, texts, says, most), len)


def _by_rank(anchors: Sequence[etree._Element]) -> list[list[etree._Element]]:
    """Part links by the rank of their heading, the highest first; those without one are left out."""
    headed: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for anchor in anchors:
        for heading in _headings(anchor):
            headed[str(heading.tag)].append(anchor)
    return [group for _, group in sorted(headed.items())]


def _by_place(anchors: Sequence[etree._Element]) -> list[list[etree._Element]]:
    """Part links by where they stand in the page's structure."""
    places: defaultdict[str, list[etree._Element]] = defaultdict(list)
    for anchor in anchors:
        places[_place(anchor)].append(anchor)
    return list(places.values())


def _blocks_of_many(
    places: Sequence[list[etree._Element]], texts: _Texts, most: int
) -> list[list[ResultBlock]]:
    """Return the results of each place that has several, the first of which all say much."""
    found = [_blocks(group[:most], texts) for group in places if len(group) >= FEWEST]
    found = [blocks for blocks in found if len(blocks) >= FEWEST]
    return [blocks for blocks in found if all(map(_says_much, blocks[:FEWEST]))]


def _blocks_of_few(
    places: Sequence[list[etree._Element]], texts: _Texts, says: Callable[[str], bool], most: int
) -> list[list[ResultBlock]]:
    """Return what may be one or two results alone, which have no neighbours to be told by: what was
    asked for stands in them, and their words are their own, not those of what comes next.
    """
    few = (group for group in places if any(says(texts[anchor]) for anchor in group))
    found = [_blocks(group[:most], texts) for group in islice(few, _MOST_RESULT_GROUPS)]
    return [
        blocks
        for blocks in found
        if all(map(_says_much, blocks)) and all(one.snippet in texts[one.element] for one in blocks)
    ]


def asked_blocks(says: Callable[[str], bool], blocks: list[ResultBlock]) -> list[ResultBlock]:
    """Leave out groups beside each other that are not about what was asked for: menus, headlines, boxes."""
    groups: defaultdict[etree._Element | None, list[bool]] = defaultdict(list)
    for one in blocks:
        groups[one.element.getparent()].append(says(f"{one.title} {one.snippet}"))
    return [one for one in blocks if are_half(groups[one.element.getparent()])]


def are_half(said: Iterable[bool]) -> bool:
    """Whether as many say so as do not: an excerpt is not always cut where the words stand."""
    told = [*said]
    return bool(told) and 2 * sum(told) >= len(told)


class _Texts(dict[etree._Element, str]):
    """What a reader sees of elements, blanks collapsed, cut where no result is as long; each is read once,
    for many groups of links lie below the same ones.
    """

    def __missing__(self, element: etree._Element) -> str:
        whole = " ".join("".join(cast("list[str]", _FIND_RESULT_TEXTS(element))).split())
        return self.setdefault(element, whole[: LONGEST_BLOCK + 1])


def _is_engines(anchor: etree._Element) -> bool:
    """Whether a link stands in the engine's own parts of the page."""
    around = [str(above.tag) for above in anchor.iterancestors()]
    for at, tag in enumerate(around):
        if tag in OF_THE_ENGINE and (tag in ("nav", "form") or OF_A_RESULT.isdisjoint(around[at:])):
            return True
    return False


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


def _how_many_say(blocks: list[ResultBlock]) -> int:
    return sum(len(one.snippet) >= LEAST_SNIPPET for one in blocks)


def _blocks(anchors: Sequence[etree._Element], texts: _Texts) -> list[ResultBlock]:
    """Return what belongs to each address: all that holds links to it and to no other one of them."""
    held: dict[etree._Element, str] = {}  # "": by several
    first: dict[str, etree._Element] = {}
    for anchor in anchors:
        href = anchor.get("href", "").strip()
        if not texts[first.setdefault(href, anchor)]:
            first[href] = anchor  # the one before is a picture
        for above in (anchor, *anchor.iterancestors()):
            if held.setdefault(above, href) != href:
                held[above] = ""
    return [_block(anchor, held, texts, is_alone=len(first) == 1) for anchor in first.values()]


def _block(
    anchor: etree._Element, held: dict[etree._Element, str], texts: _Texts, *, is_alone: bool
) -> ResultBlock:
    title = texts[next(anchor.iter(*_RANKS), anchor)]
    element, text = anchor, texts[anchor]
    for above in anchor.iterancestors():
        if not held[above] or above.tag in ("body", "html"):
            break
        if is_alone and len(text) >= len(title) + LEAST_SNIPPET:
            break  # no other result shows where it ends: what is around may be the page's
        around = texts[above]
        if len(around) > LONGEST_BLOCK:
            break
        element, text = above, around
    snippet = text.partition(title)[2].strip() if title else ""
    if not snippet:  # rows of a table: the words stand in the next ones
        after = []
        for beside in islice(element.itersiblings(), _MOST_LETTERS_BESIDE):
            if beside in held or not isinstance(beside.tag, str):
                break
            after.append(texts[beside])
        snippet = " ".join(filter(None, after))
    return ResultBlock(element, anchor.get("href", "").strip(), title, snippet[:LONGEST_SNIPPET])
