"""What search engines answer: organic results in order, or the reason why there are none."""

import json
from base64 import urlsafe_b64encode
from functools import cache
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.demo.engine import ENGINE, STRICT_ENGINE
from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.search.result_page import (
    MOST_RESULTS,
    SearchAnswer,
    SearchResult,
    SearchStatus,
    read_results,
)
from focuscrawl.features.search.table import EngineTable, SearchTable
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.template.load import load
from tests.cost import holds
from tests.tables import each_row

pytestmark = pytest.mark.C2

OWN = """
[search.engine.mine]
url = "http://s.example/find?q={query}&p={page}"
results = "css:li.hit"
link = "css:h3 a::attr(href)"
title = "css:h3"
snippet = "css:p"
date = "css:time"
[search.engine.demo]
url = "http://search.example/s?wd={query}&pn={first}"
results = "css:div.result"
link = "css:h3 a::attr(href)"
title = "css:h3"
snippet = "css:.abstract"
date = "css:.date"
[search.engine.paths]
url = "http://s.example/find?q={query}&p={page}"
results = "xpath://li[@class='hit']"
link = "xpath://h3/a/@href"
title = "xpath://h3//text()"
ads = "css:.bought"
[search.engine.searxng]
url = "https://sx.example/search?q={query}&format=json&pageno={page}"
[search.engine.nested]
url = "http://s.example/find?q={query}"
format = "json"
results = "json:data.items[]"
link = "json:page.href"
title = "json:page.name"
date = "json:seen"
"""
NAMES = ("baidu", "baidu-news", "bing", "so360", "sogou", "searxng", "mine", "demo", "paths", "nested")  # fmt: skip
URL = "http://s.example/find?q=x&p=1"
NOW = 1_790_000_000.0


@cache
def engines() -> dict[str, EngineTable]:
    names = ", ".join(f'"{name}"' for name in NAMES)
    text = f'[topic]\nname = "t"\nkeywords = "x"\n[search]\nengines = [{names}]\n{OWN}'
    return load(text).template.of(SearchTable).engine


def read(
    body: str | bytes, name: str = "mine", url: str = "", status: int = 200, query: str = ""
) -> SearchAnswer:
    engine = engines()[name]
    raw = body.encode() if isinstance(body, str) else body
    where = url or (engine.url.of("x", 1) if engine.url else "")
    return read_results(Fetched(where, status, raw, "", NOW), engine, query=query)


def urls(answer: SearchAnswer) -> list[str]:
    return [result.url for result in answer.results]


def page(*rows: str, title: str = "x", more: str = "") -> str:
    return f"<html><head><title>{title}</title></head><body>{more}<ul>{''.join(rows)}</ul></body></html>"


def row(href: str, title: str = "Title", inside: str = "", classes: str = "hit") -> str:
    return f'<li class="{classes}"><h3><a href="{href}">{title}</a></h3>{inside}</li>'


# Results


def test_links_are_absolute_and_in_the_order_of_the_page() -> None:
    rows = [row(" http://b.cn/x y "), row("//c.cn/#top"), row("http://a.cn/../z?b=1#c")]
    assert urls(read(page(*rows))) == ["http://b.cn/x%20y", "http://c.cn/", "http://a.cn/z?b=1"]


def test_title_snippet_and_date_are_read_inside_the_result() -> None:
    inside = "<p>开通 <b>新线</b></p><time>2026年9月20日</time>"
    (first, second) = read(
        page(row("http://a.cn/#top", "成都<em>地铁</em>", inside), row("//b.cn/", "B"))
    ).results
    assert first == SearchResult(
        "http://a.cn/",
        1,
        "成都地铁",
        "开通 新线",
        dated=1_789_833_600.0,
        href="http://a.cn/#top",
    )
    assert second == SearchResult("http://b.cn/", 2, "B", href="//b.cn/")


