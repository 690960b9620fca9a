"""The form of an address keeps its words and frees its numbers and titles."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.urls.patterns.forms import Form, common_part, example_of, freedom, rest_of
from tests.tables import each_row

pytestmark = pytest.mark.D5


@each_row(
    ("url", "expression"),
    [
        ("http://a.cn/", "/"),
        ("http://a.cn/news/", "/news/"),
        ("http://a.cn/2026/1120/t20261120_7.html", r"/\d{4}/\d{4}/t\d{5,}_\d{1,3}\.html"),
        ("http://a.cn/forum.php?mod=viewthread&tid=71", r"/forum\.php\?mod=viewthread&tid=\d{1,3}"),
        ("http://a.cn/p/how-to-cook-brown-rice", "/p/[^/?]+"),
        ("http://a.cn/p/how-to-cook-brown-rice.html", r"/p/[^/?]+\.html"),
        ("http://a.cn/a/8f3c9e21b0", "/a/[^/?]+"),
        ("http://a.cn/tag/%E9%A3%9F%E5%93%81", "/tag/[^/?]+"),
        ("http://a.cn/s?q=%E9%A3%9F&page=2", r"/s\?q=[^&]*&page=\d{1,3}"),
        ("http://a.cn/news?2026", r"/news\?\d{4}"),
        ("http://a.cn/a(1)+b", r"/a\(1\)\+b"),
        ("http://a.cn/thread-71-1-1.html", r"/thread-\d{1,3}-1-1\.html"),
        ("http://a.cn/thread-71-12-1.html", r"/thread-\d{1,3}-\d{1,3}-1\.html"),
    ],
)
def test_forms_are_readable(url: str, expression: str) -> None:
    form = Form.of(url)
    assert form is not None
    assert form.expression == expression


@given(st.text("ab1/?&=.%-_+([\\|{^ 食", max_size=40))
def test_every_form_is_an_expression_that_reads_back(rest: str) -> None:
    url = f"http://a.cn/{rest}"
    form = Form.of(url)
    if form is None:
        return
    again = Form.from_expression(form.expression)
    assert again == form
    example = example_of(form.expression)
    assert re.fullmatch(form.expression, example)
    assert Form.of(f"http://a.cn{example}") is not None


@given(
    st.from_regex(
        r"/[a-c1-3/._-]{0,12}(\?[a-c]?=?[a-c1-3]{1,5}(&[a-c]=[0-9]{1,6})?)?", fullmatch=True
    )
)
def test_an_address_matches_its_own_form(rest: str) -> None:
    form = Form.of(f"http://a.cn{rest}")
    assert form is not None
    assert re.fullmatch(form.expression, rest)


def test_what_is_too_long_or_too_deep_has_none() -> None:
    assert Form.of("http://a.cn/" + "x" * 501) is None
    assert Form.of("http://a.cn" + "/x" * 20) is None


def test_an_address_without_a_path_is_the_home_page() -> None:
    assert rest_of("http://a.cn") == rest_of("http://a.cn/") == "/"


@each_row(
    ("parts", "is_field", "common"),
    [
        (["news", "news"], False, "news"),
        ([r"\d{4}", r"\d{1,3}"], False, r"\d+"),
        ([r"t\d{4}\.html", r"t\d{5,}\.html"], False, r"t\d+\.html"),
        ([r"list_1\.html", r"list_\d{1,3}\.html"], False, r"list_\d{1,3}\.html"),
        (["1", r"\d{4}"], False, r"\d+"),
        (["food", "news"], False, "(?:food|news)"),
        (["food", "news", "sport"], False, "[^/?]+"),
        ([r"a\.html", r"b\.html", r"c\.html"], False, r"[^/?]+\.html"),
        (["id=abc", r"id=\d{4}"], True, "id=[^&]*"),
    ],
)
def test_several_parts_become_one(parts: list[str], is_field: bool, common: str) -> None:
    assert common_part(parts, is_field=is_field) == common


def test_narrow_expressions_come_before_wide_ones() -> None:
    wide, narrow = r"/[^/?]+/\d{4}\.html", r"/news/\d{4}\.html"
    assert sorted([wide, narrow], key=freedom) == [narrow, wide]
    further, first = r"/thread-\d{1,3}-\d{1,3}\.html", r"/thread-\d{1,3}-1\.html"
    assert sorted([further, first], key=freedom) == [first, further]
