"""Benchmarks run at a small size and print the figures that are promised; see test_floors.py, too.

What says that a benchmark still runs, and bounds nothing, is ``long_form``: it took two minutes of each run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.benchmarks.conftest import Printed

pytestmark = pytest.mark.program


@pytest.mark.long_form
def test_frontier_prints_its_figures(printed: Printed) -> None:
    figures = printed("frontier", "--quick", "--sizes", "10000,20000", "--sites", "1000,2000")
    assert figures["largest_urls"] == figures["middle_urls"] == 20_000
    assert figures["pop_us_1e6_1e5"] > 0
    assert figures["pop_ratio_sites"] > 0
    assert 0 < figures["seen_bytes"] < 1000
    assert 0 < figures["open_1e6_s"] < 60
    assert 0 < figures["waiting_bytes"] < figures["waiting_bytes_1e5"]


@pytest.mark.long_form
def test_startup_prints_its_figures(printed: Printed) -> None:
    figures = printed("startup", "--runs", "1")
    for command in ("version", "list", "check", "crawl"):
        assert figures[f"{command}_cpu"] > 0
        assert figures[f"{command}_ratio"] > 0
    assert "topic_ms" in figures


@pytest.mark.long_form
def test_throughput_prints_its_figures(printed: Printed) -> None:
    figures = printed(
        "throughput", "--quick", "--crawled", "130", "--rounds", "1", "--pages", "1000"
    )
    assert figures["pages"] == 130
    for arm in ("ours", "scrapy_follow", "scrapy_list_css"):
        assert figures[arm] > 0
    assert figures["vs_follow"] == pytest.approx(
        figures["ours"] / figures["scrapy_follow"], abs=0.01
    )
    assert figures["vs_list_css"] > 0
    assert 0 < figures["scheduler_share"] < 1


@pytest.mark.long_form
def test_throughput_says_where_the_time_of_an_article_goes(printed: Printed) -> None:
    figures = printed("throughput", "--quick", "--articles", "--crawled", "130")
    assert figures["pages"] == 130
    stages = [value for name, value in figures.items() if name.endswith("_ms") and name != "all_ms"]
    assert all(value > 0 for value in stages)
    assert sum(stages) == pytest.approx(figures["all_ms"], abs=0.02)


@pytest.mark.long_form
def test_exploring_costs_are_printed(printed: Printed) -> None:
    figures = printed("throughput", "--quick", "--explore", "--crawled", "130", "--rounds", "1")
    assert 0 < figures["least"] <= figures["explore_ratio"] <= figures["most"]


def test_kill9_loses_nothing_and_stores_nothing_twice(printed: Printed) -> None:
    figures = printed(
        "kill9", "--quick", "--pages", "80", "--arms", "ours,in_commit", "--errors", "0.1"
    )
    for arm in (figures, figures["in_commit"]):
        assert arm["pages"] == 80
        assert arm["kills"] >= 2
        assert arm["never_fetched"] == arm["items_missing"] == arm["items_twice"] == 0
        assert arm["resume_s"] > 0


@pytest.mark.long_form
def test_kill9_measures_scrapy_beside_it(printed: Printed) -> None:
    figures = printed("kill9", "--quick", "--pages", "80", "--arms", "scrapy_redis")
    arm = figures["scrapy_redis"]
    assert arm["kills"] >= 1
    assert arm["pages"] == 80
    # How much it loses on eighty pages is a matter of timing; at 2,000 it always does.
    assert 0 <= arm["never_fetched"] < arm["pages"]


@pytest.mark.learnt_killed
def test_kill9_keeps_what_exploration_and_searches_have_learnt(printed: Printed) -> None:
    figures = printed(
        "kill9", "--quick", "--explore", "--sites", "6", "--arms", "explore_in_commit"
    )
    arm = figures["explore_in_commit"]
    assert arm["kills"] >= 2
    assert arm["never_fetched"] == arm["items_missing"] == arm["items_twice"] == 0
    assert arm["seeds_missing"] == arm["urls_lost"] == 0
    assert arm["ledger_off"] == arm["bans_off"] == arm["arms_off"] == 0
    assert figures["unkilled"]["never_fetched"] == figures["unkilled"]["ledger_off"] == 0


def test_kill9_keeps_every_page_on_the_schedule_and_tells_each_change_once(
    printed: Printed,
) -> None:
    figures = printed(
        "kill9", "--quick", "--revisit", "--sites", "2", "--arms", "revisit_in_commit"
    )
    arm, unkilled = figures["revisit_in_commit"], figures["unkilled"]
    assert arm["kills"] >= 2
    assert arm["reservations_seen"] > 0
    lost = (
        *("states_lost", "undated", "reservations_alone", "rows_alone", "not_visited", "undue"),
        *("reservations_left", "changes_missing", "changes_twice", "items_missing", "items_twice"),
        *("items_old", "versions_off"),
    )
    assert {name: arm[name] for name in lost} == dict.fromkeys(lost, 0)
    assert {name: unkilled[name] for name in lost} == dict.fromkeys(lost, 0)
    assert unkilled["fetched_again"] == 0


@pytest.mark.B1
def test_kill9_loses_nothing_that_several_workers_share(printed: Printed) -> None:
    figures = printed("kill9", "--quick", "--store", "redis", "--pages", "240", "--arms", "delay_1")
    assert figures["pages"] == 240
    lost = (
        *("never_fetched", "items_missing", "items_twice", "facts_lost", "rows_left"),
        *("delay_violations", "tracebacks"),
    )
    assert {name: figures[name] for name in lost} == dict.fromkeys(lost, 0)
    assert figures["twice_beyond"] <= 12, (
        "beside other work a window takes longer than the bound says"
    )
    assert figures["refused"] > 0, "somebody who stood still has tried to go on"
    assert figures["cut_bytes"] > 0
