"""Whether a board lists its threads by their last reply."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.running.quiet_boards import is_by_last_reply
from focuscrawl.values import BoardThread

DATES = st.lists(st.integers(0, 40), min_size=3, max_size=30)


def threads(*dates: float | None) -> list[BoardThread]:
    return [
        BoardThread(f"http://b.cn/{n}", "帖", 1, last_reply=date) for n, date in enumerate(dates)
    ]


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ((9, 8, 7, 7, 3), True),
        ((2, 9, 8, 7, 7, 3), True),  # one is pinned
        ((9, 8, None, 7, 3), True),
        ((9, 8, 7, 8, 3), False),
        ((1, 2, 3, 4), False),
        ((5, 5, 5, 5), False),  # it says nothing
        ((9, None, None, 3), False),
        ((9,), False),
        ((), False),
    ],
)
def test_a_board_by_last_reply_shows_falling_dates(
    dates: tuple[float | None, ...], expected: bool
) -> None:
    assert is_by_last_reply(threads(*dates)) is expected


@given(DATES)
def test_threads_in_order_are_and_in_the_opposite_order_are_not(dates: list[int]) -> None:
    ordered = sorted(map(float, dates), reverse=True)
    assert is_by_last_reply(threads(*ordered)) is (ordered[0] > ordered[-1])
    if all(one > after for one, after in pairwise(ordered)):
        assert not is_by_last_reply(threads(*reversed(ordered)))
