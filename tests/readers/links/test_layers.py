"""Links in layers (C6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.links.admission_rules import goes_on, is_last, layer_of_link
from focuscrawl.template.kinds.words import Words
from tests.tables import each_row

pytestmark = pytest.mark.C6

LAYERS = Words(["关于我们|公司简介|about us", "联系我们|联系方式|联系|contact*"])


@each_row(
    "text",
    ["联系我们", "联 系 我 们", "联　系　我　们", "聯繫我們", "» 联系我们 »", "联系方式", "Contact", "ＣＯＮＴＡＣＴ"],
)  # fmt: skip
def test_width_spaces_case_and_script_do_not_matter(text: str) -> None:
    assert layer_of_link(text, "", 1, LAYERS) == 2


def test_a_links_title_counts_like_its_text() -> None:
    assert layer_of_link("", "公司简介", 0, LAYERS) == 1
    assert layer_of_link("more", "公 司 簡 介", 0, LAYERS) == 1
    assert layer_of_link("新闻", "招聘", 0, LAYERS) is None


def test_strict_layers_are_followed_one_by_one() -> None:
    assert layer_of_link("关于我们", "", 0, LAYERS, strict=True) == 1
    assert layer_of_link("联系我们", "", 0, LAYERS, strict=True) is None
    assert layer_of_link("联系我们", "", 1, LAYERS, strict=True) == 2


def test_by_default_a_later_layer_may_be_reached_at_once_the_next_one_first() -> None:
    assert layer_of_link("联系我们", "", 0, LAYERS) == 2
    assert layer_of_link("关于我们/联系我们", "", 0, LAYERS) == 1


def test_no_link_leads_back_or_beyond_the_last_layer() -> None:
    for text in ("关于我们", "联系我们"):
        assert layer_of_link(text, "", 2, LAYERS) is None
    assert layer_of_link("关于我们", "", 1, LAYERS) is None


@given(
    parent=st.integers(0, 4),
    text=st.sampled_from(["a1", "b1", "c1", "a1 b1 c1", "d"]),
    strict=st.booleans(),
)
def test_layers_only_grow_so_there_are_no_cycles(parent: int, text: str, strict: bool) -> None:
    layers = Words(["a1", "b1", "c1"])
    layer = layer_of_link(text, "", parent, layers, strict=strict)
    if layer is not None:
        assert parent < layer <= 3
        assert "abc"[layer - 1] in text
        assert layer == parent + 1 or not strict


def test_without_layers_no_link_has_one_and_every_page_is_read() -> None:
    assert layer_of_link("联系我们", "", 0, Words()) is None
    assert is_last(0, Words())
    assert [is_last(layer, LAYERS) for layer in (0, 1, 2)] == [False, False, True]


def test_a_next_page_is_followed_while_the_page_matches_its_layer() -> None:
    assert goes_on(2, "联系我们 - 第2页", [], LAYERS)
    assert not goes_on(2, "新闻中心", [("联系我们", "")], LAYERS)
    assert not goes_on(1, "新闻中心", [("招聘", "")], LAYERS)


def test_a_list_is_followed_while_it_has_links_of_the_next_layer() -> None:
    assert goes_on(0, "企业名录", [("首页", ""), ("", "公司简介")], LAYERS)
    assert goes_on(1, "分公司", [("联系方式", "")], LAYERS)
    assert not goes_on(0, "关于我们", [("首页", "")], LAYERS)


def test_a_one_character_layer_and_a_regular_expression_work() -> None:
    layers = Words(["联", r"re:电\s*话$"])
    assert layer_of_link("联系", "", 0, layers) == 1
    assert layer_of_link("公司电 话", "", 1, layers) == 2
