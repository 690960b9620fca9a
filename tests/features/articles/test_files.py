"""Attachments and images of articles are returned pages: class FILE, the top level, a row each (A2, A3)."""

from __future__ import annotations

import hashlib
from time import process_time

import pytest

from focuscrawl.features.articles.reader import MARKUP
from focuscrawl.readers.pages.content import Judged
from focuscrawl.values import PageClass
from tests.judging import judge_page
from tests.tables import each_row

pytestmark = pytest.mark.A2

URL = "http://a.cn/news/1.html"
PDF = "http://a.cn/upload/2026/list.PDF"
KEY, FIRST = b"k" * 16, b"f" * 16
TEXT = (
    "<p>市场监管部门昨日公布食品抽检结果，责令企业下架并召回全部不合格产品，有关情况正在调查。</p>"
    * 4
)
ARTICLE = (
    f"<html><head><title>食品抽检结果公布</title></head><body><h1>食品抽检结果公布</h1>{TEXT}"
    f'<p><img src="/i/1.jpg" width=600></p>{TEXT}<p>附件：<a href="/upload/2026/list.PDF">名单</a>'
    '<a href="http://files.cn/b.docx#top">表格</a><a href="/x.zip">包</a></p>'
    '<a href="/news/2.html">食品下一篇</a></body></html>'
)


def look(files: str = "", body: str | bytes = ARTICLE, kind: str = "text/html", words: str = "食品", **waiting: object) -> Judged:  # fmt: skip
    topic = f'[topic]\nname = "x"\nkeywords = ["{words}"]\n[article]\n{files}\n[[source]]\nurl = "http://a.cn/"\nname = "a"\n'
    content = body if isinstance(body, bytes) else body.encode()
    waiting.setdefault("page_class", PageClass.ARTICLE)
    return judge_page(topic, URL, content, kind, **waiting)


def files_of(judged: Judged) -> set[str]:
    assert judged.batch is not None
    return {link.url for link in judged.batch.links if link.page_class is PageClass.FILE}


@each_row(
    ("files", "found"),
    [
        ("", set()),
        ('files = "pdf"', {PDF}),
        ('files = [".PDF", "docx"]', {PDF, "http://files.cn/b.docx"}),
        ('files = ["image"]', {"http://a.cn/i/1.jpg"}),
        ('files = ["xlsx"]', set()),
    ],
)
def test_the_files_of_an_article_are_found_by_their_endings(files: str, found: set[str]) -> None:
    judged = look(files)
    assert {url.partition("#")[0] for url in files_of(judged)} == found
    assert judged.article is not None
    assert len(judged.article.files) == len(found)
    assert any(link.url.endswith("/news/2.html") for link in judged.batch.links)  # type: ignore[union-attr]


def test_an_article_that_is_not_stored_has_no_files() -> None:
    judged = look('files = ["pdf", "image"]', words="地铁")
    assert judged.article is None
    assert not files_of(judged)


def test_a_file_is_told_by_its_article_its_kind_its_length_and_a_hash() -> None:
    body = b"%PDF-1.7 \x00\x01"
    judged = look('files = "pdf"', body, "application/pdf", page_class=PageClass.FILE, first_key=FIRST)  # fmt: skip
    file = judged.file
    assert file is not None
    assert (judged.page.page_class, judged.page.outcome) == (PageClass.FILE, "stored")
    assert (file.parent_key, file.content_type, file.bytes) == (FIRST.hex(), "application/pdf", 11)
    assert file.sha256 == hashlib.sha256(body).hexdigest()
    assert judged.batch is None


@pytest.mark.parametrize("body", ["<!DOCTYPE html><p>请登录", "\n<!-- x --><html><body>404"])
def test_a_page_that_came_instead_of_a_file_is_none(body: str) -> None:
    judged = look('files = "pdf"', body, "text/html", page_class=PageClass.FILE, first_key=FIRST)
    assert judged.file is None
    assert (judged.page.outcome, judged.page.reason) == ("refused", "a page instead of a file")


@pytest.mark.parametrize("body", [b"", b"<!--" * 100_000, b"a,b\n1,2\n", b"\x00" * 10])
def test_any_other_bytes_are_a_file(body: bytes) -> None:
    judged = look('files = "csv"', body, "text/csv", page_class=PageClass.FILE, first_key=FIRST)
    assert judged.file is not None


@pytest.mark.timed
def test_a_body_of_comments_is_looked_at_in_no_time() -> None:
    comments = b"<!---->"
    for number in (26, 100_000):  # four times as long with each two more, if they are tried anew
        begun = process_time()
        assert MARKUP.match(comments * number + b"%PDF") is None
        assert process_time() - begun < 1
    assert MARKUP.match(comments * 3 + b" <!-- a\n-> b --> <!DOCTYPE html>")
    assert MARKUP.match(b"<!--" + b"x" * 3000 + b"--><html>") is None


NOTICE = (
    "<html><head><title>某县政府网</title></head><body><div><a href='/'>首页</a> <a href='/g'>公告</a></div>"
    "<div><h3>食品抽检预算公开表</h3><div>发布时间：2021-02-19 16:05　来源：某县财政局</div>"
    "<div class=text><p><a href='/d/1.pdf'>食品抽检预算表.pdf</a></p><p><a href='/d/2.xls'>附件2：经费表.xls</a></p></div></div>"
    "<div>版权所有 某县人民政府 备案号：0000号 地址：某县人民路1号 电话：0555-1234567</div></body></html>"
)


def test_an_announcement_of_files_alone_is_an_article_with_its_files() -> None:
    judged = look('files = ["pdf", "xls"]', NOTICE)
    assert judged.article is not None
    assert judged.article.title == "食品抽检预算公开表"
    assert judged.article.text == "食品抽检预算表.pdf\n附件2：经费表.xls"
    assert files_of(judged) == {"http://a.cn/d/1.pdf", "http://a.cn/d/2.xls"}


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "<p>本周的食品抽检结果见附件，请各单位查收；附件一是食品抽检预算表，附件二是食品抽检经费表，如有疑问请致电县财政局预算科，谢谢。</p>",
    ],
)
def test_a_sentence_beside_a_file_stays_the_text(text: str) -> None:
    judged = look(body=NOTICE.replace("<div class=text>", f"<div class=text>{text}"))
    assert judged.article is not None
    assert text[3:20] in judged.article.text


def test_files_are_known_by_their_names_where_a_program_hands_them_out() -> None:
    body = NOTICE.replace("/d/1.pdf", "/down?id=1").replace("/d/2.xls", "/down?id=2")
    judged = look(body=body)
    assert judged.article is not None
    assert judged.article.text == "食品抽检预算表.pdf\n附件2：经费表.xls"


def test_the_files_below_a_short_text_are_of_it() -> None:
    text = "<p>本周的食品抽检结果现在公布，如有疑问请致电县财政局预算科，谢谢。</p>"
    judged = look(body=NOTICE.replace("<div class=text>", f"<div class=text>{text}"))
    assert judged.article is not None
    assert judged.article.text.split("\n")[1:] == ["食品抽检预算表.pdf", "附件2：经费表.xls"]
