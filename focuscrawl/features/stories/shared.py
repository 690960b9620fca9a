"""Stories of a crawl that several workers share: one index for all, in the results database (D).

An article is looked at, told and stored in one transaction under the topic's lock, with the rows of its
story: so of two workers that find one text at once, the second finds what the first has stored. While its
changes go through the pipelines, others are not locked out; it is looked at once more then. So two
feeds may each have one of two copies that came at once; the results have one story.

Frequencies are the same for all: each article leaves what is counted of it in a place of its own, which the
others read before they look. With their own of an archive of 40 articles three workers told 3 of 38 stories
otherwise than one. Now and then all that was counted is written as one. Looking takes no lock. What was found so
holds until a worker tells another article, which the last place shows; then it is looked for again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from focuscrawl.features.stories.copies import PieceCounts
from focuscrawl.features.stories.events import DocumentCounts
from focuscrawl.features.stories.index import (
    Confirm,
    CountedWords,
    Looked,
    OpenArticles,
    StoryIndex,
    StoryTold,
    packed_counts,
    unpacked_counts,
)
from focuscrawl.features.stories.lookup import Unconfirmed
from focuscrawl.features.stories.matches import draw_words
from focuscrawl.stores.state.protocol import Changes, StoryArticle, StoryState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from focuscrawl.features.stories.events import Cut, StoryReading
    from focuscrawl.features.stories.table import StoryRules

_T = TypeVar("_T")

WRITTEN_EVERY, FEWEST_TIMES, MOST_DOUBLED = 50, 40, 5
"""Frequencies are written after so many articles; from forty times as many on after twice as many, and so on, five
times at most: who joins reads and counts what was told since, up to 3,200 articles at .1 ms each."""

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

    def end(self) -> IndexEnd:
        """Return how far the index goes."""

    def end_and(self, key: bytes) -> IndexEnd:
        """Return how far it goes, and look for an article that is asked for then."""

    def counts(self) -> Any:
        """Return the frequencies as they were written last."""

    def write_counts(self, counts: Any) -> None:
        """Write the frequencies."""

    def counted_since(self, place: int) -> list[tuple[int, bytes]]:
        """Return what was counted behind a place, in order, as far as it is kept."""

    def forget_counted(self, place: int) -> None:
        """Forget what was counted up to a place: the frequencies that were written hold it."""

    def write(
        self,
        articles: Sequence[StoryArticle],
        stories: Sequence[StoryState],
        counted: Sequence[tuple[int, bytes]],
    ) -> None:
        """Write articles and stories, and what was counted in which place."""


Work = Callable[[IndexTables], tuple[_T, StoryRows]]


class Locked(Protocol):
    """Does something with the tables in one transaction, under the lock, and writes rows with it."""

    def __call__(self, work: Work[Any], *, looks: bool = False) -> Awaitable[Any]:
        """Return what is found; what only ``looks`` needs no lock."""


class IndexEnd(NamedTuple):
    """How far an index goes: its highest number, and how many articles have been counted in it."""

    number: int
    counted: int


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

        def read(tables: IndexTables) -> tuple[None, StoryRows]:
            self._tables.tables = tables
            _at_once(self._index.know(known))
            self._index.counts, self._index.pieces = counted_in(tables)
            return None, []

        async with self._turn:
            await self._locked(read)

    async def is_duplicate(self, reading: StoryReading) -> bool:
        """Return what ``tell`` would say now, without remembering anything."""
        async with self._turn:
            _, looked = await self._look(reading)
        return looked.is_copy

    async def copied_from(self, reading: StoryReading) -> bytes:
        """Return the key of the article that ``tell`` would say now this one copies, b"" for none."""
        async with self._turn:
            _, looked = await self._look(reading)
        return looked.copied_from

    async def _look(self, reading: StoryReading) -> tuple[int, Looked]:
        """Return what an article belongs to, and how many articles were counted before."""

        def look(tables: IndexTables) -> tuple[tuple[int, Looked], StoryRows]:
            self._tables.tables = tables
            self._begin(tables, tables.end_and(reading.key))
            counted = self.documents  # before looking: what comes later is counted behind it
            return (counted, _at_once(self._index.look(reading))), []

        found: tuple[int, Looked] = await self._locked(look, looks=True)
        return found

    async def tell(self, reading: StoryReading, confirm: Confirm | None = None) -> StoryTold:
        """Return what an article belongs to, and remember it, as ``StoryIndex.tell`` does.

        While the changes of one go through the pipelines, those of this worker wait that may be copies of
        it; another worker may tell one meanwhile, which is found out when both are remembered.
        """

        looked: tuple[int, Looked] | None = None
        mine: Unconfirmed | None = None

        def tell(tables: IndexTables) -> tuple[StoryTold, StoryRows]:
            self._tables.tables = tables
            return self._told(tables, reading, looked)

        try:
            if confirm is not None or any(self._open):
                looked, mine = await self._look_alone(reading)
            if confirm is not None and looked is not None:
                await confirm(looked[1].copied_key)
            async with self._turn:
                told: StoryTold = await self._locked(tell)
                self._index.confirmed()
                if not told.again and is_time_to_write(self.documents):
                    self._index.counts.forget_rare()
        finally:
            if mine is not None:
                self._open.end(mine)
        return told

    async def _look_alone(self, reading: StoryReading) -> tuple[tuple[int, Looked], Unconfirmed]:
        """Return what an article belongs to once no other is open here that it may be a copy of."""
        while True:
            async with self._turn:
                counted, looked = await self._look(reading)
                other = self._open.like(reading.key, looked.drawn, self._index.pieces)
                if other is None:
                    return (counted, looked), self._open.keep(looked)
            await other.ended.wait()

    def _told(
        self, tables: IndexTables, reading: StoryReading, looked: tuple[int, Looked] | None
    ) -> tuple[StoryTold, StoryRows]:
        """Tell an article; when its transaction is repeated, as if it were new."""
        index = self._index
        self._begin(tables, tables.end_and(reading.key))
        if looked is not None and looked[0] == self.documents and looked[1].known is None:
            told = _at_once(index.remember(looked[1]))
        else:
            told = _at_once(index.tell(reading))
        articles, stories = index.drain_told()
        counted, place = index.unsure, self.documents
        rows = () if counted is None else ((place, counted.packed()),)
        tables.write(articles, stories, rows)
        if rows and is_time_to_write(place):
            self._write_counts(tables, place)
        changed = told.stories
        if told.again:  # a window may have died between its telling and its storing
            changed = (*_at_once(tables.stories([told.article.story_id])).values(),)
        return told, [told.article, *changed]

    def drain(self, *, closing: bool = False) -> Changes:
        """Return nothing: all was written as it was told."""
        return Changes()

    def committed(self) -> None:
        """Do nothing about a window."""

    # Frequencies --------------------------------------------------------------------------------

    def _begin(self, tables: IndexTables, end: IndexEnd) -> None:
        """Go on from what is stored, and count what others have told since the last time."""
        index = self._index
        index.begin(end.number)
        if end.counted in (self.documents, 0):  # 0: an index of an earlier version
            return
        rows = tables.counted_since(self.documents)
        if rows and rows[0][0] == self.documents + 1:
            _count(rows, index.counts, index.pieces)
        else:  # it was written as one meanwhile, and forgotten
            index.counts, index.pieces = counted_in(tables)

    def _write_counts(self, tables: IndexTables, place: int) -> None:
        """Write all that was counted up to a place as one."""
        # A copy: when the transaction is repeated, what was rare is to be taken back.
        counts = DocumentCounts(place, self._index.counts.counts)
        tables.write_counts(packed_counts(counts, self._index.pieces))
        # What came since the last time is left: who has read that goes on from there.
        tables.forget_counted(place - written_every(place))


def counted_in(tables: IndexTables) -> tuple[DocumentCounts, PieceCounts]:
    """Return the frequencies of an index."""
    plain = tables.counts()
    counts, pieces = (DocumentCounts(), PieceCounts()) if plain is None else unpacked_counts(plain)
    _count(tables.counted_since(counts.documents), counts, pieces)
    return counts, pieces


def _count(rows: Iterable[tuple[int, bytes]], counts: DocumentCounts, pieces: PieceCounts) -> None:
    for place, row in rows:
        CountedWords.unpacked(row).add_to(counts, pieces)
        counts.documents = place
        if is_time_to_write(place):  # as it was written
            counts.forget_rare()


def written_every(articles: int) -> int:
    """Return after how many articles frequencies are written, when so many are known: 2.5 to 5 % of them."""
    doubled = (articles // (WRITTEN_EVERY * FEWEST_TIMES)).bit_length()
    return WRITTEN_EVERY << min(doubled, MOST_DOUBLED)


def is_time_to_write(articles: int) -> bool:
    """Whether frequencies are written with this article: each worker knows by itself."""
    return articles % written_every(articles) == 0


def _at_once(work: Coroutine[Any, Any, _T]) -> _T:
    """Return what a coroutine returns that never waits, since its tables never do."""
    try:
        work.send(None)
    except StopIteration as end:
        found: _T = end.value
        return found
    work.close()
    raise RuntimeError("the tables of the index have waited")
