from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.frontier.levels import CONTENT, Levels, is_returned, level_of
from focuscrawl.values import PageClass

TOP = 5
CLASSES = st.sampled_from([None, *PageClass])
PARENTS = st.tuples(st.integers(1, TOP), st.integers(1, TOP)).map(
    lambda pair: Levels(max(pair), min(pair))
)


@pytest.mark.parametrize("strict", [False, True])
def test_the_pages_of_a_board_stay_in_its_level(strict: bool) -> None:
    levels = level_of(PageClass.PAGING, PageClass.BOARD, Levels(3, 3), TOP, strict=strict)
    assert levels == (3, 3)


@pytest.mark.parametrize("strict", [False, True])
def test_an_ordinary_link_is_one_below_its_parent(strict: bool) -> None:
    for link_class in (None, PageClass.ARTICLE, PageClass.BOARD, PageClass.FEED):
        levels = level_of(link_class, PageClass.BOARD, Levels(4, 4), TOP, strict=strict)
        assert levels == (3, 3)


def test_a_level_is_never_under_one() -> None:
    assert level_of(None, PageClass.ARTICLE, Levels(1, 1), TOP) == (1, 1)


@pytest.mark.parametrize("parent_class", sorted(CONTENT))
@pytest.mark.parametrize("link_class", [PageClass.ARTICLE_PAGING, PageClass.FILE])
def test_returned_links_wait_in_the_top_level(
    parent_class: PageClass, link_class: PageClass
) -> None:
    assert is_returned(link_class, parent_class)
    assert level_of(link_class, parent_class, Levels(1, 1), TOP).level == TOP


def test_a_file_of_a_board_is_an_ordinary_link() -> None:
    assert level_of(PageClass.FILE, PageClass.BOARD, Levels(4, 4), TOP) == (3, 3)


@pytest.mark.parametrize(("strict", "level"), [(True, TOP - 1), (False, 1)])
def test_a_link_on_page_two_of_a_level_two_article(strict: bool, level: int) -> None:
    """The published rule gives it the top level minus one, on page 1 it is level 1 (A3)."""
    article = Levels(2, 2)
    assert level_of(None, PageClass.ARTICLE, article, TOP, strict=strict).level == 1
    page_two = level_of(PageClass.ARTICLE_PAGING, PageClass.ARTICLE, article, TOP, strict=strict)
    assert page_two.level == TOP
    link = level_of(None, PageClass.ARTICLE_PAGING, page_two, TOP, strict=strict)
    assert link.level == level


@given(st.integers(1, TOP), st.integers(2, 9))
def test_every_page_of_an_article_gives_its_links_the_same_level(start: int, pages: int) -> None:
    levels = Levels(start, start)
    first = level_of(None, PageClass.ARTICLE, levels, TOP)
    for _ in range(pages):
        levels = level_of(PageClass.ARTICLE_PAGING, PageClass.ARTICLE_PAGING, levels, TOP)
    assert level_of(None, PageClass.ARTICLE_PAGING, levels, TOP) == first


@given(CLASSES, st.sampled_from(list(PageClass)), PARENTS, st.booleans())
def test_every_level_exists(
    link_class: PageClass | None, parent_class: PageClass, parent: Levels, strict: bool
) -> None:
    level, passed_level = level_of(link_class, parent_class, parent, TOP, strict=strict)
    assert 1 <= level <= TOP
    assert 1 <= passed_level <= level
