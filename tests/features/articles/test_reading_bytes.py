"""Articles as other code reads them: from bytes."""

import pytest

from focuscrawl.features import articles
from focuscrawl.features.articles.main_text import read_plain_text
from focuscrawl.readers.pages.document import Document

pytestmark = pytest.mark.article_text

PARAGRAPHS = [
    f"第{number}段：市图书馆的新馆向读者开放，馆里有三十万册图书，二楼是儿童阅览室，三楼可以借阅期刊。"
    for number in range(1, 6)
]
MENU = "".join(f'<li><a href="/c{number}/">栏目{number}</a></li>' for number in range(12))
PAGE = (
    f"<html><head><title>市图书馆新馆昨天开放_城市新闻网</title></head><body><ul>{MENU}</ul>"
    "<h1>市图书馆新馆昨天开放</h1><p>2026-11-19 10:05　来源：城市日报　作者：张三丰</p><div>"
    + "".join(f"<p>{one}</p>" for one in PARAGRAPHS)
    + "</div><div>版权所有 © 城市新闻网</div></body></html>"
)
URL = "http://news.example/city/123.html"


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_an_article_is_read_from_bytes_alone(encoding: str) -> None:
    read = articles.read(PAGE.encode(encoding), URL)
    assert read.text.split("\n") == PARAGRAPHS
    assert read.title == "市图书馆新馆昨天开放"
    assert (read.date, read.published_by) == ("2026-11-19T10:05+08:00", "rule")
    assert (read.author, read.source_name, read.language) == ("张三丰", "城市日报", "zh")


def test_the_zone_of_dates_can_be_given_and_later_dates_refused() -> None:
    page = PAGE.encode()
    assert articles.read(page, URL, timezone="Europe/Madrid").date == "2026-11-19T10:05+01:00"
    assert articles.read(page, URL, fetched=1_700_000_000.0).date == ""


def test_a_page_without_text_is_an_empty_article() -> None:
    read = articles.read(b"<title>Nothing here</title>", URL)
    assert (read.title, read.text, read.date, read.published) == ("Nothing here", "", "", None)
    assert articles.read(b"", URL).text == read_plain_text(Document.read(b"", url=URL)) == ""


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_the_plain_text_of_a_page_has_that_of_its_article(encoding: str) -> None:
    text = read_plain_text(Document.read(PAGE.encode(encoding), url=URL))
    assert [line for line in text.split("\n") if line in PARAGRAPHS] == PARAGRAPHS


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 12_000 + "the end" + "</div>" * 12_000,
        "<a " + " ".join(f"x{number}=1" for number in range(100_000)) + ">the end</a>",
        "<b><i><p>the end" * 20_000,
    ],
    ids=["deep", "attributes", "never closed"],
)
def test_what_would_take_the_extractor_minutes_is_read_another_way(markup: str) -> None:
    page = Document.read(f"<html><body>{markup}".encode(), url=URL)
    assert len(read_plain_text(page)) < len(markup)


def test_what_a_page_is_and_how_its_date_and_its_bytes_are_written_is_told() -> None:
    read = articles.read(PAGE.encode("gb18030"), URL)
    assert (read.precision, read.encoding, read.page_class) == ("minute", "gb18030", "article")
    links = "".join(
        f'<li><a href="/{number}.html">第{number}个栏目的新闻列表</a></li>' for number in range(40)
    )
    assert articles.read(f"<ul>{links}</ul>".encode(), "http://news.example/").page_class == "board"


def test_the_lines_of_the_documentation_run(
    pytestconfig: pytest.Config, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (pytestconfig.rootpath / "docs" / "pieces.md").read_text("utf-8")
    section = page.partition("## Reading an article")[2]
    code = section.partition("```python\n")[2].partition("```")[0]
    exec(code, {"body": PAGE.encode()})
    said = capsys.readouterr().out.splitlines()
    assert said[:4] == [
        "市图书馆新馆昨天开放 张三丰 城市日报",
        "2026-11-19T10:05+08:00 minute",
        "article",
        "zh utf-8",
    ]
    assert said[4:] == PARAGRAPHS
