"""An article whose pages come one by one: what of it is there, and what is missing (A2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.articles.stitch import WHOLE, Part, Stitched, are_unlike, is_whole_view, stitch
from focuscrawl.pages.series import numbers
from focuscrawl.values import Article, Page

STRANGER = "another article"
"""Why a page that was taken for a part is none."""


class Piece(NamedTuple):
    """What one page gives to an article of several pages. Keys are hexadecimal.

    ``number`` counts from 1 (the first page), 0 is a page that shows all. ``named`` are the further
    parts this page names and their numbers; ``left_out``: it names others that are not fetched.
    The first page brings ``article``, what is known of it by now, and ``page``, its row of the log
    book, with ``layer`` as in Waiting. ``at`` is the wall time of the fetch, ``ended``: so has the
    page's URL.
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


@dataclass(slots=True)
class Gathered:
    """The pages of one article so far, by key.

    ``lost`` says why a part will never come, ``aside`` holds parts that have failed and are tried
    again later. ``sent``: the article has been handed on, as it was then; ``sending``: it is on
    its way through the pipelines, with so much of it. ``noted`` are the pages that are written down,
    ``closed``: it has ended, and waits only for its first page's URL to end. ``unread``: a kill came
    before the first page had ended, so that it is fetched again; the article waits for that, since
    what it has become is counted where its first page's visit ends.
    """

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
        """Whether a page that 下一页 led to is another article: by its address and its title."""
        first = self.first
        if first is None or piece.number == WHOLE or first.key == piece.key:
            return False
        in_series = numbers(first.url, piece.url)[0] is not None
        return not in_series and are_unlike(first.title, piece.title)

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
