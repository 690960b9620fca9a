"""Views of pages: what an address says of them, and what is learnt."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.side_pages import (
    FEWEST_ALIKE,
    FEWEST_PAGES,
    SIDE_PAGES,
    SidePages,
    form_of_list,
    pages_above,
    tail_behind,
    tail_of_view,
)
from tests.tables import each_row

pytestmark = pytest.mark.refused_links

SITE = "a.test"
HOME = "http://a.test"


def key(url: str) -> bytes:
    return hashlib.md5(url.encode()).digest()


@each_row(
    ("url", "page", "tail"),
    [
        ("/x/_source/", "/x/", "1 _source"),
        ("/x/_source", "/x", "1 _source"),
        ("/x/_plugin/attachments/", "/x/", "1 _plugin/attachments"),
        ("/x?view=source", "/x", "1 view=source"),
        ("/x/?view=source", "/x/", "1 view=source"),
        ("/a/x/_source/", "/a/x/", "2 _source"),
        ("/x/_plugin/attachments/all/", "/x/", ""),
        ("/x/page/2/", "/x/", ""),
        ("/x?page=2", "/x", ""),
        ("/x?a=b&view=source", "/x?a=b", ""),
        ("/xy/", "/x", ""),
        ("/about/", "/", ""),
        ("/x/", "/x/", ""),
    ],
)
def test_a_view_is_what_stands_behind_a_page_of_its_own(url: str, page: str, tail: str) -> None:
    assert tail_behind(HOME + url, HOME + page) == tail
    assert tail_of_view(HOME + url, key(HOME + page), key) == tail


@given(st.text(alphabet="/?=&ax_1", max_size=20), st.text(alphabet="/?=&ax_1", max_size=20))
def test_the_key_of_the_page_is_enough_or_tells_nothing(url: str, page: str) -> None:
    found = tail_of_view(f"{HOME}/{url}", key(f"{HOME}/{page}"), key)
    assert found in ("", tail_behind(f"{HOME}/{url}", f"{HOME}/{page}"))


def learnt(*given_by: bool) -> SidePages:
    side = SidePages()
    for has_given in given_by:
        side.note("1 _dir", SITE, has_given=has_given)
    return side


def refused(side: SidePages, tail: str = "_dir") -> int:
    """Return how many of a thousand views are left."""
    urls = (f"{HOME}/page-{number}/{tail}/" for number in range(1000))
    return sum(side.refuses(url, SITE) for url in urls)


def test_views_are_left_once_some_have_given_nothing_but_for_a_few() -> None:
    few = learnt(*[False] * (FEWEST_PAGES - 1))
    assert refused(few) == 0
    enough = learnt(*[False] * FEWEST_PAGES)
    assert 900 < refused(enough) < 1000
    assert refused(enough) < refused(learnt(*[False] * 20)) < 1000
    assert refused(enough, "_source") == 0
    assert enough.sites == {SITE: {"1 _dir"}}


def test_two_are_enough_where_other_views_of_the_site_have_given_nothing() -> None:
    side = SidePages()
    names = ("_create", "_source", "_history", "_attached")
    for number in range(FEWEST_ALIKE):
        assert refused(side, "_source") == 0, number
        for name in names:
            side.note(f"1 {name}", SITE, has_given=False)
        side.note("1 _dir", SITE, has_given=True)
    assert min(refused(side, name) for name in names[1:]) > 950
    assert refused(side, "_dir") == 0, "it has given something"
    side.note("1 _source", SITE, has_given=True)
    assert refused(side, "_source") == 0
    again = SidePages()
    again.load({SITE: {SIDE_PAGES: side.changed()[SITE]}})
    assert refused(again, "_history") > 950


def test_the_more_views_of_a_site_give_nothing_the_fewer_are_tried() -> None:
    side = learnt(*[False] * FEWEST_PAGES)
    before = refused(side)
    for number in range(20):
        side.note(f"1 _view{'abcdefghijklmnopqrst'[number]}", SITE, has_given=False)
    assert refused(side) > before


def test_one_that_gives_something_ends_it() -> None:
    side = learnt(*[False] * 30, True)
    assert refused(side) == 0
    assert side.sites == {}


def test_one_whose_text_all_others_copy_is_what_the_program_says_of_each() -> None:
    side = SidePages()
    side.note("2 _files", SITE, has_given=True)
    for _ in range(FEWEST_PAGES):
        assert not side.sites
        side.note("2 _files", SITE, has_given=False, is_copy=True)
    assert side.sites == {SITE: {"2 _files"}}
    side.note("2 _files", SITE, has_given=True)
    assert not side.sites, "two texts are more than one"


def test_what_was_learnt_goes_on_with_the_next_run() -> None:
    side, again = learnt(*[False] * 9), SidePages()
    again.load({SITE: {SIDE_PAGES: side.changed()[SITE]}})
    assert refused(again) > 900
    again.note("1 _dir", SITE, has_given=True)
    assert again.changed() == {SITE: {"tails": []}}


@each_row(
    ("url", "form"),
    [
        ("http://a.test/blog/tag/six/", "like blog/tag/*"),
        ("http://a.test/blog/tag/seven", "like blog/tag/*"),
        ("http://a.test/blog/archive/2026/11/", "like blog/archive/#/*"),
        ("http://a.test/2026/11/", "like #/*"),
        ("http://a.test/about/", ""),
        ("http://a.test/", ""),
        ("http://a.test/blog/tag/six/?page=2", ""),
        (f"http://a.test/blog/{'x' * 600}/", ""),
    ],
)
def test_like_lists_have_one_form(url: str, form: str) -> None:
    assert form_of_list(url) == form


def test_three_lists_of_a_form_without_news_put_the_others_off() -> None:
    side = SidePages()
    for number in range(3):
        assert not side.puts_off(SITE), number
        side.note("like tag/*", SITE, has_given=False)
    assert side.puts_off(SITE)
    left = sum(side.leaves("like tag/*", f"{HOME}/tag/{number}/", SITE) for number in range(100))
    assert 80 < left < 100
    side.note("like tag/*", SITE, has_given=True)
    assert not side.puts_off(SITE)


@each_row(
    ("url", "page", "tail"),
    [
        ("http://a.test/tags/alpha.xml", "http://a.test/tags/alpha/", "2 .xml"),
        ("http://a.test/tags/alpha.xml", "http://a.test/tags/alphabet/", ""),
        ("http://a.test/tags/alpha.html", "http://a.test/tags/", "1 alpha.html"),
    ],
)
def test_the_feed_of_a_list_may_have_its_name_and_an_ending(url: str, page: str, tail: str) -> None:
    assert tail_behind(url, page) == tail
    assert not tail or page in pages_above(url)


def test_a_view_that_gives_nothing_at_one_depth_is_tried_once_at_another() -> None:
    side = learnt(*[False] * FEWEST_PAGES)
    url = f"{HOME}/arts/page-1/_dir/"
    assert not side.refuses(url, SITE)
    side.note("2 _dir", SITE, has_given=False)
    assert sum(side.refuses(f"{HOME}/arts/page-{n}/_dir/", SITE) for n in range(100)) > 80
    side.note("2 _dir", SITE, has_given=True)
    assert not side.refuses(url, SITE)
