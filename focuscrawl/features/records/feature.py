"""Records put on a run (C7): what each changes is announced before it is stored.

A record is what all its pages say of it, so what a page changes is known only with the row that is
stored. The records of a page are asked for at once, when the first of them comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

from focuscrawl.features.records.reader import RecordReader
from focuscrawl.features.records.rows import (
    RecordKey,
    count_records,
    merged_record,
    record_change,
    row_to_be,
    stored_records,
)
from focuscrawl.features.records.table import RecordTable
from focuscrawl.kernel.feature import Feature
from focuscrawl.values import Record

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import Commits, CommitWindow, StoredLookup
    from focuscrawl.kernel.feature import Kernel
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.items import Passage
    from focuscrawl.kernel.template_changes import LastTemplate, TemplateChanges
    from focuscrawl.readers.pages.content import Judged
    from focuscrawl.values import Clock, PageChange

    Announce = Callable[[PageChange], Awaitable[PageChange | None]]

MOST_EXPECTED = 1_000  # that are on their way; the pipelines may drop them without a word


class RecordStore:
    """The records of one run. ``announce`` sends a change through the pipelines (ChangeEvents)."""

    def __init__(
        self, commits: Commits, announce: Announce, stored: StoredLookup, clock: Clock
    ) -> None:
        self._commits = commits
        self._announce = announce
        self._stored = stored
        self._clock = clock
        self._expected: dict[RecordKey, None] = {}
        self._turns: WeakValueDictionary[RecordKey, asyncio.Lock] = WeakValueDictionary()
        # As they are stored (None: not at all), or as they will be with the next commit.
        self._rows: dict[RecordKey, dict[str, Any] | None] = {}

    def expect(self, records: Iterable[Record]) -> None:
        """Note the records of a page, which come through the pipelines one by one."""
        self._expected.update((_key(record), None) for record in records)
        while len(self._expected) > MOST_EXPECTED:
            del self._expected[next(iter(self._expected))]

    async def keep(self, record: Record, visit: int | None) -> str:
        """Put a record into the next commit, with what the pipelines leave of what it changes; returns the key of
        the page of its host that it is stored as the record of, "" when it is this one or there is none.

        ``visit`` is the number of the visit at which its page was found to have other records.
        Raises ChangeFailed; then it is not kept.
        """
        key = _key(record)
        async with self._turns.setdefault(key, asyncio.Lock()):  # of two pages one is the first
            before = await self._before(key)
            row = row_to_be(record, self._clock.wall())
            row = merged_record(before, row) if before is not None else row
            change = record_change(before, row, visit)
            if change is not None:
                change = await self._announce(change)
            pending = self._commits.pending
            pending.add(record)
            self._rows[key] = row
            if visit is not None:
                pending.record_visits[key] = visit
            if change is not None:
                pending.add(change)
        is_other = before is not None and before["url_key"] != record.url_key
        return before["url_key"] if before and is_other and before["host"] == record.host else ""

    def forget(self) -> None:
        """A window was taken: from now on what is stored is asked for anew."""
        self._rows = {}

    async def _before(self, key: RecordKey) -> dict[str, Any] | None:
        """Return a record as it is stored when what waits for the next commit is."""
        await self._commits.settled()
        rows = self._rows  # there may be others when the answer comes
        self._expected.pop(key, None)
        if key in rows:
            return rows[key]
        others = [*self._expected]
        self._expected.clear()
        found = await self._stored.ask(stored_records, [key, *others]) or {}
        for other in others:
            rows.setdefault(other, found.get(other))
        return found.get(key)


class Records(Feature):
    """Gives out the records of a page and keeps them; also those of a user's own parser."""

    name = "records"
    needs_topic = False

    @classmethod
    def of(cls, kernel: Kernel) -> Self:
        """Make it for every run: a spider without a topic may give records of its own."""
        return cls(kernel)

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._criteria = kernel.criteria
        self._store = RecordStore(
            kernel.commits, kernel.items.changes.announce, kernel.stored, kernel.clock
        )

    async def changed(self, changes: TemplateChanges, last: LastTemplate) -> Iterable[str]:
        """Say what was read by other fields."""
        if not changes.records:
            return ()
        stored, name = await self._kernel.stored.ask(count_records), self._kernel.run.name
        line = (
            f"the fields of records have changed: {stored:,} stored ones are read anew when"
            f" their pages are visited again; all at once: scrapy topic reread {name}"
        )
        return (line,)

    def readers(self) -> Iterable[RecordReader]:
        """Return what reads records, where the topic has any."""
        has_some = self._criteria.template.named(RecordTable)
        return (RecordReader(self._criteria),) if has_some else ()

    def judged(self, flight: Flight | None, judged: Judged) -> Iterable[Record]:
        """Give out what a page holds."""
        self._store.expect(judged.records)
        return judged.records

    async def keep(self, item: Any, passage: Passage) -> None:
        """Put a record into the next commit. Raises ChangeFailed."""
        if isinstance(item, Record):
            other = await self._store.keep(item, passage.visit)
            passage.kept = True
            if other:
                await self._kernel.hooks.visits.found_again(item, other)

    def commit(self, window: CommitWindow) -> None:
        """Forget the rows of a window that was taken."""
        self._store.forget()


def _key(record: Record) -> RecordKey:
    return record.record_type, record.record_id
