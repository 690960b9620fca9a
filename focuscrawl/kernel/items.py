"""Items on their way through the pipelines, and work that keeps a run open until it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from focuscrawl.kernel.flight import Notes
from focuscrawl.kernel.transport.slots import was_dropped
from focuscrawl.values import Page, PageChange

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.feature import Hooks
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.kernel.transport.slots import Slots

_N = TypeVar("_N")


@dataclass(slots=True)
class Passage:
    """The way of one item through the pipelines, and what features note on it (``of``).

    ``flight`` is that of its page, when a callback gave it. ``changes`` are what the pipelines have left
    of the changes sent with it; those in ``told`` are sent once it is sure that it is stored. ``was_sent``:
    it went this way before, with less of it. ``kept``: it waits for the next commit. ``visit`` is the number
    of the visit at which its page was found to say something else, None: at none.
    """

    flight: Flight | None = None
    changes: list[PageChange] = field(default_factory=list)
    told: list[PageChange] = field(default_factory=list)
    was_sent: bool = False
    kept: bool = False
    visit: int | None = None
    notes: Notes = field(default_factory=Notes)

    def of(self, kind: type[_N]) -> _N:
        """Return what a feature notes on it, made when it is asked for first."""
        return self.notes[kind]  # type: ignore[no-any-return]

    def leave(self, change: PageChange | None) -> None:
        """Note what the pipelines have left of a change; None: nothing."""
        if change:
            self.changes.append(change)


TURNS = frozenset({"gone", "back"})
"""Changes of pages that were not read: their title is the stored one."""


ENDED_ELSEWHERE = (Page, PageChange)
"""Items that have no passage: a page's row is written when its URL has ended, a change belongs to that of its sender or
arrives on its own. Nothing would end a passage of theirs: changes alone kept a kilobyte of memory each."""


class ChangeFailed(RuntimeError):
    """A pipeline failed on a change; the page that gave it has failed with it, and comes again."""


class ChangeEvents:
    """The changes of one run that are under way through the pipelines.

    ``quietly``: they give no signal, since no feed of the run knows that it is not to hold them.
    ``title_of(url_key)`` finds the title under which a page is stored.
    """

    def __init__(
        self,
        slots: Slots,
        commits: Commits,
        title_of: Callable[[str], Awaitable[str]],
        *,
        quietly: bool,
    ) -> None:
        self._title_of = title_of
        self._quietly = quietly
        self._slots = slots
        self._commits = commits
        self._arrived: dict[str, PageChange | None] = {}
        self._failed: set[str] = set()

    async def announce(self, change: PageChange) -> PageChange | None:
        """Send a change through the pipelines; returns what they leave of it, None: it was dropped.

        The caller stores it, with what it is about. Raises ChangeFailed.
        """
        number = change.change_id
        if change.kind in TURNS and not change.title:
            change.title = await self._title_of(change.url_key)
        self._arrived[number] = None
        try:
            await self._slots.send(change, quietly=self._quietly, failed=self._failed_quietly)
        finally:
            arrived = self._arrived.pop(number, None)
        if number in self._failed:
            self._failed.remove(number)
            raise ChangeFailed(f"a pipeline failed on the change of {change.url}: {change.kind}")
        return arrived

    def announce_beside(
        self, change: PageChange, ended: Callable[[PageChange | None, str], object]
    ) -> None:
        """Send a change that no callback waits for.

        ``ended`` receives what the pipelines leave of it, and why they failed; it is not called when they
        are closed already.
        """

        async def send() -> None:
            arrived, why = None, ""
            try:
                arrived = await self.announce(change)
            except ChangeFailed:
                why = "pipeline: change"
            ended(arrived, why)

        self._slots.beside(send)

    def arrive(self, change: PageChange) -> None:
        """Take a change at the end of the pipelines: into the next commit, unless its sender waits for it."""
        if change.change_id in self._arrived:
            self._arrived[change.change_id] = change
        else:
            self._commits.pending.add(change)

    def fail(self, item: Any) -> None:
        """Note that a pipeline failed on an item, if it is a change whose sender waits for it."""
        number = getattr(item, "change_id", None)
        if number in self._arrived:
            self._failed.add(number)

    async def _failed_quietly(self, change: PageChange, error: Exception) -> None:
        if not was_dropped(error):
            self.fail(change)


class Items:
    """The items of one run that are in the pipelines."""

    def __init__(self, slots: Slots, commits: Commits, changes: ChangeEvents, hooks: Hooks) -> None:
        self.beside: Callable[[Callable[[], Coroutine[Any, Any, None]]], bool] = slots.beside
        self._slots = slots
        self._commits = commits
        self.changes = changes
        self._hooks = hooks
        self._passages: dict[int, tuple[Any, Passage]] = {}

    def passage(self, item: Any, flight: Flight | None = None) -> Passage:
        """Return the way of an item; it begins when it is asked for first."""
        if id(item) not in self._passages:
            # It keeps the item, whose number would else be another's some day.
            self._passages[id(item)] = (item, Passage(flight))
        return self._passages[id(item)][1]

    def hand_on(self, item: Any, *, quietly: bool = False) -> bool:
        """Send an item through the pipelines that no callback gives; False: they are closed.

        ``quietly``: no feed and no count takes it.
        """
        return self._slots.hand_on(item, quietly=quietly, failed=self.lost)

    @property
    def under_way(self) -> int:
        """How many items are in the pipelines whose passage has not ended."""
        return len(self._passages)

    # The three pipelines ------------------------------------------------------------------------

    async def compare(self, item: Any) -> None:
        """Compare an item with what is known. Raises DropItem."""
        if isinstance(item, ENDED_ELSEWHERE):
            return
        passage = self.passage(item)
        for compare in self._hooks.compare:
            await compare(item, passage)

    async def join(self, item: Any) -> None:
        """Find out what an item belongs to. Raises DropItem."""
        if isinstance(item, ENDED_ELSEWHERE):
            return
        passage = self.passage(item)
        for join in self._hooks.join:
            await join(item, passage)

    async def tell(self, passage: Passage) -> None:
        """Send the changes that wait until it is sure that an item is stored. Raises ChangeFailed."""
        while passage.told:
            passage.leave(await self.changes.announce(passage.told.pop(0)))

    async def keep(self, item: Any) -> None:
        """Put an item and its changes into the next commit."""
        passage = self.passage(item)
        await self.tell(passage)
        for keep in self._hooks.keep:
            await keep(item, passage)
        if not passage.kept:
            self._commits.pending.add(item)
        self._end(item, passage)

    async def lost(self, item: Any, error: Exception) -> bool:
        """A pipeline has dropped an item or failed on it; True: the row of its page says so already."""
        if not was_dropped(error):
            self.changes.fail(item)
        passage = self.passage(item)
        try:
            said = [await lose(item, passage, error) for lose in self._hooks.lost]
        finally:
            self._end(item, passage)
        return any(said)

    def _end(self, item: Any, passage: Passage) -> None:
        del self._passages[id(item)]
        for change in passage.changes:
            self._commits.pending.add(change)
