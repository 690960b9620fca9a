"""Boards of forums that were read again, and what they say of threads behind the pages that were read.

A board is read until a page shows nothing new. Where it lists its threads by their last reply, nothing
behind that page is new either: those threads need no visit of their own, as those that were listed do
not. A thread that should have been listed and was not may be gone: it is visited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from focuscrawl.features.forums.reader import is_forum_source
from focuscrawl.values import PageClass

if TYPE_CHECKING:
    from focuscrawl.features.forums.walks import Walk
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.template.table import Source
    from focuscrawl.values import BoardThread, Clock, LinkBatch, PageState, Waiting

_PINNED = 1 / 3  # the share of a page that may stand above its order: announcements, pinned threads
KNOWN = 2 / 3  # the share of its threads whose last reply must have a date
UNTIL_KNOWN = "until-known"

# Seconds that a thread which is due waits for the boards of its source: a site with many of them,
# or with pages that fail again and again, always has one that is still to be read.
LONGEST_WAIT = 3600.0


class Quiet(NamedTuple):
    """A board that was read ``since`` then and has nothing new behind ``oldest``, the last date that
    was read; both in seconds, wall time.
    """

    since: float
    oldest: float


class QuietBoards:
    """What the boards of one run have shown, by source and by the key of their first page."""

    def __init__(self, sources: Mapping[str, Source], clock: Clock) -> None:
        self._sources = sources
        self._clock = clock
        self._quiet: dict[str, dict[bytes, Quiet | None]] = defaultdict(dict)
        self._first_pages: dict[bytes, bytes] = {}
        self._reading: dict[tuple[str, bytes], bytes] = {}
        """Boards whose next page is queued, with the key of the page that named it."""

        self._began = clock.wall()

    def read(self, waiting: Waiting, batch: LinkBatch, admission: Admission) -> None:
        """Note a page of a board that was read again, and what its links came to."""
        if waiting.first_walk or not is_forum_source(waiting, self._sources):
            return
        board = self._board_of(waiting)
        name = (waiting.source_id, board)
        self._reading.pop(name, None)
        if not batch.threads:
            return
        boards = self._quiet[waiting.source_id]
        if board != waiting.key:
            self._first_pages[waiting.key] = board
        boards[board] = None
        if admission.continued:
            self._reading[name] = waiting.key
        elif not batch.continuations:
            boards[board] = Quiet(self._clock.wall(), -inf)
        elif UNTIL_KNOWN in admission.refused and is_by_last_reply(batch.threads):
            dates = (one.last_reply for one in batch.threads if one.last_reply is not None)
            boards[board] = Quiet(self._clock.wall(), min(dates))

    def ended(self, waiting: Waiting) -> None:
        """A URL has ended: a further page of a board that has led nowhere ends its reading, also when
        it did not come, or showed no board.
        """
        if waiting.page_class is PageClass.PAGING:
            name = (waiting.source_id, self._board_of(waiting))
            if self._reading.get(name) == waiting.parent_key:
                del self._reading[name]

    def under_way(self, queued: Iterable[PageState]) -> frozenset[str]:
        """Return the sources that have boards still to be read; ``queued`` are visits under way."""
        found = {source for source, _ in self._reading}
        found.update(one.source_id for one in queued if one.page_class is PageClass.BOARD)
        return frozenset(filter(self._is_forum, found))

    def has_waited(self, state: PageState) -> bool:
        """Whether a page that is due has waited for boards as long as any does, in this run."""
        since = max(state.next_visit or 0.0, self._began)
        return self._clock.wall() - since >= LONGEST_WAIT

    def waiting_for(
        self, queued: Iterable[PageState], *, stays: bool
    ) -> Callable[[PageState], bool] | None:
        """Return what says of a due page that it waits for boards still to be read; None: of none.

        A run that does not stay comes to all when it is idle.
        """
        under_way = self.under_way(queued)

        def waits(page: PageState) -> bool:
            is_counted = page.page_class is PageClass.THREAD and page.source_id in under_way
            return is_counted and not (stays and self.has_waited(page))

        return waits if under_way else None

    def speak_of(self, state: PageState) -> bool:
        """Whether a page is a thread of a source all whose boards that were read are quiet."""
        boards = self._quiet.get(state.source_id)
        if not boards or state.page_class is not PageClass.THREAD:
            return False
        return None not in boards.values()

    def quiet_since(self, state: PageState, walk: Walk) -> float | None:
        """Return since when a thread they speak of has nothing new, lying behind what was read."""
        boards = self._quiet[state.source_id]
        last, listed_on = walk.last_reply, bytes.fromhex(walk.board_key)
        own = boards.get(self._first_pages.get(listed_on, listed_on))
        known = [one for one in ([own] if own is not None else boards.values()) if one is not None]
        if last is None or last > min(one.oldest for one in known):
            return None
        return min(one.since for one in known)

    def _board_of(self, waiting: Waiting) -> bytes:
        """Return the key of the first page of a board of which this is a page.

        Threads that have grown are queued at a later page, too, with their board as parent.
        """
        if waiting.page_number <= 1 or waiting.page_class is not PageClass.PAGING:
            return waiting.key
        return self._first_pages.get(waiting.parent_key, waiting.parent_key)

    def _is_forum(self, source_id: str) -> bool:
        source = self._sources.get(source_id)
        return source is not None and source.kind == "forum"


def is_by_last_reply(threads: Sequence[BoardThread]) -> bool:
    """Whether a board lists its threads by their last reply, the latest first, but for what is pinned."""
    dates = [thread.last_reply for thread in threads if thread.last_reply is not None]
    if len(dates) < max(2.0, KNOWN * len(threads)):
        return False
    rises = [place for place, (one, after) in enumerate(pairwise(dates)) if after > one]
    first = rises[-1] + 1 if rises else 0
    return first <= _PINNED * len(dates) and dates[first] > dates[-1]
