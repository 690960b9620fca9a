"""Bodies that are cut, packed or too large, and what is sent with a request."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Answer, Asked, Web

pytestmark = [pytest.mark.body_ends, pytest.mark.packed_bodies]

HOME = "http://a.test/"
HALF = "<html><p>其中一批次不合格,已经责令企业立即".encode()


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
    project.topic(
        '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 1\nDOWNLOAD_MAXSIZE = 50_000\n'
    )
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


@pytest.mark.program
def test_what_ends_with_its_connection_is_whole_and_its_edits_and_deletions_are_told(
    project: Project, web: Web
) -> None:
    urls = web.news(6)
    feed, sitemap = f"{HOME}feed.xml", f"{HOME}sitemap.xml"
    entry = "<item><title>第{}批</title><link>" + HOME + "news/{}.html</link></item>"
    web.xml(feed, f"<rss version='2.0'><channel>{entry.format(7, 7)}</channel></rss>")
    web.xml(sitemap, f"<urlset><url><loc>{HOME}news/8.html</loc></url></urlset>")
    web.robots("a.test", "User-agent: *\nDisallow: /secret/\n")
    for number in (7, 8):
        web.article(f"{HOME}news/{number}.html", number)
    urls |= {f"{HOME}news/7.html", f"{HOME}news/8.html"}
    web.board(HOME, *sorted(urls)[:6], "/secret/1.html")
    tables = '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 2\n[revisit]\ngone_after = 2\ngone_within = "1d"\n'
    project.topic(tables, sources=f"{HOME} {feed} {sitemap}")
    heads = [
        ("HTTP/1.0 200 OK",),
        ("HTTP/1.0 200 OK", "Connection: close"),
        ("HTTP/1.1 200 OK", "Connection: close"),
        ("HTTP/1.1 200 OK",),
    ]
    # What PHP's own server, CGI and HTTP/1.0 proxies send: the end of the connection is the end.
    for number, url in enumerate([HOME, feed, sitemap, f"{HOME}robots.txt", *sorted(urls)]):
        web.send_raw(url, *heads[number % len(heads)])
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert {web.times(url) for url in urls} == {1}
    assert web.times(HOME) == web.times(feed) == web.times(sitemap) == 1
    outcomes = project.outcomes()
    assert {outcomes[url] for url in urls} == {("stored", "")}
    assert outcomes[f"{HOME}secret/1.html"] == ("refused", "robots")
    assert {row["complete"] for row in project.rows("SELECT complete FROM articles")} == {1}

    web.article(f"{HOME}news/1.html", 51)
    web.article(f"{HOME}news/7.html", 57)
    for number in (1, 7):
        web.send_raw(f"{HOME}news/{number}.html")
    web.send_raw(f"{HOME}news/2.html", "HTTP/1.0 404 Not Found")
    web.send_raw(f"{HOME}news/3.html", "HTTP/1.1 404 Not Found", "Content-Length: 99999")
    before = len(web.asked())
    for day in (1.1, 2.3):
        ended = run_on(project, day)
        assert ended.status == 0, ended.said
    told = project.rows("SELECT kind, url FROM changes WHERE kind <> 'new' ORDER BY url")
    assert [tuple(row) for row in told] == [
        ("major", f"{HOME}news/1.html"),
        ("gone", f"{HOME}news/2.html"),
        ("gone", f"{HOME}news/3.html"),
        ("major", f"{HOME}news/7.html"),
    ]
    again = Counter(asked.url for asked in web.asked()[before:] if asked.url in urls)
    assert set(again) == urls
    assert max(again.values()) == 2
    assert not project.rows("SELECT * FROM pages WHERE outcome = 'error'")


@pytest.mark.program
def test_a_body_that_loses_its_declared_length_or_last_chunk_is_fetched_again(
    project: Project, web: Web
) -> None:
    urls = sorted(web.news(4))
    web.board(HOME, *urls, "/news/5.html", "/secret/1.html")
    web.robots("a.test", "User-agent: *\nDisallow: /secret/\n")
    heads = [
        ("HTTP/1.0 200 OK", "Content-Length: 99999"),
        ("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"),
        ("HTTP/1.1 206 Partial Content", f"Content-Range: bytes 0-{len(HALF) - 1}/99999"),
        ("HTTP/1.1 206 Partial Content", f"Content-Range: bytes 0-{len(HALF) - 1}/{len(HALF)}"),
    ]
    for url, head in zip(urls, heads, strict=True):
        body = b"ffff\r\n" + HALF if "chunked" in head[1] else HALF
        web.fail_first(url, raw="\r\n".join((*head, "", "")).encode() + body)
    nothing = b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"
    web.fail_first(f"{HOME}robots.txt", raw=nothing + b"User-agent: *\n")
    web.article(f"{HOME}news/5.html", 5)
    web.fail_first(f"{HOME}news/5.html", times=3, raw=nothing)
    project.topic('[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 1\n')
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="100ms,100ms")
    assert ended.status == 0, ended.said
    assert [web.times(url) for url in urls] == [2, 2, 2, 1], "a part that is all there is is whole"
    assert project.articles() == {*urls[:3], f"{HOME}news/5.html"}, "nothing at all is a failure"
    assert {row["complete"] for row in project.rows("SELECT complete FROM articles")} == {1}
    assert project.outcomes()[f"{HOME}secret/1.html"] == ("refused", "robots")


def test_a_body_that_cannot_be_unpacked_is_a_failure_and_comes_back(
    project: Project, web: Web
) -> None:
    urls = sorted(web.news(6))
    page = web.body(urls[5]).encode()
    broken = [
        ("gzip", page),
        ("deflate", zlib.compress(page)[:300] + b"\xff" * 300),
        ("br", page),
        ("zstd", page),
        ("zstd", b"\x28\xb5\x2f\xfd"),
        ("gzip", gzip.compress(page)[:-30]),
    ]
    for url, (encoding, body) in zip(urls, broken, strict=True):
        web.fail_first(url, times=2, body=body, headers={"Content-Encoding": encoding})
    moved, gone, always, bomb = (
        f"{HOME}{name}.html" for name in ("moved", "gone", "always", "bomb")
    )
    packed = {"Content-Encoding": "gzip"}
    web.article(moved, 7)
    web.fail_first(
        moved, 99, body=b"?", status=301, headers=packed | {"Location": f"{HOME}new.html"}
    )
    web.article(f"{HOME}new.html", 7)
    web.article(gone)
    web.fail_first(gone, 99, body=b"?", status=404, headers=packed)
    web.article(always)
    web.fail_first(always, 99, body=b"?", headers=packed)
    web.article(bomb, 13, more=f"<!--{'x' * 900_000}-->")
    web.pack(bomb)
    web.board(HOME, *urls, moved, gone, always, bomb)
    project.topic(
        '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\nDOWNLOAD_MAXSIZE = 50_000\n'
    )
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="100ms,100ms")
    assert ended.status == 0, ended.said
    assert project.articles() == {*urls, f"{HOME}new.html"}
    outcomes = project.outcomes()
    assert {outcomes[url] for url in urls[:5]} == {("stored", "")}
    assert outcomes[urls[5]] == ("stored", "truncated"), "of it a part has come"
    assert [web.times(url) for url in urls] == [3, 3, 3, 3, 3, 1]
    assert outcomes[gone] == ("gone", "http 404")
    assert outcomes[bomb] == ("refused", "oversized")
    assert outcomes[always] == ("error", "corrupt")
    assert (web.times(always), web.times(bomb), web.times(moved)) == (3, 1, 1)
    assert project.stored_rows() == 1, "what stays broken is tried again by the next run"

    project.topic(
        '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 1\nDOWNLOAD_MAXSIZE = 50_000\n'
    )
    whole = web.page(page)

    def packs_badly(asked: Asked) -> Answer:
        packs = asked.headers["accept-encoding"] != "identity"
        return web.packed(b"?") if packs else whole

    web.answers[always] = packs_badly
    ended = project.crawl(FOCUSCRAWL_SHIFT="60")
    assert ended.status == 0, ended.said
    assert project.outcomes()[always][0] != "error", "the server was asked not to pack it"


def test_a_broken_body_is_no_change_of_a_page_that_is_known(project: Project, web: Web) -> None:
    urls = web.news(3)
    project.topic()
    assert run_on(project, 0).status == 0
    before = project.rows("SELECT url, text, version FROM articles ORDER BY url")
    text = "<html><title>别的</title><p>别的内容</p>" + "别的内容。" * 300
    for url, body in zip(
        sorted(urls), (b"?", gzip.compress(text.encode())[:-20], b"\x1f\x8b"), strict=True
    ):
        web.answers[url] = web.packed(body)
    assert run_on(project, 1.1).status == 0
    assert project.rows("SELECT url, text, version FROM articles ORDER BY url") == before
    assert [project.outcomes()[url] for url in sorted(urls)] == [
        ("error", "corrupt"),
        ("error", "truncated"),
        ("error", "corrupt"),
    ]
    assert not project.rows("SELECT * FROM changes WHERE kind <> 'new'")
    web.news(3)
    assert run_on(project, 3).status == 0
    assert {project.outcomes()[url][0] for url in urls} == {"unchanged"}


def test_requests_carry_what_the_template_and_chinese_sites_want(
    project: Project, web: Web
) -> None:
    web.news(1, "a.test")
    web.news(1, "b.test")
    project.topic(
        '[politeness]\ndelay = "0s"\ncontact = "mailto:me@example.com"\n'
        '[request]\nheaders = { X-All = "all" }\n'
        '[site."b.test".politeness]\nuser_agent = "other/1.0"\nrobots = false\n[site."b.test".request]\nheaders = { X-All = "b" }\n'
        'cookies = { session = "b1" }\n',
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
