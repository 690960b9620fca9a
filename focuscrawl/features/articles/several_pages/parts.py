"""An article of several pages (A2): they come one by one, and are joined in order, nothing twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from focuscrawl.readers.pages.paging import WHOLE, numbers
from focuscrawl.values import Article, Page

LONGEST_TEXT = 1_000_000  # characters of a whole text
EDGE = 8  # lines at the beginning and at the end of a part that may be repeated on other parts
_SHORT_PART_LINE = (
    60  # characters; only shorter lines are taken for a foot that stands on every page
)
# Characters a paragraph must have in common with the one before to be its repetition.
FEWEST_REPEATED = 8
FULL_LINE = 30  # characters a line must have to be a sentence that the end of a page has broken
LIKE_TITLES = 0.3  # share of characters that the titles of two pages of one article have in common
# A line that only says where in the article one is.
_PART_MARK = re.compile(
    r"(?i)[(（\[【<《—-]*\s*+(?:第\s*+[\d一二三四五六七八九十]{1,4}\s*+[页頁](?:\s*+[/／,，]?\s*+共\s*+\d{1,4}\s*+[页頁])?"
    r"|[上下][接转轉]第?\s*+[\d一二三四五六七八九十]*\s*+[页頁版]?|接上[页頁文]|[上续續]接|未完(?:待续|待續)?|(?:待|下页)续|转?下[页頁](?:继续|继續)?"
    r"|分[页頁](?:阅读|閱讀|显示|浏览)|(?:阅读|显示|浏览)全文|全文(?:阅读|显示|浏览)|单页(?:阅读|显示|浏览)"
    r"|(?:page\s*+)?\d{1,3}\s*+(?:/|of)\s*+\d{1,3}|page\s*+\d{1,3}|continued(?: (?:from|on) .{0,20})?)\s*+[)）\]】>》—…-]*"
)
PAGE_OF_TITLE = re.compile(
    r"\s*[(（\[【]?\s*(?:第?\d{1,3}[页頁]?|\d{1,3}\s*/\s*\d{1,3})\s*[)）\]】]\s*$"
)
END = re.compile(r"[。！？!?.…；;：:”」』》）)\]】\"'~～]\s*$")
HAN_END = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]$")
NOT_A_WORD = re.compile(r"\W+")


class Part(NamedTuple):
    """One page of an article: ``number`` counts from 1, ``text`` has one paragraph a line."""

    number: int
    text: str
    images: tuple[str, ...] = ()


class Stitched(NamedTuple):
    """A whole text. ``parts`` is how many of the parts are in it: those that repeat others are not."""

    text: str
    images: tuple[str, ...]
    parts: int


def stitch(parts: Iterable[Part], title: str = "") -> Stitched:
    """Join the parts by their numbers; of equal numbers the one named first is first.

    ``title`` is the article's. Left out are: lines of the title, heads and feet that stand on
    several parts (kept once), the end of a part that begins the next, marks such as 未完待续, and
    parts that say nothing new. A sentence broken by the end of a page is whole again.
    """
    ordered = sorted(parts, key=lambda part: part.number)
    pages = [_lines(part.text) for part in ordered]
    used = _without_copies(pages)
    pages = [pages[place] for place in used]
    _drop_heads(pages, title)
    _drop_feet(pages)
    whole: list[str] = []
    for lines in pages:
        _append(whole, lines)
    images = dict.fromkeys(image for place in used for image in ordered[place].images)
    return Stitched("\n".join(whole)[:LONGEST_TEXT], tuple(images), len(used))


def is_whole_view(whole: str, parts: Sequence[str]) -> bool:
    """Whether a page that says it shows everything does: at least what all these parts say."""
    there = set(map(_plain, _lines(whole)))
    run_together = _plain(whole)
    long_lines = [
        plain
        for text in parts
        for line in _lines(text)
        if len(plain := _plain(line)) > FEWEST_REPEATED
    ]
    found = sum(line in there or line in run_together for line in long_lines)
    return bool(run_together) and found >= 0.8 * len(long_lines)


def are_unlike(title: str, other: str) -> bool:
    """Whether two titles are hardly those of two pages of one article."""
    ours, theirs = _plain(title_of_series(title)), _plain(title_of_series(other))
    if not ours or not theirs or ours in theirs or theirs in ours:
        return False
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio() < LIKE_TITLES


def are_others(heading: str, other: str) -> bool:
    """Whether two pages show headings of their own: neither is in the other, the number of a page aside."""
    ours, theirs = _plain(title_of_series(heading)), _plain(title_of_series(other))
    return bool(ours and theirs) and ours not in theirs and theirs not in ours


def title_of_series(title: str) -> str:
    """Return a title without the number of its page: 标题(2) is 标题."""
    return PAGE_OF_TITLE.sub("", title) or title


def _lines(text: str) -> list[str]:
    return [line for raw in text.split("\n") if (line := raw.strip())]


def _plain(line: str) -> str:
    """Return what two spellings of a line have in common."""
    return NOT_A_WORD.sub("", line).lower()


def _without_copies(pages: Sequence[list[str]]) -> list[int]:
    """Return the places of the parts that say something the parts before do not."""
    said: set[str] = set()
    used = []
    for place, lines in enumerate(pages):
        plain = {_plain(line) for line in lines}
        if not plain <= said:
            used.append(place)
            said |= plain
    return used


def _drop_heads(pages: Sequence[list[str]], title: str) -> None:
    """Leave out what begins a part and began the first one, and the title wherever it begins one."""
    name = _plain(title_of_series(title))
    titles = {name, _plain(title)} - {""}
    head = {_plain(line) for line in pages[0][:EDGE]} if pages else set[str]()
    for number, lines in enumerate(pages):
        end = 0
        for place, line in enumerate(lines[:EDGE]):
            plain = _plain(line)
            is_title = plain in titles or _plain(title_of_series(line)) in titles
            if is_title or _PART_MARK.fullmatch(line) or (number and plain in head):
                end = place + 1
            else:
                break
        del lines[:end]


def _drop_feet(pages: Sequence[list[str]]) -> None:
    """Leave out of each part the short lines that also end the next one, and marks at its end."""
    last: list[str] = []
    for lines in reversed(pages):
        feet = {_plain(line) for line in last[-EDGE:] if len(line) <= _SHORT_PART_LINE}
        last = [*lines]
        while lines and (_PART_MARK.fullmatch(lines[-1]) or _plain(lines[-1]) in feet):
            lines.pop()


def _append(whole: list[str], lines: list[str]) -> None:
    """Put a part behind what there is, without what both have, mending a broken sentence."""
    if not whole or not lines:
        whole += lines
        return
    start = _overlap(whole, lines)
    if start:
        whole += lines[start:]
        return
    last, first = whole[-1], lines[0]
    before, after = _plain(last), _plain(first)
    if len(before) >= FEWEST_REPEATED and after.startswith(before):
        whole[-1] = first  # the paragraph stands there cut, here complete
    elif len(after) >= FEWEST_REPEATED and before.endswith(after):
        pass  # its end is repeated
    elif len(last) >= FULL_LINE and len(first) >= FULL_LINE and not END.search(last):
        blank = "" if HAN_END.search(last) or HAN_END.search(first[:1]) else " "
        whole[-1] = f"{last}{blank}{first}"
    else:
        whole.append(first)
    whole += lines[1:]


def _overlap(whole: Sequence[str], lines: Sequence[str]) -> int:
    """Return how many lines at the beginning repeat as many at the end of what there is."""
    for length in range(min(EDGE, len(whole), len(lines)), 0, -1):
        ours = [_plain(line) for line in whole[-length:]]
        theirs = [_plain(line) for line in lines[:length]]
        if ours == theirs and sum(map(len, ours)) >= FEWEST_REPEATED:
            return length
    return 0


STRANGER = "another article"  # why a page that was taken for a part is none


class Piece(NamedTuple):
    """What one page gives to an article of several pages. Keys are hexadecimal.

    ``number`` counts from 1 (the first page), 0 is a page that shows all. ``named`` are the further
    parts this page names and their numbers; ``left_out``: it names others that are not fetched.
    The first page brings ``article``, what is known of it by now, and ``page``, its row of the log
    book, with ``layer`` as in Waiting. A later page that came before any page named it brings its row, too,
    and ``own``, the article without its text that it would be by itself. ``at`` is the wall time of the
    fetch, ``ended``: the page's URL has ended, too.
    """

    first_key: str
    key: str
    number: int
    at: float
    url: str = ""
    title: str = ""
    text: str = ""
    images: tuple[str, ...] = ()
    named: dict[str, int] = {}  # noqa: RUF012 - a NamedTuple default, never written to
    left_out: bool = False
    layer: int = 0
    article: Article | None = None
    page: Page | None = None
    ended: bool = False
    own: Article | None = None


@dataclass(slots=True)
class Gathered:
    """The pages of one article so far, by key; ``partition`` is that of its first page.

    ``lost`` says why a part will never come, ``aside`` holds parts that have failed and are tried
    again later. ``sent``: the article has been handed on, as it was then; ``sending``: it is on
    its way through the pipelines, with so much of it. ``noted`` are the pages that are written down,
    ``closed``: it has ended, and waits only for its first page's URL to end. ``unread``: a kill came
    before the first page ended, so that it is fetched again; the article waits for that, since
    what it has become is counted where its first page's visit ends.
    """

    partition: int
    pieces: dict[str, Piece] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    aside: set[str] = field(default_factory=set)
    sent: bool = False
    sending: tuple[int, int] | None = None
    noted: set[str] = field(default_factory=set)
    closed: bool = False
    unread: bool = False

    @property
    def first(self) -> Piece | None:
        """The article's first page, if it has been read."""
        return next((piece for piece in self.pieces.values() if piece.article is not None), None)

    def amount(self) -> tuple[int, int]:
        """Return how many parts are there, and how many are known to be lost."""
        return len(self.pieces), len(self.lost)

    def wanted(self) -> dict[str, int]:
        """Return all further parts that the pages name, and their numbers."""
        return {
            key: number
            for piece in self.pieces.values()
            if piece.number != WHOLE
            for key, number in piece.named.items()
        }

    def missing(self) -> set[str]:
        """Return the parts that are still to come."""
        if self.view() is not None:
            return set()
        return self.wanted().keys() - self.pieces.keys() - self.lost.keys()

    def view(self) -> Piece | None:
        """Return the page that shows the whole article, if there is one that does."""
        parts = [piece.text for piece in self._parts()]
        for piece in self.pieces.values():
            if piece.number == WHOLE and is_whole_view(piece.text, parts):
                return piece
        return None

    def is_ended(self) -> bool:
        """Whether all is there that will ever come."""
        return self.first is not None and not self.missing()

    def is_halted(self) -> bool:
        """Whether what is missing has failed, and comes later if at all."""
        return self.first is not None and self.missing() <= self.aside

    def why_incomplete(self) -> str:
        """Return why the article is not whole, "" when it is."""
        if self.view() is not None:
            return ""
        strangers = {key for key, why in self.lost.items() if why == STRANGER}
        parts = {
            number: key
            for key, number in self.wanted().items()
            if number != WHOLE and key not in strangers
        }
        there = {piece.number for piece in self._parts()}
        for number in range(1, max([*parts, *there], default=1) + 1):
            if number not in there:
                why = self.lost.get(parts.get(number, ""))
                return f"part {number}: {why}" if why else f"part {number} is missing"
        if any(key not in self.pieces for key in parts.values()):
            return "a part is missing"
        return "article.pages" if any(piece.left_out for piece in self._parts()) else ""

    def is_stranger(self, piece: Piece) -> bool:
        """Whether a page that 下一页 led to is another article: by its address and its title.

        Addresses with numbers say nothing of chapters that are called page01 and page02: there a page whose title has
        next to nothing of the first one's is another, unless the first names several by their numbers.
        """
        first = self.first
        if first is None or piece.number == WHOLE or first.key == piece.key:
            return False
        in_series = numbers(first.url, piece.url)[0] is not None
        is_numbered = in_series and len(first.named) > 1
        return not is_numbered and are_unlike(first.title, piece.title)

    def others(self) -> list[Piece]:
        """Return the pages that came unasked and are articles of their own: no pager that begins on the first
        page leads to them, and they show headings of their own.
        """
        first = self.first
        unasked = [piece for piece in self.pieces.values() if piece.own is not None]
        if first is None or not unasked:
            return []
        led_to, ahead = {first.key}, [first]
        while ahead:
            named = ahead.pop().named.keys() - led_to
            led_to |= named
            ahead += [self.pieces[key] for key in named if key in self.pieces]
        return [
            piece
            for piece in unasked
            if piece.key not in led_to and are_others(first.title, piece.title)
        ]

    def joined(self) -> tuple[Stitched, int]:
        """Return the whole text as it is now, and how many pages the article has of it."""
        view = self.view()
        title = self.first.article.title if self.first and self.first.article else ""
        if view is not None:
            numbers = [number for number in self.wanted().values() if number != WHOLE]
            whole = stitch([Part(1, view.text, view.images)], title)
            return whole, max(1, len({1, *numbers}))
        parts = [Part(piece.number, piece.text, piece.images) for piece in self._parts()]
        whole = stitch(parts, title)
        return whole, whole.parts

    def _parts(self) -> Iterator[Piece]:
        """Go through the parts in the order in which they are named."""
        order = [key for key, number in self.wanted().items() if number != WHOLE]
        first = self.first
        if first is not None:
            yield first
        for key in dict.fromkeys([*order, *self.pieces]):
            piece = self.pieces.get(key)
            if piece is not None and piece is not first and piece.number != WHOLE:
                yield piece
