"""Forums put on a run (A9): threads and boards that are read, and threads that need no visit for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec

from focuscrawl.features.forums.quiet_boards import QuietBoards
from focuscrawl.features.forums.reader import ForumReader
from focuscrawl.features.forums.readings import THREAD_ENDS, ThreadReadings
from focuscrawl.features.forums.rows import stored_posts
from focuscrawl.features.forums.walks import Read, Walk
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.flight import ThreadPart
from focuscrawl.values import PageClass, SeriesPage

if TYPE_CHECKING:
    from focuscrawl.kernel.feature import Kernel, Links
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.ports import VisitPolicy
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.readers.pages.content import Fetched, Judged
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import Json, LinkBatch, Page, PageState, Waiting

ASKED_AT_ONCE = 500  # threads whose walks are read at once


@dataclass(slots=True)
class ThreadOfFlight:
    """What the page of a flight gave to its thread; ``is_left``: nothing, for a known thread may stand there."""

    read: Read | None = None
    is_left: bool = False


class KnownOpening(NamedTuple):
    """A page that opens a thread with the words of another one of its site: that may have moved here."""

    readings: ThreadReadings
    visits: VisitPolicy
    flight: Flight
    read: Read

    async def clear_up(self) -> None:
        """Find out whether there is such a thread, and whether it may stand here; it is looked at then."""
        key, thread = await self.readings.opened_before(self.read), self.read.thread
        if not key or thread is None:
            return
        is_left = await self.visits.may_have_moved(self.flight, thread, key)
        self.flight.of(ThreadOfFlight).is_left = is_left
        await self.visits.found_again(thread, key)

    def settle(self, judged: Judged) -> bool:
        """Take nothing of it until that is known."""
        if not self.flight.of(ThreadOfFlight).is_left:
            return False
        judged.page.outcome, judged.page.reason = "copy", "thread"
        self.flight.page = judged.page
        return True


class Forums(Feature):
    """Threads and boards put on a run (A9)."""

    name = "forums"

    @classmethod
    def of(cls, kernel: Kernel) -> Self:
        """Make it for every topic: a thread is known by its looks, whatever source led to it."""
        readings = ThreadReadings(
            kernel.rules,
            kernel.frontier,
            kernel.store,
            kernel.clock,
            kernel.counters,
            partial(kernel.stored.ask, stored_posts),
        )
        return cls(kernel, readings, QuietBoards(kernel.sources, kernel.clock))

    def __init__(self, kernel: Kernel, readings: ThreadReadings, boards: QuietBoards) -> None:
        self.boards = boards
        self._readings = readings
        self._kernel = kernel

    def readers(self) -> Iterable[ForumReader]:
        """Return what reads threads and boards."""
        return (ForumReader(self._kernel.criteria, self._readings.walks),)

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Read which threads were being read when an earlier run ended."""
        await self._readings.load(partitions)

    def release(self, partitions: Partitions) -> None:
        """Let go of the threads of some partitions."""
        self._readings.release(partitions)

    async def before_read(self, flight: Flight) -> None:
        """Recall how far the thread is read of which this is a page; judging asks for it."""
        waiting, before = flight.waiting, flight.before
        if before is not None and before.page_class is PageClass.THREAD:
            waiting = waiting._replace(
                key=before.key
            )  # a redirect has led elsewhere: perhaps it has moved
        await self._readings.recall(waiting)

    def doubt(self, flight: Flight, judged: Judged, fetched: Fetched) -> KnownOpening | None:
        """Doubt a new thread, for its forum may have moved one that is known."""
        read = judged.read
        if read is None or read.thread is None or read.thread.known or read.walk.before:
            return None
        return KnownOpening(self._readings, self._kernel.hooks.visits, flight, read)

    def shows_known(self, flight: Flight, judged: Judged) -> bool:
        """Whether a page is the thread that its key says: it has the posts that are stored."""
        return judged.read is not None and self._readings.shows_stored(judged.read)

    def judged(self, flight: Flight | None, judged: Judged) -> Iterator[Any]:
        """Give out what a page of a thread holds, and note how far the thread is read."""
        read = judged.read
        if read is None:
            return
        if flight is not None:
            walk = read.walk
            has_grown = read.ended and 0 < walk.before < walk.posts
            flight.of(ThreadPart).series = SeriesPage(read.key, read.ended, has_grown)
            flight.of(ThreadOfFlight).read = read
            flight.useful = walk.relevant
            self._readings.read(read)
        if read.thread is not None:
            yield read.thread
        yield from read.posts
        if flight is not None:
            yield from self._readings.edited(read)
        yield from read.changes

    async def before_links(self, flight: Flight, batch: LinkBatch) -> None:
        """Find out which threads of a board are new or have grown, and what it says of the others."""
        if batch.threads:
            heard = await self._readings.prepare(batch)
            flight.of(ThreadPart).counted = heard.counted
            pending = self._kernel.commits.pending
            for counts in heard.counts:
                pending.add(counts)

    def links(self, flight: Flight, links: Links) -> Links:
        """Take threads that have grown again, from their last known page on."""
        if not links.batch.threads:
            return links
        return links._replace(add=partial(self._readings.add, add=links.add))

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Note how far a board was read."""
        self.boards.read(flight.waiting, batch, admission)

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Write down how far a thread was read, with the last of its pages."""
        if comes_back:
            return
        read, waiting, before = flight.of(ThreadOfFlight).read, flight.waiting, flight.before
        if before is not None and before.page_class is PageClass.THREAD:
            if (
                before.key != waiting.key
            ):  # another page stands there: what was recalled is as it was
                self._readings.settled(waiting._replace(key=before.key, first_key=b""), None)
            elif read is not None and not waiting.first_key:
                self._readings.stands_at(waiting, read.key)
        if flight.outcome != "parked" and not flight.of(ThreadOfFlight).is_left:
            is_first = queued is not None and not queued.first_key
            if read is not None and queued is not None and is_first and queued.key != waiting.key:
                self._readings.moved(queued, read)
            self._readings.settled(waiting, read)
        self.boards.ended(flight.waiting)

    def visits_wait(self, queued: Mapping[bytes, PageState]) -> Callable[[PageState], bool] | None:
        """Let threads wait for boards that are about to be read: those count their replies."""
        return self.boards.waiting_for(queued.values(), stays=self._kernel.pages.stays)

    async def put_off(self, pages: list[PageState]) -> dict[bytes, float]:
        """Give threads that are due a later visit, when boards that were read say nothing new of them."""
        threads = [page for page in pages if self.boards.speak_of(page)]
        found: dict[bytes, float] = {}
        for first in range(0, len(threads), ASKED_AT_ONCE):
            asked = threads[first : first + ASKED_AT_ONCE]
            keys = [page.key.hex() for page in asked]
            ends = await self._kernel.store.facts(THREAD_ENDS, keys)
            for page in asked:
                known = ends.get(page.key.hex())
                is_walk = known is not None and not isinstance(known, str)  # else it has moved
                walk = msgspec.convert(known, Walk) if is_walk else None
                since = walk and self.boards.quiet_since(page, walk)
                if since:
                    found[page.key] = since
        return found
