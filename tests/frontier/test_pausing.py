"""Sites that pause: who they are, that a timer that was moved says nothing, and how many are asked at once."""

from __future__ import annotations

import pytest

from focuscrawl.frontier.lines import Lines, Politeness, Site

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
