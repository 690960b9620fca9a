"""Comments below an article are not its text, however short it is."""

from __future__ import annotations

from time import process_time

import pytest

from focuscrawl.features.articles.article import read_article
from focuscrawl.features.articles.boilerplate import comments_of
from focuscrawl.readers.pages.document import Document
from tests.tables import each_row

POST = (
    "今天去看了城南新开的菜市场，摊位很整齐，肉菜都有来源的牌子，价格比超市便宜一点，下周再去看看。"
)
REMARK = (
    "我也去过这个市场，早上人很多，停车不方便，建议大家坐地铁去，下车走五分钟就到了，东西确实新鲜。"
)
SECTIONS = (
    '<div id="comments" class="comments-area"><h2>{n} comments</h2><ol class="comment-list">{all}</ol></div>',
    '<section class="post-comments"><h3>评论（{n}）</h3>{all}</section>',
    '<div id="disqus_thread">{all}</div>',
    '<ul class="commentlist">{all}</ul>',
)


def text_of(body: str) -> str:
    page = f"<html><head><title>菜市场 - 小店日志</title></head><body>{body}</body></html>"
    document = Document.read(
        page.encode(), url="http://a.test/archives/3", content_type="text/html"
    )
    found = read_article(document, fetched=None, timezone="Asia/Shanghai", language="zh")
    return found.text if found is not None else ""


@each_row("section", SECTIONS)
@each_row("number", [0, 1, 2, 12])
def test_comments_below_a_short_post_are_not_its_text(section: str, number: int) -> None:
    remarks = "".join(
        f'<li class="comment"><article><b>读者{one}</b><p>{REMARK}{one}</p></article></li>'
        for one in range(number)
    )
    below = section.format(n=number, all=remarks)
    assert text_of(f"<h1>菜市场</h1><div class='entry'><p>{POST}</p></div>{below}") == POST


def test_a_page_whose_text_is_called_comments_keeps_it() -> None:
    text = f"<div class='comments'><h1>菜市场</h1><p>{POST}</p><p>{REMARK}</p></div>"
    assert text_of(text).split("\n")[-2:] == [POST, REMARK]


def test_what_stands_in_the_first_section_of_comments_and_nowhere_else_is_the_text() -> None:
    text = f"<h1>读者来信</h1><div id='comments'><p>{REMARK}</p><p>{POST}</p></div>"
    assert REMARK in text_of(text)
    assert POST in text_of(text)


@pytest.mark.timed
def test_sections_inside_each_other_cost_no_more_than_others() -> None:
    deep = "<div class='comments'>" * 200 + f"<p>{REMARK}</p>" * 5_000 + "</div>" * 200
    page = f"<html><body><p>{POST}</p>{deep}</body></html>"
    document = Document.read(page.encode(), url="http://a.test/", content_type="text/html")
    before = process_time()
    assert comments_of(document.root)
    assert process_time() - before < 0.5
