"""Lists that were silent for long may be left out by some runs, for a thirtieth of their silence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.settings import DAY
from focuscrawl.revisit.silence import LONGEST, SHARE, newest_shown, rests, with_newest
from focuscrawl.values import BoardThread, LinkBatch, PageClass, PageState, Told

NOON = 1_795_147_200.0
DAYS = st.floats(0, 4000)


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
        assert later * DAY < min(LONGEST, SHARE * silent * DAY) + 1


@given(DAYS, DAYS)
def test_a_clock_that_ran_ahead_keeps_no_list_back(silent: float, ahead: float) -> None:
    assert not rests(state(silent), NOON - ahead * DAY - 1)
    assert not rests(state(-ahead - 1), NOON + 1)


def test_the_newest_thing_of_a_list_is_the_latest_date_that_is_not_to_come() -> None:
    told = tuple(Told(f"http://a.test/{days}", NOON - days * DAY) for days in (40, 3, -2, 9))
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
