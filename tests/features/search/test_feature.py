"""Searching as a feature of a run: which topics have it, when it has its turn, what it asks for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.features.search.feature import Search
from focuscrawl.features.search.plan import SearchRequest
from focuscrawl.features.search.table import SearchTable
from focuscrawl.kernel.feature import Round
from focuscrawl.kernel.run import Run
from focuscrawl.stores.state.protocol import WAITING
from focuscrawl.template.load import load
from focuscrawl.urls.sites import ALL_PARTITIONS
from tests.features.search.test_searches import TOPIC, Runs, runs
from tests.kernel.kernels import kernel_over

__all__ = ["runs"]  # a fixture
pytestmark = pytest.mark.C2


def run_of(folder: Path, topic: str) -> Run:
    template = load(topic).template
    crawler = get_crawler(settings_dict={"FOCUSCRAWL_DATA_DIR": str(folder)})
    return Run.begin(crawler, template.name, template)


def test_requests_to_engines_obey_their_robots_unless_told_otherwise(tmp_path: Path) -> None:
    asked = SearchRequest("own", "食品", 1, "http://s.cn/s?q=x&p=1", 1)
    run = run_of(tmp_path, TOPIC.format(more=""))
    assert "dont_obey_robotstxt" not in run.hooks.feature(Search).request(asked).meta
    assert load(TOPIC.format(more="")).template.of(SearchTable).delays == {"s.cn": 3.0}
    bold = run_of(tmp_path, TOPIC.format(more="robots = false"))
    assert bold.hooks.feature(Search).request(asked).meta["dont_obey_robotstxt"] is True


def test_without_search_there_is_no_cycle(tmp_path: Path) -> None:
    run = run_of(tmp_path, "[topic]\nname = 't'\n[[source]]\nurl = 'https://a.cn/'")
    with pytest.raises(LookupError):
        run.hooks.feature(Search)
    assert (
        not load("[topic]\nname = 't'\n[[source]]\nurl = 'https://a.cn/'")
        .template.of(SearchTable)
        .delays
    )


def test_a_topic_that_searches_begins_and_ends_urls_before_all_others(tmp_path: Path) -> None:
    run = run_of(tmp_path, TOPIC.format(more=""))
    turns = dict(line.split(": ") for line in run.hooks.in_words())
    assert turns["begin"].split(", ")[0] == turns["ending"].split(", ")[0] == "search"
    assert turns["links"].split(", ")[-1] == "search"  # walks take their links, whoever else would


def test_who_takes_over_waits_for_no_page_that_has_ended_but_stands_in_the_store(
    runs: Runs,
) -> None:
    searching = runs.begin()
    runs.answer(searching, "http://a.cn/", "http://b.cn/")
    runs.commit(searching)
    ended = runs.take()
    assert ended is not None
    kernel = kernel_over(
        runs.store,
        load(TOPIC.format(more="")).template,
        runs.clock,
        frontier=runs.frontier,
        ask=lambda _: None,
    )
    feature = Search(kernel)
    asyncio.run(feature.open(ALL_PARTITIONS, {}))
    asyncio.run(feature.begin(Round(runs.clock.now)))
    seeds = feature.searches.cycle.seeds.seeds
    still_open = {seed.url for key, seed in seeds.items() if feature.searches.walks.is_open(key)}
    assert still_open == {"http://a.cn/", "http://b.cn/"} - {ended.url}
    numbers = [row.sequence for row in runs.store.rows(WAITING)]
    runs.store.commit(runs.frontier.drain())
    assert [*map(runs.frontier.has_ended, numbers)].count(True) == 1, "it is on its way"
    runs.frontier.committed()
    assert not any(map(runs.frontier.has_ended, numbers))
