"""What a site's "next pages" are, as its pages teach it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.several_pages.chapters import (
    CHAPTERS_PART,
    FEWEST_OTHERS,
    Chapters,
)
from focuscrawl.values import Link, PageClass

pytestmark = pytest.mark.A2

SITE = "a.test"
MENU = Link("http://a.test/menu", "目录")
NEXT = Link("http://a.test/page02.html", "下一页", PageClass.ARTICLE_PAGING)
THIRD = Link("http://a.test/page03.html", "3", PageClass.ARTICLE_PAGING)


def taught(others: int, parts: int = 0) -> Chapters:
    chapters = Chapters()
    for _ in range(others):
        chapters.note(SITE, is_other=True)
    for _ in range(parts):
        chapters.note(SITE, is_other=False)
    return chapters


def test_a_next_page_is_a_link_like_others_where_three_were_articles_of_their_own() -> None:
    for others in range(FEWEST_OTHERS):
        assert taught(others).told_apart(SITE, (MENU,), (NEXT,)) == ((MENU,), (NEXT,))
    ordinary, further = taught(FEWEST_OTHERS).told_apart(SITE, (MENU,), (NEXT,))
    assert [(link.url, link.page_class) for link in ordinary] == [
        (MENU.url, None),
        (NEXT.url, None),
    ]
    assert further == ()


def test_pages_that_an_article_names_by_their_numbers_are_its_own_everywhere() -> None:
    assert taught(9).told_apart(SITE, (), (NEXT, THIRD)) == ((), (NEXT, THIRD))
    assert taught(9).told_apart("b.test", (), (NEXT,)) == ((), (NEXT,))


def test_a_site_with_articles_of_several_pages_besides_keeps_them() -> None:
    assert taught(6, 2).told_apart(SITE, (), (NEXT,)) == ((), (NEXT,))
    assert taught(8, 2).told_apart(SITE, (), (NEXT,))[1] == ()
    of_parts = taught(0, 9)
    for _ in range(FEWEST_OTHERS):
        of_parts.note(SITE, is_other=True)
    assert of_parts.told_apart(SITE, (), (NEXT,)) == ((), (NEXT,)), "they count from the beginning"


@given(st.lists(st.booleans(), max_size=300))
def test_what_was_learnt_is_the_same_after_it_was_stored(pages: list[bool]) -> None:
    chapters = Chapters()
    for is_other in pages:
        chapters.note(SITE, is_other=is_other)
    again = Chapters()
    again.load({SITE: {CHAPTERS_PART: chapters.changed(all_of_it=True).get(SITE)}})
    for further in ((NEXT,), (NEXT, THIRD)):
        expected = chapters.told_apart(SITE, (MENU,), further)
        assert again.told_apart(SITE, (MENU,), further) == expected
