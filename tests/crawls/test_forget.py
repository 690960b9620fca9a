"""``scrapy topic forget``: what a person wants forgotten leaves crawl and results, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from focuscrawl.stores.state.protocol import Changes, StoryArticle, StoryState
from focuscrawl.stores.state.sqlite import SQLiteStore

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.forgetting

HOME = "http://a.test/"
NEWS = f"{HOME}news/1.html"


@contextmanager
def store_of(project: Project) -> Iterator[SQLiteStore]:
    store = SQLiteStore(project.data / "news.crawl.db")
    store.own()
    try:
        yield store
    finally:
        store.release()


def pages_of(project: Project) -> set[str]:
    return {row["url"] for row in project.rows("SELECT url FROM pages")}


def test_without_yes_it_is_only_said_what_would_be_done(crawled: Project) -> None:
    crawled.topic()
    before = crawled.files()
    ended = crawled.run("topic", "forget", "news", "--url", NEWS)
    assert ended.status == 0, ended.said
    assert "to delete in the results: 1 articles, 1 pages, 1 story_members" in ended.said
    assert "never fetched again" in ended.said
    assert ended.said.rstrip().endswith("Nothing was changed: add --yes to do it.")
    assert crawled.files() == before


def test_a_forgotten_address_leaves_no_trace_and_is_not_fetched_again(
    crawled: Project, web: Web
) -> None:
    web.news(3)
    crawled.topic()
    ended = crawled.run("topic", "forget", "news", "--url", NEWS, "--yes")
    assert (ended.status, "deleted in the results: 1 articles" in ended.said) == (0, True)
    assert NEWS not in crawled.articles() | pages_of(crawled)
    looked = crawled.run("topic", "check-data", "news")
    assert looked.status == 0, looked.said
    ended = crawled.crawl()
    assert ended.status == 0, ended.said
    assert web.times(NEWS) == 0


@pytest.mark.both_stores
def test_an_address_can_be_forgotten_to_be_fetched_anew(crawled: Project, web: Web) -> None:
    web.news(3)
    web.article(NEWS, 77)
    web.board(HOME)  # nothing leads to it any more
    crawled.topic()
    ended = crawled.run("topic", "forget", "news", "--url", NEWS, "--again", "--yes")
    assert (ended.status, "wait to be fetched anew" in ended.said) == (0, True)
    assert crawled.stored_rows() == 1
    ended = crawled.crawl()
    assert ended.status == 0, ended.said
    assert (web.times(NEWS), web.times(f"{HOME}news/2.html")) == (1, 0)
    (row,) = crawled.rows(f"SELECT text, version FROM articles WHERE url = '{NEWS}'")
    assert ("第77批" in row["text"], row["version"]) == (True, 1)


@pytest.mark.both_stores
def test_a_whole_site_or_all_that_is_old_can_be_forgotten(crawled: Project) -> None:
    crawled.topic()
    old = crawled.run("topic", "forget", "news", "--before", "2020-01-01", "--yes")
    assert (old.status, "deleted in the results: nothing" in old.said) == (0, True)
    site = crawled.run("topic", "forget", "news", "--site", "a.test")
    assert "scrapy topic ban news" in site.said
    everything = crawled.run("topic", "forget", "news", "--before", "2999-01-01", "--yes")
    assert everything.status == 0, everything.said
    assert crawled.articles() | pages_of(crawled) == set()
    assert crawled.rows("SELECT * FROM stories") == []
    assert len(crawled.rows("SELECT * FROM crawl_runs")) == 1, "runs are no addresses"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what: one of --url URL, --site HOST, --before DATE"),
        (("--url", NEWS, "--site", "a.test"), "say what: one of"),
        (("--url", "nonsense"), "'nonsense' is no address"),
        (("--before", "yesterday"), "--before yesterday: write a date, as in 2026-11-20"),
    ],
)
def test_a_wish_that_cannot_be_understood_is_told(
    crawled: Project, words: tuple[str, ...], said: str
) -> None:
    crawled.topic()
    ended = crawled.run("topic", "forget", "news", *words)
    assert (ended.status, said in ended.said) == (2, True), ended.said


def test_a_story_goes_on_without_what_was_forgotten_of_it(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    keys = [bytes([number]) * 16 for number in range(3)]
    articles = [
        StoryArticle(number, key, 5.0, f"{min(number, 1):032}", relation, "", 0.0, "", b"s", (7,))
        for number, (key, relation) in enumerate(zip(keys, ("first", "first", "copy"), strict=True))
    ]
    stories = [
        StoryState(f"{number:032}", "抽检", keys[number].hex(), "a.cn", 5.0, 5.0, 1 + number, number, ("a.cn",))
        for number in range(2)
    ]  # fmt: skip
    store.commit({0: Changes(story_articles=articles, stories=stories)})
    store.forget(keys[:2], numbers=[5], again=False)
    left = asyncio.run(store.stories([story.story_id for story in stories]))
    assert left == {stories[1].story_id: stories[1]._replace(title="", articles=1)}
    assert asyncio.run(store.candidates([7], 0.0, 9.0, 9)) == [(7, 2)]
    assert asyncio.run(store.story_article(keys[0])) is None
    seen = asyncio.run(store.load(range(64))).seen
    assert [*seen] == [(5).to_bytes(8, "little")], "an address nobody has seen is refused, too"
    store.forget(keys[:2], numbers=[5], again=False)
    assert len([*asyncio.run(store.load(range(64))).seen]) == 1
    store.release()


def test_what_is_kept_of_an_article_that_misses_parts_goes_with_it(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.crawl.db")
    store.own()
    first, other, part = (letter * 16 for letter in (b"f", b"o", b"p"))
    facts: dict[tuple[str, str], object] = {
        ("article_parts", f"{key.hex()}/{part.hex()}"): {"text": "第二页"} for key in (first, other)
    }
    facts |= {("article_sent", first.hex()): True, ("robots", "a.test"): True}
    store.commit({0: Changes(facts=facts)})
    store.forget({first}, again=False)
    left = {kind: [*asyncio.run(store.facts(kind))] for kind, _ in facts}
    assert left == {
        "article_parts": [f"{other.hex()}/{part.hex()}"],
        "article_sent": [],
        "robots": ["a.test"],
    }
    store.release()


@pytest.mark.of_a_file
def test_nothing_is_forgotten_while_the_crawl_runs(crawled: Project) -> None:
    crawled.topic()
    with store_of(crawled):
        ended = crawled.run("topic", "forget", "news", "--url", NEWS, "--yes")
    assert (ended.status, "already running" in ended.said) == (2, True), ended.said
    assert NEWS in crawled.articles()
