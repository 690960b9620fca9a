"""http and https of a page are one; where the one cannot be reached, the other is asked."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.conftest import tell_all
from tests.crawls.days import run_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.A8, pytest.mark.usefixtures("all_is_news")]

HOME = "http://a.test/"
LATER = {"FOCUSCRAWL_RETRY_WAITS": "1h,1h,1h", "FOCUSCRAWL_LINGER": "1s"}


def news_of(web: Web, host: str, articles: int = 3, scheme: str = "http") -> list[str]:
    """Put articles on a host, found first on a list that names them by the other scheme."""
    other = "https" if scheme == "http" else "http"
    paths = [f"{host}/news/{number}.html" for number in range(1, articles + 1)]
    for number, path in enumerate(paths, start=1):
        web.article(f"{scheme}://{path}", number + 10 * sum(host.encode()))
    web.board(HOME, *(f"{other}://{path}" for path in paths), f"{HOME}again.html")
    web.board(f"{HOME}again.html", *(f"{scheme}://{path}" for path in paths))
    return [f"{scheme}://{path}" for path in paths]


class OnlyHttp(NamedTuple):
    """A site whose pages are found by https and answered by http alone: a run, and days later."""

    urls: list[str]
    first: Project
    later: Project


@pytest.fixture(scope="module")
def only_http(new_project: Callable[[], Project]) -> OnlyHttp:
    project = new_project()
    web = project.web
    tell_all(project)
    urls = news_of(web, "b.test")
    web.without_https.add("b.test")
    web.board(HOME, *(url.replace("http:", "https:") for url in urls), "https://b.test/secret/1.html",
              f"{HOME}again.html")  # fmt: skip
    web.robots("b.test", "User-agent: *\nDisallow: /secret/\n")
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    first = project.as_it_is()
    web.article(urls[0], 77)
    web.keep_versions(urls[1])
    web.article("http://b.test/news/4.html", 4)
    web.board(HOME, "https://b.test/news/4.html", *urls)
    for day in (1.1, 3, 6):
        assert run_on(project, day).status == 0
    return OnlyHttp(urls, first, project.as_it_is())


def test_pages_found_first_by_https_are_had_once_where_only_http_answers(
    only_http: OnlyHttp,
) -> None:
    urls, project = only_http.urls, only_http.first
    assert project.articles() == {*urls}, "by the addresses that are answered"
    outcomes = project.outcomes()
    assert {outcomes[url] for url in urls} == {("stored", "")}
    assert [project.web.times(url) for url in urls] == [1, 1, 1]


def test_robots_txt_is_read_by_http_where_only_http_answers(only_http: OnlyHttp) -> None:
    assert not only_http.first.web.times("http://b.test/secret/1.html")


def test_a_scheme_that_is_not_answered_is_no_error_and_leaves_nothing_to_do(
    only_http: OnlyHttp,
) -> None:
    assert only_http.first.last_run()["errors"] == 0
    assert only_http.first.stored_rows() == 0


def test_a_scheme_that_a_site_refuses_is_remembered(only_http: OnlyHttp) -> None:
    assert only_http.later.web.tunnels["b.test"] == only_http.first.web.tunnels["b.test"]
    assert only_http.later.articles() == {*only_http.urls, "http://b.test/news/4.html"}


def test_a_change_is_told_by_the_address_that_is_answered(only_http: OnlyHttp) -> None:
    told = only_http.later.rows("SELECT url FROM changes WHERE kind <> 'new'")
    assert [row["url"] for row in told] == [only_http.urls[0]]


def test_pages_are_visited_by_the_address_and_the_version_that_are_answered(
    only_http: OnlyHttp,
) -> None:
    asked = [one for one in only_http.later.web.asked() if one.url == only_http.urls[1]]
    assert '"one"' in [one.headers.get("if-none-match") for one in asked]
    assert only_http.later.articles() < set(only_http.later.states())


def test_pages_found_first_by_http_are_had_where_only_https_answers(
    project: Project, web: Web
) -> None:
    urls = news_of(web, "b.test", scheme="https")
    for url in urls:
        address = url.replace("https:", "http:")
        web.answers[address] = web.say("")
        web.fail_first(address, times=99, fault="drop")
    web.answers["http://b.test/robots.txt"] = web.answers[address]
    web.answers["https://b.test/robots.txt"] = web.page(
        "User-agent: *\nDisallow: /news/3", "text/plain"
    )
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {*urls[:2]}
    assert project.outcomes()[urls[2].replace("https", "http")] == ("refused", "robots")
    assert [web.times(url) for url in urls] == [1, 1, 0]


def test_no_page_is_asked_for_as_nobody_has_written_it(project: Project, web: Web) -> None:
    urls = news_of(web, "b.test")
    web.without_https.add("b.test")
    web.board(f"{HOME}again.html", HOME)
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    project.crawl(**LATER)
    assert not web.asked("b.test")
    assert project.stored_rows() == 3, "they are tried again"

    web.board(HOME, *urls)
    project.crawl(**LATER)
    assert not web.asked("b.test"), "before their time"
    ended = project.crawl(**LATER, FOCUSCRAWL_SHIFT="4000")
    assert ended.status == 0, ended.said
    assert project.articles() == {*urls}, "links that were found after the failure count, too"
    assert project.stored_rows() == 0


@pytest.mark.program
def test_what_other_pages_wrote_is_known_after_a_kill(project: Project, web: Web) -> None:
    urls = news_of(web, "b.test", 12)
    web.without_https.add("b.test")
    web.pause = 0.05
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    for pages in (1, 4, 5):
        project.crawl(
            kill=lambda pages=pages: (
                len(web.asked("b.test")) >= pages or (pages == 1 and web.tunnels["b.test"] > 2)
            )
        )
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {*urls}
    assert project.stored_rows() == 0


def test_a_site_that_has_answered_is_in_trouble_and_refuses_nothing(
    project: Project, web: Web
) -> None:
    urls = news_of(web, "b.test", scheme="https")
    for url in urls:
        web.answers[url.replace("https:", "http:")] = web.say("别人的页面", 404)
    secure = {url: web.answers[url] for url in urls}
    web.board(HOME, *urls, *(url.replace("https:", "http:") for url in urls))
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    assert run_on(project, 0).status == 0
    assert project.articles() == {*urls}
    web.without_https.add("b.test")
    assert run_on(project, 1.1, **LATER).status == 0
    plain = [one.url for one in web.asked("b.test") if one.url.startswith("http:")]
    assert not plain, "behind http stand pages of others, maybe"
    assert {project.outcomes()[url][0] for url in urls} == {"error"}
    web.without_https.clear()
    assert run_on(project, 3, **LATER).status == 0
    assert {project.outcomes()[url] for url in urls} == {("unchanged", "")}
    assert secure == {url: web.answers[url] for url in urls}
    assert not project.rows("SELECT * FROM changes WHERE kind <> 'new'")


def test_a_site_that_gives_up_one_scheme_is_followed_to_the_other(
    project: Project, web: Web
) -> None:
    urls = news_of(web, "b.test", scheme="https")
    web.board(HOME, *urls)
    project.topic('[follow]\nsites = ["a.test", "b.test"]\n')
    assert run_on(project, 0).status == 0
    web.without_https.add("b.test")
    plain = [url.replace("https:", "http:") for url in urls]
    for number, url in enumerate(plain):
        web.article(url, 40 + number)
    web.board(HOME, *plain)
    for day in (1.1, 2.5, 5, 9):
        assert run_on(project, day, **LATER).status == 0
    assert {
        row["url"] for row in project.rows("SELECT url FROM pages WHERE url LIKE '%news%'")
    } == {*plain}
    assert len(project.articles()) == 3
    told = Counter(row["kind"] == "new" for row in project.rows("SELECT kind FROM changes"))
    assert told == {True: 3, False: 3}, "each is new once, and another one at the other address"


def test_a_redirect_to_what_cannot_be_reached_is_not_followed_in_circles(
    project: Project, web: Web
) -> None:
    web.redirect(f"{HOME}moved.html", "https://a.test/moved.html")
    web.without_https.add("a.test")
    web.board(HOME, f"{HOME}moved.html", "https://a.test/other.html")
    web.article(f"{HOME}other.html")
    project.topic()
    ended = project.crawl(**LATER)
    assert ended.status == 0, ended.said
    assert web.times(f"{HOME}moved.html") == 1
    assert project.outcomes()[f"{HOME}moved.html"][0] == "error"
    assert project.articles() == {f"{HOME}other.html"}


@pytest.mark.program
def test_a_server_without_https_is_asked_without_a_proxy_too(project: Project, web: Web) -> None:
    here = f"127.0.0.1:{project.port}"
    for number in (1, 2, 3):
        web.article(f"/news/{number}.html", number)
    web.board("/", *(f"https://{here}/news/{number}.html" for number in (1, 2, 3)))
    project.topic(sources=f"http://{here}/")
    ended = project.crawl("-s", "ROBOTSTXT_OBEY=False", http_proxy="", https_proxy="")
    assert ended.status == 0, ended.said
    assert project.articles() == {f"http://{here}/news/{number}.html" for number in (1, 2, 3)}


@pytest.mark.parametrize(
    "secret",
    ['[site."b.test".request]\nheaders = { Authorization = "Basic c2VjcmV0" }',
     '[site."b.test".request]\nheaders = { X-Api-Key = "env:API_KEY" }',
     '[request]\nheaders = { X-Api-Key = "env:API_KEY" }',
     '[site."b.test".request]\ncookies = { session = "secret" }'],
)  # fmt: skip
def test_a_secret_is_said_to_https_only(project: Project, web: Web, secret: str) -> None:
    urls = news_of(web, "b.test")
    web.without_https.add("b.test")
    project.topic(f'[follow]\nsites = ["a.test", "b.test"]\n{secret}\n')
    project.crawl(**LATER, API_KEY="secret")
    assert not web.asked("b.test")
    assert project.stored_rows() == len(urls)
