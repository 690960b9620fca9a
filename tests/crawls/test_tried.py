"""What people and pages try on a topic: very many words, slow expressions, sites that flatter."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Answer, Asked, Web

HOME = "http://a.test/"
SYLLABLES = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾"
THOUSAND = [first + second for first, second in permutations(SYLLABLES, 2)][:1000]
ENGINE = """
[search]
engines = ["own"]
delay = "0s"
[search.engine.own]
url = "http://s.test/s?q={query}&p={page}"
results = "css:.r"
link = "css:a::attr(href)"
title = "css:a"
"""
POLITE = '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n'
FLATTERER = "flatter.test"


def write_topic(project: Project, keywords: list[str], more: str, source: str = HOME) -> None:
    """Write a topic with these keywords."""
    sources = f'[[source]]\nurl = "{source}"\n' if source else ""
    words = ", ".join(f"'{word}'" for word in keywords)
    project.write("topics/news.toml", f"[topic]\nkeywords = [{words}]\n{sources}{POLITE}{more}")


def searched(web: Web, *shown: str) -> None:
    """Let the engine show the same few results for every query, on its first page."""

    def answer(asked: Asked) -> Answer:
        first = parse_qs(urlsplit(asked.url).query)["p"] == ["1"]
        rows = "".join(f'<p class="r"><a href="{url}">食品抽检</a></p>' for url in shown)
        return web.say(f"<body>{rows if first else '抱歉，没有找到相关的网页。'}</body>")

    web.anything["s.test"] = answer


def test_a_thousand_keywords_are_looked_for(project: Project, web: Web) -> None:
    urls = web.news(3)
    other = f"{HOME}other.html"
    web.article(other, 9)
    web.answers[other] = web.say(
        f"<html><title>天气</title><body><h1>天气</h1><p>{'今晚有风，不必出门。' * 40}</p></body></html>"
    )
    web.board(HOME, *sorted(urls), other)
    write_topic(project, [*THOUSAND, "食品"], "")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert project.outcomes()[other] == ("irrelevant", "keywords")


def test_a_thousand_searches_are_warned_of_and_hold_up_no_source(
    project: Project, web: Web
) -> None:
    urls = web.news(5)
    web.article("http://b.test/1.html", 7)
    searched(web, "http://b.test/1.html")
    paced = ENGINE.replace('"0s"', '"10ms"')  # two pages of each take no machine less than 20 s
    write_topic(project, [*THOUSAND, "食品"], f'{paced}[limits]\ntime = "2s"\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "1001 searches per cycle" in ended.said
    assert project.articles() == urls | {"http://b.test/1.html"}
    asked = [parse_qs(urlsplit(one.url).query)["q"][0] for one in web.asked("s.test")]
    assert asked
    assert len(set(asked)) < 1001
    ended = project.crawl("-a", "limits.time=1s")
    assert ended.status == 0, ended.said
    again = [parse_qs(urlsplit(one.url).query)["q"][0] for one in web.asked("s.test")]
    assert again[-1] not in asked, "the next run asks on where this one stopped"


def test_a_slow_expression_is_switched_off_and_the_crawl_goes_on(
    project: Project, web: Web, elapsed: Callable[[], float]
) -> None:
    urls = web.news(4)
    slow = f"{HOME}news/{'x' * 1500}.html"
    web.article(slow, 9, more=f"<p>{'x' * 3000}</p>")
    web.board(HOME, *sorted(urls), slow)
    bomb = "re:(x+x+)+[yz]"
    write_topic(project, ["食品", bomb], f"[follow]\ndeny = ['{bomb}']\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {*urls, slow}
    said = [line for line in ended.said.splitlines() if "switched off for this run" in line]
    assert len(said) == 2, ended.said
    assert all("(x+x+)+[yz]" in line for line in said)
    assert any(slow[:150] in line for line in said)
    assert elapsed() < 20


def test_a_keyword_of_one_character_is_warned_of_and_found(project: Project, web: Web) -> None:
    urls = web.news(2)
    web.answers[f"{HOME}other.html"] = web.say(
        f"<html><title>天气</title><body><h1>天气</h1><p>{'今天的天气很好，明天也是。' * 30}</p></body>"
    )
    web.board(HOME, *sorted(urls), f"{HOME}other.html")
    write_topic(project, ["食"], "")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "one character is found on almost every page" in ended.line('"食"')
    assert project.articles() == urls


@pytest.fixture
def flattered(project: Project, web: Web) -> set[str]:
    """Make a web with an endless site that is all about the topic, beside two honest ones."""

    def flatter(asked: Asked) -> Answer:
        number = int("0" + "".join(filter(str.isdigit, asked.url.rpartition("/")[2])))
        links = "".join(
            f'<a href="/{chr(97 + to % 26)}{to % 7}/food-{to}.html">食品{to}</a>'
            for to in range(5 * number + 1, 5 * number + 6)
        )
        text = f"<p>食品抽检结果第{number}号，食品安全，食品召回，全部食品。</p>" * 8
        return web.say(
            f"<html><title>食品{number}</title><body><h1>食品{number}</h1>{text}{links}</body></html>"
        )

    web.anything[FLATTERER] = flatter
    honest = set()
    for first, host in ((100, "b.test"), (200, "c.test")):
        urls = [f"http://{host}/news/{number}.html" for number in range(first, first + 12)]
        for number, url in enumerate(urls, first):
            web.article(url, number)  # texts of their own: copies of one another are not stored
        web.board(f"http://{host}/", *urls)
        honest |= set(urls)
    searched(web, f"http://{FLATTERER}/", "http://b.test/", "http://c.test/")
    write_topic(project, ["食品"], "", source="")
    return honest


def fetched(web: Web, host: str) -> int:
    """How many pages of a site were fetched."""
    return len(web.asked(host))


def test_a_site_that_is_all_relevant_gives_its_quota_and_no_more(
    project: Project, web: Web, flattered: set[str]
) -> None:
    write_topic(project, ["食品"], f"{ENGINE}[limits]\nper_site = 30\n", source="")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    # Its front page is a list, which is read again when the search begins anew.
    assert len({asked.url for asked in web.asked(FLATTERER)}) == 30
    assert flattered <= project.articles()
    assert project.crawl().status == 0
    assert len({asked.url for asked in web.asked(FLATTERER)}) == 30, "known pages are visited"


def test_a_site_that_is_all_relevant_takes_nothing_from_others(
    project: Project, web: Web, flattered: set[str]
) -> None:
    # One that answers at once and may be asked at once is always ready, and what promises as much as any other is
    # taken by chance: in 1 of 100 crawls beside other work a page of another site was left.
    web.pause = 0.02
    write_topic(project, ["食品"], f"{ENGINE}[limits]\npages = 100\n", source="")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.last_run()["end_reason"] == "limit_pages"
    assert flattered <= project.articles()
    assert fetched(web, FLATTERER) < 100


@pytest.mark.usefixtures("flattered")
def test_a_site_that_is_all_relevant_has_its_share_while_a_source_has_more(
    project: Project, web: Web
) -> None:
    web.news(80)
    write_topic(project, ["食品"], f"{ENGINE}[explore]\nshare = 0.2\n[limits]\npages = 75\n")
    ended = project.crawl("-a", "politeness.concurrency=8", "-a", "settings.CONCURRENT_REQUESTS=4")
    assert ended.status == 0, ended.said
    hosts = [asked.host for asked in web.asked() if asked.host != "s.test"]
    assert FLATTERER in hosts
    assert hosts.count("a.test") >= 0.7 * len(hosts)


class Proposed(NamedTuple):
    """A trial of a site, the table it proposes, and what crawls without and with it store."""

    said: str
    table: str
    before: list[tuple[Any, ...]]
    checked: int
    again: str
    """What a trial says when the table stands in the template."""
    reread: int
    after: list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def proposed(new_project: Callable[[], Project]) -> Proposed:
    project = new_project()
    web = project.web
    urls = web.news(4)
    for number, url in enumerate(sorted(urls), 1):
        text = web.body(url).partition("<div>")[2]
        web.answers[url] = web.say(
            f"<html><body><div class='head'><h1>第{number}批食品抽检结果公布</h1><p><span>2026-11-{number + 10}"
            f" 08:00</span><span>来源：四川日报</span><em class='by n{number}'>作者：张三丰</em></p></div>"
            f"<div>{text}"
        )
        web.pack(url)
    write_topic(project, ["食品"], "")
    said = project.run("topic", "try", "news").said
    assert '[site."a.test".select]' in said, said
    table = said[said.index('[site."a.test".select]') :]
    columns = "SELECT url, title, published, author, source_name FROM articles ORDER BY url"
    assert project.crawl().status == 0
    before = [tuple(row) for row in project.rows(columns)]
    write_topic(project, ["食品"], table)
    checked = project.run("topic", "check", "news").status
    again = project.run("topic", "try", "news").said
    reread = project.run("topic", "reread", "news").status
    assert project.crawl().status == 0
    after = [tuple(row) for row in project.rows(columns)]
    return Proposed(said, table, before, checked, again, reread, after)


def test_a_trial_proposes_a_place_for_each_field(proposed: Proposed) -> None:
    assert 'title = "css:h1"' in proposed.table
    assert 'author = "css:em.by"' in proposed.table
    assert 'published = "css:div.head > p > span"' in proposed.table
    assert 'span[2]"' in proposed.table


def test_what_a_trial_proposes_is_a_template_that_is_right(proposed: Proposed) -> None:
    assert proposed.checked == 0


def test_a_trial_proposes_nothing_that_the_template_says(proposed: Proposed) -> None:
    assert "[site." not in proposed.again


def test_the_places_a_trial_proposes_give_what_was_read_without_them(proposed: Proposed) -> None:
    assert {row[3:] for row in proposed.before} == {("张三丰", "四川日报")}
    assert proposed.reread == 0
    assert proposed.after == proposed.before


def test_a_trial_goes_deep_and_says_what_would_be_stored_and_what_hit_nothing(
    project: Project, web: Web
) -> None:
    urls = [f"{HOME}blog/2019/08/{number:02d}/choujian/" for number in range(1, 10)]
    for number, url in enumerate(urls, 1):
        web.article(url, number, date=f"2019-08-{number:02d}")
    other = f"{HOME}other.html"
    web.answers[other] = web.say(
        f"<html><title>天气预报说今晚有风</title><body><h1>天气预报说今晚有风</h1><p>{'今晚有风，不必出门。' * 40}</p></body></html>"
    )
    menu = [(f"{HOME}list/{number}/", "栏目") for number in range(12)]
    for url, _ in menu:
        web.board(url, HOME)
    paging = [(f"{HOME}page/{number}/", str(number)) for number in (2, 3)]
    for url, _ in paging:
        web.board(url, HOME)
    web.board(
        HOME,
        *menu,
        *paging,
        (other, "天气预报说今晚有风"),
        *((url, "食品安全抽检结果公布") for url in sorted(urls)),
    )
    write_topic(project, ["食品", "流计祘"], "")
    said = project.run("topic", "try", "news").said
    read = [one for one in urls if f"article         {one}" in said]
    assert len(read) >= 5, said
    assert "list/" not in said, "a menu says less than headlines"
    assert "page/" not in said, "one list a site is read"
    assert "depth" not in said, "a trial goes nowhere by itself"
    assert said.count("pages read in") == 1
    assert said.count("would be stored") == len(read)
    assert "relevance.threshold 0.3" in said
    assert "keyword groups that hit nothing in the" in said
    assert said.split("hit nothing in the")[1].splitlines()[0].endswith("流计祘")


CONTACT = """
<html><title>联系我们</title><body><h1>联系我们</h1><p>公司名称：成都第{number}软件有限公司</p>
<p>地址：成都市高新区天府大道{number}号</p><p>电话：028-8555{number:04d}</p></body></html>
"""


def test_a_trial_of_a_search_goes_to_the_page_that_holds_the_records(
    project: Project, web: Web
) -> None:
    sites = [f"http://firm{number}.test/" for number in range(10)]
    for number, site in enumerate(sites):
        menu = [(f"{site}n/{page}/", "关于新闻") for page in range(6)]
        web.board(site, *menu, (f"{site}about/", "关于我们"))
        web.board(f"{site}about/", *menu, (f"{site}contact/", "联系我们"))
        for url, _ in menu:
            web.board(url, site)
        web.answers[f"{site}contact/"] = web.say(CONTACT.format(number=number))
    searched(web, *sites)
    more = f'{POLITE}[follow]\nscope = "web"\n[explore]\nenabled = false\n{ENGINE}'
    asked = [f"软件公司{number}" for number in range(20)]
    project.write(
        "topics/news.toml",
        f'extends = "directory"\n[topic]\nname = "news"\n{more}'.replace(
            "[search]\n", f"[search]\nqueries = {asked}\n"
        ),
    )
    said = project.run("topic", "try", "news").said
    assert "成都第" in said, said
    assert "028-8555" in said
    assert "would be stored" in said
    searches = [one for one in web.asked() if one.url.startswith("http://s.test/")]
    assert len(searches) <= 3, "a trial reads the first results"


@pytest.mark.parametrize("command", [("crawl", "news"), ("topic", "try", "news")], ids=" ".join)
def test_a_limit_of_pages_holds_for_result_pages_of_engines_too(
    project: Project, web: Web, command: tuple[str, ...]
) -> None:
    sites = sorted(web.news(15, "b.test"))
    searched(web, *sites)
    write_topic(project, [*THOUSAND[:40], "食品"], ENGINE, source="")
    ended = project.run(*command, "-a", "limits.pages=10")
    asked = [one.url for one in web.asked()]
    assert len(asked) == 10, ended.said
    assert "limit_pages" in ended.said
    if "try" in command:
        assert sum("s.test" in one for one in asked) == 1, "one search says what a hundred would"
    else:
        assert project.crawl().status == 0, "it goes on with the searches"
        assert {*sites} <= {one.url for one in web.asked()}
