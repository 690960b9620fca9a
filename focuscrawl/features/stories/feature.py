"""Stories put on a run (D): what each article belongs to, before it is stored."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

from focuscrawl.features.stories.index import StoryIndex
from focuscrawl.features.stories.index_tables import asked, end_of_index, lock_number, make_tables
from focuscrawl.features.stories.matches import NUMBER_ALONE
from focuscrawl.features.stories.rows import read_members, reading_of
from focuscrawl.features.stories.shared import SharedStoryIndex
from focuscrawl.features.stories.table import StoryRules
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.transport.slots import NotStored
from focuscrawl.stores.state.protocol import Changes, EmbeddedStore
from focuscrawl.values import Article

if TYPE_CHECKING:
    from collections.abc import Callable

    from focuscrawl.features.stories.index_tables import SharedStoryTables
    from focuscrawl.features.stories.shared import StoryRows
    from focuscrawl.kernel.commit import CommitWindow
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Passage
    from focuscrawl.values import LinkBatch

STORIES_LIVE_IN = 0  # the partition of what no site owns: stories reach over sites
_MOST_LED = (
    2_000  # articles on their way whose page is kept in mind: an earlier pipeline may drop them
)
_ADDRESS_KEY = re.compile(r"[0-9a-f]{32}")  # an article of a user's own parser may have another


@dataclass(slots=True)
class _Duplicate:
    """Whether the page of a flight gave a duplicate, as published: its links are not followed."""

    is_one: bool = False


class Stories(Feature):
    """Tells of articles, and puts stories and members into the next commit.

    The index hands over to the same commit what the store needs for the next articles.
    """

    name = "stories"

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it where there is anything to look for: copies, events, or the published form."""
        rules = kernel.template.of(StoryRules)
        looks = rules.copies != "off" or rules.events or rules.strict
        return cls(kernel) if looks else None

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._rules = rules = kernel.template.of(StoryRules)
        cut = kernel.template.splitter.cut
        self._is_shared = kernel.store.is_shared
        self._store = cast("EmbeddedStore", kernel.store)
        self._index: StoryIndex | SharedStoryIndex = (
            SharedStoryIndex(self._locked, rules, cut)
            if self._is_shared
            else StoryIndex(self._store, rules, cut)
        )
        self._leaves_copies = rules.strict or rules.copies == "join"
        self._led: dict[
            str, bytes
        ] = {}  # which page led to an article, until it comes to its story
        self._is_loaded = False
        self._loading = asyncio.Lock()

    async def _locked(
        self, work: Callable[[SharedStoryTables], tuple[Any, StoryRows]], *, looks: bool = False
    ) -> Any:
        """Do something with the index that all workers share, under the topic's lock if it writes."""
        if looks:
            found, _ = await self._kernel.stored.ask(asked, work=work, looks=True) or (None, None)
            return found
        question = partial(asked, work=work)
        return await self._kernel.stored.ask_and_write(question, locked=lock_number)

    async def _loaded_index(self) -> StoryIndex | SharedStoryIndex:
        """Return the index with what earlier runs left; what only the results know keeps its story.

        It is read with the first article, for the results are opened behind all features.
        """
        async with self._loading:
            if self._is_loaded:
                return self._index
            if isinstance(self._index, SharedStoryIndex):
                await self._kernel.stored.ask_and_write(make_tables)
                end = await self._kernel.stored.ask(end_of_index)
                known = await self._kernel.stored.ask(
                    read_members, more_than=end.number if end else 0
                )
                await self._index.load(known or ())
            else:
                number = await self._store.last_story_article()
                known = await self._kernel.stored.ask(read_members, more_than=number)
                await self._index.load(known or ())
            self._is_loaded = True
        return self._index

    async def given(self, flight: Flight, item: Any) -> None:
        """Look for duplicates here, since pipelines may run behind the links of their page."""
        if isinstance(item, Article) and flight.waiting.parent_key:
            if len(self._led) >= _MOST_LED:
                self._led.pop(next(iter(self._led)))
            self._led[item.url_key] = flight.waiting.parent_key
        if (
            self._rules.strict
            and isinstance(item, Article)
            and _ADDRESS_KEY.fullmatch(item.url_key)
        ):
            index = await self._loaded_index()
            reading = reading_of(item, self._kernel.clock.wall())
            flight.of(_Duplicate).is_one = await index.is_duplicate(reading)

    async def before_links(self, flight: Flight, batch: LinkBatch) -> bool | None:
        """Leave the links of a duplicate's page."""
        return not (self._rules.strict and flight.of(_Duplicate).is_one)

    async def join(self, item: Any, passage: Passage) -> None:
        """Say in an article which story it belongs to. Raises NotStored for a copy that is left, and for the page of a
        message: it has a number for its title, and the page that led here, its thread, shows its text.

        Its changes are announced before anything is remembered; what that raises goes on. An
        article whose key is no address's, from a parser of the user's own, is left alone.
        """
        if not isinstance(item, Article) or not _ADDRESS_KEY.fullmatch(item.url_key):
            return

        is_left = self._leaves_copies

        async def confirm(copied: str) -> None:
            nonlocal is_left
            if copied and not is_left:
                is_left = await self._kernel.hooks.visits.may_have_moved(None, item, copied)
            if not (copied and is_left):
                await self._kernel.items.tell(passage)

        index = await self._loaded_index()
        found_on = self._led.pop(item.url_key, b"")
        reading = reading_of(item, self._kernel.clock.wall(), found_on)
        if (
            found_on
            and NUMBER_ALONE.fullmatch(item.title)
            and found_on == await index.copied_from(reading)
        ):
            raise NotStored(item.url, "part", like=found_on.hex())
        told = await index.tell(reading, confirm if passage.told else None)
        item.story_id, item.is_copy = told.article.story_id, told.is_copy
        if not told.again:
            for row in () if self._is_shared else (told.article, *told.stories):
                self._kernel.commits.pending.add(row)
            self._kernel.counters["duplicates"] += told.article.like_key != ""
        if told.is_copy and is_left:
            raise NotStored(item.url, "copy", told.article.because, told.article.like_key)

    def commit(self, window: CommitWindow) -> None:
        """Write what was told since the last commit, with its articles."""
        if told := self._index.drain(closing=window.closing):
            whole = window.changes.setdefault(STORIES_LIVE_IN, Changes())
            whole.story_articles += told.story_articles
            whole.stories += told.stories
            whole.facts |= told.facts

    def committed(self) -> None:
        """Forget what the store has now."""
        self._index.committed()
