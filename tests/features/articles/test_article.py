"""An article: its text, and what its page says about it."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.article import read_article, text_language
from focuscrawl.features.articles.main_text import read_main_text
from focuscrawl.readers.pages.document import Document
from tests.features.articles.dates.dated import FETCHED, URL, ZONE, article_of
from tests.tables import each_row

pytestmark = pytest.mark.article_head

PARAGRAPHS = [
    "昨天下午，市图书馆的新馆向读者开放，馆里有三十万册图书，二楼是儿童阅览室。",
    "“我们等了五年，”一位退休教师说，“现在走路十分钟就能到，周末可以带着孩子来看书。”",
    "图书馆每周二闭馆，其余时间从早上九点开到晚上八点，外文期刊可以在三楼的服务台借阅。",
    "据馆长介绍，新馆的建设用了三年，屋顶的太阳能板可以供给全馆三分之一的用电。",
]


def page(
    head: str = "", above: str = "", title: str = "市图书馆新馆昨天开放", body: str = ""
) -> str:
    text = body or "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    menu = "".join(f'<li><a href="/c{number}/">栏目{number}</a></li>' for number in range(12))
    return f"""<html><head><title>{title}_城市新闻网</title>{head}</head><body><ul>{menu}</ul>
    <h1>{title}</h1>{above}<div class="content">{text}</div>
    <div class="footer">版权所有 © 2004-2026 城市新闻网 备案号 2026-01-02</div></body></html>"""


def published(markup: str, url: str = URL) -> tuple[str, str]:
    """Return the date as local time and how it was found; empty when there is none."""
    article = article_of(markup, url)
    if article.published is None:
        assert article.published_by == article.published_raw == ""
        return "", ""
    return f"{datetime.fromtimestamp(article.published, ZONE):%Y-%m-%d %H:%M}", article.published_by


def test_the_text_is_the_articles_and_one_paragraph_a_line() -> None:
    article = article_of(page())
    assert article.text.split("\n")[-4:] == PARAGRAPHS
    assert "栏目" not in article.text
    assert "版权" not in article.text
    assert article.title == "市图书馆新馆昨天开放"
    assert article.language == "zh"


def test_breaks_and_table_cells_are_lines_too() -> None:
    article = article_of(page(body="<br>\n　　".join(PARAGRAPHS)))
    assert article.text.split("\n")[-4:] == PARAGRAPHS


def test_scripts_and_styles_leave_no_text() -> None:
    article = article_of(
        page(
            body="".join(f"<p>{text}</p>" for text in PARAGRAPHS)
            + "<script>var a=1</script><style>p{}</style>"
        )
    )
    assert "var a" not in article.text
    assert "p{}" not in article.text


def test_images_of_the_text_are_absolute() -> None:
    image = '<p><img src="blank.gif" data-src="/img/a.jpg"></p><p><img src="b.jpg"></p><p><img src="data:image/gif;base64,x"></p>'
    article = article_of(
        page(
            body=f"<p>{PARAGRAPHS[0]}</p>{image}" + "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
        )
    )
    assert article.images == ("http://news.example/img/a.jpg", "http://news.example/city/b.jpg")


def test_a_gbk_page_is_read_with_its_characters() -> None:
    document = Document.read(page().encode("gb18030"), url=URL)
    article = read_article(document, fetched=FETCHED, timezone="Asia/Shanghai", language="zh")
    assert article is not None
    assert PARAGRAPHS[1] in article.text


def test_a_page_without_text_or_images_is_no_article() -> None:
    for markup in ("", "<title>x</title>", "<body><script>var a</script></body>"):
        document = Document.read(markup.encode(), url=URL)
        assert read_article(document, fetched=FETCHED, timezone="UTC", language="") is None


def test_a_short_page_falls_back_to_the_other_extractor() -> None:
    document = Document.read(f"<body><div>{PARAGRAPHS[0]}</div></body>".encode(), url=URL)
    assert PARAGRAPHS[0] in read_main_text(document).text


def test_a_page_too_large_for_the_extractors_gives_all_its_text() -> None:
    document = Document.read(("<p>一行文字，</p>" * 16_000).encode(), url=URL)
    main = read_main_text(document)
    assert main.found_by == "all text"
    assert main.text.startswith("一行文字，\n一行文字，")


def test_a_page_of_pictures_has_them_but_not_its_icons() -> None:
    article = article_of(
        '<title>展览</title><a href="/"><img src="/logo.png"></a><h1>展览</h1><img src="1.jpg" width=640>'
        '<img src="dot.gif" width="1" height="1"><p><img data-src="2.jpg"></p>'
    )
    assert article.images == ("http://news.example/city/1.jpg", "http://news.example/city/2.jpg")


@each_row(
    ("head", "above", "url", "expected"),
    [
        ("", "<div>2026-11-19 10:05 来源：城市日报</div>", URL, ("2026-11-19 10:05", "rule")),
        ("", "<p>发布时间：2026年11月19日 10:05</p>", URL, ("2026-11-19 10:05", "rule")),
        ("", "<span>发布时间：</span><span>2026年11月19日</span>", URL, ("2026-11-19 00:00", "rule")),
        ("", '<span class="pub-time">2026/11/19</span>', URL, ("2026-11-19 00:00", "rule")),
        ("", "<p>发布于 3小时前</p>", URL, ("2026-11-20 15:20", "rule")),
        ("", '<time datetime="2026-11-19T10:05:00+08:00">昨天</time>', URL, ("2026-11-19 10:05", "rule")),
        ('<meta property="article:published_time" content="2026-11-19T02:05:00Z">', "", URL, ("2026-11-19 10:05", "meta")),
        ('<meta name="PubDate" content="2026-11-19 10:05:00">', "", URL, ("2026-11-19 10:05", "meta")),
        ('<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","datePublished":"2026-11-19T10:05:00+08:00"}]}</script>',
         "<p>2026-01-01 10:00</p>", URL, ("2026-11-19 10:05", "json-ld")),
        ('<script type="application/ld+json">{broken</script>', "<p>2026-11-19 10:05</p>", URL, ("2026-11-19 10:05", "rule")),
        ("", "", "http://news.example/2026/11/19/story.html", ("2026-11-19 00:00", "url")),
        ("", "<script>var d = {'publishTime': '2026-11-19 10:05:00'};</script>", URL, ("2026-11-19 10:05", "rule")),
        ("", '<script>var ct = "1795053900";</script>', URL, ("2026-11-19 10:05", "rule")),
        ("", "<script>a={pubDate:'2026-11-19'};b={pubDate:'2026-11-18'}</script>", URL, ("", "")),
        ("", "<script>var act = '2026-11-19', publishTime = now();</script>", URL, ("", "")),
        ("", "", "http://news.example/n/2026/1119/c90-1.html", ("2026-11-19 00:00", "url")),
        ("", "", "http://news.example/n/2026/1119.html", ("", "")),
        ("", "", URL, ("", "")),
        ("", "<p>评论 2026-11-19 10:05</p>", URL, ("", "")),
        ("", "<p>报名截止日期：2026-11-19 10:05</p>", URL, ("", "")),
        ("", "<p>发布时间：2036-11-19 10:05</p>", URL, ("", "")),
        ("", "<p>刚刚，新馆的大门打开了，门口排着队。</p>", URL, ("", "")),
        ('<meta property="article:published_time" content="soon">', "", URL, ("", "")),
    ],
)  # fmt: skip
def test_dates_are_found_where_the_page_shows_one_and_nowhere_else(
    head: str, above: str, url: str, expected: tuple[str, str]
) -> None:
    assert published(page(head, above), url) == expected


def test_a_list_of_dated_headlines_beside_an_undated_article_gives_it_no_date() -> None:
    rows = "".join(
        f"<tr><td><a href='/n/{day}'>一条新闻</a></td><td>2026-11-{day:02} 10:05</td></tr>"
        for day in range(1, 12)
    )
    assert published(page(above=f"<table>{rows}</table>")) == ("", "")


def test_a_date_in_the_text_is_not_the_articles() -> None:
    body = "".join(
        f"<p>{text}工程于2025年3月2日开工，2026年10月1日完工，市民可以参观。</p>"
        for text in PARAGRAPHS
    )
    assert published(page(body=body)) == ("", "")


@each_row(
    ("above", "author", "source"),
    [
        ("<p>2026-11-19 10:05　来源：城市日报　作者：张三丰　编辑：李四</p>", "张三丰", "城市日报"),
        ("<p>来源: <a href='/'>城市日报</a></p>", "", "城市日报"),
        ("<p>作 者：张三丰</p>", "张三丰", ""),
        ("<p>城市日报（记者 张三丰、李四光）</p>", "张三丰、李四光", ""),
        ("<p>文/张三丰</p>", "张三丰", ""),
        ("<p>By Jane Smith and John O'Neil</p>", "Jane Smith and John O'Neil", ""),
        ("<p>来源：新华网2026-11-19</p>", "", "新华网"),
        ("<p>作者：佚名</p>", "", ""),
        ("<p>记者从市图书馆获悉，新馆开放了。</p>", "", ""),
        ("<p>记者了解到</p>", "", ""),
    ],
)  # fmt: skip
def test_author_and_source_are_as_printed(above: str, author: str, source: str) -> None:
    article = article_of(page(above=above))
    assert (article.author, article.source_name) == (author, source)


def test_an_author_in_the_markup_is_taken() -> None:
    described = '<script type="application/ld+json">{"@type":"Article","author":[{"name":"张 三"},{"name":"李四"}]}</script>'
    assert article_of(page(described)).author == "张 三, 李四"
    assert article_of(page('<meta name="author" content="王五">')).author == "王五"
    assert article_of(page('<meta name="author" content="http://x.example/">')).author == ""


@each_row(
    ("head", "expected"),
    [
        (
            "<title>新馆昨天正式开放_社会_城市新闻网</title><h1>新馆昨天正式开放</h1>",
            "新馆昨天正式开放",
        ),
        (
            "<title>城市新闻网 - 新馆昨天正式开放，市民排队参观</title><h1><a href='/'>城市新闻网</a></h1>",
            "新馆昨天正式开放，市民排队参观",
        ),
        (
            "<title>Site | A much longer article title here</title>",
            "A much longer article title here",
        ),
        (
            '<title>x | Site</title><meta property="og:title" content="The Real Title">',
            "The Real Title",
        ),
        ("<title>新馆开放--图片频道--城市网</title>", "新馆开放"),
        ("<title>一则短讯</title>", "一则短讯"),
        ("<p>no title</p>", ""),
    ],
)
def test_titles(head: str, expected: str) -> None:
    assert article_of(f"{head}<p>{'</p><p>'.join(PARAGRAPHS)}</p>").title == expected


@each_row(
    ("text", "declared", "expected", "language"),
    [
        ("The results of an inspection", "", "auto", "en"),
        (PARAGRAPHS[0], "en", "en", "zh"),
        ("図書館の新しい建物が開きました。とても広いです。", "zh", "zh", "ja"),
        ("도서관의 새 건물이 문을 열었습니다.", "", "zh", "ko"),
        ("The library opened its new building.", "en-US", "zh", "en"),
        ("La biblioteca abrió su nuevo edificio.", "es", "zh", "es"),
        ("The library opened.", "zh-CN", "zh", "en"),
        ("Die Bibliothek ist offen.", "", "de", "de"),
        ("", "", "", "en"),
        ("安装它： pip install scrapy && scrapy crawl demo", "", "", "zh"),
        ("安装方法： " + "import this that\n" * 8, "zh-CN", "", "zh"),
        ("安装方法： " + "import this that\n" * 8, "", "", "en"),
    ],
)
def test_languages_are_told_by_their_script(
    text: str, declared: str, expected: str, language: str
) -> None:
    assert text_language(text, declared, expected) == language


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reading(body: bytes) -> None:
    document = Document.read(b"<html><body><div><p>" + body, url=URL)
    article = read_article(document, fetched=FETCHED, timezone="Asia/Shanghai", language="zh")
    assert article is None or article.text or article.images
