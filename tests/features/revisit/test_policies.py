"""Values of visits and their inverses, by rules that hold for all pages."""

from dataclasses import replace
from decimal import Decimal, localcontext
from math import isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from focuscrawl.features.revisit.policies import (
    moved_price,
    stale_value,
    stale_wait,
    starting_price,
)
from focuscrawl.features.revisit.table import RevisitRules

pytestmark = pytest.mark.index_policy

changes = st.one_of(st.just(1.0), st.floats(1, 1 + 1e-9), st.floats(1, 400))
spans = st.floats(60, 1e9)
prices = st.floats(0.01, 1e8)
ages = st.floats(1, 1e9)


@given(prices, changes, spans)
def test_a_visit_at_the_age_worked_out_is_worth_the_price(price: float, a: float, b: float) -> None:
    age = stale_wait(price, a, b)
    assume(age < 1e18)
    assert isclose(stale_value(age, a, b), price, rel_tol=1e-9)


@given(ages, changes, spans)
def test_the_age_of_a_value_is_that_age(age: float, a: float, b: float) -> None:
    price = stale_value(age, a, b)
    assume(price > 1e-6)
    assert isclose(stale_wait(price, a, b), age, rel_tol=1e-9)


@given(ages, ages, changes, spans)
def test_an_older_copy_is_worth_no_less(one: float, other: float, a: float, b: float) -> None:
    young, old = sorted((one, other))
    assert 0 <= stale_value(young, a, b) <= stale_value(old, a, b) * (1 + 1e-12)


@given(st.floats(-7, 1), st.floats(1.01, 400), spans)
def test_a_copys_value_is_what_is_written_down_to_the_last_digits(
    power: float, a: float, b: float
) -> None:
    age = b * 10**power  # however young: small ages have a formula of their own
    with localcontext(prec=60):
        u, less = Decimal(age) / Decimal(b), 1 - Decimal(a)
        written = Decimal(b) * (u - ((1 + u) ** less - 1) / less)
    # The series of small ages is cut behind its fourth term, the others lose digits to a difference.
    assert isclose(stale_value(age, a, b), float(written), rel_tol=1e-9)


@given(ages, spans)
def test_the_formula_goes_through_a_page_that_never_changed(age: float, b: float) -> None:
    assert isclose(stale_value(age, 1 + 1e-9, b), stale_value(age, 1.0, b), rel_tol=1e-6)


def test_staleness_never_gives_up_a_page_that_changes_too_fast() -> None:
    assert stale_wait(3600.0, 50.0, 86400.0) < 7200


def test_the_starting_price_is_worth_the_first_interval() -> None:
    assert stale_wait(starting_price(1234.0), 1.0, 1234.0) == pytest.approx(1234.0)


@given(prices, st.floats(0, 1e12))
def test_a_period_moves_the_price_a_little_towards_the_worst_page_taken(
    price: float, worst: float
) -> None:
    moved = moved_price(price, worst, 0.02)
    assert price / 1.15 < moved < price * 1.15
    assert (moved - price) * (worst - price) >= 0


def test_the_price_is_a_running_mean_of_logarithms() -> None:
    assert moved_price(100.0, 400.0, 0.02) == pytest.approx(100 * 4**0.02)


def test_rules_say_which_values_they_take() -> None:
    rules = RevisitRules(candidates=1, gone_after=1, memory=1.0, reservation=0.001)
    assert rules.candidates == 1
    for wrong in (
        {"candidates": 0},
        {"gone_after": 0},
        {"reservation": 0.0},
        {"memory": 0.0},
        {"memory": 1.1},
        {"half_life": 0.0},
    ):
        with pytest.raises(ValueError, match="revisit: "):
            replace(rules, **wrong)
