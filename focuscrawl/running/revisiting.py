"""Method B put on a run: a page's state is made at its first fetch and moved at every visit.

A state moves in the commit that ends its URL. So after a kill the page is fetched again, its state
as it was, and the same things are told under the same ids: nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from focuscrawl.crawl.template.changes import note_planned
from focuscrawl.kernel.feature import Feature
from focuscrawl.kernel.flight import Flight, with_version
from focuscrawl.links.admission import checked_again
from focuscrawl.links.sources import starts_of
from focuscrawl.revisit.change.comparison import remembered
from focuscrawl.revisit.change.visit_comparison import with_engine
from focuscrawl.revisit.crawl_agenda import CrawlAgenda
from focuscrawl.revisit.gone import GonePages, turned
from focuscrawl.revisit.silence import with_newest
from focuscrawl.revisit.states import (
    CONTENT,
    TRUST,
    PageStates,
    facts_of,
    is_list,
    is_watched,
)
from focuscrawl.revisit.table import RevisitTable
from focuscrawl.revisit.visit_queue import OtherReaders, VisitQueue
from focuscrawl.revisit.visits import GONE_STATUS
from focuscrawl.running.comparing import UNFINISHED, Comparing, is_compared
from focuscrawl.values import Json, PageChange, PageState

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.kernel.changes import ChangeEvents
    from focuscrawl.kernel.commit import Commits
    from focuscrawl.kernel.feature import Hooks
    from focuscrawl.running.basis import Basis
    from focuscrawl.store.protocol import Store


def other_readers(hooks: Hooks) -> OtherReaders:
    """Return what features read beside visits."""

    def waits(queued: Mapping[bytes, PageState]) -> Callable[[PageState], bool] | None:
        asked = [wait for ask in hooks.visits_wait if (wait := ask(queued)) is not None]
        return (lambda page: any(wait(page) for wait in asked)) if asked else None

    async def put_off(pages: Sequence[PageState]) -> set[bytes]:
        return {key for put_off in hooks.put_off for key in await put_off(pages)}

    return OtherReaders(
        reads=lambda page: any(is_left(page) for is_left in hooks.visit_is_left),
        is_busy=lambda: any(is_busy() for is_busy in hooks.is_busy),
        is_asking=lambda: any(is_asking() for is_asking in hooks.is_asking),
        waits=waits,
        put_off=put_off,
    )


def agenda_of(
    basis: Basis,
    states: PageStates,
    gone: GonePages,
    *,
    closed_for: Callable[[str, float], float],
    written: Callable[[], Awaitable[None]],
    linger: float,
    hooks: Hooks,
) -> CrawlAgenda:
    """Return the agenda of a run."""
    template, rules, sources, store, frontier, clock = basis
    queue = VisitQueue(
        *(states, store, frontier, clock, rules, sources),
        other_readers(hooks),
        linger=linger,
        refused=lambda waiting: checked_again(waiting, rules),
        are_heard=template.of(RevisitTable).hears_signals,
    )
    return CrawlAgenda(
        *(template.of(RevisitTable), states, queue, gone, store, frontier, clock, sources),
        starts=lambda: starts_of(sources.values(), rules),
        planned=partial(note_planned, template, frontier),
        closed_for=closed_for,
        written=written,
    )


class Revisiting:
    """The visits of one run's pages, which move their ``states``.

    What an answer says of a page is found by ``comparing``; pages that are not there any more are
    ``gone``. ``visited`` is that of the states.
    """

    def __init__(
        self,
        basis: Basis,
        commits: Commits,
        counters: Counter[str],
        visited: dict[bytes, PageState],
    ) -> None:
        template, rules, sources, store, frontier, clock = basis
        states = self.states = PageStates(template, frontier, clock, visited)
        self.comparing = Comparing(states, template, rules, store, frontier, commits, clock)
        self.gone = GonePages(rules, frontier, clock)
        self._commits = commits
        self._counters = counters
        self._visits = states.visits
        self._visited = visited
        self._template = template
        self._sources = sources
        self._store = store
        self._frontier = frontier
        self._clock = clock

    async def load(self, store: Store, records: Mapping[str, Json]) -> None:
        """Read what earlier runs learnt; ``records`` are those of the sites."""
        await self.states.load(store, records)
        await self.comparing.load(store, records)
        await self.gone.load(store)

    # A visit begins -----------------------------------------------------------------------------

    async def begin(self, flight: Flight) -> None:
        """Find out what is known of a page that is about to be fetched again."""
        waiting = flight.waiting
        if waiting.first_walk or flight.before is not None:
            return
        state = self._visited.get(waiting.key)
        if state is None:
            state = (await self._store.pages([waiting.key])).get(waiting.key)
        if state is not None:
            flight.before = self._visited[waiting.key] = state

    # A visit ends -------------------------------------------------------------------------------

    def tries_again(self, flight: Flight) -> bool:
        """Whether a visit that failed is tried again soon, as a first fetch is: a list, by a run
        that ends. Others have their own date.
        """
        before = flight.before
        return before is None or (
            is_list(before) and not self._template.of(RevisitTable).continuous
        )

    def ended(self, flight: Flight) -> PageState | None:
        """Move a page's state at the end of its URL; returns it. Call it in the same window."""
        self.comparing.flying.pop(flight.waiting.key.hex(), None)
        before = flight.before
        if before is None:
            self._rest_ended(flight)
            return self._first(flight)
        self.comparing.flying.pop(before.key.hex(), None)
        now = self._clock.wall()
        state = self._visited.pop(before.key, before)
        after = self._moved(state, before.visits, flight, now)
        goes_on = flight.read is not None and not flight.read.ended
        if after.visits != state.visits and (
            goes_on or (flight.watched and flight.verdict is None)
        ):
            self.states.wait_for_rest(after)
        change = self._turn(state, after, now)
        if change is not None and flight.is_announced:
            change = flight.change
        if change is not None:
            self._commits.pending.add(change)
        self.states.remember(after)
        if before.key != flight.waiting.key:
            return self._first(flight)
        return after

    async def bury(
        self, changes: ChangeEvents, before: PageState, after: PageState
    ) -> Callable[[], None]:
        """Tell that a page has gone; returns what puts its tombstone into the next commit, with what the
        pipelines left of it."""
        change = turned(before, after, self._clock.wall())
        left = await changes.announce(change) if change is not None else None

        def put() -> None:
            self._turn(before, after, self._clock.wall())
            if left is not None:
                self._commits.pending.add(left)
            self.states.remember(after)

        return put

    def _turn(self, before: PageState, after: PageState, now: float) -> PageChange | None:
        """Note that a page has gone, or is back; returns that change."""
        self.gone.note(after, now)
        change = turned(before, after, now)
        if change is not None:
            self._commits.pending.gone[change.url_key] = after.gone
            self._counters[change.kind] += 1
        return change

    def _rest_ended(self, flight: Flight) -> None:
        """Count the new replies on a later page of a thread whose first page has ended."""
        if flight.read is None or not flight.read.ended:
            return
        state = self.states.open.pop(bytes.fromhex(flight.read.key), None)
        if state is None:
            return
        state = self._visited.get(state.key, state)
        if _has_grown(flight):
            state = self.states.counted(state, self._clock.wall())
        if state.key in self._visited:
            self._visited[state.key] = state
        self.states.remember(state)

    def _first(self, flight: Flight) -> PageState | None:
        page, waiting = flight.page, flight.waiting
        if page is None or flight.failed or flight.outcome:
            return None
        if not (flight.watched or is_watched(page, waiting, self._sources)):
            return None
        now = self._clock.wall()
        source = self._sources.get(waiting.source_id)
        facts = facts_of(waiting, self._sources)
        state = self._visits.first_seen(
            *(waiting.key, waiting.url, waiting.site, page.page_class, now),
            level=waiting.passed_level,
            born=flight.born,
            every=source.every if source is not None and facts["source"] else None,
        )._replace(source_id=waiting.source_id, facts=facts)
        if flight.verdict is not None:
            state = remembered(state, flight.verdict)
        elif flight.watched:
            self.states.wait_for_rest(state)
        state = self._with(state, flight)
        self.states.remember(state)
        return state

    def _moved(self, state: PageState, visit: int, flight: Flight, now: float) -> PageState:
        """Return the state after a visit, whatever came of it."""
        reason = _why_gone(state, flight)
        if reason:
            confirms = flight.confirms
            return self._visits.failed(state, visit, now, reason, says_gone=True, confirms=confirms)
        if not _was_there(flight):
            why = flight.failed or flight.reason or flight.outcome or "not read"
            return self._visits.failed(state, visit, now, why)
        verdict = flight.verdict
        changed = verdict is not None and verdict.changed and is_compared(state)
        changed = changed or _has_grown(flight)
        after = self._visits.visited(state, visit, now, changed)
        if after.visits == visit:  # an answer that came too late
            return after
        trust = self._visits.trusts.get(state.site)
        if trust is not None and (changed or state.signalled is not None):
            self._frontier.note_site(state.site, TRUST, trust.to_json())
        if verdict is not None:
            after = remembered(after, verdict)
        return self._with(after, flight)

    def _with(self, state: PageState, flight: Flight) -> PageState:
        if flight.verdict is not None:
            facts = {**state.facts, UNFINISHED: flight.unfinished}
            state = state._replace(facts=with_engine(facts, self.comparing.engine))
        if flight.by_other_scheme and flight.waiting.key == state.key:
            state = state._replace(url=flight.waiting.url)
        return with_newest(with_version(flight, state), flight.newest)

    def turn(self, flight: Flight) -> PageChange | None:
        """Return what the end of a visit is going to tell: that its page has gone, or is back.

        Most visits tell nothing of the kind.
        """
        before = flight.before
        if before is None or (before.gone is None and not _why_gone(before, flight)):
            return None
        state, now = self._visited.get(before.key, before), self._clock.wall()
        if state.visits != before.visits:
            return None  # another answer came first
        if _why_gone(state, flight):
            return turned(state, self._moved(state, before.visits, flight, now), now)
        return turned(state, state._replace(gone=None), now) if _was_there(flight) else None


