"""What the results have of an article or a record, found out before it is stored.

They are not asked of the article of a page that is fetched for the first time, when they are in step
with the crawl's file: nobody else has written to them, and the last run has ended in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from focuscrawl.articles.rows.articles import ARTICLES, is_complete, stored_article
from focuscrawl.results.errors import Unfit
from focuscrawl.results.kinds.runs import has_run, last_run
from focuscrawl.results.results import has_rows
from focuscrawl.store.protocol import StoreError

if TYPE_CHECKING:
    from focuscrawl.articles.rows.articles import StoredArticle
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.results.results import Results
    from focuscrawl.store.protocol import Store

RESULTS = "results"
"""A kind of facts: the ``run`` that wrote to the results last, whether it has ``ended``, and whether
the results are ``apart``: they have articles this file may know nothing of."""

_T = TypeVar("_T")


class StoredLookup:
    """What the results of one run have. ``in_step``: no article of a page nobody has fetched yet."""

    def __init__(self, commits: Commits, frontier: Frontier) -> None:
        self.in_step = False
        self._commits = commits
        self._frontier = frontier

    async def begin(self, store: Store, results: Results, run_id: str) -> bool:
        """Find out whether results and file belong together; before the run has its row there.

        True: the results do not know the run that wrote to them last. They were removed or replaced,
        and what was in them is not fetched again by itself.
        """
        facts = await store.facts(RESULTS)
        before = facts.get("run")
        has_some = results.ask(has_rows, ARTICLES)
        is_ours = results.ask(last_run) == facts.get("run")
        apart = has_some and (facts.get("apart", False) or not is_ours)
        self.in_step = not has_some or (not apart and facts.get("ended", False))
        for name, value in (("run", run_id), ("ended", False), ("apart", apart)):
            self._frontier.note_fact(RESULTS, name, value)
        return before is not None and not results.ask(has_run, before)

    def end(self) -> None:
        """Note, for the last commit, that the run has ended in order."""
        self._frontier.note_fact(RESULTS, "ended", True)

    async def article(self, key: str) -> StoredArticle | None:
        """Return an article as it is stored; None when it is not."""
        return await self._ask(lambda results: results.ask(stored_article, key))

    async def length(self, key: str) -> int | None:
        """Return the characters of an article that is stored, with its text or without; None when it
        is not.
        """
        stored = await self.article(key)
        return stored.length if stored is not None else None

    async def title(self, key: str) -> str:
        """Return the title under which a page is stored, as an article, a thread, in the log book."""
        return await self._ask(lambda results: results.title(key)) or ""

    async def is_complete(self, key: str) -> bool | None:
        """Return whether no part of an article is missing; None when it is not stored.

        One that waits for the next commit counts as stored.
        """
        await self._commits.settled()
        waiting = [one for one in self._commits.pending.rows[ARTICLES.name] if one.url_key == key]
        if any(one.complete for one in waiting):
            return True
        stored = await self._ask(lambda results: results.ask(is_complete, key))
        return False if stored is None and waiting else stored

    async def ask(self, query: Callable[..., _T], *arguments: Any, **named: Any) -> _T | None:
        """Ask the results something (``Results.ask``); None when there are none."""
        return await self._ask(lambda results: results.ask(query, *arguments, **named))

    async def _ask(self, question: Callable[[Results], _T]) -> _T | None:
        """Ask a file at once, a server in a thread."""
        results = self._commits.results
        try:
            if results is None or results.embedded:
                return question(results) if results is not None else None
            return await asyncio.to_thread(question, results)
        except Unfit:  # it is what was asked for, and the matter of whoever asks
            raise
        except StoreError as error:
            self._commits.break_off(error)
            raise
