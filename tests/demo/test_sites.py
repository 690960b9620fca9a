import re
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from parsel import Selector
from protego import Protego

from focuscrawl.demo.contacts import LAYOUTS
from focuscrawl.demo.engine import ENGINE, SHY_ENGINE, STRICT_ENGINE, Engine
from focuscrawl.demo.truth import Page
from focuscrawl.demo.web import COMPANIES, DemoWeb


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(seed=1)


def got(web: DemoWeb, url: str) -> Page:
    page = web.page(url)
    assert page is not None
    return page


def test_every_value_of_a_record_is_readable_on_its_page(web: DemoWeb) -> None:
    assert len(web.companies) == COMPANIES == len(LAYOUTS)
    for record in web.records():
        page = got(web, record.url)
        text = "".join(Selector(page.body.decode(page.encoding)).xpath("//body//text()").getall())
        for value in record.fields.values():
            for one in [value] if isinstance(value, str) else value:
                assert one in text
        assert page.record == record


def test_companies_differ_in_name_layout_and_the_words_of_their_menu(web: DemoWeb) -> None:
    assert len({owner.name for owner in web.companies}) == COMPANIES
    layouts = {layout(web.companies[1].fields) for layout in LAYOUTS}
    assert len(layouts) == len(LAYOUTS)
    menus = {
        tuple(Selector(page.body.decode(page.encoding)).css(".menu a::text").getall())
        for page in (got(web, f"http://{owner.host}/") for owner in web.companies)
    }
    assert len(menus) >= 6


def test_every_contact_page_is_reached_from_the_hub_in_three_clicks(web: DemoWeb) -> None:
    hosts = ["hub.example", *(owner.host for owner in web.companies)]
    walked = web.walk(["http://hub.example/"], hosts=hosts)
    assert {owner.contact_url for owner in web.companies} <= walked.keys()


def test_a_query_finds_a_ranked_mixture_over_several_pages(web: DemoWeb) -> None:
    engine = web.sites[ENGINE]
    assert isinstance(engine, Engine)
    wanted = [result.url for result in engine.results("四川 食品安全", 0)]
    url, found, advertisements = f"http://{ENGINE}/s?wd=四川 食品安全&pn=0", [], 0
    while url:
        html = Selector(got(web, url).body.decode())
        for row in html.css("div.result"):
            link = urljoin(url, row.css("h3 a::attr(href)").get(""))
            if row.css(".tag"):
                advertisements += 1
            else:
                found.append(unquote(urlsplit(link).query.removeprefix("url=")))
                assert got(web, link).redirect == found[-1]
        following = html.xpath("//a[text()='下一页>']/@href").get()
        url = urljoin(url, following) if following else ""
    assert found == wanted
    assert len(found) == len(set(found)) > 30
    assert advertisements >= 6
    relevance = [got(web, url).relevant for url in found]
    assert 0.5 < sum(relevance) / len(relevance) < 0.9
    assert sum(relevance[:10]) > sum(relevance[-10:])


def test_the_engine_knows_no_page_of_the_hidden_channel(web: DemoWeb) -> None:
    engine = web.sites[ENGINE]
    assert isinstance(engine, Engine)
    for query in ("食品安全", "成都 抽检", "召回"):
        for result in engine.results(query, 0):
            assert not (
                result.url.startswith("http://giant.example/") and got(web, result.url).relevant
            )


def test_a_query_for_companies_finds_them_and_nonsense_finds_nothing(web: DemoWeb) -> None:
    engine = web.sites[ENGINE]
    assert isinstance(engine, Engine)
    assert [r.title for r in engine.results("四川 企业", 0)] == [o.name for o in web.companies]
    assert engine.results("氢原子", 0) == []
    assert "没有找到" in got(web, f"http://{ENGINE}/s?wd=氢原子").body.decode()


def test_one_engine_forbids_robots_and_one_asks_for_a_captcha(web: DemoWeb) -> None:
    shy = got(web, f"http://{SHY_ENGINE}/s?wd=食品安全")
    strict = got(web, f"http://{STRICT_ENGINE}/s?wd=食品安全")
    assert not shy.robots
    assert strict.robots
    assert "安全验证" in strict.body.decode()
    assert strict.links == ()


def test_the_truth_about_robots_is_that_of_robots_txt(web: DemoWeb) -> None:
    pages = web.walk([*web.homes(), f"http://{SHY_ENGINE}/s?wd=食品"], robots=False)
    forbidden = {url for url, page in pages.items() if not page.robots}
    assert len(forbidden) > 5
    for host in web.hosts:
        rules = Protego.parse(web.robots(host) or "")
        for url, page in pages.items():
            if url.startswith(f"http://{host}/"):
                assert rules.can_fetch(url, "focuscrawl") == page.robots, url


def test_some_sites_ask_for_a_pause(web: DemoWeb) -> None:
    asked = {host for host in web.hosts if re.search("Crawl-delay", web.robots(host) or "")}
    assert {"blog.example", "bbs.example", ENGINE} <= asked
