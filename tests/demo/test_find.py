"""The half of the demo that begins with a search engine."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from focuscrawl.demo.find import MOST_FETCHED, Search, found, search, topic_text, write_topic
from focuscrawl.demo.report import Request
from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.features.search.table import SearchTable
from focuscrawl.template.load import load


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(1)


@pytest.fixture(scope="module")
def what(web: DemoWeb) -> Search:
    return search(web)


def asked(urls: list[str], status: int = 200) -> list[Request]:
    return [Request(0.0, urlsplit(url).hostname or "", url, status, False) for url in urls]


def test_the_topic_starts_from_the_engine_alone() -> None:
    template = load(topic_text()).template
    assert not template.sources
    assert template.of(SearchTable).engines == ("demo",)
    assert template.of(ExploreTable).enabled


def test_what_is_to_be_found_is_less_than_half_of_a_web_that_can_be_walked(what: Search) -> None:
    assert 200 < len(what.relevant) < what.pages / 2
    assert what.budget == int(what.pages * MOST_FETCHED)
    hosts = {urlsplit(url).hostname for url in what.relevant}
    assert "giant.example" in hosts
    assert "calendar.example" not in hosts


def test_a_page_counts_when_it_was_given_whole(what: Search) -> None:
    urls = sorted(what.relevant)
    half = urls[: len(urls) // 2]
    pages, _, channel, _ = found(what, asked(half))
    assert (pages.right, pages.total, len(pages.misses)) == (len(half), len(urls), len(urls) - len(half))  # fmt: skip
    assert channel.right == sum("giant.example" in url for url in half)
    assert found(what, asked(urls, status=500))[0].right == 0
    assert not found(what, asked(urls))[0].misses


def test_the_trap_and_all_that_was_asked_for_are_counted_once(what: Search) -> None:
    trap = [f"http://calendar.example/day/{day}" for day in range(60)]
    _, pages, _, calendar = found(what, asked([*trap, *trap, "http://a.example/robots.txt"]))
    assert (pages.right, calendar.right, calendar.note) == (60, 60, "too late")
    assert found(what, asked(trap[:50]))[3].note == "or less"


def test_the_topic_is_put_where_the_crawl_looks(tmp_path: Path) -> None:
    write_topic(tmp_path)
    assert (tmp_path / "topics" / "find.toml").read_text("utf-8") == topic_text()


def test_only_engines_are_engines(web: DemoWeb) -> None:
    assert web.engine("search.example").results("四川 食品安全", 0.0)
    with pytest.raises(KeyError):
        web.engine("news.example")
