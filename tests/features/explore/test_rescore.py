"""Waiting links are scored by the words the topic has now, before they are loaded."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from focuscrawl.features.explore.feature import Exploration, score_again
from focuscrawl.kernel.template_changes import KIND, LastTemplate, compare
from focuscrawl.readers.relevance.scores import LinkScorer
from focuscrawl.stores.state.protocol import WAITING, Changes, Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.values import Waiting
from tests.clock import StandingClock
from tests.kernel.kernels import kernel_over

pytestmark = pytest.mark.changed_words

FOOD = 'topic.keywords = ["食品"]'
METRO = 'topic.keywords = ["地铁"]'


def template(words: str, explore: str = "") -> Template:
    text = f'topic.name = "x"\n{words}\n[[source]]\nurl = "http://a.cn/"\n[follow]\nscope = "web"\n'
    return load(text + explore, {}, {}).template


def link(anchor: str, score: float, *, explore: bool = True) -> Waiting:
    url = f"http://b.cn/{anchor}"
    return Waiting(url, anchor.encode().ljust(16)[:16], "b.cn", 3, 3, anchor=anchor, explore=explore, score=score)  # fmt: skip


def begin(topic: Template, store: SQLiteStore) -> tuple[bool, int]:
    """Begin a run: whether the words have changed, and how many links have another score."""
    last = asyncio.run(LastTemplate.read(topic, store))
    exploration = Exploration.of(kernel_over(store, topic, StandingClock()))
    changes = compare(last.resolved, topic.resolved)
    return changes.words, asyncio.run(exploration.rescore(last)) if exploration else 0


@pytest.fixture
def store(tmp_path: Path) -> SQLiteStore:
    made = SQLiteStore(tmp_path / "x.crawl.db")
    made.own()
    return made


def put(store: SQLiteStore, before: Template, *links: Waiting) -> None:
    rows = [Row(number, one) for number, one in enumerate(links, 1)]
    store.commit({0: Changes(added=rows, facts={(KIND, "resolved"): before.resolved})})


def scores(store: SQLiteStore) -> list[float]:
    return [round(row.waiting.score, 4) for row in store.rows(WAITING)]


def test_links_that_explore_are_scored_by_the_new_words(store: SQLiteStore) -> None:
    food, metro = template(FOOD), template(METRO)
    parent = 0.6
    links = [
        link(anchor, food.once(LinkScorer.of).link_score(anchor, f"http://b.cn/{anchor}", parent))
        for anchor in ("食品抽检", "地铁停运", "招聘")
    ]
    put(store, food, *links, link("食品公告", 0.9, explore=False))
    expected = [
        round(metro.once(LinkScorer.of).link_score(one.anchor, one.url, parent), 4) for one in links
    ]
    assert begin(metro, store) == (True, 2)
    assert scores(store) == [*expected, 0.9]
    assert begin(metro, store) == (True, 0), "killed before the template is noted"
    assert scores(store) == [*expected, 0.9]
    store.release()


@pytest.mark.parametrize(
    ("now", "explore"),
    [(FOOD, ""), (METRO, '[explore]\norder = "breadth-first"'), (METRO, "[explore]\nenabled = false")],
)  # fmt: skip
def test_scores_stay_when_no_word_decides_them(store: SQLiteStore, now: str, explore: str) -> None:
    put(store, template(FOOD), link("地铁停运", 0.25))
    assert begin(template(now, explore), store)[1] == 0
    assert scores(store) == [0.25]
    store.release()


def test_a_crawl_that_begins_has_nothing_to_compare_with(store: SQLiteStore) -> None:
    assert not asyncio.run(LastTemplate.read(template(FOOD), store)).resolved
    store.release()


def test_words_of_a_version_that_cannot_be_read_count_for_nothing() -> None:
    scorer = template(METRO).once(LinkScorer.of)
    assert score_again(link("地铁停运", 0.25), None, scorer) == scorer.link_score(
        "地铁停运", "http://b.cn/地铁停运", 0.5
    )
