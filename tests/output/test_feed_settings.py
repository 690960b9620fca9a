"""Which feeds Scrapy gets: of the template, of the command line, with what is left out filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy.settings import Settings

from focuscrawl.output.feeds import feed_settings, switch_on_feeds
from focuscrawl.values import Article, Page, PageClass
from tests.kinds import KINDS

ARTICLE = Article(
    "0" * 32, "http://news.example/a.html", "news.example", "成都抽检食品", "第一段。"
)
PAGE = Page(
    url_key="1" * 32,
    url="http://news.example/",
    host="news.example",
    page_class=PageClass.BOARD,
    outcome="list",
    first_seen=1_795_147_200.0,
)


def options(uri: str, **given: Any) -> dict[str, Any]:
    """Return the options of one feed as Scrapy gets them."""
    return feed_settings({uri: given}, Path("/project"), KINDS)[str(Path("/project") / uri)]


def test_relative_addresses_lie_beside_scrapy_cfg() -> None:
    feeds = feed_settings(
        {"exports/%(name)s.csv": {}, "s3://bucket/a.csv": {}, "/srv/a.jsonl": {}},
        Path("/project"),
        KINDS,
    )
    assert list(feeds) == ["/project/exports/%(name)s.csv", "s3://bucket/a.csv", "/srv/a.jsonl"]


def test_a_feed_takes_articles_unless_told_otherwise() -> None:
    assert options("a.csv")["item_classes"] == [Article]
    assert options("a.csv", items=["page", "article"])["item_classes"] == [Page, Article]


def test_the_command_line_wins_over_the_template_and_is_completed() -> None:
    settings = Settings()
    settings.set("FEEDS", {"out.csv": {"format": "csv"}}, priority="cmdline")
    switch_on_feeds(settings, {"other.csv": {}}, Path("/project"))
    feeds = settings.getdict("FEEDS")
    assert list(feeds) == ["out.csv"]
    assert feeds["out.csv"]["encoding"] == "utf-8-sig"
    accepts = feeds["out.csv"]["item_filter"]({}).accepts
    assert [accepts(item) for item in (ARTICLE, PAGE, {"a": 1})] == [True, False, True]


def test_without_feeds_nothing_is_set() -> None:
    settings = Settings()
    switch_on_feeds(settings, {}, Path("/project"))
    assert not settings.getdict("FEEDS")
