"""What feeds show of pages, and which pages are as they are known by that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.revisit.change.visit_comparison import LETTERS
from focuscrawl.features.revisit.signals.entry_texts import SAME_TIME, FeedTexts, waiting_for_feeds
from focuscrawl.readers.pages.feeds.feeds import MOST_ENTRY_TEXTS, read_feed, shown_by_feed
from focuscrawl.urls.sites import ALL_PARTITIONS
from focuscrawl.values import PageClass, PageState, ShownText
from tests.clock import NOON, StandingClock

pytestmark = pytest.mark.feed_texts

FEED, PAGE = b"f" * 16, b"p" * 16
DAY = 86_400.0


class Kept:
    """Stands for a store and a frontier: facts that are noted can be read at once."""

    def __init__(self) -> None:
        self.noted: dict[str, Any] = {}
        self.writes = 0

    async def facts(self, kind: str, keys: list[str]) -> dict[str, Any]:
        return {key: self.noted[key] for key in keys if key in self.noted}

    def note_fact(self, kind: str, key: str, value: Any, partition: int) -> None:
        self.writes += 1
        if value is None:
            self.noted.pop(key, None)
        else:
            self.noted[key] = value


class Feeds:
    """The feeds of one site over several runs."""

    def __init__(self) -> None:
        self.kept: Any = Kept()
        self.clock = StandingClock()
        self.texts = self.run()

    def run(self) -> FeedTexts:
        self.texts = FeedTexts(self.kept, self.kept, self.clock)
        return self.texts

    def read(self, number: int = 1, letters: int = 100) -> None:
        shown = {PAGE: ShownText("http://a.test/1.html", letters, number)}
        asyncio.run(self.texts.read(FEED, "a.test", shown))

    def is_quiet(self, page: PageState) -> bool:
        return PAGE in asyncio.run(self.texts.quiet([page]))


def page(
    fetched: float = NOON,
    letters: int = 100,
    site: str = "a.test",
    page_class: PageClass = PageClass.ARTICLE,
) -> PageState:
    facts = {LETTERS: letters} if letters else {}
    return PageState(
        *(PAGE, f"http://{site}/1.html", site, page_class, 1, fetched, fetched, None, 1),
        facts=facts,
    )


def test_a_page_is_as_it_was_while_its_feed_shows_the_text_of_its_last_visit() -> None:
    feeds = Feeds()
    feeds.read()
    assert feeds.is_quiet(page())
    feeds.clock.now += DAY
    feeds.run()
    assert not feeds.is_quiet(page()), "the feed was not read by this run"
    feeds.read()
    assert feeds.is_quiet(page())
    assert feeds.kept.writes == 1, "what stays as it was is written once"


def test_a_page_whose_text_has_changed_in_the_feed_is_due_until_it_is_visited() -> None:
    feeds = Feeds()
    feeds.read(1)
    feeds.clock.now += DAY
    feeds.read(2)
    assert not feeds.is_quiet(page())
    assert feeds.is_quiet(page(fetched=feeds.clock.now + 60))


def test_a_text_that_a_feed_shows_for_the_first_time_says_nothing_of_older_visits() -> None:
    feeds = Feeds()
    feeds.read()
    assert feeds.is_quiet(page(fetched=NOON - SAME_TIME))
    assert not feeds.is_quiet(page(fetched=NOON - SAME_TIME - 1))


@pytest.mark.parametrize(
    "other",
    [
        page(letters=0),
        page(letters=112),
        page(site="b.test"),
        page(page_class=PageClass.THREAD),
        page()._replace(key=b"q" * 16),
    ],
    ids=["no text", "an excerpt", "another site", "no article", "not shown"],
)
def test_of_other_pages_it_says_nothing(other: PageState) -> None:
    feeds = Feeds()
    feeds.read()
    assert asyncio.run(feeds.texts.quiet([other])) == {}


def test_a_feed_that_came_unchanged_shows_what_it_showed() -> None:
    feeds = Feeds()
    feeds.read()
    feeds.clock.now += DAY
    feeds.run().came_unchanged(page(page_class=PageClass.FEED)._replace(key=FEED))
    assert feeds.is_quiet(page())


def test_what_a_feed_shows_no_more_is_forgotten() -> None:
    feeds = Feeds()
    feeds.read()
    asyncio.run(feeds.texts.read(FEED, "a.test", {}))
    feeds.run().came_unchanged(page(page_class=PageClass.FEED)._replace(key=FEED))
    assert not feeds.is_quiet(page())


def test_a_worker_that_lets_go_of_a_site_forgets_its_feeds() -> None:
    feeds = Feeds()
    feeds.read()
    feeds.texts.came_unchanged(page(page_class=PageClass.FEED)._replace(key=FEED))
    feeds.texts.release(ALL_PARTITIONS)
    assert not feeds.is_quiet(page())


def test_young_articles_wait_for_a_feed_of_their_site_that_is_about_to_be_read() -> None:
    def is_young(state: PageState) -> bool:
        return state.page_class is PageClass.ARTICLE and state.visits < 9

    waits = waiting_for_feeds([page(page_class=PageClass.FEED)], is_young)
    assert waits is not None
    assert waits(page())
    assert not waits(page(site="b.test"))
    assert not waits(page()._replace(visits=9))
    assert waiting_for_feeds([page(page_class=PageClass.BOARD)], is_young) is None


def feed_of(*texts: str, title: str = "抽检") -> bytes:
    items = "".join(
        f"<item><title>{title}</title><link>http://a.test/{place}</link><description>{text}</description></item>"
        for place, text in enumerate(texts)
    )
    return f"<rss><channel>{items}</channel></rss>".encode()


def shown(*texts: str, title: str = "抽检") -> list[ShownText]:
    return [*shown_by_feed(read_feed(feed_of(*texts, title=title), "http://a.test/rss.xml"))]


def test_another_word_or_title_makes_another_text_and_other_markup_does_not() -> None:
    (first,) = shown("&lt;p&gt;共 120 批&lt;/p&gt;")
    assert shown("&lt;div&gt;共  120\n批&lt;/div&gt;") == [first]
    assert shown("共 121 批")[0].number != first.number
    assert shown("共 120 批", title="公告")[0].number != first.number
    assert first.letters == 5


def test_of_a_long_text_its_end_counts_too() -> None:
    long = "食" * 60_000
    one, two = shown(f"{long}甲", f"{long}乙")
    assert one.number != two.number
    assert one.letters == 60_001


def test_entries_without_a_text_and_those_far_down_are_left_out() -> None:
    assert shown("") == []
    assert len(shown(*["文"] * (MOST_ENTRY_TEXTS + 5))) == MOST_ENTRY_TEXTS


@given(st.text(max_size=200))
def test_whatever_a_feed_shows_is_a_number_of_64_bits(text: str) -> None:
    entries = read_feed(feed_of(text.replace("<", "").replace("&", "")), "http://a.test/").entries
    assert all(0 <= one.number < 1 << 64 and one.letters >= 0 for one in entries)
