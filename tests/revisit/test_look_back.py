"""How many old pages may be visited: a share of the budget, saved up over runs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.look_back import KEPT, MOST_A_DAY, LookBack
from focuscrawl.revisit.settings import DAY, HOUR

START = 1.8e9


def test_a_tenth_a_day_sees_every_page_within_ten_days_whatever_the_hours_between_runs() -> None:
    for hours in (1, 5, 24):
        back, spent = LookBack(0.1, None, None, START), 0
        for run in range(10 * 24 // hours + 1):
            allowed = back.allowed(1_000, START + run * hours * HOUR)
            back.spend(allowed)
            spent += allowed
            back = LookBack(0.1, None, back.to_json(), START + run * hours * HOUR)
        assert 990 <= spent <= 1_000


def test_a_first_run_and_a_clock_set_back_allow_none_and_a_pause_no_more_than_two_days() -> None:
    back = LookBack(0.1, None, None, START)
    assert back.allowed(1_000, START) == 0
    assert back.allowed(1_000, START - 9 * DAY) == 0
    assert back.allowed(1_000, START + 90 * DAY) == 200


def test_a_budget_of_the_template_gives_its_share_and_a_huge_archive_is_no_budget() -> None:
    assert (
        LookBack(0.1, 100 / HOUR, {"at": START, "left": 0.0}, START).allowed(9, START + DAY) == 240
    )
    huge = LookBack(0.1, None, {"at": START, "left": 0.0}, START)
    assert huge.allowed(10**6, START + DAY) == MOST_A_DAY / 10


@given(
    st.floats(0, 1),
    st.lists(st.tuples(st.integers(0, 10**7), st.floats(-1e9, 1e9)), max_size=20),
)
def test_no_more_is_ever_allowed_than_the_days_that_may_be_saved_up(
    share: float, looks: list[tuple[int, float]]
) -> None:
    back = LookBack(share, None, None, START)
    for old, after in looks:
        allowed = back.allowed(old, START + after)
        assert 0 <= allowed <= share * min(old, MOST_A_DAY) * KEPT
        back.spend(allowed)
