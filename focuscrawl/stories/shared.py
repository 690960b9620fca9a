"""Stories of a crawl that several workers share: one index for all, in the results database (D).

An article is looked at, told and stored in one transaction under the topic's lock, with the rows of its
story: so of two workers that find one text at once, the second finds what the first has stored. While what
is told of it goes through the pipelines, others are not locked out; it is looked at once more then. So two
feeds may each have one of two copies that came at once; the results have one story.

Frequencies are each worker's own, and are put together now and then: they move slowly. Looking takes no lock.
What was found so holds until somebody has told another article, which its number shows; then it is looked for
again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from focuscrawl.store.protocol import Changes, StoryArticle, StoryState
from focuscrawl.stories.copies import MOST_COUNTED, PieceCounts
from focuscrawl.stories.events import DocumentCounts
from focuscrawl.stories.index import (
    NOTE_EVERY,
    NOTE_SHARE,
    Confirm,
    Looked,
    OpenArticles,
    StoryIndex,
    StoryTold,
    packed_counts,
    unpacked_counts,
)
from focuscrawl.stories.lookup import Unconfirmed
from focuscrawl.stories.matches import draw_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from focuscrawl.stories.events import Cut, StoryReading
    from focuscrawl.stories.table import StoryRules

_T = TypeVar("_T")

StoryRows = list[StoryArticle | StoryState]
"""What is written into the results with what was found."""


class IndexTables(Protocol):
    """The index inside one transaction (``index_tables.SharedStoryTables``)."""

    async def candidates(
        self, terms: Sequence[int], since: float, until: float, most: int
    ) -> list[tuple[int, int]]:
        """Return the newest articles of each term."""

    async def story_articles(self, numbers: Sequence[int]) -> dict[int, StoryArticle]:
        """Return articles by number."""

    async def story_article(self, key: bytes) -> StoryArticle | None:
        """Return an article by its key."""

    async def stories(self, ids: Sequence[str]) -> dict[str, StoryState]:
        """Return stories."""

    async def last_story_article(self) -> int:
        """Return the highest number."""

    async def last_number_and(self, key: bytes) -> int:
        """Return the highest number, and look for an article that is asked for then."""

    def counts(self) -> Any:
        """Return the frequencies."""

    def write_counts(self, counts: Any) -> None:
        """Write the frequencies."""

    def write(self, articles: Sequence[StoryArticle], stories: Sequence[StoryState]) -> None:
        """Write articles and stories."""


Work = Callable[[IndexTables], tuple[_T, StoryRows]]


class Locked(Protocol):
    """Does something with the tables in one transaction, under the lock, and writes rows with it."""

    def __call__(self, work: Work[Any], *, looks: bool = False) -> Awaitable[Any]:
        """Return what is found; what only ``looks`` needs no lock."""


class _Counted(NamedTuple):
    """Frequencies as all have them, and a copy of them as they were then."""

    counts: DocumentCounts
    pieces: PieceCounts
    before: DocumentCounts
    pieces_before: NDArray[np.uint16]
    pieces_articles: int

    @classmethod
    def of(cls, plain: Any) -> _Counted:
        """Read what was written; None: nothing was."""
        counts, pieces = (
            (DocumentCounts(), PieceCounts()) if plain is None else unpacked_counts(plain)
        )
        before = DocumentCounts(counts.documents, counts.counts)
        return cls(counts, pieces, before, pieces.counts.copy(), pieces.articles)


class _TablesOfNow:
    """The tables of the transaction under way, as the index asks for them."""

    def __init__(self) -> None:
        self.tables: IndexTables

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tables, name)


class SharedStoryIndex:
    """The stories of one topic for one of its workers; the same verbs as StoryIndex."""

    def __init__(self, locked: Locked, rules: StoryRules, cut: Cut) -> None:
        self._locked = locked
        self._tables = _TablesOfNow()
        self._index = StoryIndex(self._tables, rules, cut)
        self._cut = cut
        self._turn = asyncio.Lock()
        self._open = OpenArticles(rules)
        self._counted = _Counted.of(None)

    @property
    def documents(self) -> int:
        """How many articles were counted."""
        return self._index.counts.documents

    async def load(self, known: Iterable[StoryArticle] = ()) -> None:
        """Read what all have counted so far. ``known`` are articles that the results have: those that the
        index has not keep what they were told.
        """
        # The dictionary of words takes half a second to load: not under the lock.
        draw_words("", "", self._index.rules, self._index.counts, self._cut)

        def read(tables: IndexTables) -> tuple[_Counted, StoryRows]:
            self._tables.tables = tables
            _at_once(self._index.know(known))
            return _Counted.of(tables.counts()), []

        async with self._turn:
            self._adopt(await self._locked(read))

    async def is_duplicate(self, reading: StoryReading) -> bool:
        """Return what ``tell`` would say now, without remembering anything."""
        async with self._turn:
            _, looked = await self._look(reading)
        return looked.is_copy

    async def _look(self, reading: StoryReading) -> tuple[int, Looked]:
        """Return what an article belongs to, and the highest number there was before."""

        def look(tables: IndexTables) -> tuple[tuple[int, Looked], StoryRows]:
            self._tables.tables = tables
            # First: what comes later has a higher one.
            number = _at_once(tables.last_number_and(reading.key))
            self._index.begin(number)
            return (number, _at_once(self._index.look(reading))), []

        found: tuple[int, Looked] = await self._locked(look, looks=True)
        return found

    async def tell(self, reading: StoryReading, confirm: Confirm | None = None) -> StoryTold:
        """Return what an article belongs to, and remember it, as ``StoryIndex.tell`` does.

        While what is told of one goes through the pipelines, those of this worker wait that may be copies of
        it; another worker may tell one meanwhile, which is found out when both are remembered.
        """

        looked: tuple[int, Looked] | None = None
        mine: Unconfirmed | None = None

        def tell(tables: IndexTables) -> tuple[tuple[StoryTold, _Counted | None], StoryRows]:
            self._tables.tables = tables
            return self._told(tables, reading, looked)

        try:
            if confirm is not None or any(self._open):
                looked, mine = await self._look_alone(reading)
            if confirm is not None and looked is not None:
                await confirm(looked[1].is_copy)
            async with self._turn:
                told, counted = await self._locked(tell)
                self._index.confirmed()
                if counted:
                    self._adopt(counted)
        finally:
            if mine is not None:
                self._open.end(mine)
        found: StoryTold = told
        return found

    async def _look_alone(self, reading: StoryReading) -> tuple[tuple[int, Looked], Unconfirmed]:
        """Return what an article belongs to once no other is open here that it may be a copy of."""
        while True:
            async with self._turn:
                number, looked = await self._look(reading)
                other = self._open.like(reading.key, looked.drawn, self._index.pieces)
                if other is None:
                    return (number, looked), self._open.keep(looked)
            await other.ended.wait()

    def _told(
        self, tables: IndexTables, reading: StoryReading, looked: tuple[int, Looked] | None
    ) -> tuple[tuple[StoryTold, _Counted | None], StoryRows]:
        """Tell an article; when its transaction is repeated, as if it had not been told before."""
        index, number = self._index, _at_once(tables.last_story_article())
        index.begin(number)
        if looked is not None and looked[0] == number and looked[1].known is None:
            told = _at_once(index.remember(looked[1]))
        else:
            told = _at_once(index.tell(reading))
        changes = index.drain(closing=False)
        tables.write(changes.story_articles, changes.stories)
        before = self._counted.before.documents
        is_time = index.counts.documents - before >= max(NOTE_EVERY, NOTE_SHARE * before)
        counted = self._put_together(tables) if is_time else None
        stories = told.stories
        if told.again:  # a window may have died between its telling and its storing
            stories = (*_at_once(tables.stories([told.article.story_id])).values(),)
        return (told, counted), [told.article, *stories]

    def drain(self, *, closing: bool = False) -> Changes:
        """Return nothing: all was written as it was told."""
        return Changes()

    def committed(self) -> None:
        """Do nothing about a window."""

    # Frequencies --------------------------------------------------------------------------------

    def last_counts(self, tables: IndexTables) -> tuple[None, StoryRows]:
        """Add what was counted here to what all have, at the end."""
        if self.documents > self._counted.before.documents:
            self._put_together(tables)
        return None, []

    def _adopt(self, counted: _Counted) -> None:
        """Go on from what all have counted."""
        self._counted = counted
        self._index.counts, self._index.pieces = counted.counts, counted.pieces

    def _put_together(self, tables: IndexTables) -> _Counted:
        """Add what was counted here since the last time to what all have."""
        mine, last = self._index, self._counted
        counts, pieces, *_ = _Counted.of(tables.counts())
        counts.documents += mine.counts.documents - last.before.documents
        for word, number in mine.counts.counts.items():
            if more := number - last.before.counts.get(word, 0):
                counts.counts[word] = counts.counts.get(word, 0) + more
        pieces.articles += mine.pieces.articles - last.pieces_articles
        more_pieces = mine.pieces.counts.astype(np.int64) - last.pieces_before
        total = pieces.counts.astype(np.int64) + more_pieces
        pieces.counts = np.clip(total, 0, MOST_COUNTED).astype(np.uint16)
        plain = packed_counts(counts, pieces)
        tables.write_counts(plain)
        return _Counted.of(plain)


def _at_once(work: Coroutine[Any, Any, _T]) -> _T:
    """Return what a coroutine returns that never waits, since its tables never do."""
    try:
        work.send(None)
    except StopIteration as end:
        found: _T = end.value
        return found
    work.close()
    raise RuntimeError("the tables of the index have waited")
