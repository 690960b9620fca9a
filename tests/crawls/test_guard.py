"""No page leads a crawl into a private network: whole runs against servers that must not be asked."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from focuscrawl.config import HTTP_HANDLERS
from tests.crawls.days import article, run_on
from tests.web import Answer

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
METADATA = "http://169.254.169.254/latest/meta-data/"
SECRET = "http://127.0.0.1:9/secret.html"
PRIVATE_LINKS = (
    SECRET,
    METADATA,
    "http://localhost:9/",
    "http://ip6-localhost/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://127.1/",
    "http://１２７.0.0.1/",
    "http://127.0.0.1./",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://10.0.0.1.nip.io/",
    "http://router.lan/",
    "http://nas.home.arpa/",
    "http://vault.internal/",
    "http://redis:6379/",
)
ENGINE = """
[search]
engines = ["own"]
queries = ["食品"]
delay = "0s"
robots = false
[search.engine.own]
url = "http://HOST/s?q={query}"
results = "css:.r"
link = "css:a::attr(href)"
title = "css:a"
"""
WEB = '[follow]\nscope = "web"\n'

RESOLVER = """
import json
from pathlib import Path

from twisted.internet.base import ThreadedResolver
from twisted.internet.defer import succeed

from scrapy.resolver import CachingThreadedResolver


class Table(ThreadedResolver):
    def getHostByName(self, name, timeout=()):
        path = Path("names.json")
        names = json.loads(path.read_text())
        found = names.get(name, [name])
        if len(found) > 1:
            path.write_text(json.dumps(names | {name: found[1:]}))
        return succeed(found[0])


class Resolver(CachingThreadedResolver, Table):
    pass
"""
"""Knows the names of names.json; a name with several addresses leads to the next one each time."""

OPEN = "127.0.0.1/32"
"""What stands for the Internet where names are looked up: all else on loopback is private."""


class Inner:
    """A server in the own network that must get no request; counts the connections it gets."""

    def __init__(self, address: str, port: int) -> None:
        self.connections = 0
        self._server = socket.create_server((address, port))
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._server.accept()
            with connection:
                if connection.recv(4) == b"END\n":
                    return
            self.connections += 1

    def close(self) -> None:
        with socket.create_connection(self._server.getsockname()) as connection:
            connection.sendall(b"END\n")
        self._thread.join()
        self._server.close()


@pytest.fixture
def inner(project: Project) -> Iterator[Inner]:
    """Listen at the web's port of another address of this machine."""
    made = Inner("127.0.0.2", project.port)
    yield made
    made.close()


