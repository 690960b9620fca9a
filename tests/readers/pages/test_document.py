import pytest

"""A page is read once, and no page breaks the reading."""

import time

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.pages.document import MOST_MARKUP, MOST_TAGS, Document
from focuscrawl.readers.pages.texts import element_text
from tests.tables import each_row

URL = "http://news.example/city/2026/a.html"


def read(
    body: str | bytes, *, content_type: str = "", declared: str = "", forced: str = ""
) -> Document:
    return Document.read(
        body if isinstance(body, bytes) else body.encode(),
        url=URL,
        content_type=content_type,
        declared=declared,
        forced=forced,
    )


def test_title_text_and_encoding_of_a_gbk_page() -> None:
    document = read("<html><head><title> 新馆\n 开放 </title></head><body>正文很长。".encode("gbk"))
    assert document.title == "新馆 开放"
    assert document.encoding == "gb18030"
    assert element_text(document.root).endswith("正文很长。")
    assert document.markup.decode("utf-8").endswith("正文很长。")
    assert document.limits == ()


def test_a_page_in_utf16_is_parsed() -> None:
    document = read(b"\xff\xfe" + "<title>标题</title><p>文".encode("utf-16-le"))
    assert document.title == "标题"


@each_row(
    ("base", "expected"),
    [
        ("", URL),
        ('<base href="/top/">', "http://news.example/top/"),
        ('<base href="//cdn.example/x/">', "http://cdn.example/x/"),
        ('<base target="_blank">', URL),
        ('<base href="javascript:void(0)">', URL),
        ('<base href="http://[broken">', URL),
        ('<base target="_top"><base href="/second/">', "http://news.example/second/"),
    ],
)
def test_links_start_from_the_base_element_when_it_names_an_address(
    base: str, expected: str
) -> None:
    assert read(f"<head>{base}</head><a href=x>").base_url == expected


def test_the_title_of_a_drawing_is_not_the_pages() -> None:
    assert read("<body><svg><title>arrow</title></svg><p>text").title == ""
    assert read("<head><title>页</title></head><svg><title>arrow</title></svg>").title == "页"


@each_row("body", [b"", b"   ", b"<", b"<!-- x -->", b"\0", b"<?xml version='1.0'?>"])
def test_a_page_without_an_element_is_an_empty_page(body: bytes) -> None:
    document = read(body)
    assert document.root.tag == "html"
    assert document.title == ""


def test_control_characters_become_blanks() -> None:
    document = read(b"<title>a\x00b\x0cc\x7fd</title><p>x\x01y</p>")
    assert document.title == "a b c d"
    assert "x y" in element_text(document.root)


def test_bad_bytes_spoil_only_themselves() -> None:
    document = read(
        "<meta charset=utf-8><p>前面的文字</p>".encode() + b"\xff\xfe" + "后面的文字".encode()
    )
    text = element_text(document.root)
    assert "前面的文字" in text
    assert "后面的文字" in text


def test_what_is_cut_is_told() -> None:
    body = b"<p>" + b"word " * (MOST_MARKUP // 4)
    document = read(body)
    assert len(document.markup) == MOST_MARKUP
    assert document.limits == (f"cut: {MOST_MARKUP} of {len(body)} bytes read",)


def test_elements_past_a_hundred_and_twenty_thousand_are_cut_and_told() -> None:
    document = read(b"<p>1 < 2" + b"<i>x</i>" * MOST_TAGS)
    assert document.limits == (f"cut: first {MOST_TAGS} elements read",)
    assert len(document.root.findall(".//i")) == MOST_TAGS - 1
    assert read(b"<p>" + b"</b>" * 2 * MOST_TAGS).limits == ()


def test_a_page_nested_a_few_hundred_deep_is_read_whole() -> None:
    document = read("<div>" * 700 + "<a href=x>within</a>" + "</div>" * 700 + "<p>after")
    assert document.limits == ()
    assert "within" in element_text(document.root)
    assert "after" in element_text(document.root)


def test_ten_thousand_nested_elements_are_cut_and_told() -> None:
    document = read("<p>before</p>" + "<div>" * 10_000 + "text")
    assert document.limits == ("cut: nested too deep",)
    assert "before" in element_text(document.root)


@pytest.mark.timed
def test_an_element_with_endless_attributes_costs_nothing() -> None:
    attributes = " ".join(f"x{number}=1" for number in range(100_000))
    start = time.process_time()
    document = read(f"<p>before</p><div {attributes}>")
    assert time.process_time() - start < 1
    assert document.limits == ("cut: over 300 attributes in one tag",)
    assert "before" in element_text(document.root)


@given(st.binary(max_size=400))
def test_no_bytes_break_the_reading(body: bytes) -> None:
    assert read(body).root.tag == "html"
    assert read(b"<html><body><p>" + body).root.tag == "html"


@given(
    st.text(
        st.characters(
            codec="gb18030", exclude_categories=("C", "Zs", "Zl", "Zp"), exclude_characters="<>&"
        ),
        min_size=1,
    )
)
def test_text_survives_whatever_encoding_it_came_in(text: str) -> None:
    for encoding in ("utf-8", "gb18030"):
        body = f'<meta charset="{encoding}"><title>{text}</title>'.encode(encoding)
        assert read(body, forced=encoding).title == text


def test_a_page_within_a_page_has_one_body_with_all_of_both() -> None:
    inner = "<html><body class=x><p>里面</p></body></html>"
    inside = Document.read(
        f"<html><body><p>前</p>{inner}<p>后</p></body></html>".encode(), url="http://a.example/"
    )
    behind = Document.read(
        f"<html><body><p>前</p></body>{inner}</html>".encode(), url="http://a.example/"
    )
    for document, said in ((inside, "前里面后"), (behind, "前里面")):
        (body,) = document.root.iter("body")
        assert "".join(map(str, body.itertext())).replace("\n", "") == said


@each_row(
    "markup",
    [
        "<html><head><title>t</title></head><body><p>甲</p></body></html><p>乙</p></body></html>",
        "<html><body><p>甲</p></body><p>乙</p></html>",
        "<html><body><div><p>甲</p></body></html><p>乙</p></div>",
        "<html><body><p>甲</p></body></html>乙",
        "<html><head><title>t</title></head></html><body><p>甲</p><p>乙</p>",
        "<HTML><BODY><p>甲</p></BODY ></HTML><!-- include --><HTML><BODY><p>乙</p></BODY></HTML>",
        "<p>甲</p></html><table><tr><td>乙</table>",
    ],
)
def test_what_stands_behind_the_end_of_a_page_is_read_as_browsers_show_it(markup: str) -> None:
    root = Document.read(markup.encode(), url="http://a.test/").root
    (body,) = root.iter("body")
    assert "".join("".join(map(str, body.itertext())).split()) == "甲乙"
    assert len(root) <= 2, "nothing stands beside head and body"


@each_row(
    "markup",
    [
        "<title>t</title><header>甲</header><article><p>乙</p></article>",
        "<!doctype html><meta charset=utf-8><title>t</title><main>甲<p>乙</p></main>",
        "<html><head><title>t</title><header>甲</header><div>乙</div></html>",
        "<title>t</title><section>甲</section>乙",
    ],
)
def test_a_page_without_a_body_tag_has_what_it_shows_in_its_body(markup: str) -> None:
    document = Document.read(markup.encode(), url="http://a.test/")
    (body,) = document.root.iter("body")
    assert "".join("".join(map(str, body.itertext())).split()) == "甲乙"
    assert document.title == "t"
