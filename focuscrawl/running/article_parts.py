"""The parts of articles that are not whole yet, as facts of the crawl's own file.

A page is written down in the commit that ends its URL: either it is there, or it is fetched again.
It is forgotten with or after the whole article is in the results, and not before the first page has
ended, which would begin the article anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from focuscrawl.articles.parts import Gathered, Piece

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store

ARTICLE_PARTS, LOST, SENT = "article_parts", "article_lost", "article_sent"
"""Kinds of facts: pages by first key/key, reasons by first key/key, true by first key."""

_KEPT = 30 * 86400.0
"""Seconds after which the parts of an article that never became whole are forgotten."""


class ArticleParts:
    """What there is of each article, in ``articles`` by the key of its first page in hexadecimal.

    ``firsts`` are the keys of first pages by those of the parts that are there or were named.
    """

    def __init__(self, frontier: Frontier) -> None:
        self.articles: dict[str, Gathered] = {}
        self.firsts: dict[str, str] = {}
        self._frontier = frontier

    async def load(self, store: Store, now: float) -> None:
        """Read what earlier runs left; ``now`` is wall time."""
        for value in (await store.facts(ARTICLE_PARTS)).values():
            piece = msgspec.convert(value, Piece)
            gathered = self.articles.setdefault(piece.first_key, Gathered())
            self.put(gathered, piece)
            gathered.noted.add(piece.key)
            gathered.unread |= piece.article is not None and not piece.ended
        for key, reason in (await store.facts(LOST)).items():
            first_key, _, part = key.partition("/")
            if first_key in self.articles:
                self.articles[first_key].lost[part] = reason
        for first_key in await store.facts(SENT):
            if first_key in self.articles:
                self.articles[first_key].sent = True
        for first_key, gathered in [*self.articles.items()]:
            if max(piece.at for piece in gathered.pieces.values()) < now - _KEPT:
                self.forget(first_key)

    def put(self, gathered: Gathered, piece: Piece) -> None:
        """Take what a page gave, which is written down by ``note_piece``."""
        gathered.pieces[piece.key] = piece
        gathered.lost.pop(piece.key, None)
        gathered.aside.discard(piece.key)
        for key in (piece.key, *piece.named):
            self.firsts.setdefault(key, piece.first_key)

    def note_piece(self, gathered: Gathered, piece: Piece) -> None:
        """Write down what a page gave."""
        gathered.noted.add(piece.key)
        self._note(ARTICLE_PARTS, f"{piece.first_key}/{piece.key}", msgspec.to_builtins(piece))

    def note_lost(self, first_key: str, key: str, reason: str) -> None:
        """Write down why a part will never come."""
        self.articles[first_key].lost[key] = reason
        self._note(LOST, f"{first_key}/{key}", reason)

    def note_sent(self, first_key: str) -> None:
        """Write down that an article is out as it was then: what comes after is more of it."""
        self.articles[first_key].sent = True
        self._note(SENT, first_key, True)

    def close(self, first_key: str) -> None:
        """Forget an article that has ended as soon as its first page has, too."""
        gathered = self.articles[first_key]
        gathered.closed = True
        if gathered.first is not None and gathered.first.ended:
            self.forget(first_key)

    def forget(self, first_key: str) -> None:
        """Forget an article, if it is there."""
        gathered = self.articles.pop(first_key, None)
        if gathered is None:
            return
        for key in gathered.noted:
            self._note(ARTICLE_PARTS, f"{first_key}/{key}", None)
        for key in gathered.lost:
            self._note(LOST, f"{first_key}/{key}", None)
        if gathered.sent:
            self._note(SENT, first_key, None)
        for key in (first_key, *gathered.wanted(), *gathered.pieces):
            self.firsts.pop(key, None)

    def _note(self, kind: str, key: str, value: Any) -> None:
        self._frontier.note_fact(kind, key, value)
