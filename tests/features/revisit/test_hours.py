"""Pages that change at fixed hours of the day are visited behind them."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.hours import (
    DAY,
    FEWEST_MET,
    SLOT,
    DayHours,
    hours_of,
    kept_date,
    learn,
)
from focuscrawl.features.revisit.table import RevisitRules
from focuscrawl.features.revisit.visits import Visits
from focuscrawl.values import PageClass, PageState
from tests.tables import each_row

pytestmark = pytest.mark.B1

HOUR = 3600
BEGAN = 1_790_035_200.0 // DAY * DAY


def watched(changes: list[float], days: int, price: float) -> tuple[list[float], PageState]:
    """Visit a page as its dates want; returns when it was visited, and its state."""
    visits = Visits(RevisitRules(), price=price)
    state = visits.first_seen(b"k" * 16, "http://a.test/x", "a.test", PageClass.BOARD, BEGAN)
    at = [BEGAN]
    while (now := state.next_visit) is not None and now < BEGAN + days * DAY:
        has_changed = any(state.last_fetched < one <= now for one in changes)
        state = visits.visited(state, state.visits, now, has_changed)
        at.append(now)
    return at, state


def delays(changes: list[float], visits: list[float]) -> list[float]:
    """Return how long each change waits for a visit."""
    return [min(at for at in visits if at >= one) - one for one in changes if one <= visits[-1]]


def of_hours(rng: random.Random, *hours: int, days: int = 50, since: int = 0) -> list[float]:
    """Return changes in the first minutes of some hours of each day."""
    days_of = range(since, since + days)
    return [
        BEGAN + day * DAY + hour * HOUR + rng.uniform(0, 300) for day in days_of for hour in hours
    ]


def later(found: list[float], since: int) -> list[float]:
    return [one for one in found if one >= BEGAN + since * DAY]


@each_row("price", [300.0, 3_600.0, 14_400.0])
def test_a_page_of_fixed_hours_is_visited_within_the_hour_after_its_changes(price: float) -> None:
    changes = of_hours(random.Random(7), 9, 17)
    at, state = watched(changes, 50, price)
    assert hours_of(state.facts["hours"]).are_kept
    late = delays(later(changes, 30), at)
    assert max(late) <= HOUR
    assert len(later(at, 40)) <= sum(one < BEGAN + 10 * DAY for one in at)


def test_who_changes_its_hours_is_learnt_anew() -> None:
    rng = random.Random(7)
    changes = [*of_hours(rng, 9, 17, days=30), *of_hours(rng, 12, days=70, since=30)]
    at, state = watched(changes, 100, 3_600.0)
    assert hours_of(state.facts["hours"]).are_kept
    assert max(delays(later(changes, 80), at)) <= HOUR


@each_row("a_day", [1, 2, 4, 8])
def test_a_page_that_changes_at_any_time_keeps_no_hours(a_day: int) -> None:
    rng, changes, now = random.Random(a_day), [], BEGAN
    while now < BEGAN + 50 * DAY:
        now += rng.expovariate(a_day / DAY)
        changes.append(now)
    at, state = watched(changes, 50, 1_800.0)
    assert not hours_of(state.facts["hours"]).are_kept
    assert max(after - before for before, after in pairwise(at)) < 12 * HOUR


@each_row(
    ("name", "strict", "every"),
    [("fixed", False, None), ("tx", True, None), ("index", False, 5.0 * HOUR)],
)
def test_published_forms_fixed_intervals_and_those_of_a_source_stay_as_they_are(
    name: Any, strict: bool, every: float | None
) -> None:
    visits = Visits(RevisitRules(policy=name, strict=strict))
    state = visits.first_seen(
        b"k" * 16, "http://a.test/x", "a.test", PageClass.BOARD, BEGAN, every=every
    )
    for number in range(1, 30):
        state = visits.visited(state, state.visits, BEGAN + number * 5 * HOUR, number % 2 == 0)
    assert "hours" not in state.facts


@given(st.integers(0, (1 << 48) - 1), st.floats(0, 40 * DAY), st.floats(0, 3 * DAY))
def test_a_date_is_never_sooner_than_it_may_be(quiet: int, last: float, wait: float) -> None:
    hours = DayHours(quiet, 0, FEWEST_MET, 0)
    at = kept_date(hours, last, last + wait, last + 600)
    assert (at is None) == (not hours.are_kept)
    assert at is None or (last + 600 <= at <= last + wait + 2 * DAY and at % SLOT == 0)


@each_row("kept", [None, [], [1], {"a": 1}, "text"])
def test_a_fact_of_another_form_says_nothing(kept: object) -> None:
    assert hours_of(kept) == DayHours()


def test_a_clock_that_jumps_back_and_a_page_seen_rarely_say_nothing_wrong() -> None:
    hours = learn(DayHours(), BEGAN, BEGAN, BEGAN - 5 * DAY, changed=False)
    assert hours.quiet == 0
    assert learn(hours, BEGAN, BEGAN, BEGAN + 20 * HOUR, changed=True) == hours
