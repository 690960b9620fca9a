"""Articles of several pages on their way to being whole.

An article goes through the pipelines once: when all its parts are there or will never come, when
those that are missing have failed and are tried again later, or at the end of a run. Parts that come
after that are stored, too, without a second line in a feed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.parts import Gathered, Piece
from focuscrawl.crawl.articles.parts import Outcome, put_together
from focuscrawl.running.article_parts import ArticleParts
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.store.protocol import Store
    from focuscrawl.template.table import Source
    from focuscrawl.template.template import Template
    from focuscrawl.values import Article, Page, Waiting


class Ready(NamedTuple):
    """An article that is to go out; ``again``: it was handed on before and has grown since."""

    article: Article
    again: bool


class Gathering:
    """The articles of one run whose pages come one by one.

    ``judged`` is told of a first page whose row has changed, with its outcome before.
    """

    def __init__(
        self,
        template: Template,
        sources: Mapping[str, Source],
        frontier: Frontier,
        judged: Callable[[Page, str], None],
    ) -> None:
        self._template = template
        self._sources = sources
        self._parts = parts = ArticleParts(frontier)
        self._judged = judged
        self._articles = parts.articles
        self._firsts = parts.firsts
        self._offered: set[str] = set()

    async def load(self, store: Store, now: float) -> None:
        """Read what earlier runs left; ``now`` is wall time."""
        await self._parts.load(store, now)

    # What comes ---------------------------------------------------------------------------------

    def part_of(self, waiting: Waiting) -> Waiting:
        """Return a URL as the part it is, when an article waits for it under another name."""
        first_key = "" if waiting.first_key else self._firsts.get(waiting.key.hex(), "")
        gathered = self._articles.get(first_key)
        if gathered is None or first_key == waiting.key.hex():
            return waiting
        number = gathered.wanted().get(waiting.key.hex(), waiting.page_number)
        return waiting._replace(
            page_class=PageClass.ARTICLE_PAGING,
            first_key=bytes.fromhex(first_key),
            page_number=number,
        )

    def expect(self, first_key: bytes) -> None:
        """A part has come before its article's first page, which is fetched for it."""
        self._articles.setdefault(first_key.hex(), Gathered())

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
                self._parts.forget(first_key)
            self._articles.setdefault(first_key, Gathered()).unread = False
        gathered = self._articles.get(first_key)
        if gathered is None:
            return None
        key = self._key_of(gathered, piece.key, piece.number)
        piece = piece._replace(key=key or piece.key)
        self._parts.put(gathered, piece)
        if piece.article is not None:
            # With its links or before: they may be stored, and its parts come after a crash, before
            # it has ended. They must find it here then.
            self._parts.note_piece(gathered, piece)
        return self._ready(first_key, grown=True)

    def is_stranger(self, piece: Piece) -> bool:
        """Whether a page is another article than the one that leads on to it."""
        gathered = self._articles.get(piece.first_key)
        return gathered is not None and gathered.is_stranger(piece)

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
                self._parts.note_piece(gathered, gathered.pieces[key])
        if gathered.closed and gathered.first is not None and gathered.first.ended:
            self._parts.forget(first_key)

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
            self._parts.note_lost(first_key, key, reason)
        return self._ready(first_key, grown=False)

    def _key_of(self, gathered: Gathered, key: str, number: int) -> str | None:
        """Return the key under which a part is waited for; a redirect may have changed its own."""
        wanted = gathered.wanted()
        if key in wanted:
            return key
        return next((other for other in gathered.missing() if wanted[other] == number), None)

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

    def was_sent(self, url_key: str) -> bool:
        """Whether an article of several pages has been handed on before, as it was then."""
        gathered = self._articles.get(url_key)
        return gathered is not None and gathered.sent

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
            self._parts.close(url_key)
            return None
        if not gathered.sent:
            self._parts.note_sent(url_key)
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

    def failed(self, url_key: str) -> None:
        """A pipeline has failed on an article: it goes out again later."""
        gathered = self._articles.get(url_key)
        if gathered is not None:
            gathered.sending = None

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
        if first is None or first.article is None or first.page is None:
            return None
        before = (first.page.outcome, first.page.reason, first.page.relevant)
        source = self._sources.get(first.article.source_id)
        outcome: Outcome | None = put_together(gathered, self._template, source)
        if outcome is None:
            return None
        page = outcome.page
        if (page.outcome, page.reason, page.relevant) != before:
            self._judged(page, before[0])
        if outcome.article is None:
            if gathered.is_ended():
                self._parts.close(first_key)
            return None
        gathered.sending = gathered.amount()
        return outcome.article
