"""A site's selectors win; where one finds nothing, its part is found out as without it."""

import pytest

from focuscrawl.features.articles.article import ArticleText, read_article
from focuscrawl.readers.pages.document import Document
from focuscrawl.readers.pages.selectors import PageSelectors
from focuscrawl.values import Selector
from tests.tables import each_row

pytestmark = pytest.mark.selectors

URL = "http://news.example/city/123.html"
PARAGRAPHS = [
    f"第{number}段：市图书馆的新馆向读者开放，馆里有三十万册图书，二楼是儿童阅览室，三楼可以借阅期刊。"
    for number in range(1, 5)
]
PAGE = f"""<html><head><title>新馆昨天开放_城市新闻网</title></head><body>
<h1>新馆昨天开放</h1><h2 class="kicker">市图书馆搬家</h2>
<p>2026-11-19 10:05 来源：城市日报 作者：张三丰</p>
<div class="content">{"".join(f"<p>{one}</p>" for one in PARAGRAPHS)}</div>
<div class="note"><p>编者按：<b>短</b>。</p><p>作者: <span>李四光</span></p><img src="/b.jpg">
<span class="when">18/11/2026 08:00</span><i class="from">来源：晚报</i></div></body></html>"""


def css(expression: str) -> Selector:
    return Selector("css", expression)


def read(**selectors: Selector) -> ArticleText:
    article = read_article(
        Document.read(PAGE.encode(), url=URL),
        fetched=None,
        timezone="Asia/Shanghai",
        language="zh",
        selectors=PageSelectors(**selectors),
    )
    assert article is not None
    return article


FOUND_OUT = read()


def test_without_selectors_every_part_is_found_out() -> None:
    assert (FOUND_OUT.title, FOUND_OUT.author) == ("新馆昨天开放", "张三丰")
    assert (FOUND_OUT.source_name, FOUND_OUT.date) == ("城市日报", "2026-11-19T10:05+08:00")
    assert FOUND_OUT.missed == ()


def test_what_selectors_find_wins() -> None:
    article = read(
        title=css("h2.kicker"),
        text=css("div.note p"),
        published=css(".when::text"),
        author=Selector("xpath", "//p[contains(., '作者:')]"),
        source=css("i.from"),
    )
    assert article.title == "市图书馆搬家"
    assert article.text == "编者按：短。\n作者: 李四光"
    assert (article.date, article.published_raw) == ("2026-11-18T08:00+08:00", "18/11/2026 08:00")
    assert (article.author, article.source_name) == ("李四光", "晚报")
    assert article.missed == ()


def test_a_text_is_taken_once_with_its_images_and_nothing_is_trimmed() -> None:
    article = read(text=css("div.note, div.note p"))
    assert article.text.split("\n") == [
        "编者按：短。",
        "作者: 李四光",
        "18/11/2026 08:00来源：晚报",
    ]
    assert article.images == ("http://news.example/b.jpg",)


def test_a_text_may_be_strings() -> None:
    assert read(text=css("div.content p::text")).text.split("\n") == PARAGRAPHS


@each_row("name", ["title", "text", "published", "author", "source"])
def test_a_selector_that_finds_nothing_falls_back_and_is_told(name: str) -> None:
    article = read(**{name: css("div.gone")})
    assert article == FOUND_OUT._replace(missed=(name,))


def test_a_place_without_a_date_in_it_is_missed() -> None:
    article = read(published=css("i.from"))
    assert (article.date, article.missed) == (FOUND_OUT.date, ("published",))
