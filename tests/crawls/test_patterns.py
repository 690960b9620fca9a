"""Address patterns are learnt in a crawl, kept for the next one, and obeyed by the published rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.usefixtures("all_is_news"), pytest.mark.A2, pytest.mark.D5]

HOME = "http://a.test/"


def test_patterns_of_a_crawl_say_what_the_links_of_the_next_one_lead_to(
    project: Project, web: Web
) -> None:
    news = [f"{HOME}news/{number}.html" for number in range(70_000, 70_012)]
    for number, url in enumerate(news):
        web.article(url, number)
    about = [f"{HOME}user/{number}" for number in range(12)]
    for url in about:
        web.answers[url] = web.page("<title>用户</title><p>没有内容</p>")
    web.board(HOME, *news, *about)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    listed = project.run("topic", "patterns", "news")
    assert r"article         re:://[^/]+/news/\d{5,}\.html$" in listed.said
    assert r"other           re:://[^/]+/user/\d{1,3}$" in listed.said

    fresh, user = f"{HOME}news/71000.html", f"{HOME}user/99"
    web.article(fresh, 99)
    web.answers[user] = web.page("<title>用户</title><p>没有内容</p>")
    web.board(HOME, fresh, user, f"{HOME}jobs/1")
    project.topic("[stories]\nstrict = true\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert web.times(fresh) == 1
    assert web.times(user) == web.times(f"{HOME}jobs/1") == 0
    assert fresh in project.articles()
    assert len(project.rows("SELECT url FROM articles WHERE json_array_length(keywords) > 5")) == 13


def post(number: int, sentences: int) -> str:
    """Return a post of a blog that shows its latest posts beside each."""
    text = (
        f"第{number}天在食品厂门口看见一排货车,司机说今天的货要送到城南的几家超市去,大概傍晚能到。"
    )
    latest = "".join(
        f'<li><a href="/archives/{other}">关于食品厂的第{other}篇随手记录</a></li>'
        for other in range(1, 13)
    )
    return (
        f"<html><head><title>随手记{number} - 小店日志</title></head><body><h2>随手记{number}</h2>"
        f"<p>{text * sentences}</p><aside><ul>{latest}</ul></aside></body></html>"
    )


def test_short_posts_are_what_the_long_ones_at_such_addresses_are(
    project: Project, web: Web
) -> None:
    posts = [f"{HOME}archives/{number}" for number in range(1, 41)]
    for number, url in enumerate(posts, start=1):
        web.answers[url] = web.page(post(number, 1 if number % 8 == 0 else 8))
    web.board(HOME, *posts[:20])
    web.board(f"{HOME}more/", *posts[20:])
    web.board(HOME, *posts[:20], f"{HOME}more/")
    project.topic("[article]\nmin_length = 10\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    classes = {
        row["url"]: row["page_class"] for row in project.rows("SELECT url, page_class FROM pages")
    }
    assert {url for url in posts if classes[url] != "article"} == set()


def test_a_post_that_was_read_before_its_address_was_known_is_an_article_at_its_next_visit(
    project: Project, web: Web
) -> None:
    posts = [f"{HOME}archives/{number}" for number in range(1, 25)]
    for number, url in enumerate(posts, start=1):
        web.answers[url] = web.page(post(number, 1 if number == 1 else 8))
    first, others = posts[0], posts[1:]
    web.board(HOME, first)
    project.topic("[article]\nmin_length = 10\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert first not in project.articles(), "the test needs one that is taken for a list"

    web.board(HOME, first, *others)
    assert project.crawl().status == 0
    assert set(others) <= set(project.articles())
    ended = run_on(project, 2)
    assert ended.status == 0, ended.said
    assert first in project.articles()
    (told,) = project.rows(f"SELECT kind, what FROM changes WHERE url = '{first}'")
    assert tuple(told) == ("new", "article")
    assert run_on(project, 4).status == 0
    assert len(project.rows(f"SELECT kind FROM changes WHERE url = '{first}'")) == 1
    assert [
        row["page_class"]
        for row in project.rows(f"SELECT page_class FROM pages WHERE url = '{first}'")
    ] == ["article"]
