"""Articles of several pages on their way to being whole (A2), as facts of the crawl's own file.

An article goes through the pipelines once: when all its parts are there or will never come, when
those that are missing have failed and are tried again later, or at the end of a run. Parts that come
after that are stored, too, without a second line in a feed.

A page is written down in the commit that ends its URL: either it is there, or it is fetched again.
It is forgotten with or after the whole article is in the results, and not before the first page has
ended, which would begin the article anew.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from focuscrawl.features.articles.several_pages.parts import Gathered, Piece, are_others
from focuscrawl.urls.sites import Partitions, partition_of, site_of
from focuscrawl.values import Article, Page, PageClass, Waiting

# Kinds of facts: pages by first key/key, reasons by first key/key, true by first key.
ARTICLE_PARTS, LOST, SENT = "article_parts", "article_lost", "article_sent"
_KEPT_SECONDS = (
    30 * 86400.0
)  # seconds after which the parts of an article that never became whole go


class Ready(NamedTuple):
    """An article that is to go out; ``again``: it was handed on before and has grown since."""

    article: Article
    again: bool


class Outcome(NamedTuple):
    """What an article of several pages came to: its first page's row, the article if it is kept."""

    page: Page
    article: Article | None


class ArticleAssembly:
    """The articles of one run whose pages come one by one, by the keys of their first pages (hex).

    ``put_together`` judges one by what is there of it, ``note`` writes down a fact of a kind and key
    in a partition (None: it is forgotten), ``judged`` hears of a first page whose row has changed, with its outcome
    before.
    """

    def __init__(
        self,
        put_together: Callable[[Gathered], Outcome | None],
        note: Callable[[str, str, Any, int], None],
        judged: Callable[[Page, str], None],
    ) -> None:
        self._judge = put_together
        self._note = note
        self._judged = judged
        self._articles: dict[str, Gathered] = {}
        self._firsts: dict[str, str] = {}  # by the parts that are there or were named
        self._offered: set[str] = set()
        self._others: list[Piece] = []

    async def load(
        self, facts: Callable[[str], Awaitable[Mapping[int, Mapping[str, Any]]]], now: float
    ) -> None:
        """Read what earlier runs left in the partitions that are opened.

        ``facts`` are the store's of a kind by partition and key, ``now`` is wall time.
        """
        opened: set[str] = set()
        for partition, parts in (await facts(ARTICLE_PARTS)).items():
            for value in parts.values():
                piece = msgspec.convert(value, Piece)
                gathered = self._articles.setdefault(piece.first_key, Gathered(partition))
                opened.add(piece.first_key)
                self._put(gathered, piece)
                gathered.noted.add(piece.key)
                gathered.unread |= piece.article is not None and not piece.ended
        for lost in (await facts(LOST)).values():
            for key, reason in lost.items():
                first_key, _, part = key.partition("/")
                if first_key in opened:
                    self._articles[first_key].lost[part] = reason
        for sent in (await facts(SENT)).values():
            for first_key in opened & sent.keys():
                self._articles[first_key].sent = True
        for first_key in opened:
            if (
                max(piece.at for piece in self._articles[first_key].pieces.values())
                < now - _KEPT_SECONDS
            ):
                self._forget(first_key)

    def release(self, partitions: Partitions) -> None:
        """Let go of the articles of some partitions; what is written down of them stays."""
        for first_key, gathered in [*self._articles.items()]:
            if gathered.partition in partitions:
                self._let_go(first_key)

    # What comes ---------------------------------------------------------------------------------

    def part_of(self, waiting: Waiting) -> Waiting:
        """Return a URL as the part it is, when an article waits for it under another name."""
        first_key = "" if waiting.first_key else self._firsts.get(waiting.key.hex(), "")
        gathered = self._articles.get(first_key)
        if gathered is None or first_key == waiting.key.hex():
            return waiting
        return waiting._replace(
            page_class=PageClass.ARTICLE_PAGING,
            first_key=bytes.fromhex(first_key),
            page_number=gathered.wanted().get(waiting.key.hex(), waiting.page_number),
        )

    def expect(self, part: Waiting) -> None:
        """A part has come before its article's first page, which is fetched for it."""
        self._articles.setdefault(part.first_key.hex(), Gathered(partition_of(part.site)))

    def take(self, piece: Piece, *, anew: bool) -> Ready | None:
        """Take what a page gave; returns the article when that makes it ready to go out.

        Parts of an article that has ended, and of one that is not kept, are left. ``anew``: a
        first page is visited again, and its parts after it. When it is fetched again because a
        kill came before its end, that is the same visit: parts that have come since stay.
        """
        first_key = piece.first_key
        if piece.article is not None:
            known = self._articles.get(first_key)
            if anew and not (known is not None and known.unread):
                self._forget(first_key)
            home = partition_of(site_of(piece.url))
            self._articles.setdefault(first_key, Gathered(home)).unread = False
        gathered = self._articles.get(first_key)
        if gathered is None:
            return None
        key = self._key_of(gathered, piece.key, piece.number)
        piece = piece._replace(key=key or piece.key)
        self._put(gathered, piece)
        if piece.article is not None:
            # With its links or before: they may be stored, and its parts come after a crash, before
            # it has ended. They must find it here then.
            self._note_piece(gathered, piece)
            for other in gathered.others():
                self._leave_out(gathered, other)
        return self._ready(first_key, grown=True)

    def first_shows(self, first_key: str, heading: str) -> bool:
        """The first page of an article names no further ones; returns whether others wait for it all the same."""
        gathered = self._articles.get(first_key)
        if gathered is None or gathered.first is not None:
            return False
        for piece in [*gathered.pieces.values()]:
            if piece.own is not None and are_others(heading, piece.title):
                self._leave_out(gathered, piece)
        if not gathered.pieces:
            self._forget(first_key)
        return bool(gathered.pieces)

    def _leave_out(self, gathered: Gathered, piece: Piece) -> None:
        """Let a page be an article of its own that was taken for a part."""
        del gathered.pieces[piece.key]
        for key in (piece.key, *piece.named):
            self._firsts.pop(key, None)
        if piece.key in gathered.noted:
            gathered.noted.discard(piece.key)
            self._note(ARTICLE_PARTS, f"{piece.first_key}/{piece.key}", None, gathered.partition)
        self._others.append(piece)

    def left_out(self) -> list[Ready]:
        """Return the articles of one page that were taken for parts, once each."""
        others, self._others = self._others, []
        found = []
        for piece in others:
            if piece.own is None or piece.page is None:
                continue
            piece.page.page_class, piece.page.outcome = PageClass.ARTICLE, "stored"
            self._judged(piece.page, "part")
            found.append(Ready(replace(piece.own, text=piece.text), again=False))
        return found

    def heading_of(self, first_key: str) -> str:
        """Return what the first page of an article shows as its heading, while it is here."""
        gathered = self._articles.get(first_key)
        return gathered.first.title if gathered is not None and gathered.first is not None else ""

    def is_stranger(self, piece: Piece) -> bool:
        """Whether a page is another article than the one that leads on to it."""
        gathered = self._articles.get(piece.first_key)
        return gathered is not None and gathered.is_stranger(piece)

    def is_only_next(self, piece: Piece) -> bool:
        """Whether a page is the only one that the first page of its article leads on to."""
        gathered = self._articles.get(piece.first_key)
        first = gathered.first if gathered is not None else None
        return first is not None and [*first.named] == [piece.key]

    def settled(self, waiting: Waiting) -> None:
        """A URL has ended: what its page gave is written down in the same commit."""
        first_key = (waiting.first_key or waiting.key).hex()
        gathered = self._articles.get(first_key)
        if gathered is None:
            return
        for key, piece in [*gathered.pieces.items()]:
            if piece.url == waiting.url:
                gathered.unread &= piece.article is None
                gathered.pieces[key] = piece._replace(ended=True)
                self._note_piece(gathered, gathered.pieces[key])
        if gathered.closed and gathered.first is not None and gathered.first.ended:
            self._forget(first_key)

    def ended(self, waiting: Waiting, reason: str, *, comes_back: bool) -> Ready | None:
        """The fetch of a part has ended without a page; returns the article when it is ready now.

        ``comes_back``: it has failed and is tried again later.
        """
        first_key = waiting.first_key.hex()
        gathered = self._articles.get(first_key)
        if gathered is None:
            return None
        key = self._key_of(gathered, waiting.key.hex(), waiting.page_number)
        if key is None or key in gathered.pieces:
            return None
        if comes_back:
            gathered.aside.add(key)
        else:
            gathered.lost[key] = reason
            self._note(LOST, f"{first_key}/{key}", reason, gathered.partition)
        return self._ready(first_key, grown=False)

    def _key_of(self, gathered: Gathered, key: str, number: int) -> str | None:
        """Return the key under which a part is waited for; a redirect may have changed its own."""
        wanted = gathered.wanted()
        if key in wanted:
            return key
        return next((other for other in gathered.missing() if wanted[other] == number), None)

    def _put(self, gathered: Gathered, piece: Piece) -> None:
        gathered.pieces[piece.key] = piece
        gathered.lost.pop(piece.key, None)
        gathered.aside.discard(piece.key)
        for key in (piece.key, *piece.named):
            self._firsts.setdefault(key, piece.first_key)

    def _note_piece(self, gathered: Gathered, piece: Piece) -> None:
        gathered.noted.add(piece.key)
        name = f"{piece.first_key}/{piece.key}"
        self._note(ARTICLE_PARTS, name, msgspec.to_builtins(piece), gathered.partition)

    # What goes out ------------------------------------------------------------------------------

    def unsent(self) -> list[Ready]:
        """Return the articles that have not gone out, as they are now: for the end of a run.

        Each is offered once, so that a pipeline that fails cannot keep a run from ending.
        """
        found = []
        for first_key, gathered in [*self._articles.items()]:
            is_out = gathered.sent or gathered.sending is not None or gathered.closed
            if not (is_out or gathered.unread) and first_key not in self._offered:
                self._offered.add(first_key)
                article = self._put_together(first_key, gathered)
                found += [Ready(article, again=False)] if article is not None else []
        return found

    def ready(self) -> list[Ready]:
        """Return what a run that was killed could not hand on any more."""
        found = (self._ready(first_key, grown=True) for first_key in [*self._articles])
        return [ready for ready in found if ready is not None]

    def stored(self, url_key: str) -> Ready | None:
        """An article has been taken for the results: with them its parts may be forgotten.

        Returns it once more when parts came while it was on its way.
        """
        gathered = self._articles.get(url_key)
        if gathered is None:
            return None
        has_grown = gathered.sending not in (None, gathered.amount())
        gathered.sending = None
        if gathered.is_ended() and not has_grown:
            self._close(url_key)
            return None
        if not gathered.sent:  # as it is now: what comes after is more of it
            gathered.sent = True
            self._note(SENT, url_key, True, gathered.partition)
        return self._ready(url_key, grown=True) if has_grown else None

    def dropped(self, url_key: str, outcome: str = "dropped") -> bool:
        """A pipeline has dropped an article; False when it is not one of several pages."""
        gathered = self._articles.get(url_key)
        if gathered is None:
            return False
        first = gathered.first
        if first is not None and first.page is not None:
            before, first.page.outcome = first.page.outcome, outcome
            self._judged(first.page, before)
        self.stored(url_key)
        return True

    def failed(self, url_key: str) -> bool:
        """A pipeline has failed on an article: it goes out again later; False when it is not one of several pages."""
        gathered = self._articles.get(url_key)
        if gathered is not None:
            gathered.sending = None
        return gathered is not None

    def _ready(self, first_key: str, *, grown: bool) -> Ready | None:
        gathered = self._articles[first_key]
        due = grown if gathered.sent else gathered.is_halted()
        held = gathered.closed or gathered.unread or gathered.sending is not None
        if held or not (due or gathered.is_ended()):
            return None
        article = self._put_together(first_key, gathered)
        return None if article is None else Ready(article, again=gathered.sent)

    def _put_together(self, first_key: str, gathered: Gathered) -> Article | None:
        """Return the article to hand on; one that is not kept has ended when all is there."""
        first = gathered.first
        if first is None or first.page is None:
            return None
        before = (first.page.outcome, first.page.reason, first.page.relevant)
        outcome = self._judge(gathered)
        if outcome is None:
            return None
        page = outcome.page
        if (page.outcome, page.reason, page.relevant) != before:
            self._judged(page, before[0])
        if outcome.article is None:
            if gathered.is_ended():
                self._close(first_key)
            return None
        gathered.sending = gathered.amount()
        return outcome.article

    # What is forgotten --------------------------------------------------------------------------

    def _close(self, first_key: str) -> None:
        """Forget an article that has ended as soon as its first page has, too."""
        gathered = self._articles[first_key]
        gathered.closed = True
        if gathered.first is not None and gathered.first.ended:
            self._forget(first_key)

    def _forget(self, first_key: str) -> None:
        """Forget an article, if it is there."""
        gathered = self._let_go(first_key)
        if gathered is None:
            return
        for key in gathered.noted:
            self._note(ARTICLE_PARTS, f"{first_key}/{key}", None, gathered.partition)
        for key in gathered.lost:
            self._note(LOST, f"{first_key}/{key}", None, gathered.partition)
        if gathered.sent:
            self._note(SENT, first_key, None, gathered.partition)

    def _let_go(self, first_key: str) -> Gathered | None:
        """Take an article out of memory, if it is there."""
        gathered = self._articles.pop(first_key, None)
        for key in () if gathered is None else (first_key, *gathered.wanted(), *gathered.pieces):
            self._firsts.pop(key, None)
        return gathered
