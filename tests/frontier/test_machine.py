"""The frontier against a naive reference that looks through everything at every step."""

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from focuscrawl.features.explore.groups import NEAREST_FIRST
from focuscrawl.features.explore.ledger import BanRules, Ledger
from focuscrawl.features.explore.offers import BY_LINK
from focuscrawl.features.explore.portfolio import Arms, Portfolio, PortfolioRules
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules, Turns
from focuscrawl.frontier.lines import Politeness
from focuscrawl.frontier.queue import order_of
from focuscrawl.stores.state.protocol import (
    FAILED,
    PARKED,
    WAITING,
    Aside,
    Changes,
    Folder,
    Loaded,
    Row,
    RowPlace,
    WaitingRun,
)
from focuscrawl.urls.sites import ALL_PARTITIONS, KEY_BITS, Partitions, partition_of
from focuscrawl.values import Lane, Waiting

pytestmark = [pytest.mark.A7, pytest.mark.E1]

SHARE = 0.4
SITES = ["a.example", "b.example", "c.example"]
WAITS = (5.0, 50.0)
NUMBERS = range(1, 41)


def number_at(site: str, number: int) -> int:
    """Return one of the key numbers of a site."""
    return partition_of(site) << KEY_BITS | number


def numbers_at(site: str) -> list[int]:
    return [number_at(site, number) for number in NUMBERS]


