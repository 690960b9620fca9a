"""A selector made for an element finds it first, on any page, and soon."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.selectors import elements_with, find, selector_for
from focuscrawl.values import Selector

pytestmark = pytest.mark.selectors

NAMES = st.sampled_from(
    ["", "a", "b c", "n1", "a n2", "作者", "x:y", "-", "a-b", "c\u3000d", "'", '"']
)
TAGS = st.sampled_from(["div", "p", "span", "h1", "o:p", "td", "b", "svg", "x-y"])
PIECES = st.one_of(
    st.builds('<{0} class="{1}" id="{2}">'.format, TAGS, NAMES, NAMES),
    st.builds("</{0}>".format, TAGS),
    st.sampled_from(["食品", "2026-11-18", "<br>", "<table><tr>"]),
)
PAGE = """<html><body><div class="top n7"><span>城市新闻</span></div>
<div class="head"><h1>新馆昨天开放</h1><p><span>2026-11-19</span><span>来源：城市日报</span></p></div>
<p class="foot x9">2026-11-19</p></body></html>"""


def parsed(markup: str) -> etree._Element:
    return Document.read(markup.encode(), url="http://a.test/").root


def place(words: str, which: int = 0) -> Selector:
    found = [one for one, _ in elements_with(parsed(PAGE), words, 40)]
    return selector_for(found[which])


def test_a_place_is_named_without_digits_and_numbered_only_below_names() -> None:
    assert place("新馆昨天开放") == Selector("css", "h1")
    assert place("城市新闻") == Selector("css", "div.top > span")
    assert place("2026-11-19") == Selector("css", "div.head > p > span")
    assert place("来源：城市日报").language == "xpath"
    assert place("来源：城市日报").expression.endswith("/p/span[2]")
    assert place("2026-11-19", -1) == Selector("css", "p.foot")


@given(st.lists(PIECES, max_size=40))
def test_a_place_finds_the_element_it_was_made_from_first(pieces: list[str]) -> None:
    root = parsed("".join(pieces))
    for element in root.iter():
        assert find(root, selector_for(element))[0] is element


@pytest.mark.timed
@pytest.mark.parametrize(
    "markup",
    [
        "<div class=a>" + "<p class='b c'>2026</p>" * 100_000,
        "<p>2026" * 100_000,
        ("<div class=a>" * 100 + "<b>2026</b>" * 300 + "</div>" * 100) * 250,
        "<div class='a b' id=q>" * 250 + "<p class=a>2026</p>" * 99_000,
    ],
)
def test_a_place_on_a_hostile_page_is_found_soon(markup: str) -> None:
    root = parsed(markup)
    last = list(root.iter())[-1]
    start = process_time()
    made = selector_for(last)
    assert process_time() - start < 2.0
    assert find(root, made)[0] is last
    start = process_time()
    assert len(list(elements_with(root, "2026", 30))) <= 400
    assert process_time() - start < 2.0
