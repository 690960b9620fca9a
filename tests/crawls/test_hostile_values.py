"""A page may count what it likes and write what it likes: it loses no window, and ends no run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import article
from tests.crawls.test_forums import BOARD, Forum, address
from tests.crawls.test_forums import TOPIC as FORUM

if TYPE_CHECKING:
    from tests.databases import Database
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.unfit_values

NEWS = '[[source]]\nurl = "http://a.test/"\nname = "news"\n'
ODD = 2
"""The thread whose row counts to anything."""


class Boasting(Forum):
    """A forum one of whose threads says that it was viewed very often."""

    boasts = "999,999,999,999,999,999,999"

    def write_board(self) -> None:
        super().write_board()
        answer = self.web.answers[BOARD]
        body = getattr(answer, "body", "")
        count = f"<em>{self.posts.get(ODD, 0) * 40}</em>"
        self.web.answers[BOARD] = self.web.page(body.replace(count, f"<em>{self.boasts}</em>"))


@pytest.fixture
def boasting(web: Web) -> Boasting:
    forum = Boasting(web)
    for number, posts in ((1, 3), (ODD, 5), (3, 4)):
        forum.write(number, posts)
    return forum


def test_a_count_nothing_can_have_is_unknown_and_loses_nothing_else(
    project: Project, web: Web, boasting: Boasting
) -> None:
    urls = web.news(4)
    project.write("topics/news.toml", FORUM + NEWS)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    found = {row["url"]: row["views"] for row in project.rows("SELECT url, views FROM threads")}
    assert found == {address(1): 120, address(ODD): None, address(3): 160}
    assert f"{BOARD} counts views beyond 2^53" in ended.said
    assert '"unknown/views": 1' in project.last_run()["counters"].replace(":1", ": 1")
    assert project.stored_rows() == 0


def test_a_server_takes_what_its_integers_do_not_hold(
    project: Project, web: Web, boasting: Boasting, postgresql_database: Database
) -> None:
    urls = web.news(4)
    project.write("topics/news.toml", FORUM + NEWS)
    results = postgresql_database.url
    for boasts, views in (("999,999,999,999,999,999,999", None), ("3,000,000,000", 3 * 10**9)):
        boasting.boasts = boasts
        boasting.write(ODD, boasting.posts[ODD] + 1)
        ended = project.crawl(FOCUSCRAWL_RESULTS=results)
        assert ended.status == 0, ended.said
        assert {*postgresql_database.ask("SELECT url FROM articles")} == {(url,) for url in urls}
        counted = postgresql_database.ask(
            "SELECT views FROM threads WHERE url = :url", url=address(ODD)
        )
        assert counted == [(views,)]


PIPELINE = """
from focuscrawl.values import Article


class Spoils:
    def process_item(self, item):
        if isinstance(item, Article) and item.url.endswith(("/2.html", "/3.html")):
            item.language = 7
        if isinstance(item, Article):
            item.score = float("nan")
            item.extra = {"half": "\\ud800", "huge": 10**30}
        return item
"""


def test_what_cannot_be_stored_is_left_out_alone_and_said(project: Project, web: Web) -> None:
    urls = web.news(5)
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Spoils': 400})\n")
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls - {article(2), article(3)}
    for number in (2, 3):
        said = ended.line(f"cannot be stored: {article(number)}")
        assert "articles.language cannot take this int" in said
    assert "left out   articles 2" in ended.said
    again = project.crawl()
    assert again.status == 0, again.said
    assert project.stored_rows() == 0


FEEDS = "".join(
    f'[output.feeds."./all.{kind}"]\nitems = ["article", "thread", "post", "change"]\noptions = {{ overwrite = true }}\n'
    for kind in ("jsonl", "json", "csv", "xml")
)
ODD_ITEMS = """
from focuscrawl.values import Article, Post, Thread

DEEP = "x"
for _ in range(200):  # each is two levels
    DEEP = [{"\\ud800": DEEP}]


class Spoils:
    def process_item(self, item):
        if isinstance(item, Article):
            item.title += "\\ud800\\x00"
            item.score = float("nan")
            item.published = 1e30
            item.extra = {"half": "\\ud800", "huge": 10**30, "deep": DEEP}
        if isinstance(item, Thread):
            item.views, item.last_reply = 10**30, float("inf")
        return item
"""


def test_feeds_take_what_pages_and_pipelines_make_up(
    project: Project, web: Web, boasting: Boasting
) -> None:
    urls = web.news(3)
    project.spider(ODD_ITEMS, "ITEM_PIPELINES.update({'mine.spiders.Spoils': 250})\n")
    project.write("topics/news.toml", FORUM + NEWS + FEEDS)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    for kind in ("jsonl", "json", "csv", "xml"):
        written = (project.folder / f"all.{kind}").read_bytes().decode("utf-8-sig")
        for url in (*urls, address(1), address(ODD)):
            assert url in written, kind
        assert "\x00" not in written


def test_half_a_character_in_a_page_loses_nothing(project: Project, web: Web) -> None:
    urls = web.news(3)
    answer = web.answers[article(2)]
    body = str(getattr(answer, "body", ""))
    odd = (
        '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "第二批\\ud800抽检",'
        ' "author": {"name": "\\udfff记者"}, "datePublished": "99999999999999999999",'
        ' "keywords": ["\\ud800", 1e400], "commentCount": 1e30}</script></head>'
    )
    web.answers[article(2)] = web.page(body.replace("</head>", odd))
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert project.crawl(FOCUSCRAWL_SHIFT="90000").status == 0
