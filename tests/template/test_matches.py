"""Parts of addresses: plain patterns and regular expressions."""

import logging
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.template.kinds.addresses import LOOKS_LIKE_EXPRESSION, Matches, glob_of
from focuscrawl.urls.sites import Hosts
from tests.steps import calls_of
from tests.tables import each_row


@each_row(
    ("pattern", "url", "found"),
    [
        ("/news/", "https://a.cn/news/1.html", True),
        ("/news/", "https://a.cn/newsroom/", False),
        ("/list_*.html", "https://a.cn/x/list_2.html", True),
        ("/list_*.html", "https://a.cn/list_2.htm", False),
        ("a.cn/x", "https://abcn/x", False),
        ("?page=*&id=", "https://a.cn/?page=2&sort=a&id=3", True),
        ("*", "https://a.cn/", True),
        ("a*a", "https://b.cn/a", False),
        ("/新闻/", "https://a.cn/%E6%96%B0%E9%97%BB/1", True),
        ("/新闻/", "https://a.cn/新闻/1", True),
        (r"re:/t\d+\.html$", "https://a.cn/t12.html", True),
        (r"re:/t\d+\.html$", "https://a.cn/t12.html?a", False),
    ],
)
def test_a_pattern_is_a_part_of_the_address(pattern: str, url: str, found: bool) -> None:
    assert Matches([pattern]).search(url) is found
    assert Matches(["/none/", pattern]).search(url) is found


def test_no_patterns_are_false_and_match_nothing() -> None:
    assert not Matches()
    assert not Matches().search("https://a.cn/")
    assert Matches(["a"])


@given(
    st.lists(st.text("ab.?/", min_size=0, max_size=3), min_size=1, max_size=4),
    st.text("ab.?/", max_size=12),
)
def test_stars_stand_for_anything_as_in_a_regular_expression(parts: list[str], url: str) -> None:
    expected = re.search(".*".join(map(re.escape, parts)), url)
    assert Matches(["*".join(parts)]).search(url) is bool(expected)


def test_an_endless_expression_is_switched_off_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    matches = Matches(["re:(a|aa)+$", "/b/"])
    hostile = "https://a.cn/" + "a" * 60 + "!"
    assert matches.search("https://a.cn/aa")
    with caplog.at_level(logging.WARNING):
        assert not matches.search(hostile)
        assert not matches.search("https://a.cn/aa"), "what was switched off is not searched again"
        assert not matches.search(hostile)
    assert matches.search("/b/")
    assert caplog.text.count("'re:(a|aa)+$' took more than") == 1


def test_plain_patterns_cannot_be_made_slow() -> None:
    matches = Matches(["a*" * 20 + "b"])
    calls = calls_of(lambda: matches.search("a" * 100_000))
    assert not matches.search("a" * 100_000)
    assert calls["str.find"] == 21, "each part is looked for once, behind the one before it"
    assert calls.total() < 60


@each_row(
    "pattern", [r"\d", "a.*b", "(?:a)", "[0-9]", "^https", ".html$", r"a\.html", ".+", "[a-z]x"]
)
def test_what_looks_like_a_regular_expression_is_seen(pattern: str) -> None:
    assert LOOKS_LIKE_EXPRESSION.search(pattern)


@each_row("pattern", ["/list_*.html", "?a[]=1", "a.b?c=d+e", "/x(1).html", "/a$b/", "a^b", "[::1]"])
def test_ordinary_addresses_do_not_look_like_one(pattern: str) -> None:
    assert not LOOKS_LIKE_EXPRESSION.search(pattern)


@each_row(
    ("expression", "glob"),
    [
        (r"\d+\.html", "*.html"),
        (r"^/list_\d{1,3}\.html$", "/list_*.html"),
        ("/news/.*", "/news/*"),
        ("/[0-9]+/", "/*/"),
        (r"(a|b)\d", None),
        (r"\d+", None),
    ],
)
def test_simple_expressions_have_a_plain_form(expression: str, glob: str | None) -> None:
    assert glob_of(expression) == glob


@each_row(
    ("host", "nearest"),
    [
        ("a.b.example.cn", "b.example.cn"),
        ("example.cn", "example.cn"),
        ("myexample.cn", None),
        ("cn", None),
        ("", None),
    ],
)
def test_the_longest_name_above_a_host_is_the_nearest(host: str, nearest: str | None) -> None:
    assert Hosts(["example.cn", "b.example.cn"]).nearest(host) == nearest
