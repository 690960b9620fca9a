"""Records on their way into the next commit: what each changes is told before it is stored.

A record is what all its pages say of it, so what a page changes is known only with the row that is
stored. The records of a page are asked for at once, when the first of them comes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from focuscrawl.records.rows import RecordKey, merged_record, record_change, record_row
from focuscrawl.results.kind import RowContext

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.stored import StoredLookup
    from focuscrawl.values import Clock, PageChange, Record

    Announce = Callable[[PageChange], Awaitable[PageChange | None]]

MOST_EXPECTED = 1_000
"""Records that are on their way; the pipelines may drop them, and nobody hears of it."""


class Recording:
    """The records of one run. ``announce`` is Announcing's."""

    def __init__(
        self, commits: Commits, announce: Announce, knowing: StoredLookup, clock: Clock
    ) -> None:
        self._commits = commits
        self._announce = announce
        self._knowing = knowing
        self._clock = clock
        self._expected: dict[RecordKey, None] = {}
        self._turns: WeakValueDictionary[RecordKey, asyncio.Lock] = WeakValueDictionary()

    def expect(self, records: Iterable[Record]) -> None:
        """Hear of the records of a page, which come through the pipelines one by one."""
        self._expected.update((_key(record), None) for record in records)
        while len(self._expected) > MOST_EXPECTED:
            del self._expected[next(iter(self._expected))]

    async def keep(self, record: Record, visit: int | None) -> None:
        """Put a record into the next commit, with what the pipelines leave of what it changes.

        ``visit`` is the number of the visit at which its page was found to have other records.
        Raises ChangeFailed; then it is not kept.
        """
        key = _key(record)
        async with self._turns.setdefault(key, asyncio.Lock()):  # of two pages one is the first
            before = await self._before(key)
            row: dict[str, Any] = record_row(
                record, RowContext("", None, self._clock.wall(), "full")
            )
            row = merged_record(before, row) if before is not None else row
            change = record_change(before, row, visit)
            if change is not None:
                change = await self._announce(change)
            pending = self._commits.pending
            pending.add(record)
            pending.record_rows[key] = row
            if visit is not None:
                pending.record_visits[key] = visit
            if change is not None:
                pending.add(change)

    async def _before(self, key: RecordKey) -> dict[str, Any] | None:
        """Return a record as it is stored when what waits for the next commit is."""
        await self._commits.settled()
        pending = self._commits.pending  # there may be another one when the answer comes
        self._expected.pop(key, None)
        if key in pending.record_rows:
            return pending.record_rows[key]
        others = [*self._expected]
        self._expected.clear()
        found = await self._knowing.records([key, *others])
        for other in others:
            pending.record_rows.setdefault(other, found.get(other))
        return found.get(key)


def _key(record: Record) -> RecordKey:
    return record.record_type, record.record_id
