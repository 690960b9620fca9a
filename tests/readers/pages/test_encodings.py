"""What a page says of its encoding is believed only where its bytes agree."""

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from focuscrawl.readers.pages.encodings import Encoding, codec_name, find_encoding, is_utf8
from tests.tables import each_row

pytestmark = pytest.mark.C4

STORY = (
    "昨天下午，市图书馆的新馆向读者开放。馆里有三十万册图书，二楼是儿童阅览室，三楼可以借阅外文期刊。"
    "“我们等了五年，”一位退休教师说，“现在走路十分钟就能到。”图书馆每周二闭馆，其余时间从早上九点开到晚上八点。"
)
TRADITIONAL = (
    "昨天下午，市圖書館的新館向讀者開放。館裡有三十萬冊圖書，二樓是兒童閱覽室，三樓可以借閱外文期刊。"
    "「我們等了五年，」一位退休教師說，「現在走路十分鐘就能到。」圖書館每週二閉館，其餘時間從早上九點開到晚上八點。"
)


def page(text: str, encoding: str, meta: str = "", padding: int = 0) -> bytes:
    said = f'<meta http-equiv="Content-Type" content="text/html; charset={meta}">' if meta else ""
    filler = "<script>" + "x" * padding + "</script>"
    return f"<html><head>{filler}{said}<title>文</title></head><body><p>{text}".encode(encoding)


@each_row(("encoding", "name"), [("utf-8", "utf-8"), ("gb18030", "gb18030")])
@each_row("meta", ["", "utf-8", "gb2312", "iso-8859-1", "nonsense"])
@each_row("header", ["", "text/html; charset=ISO-8859-1", "text/html; charset=UTF-8"])
@each_row("padding", [0, 9_000])
def test_the_bytes_win_whatever_header_and_meta_say(
    encoding: str, name: str, meta: str, header: str, padding: int
) -> None:
    body = page(STORY, encoding, meta, padding)
    assert find_encoding(body, content_type=header).name == name


def test_big5_is_found_without_a_word_about_it() -> None:
    assert find_encoding(page(TRADITIONAL, "big5hkscs")).name == "big5hkscs"


@each_row("label", ["gb2312", "GBK", "gb18030", "x-gbk", "GB_2312-80"])
def test_the_chinese_names_all_mean_gb18030(label: str) -> None:
    body = page("镕基与喆㐂", "gb18030", label)
    assert find_encoding(body).name == "gb18030"


def test_a_declaration_that_holds_is_no_contradiction() -> None:
    assert find_encoding(page(STORY, "gbk", "gb2312")) == Encoding("gb18030", contradicts=False)
    assert find_encoding(page(STORY, "utf-8", "utf-8")) == Encoding(
        "utf-8", False, is_faultless=True
    )


@pytest.mark.parametrize(
    ("encoding", "meta", "header"),
    [
        ("utf-8", "gb2312", ""),
        ("gbk", "utf-8", ""),
        ("utf-8", "utf-8", "text/html; charset=ISO-8859-1"),
    ],
)
def test_a_declaration_that_fails_is_told(encoding: str, meta: str, header: str) -> None:
    assert find_encoding(page(STORY, encoding, meta), content_type=header).contradicts


def test_one_bad_byte_does_not_turn_a_page_into_another_encoding() -> None:
    body = page(STORY, "utf-8", "utf-8")
    spoilt = body[:200] + b"\xff" + body[200:]
    assert find_encoding(spoilt).name == "utf-8"
    spoilt_gbk = page(STORY * 3, "gbk", "gb2312").replace("图书馆".encode("gbk"), b"\xff\xff", 1)
    assert find_encoding(spoilt_gbk).name == "gb18030"


@pytest.mark.parametrize("cut", [1, 2])
def test_a_character_cut_off_at_the_end_is_no_fault(cut: int) -> None:
    body = page(STORY, "utf-8", "utf-8")
    assert find_encoding(body + "字".encode()[:cut]) == Encoding("utf-8", False, is_faultless=True)


