"""The lines before and behind the sentences of a text, and where they stand on its page.

A place is a path of elements from what holds the sentences to a line: ``footer.post-info>p``. It counts from there, so that
what lies around it, which often has a name of the page's own, says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, cast

from lxml import etree

from focuscrawl.readers.pages.texts import TEXT_BLOCKS, names_of, short_text
from focuscrawl.readers.text.lines import is_prose, line_number

LINES_BEFORE, LINES_BEHIND = 8, 12
"""Lines before and behind the sentences that are looked at: a byline with its tags has up to six."""

_MOST_AT_ENDS = (
    6  # blocks at the beginning and the end of a page: a short text may be read with them
)
_MOST_INSIDE = (
    30  # lines between the sentences whose places are looked for: they tell what is of the text
)
_LONGEST_LOOKED_FOR = 120  # characters of a line by which its block is found
_MOST_IN_BLOCK = (
    400  # pieces of a block that are compared with lines: one that holds more is no block of text
)
_MOST_OF_LINE = 8  # blocks of a page that say the same as a line: 80,000 of them took a minute
_MOST_PIECES_OF_PAGE = 10_000  # of text; a longer page is a book, and teaches nothing
_MOST_WORDS_OF_LINE = 40  # pieces of a line that are looked at
_MOST_CLASS_NAMES = 255  # class attributes that count: a sum of theirs fits into a byte
BITS = 64
_FIND_NAMES = etree.XPath("//@class", smart_strings=False)
_FIND_PIECES = etree.XPath(
    "//body//text()[not(parent::script or parent::style) and normalize-space()]"
)
_NO_BLANK = re.compile(r"\s+")
_LASTING = re.compile(r"[a-z][a-z_-]{1,29}", re.IGNORECASE)
"""A name without digits: others are of one page, or of one version of a design."""

_PARTS_OF_PAGE = frozenset({"address", "aside", "footer", "form", "header", "nav"})
"""Elements that name a part of a page by themselves."""


class PlacedLine(NamedTuple):
    """A line beside the sentences of a text: the number of its ``place``, 0: one of the text's own, or unknown.

    ``words`` are the pieces of its text, among which names of sections, tags and authors come again, without what they repeat
    of the page's own title, date and author. ``has_number``: beside these.
    """

    text: str
    place: int
    words: tuple[str, ...] = ()
    has_number: bool = False


class TextEdges(NamedTuple):
    """What stands beside the sentences of a text.

    ``before`` and ``behind`` are the lines at its ends, ``around`` further ones of its page that no reader took for it,
    ``inside`` the places of lines between the sentences.
    """

    before: tuple[PlacedLine, ...] = ()
    behind: tuple[PlacedLine, ...] = ()
    around: tuple[PlacedLine, ...] = ()
    inside: frozenset[int] = frozenset()


NO_EDGES = TextEdges()


def edges_of(
    text: str, root: etree._Element, own: Sequence[str] = (), *, is_taught: bool = False
) -> TextEdges:
    """Return what stands beside the sentences of an article's text.

    ``own`` are the page's own title, date and author, as they are printed. ``is_taught``: nothing is to be learnt from it, so that a page is not looked at whose text begins and ends with sentences.
    """
    lines = text.split("\n")
    prose = [at for at, line in enumerate(lines) if is_prose(line)]
    if not prose:
        return NO_EDGES
    before = lines[: prose[0]][:LINES_BEFORE]
    behind = lines[prose[-1] + 1 :][-LINES_BEHIND:]
    if is_taught and not before and not behind:
        return NO_EDGES
    between = lines[prose[0] : prose[-1] + 1][:_MOST_INSIDE]
    page = _PageBlocks(root, [*before, *between, *behind, lines[prose[-1]]], own)
    first, last = page.found.get(lines[prose[0]]), page.found.get(lines[prose[-1]])
    if not first or not last:
        return NO_EDGES
    container = _container(first[0], last[0])
    placed = {line: page.placed(line, container) for line in (*before, *between, *behind)}
    known = {block for line in placed for block in page.found.get(line, ())}
    near = [one for one in page.beside(first[0], last[0]) if one not in known]
    return TextEdges(
        tuple(placed[line] for line in before),
        tuple(placed[line] for line in behind),
        tuple(page.placed_at(short_text(one, _LONGEST_LOOKED_FOR), one, container) for one in near),
        frozenset(placed[line].place for line in between) - {0},
    )


class _PageBlocks:
    """The blocks of a page that hold text: ``found`` are those in which lines stand, in the order of the page."""

    def __init__(self, root: etree._Element, lines: Iterable[str], own: Sequence[str]) -> None:
        self._own = own
        self.found: dict[str, list[etree._Element]] = {}
        self._texts: dict[etree._Element, str] = {}
        pieces = cast("list[Any]", _FIND_PIECES(root))
        self._pieces = pieces if len(pieces) <= _MOST_PIECES_OF_PAGE else []
        wanted: dict[str, list[tuple[str, str]]] = {}
        for line in dict.fromkeys(lines):
            plain = _NO_BLANK.sub("", line[:_LONGEST_LOOKED_FOR])
            if plain:
                wanted.setdefault(plain[0], []).append((line, plain))
        for piece in self._pieces:
            begun = wanted.get(piece.lstrip()[:1])
            if begun is None:
                continue
            said = _NO_BLANK.sub("", piece[:_LONGEST_LOOKED_FOR])
            for line, plain in begun:
                is_enough = len(self.found.get(line, ())) >= _MOST_OF_LINE
                if not is_enough and (plain.startswith(said) or said.startswith(plain)):
                    self._find(line, plain, _block_of(piece))

    def _find(self, line: str, plain: str, block: etree._Element) -> None:
        if block not in self._texts:
            whole = "".join(map(str, islice(block.itertext(), _MOST_IN_BLOCK)))
            self._texts[block] = _NO_BLANK.sub("", whole)
        if plain in self._texts[block]:
            known = self.found.setdefault(line, [])
            if block not in known:
                known.append(block)

    def beside(self, first: etree._Element, last: etree._Element) -> list[etree._Element]:
        """Return the blocks of text right before the first sentence and right behind the last one, and those that begin and
        end the page.
        """
        blocks = [*dict.fromkeys(map(_block_of, self._pieces))]
        begins, ends = blocks.index(first), blocks.index(last)
        before, behind = blocks[:begins], blocks[ends + 1 :]
        near = (*before[:_MOST_AT_ENDS], *before[-LINES_BEFORE:], *behind[:LINES_BEHIND])
        return [*dict.fromkeys((*near, *behind[-_MOST_AT_ENDS:]))]

    def placed(self, line: str, container: etree._Element) -> PlacedLine:
        """Return a line with its place: of several the one next to the text's sentences."""
        blocks = self.found.get(line)
        if not blocks:
            return PlacedLine(line, 0)
        block = min(blocks, key=lambda one: _how_far(_path(one, container)))
        return self.placed_at(line, block, container)

    def placed_at(self, text: str, block: etree._Element, at: etree._Element) -> PlacedLine:
        """Return what a block says, and its place below ``at``."""
        words = {
            self._without_own(piece) for piece in islice(block.itertext(), _MOST_WORDS_OF_LINE)
        }
        has_number = any(any(map(str.isdigit, word)) for word in words)
        return PlacedLine(text, _place(_path(block, at)), (*sorted(words),), has_number)

    def _without_own(self, piece: Any) -> str:
        text = " ".join(piece.split())[:_LONGEST_LOOKED_FOR]
        for one in self._own:
            text = text.replace(one, "")
        return text


