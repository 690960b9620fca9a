"""Sites that pause: who they are, that a timer that was moved says nothing, and how many are asked at once."""

from __future__ import annotations

from typing import Any

import pytest

from focuscrawl.frontier.lines import Lines, Politeness, Site
from focuscrawl.frontier.queue import order_of
from focuscrawl.values import Lane

pytestmark = pytest.mark.A7


def lines(delay: float = 0.0, concurrency: int = 1) -> Lines:
    politeness = Politeness(delay, concurrency=concurrency)
    return Lines(3, politeness=lambda name: politeness, random=lambda: 0.0)


def waits(lines: Lines, name: str, number: int) -> Site:
    """Let one URL of a site wait."""
    site = lines.site(name)
    lines.push(site, 0, number)
    return site


def names(lines: Lines) -> set[str]:
    return {site.name for site in lines.pausing()}


def test_a_site_that_is_held_back_pauses_as_long_as_it_has_something_to_ask_for() -> None:
    some = lines()
    held, free = waits(some, "held", 1), waits(some, "free", 2)
    some.block(held, 30.0)
    some.schedule(free)
    some.block(some.site("nothing waits"), 30.0)
    some.advance(10.0)
    assert names(some) == {"held"}
    assert some.next_timer() == 30.0
    some.advance(30.0)
    assert names(some) == set()
    assert some.next_timer() is None


def test_a_site_that_is_held_back_longer_pauses_once_and_until_the_later_moment() -> None:
    some = lines()
    site = waits(some, "held", 1)
    some.block(site, 30.0)
    some.block(site, 60.0)
    some.block(site, 40.0)
    some.advance(30.0)
    assert [one.name for one in some.pausing()] == ["held"]
    assert some.next_timer() == 60.0
    some.advance(59.0)
    assert names(some) == {"held"}
    some.advance(60.0)
    assert names(some) == set()


@pytest.mark.parametrize("concurrency", [1, 2, 3])
def test_a_site_is_asked_as_many_times_at_once_as_it_may_be_and_again_when_one_has_ended(
    concurrency: int,
) -> None:
    some = lines(concurrency=concurrency)
    site = waits(some, "a", 1)
    for _ in range(3):
        for _ in range(concurrency):
            assert some.may_be_asked(site)
            some.occupy(site, 0)
        assert not some.may_be_asked(site)
        some.free(site, 0, 1.0, None)
        assert some.may_be_asked(site)
        some.occupy(site, 0)
        assert not some.may_be_asked(site)
        for _ in range(concurrency):
            some.free(site, 0, 1.0, None)
        assert (site.active, some.busy[0]) == (0, 0)


def test_a_site_that_paused_for_a_url_that_is_gone_pauses_for_the_next_one_again() -> None:
    some = lines()
    site = waits(some, "a", 1)
    some.block(site, 30.0)
    some.remove(site, 0, 1)
    some.advance(30.0)
    some.block(site, 60.0)
    some.push(site, 0, 2)
    some.advance(31.0)
    assert names(some) == {"a"}
    assert some.next_timer() == 60.0
    some.advance(60.0)
    assert some.head(0) is site


def test_a_url_that_comes_before_the_others_of_a_site_that_pauses_is_first_when_it_is_ready() -> (
    None
):
    some = lines()
    site, other = waits(some, "a", order_of(5, 0)), some.site("b")
    some.block(site, 30.0)
    some.push(site, 0, order_of(7, 2))
    some.push(other, 0, order_of(6, 1))
    some.advance(30.0)
    taken = []
    while (ready := some.head(0)) is not None:
        taken.append(some.pop(ready, 0))
        some.schedule(ready)
    assert taken == [7, 6, 5]


def test_a_site_whose_first_url_was_taken_out_of_its_line_is_ready_with_the_next_one() -> None:
    some = lines()
    site = waits(some, "a", 5)
    waits(some, "a", 7)
    assert some.remove(site, 0, 5)
    assert not some.remove(site, 0, 5)
    assert some.lengths[0] == site.waiting == 1
    assert some.head(0) is site
    assert some.pop(site, 0) == 7
    assert some.head(0) is None


def test_a_site_whose_first_url_was_taken_out_while_it_pauses_is_ready_after_its_pause() -> None:
    some = lines()
    site = waits(some, "a", 5)
    waits(some, "a", 7)
    some.block(site, 30.0)
    some.remove(site, 0, 5)
    assert some.head(0) is None
    some.advance(30.0)
    assert some.head(0) is site


def test_a_gate_holds_a_site_back_that_looks_ready_for_as_long_as_it_says() -> None:
    some = lines()
    held = {"a": 9.0}
    some.gate = lambda name: held.pop(name, 0.0)
    site, other = waits(some, "a", 1), waits(some, "b", 2)
    assert some.head(0) is other
    assert some.next_timer() == 9.0
    some.pop(other, 0)
    some.advance(8.0)
    assert some.head(0) is None
    some.advance(9.0)
    assert some.head(0) is site


class Woken:
    """An order that is told when its sites are ready."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, bool]] = []

    def add(self, *what: object) -> None:
        pass

    def wake(self, site: int, *, busy: bool) -> None:
        self.calls.append((site, busy))


@pytest.mark.E1
def test_an_order_hears_which_site_is_ready_and_whether_it_is_busy_meanwhile() -> None:
    some: Any = lines(concurrency=2)
    order: Any = Woken()
    some.exploration = order
    site, lane = some.site("a"), Lane(0, 0, 1)
    some.explore(site, 1, lane, order)
    assert order.calls == [(site.number, False)]
    some.explore(site, 2, lane, order)
    assert len(order.calls) == 1, "it is awake"
    site.exploring = 1
    some.occupy(site, 0)
    assert order.calls.pop() == (site.number, True)
    site.exploring = 0
    some.explore(site, 3, lane, order)
    assert order.calls.pop() == (site.number, True)
    some.free(site, 0, 1.0, None)
    assert order.calls.pop() == (site.number, False)
    some.occupy(site, 0)
    some.occupy(site, 0)
    order.calls.clear()
    site.exploring = 0
    some.explore(site, 4, lane, order)
    assert order.calls == [], "it may be asked nothing now"


def test_a_longer_delay_that_a_site_asks_for_counts_and_lets_one_request_go_at_a_time() -> None:
    wanted = Politeness(8.0, 0.5, 2)
    assert wanted.with_asked(8.0) == wanted == wanted.with_asked(0.0)
    assert wanted.with_asked(9.0) == Politeness(9.0, 0.5, 1)
    assert wanted.is_short_of(9.0)
    assert not wanted.is_short_of(8.0)
