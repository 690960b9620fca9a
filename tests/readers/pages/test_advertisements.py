"""Advertisements between the paragraphs of an article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from focuscrawl.features import articles
from focuscrawl.readers.pages.advertisements import drop_advertisements
from tests.tables import each_row

pytestmark = pytest.mark.advertisements

SENTENCES = [
    f"四川省市场监管局昨天通报，第{number}批抽检的一百二十批次食品中有三批次不合格，已经全部下架召回，涉事企业已被立案调查。"
    for number in range(1, 7)
]


def page(between: str) -> bytes:
    lines = [f"<p>{sentence}</p>" for sentence in SENTENCES]
    lines.insert(2, between)
    return (
        "<html><head><title>第七批抽检结果公布</title></head><body><h1>第七批抽检结果公布</h1>"
        f"<div id='text'>{''.join(lines)}</div></body></html>"
    ).encode()


@each_row(
    "between",
    [
        "<div class='ad'>换季护肤套装买二送一，名额仅剩七个</div>",
        "<div class='mid ad-box'>换季护肤套装买二送一，名额仅剩七个</div>",
        "<div id='ad'>换季护肤套装买二送一，名额仅剩七个</div>",
        "<div><span>广告</span>换季护肤套装买二送一，名额仅剩七个</div>",
        "<p><small>[推广]</small> 换季护肤套装买二送一，名额仅剩七个</p>",
        "<ins class='ads'><a href='http://shop.example/'>换季护肤套装买二送一，名额仅剩七个</a></ins>",
    ],
)
def test_an_advertisement_between_two_paragraphs_is_none_of_them(between: str) -> None:
    assert articles.read(page(between), "http://a.example/1.html").text == "\n".join(SENTENCES)


@pytest.mark.parametrize(
    "between",
    [
        "<p>这家企业在广告中说自己的产品绝对安全，执法人员认为这是虚假宣传，已经另案处理。</p>",
        "<p class='adjacent'>这家企业说自己的产品绝对安全，执法人员认为这是虚假宣传，已经另案处理。</p>",
        "<p>记者看到，<span>广告</span>里的产品与实物完全不同，执法人员认为这是虚假宣传，已经处理。</p>",
    ],
)
def test_a_paragraph_about_advertising_is_one_of_the_article(between: str) -> None:
    text = articles.read(page(between), "http://a.example/1.html").text
    assert len(text.split("\n")) == len(SENTENCES) + 1


def test_a_block_as_long_as_an_article_is_none_whatever_its_name() -> None:
    whole = page("").replace(b"<div id='text'>", b"<div id='text' class='ad'>")
    assert articles.read(whole, "http://a.example/1.html").text == "\n".join(SENTENCES)


def test_what_stands_behind_an_advertisement_stays() -> None:
    root = html.fromstring(
        "<div>一<p class='ad'>买</p>二<b>三</b><i id='ads'>买</i>四<span id='ads'>买</span>五</div>"
    )
    drop_advertisements(root)
    assert root.xpath("string()") == "一二三买四五"


MARKUP = st.recursive(
    st.text("广告ab ", max_size=5),
    lambda inner: st.builds(
        "<{0} class='{1}'>{2}</{0}>".format,
        st.sampled_from(["div", "p", "span", "section"]),
        st.sampled_from(["ad", "text", "ads box"]),
        st.lists(inner, max_size=4).map("".join),
    ),
    max_leaves=20,
)


@given(MARKUP)
def test_nothing_named_an_advertisement_is_left_of_any_short_page(markup: str) -> None:
    root = html.fromstring(f"<html><body><main>{markup}</main></body></html>")
    drop_advertisements(root)
    assert not root.xpath("//*[contains(@class, 'ad')]")