class DictStore:
    """A store made of dictionaries: what was committed, and nothing else."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.seen: set[int] = set()

    def commit(self, changes: dict[int, Changes]) -> None:
        for part in changes.values():
            for row in [*part.added, *part.moved]:
                self.rows[row.sequence] = row
            self.seen.update(part.seen)
            for sequence in part.removed:
                del self.rows[sequence]

    def read(self, sequence: int, level: int) -> Row | None:
        """Return a row."""
        return self.rows.get(sequence)

    def loaded(self, next_sequence: int, partitions: Partitions = ALL_PARTITIONS) -> Loaded:
        rows = [row for _, row in sorted(self.rows.items()) if partitions.has(row.waiting.site)]
        places = [
            RowPlace(
                row.sequence,
                SITES.index(row.waiting.site),
                row.waiting.level,
                row.waiting.priority,
                Lane.of(row.waiting).packed() if row.waiting.explore else 0,
            )
            for row in rows
        ]
        pairs = list(zip(rows, places, strict=True))
        waiting = [place for row, place in pairs if row.state == WAITING]
        others = [place for place in waiting if place.priority]
        plain = [place for place in waiting if not place.priority]
        runs = [
            WaitingRun(place.site, place.level, [place.sequence])
            for place in plain
            if not place.lane
        ]
        folders = [
            Folder(place.site, lane.folder, place.level, [lane.promise(place.sequence)])
            for place in plain
            if place.lane and (lane := Lane.unpacked(place.lane))
        ]
        aside = [
            Aside(*place[:4], row.state, row.next_try, place.lane)
            for row, place in pairs
            if row.state != WAITING
        ]
        seen = [
            number.to_bytes(8, "little") for number in self.seen if number >> KEY_BITS in partitions
        ]
        return Loaded(SITES, runs, folders, others, aside, seen, {}, next_sequence)


@dataclass
class ModelSite:
    politeness: Politeness
    active: int = 0
    ready_at: float = 0.0


@dataclass
class ModelUrl:
    row: Row
    state: str = "waiting"
    next_try: float = 0.0
    ready_before: float = 0.0
    released: bool = False
    claims: set[int] = field(default_factory=set)


class FrontierMachine(RuleBasedStateMachine):
    """Random lives of a frontier, compared step by step."""

    flights = Bundle("flights")
    parked = Bundle("parked")

    @initialize(
        strict=st.booleans(),
        concurrency=st.sampled_from([1, 2]),
        delays=st.tuples(*[st.sampled_from([0.0, 1.0, 3.0]) for _ in SITES]),
    )
    def start(self, strict: bool, concurrency: int, delays: tuple[float, ...]) -> None:
        self.level_rules = LevelRules(levels=3, strict=strict, max_wait=0)
        self.store = DictStore()
        self.now, self.wall = 100.0, 5000.0
        self.luck = 0.25
        self.sites = {
            site: ModelSite(Politeness(delay, 0.5, concurrency))
            for site, delay in zip(SITES, delays, strict=True)
        }
        self.urls: dict[int, ModelUrl] = {}
        self.known: set[int] = set()
        self.order = LevelOrder(self.level_rules, Factor(strict=strict))
        self.turns = Turns(SHARE)
        self.frontier = self.fresh_frontier()

    def fresh_frontier(self) -> Frontier:
        best_first = PortfolioRules(orders=(BY_LINK,), ties=NEAREST_FIRST)
        order = Portfolio(best_first, Ledger(BanRules()), Arms(1, random.Random(0)))
        frontier = Frontier(
            LevelOrder(self.level_rules, Factor(strict=self.level_rules.strict)),
            politeness=lambda site: self.sites[site].politeness,
            partition_of=partition_of,
            stored=self.store.read,
            random=lambda: self.luck,
            retry_waits=WAITS,
        )
        frontier.explore_by(order, SHARE)
        return frontier

    # What the naive reference does --------------------------------------------------------------

    def let_retries_wait(self) -> None:
        for url in self.urls.values():
            if url.state == "failed" and url.next_try <= self.wall:
                url.state = "waiting"

    def expected_pick(self) -> ModelUrl | None:
        self.let_retries_wait()
        everything = [url for url in self.urls.values() if url.state == "waiting"]
        waiting = [url for url in everything if not url.row.waiting.explore]
        exploring = [url for url in everything if url.row.waiting.explore]
        lengths = [0] * self.level_rules.levels
        for url in waiting:
            lengths[url.row.waiting.level - 1] += 1
        source_level = self.level_rules.levels - 2
        for index in self.order.first():
            if (found := self.first_of(waiting, index)) is not None:
                return found
        if self.turns.is_due and self.first_of(waiting, source_level) is None:
            found = self.best_of(exploring)
            if found is not None:
                return found
        for index in self.order.by_weight(lengths, [0] * len(lengths)):
            if (found := self.first_of(waiting, index)) is not None:
                return found
        return self.best_of(exploring)

    def first_of(self, waiting: list[ModelUrl], index: int) -> ModelUrl | None:
        ready = [
            url
            for url in waiting
            if url.row.waiting.level == index + 1 and self.is_ready(url.row.waiting.site)
        ]
        key = lambda url: order_of(url.row.sequence, url.row.waiting.priority)
        return min(ready, key=key, default=None)

    def best_of(self, exploring: list[ModelUrl]) -> ModelUrl | None:
        ready = [url for url in exploring if self.is_ready(url.row.waiting.site)]
        key = lambda url: (-url.row.waiting.score, url.row.waiting.step, url.row.sequence)
        return min(ready, key=key, default=None)

    def is_ready(self, name: str) -> bool:
        site = self.sites[name]
        return site.active < site.politeness.concurrency and site.ready_at <= self.now

    def release(self, url: ModelUrl, asked: bool = True) -> None:
        if url.released:
            return
        url.released = True
        site = self.sites[url.row.waiting.site]
        site.active -= 1
        if site.politeness.concurrency > 1:
            return
        if not asked:
            site.ready_at = url.ready_before
        elif site.politeness.delay:
            site.ready_at = max(site.ready_at, self.now + site.politeness.pause(self.luck))

    # Steps --------------------------------------------------------------------------------------

    @rule(
        number=st.integers(1, 40),
        site=st.sampled_from(SITES),
        level=st.integers(1, 3),
        priority=st.sampled_from([0, 0, 0, 5, -5]),
        explore=st.booleans(),
        score=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        folder=st.integers(0, 3),
    )
    def add(
        self,
        number: int,
        site: str,
        level: int,
        priority: int,
        explore: bool,
        score: float,
        folder: int,
    ) -> None:
        waiting = Waiting(f"http://{site}/{number}", b"", site, level, level, priority=priority)
        if explore:
            waiting = waiting._replace(explore=True, score=score, folder=folder, step=number % 10)
        number = number_at(site, number)
        sequence = self.frontier.next_sequence()
        assert self.frontier.add(waiting, number) == (number not in self.known)
        if number not in self.known:
            self.known.add(number)
            self.urls[sequence] = ModelUrl(Row(sequence, waiting))

    @rule(target=flights, luck=st.sampled_from([0.0, 0.5, 1.0]))
    def take(self, luck: float) -> object:
        self.luck = luck
        expected = self.expected_pick()
        row = self.frontier.take(self.now, self.wall)
        if expected is None:
            assert row is None
            return multiple()
        assert row is not None
        assert row.sequence == expected.row.sequence
        assert row.waiting == expected.row.waiting
        expected.state, expected.released = "in flight", False
        site = self.sites[row.waiting.site]
        expected.ready_before = site.ready_at
        site.active += 1
        if site.politeness.delay:
            site.ready_at = self.now + site.politeness.pause(luck)
        if row.waiting.explore:
            self.order.passed()
        else:
            self.order.served(row.waiting.level - 1)
        self.turns.taken(exploring=row.waiting.explore)
        return row.sequence

    @rule(sequence=flights)
    def answer_arrives(self, sequence: int) -> None:
        if sequence in self.urls and self.urls[sequence].state == "in flight":
            self.frontier.free(sequence, self.now)
            self.release(self.urls[sequence])

    @rule(sequence=consumes(flights))
    def finish(self, sequence: int) -> None:
        if self.is_in_flight(sequence):
            self.frontier.acknowledge(sequence, self.now)
            self.release(self.urls[sequence])
            del self.urls[sequence]

    @rule(target=flights, sequence=consumes(flights))
    def retry_at_once(self, sequence: int) -> object:
        if self.is_in_flight(sequence):
            self.frontier.put_back(sequence, self.now)
            self.release(self.urls[sequence])
            self.urls[sequence].state = "waiting"
        return multiple()

    @rule(sequence=consumes(flights))
    def fail(self, sequence: int) -> None:
        if not self.is_in_flight(sequence):
            return
        url = self.urls[sequence]
        assert self.frontier.fail(sequence, "503", self.now, self.wall)
        self.release(url)
        tries = url.row.tries + 1
        next_try = self.wall + WAITS[tries - 1] if tries <= len(WAITS) else None
        url.state, url.next_try = "failed", float("inf") if next_try is None else next_try
        self.known -= url.claims
        url.claims = set()
        url.row = url.row._replace(
            state=FAILED,
            tries=tries,
            first_failed=url.row.first_failed or self.wall,
            next_try=next_try,
            reason="503",
        )

    @rule(target=parked, sequence=consumes(flights))
    def park(self, sequence: int) -> object:
        if not self.is_in_flight(sequence):
            return multiple()
        url = self.urls[sequence]
        self.frontier.park(sequence, "deny", self.now)
        self.release(url, asked=False)
        url.state, url.row = "parked", url.row._replace(state=PARKED, reason="deny")
        return sequence

    @rule(sequence=consumes(parked))
    def unpark(self, sequence: int) -> None:
        url = self.urls[sequence]
        self.frontier.unpark(url.row)
        url.state, url.row = "waiting", url.row._replace(state=WAITING, reason="")

    @rule(data=st.data(), level=st.integers(1, 3))
    def change_level(self, data: st.DataObject, level: int) -> None:
        self.let_retries_wait()
        if not self.urls:
            return
        sequence = data.draw(st.sampled_from(sorted(self.urls)))
        url = self.urls[sequence]
        self.frontier.next_wakeup(self.now, self.wall)  # lets due retries wait, as the model did
        assert self.frontier.set_level(url.row, level) == (url.state == "waiting")
        if url.state == "waiting":
            url.row = url.row._replace(waiting=url.row.waiting._replace(level=level))

    @rule(sequence=flights, number=st.integers(1, 40))
    def redirect_to(self, sequence: int, number: int) -> None:
        if self.is_in_flight(sequence):
            url = self.urls[sequence]
            number = number_at(url.row.waiting.site, number)
            free = number not in self.known or number in url.claims
            assert self.frontier.claim(sequence, number) == free
            if free:
                url.claims.add(number)
                self.known.add(number)

    @rule(site=st.sampled_from(SITES), seconds=st.floats(0.5, 20))
    def retry_after(self, site: str, seconds: float) -> None:
        self.frontier.block(site, self.now + seconds)
        self.sites[site].ready_at = max(self.sites[site].ready_at, self.now + seconds)

    @rule(site=st.sampled_from(SITES), delay=st.sampled_from([0.0, 2.0, 8.0]))
    def crawl_delay(self, site: str, delay: float) -> None:
        politeness = self.sites[site].politeness._replace(delay=delay)
        self.frontier.set_politeness(site, politeness)
        self.sites[site].politeness = politeness

    @rule(seconds=st.sampled_from([0.1, 1.0, 1.5, 10.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.wall += seconds

    @rule()
    def sleeping_until_the_wakeup_is_enough(self) -> None:
        wait = self.frontier.next_wakeup(self.now, self.wall)
        if wait == float("inf"):
            states = {url.state for url in self.urls.values() if url.next_try < float("inf")}
            busy = {n for n, s in self.sites.items() if s.active >= s.politeness.concurrency}
            for url in self.urls.values():
                if url.state == "waiting":
                    assert url.row.waiting.site in busy
            assert "failed" not in states
            return
        if wait > 0:
            assert self.expected_pick() is None
            self.now += wait + 1e-9
            self.wall += wait + 1e-9

    @rule()
    def commit(self) -> None:
        self.store.commit(self.frontier.drain())
        self.frontier.committed()

    @precondition(lambda self: not any(u.state == "in flight" for u in self.urls.values()))
    @rule()
    def stop_and_start_again(self) -> None:
        self.commit()
        for url in self.urls.values():  # claims live in memory until their row ends
            self.known -= url.claims
            url.claims = set()
        assert set(self.store.rows) == set(self.urls)
        assert self.store.seen == self.known
        next_sequence = self.frontier.next_sequence()
        self.frontier = self.fresh_frontier()
        self.frontier.load(self.store.loaded(next_sequence), self.wall)
        self.order = LevelOrder(self.level_rules, Factor(strict=self.level_rules.strict))
        self.turns = Turns(SHARE)
        for site in self.sites.values():
            site.active, site.ready_at = 0, 0.0
        for url in self.urls.values():
            if url.state == "failed" and url.row.next_try is None:
                url.state = "waiting"

    @rule(sites=st.sets(st.sampled_from(SITES), min_size=1))
    def let_go_and_take_again(self, sites: set[str]) -> None:
        of_sites = [url for url in self.urls.values() if url.row.waiting.site in sites]
        if any(url.state == "in flight" for url in of_sites):
            return
        self.commit()
        partitions = Partitions(map(partition_of, sites))
        self.frontier.release(partitions)
        kept = [url.state for url in self.urls.values() if url not in of_sites]
        counts = self.frontier.counts()
        assert (counts.waiting, counts.failed) == (kept.count("waiting"), kept.count("failed"))
        assert not any(
            number in self.frontier.seen for site in sites for number in numbers_at(site)
        )
        for url in of_sites:
            self.known -= url.claims
            url.claims = set()
        loaded = self.store.loaded(self.frontier.next_sequence(), partitions)
        self.frontier.load(loaded, self.wall, partitions=partitions, anew=False)

    def is_in_flight(self, sequence: int) -> bool:
        return sequence in self.urls and self.urls[sequence].state == "in flight"

    @invariant()
    def counts_agree(self) -> None:
        if not hasattr(self, "frontier"):
            return
        self.let_retries_wait()
        self.frontier.next_wakeup(self.now, self.wall)
        counts = self.frontier.counts()
        states = [url.state for url in self.urls.values()]
        assert counts.waiting == states.count("waiting")
        assert counts.in_flight == states.count("in flight")
        assert counts.failed == states.count("failed")
        assert counts.parked == states.count("parked")
        assert counts.known == len(self.known)


FrontierMachine.TestCase.settings = settings(max_examples=20, stateful_step_count=60)
TestFrontierAgainstTheReference = FrontierMachine.TestCase


@pytest.mark.timed
class TestFrontierAgainstTheReferenceForLong(FrontierMachine.TestCase):  # type: ignore[misc, valid-type]
    """The same, more than twice as long."""

    settings = settings(max_examples=50, stateful_step_count=60)
