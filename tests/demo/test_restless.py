"""What is never the same on pages to which nothing has happened."""

from __future__ import annotations

import pytest
from parsel import Selector

from focuscrawl.demo.forum import FORUM
from focuscrawl.demo.press import DAILY, NEWS
from focuscrawl.demo.truth import Page
from focuscrawl.demo.web import DemoWeb


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(seed=1)


def page_of(web: DemoWeb, url: str, day: float) -> Page:
    page = web.page(url, day)
    assert page is not None
    return page


def shown(page: Page, css: str) -> list[str]:
    return Selector(page.body.decode(page.encoding)).css(css).getall()


def still(web: DemoWeb, host: str) -> str:
    """Return an article that never changes."""
    return next(
        one.url for one in web.entries() if host in one.url and one.posted < 0 and not one.changes
    )


@pytest.mark.parametrize("css", [".ad::text", ".hot a::text", ".tools::text", ".today::text", ".count::text"])  # fmt: skip
def test_day_after_day_an_article_shows_other_things_around_the_same_text(
    web: DemoWeb, css: str
) -> None:
    url = still(web, DAILY)
    pages = [page_of(web, url, day) for day in (1, 2, 3, 4)]
    assert {page.article for page in pages} == {pages[0].article}
    assert all(shown(page, css) for page in pages)
    assert len({"".join(shown(page, css)) for page in pages}) > 1
    assert len({"".join(shown(page, "#ozoom p::text")) for page in pages}) == 1


def test_the_same_day_shows_the_same_bytes(web: DemoWeb) -> None:
    for url in (still(web, NEWS), f"http://{FORUM}/forum-1-1.html", web.companies[0].contact_url):
        assert page_of(web, url, 2.5).body == page_of(web, url, 2.5).body


def test_what_is_hot_is_there_and_linked_to(web: DemoWeb) -> None:
    page = page_of(web, f"http://{NEWS}/shipin/", 6)
    hot = shown(page, ".hot a::attr(href)")
    assert len(hot) == 3
    for url in hot:
        assert url in page.links
        assert page_of(web, url, 6)


def test_a_forum_and_some_companies_count_their_visitors(web: DemoWeb) -> None:
    for url in (f"http://{FORUM}/forum-1-1.html", web.companies[0].contact_url):
        before, after = (shown(page_of(web, url, day), ".visitors::text") for day in (1, 2))
        assert before
        assert before != after
    assert not shown(page_of(web, web.companies[1].contact_url, 1), ".visitors::text")
