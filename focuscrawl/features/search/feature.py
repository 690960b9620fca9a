"""Searching put on a run (C2, C5, C8): requests to engines, walks of seeds, and the end of a cycle."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from focuscrawl.features.search.cycle import REACHED_FACT, SEARCH_FACT, SEED_FACT, Searches
from focuscrawl.features.search.missing import deleted
from focuscrawl.features.search.rows import SEEDS
from focuscrawl.features.search.seeds import SeedCount, SeedCounts, added_up
from focuscrawl.features.search.table import SearchTable
from focuscrawl.features.search.walks import UrlEnd, seed_of
from focuscrawl.frontier.rows import WHOLE_TOPIC
from focuscrawl.kernel.feature import Feature, Kernel, Links, Round
from focuscrawl.kernel.figures import EXIT_NO_ANSWER
from focuscrawl.kernel.flight import Purpose
from focuscrawl.kernel.items import ChangeFailed
from focuscrawl.kernel.ports import SearchPolicy
from focuscrawl.kernel.transport.guard import COMPLETED, without_secrets
from focuscrawl.kernel.transport.requests import Ask
from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import WAITING, StoreError
from focuscrawl.urls.sites import partition_of
from focuscrawl.values import CONTENT, Json, PageClass, PageState

if TYPE_CHECKING:
    from focuscrawl.features.search.plan import SearchRequest
    from focuscrawl.kernel.flight import Flight
    from focuscrawl.readers.links.admission import Admission
    from focuscrawl.readers.pages.content import Fetched
    from focuscrawl.urls.sites import Partitions
    from focuscrawl.values import LinkBatch, Page, Waiting

logger = logging.getLogger(__name__)

COUNT_FACT = "seed counts"
"""The kind of the facts that hold SeedCounts, each in its partition."""

NOT_ANSWERED = frozenset({"error", "refused", "parked", "gone"})
"""Outcomes of URLs that nothing was read of."""


@dataclass(slots=True)
class WalkedPage:
    """What a flight holds: whether a walk has taken the links of its page."""

    is_walked: bool = False


class Search(Feature, SearchPolicy):
    """Seeds from search engines, from cycle to cycle.

    It comes first where a run begins, since visits are left to its walks, and where a URL ends,
    since an absence that a fetch is to confirm makes a page gone at once.
    """

    name = "search"
    scope = "topic"
    first = frozenset({"begin", "ending"})

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._search = kernel.template.of(SearchTable)
        self._searches: Searches | None = None
        self._is_ending = False
        self._counts: SeedCounts | None = None
        # The published form has one worker, which counts for itself: the next seed is drawn when that of before is done.
        if kernel.store.is_shared and not self._search.strict:
            self._counts = SeedCounts()
            kernel.frontier.added = self._added
        self._others: list[tuple[str, Sequence[int]]] = []

    @classmethod
    def of(cls, kernel: Kernel) -> Self | None:
        """Make it for a topic that asks engines, or lists of addresses."""
        return cls(kernel) if kernel.template.of(SearchTable).engines else None

    @property
    def searches(self) -> Searches:
        """The searches of a run that is open."""
        assert self._searches, "the run is not open"
        return self._searches

    def alone(self) -> str:
        """Say that the published form walks all seeds in one order."""
        if not self._search.strict:
            return ""
        return "[search] strict walks all seeds in one order: take it out, or crawl with one worker"

    async def open(self, partitions: Partitions, records: Mapping[str, Json]) -> None:
        """Take up the cycle under way, or the next one when it is due: with what is the whole topic's.

        Without it only what waits is counted, for the process that has it: it asks, and walks what lies
        in its own partitions.
        """
        store = self._kernel.store
        if self._counts is not None:
            self._counts.load(partitions, await store.facts(COUNT_FACT))
        if WHOLE_TOPIC in partitions:
            kinds = (SEED_FACT, SEARCH_FACT, REACHED_FACT)
            self._searches = self._begun({kind: await store.facts(kind) for kind in kinds})
        elif self._searches is None:
            self._searches = self._begun({})
        elif self._kernel.leads:
            self._searches.load(partitions, await store.facts(REACHED_FACT))

    def _begun(self, facts: Mapping[str, Mapping[str, Json]]) -> Searches:
        kernel = self._kernel
        return Searches(
            kernel.template,
            kernel.rules,
            kernel.frontier,
            {SEED_FACT: {}, SEARCH_FACT: {}, REACHED_FACT: {}, **facts},
            kernel.clock.wall(),
            kernel.pages.visited,
            self._waits,
            is_shared=self._counts is not None,
        )

    def release(self, partitions: Partitions) -> None:
        """Let go of what is known of partitions; the process that gets the whole topic's goes on with the cycle."""
        self.note(closing=False)
        if self._counts is not None:
            self._counts.release(partitions)
        if self._searches is not None and WHOLE_TOPIC in partitions:
            self._searches = self._begun({})
        elif self._searches is not None:
            self._searches.walks.release(partitions)

    def _waits(self, waiting: Waiting, promise: float, words: list[tuple[str, str]]) -> Waiting:
        explorer = self._kernel.rules.explorer
        return explorer.seed(waiting, promise, words) if explorer is not None else waiting

    # Engines are asked --------------------------------------------------------------------------

    async def begin(self, round_: Round) -> int:
        """Ask what is to be asked; walks go on with what waits."""
        kernel = self._kernel
        # Who takes over in the midst of its work has ended some that the store has still: taken for open, the
        # walk of their seed would never end.
        waiting = (
            row.waiting
            for row in kernel.store.rows(WAITING)
            if not kernel.frontier.has_ended(row.sequence)
        )
        self._ask(self.searches.begin(waiting, kernel.clock.wall()).requests)
        return 0

    def _ask(self, requests: Iterable[SearchRequest]) -> None:
        for request in requests:
            self._kernel.transport.ask(self.request(request))

    def request(self, asked: SearchRequest) -> Ask:
        """Return the request to an engine; its answer leads to the next ones."""
        kernel = self._kernel
        engine = self._search.engine[asked.engine]
        is_asked = self._search.robots and not engine.key  # a key is its permission
        meta: Json = {} if is_asked else {"dont_obey_robotstxt": True}
        if engine.key:
            meta[COMPLETED] = asked.engine

        def answered(fetched: Fetched) -> list[Ask]:
            searches = self.searches
            if not kernel.leads:  # the process that leads by now has asked again
                return []
            if engine.key:  # its links may have it; only now is the body unpacked
                fetched = fetched._replace(body=without_secrets(fetched.body, [engine.key]))
            step = searches.take(searches.cycle.answered(asked, fetched))
            return [self.request(one) for one in step.requests]

        def failed(reason: str) -> None:
            if not kernel.leads:
                return
            step = self.searches.cycle.not_answered(asked.engine, reason, kernel.clock.wall())
            self.searches.take(step)

        return Ask(asked.url, PageClass.SEARCH, answered, failed, meta, asked.body)

    def keyed(self, name: str, url: str) -> tuple[str, dict[str, str]]:
        """Give an address of an engine its key; others, to which it may lead on, get none."""
        engine = self._search.engine.get(name)
        if engine is None or not engine.is_own(url):
            return url, {}
        return engine.keyed(url)

    def tick(self) -> None:
        """Make searches again in a run that stays (C8)."""
        kernel = self._kernel
        if self._counts is not None and kernel.leads:
            self.searches.judge(self._sums(self._counts), kernel.clock.steady())
        due = self.searches.next_due() if kernel.pages.stays and kernel.leads else None
        if due is not None and due <= kernel.clock.wall() and self._may_begin():
            kernel.items.beside(self._search_again)

    async def _search_again(self) -> None:
        await self._end_cycle()
        self._ask(self.searches.again(self._kernel.clock.wall()).requests)

    # Walks --------------------------------------------------------------------------------------

    def must_read(self, waiting: Waiting) -> bool:
        """Ask for a page whole whose links a walk needs: a 304 would say too little."""
        return self.searches.walks.must_read(waiting)

    def counts_addresses(self) -> bool:
        """Ask for each address of a page, since seeds count each of theirs."""
        return True

    def links(self, flight: Flight, links: Links) -> Links:
        """Let the walk of a seed take the links of its pages, whatever others have chosen."""
        walks = self.searches.walks
        found = walks.links_of(links.batch, flight.waiting)
        flight.of(WalkedPage).is_walked = found is not None
        return Links(*found, walks.add, walks.again, each=True) if found is not None else links

    def admitted(self, flight: Flight, batch: LinkBatch, admission: Admission) -> None:
        """Count the links that no walk has taken for the seed of their page."""
        if not flight.of(WalkedPage).is_walked:
            waiting = flight.waiting
            continued = admission.continued if waiting.first_walk else 0
            self.searches.walks.admitted(waiting, admission.added + continued)

    def reads(self, state: PageState) -> bool:
        """Leave visits to the walks that read their pages: they would be second fetches."""
        return self.searches.reads(state.key)

    def is_busy(self) -> bool:
        """Whether a cycle is not at its end."""
        return self._kernel.leads and self.searches.is_under_way()

    def is_asking(self) -> bool:
        """Whether engines are still to answer, so that it is not known which seeds are walked."""
        return self._kernel.leads and not self.searches.cycle.plan.done

    # A URL ends ---------------------------------------------------------------------------------

    def ending(self, flight: Flight) -> None:
        """Say that a fetch was to see whether a page is gone that no seed leads to any more (C8)."""
        queued = self._kernel.frontier.in_flight(flight.sequence)
        if queued is not None:
            flight.of(Purpose).confirms = self.searches.missing.confirms(queued.waiting.key)

    def acknowledged(self, flight: Flight) -> None:
        """Count what was found through a seed."""
        before = flight.before
        is_as_stored = flight.unchanged and before and before.page_class in CONTENT
        if not flight.useful and not is_as_stored:
            return
        self.searches.led_to(flight.waiting)
        self._count(flight.waiting, useful=1)

    def ended(
        self, flight: Flight, queued: Waiting | None, page: Page, *, comes_back: bool
    ) -> None:
        """Count the end of a URL for its seed, which may have waited for it alone."""
        if queued is None:
            return
        end = end_of(flight, comes_back=comes_back)
        self.searches.ended(queued, end)
        seed = seed_of(queued)
        if self._counts is not None and seed == queued.key.hex() and (end.gone or end.answered):
            self._counts.found(partition_of(queued.site), seed, gone=end.gone)
        if not flight.tries:  # else it was counted when it failed for the first time
            self._count(queued, waiting=-1)

    def note(self, *, closing: bool) -> None:
        """Put what has changed into the commit."""
        kernel = self._kernel
        if self._counts is not None:
            for (partition, name), counts in self._counts.take_changed().items():
                kernel.frontier.note_fact(COUNT_FACT, name, counts, partition)
            if closing and kernel.leads and kernel.is_at_end:  # nothing is on its way any more
                self.searches.judge(self._sums(self._counts), kernel.clock.steady(), after=0.0)
        if self._searches is not None and kernel.leads:
            kernel.commits.pending.rows[SEEDS.name] += self._searches.note()

    # Several processes --------------------------------------------------------------------------

    def _added(self, waiting: Waiting) -> None:
        """Count a URL that begins to wait, wherever it was found."""
        self._count(waiting, waiting=1)

    def _count(self, url: Waiting, *, waiting: int = 0, useful: int = 0) -> None:
        if self._counts is not None and url.first_walk and (seed := seed_of(url)):
            partition = partition_of(url.site)
            self._counts.count(partition, seed, waiting=waiting, useful=useful)

    def message(self) -> Json:
        """Tell what waits of each seed here, and what it has led to."""
        return self._counts.sums() if self._counts is not None else {}

    def hear(self, messages: Sequence[Json]) -> None:
        """Take what waits of each seed elsewhere."""
        self._others = [counts for message in messages for counts in message.items()]

    def _sums(self, counts: SeedCounts) -> dict[str, SeedCount]:
        return added_up([*counts.sums().items(), *self._others])

    # A cycle ends -------------------------------------------------------------------------------

    def idle(self, *, is_over: bool) -> bool:
        """End a cycle in its published form, when the run has nothing else to do."""
        is_due = self._may_begin() and self.searches.is_at_end()
        return is_due and self._kernel.items.beside(self._end_cycle)

    def _may_begin(self) -> bool:
        commits, leads = self._kernel.commits, self._kernel.leads
        return leads and not (self._is_ending or commits.closing or commits.broken)

    async def _end_cycle(self) -> None:
        """Delete what a cycle that is at its end has not reached (published form).

        That these pages are gone goes through the pipelines first, so a cycle ends while they are open.
        A run that is cut off leaves it to the next. Pages whose end a pipeline fails on stay, and are
        missing in the next cycle again.
        """
        kernel, searches = self._kernel, self.searches
        if self._is_ending or not searches.is_at_end():
            return
        self._is_ending = True
        try:
            await kernel.commits.written()  # so that all states can be read
            unreached = searches.missing.unreached()
            states = await kernel.store.pages([*unreached.values()])
            gone = {key: stored for key, stored in unreached.items() if stored not in states}
            ends: list[Callable[[], None]] = []
            for key, stored in unreached.items():
                if stored in states:
                    state = states[stored]
                    try:
                        after = deleted(state, kernel.clock.wall())
                        if end := await kernel.hooks.visits.end_page(state, after):
                            ends.append(end)
                    except ChangeFailed as error:
                        logger.warning("search: %s; it stays until the next cycle", error)
                        continue
                gone[key] = stored
            await kernel.commits.settled()
            self._delete(gone, ends)
        finally:
            self._is_ending = False

    def _delete(self, gone: Mapping[bytes, bytes], ends: Iterable[Callable[[], None]]) -> None:
        """Delete the rows of pages; their tombstones come with the next commit. Told again after a
        kill in between they have the same ids."""
        commits = self._kernel.commits
        if commits.results is None or commits.closing or commits.broken:
            return
        try:
            rows = commits.results.delete([stored.hex() for stored in gone.values()])
        except StoreError as error:
            commits.break_off(error)
            return
        self.searches.end_cycle(gone)
        for end in ends:
            end()
        if gone:
            counts = ", ".join(f"{count} {table}" for table, count in rows.most_common())
            what = "search: %d pages are not reached any more; deleted: %s"
            logger.info(what, len(gone), counts or "nothing")

    # What is reported ---------------------------------------------------------------------------

    def failure(self) -> tuple[str, str, int] | None:
        """Say that no engine has answered."""
        plan = self.searches.cycle.plan
        said = "; ".join(f"{name}: {why}" for name, why in plan.stopped.items())
        return ("search_blocked", said, EXIT_NO_ANSWER) if plan.refused else None

    def summary(self) -> Iterable[tuple[str, str]]:
        """Say what a later cycle has reached; in the first one all is new."""
        told = {name: count for name, count in self.searches.pages().items() if count}
        if not told.keys() - {"new"}:
            return
        parts = [_("{new:,} new, {known:,} known")]
        if "missing" in told:
            parts.append(_("{missing:,} missing ({gone:,} gone, {confirmed:,} still there)"))
        if "not_judged" in told:
            parts.append(_("{not_judged:,} not looked at"))
        counts = dict.fromkeys(("new", "known", "gone", "confirmed"), 0) | told
        yield "search", _(", ").join(parts).format(**counts)


def end_of(flight: Flight, *, comes_back: bool) -> UrlEnd:
    """Return how the URL of a flight has ended."""
    page, waiting = flight.page, flight.waiting
    gone = flight.outcome == "gone" or (flight.after is not None and flight.after.gone is not None)
    fails = flight.failed or comes_back or flight.outcome in NOT_ANSWERED
    answered = bool(flight.status) and not fails and not gone
    return UrlEnd(
        url=waiting.url,
        key=waiting.key,
        page_class=page.page_class if page is not None else waiting.page_class,
        answered=answered,
        read=answered and flight.outcome != "unchanged",
        gone=gone,
        comes_back=comes_back,
        tries=flight.tries,
    )
