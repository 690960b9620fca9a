"""What a change of the template does to a crawl under way; and a site's own parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
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


POLITE = (
    '[topic]\nkeywords = ["食品"]\n[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n'
    '[stories]\ncopies = "off"\n'  # all sites have the same articles
)
DENIED = {f"http://{letter}.test/denied/1.html" for letter in "abc"}


class Templates(NamedTuple):
    """Runs over three sites by a template that changes: another source and a rule, no rule, another name."""

    everything: dict[str, set[str]]
    """The addresses of the articles by site."""
    with_rule: Project
    without_rule: Project
    by_other_name: Project
    ended: Ended
    """The run by another name."""


@pytest.fixture(scope="module")
def templates(new_project: Callable[[], Project]) -> Templates:
    project = new_project()
    web = project.web
    everything = {host: web.news(4, host) for host in ("a.test", "b.test", "c.test")}
    for host, urls in everything.items():
        web.board(f"http://{host}/", *sorted(urls), "/denied/1.html")
        web.article(f"http://{host}/denied/1.html", 9)
    a, b, c = (source(f"http://{letter}.test/") for letter in "abc")
    path = "topics/news.toml"
    project.write(path, POLITE + a + b)
    project.crawl("-a", "limits.pages=4")
    project.write(path, POLITE + b + c + '[follow]\ndeny = ["/denied/"]\n[queues]\nlevels = 9\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    with_rule = project.as_it_is()
    project.write(path, POLITE + b + c + "[queues]\nlevels = 2\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    without_rule = project.as_it_is()
    project.write(path, POLITE.replace("[topic]\n", '[topic]\nname = "other"\n') + b)
    ended = project.crawl(name="other")
    assert ended.status == 0, ended.said
    return Templates(everything, with_rule, without_rule, project.as_it_is(), ended)


def test_a_source_that_comes_is_read_and_what_waits_is_read_on(templates: Templates) -> None:
    everything, found = templates.everything, templates.with_rule.articles()
    assert found - DENIED == everything["b.test"] | everything["c.test"] | (
        everything["a.test"] & found
    )


def test_what_waits_and_a_new_rule_denies_is_set_aside(templates: Templates) -> None:
    project = templates.with_rule
    assert not project.web.times("http://b.test/denied/1.html")
    assert project.outcomes()["http://b.test/denied/1.html"] == ("parked", "rule:deny")
    assert project.stored_rows() >= 1


def test_a_source_that_is_taken_out_is_not_visited_again(templates: Templates) -> None:
    assert templates.with_rule.web.times("http://a.test/") == 1
    assert templates.without_rule.web.times("http://a.test/") == 1


def test_what_a_rule_denied_is_back_when_the_rule_is_gone(templates: Templates) -> None:
    assert DENIED - {"http://a.test/denied/1.html"} <= templates.without_rule.articles()


def test_a_topic_by_another_name_is_another_crawl_and_old_data_stay(templates: Templates) -> None:
    project = templates.by_other_name
    assert "new, due 0" in templates.ended.line("topic other: data")
    found = templates.everything["b.test"] | {"http://b.test/denied/1.html"}
    assert project.articles("other") == found
    assert len(project.web.asked()) == len(templates.without_rule.web.asked()) + 6
    assert len(project.articles("news")) >= 10


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
