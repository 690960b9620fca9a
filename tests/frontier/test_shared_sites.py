"""Two frontiers of one process: what each picks where both have URLs of a site."""

from __future__ import annotations

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.frontier.site_clock import SiteClock
from focuscrawl.urls.sites import KEY_BITS, partition_of
from focuscrawl.values import Waiting

BOTH, OWN = "both.example", "own.example"


class Engine:
    """A frontier, and whether somebody has woken its engine."""

    def __init__(self, clock: SiteClock, delay: float) -> None:
        self.woken = 0
        self._added = 0
        self.frontier = Frontier(
            LevelOrder(LevelRules(), Factor()),
            politeness=lambda site: Politeness(delay),
            partition_of=partition_of,
            stored=lambda sequence, level: None,
            random=lambda: 0.0,
        )
        self.frontier.ask_by(clock, self._wake)

    def _wake(self) -> None:
        self.woken += 1

    def add(self, site: str) -> None:
        self._added += 1
        number = partition_of(site) << KEY_BITS | self._added
        key = number.to_bytes(16, "big")
        url = f"http://{site}/{self._added}"
        assert self.frontier.add(
            Waiting(key=key, url=url, site=site, level=3, passed_level=0), number
        )

    def take(self, now: float) -> int | None:
        self.frontier.gate = lambda site: self.frontier.seconds_to_turn(site, now)
        row = self.frontier.take(now, now)
        return row.sequence if row else None


@pytest.fixture
def clock() -> SiteClock:
    return SiteClock()


@pytest.fixture
def engines(clock: SiteClock) -> tuple[Engine, Engine]:
    one, other = Engine(clock, 1.0), Engine(clock, 3.0)
    for engine in (one, other):
        for _ in range(3):
            engine.add(BOTH)
    return one, other


def fetch(clock: SiteClock, site: str, began: float, ended: float) -> None:
    assert clock.begin(site, began) == 0
    clock.end(site, ended)


def test_who_comes_second_takes_another_site_and_is_woken_when_the_first_has_its_answer(
    clock: SiteClock, engines: tuple[Engine, Engine]
) -> None:
    one, other = engines
    other.add(OWN)
    first = one.take(0.0)
    assert first is not None
    own = other.take(0.0)
    assert own is not None
    row = other.frontier.in_flight(own)
    assert row is not None
    assert row.waiting.site == OWN
    fetch(clock, BOTH, 0.0, 0.4)
    one.frontier.free(first, 0.4)
    assert other.woken == 1
    assert other.take(0.4) is None, "the pause is not over"
    assert other.frontier.next_wakeup(0.4, 0.4) == pytest.approx(3.0)
    assert other.take(3.5) is not None


def test_the_longer_pause_holds_for_the_brisk_one_as_well(
    clock: SiteClock, engines: tuple[Engine, Engine]
) -> None:
    one, other = engines
    taken = one.take(0.0)
    assert taken is not None
    fetch(clock, BOTH, 0.0, 0.0)
    one.frontier.acknowledge(taken, 0.0)
    other.frontier.ask_no_more(0.0)
    assert one.take(2.9) is None, "it was asked under the pause of both"
    assert one.take(3.1) is not None
    assert one.frontier.crawls == 1


def test_one_that_ends_leaves_the_site_to_the_other(
    clock: SiteClock, engines: tuple[Engine, Engine]
) -> None:
    one, other = engines
    assert one.take(0.0) is not None
    assert other.take(0.0) is None
    one.frontier.ask_no_more(0.1)
    assert other.woken == 1
    assert other.take(0.1) is not None


def test_a_site_that_asks_one_to_leave_it_alone_is_left_by_the_other(
    clock: SiteClock, engines: tuple[Engine, Engine]
) -> None:
    one, other = engines
    one.frontier.block(BOTH, 60.0, for_all=True)
    assert other.take(1.0) is None
    assert other.frontier.is_left_alone(BOTH, 1.0)
    assert other.frontier.next_wakeup(1.0, 1.0) == pytest.approx(59.0)


def test_a_pause_that_was_lengthened_meanwhile_is_not_cut_short(
    clock: SiteClock, engines: tuple[Engine, Engine]
) -> None:
    one, other = engines
    taken = one.take(0.0)
    assert taken is not None
    assert other.take(0.0) is None
    other.frontier.block(BOTH, 20.0)
    one.frontier.free(taken, 0.1)
    assert other.take(10.0) is None