def test_an_address_is_a_result_once_where_it_stands_first() -> None:
    answer = read(page(row("http://a.cn/", "1"), row("http://b.cn/"), row("http://a.cn/#2", "3")))
    assert urls(answer) == ["http://a.cn/", "http://b.cn/"]
    assert [(one.rank, one.title) for one in answer.results] == [(1, "1"), (2, "Title")]


def test_results_inside_a_result_belong_to_it() -> None:
    inner = f"<ul>{row('http://inner.cn/')}</ul>"
    assert urls(read(page(row("http://a.cn/", inside=inner), row("http://b.cn/")))) == [
        "http://a.cn/",
        "http://b.cn/",
    ]


def test_what_leads_nowhere_is_no_result() -> None:
    rows = [row("javascript:void(0)"), row("#top"), row("mailto:a@b.cn"), row(""), row("http://[")]
    assert urls(read(page(*rows, row("http://a.cn/")))) == ["http://a.cn/"]


def test_pages_of_the_engine_itself_are_no_results() -> None:
    rows = [
        row("/find?q=others"),
        row("http://s.example/images?q=x"),
        row("http://maps.s.example/"),
    ]
    assert urls(read(page(*rows))) == ["http://maps.s.example/"]


def test_xpath_from_the_top_looks_inside_each_result() -> None:
    answer = read(page(row("http://a.cn/", "A<b>1</b>"), row("http://b.cn/", "B")), "paths")
    assert [(one.url, one.title) for one in answer.results] == [
        ("http://a.cn/", "A1"),
        ("http://b.cn/", "B"),
    ]


def test_a_page_of_thousands_of_results_gives_a_bounded_number() -> None:
    rows = [row(f"http://a.cn/{number}") for number in range(2500)]
    assert len(read(page(*rows)).results) == MOST_RESULTS


def test_a_gbk_page_is_read() -> None:
    body = page(row("http://a.cn/?k=中", "成都地铁开通新线路的消息")).replace("<head>", '<head><meta charset="gbk">')  # fmt: skip
    (result,) = read(body.encode("gbk")).results
    assert (result.url, result.title) == ("http://a.cn/?k=%D6%D0", "成都地铁开通新线路的消息")


# Redirects


@each_row(
    ("href", "expected", "redirect"),
    [
        ("/link?url=" + quote("http://a.cn/x?y=1&z=2", safe=""), "http://a.cn/x?y=1&z=2", False),
        ("/link?url=DSOYnZeCC_qetJv", "http://s.example/link?url=DSOYnZeCC_qetJv", True),
        ("/url?q=https%3A%2F%2Fa.cn%2F&sa=U", "https://a.cn/", False),
        ("/l/?uddg=https%3A%2F%2Fa.cn%2F", "https://a.cn/", False),
        ("http://r.s.example/link?url=http%3A%2F%2Fa.cn%2F", "http://a.cn/", False),
        ("http://b.cn/link?url=http%3A%2F%2Fa.cn%2F", "http://b.cn/link?url=http%3A%2F%2Fa.cn%2F", False),
        ("/link?url=javascript%3Aalert(1)", "http://s.example/link?url=javascript%3Aalert(1)", True),
    ],
)  # fmt: skip
def test_redirects_of_the_engine_are_unwrapped_or_marked(
    href: str, expected: str, redirect: bool
) -> None:
    (result,) = read(page(row(href))).results
    assert (result.url, result.redirect, result.href) == (expected, redirect, href)


def bing(target: str) -> str:
    packed = urlsafe_b64encode(target.encode()).decode().rstrip("=")
    return f"https://www.bing.com/ck/a?!&amp;&amp;p=1f&amp;ptn=3&amp;u=a1{packed}&amp;ntb=1"


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=40))
def test_bing_hides_addresses_in_base64url(path: str) -> None:
    body = f'<ol id="b_results"><li class="b_algo"><h2><a href="{bing(f"https://a.cn/{path}")}">T</a></h2></li></ol>'
    (result,) = read(body, "bing").results
    assert (result.url, result.redirect) == (f"https://a.cn/{path}", False)


