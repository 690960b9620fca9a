"""Pages that are gone: the links that still lead to them, and what is told of their end and return.

Which pages are gone is a fact of the crawl's own file, and so is that one of them was linked to, until
it is queued for another look: a kill in between loses neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.values import PageChange, PageClass, PageState, change_key

if TYPE_CHECKING:
    from focuscrawl.frontier.frontier import Frontier
    from focuscrawl.links.admission_rules import AdmissionRules
    from focuscrawl.store.protocol import Store
    from focuscrawl.values import Clock, Waiting

_GONE = "gone"
"""A kind of facts: when a page that is gone was last looked at, by its key in hexadecimal."""

LINKED = "linked"
"""A kind of facts: pages that are gone and were linked to again, until they are queued."""

LOOK_AGAIN = 86_400.0
"""Seconds after which a page that is gone, and is still linked to, is looked at once more."""

WHAT = {
    PageClass.ARTICLE: "article",
    PageClass.RECORD: "record",
    PageClass.THREAD: "thread",
}
"""What is told of; a list is nothing that anybody reads, and its pages tell of themselves."""


class GonePages:
    """The pages of one topic that are gone; ``linked`` are the keys of those that were linked to again."""

    def __init__(self, rules: AdmissionRules, frontier: Frontier, clock: Clock) -> None:
        self.linked: dict[bytes, None] = {}
        self._rules = rules
        self._frontier = frontier
        self._clock = clock
        self._looked_at: dict[bytes, float] = {}

    async def load(self, store: Store) -> None:
        """Read which pages were gone when an earlier run ended."""
        for key, looked in (await store.facts(_GONE)).items():
            self._looked_at[bytes.fromhex(key)] = looked
        self.linked.update((bytes.fromhex(key), None) for key in await store.facts(LINKED))

    @property
    def has_some(self) -> bool:
        """Whether any page is gone: else links need not pass ``add``."""
        return bool(self._looked_at)

    def add(self, waiting: Waiting, number: int) -> bool:
        """Add a link to the frontier; one to a page that is gone may say that it is back."""
        if self._frontier.add(waiting, number):
            return True
        looked = self._looked_at.get(waiting.key)
        # A look in a time to come is one of a clock that ran ahead.
        if looked is not None and not 0 <= self._clock.wall() - looked < LOOK_AGAIN:
            if waiting.key not in self.linked:  # noted with its list, which is not read again
                self._frontier.note_fact(LINKED, waiting.key.hex(), True)
            self.linked[waiting.key] = None
        return False

    def looks_at(self, key: bytes) -> None:
        """Forget that a page that is gone was linked to: it is queued in the same window."""
        del self.linked[key]
        self._frontier.note_fact(LINKED, key.hex(), None)

    def note(self, after: PageState, now: float) -> None:
        """Note that a page is gone, and was looked at now; or that it is not."""
        if after.gone is not None:
            self._looked_at[after.key] = now
            self._frontier.note_fact(_GONE, after.key.hex(), now)
            self._rules.known.clear()  # links to it are looked at again
        elif self._looked_at.pop(after.key, None) is not None:
            self._frontier.note_fact(_GONE, after.key.hex(), None)


def turned(before: PageState, after: PageState, now: float) -> PageChange | None:
    """Return the change from a page that is there to one that is gone, or back; None: neither, or
    it is no page to tell of. Its title comes on its way out.
    """
    what = WHAT.get(after.page_class)
    if what is None or (before.gone is None) == (after.gone is None):
        return None
    kind, key = "back" if after.gone is None else "gone", after.key.hex()
    number = change_key(key, kind, before.visits)
    return PageChange(number, now, key, after.url, kind, what)
