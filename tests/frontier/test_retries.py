"""Failed URLs come back by their times; those without one stay for the next run."""

import asyncio
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.lines import Politeness, Site
from focuscrawl.frontier.queue import order_of
from focuscrawl.frontier.retries import Failures, WaitingPlace, is_to_come, retry
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import Waiting
from tests.frontiers import frontier_over
from tests.tables import each_row

DAY, NOW = 86_400.0, 1.79e9
SITE = Site("a.example", 0, Politeness(), 5)


def place(sequence: int, priority: int = 0) -> WaitingPlace:
    return SITE, 0, order_of(sequence, priority), 0


@pytest.mark.clock_ahead
@pytest.mark.parametrize(
    ("passed", "waits_for"), [(-DAY, 0.0), (0.0, 60.0), (30.0, 30.0), (61.0, 0.0)]
)
def test_a_failed_url_waits_on_in_the_next_run_unless_its_time_was_of_a_clock_that_ran_ahead(
    tmp_path: Path, passed: float, waits_for: float
) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    frontier = frontier_over(store)
    frontier.add(Waiting("http://a.cn/", b"k" * 16, "a.cn", 3, 3), 1)
    row = frontier.take(NOW, NOW)
    assert row is not None
    assert frontier.fail(row.sequence, "http 503", NOW, NOW)
    store.commit(frontier.drain())
    again = frontier_over(store)
    now = NOW + passed
    again.load(asyncio.run(store.load(range(PARTITIONS))), now)
    assert again.next_wakeup(now, now) == waits_for
    assert (again.take(now, now) is not None) is (waits_for == 0)
    store.release()


WAITS = (60.0, 600.0, 3600.0)


@each_row(
    ("tries", "days", "give_up"),
    [(6, 2.0, True), (5, 9.0, False), (6, 1.99, False), (7, 1.0, False), (20, 30.0, True)],
)
def test_a_url_is_given_up_after_six_tries_over_two_days(
    tries: int, days: float, *, give_up: bool
) -> None:
    assert retry(tries, 0.0, days * DAY, WAITS).give_up is give_up


@given(st.integers(1, 9), st.floats(0, DAY))
def test_waits_grow_as_given_and_then_a_url_waits_for_the_next_run(tries: int, now: float) -> None:
    expected = now + WAITS[tries - 1] if tries <= len(WAITS) else None
    assert retry(tries, 0.0, now, WAITS).at == expected


@pytest.mark.parametrize(
    ("ahead", "expected"), [(-1.0, False), (300.0, False), (301.0, True), (inf, True)]
)
def test_a_clock_that_is_set_back_by_five_minutes_says_nothing(
    ahead: float, *, expected: bool
) -> None:
    assert is_to_come(1e9 + ahead, 1e9) is expected


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


def test_a_url_that_is_added_again_waits_under_the_number_that_is_returned(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    frontier = frontier_over(store)
    waiting = Waiting("http://a.cn/", b"k" * 16, "a.cn", 3, 3)
    frontier.add(waiting, 1)
    assert not frontier.add(waiting, 1)
    again = frontier.add_again(waiting)
    store.commit(frontier.drain())
    row = store.read(again, 0)
    assert row is not None
    assert (row.sequence, row.waiting.key) == (again, waiting.key)
    store.release()
