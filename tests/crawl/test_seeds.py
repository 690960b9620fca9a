"""Where a run starts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.crawl.rules import AdmissionRules
from focuscrawl.crawl.seeds import Seeded, seed
from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.politeness import Politeness
from focuscrawl.frontier.weights import Factor, LevelRules
from focuscrawl.topic.load import load
from focuscrawl.topic.template import Template
from focuscrawl.values import PageClass, PageState, Waiting

NOON = 1_795_147_200.0
SOURCES = """
topic.name = "x"
[[source]]
urls = ["http://a.cn/", "http://a.cn/news/"]
name = "portal"
[[source]]
url = "http://b.cn/rss.xml"
kind = "feed"
level = 2
name = "feed"
[[source]]
url = "http://c.cn/one.html"
kind = "article"
name = "one"
"""


def topic(text: str = SOURCES) -> Template:
    return load(text, {}, {}).template


def frontier(levels: int = 5) -> Frontier:
    return Frontier(
        LevelRules(levels=levels),
        factor=Factor(),
        politeness=lambda site: Politeness(concurrency=99),
        partition_of=lambda site: 0,
        stored=lambda sequence, level: (),
        luck=lambda: 0.0,
    )


def start(
    queue: Frontier, due: tuple[PageState, ...] = (), template: Template | None = None
) -> Seeded:
    template = template or topic()
    return seed(template, AdmissionRules.from_template(template, NOON), queue, due)


def taken(queue: Frontier) -> dict[str, Waiting]:
    found = {}
    while (row := queue.take(NOON, NOON)) is not None:
        assert row.waiting.url not in found
        found[row.waiting.url] = row.waiting
    return found


def visited(url: str, source: str, page_class: PageClass, depth: int = 0) -> PageState:
    address = AdmissionRules.from_template(topic(), NOON).canonicalizer.address(url)
    assert address is not None
    return PageState(
        address.key, address.url, address.site, page_class, 3, NOON - 9, NOON - 9, NOON - 9, 1,
        source, {"depth": depth, "parent": b"p" * 16 if depth else b""},
    )  # fmt: skip


def test_a_new_topic_starts_with_its_sources_at_their_levels() -> None:
    queue = frontier()
    assert start(queue) == Seeded(4, {})
    found = taken(queue)
    assert {url: (one.level, one.page_class, one.source_id) for url, one in found.items()} == {
        "http://a.cn/": (4, None, "portal"),
        "http://a.cn/news/": (4, None, "portal"),
        "http://b.cn/rss.xml": (2, PageClass.FEED, "feed"),
        "http://c.cn/one.html": (4, PageClass.ARTICLE, "one"),
    }
    assert all(one.depth == 0 and not one.parent_key and one.first_walk for one in found.values())


def test_lists_of_earlier_runs_are_visited_again_and_lose_their_date_until_then() -> None:
    queue = frontier()
    start(queue)
    taken(queue)
    queue.drain()
    due = (
        visited("http://a.cn/", "portal", PageClass.BOARD),
        visited("http://a.cn/sub/", "portal", PageClass.BOARD, depth=1),
        visited("http://b.cn/rss.xml", "feed", PageClass.FEED),
        visited("http://gone.cn/", "taken out", PageClass.BOARD),
    )
    seeded = start(queue, due)
    assert seeded.new == 0
    assert set(seeded.again) == {state.key for state in due[:3]}
    (changes,) = queue.drain().values()
    assert [state.next_visit for state in changes.pages] == [None] * 3
    assert len(changes.added) == 3, "in the same commit"
    found = taken(queue)
    assert {url: (one.level, one.depth) for url, one in found.items()} == {
        "http://a.cn/": (4, 0),
        "http://a.cn/sub/": (3, 1),
        "http://b.cn/rss.xml": (2, 0),
    }
    assert not any(one.first_walk for one in found.values())
    assert found["http://a.cn/sub/"].parent_key == b"p" * 16


def test_a_source_added_to_a_known_topic_is_queued_and_the_others_are_not() -> None:
    queue = frontier()
    start(queue)
    taken(queue)
    wider = topic(SOURCES + '[[source]]\nurl = "http://d.cn/"\n')
    assert start(queue, template=wider).new == 1
    assert set(taken(queue)) == {"http://d.cn/"}


@given(st.integers(1, 10), st.integers(1, 10))
def test_no_page_waits_above_the_top(levels: int, before: int) -> None:
    low = topic(f"queues.levels = {levels}\n" + SOURCES.replace("level = 2\n", ""))
    queue = frontier(levels)
    state = visited("http://a.cn/sub/", "portal", PageClass.BOARD, depth=1)._replace(level=before)
    start(queue, (state,), low)
    found = taken(queue)
    assert found["http://a.cn/sub/"].level == min(before, levels)
    assert all(1 <= one.level <= levels for one in found.values())


def test_two_addresses_of_one_page_are_one_source() -> None:
    double = topic('topic.name = "x"\n[[source]]\nurls = ["http://a.cn/x", "https://a.cn/x/"]\n')
    queue = frontier()
    assert start(queue, template=double).new == 1
    assert len(taken(queue)) == 1
