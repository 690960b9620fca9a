"""Where a run starts."""

from __future__ import annotations

import pytest

from focuscrawl.frontier.frontier import Frontier
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.frontier.lines import Politeness
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.links.sources import seed
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import PageClass, Waiting

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
        LevelOrder(LevelRules(levels=levels), Factor()),
        politeness=lambda site: Politeness(concurrency=99),
        partition_of=lambda site: 0,
        stored=lambda sequence, level: None,
        random=lambda: 0.0,
    )


def start(queue: Frontier, template: Template | None = None) -> int:
    template = template or topic()
    return seed(template, AdmissionRules.from_template(template, NOON), queue, NOON)


def taken(queue: Frontier) -> dict[str, Waiting]:
    found = {}
    while (row := queue.take(NOON, NOON)) is not None:
        assert row.waiting.url not in found
        found[row.waiting.url] = row.waiting
    return found


@pytest.mark.A1
def test_a_new_topic_starts_with_its_sources_at_their_levels() -> None:
    queue = frontier()
    assert start(queue) == 4
    found = taken(queue)
    assert {url: (one.level, one.page_class, one.source_id) for url, one in found.items()} == {
        "http://a.cn/": (4, None, "portal"),
        "http://a.cn/news/": (4, None, "portal"),
        "http://b.cn/rss.xml": (2, PageClass.FEED, "feed"),
        "http://c.cn/one.html": (4, PageClass.ARTICLE, "one"),
    }
    assert all(one.depth == 0 and not one.parent_key and one.first_walk for one in found.values())


def test_a_source_added_to_a_known_topic_is_queued_and_the_others_are_not() -> None:
    queue = frontier()
    start(queue)
    taken(queue)
    wider = topic(SOURCES + '[[source]]\nurl = "http://d.cn/"\n')
    assert start(queue, wider) == 1
    assert set(taken(queue)) == {"http://d.cn/"}


def test_two_addresses_of_one_page_are_one_source() -> None:
    double = topic('topic.name = "x"\n[[source]]\nurls = ["http://a.cn/x", "https://a.cn/x/"]\n')
    queue = frontier()
    assert start(queue, double) == 1
    assert len(taken(queue)) == 1
