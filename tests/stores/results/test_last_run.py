"""The last run of a topic as readers see it: what all its workers did together, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.stores.results.kinds.last_run import NEVER, LastRun, last_run_in
from focuscrawl.stores.results.kinds.runs import RunRow, RunStart
from tests.clock import NOON

if TYPE_CHECKING:
    from pathlib import Path

    from focuscrawl.stores.results.results import Results
    from tests.clock import StandingClock
    from tests.databases import Database


def seen(database: Database, topic: str = "food") -> LastRun:
    return last_run_in(database.url, topic, database.clock.now)


def test_a_topic_without_a_run_was_never_crawled(database: Database, results: Results) -> None:
    assert seen(database) == NEVER
    assert not seen(database).has_begun


def test_results_that_nobody_has_made_have_no_run(tmp_path: Path) -> None:
    assert last_run_in(tmp_path / "food.db", "food", NOON) == NEVER
    assert last_run_in(f"sqlite:///{tmp_path / 'food.db'}", "food", NOON) == NEVER
    assert list(tmp_path.iterdir()) == []


def test_workers_that_overlap_are_one_run_and_an_earlier_one_is_none_of_it(
    database: Database, results: Results, clock: StandingClock
) -> None:
    with database.open() as first, database.open() as second:
        results.begin_run(RunStart("before", "", {}, worker="host:1"))
        results.end_run("finished", "", 0, RunRow(pages=100))
        clock.now += 60
        first.begin_run(RunStart("one", "", {}, worker="host:2"), alone=False)
        clock.now += 30
        second.begin_run(RunStart("two", "", {}, worker="host:3"), alone=False)
        first.end_run("finished", "", 0, RunRow(pages=3, counters={"seen": 2, "left": ["a"]}))
        assert seen(database).state == "running"
        assert seen(database).ended is None
        clock.now += 30
        counters = {"seen": 3, "left": ["b"]}
        second.end_run("limit_pages", "so many", 0, RunRow(pages=4, counters=counters))
    found = seen(database)
    assert (found.state, found.detail, found.workers) == ("limit_pages", "so many", 2)
    assert (found.started, found.ended, found.seconds) == (NOON + 60, NOON + 120, 60)
    assert found.counts["pages"] == 7
    assert found.counters["seen"] == 5
    assert sorted(found.counters["left"]) == ["a", "b"]
    assert not found.was_cut_off


def test_a_run_that_is_silent_for_long_has_crashed_and_goes_on_at_once(
    database: Database, results: Results, clock: StandingClock
) -> None:
    results.begin_run(RunStart("one", "", {}, worker="host:1"))
    clock.now += 200
    assert seen(database).state == "running"
    clock.now += 200
    found = seen(database)
    assert (found.state, found.ended, found.sign) == ("crashed", None, NOON)
    assert found.was_cut_off


def test_a_run_that_was_told_to_stop_was_cut_off(database: Database, results: Results) -> None:
    results.begin_run(RunStart("one", "", {}))
    results.end_run("shutdown", "", 0)
    assert seen(database).was_cut_off


def test_news_begin_with_the_first_of_the_runs_that_were_killed_before_the_last(
    database: Database, results: Results, clock: StandingClock
) -> None:
    for number, ends in enumerate((True, True, False, False, True)):
        results.begin_run(RunStart(f"run {number}", "", {}))
        clock.now += 60
        if ends:
            results.end_run("finished", "", 0)
        clock.now += 60
    found = seen(database)
    assert found.started == NOON + 4 * 120
    assert found.news_since == NOON + 2 * 120
