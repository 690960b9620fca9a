"""Links as browsers would follow them."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.readers.pages.document import Document, Joiner
from focuscrawl.readers.pages.links import (
    LONGEST_ANCHOR,
    MOST_LINKS,
    FoundLink,
    entry_dates,
    find_links,
    only_nofollow,
)
from tests.tables import each_row

pytestmark = pytest.mark.refused_links

URL = "http://news.example/a/b.html?q=1"


def links(markup: str, encoding: str = "utf-8", url: str = URL) -> list[FoundLink]:
    return find_links(Document.read(markup.encode(encoding), url=url, forced=encoding))


@each_row(
    ("reference", "expected"),
    [
        ("../x.html", "http://news.example/x.html"),
        ("//other.example/x", "http://other.example/x"),
        ("?p=2", "http://news.example/a/b.html?p=2"),
        ("", "http://news.example/a/b.html?q=1"),
        ("a b.html", "http://news.example/a/a%20b.html"),
        ("\\x\\y", "http://news.example/x/y"),
        ("\n /x\ty ", "http://news.example/xy"),
        ("/中文.html", "http://news.example/%E4%B8%AD%E6%96%87.html"),
        ("%D6%D0.html", "http://news.example/a/%D6%D0.html"),
        ("?k=%D6%D0", "http://news.example/a/b.html?k=%D6%D0"),
        ("http://中文.example/x", "http://xn--fiq228c.example/x"),
        ("HTTP://Example.COM:80/A", "http://example.com/A"),
        ("x.html#part", "http://news.example/a/x.html"),
        ("http://old_name.example/", "http://old_name.example/"),
        ("a/../../../b", "http://news.example/b"),
    ],
)
def test_references_are_joined_as_browsers_do(reference: str, expected: str) -> None:
    assert Joiner(URL).join(reference) == expected


@each_row(
    "reference",
    ["#top", "javascript:void(0)", "JavaScript:go()", "mailto:a@b.example", "data:text/html,x", "tel:12345",
     "ftp://files.example/", "http://[broken", "http://a b/", "x" * 9_000],
)  # fmt: skip
def test_what_cannot_be_fetched_is_no_address(reference: str) -> None:
    assert Joiner(URL).join(reference) is None


def test_queries_are_escaped_in_the_pages_encoding_and_paths_never() -> None:
    joiner = Joiner(URL, "gb18030")
    assert joiner.join("/s?k=中文&p=1#头") == "http://news.example/s?k=%D6%D0%CE%C4&p=1"
    assert joiner.join("/中/s?k=a") == "http://news.example/%E4%B8%AD/s?k=a"
    assert joiner.join("/s?k=%D6%D0&n=中") == "http://news.example/s?k=%D6%D0&n=%D6%D0"


@each_row(
    "host", ["192.168.0.257", "256.1.1.1.", "1.2.3.4.5", "foo.0x4", "0x100000000", "foo.09:80"]
)
def test_a_host_that_ends_in_a_number_and_is_no_ip_address_is_none(host: str) -> None:
    assert Joiner(URL).join(f"http://{host}/x") is None


def test_a_host_the_url_library_refuses_may_still_answer() -> None:
    assert Joiner(URL).join("http://xn--a.example/x") == "http://xn--a.example/x"


@given(
    st.from_regex(r"(\.\./|\./|[a-z0-9]{1,4}/){0,4}[a-z0-9]{0,5}(\?[a-z]=[0-9])?", fullmatch=True)
)
def test_plain_references_are_joined_as_the_standard_library_does(reference: str) -> None:
    assert Joiner(URL).join(reference) == urljoin(URL, reference)


@given(st.text(max_size=60), st.sampled_from(["utf-8", "gb18030", "big5hkscs"]))
def test_no_reference_breaks_the_joining(reference: str, encoding: str) -> None:
    url = Joiner(URL, encoding).join(reference)
    assert url is None or (url.startswith(("http://", "https://")) and "#" not in url)


def test_anchor_title_and_rel_are_told() -> None:
    (link,) = links(
        '<a href="/x" title=" 全 文 " rel="NoFollow  nofollow">图书馆\n  <b>开放</b> 了</a>'
    )
    assert link.url == "http://news.example/x"
    assert link.anchor == "图书馆 开放 了"
    assert link.title == "全 文"
    assert link.rel == "nofollow nofollow"
    assert link.tag == "a"
    assert link.element.get("href") == "/x"


@each_row(
    ("head", "robots", "asks"),
    [
        ("", "", False),
        ('<meta name="robots" content="noindex, nofollow">', "", True),
        ('<META NAME="ROBOTS" CONTENT="NONE">', "", True),
        ('<meta name="robots" content="index,follow">', "", False),
        ('<meta name="googlebot" content="nofollow">', "", False),
        ('<meta name="description" content="nofollow">', "", False),
        (
            '<meta name="generator" content="DokuWiki"><meta name="robots" content="noindex,nofollow">',
            "",
            False,
        ),
        (
            '<meta name="generator" content="MediaWiki 1.39"><meta name="robots" content="nofollow">',
            "",
            True,
        ),
        ('<meta name="generator" content="DokuWiki">', "nofollow", True),
        ("", "noindex,nofollow", True),
        ("", "noindex\nnofollow", True),
        ("", "unavailable_after: 25 Jun 2027 15:00:00 PST, nofollow", True),
        ("", "googlebot: nofollow", False),
        ("", "otherbot: noindex, nofollow", False),
    ],
)
def test_a_page_may_ask_not_to_follow_any_of_its_links(head: str, robots: str, asks: bool) -> None:
    markup = f"{head}<a href='/x'>x</a><area href='/y'><iframe src='/z'></iframe><a href='/n' rel=nofollow>n</a>"
    document = Document.read(markup.encode(), url="http://news.example/")
    found = {link.url[-1]: "nofollow" in link.rel for link in find_links(document, robots)}
    assert found == {"x": asks, "y": asks, "z": False, "n": True}


def test_an_address_is_marked_when_it_is_so_wherever_it_stands() -> None:
    found = links(
        '<a href="/1" rel="nofollow">1</a><a href="/1">1</a><a href="/2" rel="next nofollow">2</a>'
    )
    assert only_nofollow(found) == {"http://news.example/2"}


def test_an_image_speaks_for_a_link_without_text() -> None:
    (link,) = links('<a href="/x"><img src="a.gif" alt=" 下一页 "></a>')
    assert link.anchor == "下一页"


def test_long_anchors_are_cut() -> None:
    (link,) = links(f'<a href="/x">{"字" * 1000}</a>')
    assert len(link.anchor) == LONGEST_ANCHOR


def test_every_kind_of_link_is_found_in_page_order() -> None:
    found = links(
        """<head><link rel="next" href="/2"><link rel="stylesheet" href="/s.css">
        <meta http-equiv="refresh" content="3; url='/moved'"></head>
        <body><a href="/a">a</a><map><area href="/area" alt="地图"></map>
        <iframe src="/inner"></iframe><a name="here">no link</a><a href="/b">b</a></body>"""
    )
    assert [(link.tag, link.url.rpartition("/")[2]) for link in found] == [
        ("link", "2"),
        ("refresh", "moved"),
        ("a", "a"),
        ("area", "area"),
        ("iframe", "inner"),
        ("a", "b"),
    ]
    assert found[3].anchor == "地图"


def test_frames_of_an_old_site_are_links() -> None:
    found = links('<frameset><frame src="menu.html"><frame src="main.html"></frameset>')
    assert [link.url for link in found] == [
        "http://news.example/a/menu.html",
        "http://news.example/a/main.html",
    ]


@each_row("content", ["5", "", "url=", "0;", "x; url=/y"])
def test_a_refresh_to_nowhere_is_no_link(content: str) -> None:
    assert links(f'<meta http-equiv="refresh" content="{content}">') == []


def test_the_same_address_may_stand_twice() -> None:
    found = links('<a href="/x"><img src="i"></a><a href="/x">标题</a>')
    assert [link.anchor for link in found] == ["", "标题"]


def test_a_page_of_too_many_links_is_cut() -> None:
    assert len(links("<a href=/x>x</a>" * (MOST_LINKS + 10))) == MOST_LINKS


def test_links_of_a_gbk_page() -> None:
    (link,) = links('<a href="list.asp?class=新闻">更多</a>', "gb18030")
    assert link.url == "http://news.example/a/list.asp?class=%D0%C2%CE%C5"
    assert link.anchor == "更多"


@pytest.mark.timed
def test_reading_and_links_of_a_usual_page_cost_less_than_a_millisecond() -> None:
    import time

    row = "<p><a href='/site/page{0}.html?a={0}' title='x'>链接文字链接文字 {0}</a> 一些文字</p>"
    rows = "".join(row.format(number) for number in range(33))
    body = f"<meta charset=utf-8>{rows}{'<p>' + '内容文字，' * 60 + '</p>'}".encode() * 1
    find_links(Document.read(body, url=URL))
    start = time.process_time()
    for _ in range(200):
        found = find_links(Document.read(body, url=URL, content_type="text/html; charset=utf-8"))
    assert len(found) == 33
    assert (time.process_time() - start) / 200 < 0.002, "four times what was measured"


NOW = 1_780_000_000.0
DAY = 86_400.0


def dates(markup: str) -> list[float]:
    page = f"<html><head><meta charset='utf-8'></head><body>{markup}</body></html>"
    document = Document.read(page.encode(), url="http://news.example/list/")
    return entry_dates(find_links(document), timezone="UTC", now=NOW)


def test_the_date_of_an_entry_stands_in_its_row() -> None:
    found = dates(
        "<ul><li><a href='/1.html'>成都抽检三批次食品不合格</a><span>2026-05-02</span></li>"
        "<li><a href='/2.html'>绵阳一食堂被责令整改</a> <i>2026-05-01</i></li></ul>"
    )
    assert [(second - found[1]) / DAY for second in found] == [1.0, 0.0]


EXCERPT = (
    "<p>" + "The council met on 1 May 2019 and agreed on what had been agreed before. " * 9 + "</p>"
)


@pytest.mark.parametrize(
    "card",
    [
        (
            "<div class='post'><h2><a href='/{n}/'>The bridge is open again</a></h2>"
            "<ul><li><span><i></i><span>{d} May 2026</span></span></li><li>A. Writer</li></ul>{e}</div>"
        ),
        (
            "<article><h2><a href='/{n}/'>The bridge is open again</a></h2>"
            "<div class='meta'>by A. Writer on <time>2026-05-0{d}</time></div>{e}</article>"
        ),
        "<article><p class='meta'>May {d}, 2026</p><h2><a href='/{n}/'>The bridge is open again</a></h2>{e}</article>",
        "<a href='/{n}/'><h3>The bridge is open again</h3></a><p>2026年5月{d}日</p>{e}",
        "<h3><a href='/{n}/'>The bridge is open again</a></h3><div><b>2026-05-0{d} 08:30</b></div>{e}",
    ],
)
def test_the_date_of_an_entry_with_an_excerpt_stands_beside_its_heading(card: str) -> None:
    found = dates("".join(card.format(n=number, d=number, e=EXCERPT) for number in (5, 4, 3)))
    assert [round((second - found[2]) / DAY) for second in found] == [2, 1, 0]


def test_a_date_in_the_excerpt_of_an_entry_is_not_its_own() -> None:
    card = "<div><h2><a href='/{n}/'>What changes from May on</a></h2>{e}</div>"
    assert dates("".join(card.format(n=number, e=EXCERPT) for number in (5, 4, 3))) == []


def test_the_date_of_an_entry_may_stand_in_its_address() -> None:
    assert len(dates("<p><a href='/2026/05/02/a.html'>成都抽检三批次食品不合格</a></p>")) == 1


def test_clocks_and_copyright_lines_are_no_entries() -> None:
    found = dates(
        "<div>今天是2026年5月20日 <a href='/'>首页</a></div>"
        "<footer>© 2026-05-20 <a href='/about'>关于我们联系我们</a> " + "某某网站版权所有" * 20
    )
    assert found == []


def test_dates_in_the_future_do_not_count() -> None:
    assert dates("<li><a href='/1.html'>成都抽检三批次食品不合格</a>2031-01-01</li>") == []
