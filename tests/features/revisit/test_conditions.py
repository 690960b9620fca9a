"""Versions of pages as servers name them, and whom to believe a 304."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.conditions import (
    AUDIT_EVERY,
    LONGEST_HEADER,
    PROVEN_EVERY,
    Conditions,
    PageVersion,
)
from focuscrawl.values import PageClass, PageState
from tests.tables import each_row

pytestmark = pytest.mark.conditions

DATE = "Thu, 19 Nov 2026 08:00:00 GMT"
BOTH = PageVersion('"one"', DATE)


def state(visits: int = 1, version: PageVersion = BOTH, key: bytes = b"k" * 16) -> PageState:
    known = PageState(key, "http://a.test/", "a.test", PageClass.ARTICLE, 1, 0.0, 0.0, None, visits)
    return known._replace(etag=version.etag, modified=version.modified)


@each_row(
    "etag",
    ['"one"', 'W/"5f-1"', '"a,b *"', "5f3a-1c", "abc==", '"' + "e" * (LONGEST_HEADER - 2) + '"'],
)
def test_names_of_versions_are_kept_word_for_word(etag: str) -> None:
    version = PageVersion.read(etag.encode(), DATE.encode())
    assert version == (etag, DATE)
    assert Conditions().headers(state(version=version)) == {
        "If-None-Match": etag,
        "If-Modified-Since": DATE,
    }


@each_row(
    "etag",
    [
        "",
        "*",
        '""',
        'W/""',
        '"a", "b"',
        '"a", *',
        '"a',
        "a b",
        '"\x01"',
        '"' + "e" * LONGEST_HEADER + '"',
    ],
)
@each_row("modified", ["", "yesterday", "0", "Thu, 99 Foo 2026", "Thu" * 1000])
def test_garbage_is_no_version(etag: str, modified: str) -> None:
    version = PageVersion.read(etag.encode(), modified.encode())
    assert version == ("", "")
    assert Conditions().headers(state(version=version)) == {}


@given(st.binary(max_size=2 * LONGEST_HEADER), st.binary(max_size=2 * LONGEST_HEADER))
def test_whatever_a_server_names_fits_into_a_header(etag: bytes, modified: bytes) -> None:
    for text in PageVersion.read(etag, modified):
        assert len(text) <= LONGEST_HEADER
        assert text == text.strip()
        assert text.isascii()
        assert text.isprintable()


def test_a_304_names_what_it_changes_and_leaves_the_rest() -> None:
    assert BOTH.updated(PageVersion()) == BOTH
    assert BOTH.updated(PageVersion('"two"')) == ('"two"', DATE)


def test_versions_are_the_same_by_etag_however_weak_and_else_by_date() -> None:
    assert BOTH.is_same(PageVersion('W/"one"', "another"))
    assert not BOTH.is_same(PageVersion('"two"', DATE))
    assert BOTH.is_same(PageVersion("", DATE))
    assert not PageVersion().is_same(PageVersion())


@given(st.binary(min_size=16, max_size=16))
def test_one_visit_in_ten_comes_without_conditions_and_never_the_second(key: bytes) -> None:
    asked = [bool(Conditions().headers(state(visits, key=key))) for visits in range(1, 42)]
    assert asked[0]
    assert asked.count(False) == 40 // AUDIT_EVERY


def test_a_site_that_proved_right_is_tried_more_seldom() -> None:
    conditions = Conditions()
    for _ in range(20):
        conditions.came_whole(state(), BOTH, changed=False)
    asked = [bool(conditions.headers(state(visits))) for visits in range(2, 102)]
    assert asked.count(False) == 100 // PROVEN_EVERY


def test_a_site_whose_page_changed_under_its_name_is_asked_for_whole_pages() -> None:
    conditions = Conditions()
    conditions.came_whole(state(), PageVersion('"two"'), changed=True)
    assert conditions.headers(state()), "another name for another page is no lie"
    conditions.came_whole(state(), BOTH, changed=True)
    assert conditions.headers(state()) == {}
    assert conditions.headers(state()._replace(site="b.test"))


@pytest.mark.other_rules
def test_a_page_that_was_read_by_other_rules_comes_whole() -> None:
    conditions = Conditions()
    conditions.since = 100.0
    assert not conditions.headers(state()._replace(last_fetched=99.0))
    assert conditions.headers(state()._replace(last_fetched=100.0))


def test_a_site_that_mends_its_ways_is_believed_again() -> None:
    conditions = Conditions()
    conditions.came_whole(state(), BOTH, changed=True)
    for _ in range(19):
        conditions.came_whole(state(), BOTH, changed=False)
    assert not conditions.headers(state())
    conditions.came_whole(state(), BOTH, changed=False)
    assert conditions.headers(state())


@given(st.lists(st.booleans(), max_size=15))
def test_what_was_learnt_of_sites_outlives_the_run(changes: list[bool]) -> None:
    before, after = Conditions(), Conditions()
    for changed in changes:
        before.came_whole(state(), BOTH, changed=changed)
    learnt = before.changed()
    assert before.changed() == {}
    after.load({site: {"conditions": counts} for site, counts in learnt.items()})
    assert after.headers(state()) == before.headers(state())
    after.came_whole(state(), BOTH, changed=True)
    assert after.headers(state()) == {}
