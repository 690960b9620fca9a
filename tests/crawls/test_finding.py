"""Whole crawls that begin with a search engine and go on into unknown sites."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Answer, Asked, Web

ENGINE = "s.test"
SEARCH = f"http://{ENGINE}/s?q="
TOPIC = """
[topic]
keywords = ["食品"]
[search]
engines = ["own"]
queries = ["食品"]
delay = "0s"
[search.engine.own]
url = "http://s.test/s?q={query}&p={page}"
results = "css:.r"
link = "css:a::attr(href)"
title = "css:a"
ads = "css:.ad"
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
"""


def row(url: str, kind: str = "r", text: str = "食品抽检") -> str:
    return f'<div class="{kind}"><h3><a href="{url}">{text}</a></h3><p>关于食品的结果</p></div>'


def page_of(*rows: str) -> str:
    return f"<html><head><title>食品_搜索</title></head><body>{''.join(rows)}</body></html>"


def engine(web: Web, *rows: str, size: int = 10) -> None:
    """Let the engine know some results, so many on a page, and say so where there are no more."""

    def answer(asked: Asked) -> Answer:
        first = (int(parse_qs(urlsplit(asked.url).query)["p"][0]) - 1) * size
        shown = rows[first : first + size]
        return web.say(page_of(*shown) if shown else page_of("<p>抱歉，没有找到相关的网页。</p>"))

    for number in range(1, 9):
        web.answers[f"{SEARCH}%E9%A3%9F%E5%93%81&p={number}"] = answer


def topic(project: Project, more: str = "", search: str = "") -> None:
    project.write("topics/news.toml", TOPIC.replace('delay = "0s"\n', f'delay = "0s"\n{search}', 1) + more)  # fmt: skip


def searched(web: Web) -> list[str]:
    """The numbers of the result pages asked for, in order."""
    return [asked.url.rpartition("=")[2] for asked in web.asked(ENGINE)]


def seeds(project: Project) -> dict[str, tuple[str, int, bool]]:
    found = project.rows("SELECT url, state, rank, useful FROM seeds")
    return {each["url"]: (each["state"], each["rank"], bool(each["useful"])) for each in found}


def test_results_become_seeds_and_pages_and_advertisements_do_not(
    project: Project, web: Web
) -> None:
    web.news(2)
    web.article("http://b.test/1.html", 7)
    web.board("http://c.test/", ("http://c.test/x.html", "天气"))
    engine(
        web,
        row("http://ads.test/click?n=1", "r ad"),
        row("http://b.test/1.html"),
        row("http://a.test/"),
        row("http://gone.test/"),
        size=2,
    )
    topic(project)
    assert project.crawl().status == 0
    articles = {"http://b.test/1.html", "http://a.test/news/1.html", "http://a.test/news/2.html"}
    assert project.articles() == articles
    assert not web.asked("ads.test")
    assert seeds(project) == {
        "http://b.test/1.html": ("useful", 1, True),
        "http://a.test/": ("useful", 2, True),
        "http://gone.test/": ("gone", 3, False),
    }


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ("<h1>安全验证</h1><p>请拖动滑块完成验证</p>", 200, "安全验证"),
        ("<h1>Forbidden</h1>", 403, "403"),
        ("", 200, "own"),
        ("\x00\xff<<<div class=>]]>&#xD800;", 200, "own"),
        ("<html><body><ul><li><a href='http://b.test/'>食品</a></li></ul></body></html>", 200, "own"),
    ],
    ids=["captcha", "refusal", "empty", "garbage", "changed"],
)  # fmt: skip
def test_an_engine_that_does_not_answer_is_told_loudly(
    project: Project, web: Web, body: str, status: int, why: str
) -> None:
    web.answers[f"{SEARCH}%E9%A3%9F%E5%93%81&p=1"] = web.say(body, status)
    topic(project)
    ended = project.crawl()
    assert ended.status == 4, ended.said
    assert why in ended.line("WARNING: search: own")
    assert "search_blocked" in project.last_run()["end_reason"]
    assert "knows nothing" not in ended.said


def test_a_robots_txt_that_forbids_an_engine_is_obeyed_and_told(project: Project, web: Web) -> None:
    engine(web, row("http://b.test/1.html"))
    web.robots(ENGINE, "User-agent: *\nDisallow: /s\n")
    topic(project)
    ended = project.crawl()
    assert ended.status == 4, ended.said
    assert "robots.txt" in ended.line("WARNING: search: own")
    assert not web.asked(ENGINE)


def test_an_engine_whose_robots_txt_cannot_be_had_is_not_asked_and_told(
    project: Project, web: Web
) -> None:
    engine(web, row("http://b.test/1.html"))
    web.robots(ENGINE, "User-agent: *\nDisallow: /other\n")
    web.fail_first(f"http://{ENGINE}/robots.txt", times=99, status=503)
    topic(project)
    ended = project.crawl()
    assert ended.status == 4, ended.said
    assert "robots.txt: http 503" in ended.line("WARNING: search: own")
    assert not web.asked(ENGINE)


def test_an_engine_that_knows_nothing_has_answered(project: Project, web: Web) -> None:
    engine(web)
    topic(project)
    ended = project.crawl()
    assert ended.status == 3, ended.said
    assert "knows nothing" in ended.said


@pytest.mark.program
def test_a_kill_while_searching_loses_no_seed_and_asks_on(project: Project, web: Web) -> None:
    urls = [f"http://n{number}.test/1.html" for number in range(12)]
    for number, url in enumerate(urls):
        web.article(url, number)
    engine(web, *map(row, urls), size=2)
    web.pause = 0.05
    topic(project)
    project.crawl_killed(8)
    asked = searched(web)
    web.pause = 0.0
    assert project.crawl().status == 0
    assert project.articles() == set(urls)
    assert set(seeds(project)) == set(urls)
    assert {state for state, _, _ in seeds(project).values()} == {"useful"}
    again = searched(web)[len(asked) :]
    assert set(asked) | set(again) == {"1", "2", "3", "4", "5", "6", "7"}


def test_engines_are_left_alone_until_searches_are_due_again(project: Project, web: Web) -> None:
    web.article("http://b.test/1.html")
    engine(web, row("http://b.test/1.html"))
    topic(project, search='every = "1d"\n')
    project.crawl()
    first = len(searched(web))
    assert project.crawl().status == 0
    assert len(searched(web)) == first
    assert project.crawl(FOCUSCRAWL_SHIFT="90000").status == 0
    assert len(searched(web)) == 2 * first


def test_unknown_sites_are_explored_and_banned_ones_never_asked(project: Project, web: Web) -> None:
    web.article("http://b.test/1.html", 9, more='<a href="http://c.test/">食品</a><a href="http://d.test/">食品</a><a href="http://w.d.test/">食品</a>')  # fmt: skip
    web.news(2, "c.test")
    web.news(2, "d.test")
    web.news(2, "w.d.test")
    engine(web, row("http://b.test/1.html"), row("http://d.test/9.html"))
    topic(project, '[explore]\nbanned = ["d.test"]\n')
    assert project.crawl().status == 0
    assert not web.asked("d.test")
    assert not web.asked("w.d.test")
    assert {"http://c.test/news/1.html", "http://c.test/news/2.html"} <= project.articles()
    steps = dict(map(tuple, project.rows("SELECT url, step FROM pages WHERE host = 'c.test'")))
    assert steps["http://c.test/"] == 0


@pytest.mark.both_stores
def test_a_site_banned_by_hand_is_left_alone_by_the_next_run(project: Project, web: Web) -> None:
    web.article("http://b.test/1.html", more='<a href="http://c.test/">食品</a>')
    web.news(2, "c.test")
    engine(web, row("http://b.test/1.html"))
    topic(project)
    assert project.crawl("-a", "limits.pages=2").status == 0
    banned = project.run("topic", "ban", "news", "c.test")
    assert banned.status == 0, banned.said
    before = len(web.asked("c.test"))
    assert project.crawl().status == 0
    assert len(web.asked("c.test")) == before
    assert project.run("topic", "unban", "news", "c.test").status == 0
    web.article("http://b.test/2.html", 5, more='<a href="http://c.test/new.html">食品</a>')
    web.article("http://c.test/new.html", 6)
    engine(web, row("http://b.test/2.html"))
    assert project.crawl(FOCUSCRAWL_SHIFT="999999").status == 0
    assert "http://c.test/new.html" in project.articles()


@pytest.mark.E2
def test_the_published_ban_drops_links_that_are_found_and_none_that_wait(
    project: Project, web: Web
) -> None:
    """E2: the 21st irrelevant page bans the site; what has passed the tests is fetched all the same."""
    urls = [f"http://c.test/page-{number}.html" for number in range(30)]
    links = "".join(f'<a href="{url}">食品</a>' for url in urls)
    web.article("http://b.test/1.html", 9, more=links)
    for number, url in enumerate(urls):
        later = f'<a href="http://c.test/later-{number}.html">更多</a>'
        text = f"第{number}场球赛昨晚结束，主队得了{number + 7}分，观众很多。" * 9
        web.answers[url] = web.page(f"<title>球赛{number}</title><p>{text}</p>{later}")
    engine(web, row("http://b.test/1.html"))
    topic(project, "[explore]\nstrict = true\nsite_quota = 100\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    pages = [asked.url for asked in web.asked("c.test")]
    assert set(urls) <= set(pages), f"{len(pages)} pages: those that waited were dropped"
    found = [url for url in pages if "later" in url]
    assert len(found) < 30, "links that are found after the ban are dropped"


def test_a_quota_that_was_lowered_is_kept_by_links_that_wait(project: Project, web: Web) -> None:
    """E4: R is asked again when a URL is taken; the published form drops it, the default lets it wait."""
    urls = [f"http://c.test/page-{number}.html" for number in range(12)]
    links = "".join(f'<a href="{url}">球赛</a>' for url in urls)
    web.article("http://b.test/1.html", 9, more='<a href="http://d.test/1.html">别的</a>')
    for number, url in enumerate(["http://d.test/1.html", *urls]):
        text = f"第{number}场球赛昨晚结束，主队得了{number + 7}分，观众很多。" * 9
        web.answers[url] = web.page(
            f"<title>球赛{number}</title><p>{text}</p>{'' if number else links}"
        )
    engine(web, row("http://b.test/1.html"))
    topic(project, "[explore]\nstrict = true\nsite_quota = 20\n")
    assert project.crawl("-a", "limits.pages=4").status == 0
    assert len(web.asked("d.test")) == 1
    before = len(web.asked("c.test"))
    ended = project.crawl("-a", "explore.site_quota=3")
    assert ended.status == 0, ended.said
    outcomes = project.outcomes()
    dropped = [url for url in urls if outcomes.get(url) == ("refused", "quota")]
    assert len(web.asked("c.test")) - before == 3
    assert len(dropped) == len(urls) - before - 3


@pytest.mark.C5
@pytest.mark.both_stores
def test_the_published_forms_run(project: Project, web: Web) -> None:
    web.news(3)
    web.article("http://b.test/1.html", 9, more='<a href="http://c.test/">别的</a>')
    web.board("http://c.test/", ("http://c.test/1.html", "食品"))
    web.article("http://c.test/1.html", 8)
    engine(web, row("http://a.test/"), row("http://b.test/1.html"))
    topic(project, "[explore]\nstrict = true\n", search="strict = true\n")
    assert project.crawl().status == 0
    states = {url: state for url, (state, _, _) in seeds(project).items()}
    assert set(states) == {"http://a.test/", "http://b.test/1.html"}
    assert set(states.values()) <= {"useful", "skipped"}
    taken = {url for url, state in states.items() if state == "useful"}
    assert bool(web.asked("a.test")) == ("http://a.test/" in taken)
    assert bool(web.asked("c.test")) == ("http://b.test/1.html" in taken)
    assert taken
