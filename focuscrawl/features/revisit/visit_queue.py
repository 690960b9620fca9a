"""Which pages are visited again (B1), and visits that are queued: each has a row in the frontier and a reservation in its page's state.

Both are of one commit, and the state knows the row. So a reservation that has run out is not queued twice: as
long as its row is there, the reservation is prolonged.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple, Protocol

from focuscrawl.features.revisit.agenda import place_by_date
from focuscrawl.features.revisit.table import RevisitTable
from focuscrawl.frontier.retries import MOST_EARLY, comes_now
from focuscrawl.frontier.rows import is_list
from focuscrawl.readers.links.admission import checked_again
from focuscrawl.readers.links.sources import is_source
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import (
    CONTENT,
    KEPT_OUTCOMES,
    LISTS,
    Page,
    PageState,
    Waiting,
    is_signal_file,
)

if TYPE_CHECKING:
    from focuscrawl.features.revisit.visits import VisitScope
    from focuscrawl.readers.links.admission_rules import AdmissionRules
    from focuscrawl.template.table import Source
    from focuscrawl.urls.sites import Partitions

ROW = "row"
"""Fact of a state: the sequence number of the row its page is queued as."""

BASELINE_MARK = "baseline"
"""Fact of a state: the moment at which what led to its page was looked at first, of a page that was there then."""

SEED = "seed:"
"""How the source_id of a page begins that was found through a search."""


# Which pages are watched --------------------------------------------------------------------------


def is_watched(page: Page, waiting: Waiting, sources: Container[str]) -> bool:
    """Whether a page that was read is visited again: lists, sources, and what was stored."""
    if page.outcome == "error":
        return False
    if page.page_class in LISTS or is_source(waiting, sources):
        return True
    return page.page_class in CONTENT and page.outcome in KEPT_OUTCOMES


# How they are queued ------------------------------------------------------------------------------


def facts_of(waiting: Waiting, sources: Container[str]) -> dict[str, object]:
    """Return what is needed to queue a page again."""
    return {
        "depth": waiting.depth,
        "parent": waiting.parent_key,
        "layer": waiting.layer,
        "source": is_source(waiting, sources),
    } | ({BASELINE_MARK: waiting.baseline} if waiting.baseline else {})


def visit_of(state: PageState, sources: Mapping[str, Source], rules: AdmissionRules) -> Waiting:
    """Return a page as it is queued again, at its own level; a source at its template's.

    It goes on under the name its source has now; ``sources`` knows earlier names, too.
    """
    source = sources.get(state.source_id)
    is_first = source is not None and state.facts.get("source")
    level = source.level if source is not None and is_first else min(state.level, rules.top)
    return Waiting(
        url=state.url,
        key=state.key,
        site=state.site,
        level=level,
        passed_level=level,
        page_class=state.page_class,
        depth=state.facts.get("depth", 0),
        parent_key=state.facts.get("parent", b""),
        source_id=source.source_id if source is not None else state.source_id,
        first_walk=False,
        layer=state.facts.get("layer", 0),
    )


def refused_visit(
    state: PageState,
    waiting: Waiting,
    sources: Container[str],
    rules: AdmissionRules,
    *,
    heard: bool = True,
) -> str | None:
    """Return why the template does not want a page visited: a rule for links, a source taken out.

    ``heard``: whether signals are, else no file is read for them alone. Articles and records of a
    source that was taken out are still visited until they are too old.
    """
    if is_signal_file(state.source_id):
        return checked_again(waiting, rules) if heard else "signals"  # the site itself names it
    known = state.source_id in sources or state.source_id.startswith(SEED)
    return "source" if is_list(state) and not known else checked_again(waiting, rules)


def as_source(state: PageState, start: Waiting, every: float | None) -> PageState:
    """Return the state of a file that was read for its signals as that of the source it is now.

    It is asked for anew: that it is as it was would show none of its links.
    """
    return state._replace(
        source_id=start.source_id,
        level=start.level,
        facts={**state.facts, "source": True, "parent": b"", "depth": 0, "layer": 0},
        every=every,
        etag="",
        modified="",
    )


class Walks(Protocol):
    """The walks of a search, which read pages that are due (``kernel.ports.SearchPolicy``)."""

    def reads(self, state: PageState) -> bool:
        """Whether one reads a page anyway: its visit would be a second fetch."""

    def is_busy(self) -> bool:
        """Whether there may be one."""

    def is_asking(self) -> bool:
        """Whether it is not known yet what will be walked."""


class OtherReaders(NamedTuple):
    """What else of a run reads pages that are due, so that they need no visit of their own.

    ``walks()`` are those of a search. ``waits(queued)`` returns what says whether the visit of a page waits for a list
    that is about to be read (None: none does). ``put_off(pages)`` returns the keys of those that have
    nothing new by what lists show, and gives them a later date.
    """

    walks: Callable[[], Walks]
    waits: Callable[[Mapping[bytes, PageState]], Callable[[PageState], bool] | None]
    put_off: Callable[[Sequence[PageState]], Awaitable[set[bytes]]]


class VisitQueue:
    """Queues the visits of one run, and knows which of the pages in a store may be queued now.

    ``queued`` holds the states of pages that are queued or in flight, by key. A run that ends waits for
    what becomes due within ``linger`` seconds: ``until`` then.
    """

    def __init__(self, scope: VisitScope, others: OtherReaders, *, linger: float) -> None:
        self.until = inf if scope.states.stays else scope.clock.wall() + linger
        self.queued = scope.states.visited
        self.others = others
        self._scope = scope
        self._are_heard = scope.template.of(RevisitTable).hears_signals
        self.look()

    def queue(self, state: PageState) -> bool:
        """Queue a page that was taken, with its reservation, in one commit; False: it is not to be."""
        waiting = visit_of(state, self._scope.sources, self._scope.rules)
        if refused_visit(
            state, waiting, self._scope.sources, self._scope.rules, heard=self._are_heard
        ):
            times = self._scope.visits.rules.times(state.page_class)
            later = self._scope.clock.wall() + times.max  # the rule may have gone by then
            self._scope.frontier.remember(state._replace(next_visit=later, reserved=None))
            return False
        sequence = self._scope.frontier.add_again(waiting)
        self._hold(state._replace(facts={**state.facts, ROW: sequence}))
        return True

    def is_taken(self, state: PageState) -> bool:
        """Whether a page is left to others or queued already."""
        return self.others.walks().reads(state) or self.is_queued(state)

    def is_queued(self, state: PageState) -> bool:
        """Whether a page waits from an earlier reservation; then it gets another one."""
        if state.key in self.queued:
            return True
        if state.reserved is None or ROW not in state.facts:
            return False
        row = self._scope.store.read(state.facts[ROW], 0)
        if row is None or row.waiting.key != state.key:
            return False
        self._hold(self._scope.visits.taken(state, self._scope.clock.wall()))
        return True

    def _hold(self, state: PageState) -> None:
        self.queued[state.key] = state
        self._scope.frontier.remember(state)

    def is_planned(self, state: PageState) -> bool:
        """Whether a page has a date of its own: of a run that ends, lists are due with the next one."""
        return self._scope.states.stays or not is_list(state)

    # One look at what is due --------------------------------------------------------------------

    def look(self, *, is_early: bool = False, is_idle: bool = False) -> None:
        """Begin a look: ``has_left`` and ``has_waiting`` will say what is due and not returned.

        ``is_early``: with what is nearly due. ``is_idle``: the run has nothing else to do, so that
        nothing waits for a list.
        """
        self._early = MOST_EARLY if is_early else 0.0
        self._is_idle = is_idle
        self.has_left = self.has_waiting = False

    async def due(
        self, now: float, most: int, after: tuple[float, bytes] | None = None
    ) -> list[PageState]:
        """Return the first pages by date and key; those that are queued are left out."""
        now = min(now, self.until)
        found: list[PageState] = []
        waits = None if self._is_idle else self.others.waits(self.queued)
        while len(found) < most:
            pages = await self._scope.store.due(now + self._early, most, after)
            due = []
            for page in pages:
                is_due = comes_now(page.next_visit or 0.0, page.last_fetched, now)
                if not self.is_planned(page) or not is_due:
                    continue
                if self.others.walks().reads(page):
                    self.has_left = True
                elif not self.is_queued(page):
                    if waits is not None and waits(page):
                        self.has_waiting = True
                    else:
                        due.append(page)
            put_off = await self.others.put_off(due)
            found += [page for page in due if page.key not in put_off]
            if len(pages) < most:
                break
            after = place_by_date(pages[-1])
        return found


# Pages that are gone -------------------------------------------------------------------------------


_GONE_FACT = "gone"
"""A kind of facts: when a page that is gone was last looked at, by its key in hexadecimal."""

LINKED = "linked"
"""A kind of facts: pages that are gone and were linked to again, until they are queued."""

LOOK_AGAIN = 86_400.0
"""Seconds after which a page that is gone, and is still linked to, is looked at once more."""


class GonePages:
    """The pages of one topic that are gone; ``linked`` are the keys of those that were linked to again.

    Both are facts of the crawl's own file, until a page that was linked to is queued for another look: a
    kill in between loses neither.
    """

    def __init__(self, scope: VisitScope) -> None:
        self.linked: dict[bytes, int] = {}
        self._scope = scope
        self._looked_at: dict[int, dict[bytes, float]] = {}

    async def load(self, partitions: Partitions) -> None:
        """Read which pages of some partitions were gone when an earlier run ended."""
        store = self._scope.store
        for partition, gone in (await store.facts_in(partitions, _GONE_FACT)).items():
            self._looked_at[partition] = {bytes.fromhex(key): at for key, at in gone.items()}
        for partition, linked in (await store.facts_in(partitions, LINKED)).items():
            self.linked.update((bytes.fromhex(key), partition) for key in linked)

    def release(self, partitions: Partitions) -> None:
        """Forget the pages of some partitions."""
        for partition in partitions:
            self._looked_at.pop(partition, None)
        self.linked = {key: one for key, one in self.linked.items() if one not in partitions}

    @property
    def has_some(self) -> bool:
        """Whether any page is gone: else links need not pass ``add``."""
        return any(self._looked_at.values())

    def add(self, waiting: Waiting, number: int) -> bool:
        """Add a link to the frontier; one to a page that is gone may say that it is back."""
        if self._scope.frontier.add(waiting, number):
            return True
        partition = partition_of(waiting.site)
        looked = self._looked_at.get(partition, {}).get(waiting.key)
        # A look in a time to come is one of a clock that ran ahead.
        if looked is not None and not 0 <= self._scope.clock.wall() - looked < LOOK_AGAIN:
            if waiting.key not in self.linked:  # noted with its list, which is not read again
                self._scope.frontier.note_fact(LINKED, waiting.key.hex(), True, partition)
            self.linked[waiting.key] = partition
        return False

    def looks_at(self, key: bytes) -> None:
        """Forget that a page that is gone was linked to: it is queued in the same window."""
        self._scope.frontier.note_fact(LINKED, key.hex(), None, self.linked.pop(key))

    def note(self, after: PageState, now: float) -> None:
        """Note that a page is gone, and was looked at now; or that it is not."""
        partition = partition_of(after.site)
        gone = self._looked_at.setdefault(partition, {})
        if after.gone is not None:
            gone[after.key] = now
            self._scope.frontier.note_fact(_GONE_FACT, after.key.hex(), now, partition)
            self._scope.rules.known.clear()  # links to it are looked at again
        elif gone.pop(after.key, None) is not None:
            self._scope.frontier.note_fact(_GONE_FACT, after.key.hex(), None, partition)
