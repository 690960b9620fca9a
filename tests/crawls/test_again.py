"""A topic that is run again: lists, feeds and sitemaps once more, no article twice."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.watched

HOME = "http://a.test/"
TODAY = "2026-11-20"


def feed(*urls: str, date: str = "Thu, 19 Nov 2026 08:00:00 +0800") -> str:
    entries = "".join(
        f"<item><title>食品抽检 {url}</title><link>{url}</link><pubDate>{date}</pubDate></item>"
        for url in urls
    )
    return f'<rss version="2.0"><channel><title>通告</title>{entries}</channel></rss>'


def sitemap(*urls: str, kind: str = "urlset", entry: str = "url") -> str:
    entries = "".join(f"<{entry}><loc>{url}</loc></{entry}>" for url in urls)
    return f"<{kind}>{entries}</{kind}>"


def test_a_second_run_fetches_lists_feeds_and_sitemaps_once_again(
    project: Project, web: Web
) -> None:
    urls = web.news(12)
    by_list, by_feed, by_map = (
        [f"{HOME}news/{number}.html" for number in range(first, first + 4)] for first in (1, 5, 9)
    )
    web.board(HOME, *by_list, "/sub/index.html")
    web.board(f"{HOME}sub/index.html", *by_list)
    web.xml(f"{HOME}rss.xml", feed(*by_feed))
    web.xml(
        f"{HOME}sitemaps.xml",
        sitemap(f"{HOME}map-1.xml.gz", kind="sitemapindex", entry="sitemap"),
    )
    web.file(f"{HOME}map-1.xml.gz", gzip.compress(sitemap(*by_map).encode()))
    sources = "".join(
        f'[[source]]\nurl = "{HOME}{path}"\nkind = "{kind}"\nname = "{kind}"\n'
        for path, kind in (("rss.xml", "feed"), ("sitemaps.xml", "sitemap"))
    )
    project.topic(sources)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    lists = {
        HOME + path for path in ("", "sub/index.html", "rss.xml", "sitemaps.xml", "map-1.xml.gz")
    }
    assert all(web.times(url) == 1 for url in urls | lists)
    sources_of = {row["url"]: row["source_id"] for row in project.rows("SELECT * FROM articles")}
    assert {sources_of[url] for url in by_feed} == {"feed"}
    assert {sources_of[url] for url in by_map} == {"sitemap"}

    web.article(f"{HOME}news/99.html", 99)
    web.xml(f"{HOME}rss.xml", feed(*by_feed, f"{HOME}news/99.html"))
    before = len(web.asked())
    ended = project.crawl()
    assert ended.status == 0, ended.said
    again = sorted(asked.url for asked in web.asked()[before:])
    assert again == sorted([*lists, f"{HOME}news/99.html"])
    assert len(project.articles()) == 13
    assert project.last_run()["articles_new"] == 1
    assert "due 4" in ended.line("topic news: data"), "the list beside them waits for their news"


def test_paging_is_read_until_known_and_since_ends_it(project: Project, web: Web) -> None:
    pages = [HOME, *(f"{HOME}list_{number}.html" for number in range(2, 7))]

    def write(newest: int) -> None:
        """Put the newest articles on page 1, six on a page, as a board does."""
        numbers = list(range(newest, 0, -1))
        for page, address in enumerate(pages, start=1):
            own = numbers[(page - 1) * 6 : page * 6]
            more = f'<div class="pages"><a href="/list_{page + 1}.html">下一页</a></div>'
            web.board(
                address, *(f"/news/{n}.html" for n in own), more=more if page < len(pages) else ""
            )

    for number in range(1, 40):
        # The older half is of last year.
        web.article(
            f"{HOME}news/{number}.html", number, date=TODAY if number > 12 else "2025-01-15"
        )
    write(30)
    project.topic(
        '[article]\nsince = 2026-01-01\n[follow]\npages = 5\nboards = ["/list_"]\n', sources=HOME
    )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {f"{HOME}news/{n}.html" for n in range(13, 31)}
    outcomes = project.outcomes()
    old = {url for url, (outcome, _) in outcomes.items() if outcome == "old"}
    assert old <= {f"{HOME}news/{n}.html" for n in range(1, 13)}
    assert not web.times(pages[5]), "follow.pages"

    write(33)
    before = len(web.asked())
    ended = project.crawl()
    assert ended.status == 0, ended.said
    again = [asked.url for asked in web.asked()[before:]]
    new = {f"{HOME}news/{n}.html" for n in (31, 32, 33)}
    assert set(again) == {HOME, pages[1]} | new, "page 1 had new links, page 2 none"
    assert len(again) == len(set(again))
    before = len(web.asked())
    project.crawl()
    assert [asked.url for asked in web.asked()[before:]] == [HOME], "nothing new on page 1"