@pytest.mark.parametrize("broken", ["a1###", "a1", "a1aHR0", "a1" + "é" * 9])
def test_what_is_no_base64url_stays_a_redirect(broken: str) -> None:
    body = (
        f'<ol id="b_results"><li class="b_algo"><h2><a href="/ck/a?u={broken}">T</a></h2></li></ol>'
    )
    (result,) = read(body, "bing").results
    assert result.redirect


def test_bing_answers_from_another_host_of_its_own() -> None:
    href = bing("https://a.cn/").replace("www.", "cn.")
    body = f'<ol id="b_results"><li class="b_algo"><h2><a href="{href}">T</a></h2></li></ol>'
    assert urls(read(body, "bing", "https://cn.bing.com/search?q=x")) == ["https://a.cn/"]


def baidu(*rows: str) -> str:
    return f'<div id="content_left">{"".join(rows)}</div>'


def baidu_row(link: str, mu: str = "") -> str:
    named = f' mu="{mu}"' if mu else ""
    return f'<div class="result c-container"{named}><h3 class="t"><a href="{link}">T</a></h3></div>'


def test_baidu_names_the_address_behind_its_link() -> None:
    link = "http://www.baidu.com/link?url=abc"
    rows = [
        baidu_row(link + "1", "https://a.cn/"),
        baidu_row(link + "2"),
        baidu_row(link + "3", "http://nourl.ubs.baidu.com/51270"),
        baidu_row(link + "4", "http://www.baidu.com/s?tn=news&wd=x"),
        baidu_row(link + "5", "https://baike.baidu.com/item/x"),
    ]
    answer = read(baidu(*rows), "baidu")
    assert [(one.url, one.redirect) for one in answer.results] == [
        ("https://a.cn/", False),
        (link + "2", True),
        (link + "3", True),
        ("https://baike.baidu.com/item/x", False),
    ]
    assert answer.results[0].href == link + "1"


def test_baidus_older_pages_have_tables() -> None:
    body = baidu(
        '<table class="result"><tr><td><h3 class="t"><a href="http://a.cn/">T</a></h3></td></tr></table>'
    )
    assert urls(read(body, "baidu")) == ["http://a.cn/"]


def test_so360_names_the_address_in_an_attribute() -> None:
    item = '<li class="res-list"><h3 class="res-title"><a href="https://www.so.com/link?m=a1b" data-mdurl="http://a.cn/x">T</a></h3><span class="gray">2026-09-20 - </span></li>'
    (result,) = read(f'<ul class="result">{item}</ul>', "so360").results
    assert (result.url, result.href) == ("http://a.cn/x", "https://www.so.com/link?m=a1b")
    assert result.dated is not None


def test_sogou_has_two_kinds_of_rows() -> None:
    body = """<div class="results">
    <div class="vrwrap"><h3 class="vr-title"><a href="/link?url=DSO">A</a></h3></div>
    <div class="rb"><h3 class="pt"><a href="http://b.cn/">B</a></h3></div>
    <div class="vrwrap"><div class="hint-mid"><a href="?query=more">more</a></div></div>
    </div>"""
    assert urls(read(body, "sogou")) == ["https://www.sogou.com/link?url=DSO", "http://b.cn/"]


# Advertisements


@each_row(
    "advertisement",
    [
        row("http://shop.cn/", inside="<span>广告</span>"),
        row("http://shop.cn/", inside="<div><a>[推广]</a></div>"),
        row("http://shop.cn/", inside="<small>Sponsored</small>"),
        row("http://shop.cn/", inside="<small>Реклама</small>"),
        row("http://shop.cn/", inside="<span>Sponsorisé</span>"),
        row("http://shop.cn/", inside="<span>Patrocinado</span>"),
        row("http://shop.cn/", inside="<em><span>광고</span></em>"),
        row("http://shop.cn/", inside="<div>スポンサー</div>"),
        row("http://shop.cn/", inside="<span>Ad ·</span>"),
        row("http://shop.cn/", classes="hit ad"),
        row("http://shop.cn/", classes="hit sponsored"),
        f'<div class="ads">{row("http://shop.cn/")}</div>',
        row("/aclick?ld=e3"),
        row("http://www.googleadservices.com/pagead/aclk?x"),
        row("http://ad.s.example/adclick?n=1"),
    ],
)
def test_advertisements_are_left_out_and_do_not_count_in_ranks(advertisement: str) -> None:
    answer = read(page(advertisement, row("http://a.cn/")))
    assert [(one.url, one.rank) for one in answer.results] == [("http://a.cn/", 1)]


