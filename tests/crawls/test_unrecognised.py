"""What a crawl could not make out is said at its end, with what to do; and it helps to do it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.conftest import tell_all
from tests.crawls.days import HOME, run_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.usefixtures("all_is_news"), pytest.mark.A2, pytest.mark.A6]

FINISHED = "Finished: nothing was left to fetch."
SHELL = (
    "<html><head><title>门户</title><script src='/app.js'></script></head>"
    "<body><div id='app'></div><noscript>请启用 JavaScript 后访问</noscript></body></html>"
)
FORUM = """
[topic]
keywords = ["食品"]
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
[[source]]
url = "http://bbs.test/b/"
kind = "forum"
name = "bbs"
"""


def told(said: str) -> str:
    """Return what the summary says was not recognised."""
    return said.partition("  what needs you:\n")[2].partition("\n  articles ")[0]


def list_like(web: Web, url: str) -> None:
    """Put a page somewhere that reads like a list: headlines beside a line without a sentence."""
    web.board(url, *(f"{HOME}archives/{number}" for number in range(1, 15)))


POSTS = [f"{HOME}archives/{number}" for number in range(1, 41)]
ODD = POSTS[6::10]
"""Those that are read as lists."""


class LikeLists(NamedTuple):
    """A crawl of posts some of which look like lists, and one that is told what they are."""

    first: Ended
    pattern: str
    """What the first proposes for ``follow.articles``."""
    second: Ended
    project: Project


@pytest.fixture(scope="module")
def like_lists(new_project: Callable[[], Project]) -> LikeLists:
    project = new_project()
    web = project.web
    tell_all(project)
    for number, url in enumerate(POSTS, start=1):
        web.article(url, number)
    for url in ODD:
        list_like(web, url)
    web.board(HOME, *POSTS)
    project.topic("[article]\nmin_length = 0\n")
    first = project.crawl()
    assert first.status == 0, first.said
    pattern = told(first.said).partition("follow.articles = ['")[2].partition("']")[0]
    assert pattern.startswith("re:"), first.said
    for number, url in enumerate(ODD, start=100):
        web.article(url, number)  # its sentences are now where they can be read
    project.topic(f"[article]\nmin_length = 0\n[follow]\narticles = ['{pattern}']\n")
    second = project.crawl()
    assert second.status == 0, second.said
    return LikeLists(first, pattern, second, project.as_it_is())


def test_a_run_that_needs_its_user_says_so_where_it_says_how_it_ended(
    like_lists: LikeLists,
) -> None:
    assert FINISHED not in like_lists.first.said
    assert "Finished, but something needs you; see below." in like_lists.first.said
    assert "what needs you" not in like_lists.second.said


def test_lists_that_look_like_articles_are_told_with_two_of_them(like_lists: LikeLists) -> None:
    said = told(like_lists.first.said)
    assert re.search(r"4 pages read as lists, though 3\d of \d\d pages of such an address", said)
    assert sum(url in said for url in ODD) == 2


def test_lists_that_are_named_as_articles_become_articles(like_lists: LikeLists) -> None:
    assert like_lists.project.articles() == set(POSTS)


def test_an_article_that_was_read_as_a_list_is_told_as_new_once(like_lists: LikeLists) -> None:
    kinds = like_lists.project.rows("SELECT kind, url FROM changes ORDER BY at")
    assert sorted(row["url"] for row in kinds if row["kind"] == "new") == sorted(POSTS)
    assert {row["kind"] for row in kinds} == {"new"}


def test_threads_without_posts_and_boards_without_threads_are_told(
    project: Project, web: Web
) -> None:
    project.write(
        "topics/news.toml", FORUM + '[[source]]\nurl = "http://bbs.test/c/"\nkind = "forum"\n'
    )
    threads = [f"http://bbs.test/t/{number}" for number in range(1, 5)]
    rows = "".join(
        f'<tr><td><a href="{url}">关于食品的帖子</a></td><td>{number} 回复</td></tr>'
        for number, url in enumerate(threads)
    )
    web.answers["http://bbs.test/b/"] = web.page(f"<title>曝光台</title><table>{rows}</table>")
    web.answers["http://bbs.test/c/"] = web.page("<title>曝光台</title><p>暂无内容</p>")
    for url in threads:
        web.answers[url] = web.page(
            "<title>帖子</title><p>食品问题，请大家来看一看这家店的做法。</p>"
        )
    ended = project.crawl()
    said = told(ended.said)
    assert "4 addresses listed as threads without a post" in said
    assert "http://bbs.test/t/" in said
    assert '[site."bbs.test".select] post, posted, poster and post_text' in said
    assert "1 source of kind forum without a thread that is counted" in said
    assert "http://bbs.test/c/" in said
    assert "http://bbs.test/b/" not in said
    counted = project.rows("SELECT counters FROM crawl_runs")[0]["counters"]
    assert '"unrecognised/threads":4' in counted
    assert '"unrecognised/boards":1' in counted


def test_sites_of_scripts_and_sources_that_are_not_there_are_told(
    project: Project, web: Web
) -> None:
    web.article(f"{HOME}news/1.html")
    web.board(HOME, f"{HOME}news/1.html", f"{HOME}none.html", f"{HOME}shell.html")
    web.answers[f"{HOME}shell.html"] = web.page(SHELL)
    shells = [f"http://spa.test/{name}" for name in ("", "a", "b")]
    for url in shells:
        web.answers[url] = web.page(SHELL)
    missing = ["http://a.test/old/", "http://b.test/"]
    project.topic(sources=" ".join([HOME, *shells, *missing]))
    ended = project.crawl()
    assert ended.status == 0, ended.said
    said = told(ended.said)
    assert "2 sources answered 404" in said
    assert all(url in said for url in missing)
    assert "none.html" not in said, "a link that leads nowhere is the site's own matter"
    assert "3 sources gave nothing: the text needs JavaScript" in said
    assert all(said.count(f"{url}\n") <= 1 for url in shells), "none is told twice"
    assert "- a.test: " not in said, "one page of a site is no site"

    web.article(f"{HOME}news/2.html", 2)
    web.board(missing[0], f"{HOME}news/2.html")
    again = run_on(project, 1)
    assert "1 source answered 404" in again.said
    assert f"{HOME}news/2.html" in project.articles()


def test_a_crawl_that_understood_all_says_so(project: Project, web: Web) -> None:
    web.news(12)
    project.topic()
    ended = project.crawl()
    assert FINISHED in ended.said
    assert "what needs you" not in ended.said


def test_a_pager_by_script_is_followed_and_a_button_without_an_address_is_said(
    project: Project, web: Web
) -> None:
    urls = [f"{HOME}news/{number}.html" for number in range(9)]
    for number, url in enumerate(urls):
        web.article(url, number)
    for page, name in enumerate(("", "index_1.html", "index_2.html")):
        pager = f'<script>createPageHTML(3, {page}, "index", "html");</script>'
        web.board(f"{HOME}{name}", *urls[3 * page : 3 * page + 3], more=pager)
    more = "http://b.test/"
    web.board(more, *(f"{more}{n}.html" for n in range(4)), more="<button>加载更多</button>")
    for number in range(4):
        web.article(f"{more}{number}.html", 20 + number)
    project.topic(sources=f"{HOME} {more}")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert {*urls} <= project.articles()
    assert "b.test: 1 list shows more by JavaScript after 4 entries" in told(ended.said)
    assert "a.test" not in told(ended.said)
