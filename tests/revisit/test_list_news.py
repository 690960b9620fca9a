"""Lists that only repeat what others show may rest; one that shows more is read by every run."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.revisit.list_news import LONGEST, PART, REMEMBERED, ListNews
from focuscrawl.revisit.settings import DAY

SITE, HOME, TAG, COLUMN = "a.test", b"\x00" * 16, b"\xff" * 16, b"\x80" * 16
NOON = 1_795_147_200.0


def show(news: ListNews, by: bytes, number: int, *, is_new: bool, now: float = NOON) -> None:
    url = f"http://a.test/{number}"
    if by == HOME:
        news.covers([url])
    if is_new:
        news.found(url, by, SITE, now, leads=by == HOME)


def rests(news: ListNews, key: bytes, days: float) -> bool:
    return news.rests(key, SITE, NOON, NOON + days * DAY)


def test_a_list_is_read_by_every_run_until_it_is_known_who_shows_what_is_new() -> None:
    assert not rests(ListNews(), TAG, 0.01)


def test_where_the_front_page_shows_all_that_is_new_other_lists_rest_for_some_days() -> None:
    news = ListNews()
    for number in range(3):
        show(news, HOME, number, is_new=True)
        show(news, TAG, number, is_new=False)
    assert rests(news, TAG, 1)
    assert rests(news, TAG, 8)
    assert not rests(news, TAG, 9.1)


def test_a_list_that_shows_what_no_leading_list_does_is_read_by_every_run() -> None:
    news = ListNews()
    for number in range(30):
        show(news, HOME, number, is_new=True)
    show(news, COLUMN, 100, is_new=True)
    assert not rests(news, COLUMN, 0.1)
    assert not rests(news, COLUMN, 3)
    assert rests(news, TAG, 1)
    assert news.rests(COLUMN, SITE, NOON + REMEMBERED, NOON + REMEMBERED + DAY)


@given(st.permutations(["home", "tag"]), st.integers(1, 20))
def test_it_does_not_matter_which_list_of_a_run_was_read_first(
    order: list[str], links: int
) -> None:
    news = ListNews()
    for place, name in enumerate(order):
        for number in range(links):
            show(news, HOME if name == "home" else TAG, number, is_new=not place)
    only_home = ListNews()
    for number in range(links):
        show(only_home, HOME, number, is_new=True)
    assert news.changed() == only_home.changed()


def test_where_columns_show_most_of_what_is_new_none_rests_for_long() -> None:
    news = ListNews()
    for number in range(20):
        show(news, HOME, number, is_new=True)
    for number in range(20, 80):
        show(news, COLUMN, number, is_new=True)
    assert not rests(news, TAG, 1)


def test_a_list_that_tells_of_replies_is_read_by_every_run() -> None:
    news = ListNews()
    for number in range(30):
        show(news, HOME, number, is_new=True)
    news.keep_reading(TAG, SITE, NOON)
    assert not rests(news, TAG, 1)


def test_a_clock_that_ran_ahead_keeps_no_list_back() -> None:
    news = ListNews()
    for number in range(30):
        show(news, HOME, number, is_new=True)
    assert not news.rests(TAG, SITE, NOON + 400 * DAY, NOON)


@given(
    st.lists(st.tuples(st.sampled_from([HOME, TAG, COLUMN]), st.integers(0, 30)), max_size=60),
    st.binary(min_size=16, max_size=16),
)
def test_what_was_learnt_outlasts_a_run_and_no_list_rests_longer_than_nine_days(
    shown: list[tuple[bytes, int]], key: bytes
) -> None:
    news, known = ListNews(), set[int]()
    for by, number in shown:
        show(news, by, number, is_new=number not in known)
        known.add(number)
    again = ListNews()
    again.load({site: {PART: record} for site, record in news.changed().items()})
    for days in (0.0, 0.5, 1.0, 3.0, 8.9):
        assert news.rests(key, SITE, NOON, NOON + days * DAY) == again.rests(
            key, SITE, NOON, NOON + days * DAY
        )
    assert not again.rests(key, SITE, NOON, NOON + LONGEST + 1)
