"""What a crawl needs of whoever fetches its pages, by Twisted and by aiohttp (FOCUSCRAWL_HTTP): one contract for both."""

from __future__ import annotations

import gzip
import time
from typing import TYPE_CHECKING

import pytest

from focuscrawl.config import HTTP_HANDLERS
from tests.web import Answer, Asked

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.parametrize("http", HTTP_HANDLERS)]

HOME = "http://a.test/"
WRITTEN = f"{HOME}news/a%7eb%2Fc%e4.html?at=1%2B1"
"""An address that a client may write in another way: it is another one then, if it is signed."""

OUTCOMES = {
    "whole.html": ("stored", ""),
    "short.html": ("stored", "truncated"),
    "chunks.html": ("stored", ""),
    "odd-header.html": ("stored", ""),
    "long-header.html": ("stored", ""),
    "large.html": ("stored", "oversized"),
    "secret.html": ("refused", "robots"),
}

FAULTS = {"drop": ("error", "connection lost"), "silent": ("error", "timeout")}
OTHERWISE = {"aiohttp": {"odd-header.html": ("error", "connection lost")}}
"""What a library cannot: aiohttp refuses an answer with a blank in the name of a header."""


def article_bytes(web: Web, number: int) -> bytes:
    web.article("http://x.test/", number)
    answer = web.answers.pop("http://x.test/")
    assert isinstance(answer, Answer)
    return answer.content


def raw(body: bytes, *headers: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *headers, b"", body])


def odd_web(web: Web) -> None:
    """Put a page for each thing that a client may stumble over."""
    names = [*OUTCOMES]
    for number, name in enumerate(names, 1):
        web.article(f"{HOME}news/{name}", number)
    html, length = b"Content-Type: text/html; charset=utf-8", b"Content-Length: %d"

    def put(name: str, body: bytes, *headers: bytes) -> None:
        web.answers[f"{HOME}news/{name}"] = Answer(raw=raw(body, html, *headers))

    body = article_bytes(web, 3)
    packed = gzip.compress(body, mtime=0)
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in (packed[:99], packed[99:]))
    coding = (b"Content-Encoding: gzip", b"Transfer-Encoding: chunked")
    put("chunks.html", chunks + b"0\r\n\r\n", *coding)
    body = article_bytes(web, 4)
    put("odd-header.html", body, b"X Bad : 1", b"x-empty:", length % len(body))
    body = article_bytes(web, 5)
    put("long-header.html", body, b"X-Policy: " + b"p" * 15_000, length % len(body))
    web.cut(f"{HOME}news/short.html")
    web.answers[f"{HOME}news/large.html"] = Answer("<p>食品</p>" * 20_000)
    web.article(WRITTEN, 20)
    web.article("https://s.test/1.html", 21)
    web.board("https://s.test/", "https://s.test/1.html")
    for fault in FAULTS:
        web.board(f"http://{fault}.test/", f"http://{fault}.test/1.html")
        web.answers[f"http://{fault}.test/1.html"] = Answer(fault=fault)
    web.without_https.add("t.test")
    web.board(HOME, *(f"{HOME}news/{name}" for name in names), WRITTEN)
    home = web.answers[HOME]
    assert isinstance(home, Answer)
    web.answers[HOME] = Answer(home.body, headers={"Set-Cookie": "seen=1"})
    web.robots("a.test", "User-agent: *\nDisallow: /news/secret.html\n")


def test_pages_of_all_kinds_come_as_they_were_sent(project: Project, web: Web, http: str) -> None:
    odd_web(web)
    project.topic(
        "[settings]\nDOWNLOAD_TIMEOUT = 2\nDOWNLOAD_MAXSIZE = 100000\n",
        sources=f"{HOME} https://s.test/ https://t.test/ http://drop.test/ http://silent.test/",
    )
    ended = project.crawl(FOCUSCRAWL_HTTP=http, FOCUSCRAWL_LINGER="0s")
    outcomes = project.outcomes()
    assert {name: outcomes.get(f"{HOME}news/{name}") for name in OUTCOMES} == {
        **OUTCOMES,
        **OTHERWISE.get(http, {}),
    }, ended.said
    assert outcomes[WRITTEN] == ("stored", "")
    assert WRITTEN in [one.url for one in web.log]
    assert outcomes["https://s.test/1.html"] == ("stored", ""), "through a tunnel"
    assert outcomes["https://t.test/"] == ("error", "robots.txt: no answer"), "there is no tunnel"
    found = {fault: outcomes[f"http://{fault}.test/1.html"] for fault in FAULTS}
    assert found == FAULTS
    later = [one for one in web.log if one.url == WRITTEN]
    assert later[0].headers.get("cookie") == "seen=1"
    assert "focuscrawl" in later[0].headers["user-agent"]
    assert later[0].headers["accept-encoding"].startswith("gzip")


def test_a_site_gets_its_delay_and_one_request_at_a_time(
    project: Project, web: Web, http: str
) -> None:
    web.news(5)
    web.pause = 0.05
    project.topic('[politeness]\ndelay = "300ms"\n')
    assert project.crawl(FOCUSCRAWL_HTTP=http).status == 0
    assert len(project.articles()) == 5
    assert web.most_at_once("a.test") == 1
    assert min(web.gaps("a.test")) >= 0.3


def test_a_connection_that_is_dropped_is_not_tried_again_at_once(
    project: Project, web: Web, http: str
) -> None:
    web.news(3)
    web.answers[f"{HOME}news/2.html"] = Answer(fault="drop")
    project.topic()
    project.crawl(FOCUSCRAWL_HTTP=http, FOCUSCRAWL_LINGER="0s")
    assert web.times(f"{HOME}news/2.html") == 1


def test_what_is_under_way_is_given_up_when_a_crawl_has_to_end(
    project: Project, web: Web, http: str
) -> None:
    web.news(2)

    def held(asked: Asked) -> Answer:
        return Answer(fault="hold")

    web.answers[f"{HOME}news/2.html"] = held
    project.topic()
    running = project.start("crawl", "news", FOCUSCRAWL_HTTP=http)
    while not web.times(f"{HOME}news/2.html"):
        time.sleep(0.01)
    running.terminate()
    time.sleep(0.2)
    running.terminate()
    running.wait(20)
    web.is_holding = False
    web.article(f"{HOME}news/2.html", 2)
    assert project.crawl(FOCUSCRAWL_HTTP=http).status == 0
    assert len(project.articles()) == 2
