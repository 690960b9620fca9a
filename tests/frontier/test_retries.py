"""Failed URLs come back by their times; those without one stay for the next run."""

from focuscrawl.frontier.lines import Politeness, Site
from focuscrawl.frontier.queue import order_of
from focuscrawl.frontier.retries import Failures, WaitingPlace

SITE = Site("a.example", 0, Politeness(), 5)


def place(sequence: int, priority: int = 0) -> WaitingPlace:
    return SITE, 0, order_of(sequence, priority), 0


def test_the_first_that_is_due_is_taken_out_first() -> None:
    failed = Failures()
    failed.add(place(1), 30.0)
    failed.add(place(2, priority=5), 10.0)
    failed.add(place(3), 20.0)
    assert failed.retries[0][0] == 10.0
    assert [failed.pop() for _ in range(3)] == [place(2, priority=5), place(3), place(1)]
    assert not failed.retries
    assert not len(failed)


def test_one_without_a_time_has_failed_but_is_not_tried_again() -> None:
    failed = Failures()
    failed.add(place(7), None)
    assert 7 in failed
    assert 8 not in failed
    assert len(failed) == 1
    assert not failed.retries
