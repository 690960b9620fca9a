"""Which lists have news of their own, and which say what the leading lists of their site say."""

from __future__ import annotations

import pytest

from focuscrawl.features.revisit.quiet_lists import (
    LONGEST_SILENCE,
    OF_SITEMAPS,
    OWN_NEWS,
    QuietLists,
    is_index,
    rests_as_index,
    says_the_same,
    shows_own,
    with_newest,
)
from focuscrawl.features.revisit.table import DAY
from focuscrawl.readers.links.admission import Admission
from focuscrawl.values import SIGNALS, DatedLink, Link, LinkBatch, PageClass, PageState

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


def test_one_whose_newest_thing_stood_on_others_has_no_own_news_though_it_is_of_now() -> None:
    """An author's list that was longer than the front page when it was read first."""
    before = state(NOON - DAY)
    own = with_newest(before, NOON - DAY, has_own=shows_own(reading(20, 3), None, None, NOON))
    assert not says_the_same(own, NOON, NOON + DAY)
    assert shows_own(reading(0, 23), NOON, own, NOON + DAY, changed=True) is False
    same = with_newest(own, NOON, has_own=False)
    assert same.facts[OWN_NEWS] is False
    assert says_the_same(same, NOON, NOON + DAY)
    assert shows_own(reading(1, 23), NOON + DAY, same, NOON + 2 * DAY, changed=True) is True


def test_one_with_dates_that_loses_a_link_says_nothing_of_its_news() -> None:
    before = state(NOON - DAY)
    assert shows_own(reading(0, 9), NOON - DAY, before, NOON + DAY, changed=True) is None


def test_a_list_without_dates_that_is_silent_while_its_site_has_news_has_none_of_its_own() -> None:
    assert shows_own(reading(0, 9), None, state(), NOON + DAY) is None
    assert shows_own(reading(0, 9), None, state(), NOON + DAY, has_site_news=True) is False
    dated = state(NOON - DAY)
    assert shows_own(reading(0, 9), NOON - DAY, dated, NOON + DAY, has_site_news=True) is None


def test_a_site_has_news_when_a_leading_list_of_it_has_shown_some() -> None:
    lists = QuietLists()
    front = state()._replace(facts={"source": True})
    lists.read_now([front], NOON + DAY)
    lists.note_news(b"other", "a.test")
    assert not lists.has_news("a.test")
    lists.note_news(front.key, "a.test")
    assert lists.has_news("a.test")
    assert not lists.has_news("b.test")


def index(**facts: bool) -> PageState:
    read = state()._replace(page_class=PageClass.SITEMAP, source_id=f"{SIGNALS}a.test")
    return read._replace(facts={OF_SITEMAPS: True, **facts})


def test_an_index_of_sitemaps_rests_where_it_is_no_source() -> None:
    soon, late = NOON + DAY, NOON + 2 * LONGEST_SILENCE
    assert [QuietLists().read_now([index()], now) for now in (soon, late)] == [[], [index()]]
    assert not rests_as_index(index(source=True), soon)
    assert not rests_as_index(index(), NOON - DAY), "a clock that was set back"
    told = index()._replace(signalled=soon)
    assert QuietLists().read_now([told], soon) == [told]


def test_an_index_leads_to_sitemaps_alone() -> None:
    to_map = Link("http://a.test/posts.xml", "", PageClass.SITEMAP)
    assert is_index(LinkBatch(PageClass.SITEMAP, (to_map,)))
    assert not is_index(LinkBatch(PageClass.SITEMAP, (to_map, Link("http://a.test/1", ""))))
    assert not is_index(LinkBatch(PageClass.SITEMAP))
    page = DatedLink("http://a.test/1", NOON)
    assert not is_index(LinkBatch(PageClass.SITEMAP, (to_map,), told=(page,)))
    assert not is_index(LinkBatch(PageClass.BOARD, (to_map,)))


def test_where_leading_lists_show_no_dates_one_with_dates_says_the_same_once_it_was_read_again() -> (
    None
):
    old = NOON - 5 * DAY
    assert not says_the_same(state(old), None, NOON + DAY)
    assert says_the_same(state(old, visits=2), None, NOON + DAY)
    assert says_the_same(state(old), old, NOON + DAY)
    assert not says_the_same(state(old, visits=2), old - DAY, NOON + DAY), "it was first with it"
    assert not says_the_same(state(NOON - 3_600, visits=2), None, NOON + DAY), "it is of now"
