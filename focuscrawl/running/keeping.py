"""Articles on their way into the next commit: what they have become, and what story they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.articles.rows.articles import StoredArticle
from focuscrawl.revisit.change.differences import change_of, first_change
from focuscrawl.running.comparing import Compared, Comparing
from focuscrawl.values import Article, Clock, PageChange

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.stored import StoredLookup


class Became(NamedTuple):
    """What an article is to the crawl: how it has changed, what it was compared with.

    ``stored`` is what the results have, when they were asked.
    """

    change: PageChange | None = None
    compared: Compared = Compared()
    stored: StoredArticle | None = None


class Keeping:
    """Keeps what a run finds. Before ``is_open`` and after it articles pass as they are."""

    def __init__(
        self,
        clock: Clock,
        commits: Commits,
        knowing: StoredLookup,
    ) -> None:
        self.comparing: Comparing | None = None
        self.is_open = False
        self._clock = clock
        self._commits = commits
        self._knowing = knowing

    async def compare(self, article: Article) -> Became:
        """Find out what an article that is visited again has become.

        Raises Unchanged (a DropItem) when nothing has changed that counts.
        """
        if self.comparing is None or not self.is_open:
            return Became()
        found = await self.comparing.compare(article)
        if found.verdict is None:
            return Became(None, found)
        stored = await self._knowing.article(article.url_key)
        earlier = (stored.title, stored.text) if stored is not None else None
        now = self._clock.wall()
        change = change_of(article, found.verdict, found.visit, earlier, now)
        return Became(change, found, stored)

    async def begun(self, article: Article, became: Became, *, was_sent: bool) -> PageChange | None:
        """Return the change that an article is new or complete now, when it is to be stored so."""
        if not self.is_open:
            return None
        is_complete = await self._is_complete(article, became, was_sent)
        return first_change(article, is_complete, self._clock.wall())

    async def _is_complete(self, article: Article, became: Became, was_sent: bool) -> bool | None:
        """Return whether what is stored of an article misses no part; None: nothing is stored."""
        key, compared = article.url_key, became.compared
        if compared.verdict is not None:
            return became.stored.complete if became.stored is not None else None
        if compared.is_first and self._knowing.in_step and not was_sent:
            return None
        return await self._knowing.is_complete(key)

    def keep(self, article: Article) -> None:
        """Hear that an article is to be stored: what was found of it counts."""
        if self.comparing is not None:
            self.comparing.stored(article.url_key)

    def let_go(self, article: Article) -> None:
        """Hear that a pipeline has dropped an article whose change has been told: it is known now."""
        if self.comparing is not None:
            self.comparing.stored(article.url_key)

    def keep_change(self, change: PageChange | None) -> None:
        """Put what an article has become into the next commit, if the pipelines left it."""
        if change is not None:
            self._commits.pending.add(change)
