"""Which lists have news of their own, and which say what the leading lists of their site say."""

from __future__ import annotations

import pytest

from focuscrawl.features.revisit.quiet_lists import says_the_same, shows_own
from focuscrawl.features.revisit.table import DAY
from focuscrawl.readers.links.admission import Admission
from focuscrawl.values import PageClass, PageState

pytestmark = pytest.mark.silent_lists

NOON = 1_795_147_200.0


def state(newest: float | None = None, *, visits: int = 1, read: float = NOON) -> PageState:
    """Return the state of a list that was found at noon; ``newest`` and ``read`` in seconds."""
    made = PageState(
        b"\xff" * 16, "http://a.test/x/", "a.test", PageClass.BOARD, 3, NOON, read, read, visits
    )
    return made if newest is None else made._replace(facts={"newest": newest})


def reading(added: int = 0, duplicates: int = 0) -> Admission:
    return Admission(added, 0, duplicates, {})


def test_a_first_reading_of_more_new_than_known_links_shows_own_news() -> None:
    assert shows_own(reading(3, 2), None, None, NOON)
    assert shows_own(reading(3, 3), None, None, NOON) is None
    assert shows_own(reading(2, 0), None, None, NOON) is None


def test_a_list_without_dates_that_shows_nothing_new_for_three_days_has_no_own_news() -> None:
    assert shows_own(reading(0, 10), None, state(), NOON + 3 * DAY) is None
    assert shows_own(reading(0, 10), None, state(), NOON + 3 * DAY + 1) is False


def test_one_that_has_shown_something_new_has_own_news_for_thirty_days_more() -> None:
    shown = state(NOON + DAY, visits=3)
    assert shows_own(reading(0, 10), None, shown, NOON + 31 * DAY) is None
    assert shows_own(reading(0, 10), None, shown, NOON + 31 * DAY + 1) is False


def test_where_leading_lists_show_no_dates_one_with_dates_says_the_same_once_it_was_read_again() -> (
    None
):
    old = NOON - 5 * DAY
    assert not says_the_same(state(old), None, NOON + DAY)
    assert says_the_same(state(old, visits=2), None, NOON + DAY)
    assert says_the_same(state(old), old, NOON + DAY)
    assert not says_the_same(state(old, visits=2), old - DAY, NOON + DAY), "it was first with it"
    assert not says_the_same(state(NOON - 3_600, visits=2), None, NOON + DAY), "it is of now"