def _block_of(piece: Any) -> etree._Element:
    """Return the block that a piece of a page's text stands in."""
    parent: etree._Element = piece.getparent()
    inner = parent.getparent() if piece.is_tail else None
    block = parent if inner is None else inner
    while block.tag not in TEXT_BLOCKS and (above := block.getparent()) is not None:
        block = above
    return block


def _container(first: etree._Element, last: etree._Element) -> etree._Element:
    """Return what holds the first and the last sentence; what holds a sentence, if that is one."""
    above = {one: at for at, one in enumerate(first.iterancestors())}
    return next((one for one in last.iterancestors() if one in above), first)


_OUT = "^"


def _path(block: etree._Element, container: etree._Element) -> list[str]:
    """Return the elements that lead from the text's container to a block; ``^`` for each that leads out of it."""
    inner = [block, *block.iterancestors()]
    outer = [container, *container.iterancestors()]
    while inner and outer and inner[-1] is outer[-1]:
        inner.pop()
        outer.pop()
    return [_OUT] * len(outer) + [_name(one) for one in reversed(inner)]


def _how_far(path: list[str]) -> tuple[int, int]:
    return path.count(_OUT), len(path)


def _name(element: etree._Element) -> str:
    names = sorted(filter(_LASTING.fullmatch, names_of(element).split()))
    return ".".join((element.tag, *names))


def _place(path: list[str] | None) -> int:
    """Return the number of a path; 0 for one that nothing tells from the paths of sentences."""
    if not path:
        return 0
    is_apart = any(one == _OUT or "." in one or one in _PARTS_OF_PAGE for one in path)
    return line_number(">".join(path)) if is_apart else 0


def structure_of(root: etree._Element) -> int:
    """Return the SimHash of the class names of a page's elements: pages built alike are few bits apart."""
    # In the order of the page: that of a set is another one in each process, and a page has more names than count.
    attributes = dict.fromkeys(cast("list[str]", _FIND_NAMES(root)))
    lanes = list(map(_lanes, islice(attributes, _MOST_CLASS_NAMES)))
    sums = sum(lanes).to_bytes(BITS, "little")
    half = len(lanes) // 2
    return sum(1 << bit for bit, count in enumerate(sums) if count > half)


@lru_cache(8_192)
def _lanes(attribute: str) -> int:
    """Return a hash of the lasting names of a class attribute, each bit in a byte of its own, so that hashes add up."""
    lasting = " ".join(sorted(filter(_LASTING.fullmatch, attribute.split())))
    hashed = line_number(lasting)
    return int.from_bytes(bytes(hashed >> bit & 1 for bit in range(BITS)), "little")
