"""What a change of the template does to a crawl under way; and a site's own parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.changed_levels

PARSER = """
from focuscrawl.values import Link, LinkBatch, PageClass


def parse(spider, response):
    if response.url.endswith("/own"):
        yield LinkBatch(PageClass.BOARD, (Link("http://a.test/found-by-own.html"),))
    else:
        yield from spider.read(response)
"""


def source(url: str, more: str = "") -> str:
    return f'[[source]]\nurl = "{url}"\nname = "{url[7]}"\n{more}'


def test_a_crawl_follows_its_template(project: Project, web: Web) -> None:
    everything = {host: web.news(4, host) for host in ("a.test", "b.test", "c.test")}
    for host, urls in everything.items():
        web.board(f"http://{host}/", *sorted(urls), "/denied/1.html")
        web.article(f"http://{host}/denied/1.html", 9)
    polite = (
        '[topic]\nkeywords = ["食品"]\n[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n'
    )
    polite += '[stories]\ncopies = "off"\n'  # all sites have the same articles
    a, b, c = (source(f"http://{letter}.test/") for letter in "abc")
    path = "topics/news.toml"

    project.write(path, polite + a + b)
    project.crawl("-a", "limits.pages=4")
    project.write(path, polite + b + c + '[follow]\ndeny = ["/denied/"]\n[queues]\nlevels = 9\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    denied = {f"http://{host}/denied/1.html" for host in everything}
    assert project.articles() - denied == everything["b.test"] | everything["c.test"] | (
        everything["a.test"] & project.articles()
    )
    assert not web.times("http://b.test/denied/1.html")
    assert project.outcomes()["http://b.test/denied/1.html"] == ("parked", "rule:deny")
    assert web.times("http://a.test/") == 1, "a source taken out is not visited again"
    assert project.stored_rows() >= 1

    project.write(path, polite + b + c + "[queues]\nlevels = 2\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert denied - {"http://a.test/denied/1.html"} <= project.articles(), "back with the rule gone"
    assert web.times("http://a.test/") == 1
    asked = len(web.asked())

    project.write(path, polite.replace("[topic]\n", '[topic]\nname = "other"\n') + b)
    ended = project.crawl(name="other")
    assert ended.status == 0, ended.said
    assert project.articles("other") == everything["b.test"] | {"http://b.test/denied/1.html"}
    assert "new, due 0" in ended.line("topic other: data")
    assert len(web.asked()) == asked + 6
    assert len(project.articles("news")) >= 10, "the old data stay where they are"


@pytest.mark.renamed_sources
def test_a_source_by_another_name_is_read_on_with_all_its_lists(project: Project, web: Web) -> None:
    home, more = "http://a.test/", "http://a.test/more/"
    urls = web.news(8)
    web.board(more, *urls)
    web.board(home, (more, "更多食品新闻"), *urls)
    topic = (
        '[topic]\nkeywords = ["食品"]\n[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n'
    )
    project.write("topics/news.toml", topic + source(home))
    project.crawl()
    named = topic + source(home).replace('name = "a"', 'name = "第一版"')
    project.write("topics/news.toml", named)
    new = {home: f"{home}news/91.html", more: f"{home}news/92.html"}
    for number, (board, url) in enumerate(new.items(), start=91):
        web.article(url, number)
        web.board(board, (more, "更多食品新闻"), url, *urls)
    assert project.crawl().status == 0
    assert (web.times(home), web.times(more)) == (2, 2)
    names = {row["url"]: row["source_id"] for row in project.rows("SELECT * FROM articles")}
    assert names == dict.fromkeys(urls, "a") | dict.fromkeys(new.values(), "第一版")


@pytest.mark.visit_bounds
def test_a_source_is_looked_at_as_often_as_the_template_says_now(
    project: Project, web: Web
) -> None:
    home, other = "http://a.test/", "http://b.test/"
    web.news(1)
    web.news(1, host="b.test")

    def asked_on(day: float, more: str) -> int:
        project.topic(source(other, more))
        before = web.times(other)
        ended = project.crawl(FOCUSCRAWL_SHIFT=str(day * 86_400))
        assert ended.status == 0, ended.said
        return web.times(other) - before

    assert asked_on(0, 'every = "9d"\n') == 1
    assert asked_on(1.2, 'every = "9d"\n') == 0
    assert asked_on(1.3, 'every = "1d"\n') == 1, "more often"
    assert asked_on(1.4, "") == 1, "with every run, as all lists"
    assert asked_on(1.5, 'every = "9d"\n') == 0, "seldom again"
    assert web.times(home) == 5


def test_the_published_form_goes_on_with_the_same_data(crawled: Project, web: Web) -> None:
    web.news(3)
    court = "<p>法院昨日宣判一起地沟油案件，被告人王某因销售有害食品获刑，其同伙另案处理。</p>" * 3
    web.answers["http://a.test/news/9.html"] = web.page(f"<title>地沟油案宣判</title>{court}")
    web.board("http://a.test/", "/news/1.html", "/news/9.html")
    before = crawled.articles()
    crawled.topic("")
    path = crawled.folder / "topics/news.toml"
    path.write_text(path.read_text("utf-8").replace("[topic]", "[topic]\nstrict = true"), "utf-8")
    ended = crawled.crawl()
    assert ended.status == 0, ended.said
    assert "continued" in ended.line("topic news: data")
    assert crawled.articles() >= before | {"http://a.test/news/9.html"}


def test_what_was_not_seen_for_long_is_deleted_and_not_fetched_again(
    crawled: Project, web: Web
) -> None:
    web.news(3)
    crawled.topic('[output]\nkeep = "30d"\n[revisit]\npolicy = "off"\n')
    before = crawled.articles()
    ended = crawled.crawl(FOCUSCRAWL_SHIFT=str(20 * 86_400))
    assert ended.status == 0, ended.said
    assert crawled.articles() == before, "never sooner"
    ended = crawled.crawl(FOCUSCRAWL_SHIFT=str(60 * 86_400))
    assert "output.keep: deleted what was last seen longer ago" in ended.said
    assert crawled.articles() == set()
    crawled.crawl(FOCUSCRAWL_SHIFT=str(61 * 86_400))
    assert (crawled.articles(), [web.times(url) for url in before]) == (set(), [0, 0, 0])


def test_a_site_may_have_a_parser_of_its_own(project: Project, web: Web) -> None:
    project.write("own.py", PARSER)
    web.board("http://a.test/own")
    web.article("http://a.test/found-by-own.html", 3, more='<a href="/linked.html">第二篇</a>')
    web.article("http://a.test/linked.html", 4)
    project.topic('[site."a.test"]\nparser = "own:parse"\n', sources="http://a.test/own")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {"http://a.test/found-by-own.html", "http://a.test/linked.html"}
    assert project.outcomes()["http://a.test/own"] == ("list", "")