@each_row(
    "organic",
    [
        row("http://a.cn/", "<em>广告</em>公司"),
        row("http://a.cn/", inside="<p>成都<span>广告</span>公司</p>"),
        row("http://a.cn/", inside="<p><span>广告</span>公司名录</p>"),
        row("http://a.cn/", inside="<p>一个<span>广告</span></p>"),
        row("http://a.cn/bill_2026.html"),
        row("http://a.cn/", classes="hit add-on"),
        row("http://a.cn/", "Ad hoc"),
    ],
)
def test_results_about_advertising_are_results(organic: str) -> None:
    assert len(read(page(organic)).results) == 1


def test_baidus_paid_links_are_advertisements() -> None:
    link = "http://www.baidu.com/baidu.php?url=a00000"
    assert urls(read(baidu(baidu_row(link), baidu_row("http://a.cn/")), "baidu")) == [
        "http://a.cn/"
    ]


def test_a_template_may_say_what_is_an_advertisement() -> None:
    rows = [row("http://shop.cn/", inside="<i class='bought'></i>"), row("http://a.cn/")]
    assert urls(read(page(*rows), "paths")) == ["http://a.cn/"]
    assert urls(read(page(*rows), "mine")) == ["http://shop.cn/", "http://a.cn/"]


def test_nothing_but_advertisements_is_not_no_results() -> None:
    answer = read(page(row("http://shop.cn/", classes="hit ad")))
    assert (answer.status, answer.reason) == (SearchStatus.UNREADABLE, "1 advertisements only")
    said = read(page(row("http://shop.cn/", classes="hit ad"), more="<p>没有找到相关网页</p>"))
    assert said.status is SearchStatus.EMPTY


# No results


@pytest.mark.parametrize(
    "text",
    [
        "<p>抱歉，没有找到与“x”相关的网页。</p>",
        "<div>找到相关结果约0个</div>",
        "<p>There are no results for <b>x</b></p>",
        "<p>Your search - x - did not match any documents.</p>",
    ],
)
def test_a_page_that_says_so_has_no_results(text: str) -> None:
    assert read(page(more=text)).status is SearchStatus.EMPTY


@each_row(
    ("body", "reason"),
    [
        (page(title="百度安全验证"), "安全验证"),
        (page(more="<h1>请输入验证码</h1>"), "验证码"),
        (page(more="<p>Our systems have detected unusual traffic</p>"), "unusual traffic"),
        (page(more="<p>One last step</p><div class='captcha'></div>"), "one last step"),
        (page(more="<div id='captcha-box'></div>", title="x - Search"), "a challenge (captcha)"),
        (
            page(more="<script src='https://wappass.example/mkd.js'></script>"),
            "challenge (wappass)",
        ),
        (page(more="<p>没有找到</p><p>访问异常，请稍后再试</p>"), "访问异常"),
        (page(title="403 Forbidden"), "403 forbidden"),
    ],
)
def test_a_captcha_or_refusal_is_never_no_results(body: str, reason: str) -> None:
    answer = read(body)
    assert answer.status is SearchStatus.BLOCKED
    assert reason in answer.reason


@each_row("status", [403, 404, 429, 500, 503])
def test_an_error_is_never_no_results(status: int) -> None:
    answer = read(page(more="<p>没有找到</p>"), status=status)
    assert answer.status is SearchStatus.BLOCKED
    assert answer.reason == f"mine answered {status}"


def test_an_answer_from_elsewhere_is_a_refusal() -> None:
    answer = read(page(more="<p>没有找到</p>"), url="http://login.elsewhere.example/?back=1")
    assert answer.status is SearchStatus.BLOCKED
    assert "led to http://login.elsewhere.example/" in answer.reason


