"""One worker over Redis against a crawl file, with everything on: the same requests in the same order, counts and rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.crawls.days import DAY
from tests.crawls.test_forums import Forum
from tests.crawls.test_shared import NOTHING_LEFT, Workers, told_together, workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.B1, pytest.mark.of_a_file]
__all__ = ["workers"]  # a fixture

SEEDED = '''
from focuscrawl.kernel.feature import Feature


class Seeded(Feature):
    """Lets both crawls draw the same numbers."""

    name = "seeded"

    def __init__(self, kernel):
        super().__init__(kernel)
        kernel.run.random.seed(7)
'''
EVERYTHING = """
[[source]]
url = "http://bbs.test/forum-1-1.html"
kind = "forum"
name = "bbs"
[[source]]
url = "http://map.test/sitemap.xml"
kind = "sitemap"
name = "map"
[follow]
sites = ["a.test", "b.test", "company.test"]
depth = 20
[explore]
steps = 3
[revisit]
policy = "fixed"
gone_after = 1
gone_within = "0s"
[revisit.article]
first = "1d"
min = "1d"
max = "1d"
[record.company]
pages = "all"
key = ["name"]
[record.company.fields]
name = { labels = "公司名称", required = true }
phone = { labels = "电话", type = "phone" }
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
CONCURRENT_REQUESTS = 1
"""
QUERIES = {
    "articles": "SELECT url, title, text, published, version FROM articles ORDER BY url",
    "pages": "SELECT url, outcome, reason, page_class, score FROM pages ORDER BY url",
    "records": "SELECT record_type, record_id, url, data FROM records ORDER BY record_id",
    "threads": "SELECT url, title, replies, replies_seen, views FROM threads ORDER BY url",
    "posts": "SELECT thread_key, post_no, author, text FROM posts ORDER BY thread_key, post_no",
    "stories": "SELECT articles, copies, hosts FROM stories ORDER BY articles, copies, first_key",
    "changes": "SELECT kind, what, url, fields FROM changes ORDER BY url, kind",
    "sites": "SELECT host, state, pages, relevant, articles, errors FROM sites ORDER BY host",
}
OF_ONE_RUN = {
    "commits",
    *("topic", "run_id", "job", "worker", "started", "heartbeat", "ended"),
    *("template", "template_hash", "versions"),
}
"""What is each run's own."""


def first_day(web: Web) -> Forum:
    """Lists that lead on, copies, a trap of pages without the topic, records, a sitemap, a forum."""
    for host in ("a.test", "b.test"):
        other = "b.test" if host == "a.test" else "a.test"
        urls = [f"http://{host}/news/{number}.html" for number in range(6)]
        web.board(f"http://{host}/", *urls[:4], f"http://{host}/more/", f"http://{host}/gone.html")
        web.board(f"http://{host}/more/", *urls[4:], "http://far.test/")
        for number, url in enumerate(urls):
            further = f'<p><a href="http://{other}/news/{(number + 1) % 6}.html">食品抽检</a></p>'
            web.article(url, number if number < 3 else number + 10 * (host == "a.test"), further)
    web.board("http://far.test/", *(f"http://far.test/{number}.html" for number in range(3)))
    for number in range(3):
        web.article(f"http://far.test/{number}.html", 50 + number)
    web.article("http://map.test/1.html", 60)
    web.xml("http://map.test/sitemap.xml", "<urlset><url><loc>http://map.test/1.html</loc></url></urlset>")  # fmt: skip
    about = "<a href='http://company.test/contact.html'>联系我们</a>"
    web.answers["http://company.test/"] = web.page(about)
    web.answers["http://company.test/contact.html"] = web.page(
        "<h3>联系我们</h3><p>公司名称：样例食品有限公司</p><p>电话：028-55500001</p>"
    )
    web.article("http://a.test/news/0.html", 0, "<a href='http://company.test/'>样例食品</a>")
    forum = Forum(web)
    forum.write(1, 12)
    forum.write(2, 3)
    forum.write(3, 2, about="汽车")
    forum.write_board()
    web.pause = 0.03
    return forum


def second_day(web: Web, forum: Forum) -> None:
    """An edit, a removal, a new article, replies."""
    web.article("http://a.test/news/1.html", 77)
    del web.answers["http://b.test/news/4.html"]
    web.article("http://b.test/news/9.html", 99)
    web.board("http://b.test/", *(f"http://b.test/news/{number}.html" for number in (0, 1, 3, 9)))
    forum.write(1, 15)
    forum.write_board()


def by_site(urls: Sequence[str]) -> dict[str, list[str]]:
    """Return what was asked of each site, in order."""
    found: dict[str, list[str]] = {}
    for url in urls:
        found.setdefault(urlsplit(url).netloc, []).append(url)
    return found


def left_by(project: Project, name: str) -> dict[str, Any]:
    """Return what a crawl has to show, but for what is each run's own."""
    found: dict[str, Any] = {}
    for table, query in QUERIES.items():
        found[table] = [dict(row) for row in project.rows(query, name)]
    found["told together"] = told_together(
        project.rows("SELECT story_id, url_key FROM story_members", name)
    )
    runs = [dict(row) for row in project.rows("SELECT * FROM crawl_runs ORDER BY started", name)]
    found["runs"] = [
        {key: value for key, value in run.items() if key not in OF_ONE_RUN} for run in runs
    ]
    for run in found["runs"]:
        run["counters"] = json.loads(run["counters"])
    return found


def test_one_worker_over_redis_asks_counts_and_finds_what_an_embedded_crawl_does(
    project: Project, web: Web, workers: Workers
) -> None:
    project.write("seeded.py", SEEDED)
    forum = first_day(web)
    sources = "http://a.test/ http://b.test/"
    project.topic(EVERYTHING, sources=sources)
    workers.topic(EVERYTHING, sources)
    asked: dict[str, list[str]] = {"alone": [], "worker": []}
    for day in (0.0, 1.1):
        if day:
            second_day(web, forum)
        around = {
            "FOCUSCRAWL_SHIFT": str(day * DAY),
            "FOCUSCRAWL_FEATURES": '{"seeded.Seeded": 500}',
        }
        before = len(web.log)
        assert project.crawl(**around).status == 0
        asked["alone"] += [one.url for one in web.log[before:]]
        before = len(web.log)
        ended = workers.ended(workers.start(**around))
        assert ended.status == 0, ended.said
        asked["worker"] += [one.url for one in web.log[before:]]
    # Sites answer when the machine lets them: what is asked is the same, and what is asked of each site in turn.
    assert by_site(asked["worker"]) == by_site(asked["alone"])
    alone, worker = left_by(project, "news"), left_by(project, workers.name)
    for table, rows in alone.items():
        assert worker[table] == rows, table
        assert rows, f"nothing is there to compare: {table}"
    kinds = {row["kind"] for row in alone["changes"]}
    assert kinds >= {"new", "major", "gone", "reply"}
    assert workers.left() == NOTHING_LEFT
