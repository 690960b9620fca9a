"""Stories put on a run: what an article is told, what is left, and what goes into the next commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request

from focuscrawl.features.stories.feature import STORIES_LIVE_IN, Stories
from focuscrawl.kernel.commit import CommitWindow
from focuscrawl.kernel.flight import Flight
from focuscrawl.kernel.items import Passage
from focuscrawl.kernel.transport.slots import NotStored
from focuscrawl.stores.state.protocol import Changes, StoryArticle
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import Article, LinkBatch, PageChange, PageClass, Waiting
from tests.clock import NOON, StandingClock
from tests.features.stories.desk import write
from tests.kernel.kernels import TopicRun, kernel_over

pytestmark = pytest.mark.D4

HOME = "http://a.cn/"
TOPIC = 'topic.name = "x"\ntopic.keywords = ["食品"]\n[[source]]\nurl = "http://a.cn/"\n'
TEXT = write(1, 20)


class Run(TopicRun):
    """A run whose pipelines hand articles to the stories; ``told`` is what was announced."""

    def __init__(self, folder: Path, more: str = "") -> None:
        self.results: list[StoryArticle] = []
        self.told: list[Passage] = []
        self.asked = 0
        super().__init__(folder, TOPIC + more)

    def open(self) -> None:
        self.make_kernel(stored=self, items=self)
        stories = Stories.of(self.kernel)
        assert stories is not None
        self.stories = stories

    def rows(self, part: str) -> list[Any]:
        """Return what waits for the next commit."""
        return self.kernel.commits.pending.rows[part]

    async def ask(self, read: object, *, more_than: int) -> list[StoryArticle]:
        self.asked += 1
        return self.results if len(self.results) > more_than else []

    async def tell(self, passage: Passage) -> None:
        self.told.append(passage)

    def join(self, article: Article, passage: Passage | None = None) -> str:
        """Send an article on its way; returns why it went no further."""
        try:
            asyncio.run(self.stories.join(article, passage or Passage()))
        except NotStored as left:
            return left.outcome
        return ""

    def window(self, *, closing: bool = False) -> dict[int, Changes]:
        """Commit a window; returns what it wrote."""
        window = CommitWindow(self.kernel.commits.pending, {}, closing)
        self.stories.commit(window)
        self.store.commit(window.changes)
        self.stories.committed()
        return window.changes


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    made: list[Run] = []

    def make(more: str = "") -> Run:
        made.append(Run(tmp_path, more))
        return made[-1]

    yield make
    for one in made:
        one.store.release()


def article(number: int, text: str = TEXT, title: str = "") -> Article:
    key = (bytes([number]) * 16).hex()
    return Article(key, f"http://a.cn/{number}", "a.cn", title, text)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('[stories]\ncopies = "off"\nevents = false\n', False),
        ('[stories]\ncopies = "off"\n', True),
        ("[stories]\nevents = false\n", True),
        ('[stories]\ncopies = "off"\nevents = false\nstrict = true\n', True),
    ],
)
def test_a_topic_that_looks_for_nothing_has_no_stories(
    tmp_path: Path, more: str, *, expected: bool
) -> None:
    template = load(TOPIC + more, {}, {}).template
    kernel = kernel_over(SQLiteStore(tmp_path / "x.db"), template, StandingClock(NOON))
    assert (Stories.of(kernel) is not None) is expected


@pytest.mark.parametrize(("copies", "left"), [("join", "copy"), ("keep", "")])
def test_a_copy_is_left_or_marked_as_the_topic_says(
    run: Callable[..., Run], copies: str, left: str
) -> None:
    one = run(f'[stories]\ncopies = "{copies}"\n')
    first, copy = article(1), article(2, f"本报讯{TEXT}")
    assert one.join(first) == ""
    assert not first.is_copy
    assert one.join(copy) == left
    assert (copy.story_id, copy.is_copy) == (first.story_id, True)
    members = [(row.relation, row.like_key) for row in one.rows("members")]
    assert members == [("first", ""), ("copy", first.url_key)]
    assert [story.articles for story in one.rows("stories")] == [1, 2]
    assert one.kernel.counters["duplicates"] == 1


def test_an_article_that_is_seen_again_is_told_the_same_and_written_no_more(
    run: Callable[..., Run],
) -> None:
    one = run()
    first, again = article(1), article(1)
    one.join(first)
    one.window()
    assert one.join(again) == ""
    assert again.story_id == first.story_id
    assert (len(one.rows("members")), len(one.rows("stories"))) == (1, 1)


def test_what_is_no_article_of_an_address_is_left_alone(run: Callable[..., Run]) -> None:
    one = run()
    other: Any = {"url_key": "0" * 32}
    own = article(1)
    own.url_key = "my own key"
    for item in (other, own):
        assert one.join(item) == ""
    assert not one.rows("members")
    assert one.asked == 0, "nothing is read for them"


def test_what_was_told_goes_into_one_commit_and_is_known_by_the_next_run(
    run: Callable[..., Run],
) -> None:
    one = run()
    first = article(1)
    one.join(first)
    changes = one.window(closing=True)[STORIES_LIVE_IN]
    assert [row.key.hex() for row in changes.story_articles] == [first.url_key]
    assert [story.story_id for story in changes.stories] == [first.story_id]
    assert changes.facts, "how often words are met is kept when the run ends"
    assert one.window() == {}
    one.open()
    copy = article(2)
    assert one.join(copy) == "copy"
    assert copy.story_id == first.story_id


def test_what_only_the_results_know_keeps_its_story_and_is_asked_for_once(
    run: Callable[..., Run],
) -> None:
    one = run()
    known = article(1)
    key = bytes.fromhex(known.url_key)
    one.results = [StoryArticle(0, key, 0.0, "ab" * 16, "event", "", 0.5, "", b"")]
    one.join(known)
    assert known.story_id == "ab" * 16
    one.join(article(2, write(2)))
    assert one.asked == 1


@pytest.mark.parametrize(("copies", "times"), [("join", 1), ("keep", 2)])
def test_what_comes_with_an_article_is_told_before_it_is_remembered_unless_it_is_left(
    run: Callable[..., Run], copies: str, times: int
) -> None:
    one = run(f'[stories]\ncopies = "{copies}"\n')
    change = PageChange("1", NOON, "", "", "new", "article")
    for number in (1, 2):
        one.join(article(number), Passage(told=[change]))
    assert len(one.told) == times
    one.join(article(3, write(3)), Passage())
    assert len(one.told) == times, "nothing comes with it"


@pytest.mark.strict
@pytest.mark.parametrize(("more", "follows"), [("[stories]\nstrict = true\n", False), ("", True)])
def test_the_links_of_a_duplicate_are_left_in_the_published_form(
    run: Callable[..., Run], more: str, *, follows: bool
) -> None:
    one = run(more)
    title, text = "青川花生仓库霉变封存", "监管抽检召回企业下架处罚通报批次样品公布"
    one.join(article(1, text, title))
    batch = LinkBatch(PageClass.ARTICLE)

    def follows_links_of(item: Any) -> bool | None:
        flight = Flight(Request(HOME), 1, 1, Waiting(HOME, b"k" * 16, "a.cn", 3, 3))
        asyncio.run(one.stories.given(flight, item))
        return asyncio.run(one.stories.before_links(flight, batch))

    assert follows_links_of(article(2, text, title)) is follows
    assert follows_links_of(article(3, write(3), "另一件事")) is True
    assert follows_links_of({"title": title}) is True