@each_row(
    "body",
    [
        "",
        "<html>",
        page(title="寻迹一下", more="<form action='/find'><input name=q></form>"),
        page(row("http://a.cn/").replace('class="hit"', 'class="hit2"')),
        page(row("http://a.cn/").replace("h3", "h2")),
        "{}",
        "\0\1\2",
    ],
)
def test_a_home_page_changed_html_and_garbage_are_unreadable(body: str) -> None:
    answer = read(body)
    assert answer.status is SearchStatus.UNREADABLE
    assert "finds none" in answer.reason


def test_changed_html_is_read_by_its_looks_whatever_words_of_ignorance_are_in_it() -> None:
    rows = [
        row(f"http://a{number}.cn/", classes="new", inside="<p>没有找到</p>") for number in range(5)
    ]
    answer = read(page(*rows))
    assert [one.url for one in answer.results] == [f"http://a{number}.cn/" for number in range(5)]


def test_words_nobody_sees_do_not_count() -> None:
    unseen = "<div style='display: none'>没有找到</div><script>'没有找到'</script><noscript>验证码</noscript>"
    assert read(page(more=unseen)).status is SearchStatus.UNREADABLE


def test_asking_for_captchas_is_no_captcha() -> None:
    body = page(title="短信 验证码", more="<p>没有找到与 短信 验证码 相关的网页</p>")
    assert read(body, query="短信 验证码").status is SearchStatus.EMPTY
    assert read(body).status is SearchStatus.BLOCKED


def test_results_about_captchas_are_results() -> None:
    body = page(row("http://a.cn/", "验证码是什么", "<p>没有找到 captcha</p>"), title="安全验证")
    assert read(body).status is SearchStatus.OK


# JSON


def searxng(results: object, **more: object) -> str:
    return json.dumps({"query": "x", "results": results, **more})


def test_json_answers_are_read() -> None:
    found = {
        "url": "https://a.cn/",
        "title": "成都 地铁",
        "content": "新线",
        "publishedDate": "2026-09-20T08:00:00+08:00",
    }
    answer = read(searxng([found, {"url": "ftp://b"}, {}, 3, None, {"url": ["x"]}]), "searxng")
    (result,) = answer.results
    assert (result.url, result.title, result.snippet) == ("https://a.cn/", "成都 地铁", "新线")
    assert result.dated == 1_789_862_400.0


def test_nested_json_is_found_by_its_path() -> None:
    body = json.dumps({"data": {"items": [{"page": {"href": "http://a.cn/", "name": "A"}}]}})
    (result,) = read(body, "nested").results
    assert (result.url, result.title) == ("http://a.cn/", "A")


def test_an_empty_list_says_that_there_are_none() -> None:
    assert read(searxng([]), "searxng").status is SearchStatus.EMPTY


@pytest.mark.parametrize(
    "more", [{"unresponsive_engines": [["a", "CAPTCHA"]]}, {"error": "Too many requests"}]
)
def test_an_empty_list_with_a_refusal_is_a_refusal(more: dict[str, object]) -> None:
    assert read(searxng([], **more), "searxng").status is SearchStatus.BLOCKED


@each_row(
    ("body", "status"),
    [
        ("{}", SearchStatus.UNREADABLE),
        ('{"results": null}', SearchStatus.UNREADABLE),
        ('{"results": "none"}', SearchStatus.UNREADABLE),
        ('{"results": [{"link": "http://a.cn/"}]}', SearchStatus.UNREADABLE),
        ("[]", SearchStatus.UNREADABLE),
        ("<html><body>searx</body></html>", SearchStatus.UNREADABLE),
        ("<html><title>Too Many Requests</title></html>", SearchStatus.BLOCKED),
        ("[" * 100_000, SearchStatus.UNREADABLE),
        ("", SearchStatus.UNREADABLE),
    ],
)
def test_other_json_is_never_no_results(body: str, status: SearchStatus) -> None:
    assert read(body, "searxng").status is status


