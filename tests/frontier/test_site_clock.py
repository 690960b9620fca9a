"""Crawls of one process that ask the same sites: one politeness, in turn, and nobody is left out."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.lines import Politeness
from focuscrawl.frontier.site_clock import GRACE, LONGEST_DELAY, SiteClock

SITE = "shared.example"
STEP = 0.01


@dataclass(eq=False)
class Crawl:
    """A crawl as the clock sees it: ``left`` URLs of the site, each answered after ``seconds``."""

    politeness: Politeness
    left: int = 1_000_000
    seconds: float = 0.05
    asks_at: float = 0.0
    busy_until: float = inf
    took_at: list[float] = field(default_factory=list)
    is_sending: bool = False
    has_taken: bool = False

    def wish(self, site: str) -> Politeness | None:
        return self.politeness if self.left or self.has_taken else None

    def may_come(self, site: str) -> None:
        self.asks_at = 0.0


@dataclass
class World:
    """Crawls that ask a site as their engines would: they look when they were told to, or are woken."""

    crawls: list[Crawl]
    clock: SiteClock = field(default_factory=lambda: SiteClock(random.Random(1).random))
    now: float = 0.0
    sent: list[tuple[float, float, Politeness]] = field(default_factory=list)
    """When each request began, when it ended, and how strictly the site was treated when it began."""

    def __post_init__(self) -> None:
        for crawl in self.crawls:
            self.clock.join(crawl)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            for crawl in self.crawls:
                self._turn(crawl)
            self.now += STEP

    def _turn(self, crawl: Crawl) -> None:
        if crawl.is_sending:
            if self.now >= crawl.busy_until:
                self.clock.end(SITE, self.now)
                crawl.is_sending, crawl.has_taken = False, False
                self.clock.give_back(crawl, SITE, self.now)
                crawl.asks_at = self.now + crawl.politeness.pause(0.0)
            return
        if crawl.has_taken:
            if self.clock.begin(SITE, self.now) == 0:
                crawl.is_sending, crawl.busy_until = True, self.now + crawl.seconds
                treated = self.clock.politeness(SITE)
                self.sent.append((self.now, crawl.busy_until, treated))
                crawl.took_at.append(self.now)
            return
        if crawl.left and self.now >= crawl.asks_at:
            wait = self.clock.wait(crawl, SITE, self.now)
            if wait > 0:
                crawl.asks_at = self.now + wait
                return
            self.clock.take(crawl, SITE)
            crawl.left -= 1
            crawl.has_taken = True


def politenesses() -> st.SearchStrategy[Politeness]:
    delays = st.sampled_from([0.0, 0.1, 0.5, 2.0])
    return st.builds(
        Politeness, delays, st.sampled_from([0.0, 0.5]), st.sampled_from([1, 1, 1, 2, 4])
    )


@given(st.lists(politenesses(), min_size=2, max_size=5), st.data())
def test_the_strictest_of_those_who_ask_holds_for_all(
    wanted: list[Politeness], data: st.DataObject
) -> None:
    crawls = [
        Crawl(one, data.draw(st.integers(1, 20)), data.draw(st.sampled_from([0.01, 0.2, 0.7])))
        for one in wanted
    ]
    world = World(crawls)
    world.run(20.0)
    for (began, ended, treated), (later, _, _) in zip(world.sent, world.sent[1:], strict=False):
        least = ended if treated.concurrency == 1 else began
        assert later - least >= treated.delay - STEP - 1e-9
    for at, _, treated in world.sent:
        under_way = sum(began <= at < ended - 1e-9 for began, ended, _ in world.sent)
        assert under_way <= treated.concurrency


@given(st.lists(st.sampled_from([0.1, 0.3]), min_size=2, max_size=5))
def test_crawls_take_turns_and_nobody_is_left_out(delays: list[float]) -> None:
    world = World([Crawl(Politeness(delay)) for delay in delays])
    world.run(30.0)
    turns = [len(crawl.took_at) for crawl in world.crawls]
    assert max(turns) - min(turns) <= 2, turns


@pytest.mark.parametrize("delay", [0.0, 0.2])
def test_a_site_is_never_idle_while_somebody_has_something_to_ask(delay: float) -> None:
    crawls = [Crawl(Politeness(delay), left=10), Crawl(Politeness(delay), left=200)]
    world = World(crawls)
    world.run(20.0)
    between = [
        later[0] - sooner[1] for sooner, later in zip(world.sent, world.sent[1:], strict=False)
    ]
    assert max(between) <= delay + 0.1
    assert len(crawls[0].took_at) == 10


def test_one_that_never_comes_when_it_is_first_in_line_holds_up_nobody() -> None:
    gone, here, first = (Crawl(Politeness(0.1)) for _ in range(3))
    clock = World([gone, here, first]).clock
    clock.take(first, SITE)
    assert clock.begin(SITE, 0.0) == 0
    assert clock.wait(gone, SITE, 0.0) > 0
    assert clock.wait(here, SITE, 0.0) > 0
    clock.end(SITE, 1.0)
    clock.give_back(first, SITE, 1.0)
    assert 0 < clock.wait(here, SITE, 1.2) <= 0.2  # the other is first, and has its time
    assert clock.wait(here, SITE, 1.2 + GRACE) == 0


def test_a_crawl_that_ends_gives_back_what_it_had_and_leaves_its_pause_behind() -> None:
    ended, waits = Crawl(Politeness(2.0)), Crawl(Politeness(0.5))
    clock = World([ended, waits]).clock
    clock.take(ended, SITE)
    clock.begin(SITE, 10.0)
    assert clock.wait(waits, SITE, 10.0) > 0
    clock.end(SITE, 11.0)
    waits.asks_at = 99.0
    clock.leave(ended, 11.5)
    assert waits.asks_at == 0.0, "it was not woken"
    assert clock.wait(waits, SITE, 11.5) == pytest.approx(1.5)
    assert clock.politeness(SITE).delay == 0.5


def test_what_no_frontier_asks_keeps_the_pause_too() -> None:
    one, other = Crawl(Politeness(1.0)), Crawl(Politeness(0.2))
    clock = World([one, other]).clock
    assert clock.begin(SITE, 5.0) == 0  # a robots.txt
    assert clock.begin(SITE, 5.1) == inf
    clock.end(SITE, 5.2)
    assert clock.begin(SITE, 5.3) == pytest.approx(0.9)
    assert clock.begin(SITE, 6.2) == 0


def test_whoever_begins_to_ask_later_is_as_strict_to_what_was_asked_before() -> None:
    quick, slow = Crawl(Politeness(0.0)), Crawl(Politeness(3.0), left=0)
    clock = World([quick, slow]).clock
    clock.begin(SITE, 1.0)
    clock.end(SITE, 1.0)
    slow.left = 1
    assert clock.wait(slow, SITE, 1.5) == pytest.approx(2.5)
    assert clock.wait(quick, SITE, 1.5) >= 2.5


def test_a_site_that_wants_to_be_left_alone_is_left_by_all() -> None:
    one, other = Crawl(Politeness(0.1)), Crawl(Politeness(0.1))
    clock = World([one, other]).clock
    clock.block(SITE, 60.0)
    assert clock.wait(other, SITE, 1.0) == pytest.approx(59.0)
    assert clock.is_left_alone(SITE, 59.0)
    assert not clock.is_left_alone(SITE, 61.0)
    assert clock.wait(other, "else.example", 1.0) == 0


def test_one_crawl_alone_asks_as_fast_as_its_own_frontier_lets_it() -> None:
    alone = Crawl(Politeness(0.0, concurrency=4))
    clock = World([alone]).clock
    for _ in range(3):
        assert clock.wait(alone, SITE, 1.0) == 0
        clock.take(alone, SITE)
        assert clock.begin(SITE, 1.0) == 0
    assert clock.begin("files.example", 1.0) == clock.begin("files.example", 1.0) == 0


def test_sites_that_nobody_asks_any_more_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("focuscrawl.frontier.site_clock.FORGET_FROM", 10)
    crawl = Crawl(Politeness(1.0))
    clock = World([crawl]).clock
    clock._forget_from = 10
    seen: Counter[int] = Counter()
    for number in range(100):
        at = number * LONGEST_DELAY
        clock.begin(f"{number}.example", at)
        clock.end(f"{number}.example", at)
        seen[len(clock._turns)] += 1
    assert max(seen) <= 20
