"""Searching as a feature of a run: which topics have it, when it has its turn, what it asks for."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from focuscrawl.kernel.run import Run
from focuscrawl.search.feature import Search
from focuscrawl.search.plan import SearchRequest
from focuscrawl.search.table import SearchTable
from focuscrawl.template.load import load
from tests.search.test_searches import TOPIC

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
