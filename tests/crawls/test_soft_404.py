"""Sites that answer 200 for pages that are not there: their error page is learnt, once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.crawls.days import DAY, HOME, article, run_on

if TYPE_CHECKING:
    from tests.crawls.conftest import Answer, Asked, Project, Web

FAST = '[revisit]\ngone_after = 2\ngone_within = "1d"\n'
SORRY = "抱歉,您访问的食品安全抽检结果页面不存在或者已经被删除,请您返回首页重新查找,也可以拨打客服热线反映问题。"


def told(project: Project) -> Counter[str]:
    return Counter(row["kind"] for row in project.rows("SELECT kind FROM changes"))


def sorry(web: Web) -> Answer:
    """Return an error page that looks like an article about the topic."""
    text = "".join(f"<p>第{part}条:{SORRY}</p>" for part in range(5))
    title = "<title>食品安全网</title>"
    return web.page(f"<html><head>{title}</head><body><h1>食品安全网</h1>{text}</body></html>")


def asked_in_vain(web: Web, known: set[str]) -> list[str]:
    """Return the addresses asked for that nobody has named."""
    return [one.url for one in web.asked("a.test") if one.url not in known | {HOME}]


def test_a_page_that_became_the_sites_error_page_is_gone_and_no_change_is_told(
    project: Project, web: Web
) -> None:
    urls = web.news(4)
    whole = web.answers[article(1)]
    web.anything["a.test"] = sorry(web)
    project.topic(FAST)
    run_on(project, 0)
    assert not asked_in_vain(web, urls), "no site is asked without a cause"
    del web.answers[article(1)], web.answers[article(2)]
    run_on(project, 1.1)
    (address,) = asked_in_vain(web, urls)
    assert address.startswith(f"{HOME}news/9"), "beside the page, once for the whole site"
    assert project.outcomes()[article(1)] == ("gone", "soft-404")
    assert told(project) == {"new": 4}

    dead = article(51)
    web.board(HOME, *urls, dead)
    run_on(project, 2.3)
    assert told(project) == {"new": 4, "gone": 2}
    rows = project.rows("SELECT title, gone_at, version FROM articles ORDER BY url")
    assert [bool(row["gone_at"]) for row in rows] == [True, True, False, False]
    assert {row["version"] for row in rows} == {1}
    assert all("批食品" in row["title"] for row in rows), "the last version stays"
    assert project.outcomes()[dead] == ("gone", "soft-404"), "it never was an article"

    web.answers[article(1)] = whole
    run_on(project, 4)
    assert told(project) == {"new": 4, "gone": 2, "back": 1}


def test_a_kill_while_a_site_is_asked_and_other_settings_after_it_change_nothing(
    project: Project, web: Web
) -> None:
    urls = web.news(2) | web.news(2, host="b.test")
    web.article("http://b.test/news/1.html", 77)
    web.robots("b.test", "User-agent: *\nDisallow: /news/9")
    project.topic(FAST, sources=f"{HOME} http://b.test/")
    run_on(project, 0)
    web.anything |= {"a.test": sorry(web), "b.test": sorry(web)}
    held = replace(sorry(web), fault="hold")

    def script(asked: Asked) -> Answer:
        is_page = asked.url in urls
        return sorry(web) if is_page or not web.is_holding else held

    web.anything["a.test"] = script
    for host in ("a", "b"):
        del web.answers[f"http://{host}.test/news/1.html"]
    killed = project.crawl(
        kill=lambda: bool(asked_in_vain(web, urls)), FOCUSCRAWL_SHIFT=str(1.1 * DAY)
    )
    assert killed.status < 0
    web.is_holding = False
    ended = run_on(project, 1.1, "-s", "RETRY_TIMES=2", "-s", "HTTPCACHE_ENABLED=1")
    assert ended.status == 0, ended.said
    assert project.outcomes()[article(1)] == ("gone", "soft-404")
    changes = project.rows("SELECT url FROM changes WHERE kind != 'new'")
    forbidden = "http://b.test/news/1.html"
    assert [row["url"] for row in changes] == [forbidden], "robots.txt holds for what we ask, too"
    assert len(asked_in_vain(web, urls)) == 2, "once before the kill, once after it"
    assert not [one.url for one in web.asked("b.test") if "/news/9" in one.url]
