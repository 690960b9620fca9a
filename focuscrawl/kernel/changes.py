"""Changes on their way into the next commit: through the pipelines first, as every item goes.

What is told of a page is stored with the end of its URL. So its change goes out before that: after a
kill in between the page is fetched again, and tells it again under the same id.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

if TYPE_CHECKING:
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.slots import Slots
    from focuscrawl.values import PageChange


TURNS = frozenset({"gone", "back"})
"""Changes of pages that nobody has read: their title is what is stored."""


class ChangeFailed(RuntimeError):
    """A pipeline failed on a change; the page that told it has failed with it, and comes again."""


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

        ``ended`` hears what the pipelines leave of it, and why they failed; nothing when they are
        closed already.
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
        """Take a change at the end of the pipelines: into the next commit, when nobody waits for it."""
        if change.change_id in self._arrived:
            self._arrived[change.change_id] = change
        else:
            self._commits.pending.add(change)

    def fail(self, item: Any) -> None:
        """Hear that a pipeline failed on an item, perhaps on a change that somebody waits for."""
        number = getattr(item, "change_id", None)
        if number in self._arrived:
            self._failed.add(number)

    async def _failed_quietly(self, change: PageChange, error: Exception) -> None:
        if not isinstance(error, DropItem):
            self.fail(change)