def test_a_short_gbk_text_that_happens_to_be_utf8_keeps_its_declaration() -> None:
    body = b'<meta charset="gbk">' + "图片".encode("gbk")
    assert body.decode("utf-8"), "the old trap: such bytes are valid UTF-8 too"
    assert find_encoding(body).name == "gb18030"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_a_byte_order_mark_beats_every_declaration(mark: bytes, codec: str) -> None:
    body = mark + page(STORY, codec, "gb2312")
    assert find_encoding(body, content_type="text/html; charset=gbk").name == codec


def test_the_template_is_obeyed() -> None:
    assert find_encoding(page(STORY, "utf-8", "utf-8"), forced="gbk") == Encoding("gb18030", False)


def test_an_encoding_named_elsewhere_stands_for_the_header() -> None:
    body = b"<p>plain"
    assert (
        find_encoding(body, content_type="text/html; charset=gbk", declared="big5").name
        == "big5hkscs"
    )


def test_plain_ascii_keeps_its_declaration_and_never_contradicts() -> None:
    assert find_encoding(b'<meta charset="gb2312">hello') == Encoding(
        "gb18030", False, is_faultless=True
    )
    assert find_encoding(b"hello") == Encoding("utf-8", False, is_faultless=True)


def test_a_meta_element_cannot_make_a_page_utf16() -> None:
    assert find_encoding(b'<meta charset="utf-16">hello').name == "utf-8"


@each_row("label", ["rot13", "zlib", "", None, "no such", "../etc", "x" * 500])
def test_labels_that_are_no_text_encoding_are_none(label: str | None) -> None:
    assert codec_name(label) is None


@given(st.binary(max_size=300), st.text(max_size=20), st.text(max_size=40))
@example(b"\xff\xfe", "utf-16", "")
@example(b"\x1b$B", "iso-2022-jp", "")
def test_every_body_gets_a_codec_python_has(body: bytes, declared: str, header: str) -> None:
    name = find_encoding(body, declared=declared, content_type=header).name
    assert isinstance(body.decode(name, "replace"), str)


@given(st.text(min_size=1))
def test_what_is_utf8_stays_utf8_when_its_end_is_cut_off(text: str) -> None:
    body = text.encode("utf-8", "ignore")
    assert all(is_utf8(body[:end]) for end in range(len(body) + 1))


@pytest.mark.parametrize(
    ("body", "url", "name"),
    [
        ("<title>食品</title>", "http://a.cn/", "gb18030"),
        ("<title>食品</title>", "http://a.example:80/x.cn/", "utf-8"),
        ("<html lang='zh-CN'><title>食品</title>", "http://a.example/", "gb18030"),
        ("<html lang='en'><title>食品</title>", "http://a.example/", "utf-8"),
    ],
)
def test_a_word_of_gbk_that_could_be_utf8_is_gbk_on_a_chinese_page(
    body: str, url: str, name: str
) -> None:
    assert find_encoding(body.encode("gb18030"), url=url).name == name


def test_a_little_utf8_on_a_chinese_page_stays_that() -> None:
    for text in ("<title>café</title>", "<p>§ 5 °C</p>", "<title>食品</title>"):
        assert find_encoding(text.encode(), url="http://a.cn/").name == "utf-8"
    declared = "<meta charset=utf-8><title>食品</title>".encode("gb18030")
    assert find_encoding(declared, url="http://a.cn/").name == "utf-8"


@each_row(
    ("body", "name"),
    [
        (b'<!--<meta charset="gbk">--><meta charset="big5"><p>x', "big5hkscs"),
        (b'<meta charset="bogus"><meta charset="iso8859-2"><p>x', "iso8859-2"),
        (b'<!-- a --><!-- <meta charset="gbk"> --><p>x', "utf-8"),
        (b'<!-- never ends <meta charset="gbk"><p>x', "gb18030"),
    ],
)
def test_the_first_declaration_that_names_an_encoding_counts_and_none_in_a_comment(
    body: bytes, name: str
) -> None:
    assert find_encoding(body).name == name
