"""What becomes of records, threads and pages no search reaches passes a user's pipelines, too."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from focuscrawl.values import change_key
from tests.crawls.days import DAY, article
from tests.crawls.test_forums import TOPIC as FORUM
from tests.crawls.test_forums import Forum, address
from tests.crawls.test_records import DIRECTORY, company
from tests.crawls.test_search_again import LATER, engine, site
from tests.crawls.test_search_again import TOPIC as SEARCH
from tests.crawls.watched import PIPELINE, lines, rows, seen, urls_of, watch

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.announced_first, pytest.mark.usefixtures("all_is_news")]


@pytest.mark.program
def test_what_becomes_of_a_record_passes_the_pipelines(project: Project, web: Web) -> None:
    names = {
        "a.test": "云杉软件有限公司",
        "b.test": "青禾软件有限公司",
        "c.test": "白鹭软件有限公司",
    }
    for number, (host, name) in enumerate(names.items()):
        company(web, host, name, f"028-5550111{number}")
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Watches': 400})\n")
    sources = ", ".join(f'"http://{host}/"' for host in names)
    project.write("topics/news.toml", f"{DIRECTORY}[[source]]\nurls = [{sources}]\n")
    a, b, c = (f"http://{host}/contact.html" for host in names)
    wants = json.dumps({"b.test/contact.html": "drop", "c.test/contact.html": "kill"})
    assert project.crawl(WANTS=wants).status == -signal.SIGKILL
    assert c in urls_of(seen(project))
    assert c not in urls_of(rows(project))
    assert project.crawl(WANTS=wants).status == 0
    assert c in urls_of(seen(project))
    assert {(one.kind, one.what) for one in rows(project)} == {("new", "record")}
    assert urls_of(rows(project)) == [a, c]
    assert len(project.rows("SELECT * FROM records")) == 3

    (project.folder / "killed").unlink()
    for number, (host, name) in enumerate(names.items()):
        company(web, host, name, f"028-5550222{number}")
    shift = {"FOCUSCRAWL_SHIFT": str(8 * DAY), "WANTS": wants}
    assert project.crawl(**shift).status == -signal.SIGKILL
    first = seen(project)
    assert project.crawl(**shift).status == 0
    told = {*first, *seen(project)}
    assert {(one.kind, one.url) for one in told} == {("major", url) for url in (a, b, c)}
    assert len(told) == 3, "told again under the same id"
    changed = project.rows("SELECT url, fields, version FROM changes WHERE kind = 'major'")
    assert {row["url"]: (json.loads(row["fields"]), row["version"]) for row in changed} == {
        url: ({"phone": [[f"028-5550111{n}"], [f"028-5550222{n}"]]}, 2)
        for n, url in ((0, a), (2, c))
    }
    assert {row["version"] for row in project.rows("SELECT version FROM records")} == {2}


def test_threads_and_their_replies_pass_the_pipelines(project: Project, web: Web) -> None:
    forum = Forum(web)
    for number, posts in ((1, 3), (2, 12)):
        forum.write(number, posts)
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Watches': 400})\n")
    project.write("topics/news.toml", FORUM)
    assert project.crawl().status == 0
    assert seen(project) == rows(project)
    forum.write(2, 15)
    assert project.crawl().status == 0
    (reply,) = seen(project)
    assert (reply.kind, reply.what, reply.url) == ("reply", "thread", address(2))
    assert [one.kind for one in sorted(rows(project), key=lambda one: one.kind)] == [
        *("new", "new"),
        "reply",
    ]


@pytest.mark.program
def test_pages_that_a_strict_search_deletes_are_told_first(project: Project, web: Web) -> None:
    hosts = [f"n{number}.test" for number in range(6)]
    engine(web, *hosts)
    for number, host in enumerate(hosts):
        site(web, host, 2 * number, 2 * number + 1)
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Watches': 400})\n")
    topic = SEARCH.format(search="strict = true")
    project.write("topics/news.toml", topic)
    assert project.crawl().status == 0
    before = project.articles()
    assert urls_of(seen(project)) == sorted(before)
    for number, host in enumerate(hosts):
        site(web, host, 2 * number)
    dropped, failed = "http://n0.test/1.html", "http://n1.test/3.html"
    wants = {"n0.test/1.html": "drop", "n1.test/3.html": "fail", "n2.test/5.html": "kill"}
    asked = len(web.asked())
    environment = {"FOCUSCRAWL_SHIFT": LATER, "WANTS": json.dumps(wants)}
    ended = project.crawl(traceback=True, **environment)
    told = seen(project)
    if ended.status:
        assert ended.status == -signal.SIGKILL
        assert "http://n2.test/5.html" in project.articles(), "told before it is deleted"
        ended = project.crawl(traceback=True, **environment)
        told += seen(project)
    assert ended.status == 0, ended.said
    reached = {one.url for one in web.asked()[asked:] if one.url.endswith(".html")}
    gone = before - reached
    assert gone
    assert {one.url for one in told if one.kind == "gone"} == gone
    assert project.articles() == reached | ({failed} & gone), "a pipeline has failed on that one"
    kept = project.rows("SELECT url FROM changes WHERE kind = 'gone'")
    assert sorted(row["url"] for row in kept) == sorted(gone - {dropped, failed})


# Spiders of a user's own ------------------------------------------------------------------------

OWN = """

from scrapy import Request, Spider

from focuscrawl.values import Article


class Mine(Spider):
    name = "mine"

    async def start(self):
        for number in (1, 2):
            url = "http://a.test/news/%d.html" % number
            yield Request(url, callback=self.read, dont_filter=True)

    def read(self, response):
        number = response.url[-6]
        yield Article(number * 32, response.url, "a.test", "第%s篇" % number, "正文" * 50)
        yield {"url": response.url}
"""


def test_articles_of_a_users_own_spider_are_told_but_to_no_feed(project: Project, web: Web) -> None:
    web.news(2)
    watch(project)
    project.write("mine/spiders.py", PIPELINE + OWN)
    wants = json.dumps({"/2.html": "fail"})
    ended = project.crawl("-o", "own.jsonl", name="mine", traceback=True, WANTS=wants)
    assert ended.status == 0, ended.said
    first = seen(project)
    assert urls_of(first) == [article(1), article(2), article(2)]
    assert {one.change_id for one in first} == {change_key(n * 32, "new", 1) for n in "12"}
    told = project.rows("SELECT url FROM changes ORDER BY url", name="mine")
    assert [row["url"] for row in told] == [article(1), article(2)]
    assert not any("kind" in line for line in lines(project, "own.jsonl"))
    assert project.crawl("-o", "own.jsonl", name="mine").status == 0
    assert seen(project) == [], "the second run finds them stored"
    assert len(lines(project, "own.jsonl")) == 4
