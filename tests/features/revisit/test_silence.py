"""What has been silent for long: looks back at old pages, and lists that are left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.agenda import DAYS_KEPT, MOST_A_DAY, MOST_OF_OLD, LookBack
from focuscrawl.features.revisit.quiet_lists import (
    LONGEST_SILENCE,
    SHARE,
    newest_shown,
    rests,
    with_newest,
)
from focuscrawl.features.revisit.table import DAY, HOUR
from focuscrawl.values import BoardThread, DatedLink, LinkBatch, PageClass, PageState

pytestmark = [pytest.mark.looks_back, pytest.mark.silent_lists]

NOON = 1_795_147_200.0
DAYS = st.floats(0, 4000)

START = 1.8e9


def state(silent: float | None, *, visits: int = 2) -> PageState:
    """Return the state of a list that was read now and has been silent for so many days."""
    made = PageState(
        *(
            b"\xff" * 16,
            "http://a.test/tag/",
            "a.test",
            PageClass.BOARD,
            3,
            NOON,
            NOON,
            NOON,
            visits,
        )
    )
    return with_newest(made, None if silent is None else NOON - silent * DAY)


def test_a_list_that_was_silent_for_half_a_year_is_read_each_sixth_day() -> None:
    quiet = state(180)
    assert rests(quiet, NOON + 5.9 * DAY)
    assert not rests(quiet, NOON + 6 * DAY)


def test_a_list_without_dates_and_one_read_only_once_are_read_by_every_run() -> None:
    assert not rests(state(None), NOON + 1)
    assert not rests(state(180, visits=1), NOON + 1)


@given(DAYS, DAYS)
def test_nothing_comes_later_than_a_thirtieth_of_the_silence_before_it(
    silent: float, later: float
) -> None:
    if rests(state(silent), NOON + later * DAY):
        assert later * DAY < min(LONGEST_SILENCE, SHARE * silent * DAY) + 1


@given(DAYS, DAYS)
def test_a_clock_that_ran_ahead_keeps_no_list_back(silent: float, ahead: float) -> None:
    assert not rests(state(silent), NOON - ahead * DAY - 1)
    assert not rests(state(-ahead - 1), NOON + 1)


def test_the_newest_thing_of_a_list_is_the_latest_date_that_is_not_to_come() -> None:
    told = tuple(DatedLink(f"http://a.test/{days}", NOON - days * DAY) for days in (40, 3, -2, 9))
    batch = LinkBatch(PageClass.BOARD, told=told)
    assert newest_shown(batch, NOON, has_new=False) == NOON - 3 * DAY
    assert newest_shown(batch, NOON, has_new=True) == NOON
    assert newest_shown(LinkBatch(PageClass.BOARD), NOON, has_new=False) is None


def test_a_board_of_a_forum_is_never_silent() -> None:
    thread = BoardThread("http://a.test/thread-1.html", "一个帖子", 3)
    batch = LinkBatch(PageClass.BOARD, threads=(thread,))
    assert newest_shown(batch, NOON, has_new=False) == NOON


def test_what_a_list_has_shown_does_not_become_older() -> None:
    newer = with_newest(state(30), NOON - DAY)
    assert with_newest(newer, NOON - 90 * DAY) == newer
    assert with_newest(newer, None) == newer


def test_a_tenth_a_day_sees_every_page_within_ten_days_whatever_the_hours_between_runs() -> None:
    for hours in (1, 5, 24):
        back, spent = LookBack(0.1, None, None, START), 0
        for run in range(10 * 24 // hours + 1):
            allowed = back.allowed(1_000, START + run * hours * HOUR)
            back.spend(allowed)
            spent += allowed
            back = LookBack(0.1, None, back.to_json(), START + run * hours * HOUR)
        assert 990 <= spent <= 1_000


def test_a_first_run_and_a_clock_set_back_allow_none_and_a_pause_no_more_than_its_days() -> None:
    back = LookBack(0.1, None, None, START)
    assert back.allowed(1_000, START) == 0
    assert back.allowed(1_000, START - 9 * DAY) == 0
    for days, most in ((1, 100), (2, 200), (3, 300), (7, 300), (90, 300)):
        kept = {"at": START, "left": 0.0}
        assert LookBack(0.1, None, kept, START).allowed(1_000, START + days * DAY) == most
    assert LookBack(0.1, 1_000 / DAY, kept, START).allowed(1_000, START + 90 * DAY) == 200


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
        most = max(share * DAYS_KEPT, MOST_OF_OLD)
        assert 0 <= allowed <= most * min(old, MOST_A_DAY)
        back.spend(allowed)


def test_a_run_that_goes_on_after_a_kill_takes_as_much_as_the_one_that_was_killed() -> None:
    kept = {"at": START, "left": 3.0, "apart": 5.0}
    began = START + DAY
    killed = LookBack(0.1, None, kept, began, began)
    killed.allowed(100, began + 1)
    on = LookBack(0.1, None, killed.to_json(), began + 60, began)
    half_a_day = {2.0: [DAY / 2] * 40}
    assert on.young(half_a_day) == killed.young(half_a_day) == {2.0: 20}
    assert on.quiet(100, 0) == killed.quiet(100, 0)
    assert on.is_after_pause == killed.is_after_pause
    following = LookBack(0.1, None, on.to_json(), began + DAY, began + DAY)
    assert following.young(half_a_day) == {2.0: 20}
    assert following.young({5.0: [3.5 * DAY] * 40}) == {5.0: 8}
    few = {5.0: [3.5 * DAY] * 4, 2.0: [DAY / 2] * 2}
    assert following.young(few) == {2.0: 2, 5.0: 1}, "three of both, the fresh ones first"
    assert following.young({5.0: [3.5 * DAY] * 4}) == {5.0: 3}


def test_looks_may_give_way_after_a_pause_and_by_no_other_run() -> None:
    kept = {"at": START, "left": 0.0, "apart": 1.0}
    for days, fewest in ((1, 3), (1.9, 3), (2, 0), (5, 0)):
        back = LookBack(0.1, None, kept, START + days * DAY)
        assert back.quiet(100, asked=20) == fewest, days
        assert back.quiet(100, asked=2) == (7 if fewest else 6), (
            "the rest of a tenth, without a robots.txt"
        )
    weekly = LookBack(0.1, None, {**kept, "apart": 7.0}, START + 7 * DAY)
    assert weekly.quiet(100, asked=40) == 8, "who runs each week has no pauses"