@pytest.fixture(params=HTTP_HANDLERS)
def direct(project: Project, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Let a project look names up itself, by each library; the environment and settings of its commands."""
    project.write("resolving.py", RESOLVER)
    project.write(
        "direct.py",
        "from focuscrawl.settings import *\nTWISTED_DNS_RESOLVER = 'resolving.Resolver'\n",
    )
    project.write("scrapy.cfg", "[settings]\ndefault = direct\n")
    return {
        "http_proxy": "",
        "https_proxy": "",
        "FOCUSCRAWL_PRIVATE": OPEN,
        "FOCUSCRAWL_HTTP": request.param,
    }


def names(project: Project, **known: str) -> None:
    """Say which addresses names lead to."""
    found = {name.replace("_", "."): value.split() for name, value in known.items()}
    project.write("names.json", json.dumps(found))


def asked_in_private(web: Web) -> list[str]:
    return [
        asked.url for asked in [*web.log] if asked.host not in ("a.test", "b.test", "find.test")
    ]


# Behind a proxy: names --------------------------------------------------------------------------


def test_a_robots_txt_leads_nowhere_private_and_its_site_is_crawled(
    project: Project, web: Web
) -> None:
    urls = web.news(2)
    web.redirect(f"{HOME}robots.txt", METADATA)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert asked_in_private(web) == []
    assert project.articles() == urls
    told = ended.line(METADATA)
    assert f"redirected from {HOME}robots.txt" in told
    assert "FOCUSCRAWL_PRIVATE" in told
    assert "a source, follow.sites" in told


def test_no_form_of_a_private_host_is_asked_for_however_it_is_led_to(
    project: Project, web: Web
) -> None:
    web.article(f"{HOME}news/1.html")
    web.redirect(f"{HOME}away", SECRET)
    web.board(HOME, f"{HOME}news/1.html", f"{HOME}away", *PRIVATE_LINKS)
    project.topic(WEB)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert asked_in_private(web) == []
    assert project.articles() == {f"{HOME}news/1.html"}
    assert project.outcomes()[f"{HOME}away"] == ("refused", "private")


def test_a_source_that_redirects_into_the_own_network_says_what_to_do(
    project: Project, web: Web
) -> None:
    web.redirect(HOME, METADATA)
    project.topic(WEB)
    ended = project.crawl()
    assert asked_in_private(web) == []
    assert project.outcomes() == {METADATA: ("refused", "private")}, ended.said
    assert "FOCUSCRAWL_PRIVATE" in ended.said


def test_an_engine_leads_nowhere_private(project: Project, web: Web) -> None:
    url = "http://find.test/s?q=%E9%A3%9F%E5%93%81"
    web.redirect(url, SECRET)
    web.news(1)
    project.topic(ENGINE.replace("HOST", "find.test"))
    ended = project.crawl()
    assert web.times(url) == 1, ended.said
    assert asked_in_private(web) == []
    assert project.outcomes()[url][0] == "list"


def test_an_engine_on_this_machine_is_asked_since_the_topic_names_it(
    project: Project, web: Web
) -> None:
    url = "http://localhost:8888/s?q=%E9%A3%9F%E5%93%81"
    web.answers[url] = Answer("<p class='r'><a href='http://b.test/1.html'>食品抽检</a></p>")
    web.article("http://b.test/1.html", 7)
    web.news(1)
    project.topic(ENGINE.replace("HOST", "localhost:8888"))
    ended = project.crawl()
    assert web.times(url) == 1, ended.said
    assert "http://b.test/1.html" in project.articles(), ended.said


def test_a_probe_leads_nowhere_private(project: Project, web: Web) -> None:
    urls = web.news(2)
    project.topic('[revisit]\ngone_after = 2\ngone_within = "1d"\n')
    run_on(project, 0)
    web.anything["a.test"] = Answer(status=302, headers={"Location": SECRET})
    del web.answers[article(1)]
    run_on(project, 1.1)
    assert web.times(article(1)) >= 1
    assert asked_in_private(web) == []
    assert project.articles() == urls


@pytest.mark.parametrize(
    "text",
    ['[follow]\nsites = ["files.lan"]\n', '[site."files.lan"]\nlevel = 3\n'],
    ids=["follow.sites", "site"],
)
def test_a_private_host_that_the_topic_names_is_crawled(
    project: Project, web: Web, text: str
) -> None:
    web.article("http://files.lan/1.html")
    web.article("http://deep.files.lan/2.html", 2)
    web.board(HOME, "http://files.lan/1.html", "http://deep.files.lan/2.html", "http://other.lan/")
    project.topic(text if "sites" in text else WEB + text)
    ended = project.crawl()
    assert project.articles() == {"http://files.lan/1.html", "http://deep.files.lan/2.html"}, (
        ended.said
    )
    assert not web.asked("other.lan")


# Without a proxy: addresses ---------------------------------------------------------------------


@pytest.mark.program
def test_a_robots_txt_leads_to_no_server_of_this_machine(
    project: Project, web: Web, inner: Inner, direct: dict[str, Any]
) -> None:
    home = f"http://a.test:{project.port}/"
    names(project, a_test="127.0.0.1", b_test="127.0.0.2")
    web.article("/news/1.html")
    web.board("/", "/news/1.html", f"http://b.test:{inner.port}/")
    web.redirect("/robots.txt", f"http://127.0.0.2:{inner.port}/robots.txt")
    project.topic(WEB, sources=home)
    ended = project.crawl(**direct)
    assert ended.status == 0, ended.said
    assert project.articles() == {f"{home}news/1.html"}
    assert inner.connections == 0
    assert web.times("/robots.txt") == 1


@pytest.mark.program
def test_a_public_name_with_a_private_address_is_not_asked_and_comes_back_when_it_has_another(
    project: Project, web: Web, inner: Inner, direct: dict[str, Any]
) -> None:
    home, there = f"http://a.test:{project.port}/", f"http://b.test:{project.port}/there.html"
    names(project, a_test="127.0.0.1", b_test="127.0.0.2")
    web.article("/there.html")
    web.board("/", there)
    project.topic(WEB, sources=home)
    ended = project.crawl(FOCUSCRAWL_LINGER="0s", **direct)
    assert inner.connections == 0
    assert project.outcomes()[there] == ("error", "private address"), ended.said
    assert "leads to 127.0.0.2, a private address" in ended.said
    names(project, a_test="127.0.0.1", b_test="127.0.0.1")
    assert project.crawl(**direct).status == 0
    assert project.articles() == {there}, "a captive portal loses nothing"


@pytest.mark.program
def test_a_private_answer_is_not_remembered_for_the_rest_of_the_run(
    project: Project, web: Web, inner: Inner, direct: dict[str, Any]
) -> None:
    home, there = f"http://a.test:{project.port}/", f"http://b.test:{project.port}/there.html"
    names(project, a_test="127.0.0.1", b_test="127.0.0.2 127.0.0.1")
    web.article("/there.html")
    web.board("/", there)
    project.topic(WEB, sources=home)
    ended = project.crawl(**direct)
    assert inner.connections == 0
    assert project.articles() == {there}, ended.said


@pytest.mark.program
@pytest.mark.parametrize("source", ["a.test", "b.test"])
def test_a_name_that_is_rebound_to_this_machine_is_not_followed_there(
    project: Project, web: Web, inner: Inner, direct: dict[str, Any], source: str
) -> None:
    names(project, a_test="127.0.0.1", b_test="127.0.0.1 127.0.0.1 127.0.0.2")
    pages = [f"http://b.test:{project.port}/news/{number}.html" for number in range(6)]
    for number in range(6):
        web.article(f"/news/{number}.html", number + 1)
        web.name(f"/news/{number}.html", {"Connection": "close"})
    web.board("/", *pages)
    web.name("/", {"Connection": "close"})
    project.topic(WEB, sources=f"http://{source}:{project.port}/")
    ended = project.crawl("-s", "DNSCACHE_ENABLED=False", FOCUSCRAWL_LINGER="0s", **direct)
    assert inner.connections == 0, ended.said
    outcomes = project.outcomes()
    assert ("error", "private address") in [outcomes.get(page) for page in pages]
    assert ("stored", "") in [outcomes.get(page) for page in pages]


@pytest.mark.program
def test_an_intranet_that_a_source_names_or_a_setting_opens_is_crawled(
    project: Project, web: Web, direct: dict[str, Any]
) -> None:
    names(project, a_test="127.0.0.1", b_test="127.0.0.1")
    home, there = f"http://a.test:{project.port}/", f"http://b.test:{project.port}/there.html"
    web.article("/there.html")
    web.board("/", there)
    project.topic(WEB, sources=home)
    project.crawl(FOCUSCRAWL_LINGER="0s", **{**direct, "FOCUSCRAWL_PRIVATE": ""})
    outcomes = project.outcomes()
    assert outcomes[home] == ("list", ""), "its source names it"
    assert outcomes[there] == ("error", "private address")
    ended = project.crawl(**{**direct, "FOCUSCRAWL_PRIVATE": "127.0.0.0/8"})
    assert project.articles() == {there}, ended.said


def test_a_network_that_is_none_is_refused(project: Project, web: Web) -> None:
    web.news(1)
    project.topic()
    ended = project.crawl(FOCUSCRAWL_PRIVATE="intranet")
    assert ended.status == 2
    assert "FOCUSCRAWL_PRIVATE = 'intranet': write networks such as 127.0.0.0/8" in ended.said


# Spiders without a topic ------------------------------------------------------------------------

OWN = """
from scrapy import Request, Spider


class Own(Spider):
    name = "own"

    async def start(self):
        yield Request("http://127.0.0.1:PORT/")

    def parse(self, response):
        yield {"url": response.url}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
"""


@pytest.mark.program
def test_a_spider_of_the_users_own_may_begin_on_this_machine_and_is_led_nowhere_else(
    project: Project, web: Web, inner: Inner
) -> None:
    for number in range(1, 6):
        web.answers[f"/{number}"] = Answer(f"<a href='/{number}'>this</a>", delay=0.1)
    links = "".join(f"<a href='/{number}'>{number}</a>" for number in range(1, 6))
    there = f"http://127.0.0.2:{inner.port}/"
    web.answers["/"] = Answer(f"{links}<a href='{there}'>inner</a>")
    project.spider(OWN.replace("PORT", str(project.port)))
    direct: dict[str, Any] = {"http_proxy": "", "FOCUSCRAWL_LINGER": "0s"}
    process = project.start("crawl", "own", **direct)
    while not web.times("/2"):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    ended = project.run("crawl", "own", **direct)
    assert ended.status == 0, ended.said
    outcomes = project.outcomes("own")
    assert inner.connections == 0
    assert outcomes[there] == ("refused", "private")
    base = f"http://127.0.0.1:{project.port}/"
    assert {outcomes[f"{base}{number}"] for number in range(1, 6)} == {("list", "")}
    assert "FOCUSCRAWL_PRIVATE" in ended.said


@pytest.mark.program
def test_a_proxy_on_this_machine_is_found_beside_sites_that_are_asked_directly(
    project: Project, web: Web, direct: dict[str, Any]
) -> None:
    home = f"http://a.test:{project.port}/"
    names(project, a_test="127.0.0.1", b_test="127.0.0.1", proxy_test="127.0.0.1")
    direct["FOCUSCRAWL_PRIVATE"] = ""  # the source names its site; nothing names the proxy's host
    for number in range(1, 5):
        web.article(f"http://b.test/{number}.html", number)
        web.article(f"/{number}.html", number + 4)
    links = [f"http://b.test/{number}.html" for number in range(1, 5)]
    web.board("/", *links, *(f"/{number}.html" for number in range(1, 5)))
    web.name("/", {"Connection": "close"})
    project.topic(
        f'[site."b.test".request]\nproxy = "http://proxy.test:{project.port}"\n[follow]\nsites = ["b.test", "a.test"]\n',
        sources=home,
    )
    ended = project.crawl(**direct)
    assert ended.status == 0, ended.said
    assert {url for url in project.articles() if "b.test" in url} == set(links)
    assert len(project.articles()) == 8