# Hostile answers


@given(st.binary(max_size=300), st.sampled_from(NAMES))
def test_garbage_is_never_an_error_and_never_no_results(body: bytes, name: str) -> None:
    assert read(body, name).status in {SearchStatus.UNREADABLE, SearchStatus.BLOCKED}


@given(st.floats(0, 1), st.sampled_from(["baidu", "mine"]))
def test_a_page_cut_anywhere_gives_its_first_results(share: float, name: str) -> None:
    addresses = [f"http://a.cn/{number}" for number in range(12)]
    whole = baidu(*map(baidu_row, addresses)) if name == "baidu" else page(*map(row, addresses))
    answer = read(whole[: round(share * len(whole))], name)
    found = urls(answer)
    assert found[:-1] == addresses[: max(0, len(found) - 1)]  # the last one may be cut itself
    assert answer.status is (SearchStatus.OK if found else SearchStatus.UNREADABLE)


def test_a_page_nested_very_deep_is_read() -> None:
    deep = "<div>" * 3000 + "没有找到" + "</div>" * 3000
    assert read(page(more=deep)).status is SearchStatus.UNREADABLE
    deep = deep.replace("<div>", "", 2900).replace("</div>", "", 2900)
    assert read(page(more=deep)).status is SearchStatus.EMPTY


@pytest.mark.timed
@pytest.mark.parametrize(
    "body",
    [
        "<div class=results>" + "<div class=vrwrap>" * 100_000,
        "<div class=results>" + ("<div class=results>" + "<h3><a href=//a>x</a></h3>" * 45) * 100,
        ("<h3>" + "<a href=//a.cn>x</a>" * 1000 + "</h3>") * 100,
        "<div class=results><div class=vrwrap>" + "<span>x</span>" * 9_900,
        "<div class=results>" + "<div class=vrwrap><h3><a href=javascript:x>" * 3300,
        "<div class=results>" + ("<p class=results>" + "<p class=vrwrap>" * 50) * 190,
    ],
)
def test_no_page_costs_more_than_seconds(body: str) -> None:
    answers = []
    holds(lambda: answers.append(read(body, "sogou")))
    assert {answer.status for answer in answers} == {SearchStatus.UNREADABLE}


# The engine of the demo web


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(seed=1)


def test_the_demo_engine_gives_its_organic_results_and_no_advertisement(web: DemoWeb) -> None:
    day, query = 3.0, "四川 食品"
    engine = next(site for host, site in web.sites.items() if host == ENGINE)
    expected = [result.url for result in engine.results(query, day)]  # type: ignore[attr-defined]
    found: list[SearchResult] = []
    described = engines()["demo"]
    for number in range(1, len(expected) // 10 + 2):
        assert described.url is not None
        url = described.url.of(query, number)
        fetched = engine.page(url, day)
        assert fetched is not None
        found += read(fetched.body, "demo", url, query=query).results
    assert [one.url for one in found] == expected
    assert len(expected) > 20
    assert all(one.title and one.snippet and one.dated and not one.redirect for one in found)


def test_the_demo_engine_says_when_it_knows_nothing(web: DemoWeb) -> None:
    fetched = web.sites[ENGINE].page(f"http://{ENGINE}/s?wd=zzz&pn=0", 1.0)
    assert fetched is not None
    assert read(fetched.body, "demo", fetched.url, query="zzz").status is SearchStatus.EMPTY
    home = web.sites[ENGINE].page(f"http://{ENGINE}/", 1.0)
    assert home is not None
    assert read(home.body, "demo", home.url).status is SearchStatus.UNREADABLE


def test_the_captcha_of_the_demo_web_is_one(web: DemoWeb) -> None:
    fetched = web.sites[STRICT_ENGINE].page(f"http://{STRICT_ENGINE}/s?wd=食品&pn=0", 1.0)
    assert fetched is not None
    answer = read(fetched.body, "demo", f"http://{ENGINE}/s")
    assert answer.status is SearchStatus.BLOCKED
