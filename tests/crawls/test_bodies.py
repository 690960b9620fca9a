"""Bodies that are cut, packed or too large, and what is sent with a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.crawls.conftest import Project, Web

HOME = "http://a.test/"


def test_bodies_that_come_short_or_are_too_large_are_kept_and_marked(
    project: Project, web: Web
) -> None:
    web.news(2)
    web.fail_first(f"{HOME}news/1.html", fault="short")
    names = ("short", "large", "bomb", "packed")
    for number, name in enumerate(names, start=11):
        web.article(f"{HOME}{name}.html", number, more="<p>" + "长" * 20 + "</p>")
    web.cut(f"{HOME}short.html")
    web.article(f"{HOME}large.html", 12, more=f"<!--{'x' * 900_000}-->")
    web.pack(f"{HOME}packed.html")
    web.article(f"{HOME}bomb.html", 13, more=f"<!--{'x' * 900_000}-->")
    web.pack(f"{HOME}bomb.html")
    web.board(HOME, "/news/1.html", "/news/2.html", *(f"/{name}.html" for name in names))
    project.topic('[politeness]\ndelay = "0s"\nretries = 1\n[limits]\nbody = "50kB"\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    outcomes = project.outcomes()
    assert outcomes[f"{HOME}news/1.html"] == ("stored", ""), "whole at the second try"
    assert outcomes[f"{HOME}short.html"][1] == "truncated"
    assert web.times(f"{HOME}short.html") == 2
    assert outcomes[f"{HOME}large.html"] == ("stored", "oversized")
    assert outcomes[f"{HOME}packed.html"] == ("stored", "")
    assert outcomes[f"{HOME}bomb.html"] == ("refused", "oversized")
    size = project.rows(f"SELECT bytes FROM pages WHERE url = '{HOME}large.html'")[0]["bytes"]
    assert size < 900_000
    assert project.stored_rows() == 0


def test_requests_carry_what_the_template_and_chinese_sites_want(
    project: Project, web: Web
) -> None:
    web.news(1, "a.test")
    web.news(1, "b.test")
    project.topic(
        '[politeness]\ndelay = "0s"\ncontact = "mailto:me@example.com"\n'
        '[request]\nheaders = { X-All = "all" }\n'
        '[site."b.test"]\nuser_agent = "other/1.0"\nheaders = { X-All = "b" }\n'
        'cookies = { session = "b1" }\nrobots = false\n',
        sources="http://a.test/ http://b.test/",
    )
    web.robots("b.test", "User-agent: *\nDisallow: /\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    for asked in web.asked("a.test"):
        assert asked.headers["accept-language"] == "zh-CN,zh;q=0.9,en;q=0.5"
        assert asked.headers["user-agent"].startswith("focuscrawl/")
        assert "mailto:me@example.com" in asked.headers["user-agent"]
        assert asked.headers["x-all"] == "all"
        assert "cookie" not in asked.headers
    assert len(web.asked("b.test")) == 2
    for asked in web.asked("b.test"):
        assert asked.headers["user-agent"].startswith("other/1.0")
        assert asked.headers["x-all"] == "b"
        assert asked.headers["cookie"] == "session=b1"