def _has_grown(flight: Flight) -> bool:
    """Whether a page has shown new replies of a thread that was read before."""
    walk = flight.read.walk if flight.read is not None and flight.read.ended else None
    return walk is not None and 0 < walk.before < walk.posts


def _was_there(flight: Flight) -> bool:
    """Whether a fetch has shown its page, or that it is as it was."""
    page = flight.page
    is_read = page is not None and not flight.outcome and page.outcome != "error"
    return not flight.failed and (is_read or flight.outcome == "unchanged")


def _why_gone(state: PageState, flight: Flight) -> str:
    """Return how an answer says that there is no such page any more; "" when it does not."""
    if flight.failed:
        return ""
    if flight.status in GONE_STATUS or flight.outcome == "gone":
        return flight.reason or f"http {flight.status}"
    if flight.outcome == "alias" or (flight.page is not None and flight.waiting.key != state.key):
        return "moved"
    shrunk = flight.page is not None and flight.page.outcome == "short" and not flight.watched
    shrunk = shrunk and not state.facts.get("source")  # who names an address knows that it is there
    return "short" if shrunk and state.page_class in CONTENT else ""


class Others(Feature):
    """What visits do for other features, until they are a feature themselves."""

    name = "others"

    def __init__(self, revisiting: Revisiting, changes: ChangeEvents) -> None:
        self._revisiting = revisiting
        self._changes = changes

    async def bury(self, before: PageState, after: PageState) -> Callable[[], None]:
        """Tell that a page has gone."""
        return await self._revisiting.bury(self._changes, before, after)
