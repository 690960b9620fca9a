"""Method B put on a run: a page's state is made at its first fetch and moved at every visit.

A state moves in the commit that ends its URL. So after a kill the page is fetched again, its state
as it was, and the same things are told under the same ids: nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.crawl.hashed import with_engine
from focuscrawl.crawl.visits import CONTENT, facts_of, is_list, is_watched
from focuscrawl.revisit.changes import remembered
from focuscrawl.revisit.gone import says_gone
from focuscrawl.revisit.silence import with_newest
from focuscrawl.running.comparing import UNFINISHED, Comparing, is_compared
from focuscrawl.running.gone import GonePages, turned
from focuscrawl.running.leases import Lease, with_version
from focuscrawl.running.states import TRUST, States
from focuscrawl.values import Json, PageChange, PageState

if TYPE_CHECKING:
    from collections import Counter

    from focuscrawl.running.basis import Basis
    from focuscrawl.running.committing import Commits
    from focuscrawl.store.protocol import Store


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
        states = self.states = States(template, frontier, clock, visited)
        self.comparing = Comparing(states, template, rules, store, frontier, commits, clock)
        self.gone = GonePages(states, rules, frontier, commits, clock, counters)
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

    async def begin(self, lease: Lease) -> None:
        """Find out what is known of a page that is about to be fetched again."""
        waiting = lease.waiting
        if waiting.first_walk or lease.before is not None:
            return
        state = self._visited.get(waiting.key)
        if state is None:
            state = (await self._store.pages([waiting.key])).get(waiting.key)
        if state is not None:
            lease.before = self._visited[waiting.key] = state

    # A visit ends -------------------------------------------------------------------------------

    def tries_again(self, lease: Lease) -> bool:
        """Whether a visit that failed is tried again soon, as a first fetch is: a list, by a run
        that ends. Others have their own date.
        """
        before = lease.before
        return before is None or (is_list(before) and not self._template.revisit.continuous)

    def ended(self, lease: Lease) -> PageState | None:
        """Move a page's state at the end of its URL; returns it. Call it in the same window."""
        self.comparing.flying.pop(lease.waiting.key.hex(), None)
        before = lease.before
        if before is None:
            self._rest_ended(lease)
            return self._first(lease)
        self.comparing.flying.pop(before.key.hex(), None)
        now = self._clock.wall()
        state = self._visited.pop(before.key, before)
        after = self._moved(state, before.visits, lease, now)
        goes_on = lease.read is not None and not lease.read.ended
        if after.visits != state.visits and (goes_on or (lease.watched and lease.verdict is None)):
            self.states.wait_for_rest(after)
        self.gone.tell(state, after, now, lease)
        self.states.remember(after)
        if before.key != lease.waiting.key:
            return self._first(lease)
        return after

    def _rest_ended(self, lease: Lease) -> None:
        """Count the new replies on a later page of a thread whose first page has ended."""
        if lease.read is None or not lease.read.ended:
            return
        state = self.states.open.pop(bytes.fromhex(lease.read.key), None)
        if state is None:
            return
        state = self._visited.get(state.key, state)
        if _has_grown(lease):
            state = self.states.counted(state, self._clock.wall())
        if state.key in self._visited:
            self._visited[state.key] = state
        self.states.remember(state)

    def _first(self, lease: Lease) -> PageState | None:
        page, waiting = lease.page, lease.waiting
        if page is None or lease.failed or lease.outcome:
            return None
        if not (lease.watched or is_watched(page, waiting, self._sources)):
            return None
        now = self._clock.wall()
        source = self._sources.get(waiting.source_id)
        facts = facts_of(waiting, self._sources)
        state = self._visits.first_seen(
            *(waiting.key, waiting.url, waiting.site, page.page_class, now),
            level=waiting.passed_level,
            born=lease.born,
            every=source.every if source is not None and facts["source"] else None,
        )._replace(source_id=waiting.source_id, facts=facts)
        if lease.verdict is not None:
            state = remembered(state, lease.verdict)
        elif lease.watched:
            self.states.wait_for_rest(state)
        state = self._with(state, lease)
        self.states.remember(state)
        return state

    def _moved(self, state: PageState, visit: int, lease: Lease, now: float) -> PageState:
        """Return the state after a visit, whatever came of it."""
        reason = _why_gone(state, lease)
        if reason:
            confirms = lease.confirms
            return self._visits.failed(state, visit, now, reason, says_gone=True, confirms=confirms)
        if not _was_there(lease):
            why = lease.failed or lease.reason or lease.outcome or "not read"
            return self._visits.failed(state, visit, now, why)
        verdict = lease.verdict
        changed = verdict is not None and verdict.changed and is_compared(state)
        changed = changed or _has_grown(lease)
        after = self._visits.visited(state, visit, now, changed)
        if after.visits == visit:  # an answer that came too late
            return after
        trust = self._visits.trusts.get(state.site)
        if trust is not None and (changed or state.signalled is not None):
            self._frontier.note_site(state.site, TRUST, trust.to_json())
        if verdict is not None:
            after = remembered(after, verdict)
        return self._with(after, lease)

    def _with(self, state: PageState, lease: Lease) -> PageState:
        if lease.verdict is not None:
            facts = {**state.facts, UNFINISHED: lease.unfinished}
            state = state._replace(facts=with_engine(facts, self.comparing.engine))
        if lease.by_other_scheme and lease.waiting.key == state.key:
            state = state._replace(url=lease.waiting.url)
        return with_newest(with_version(lease, state), lease.newest)

    def turn(self, lease: Lease) -> PageChange | None:
        """Return what the end of a visit is going to tell: that its page has gone, or is back.

        Most visits tell nothing of the kind.
        """
        before = lease.before
        if before is None or (before.gone is None and not _why_gone(before, lease)):
            return None
        state, now = self._visited.get(before.key, before), self._clock.wall()
        if state.visits != before.visits:
            return None  # another answer came first
        if _why_gone(state, lease):
            return turned(state, self._moved(state, before.visits, lease, now), now)
        return turned(state, state._replace(gone=None), now) if _was_there(lease) else None


def _has_grown(lease: Lease) -> bool:
    """Whether a page has shown new replies of a thread that was read before."""
    walk = lease.read.walk if lease.read is not None and lease.read.ended else None
    return walk is not None and 0 < walk.before < walk.posts


def _was_there(lease: Lease) -> bool:
    """Whether a fetch has shown its page, or that it is as it was."""
    page = lease.page
    is_read = page is not None and not lease.outcome and page.outcome != "error"
    return not lease.failed and (is_read or lease.outcome == "unchanged")


def _why_gone(state: PageState, lease: Lease) -> str:
    """Return how an answer says that there is no such page any more; "" when it does not."""
    if lease.failed:
        return ""
    if says_gone(lease.status) or lease.outcome == "gone":
        return lease.reason or f"http {lease.status}"
    if lease.outcome == "alias" or (lease.page is not None and lease.waiting.key != state.key):
        return "moved"
    shrunk = lease.page is not None and lease.page.outcome == "short" and not lease.watched
    shrunk = shrunk and not state.facts.get("source")  # who names an address knows that it is there
    return "short" if shrunk and state.page_class in CONTENT else ""
