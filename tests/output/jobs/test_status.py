"""How topics are doing: what is late, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from scrapy.settings import Settings

from focuscrawl.config import Config, read_config
from focuscrawl.features import ROWS
from focuscrawl.locale.messages import IN_CHINESE, IN_ENGLISH, set_message_language
from focuscrawl.output.jobs.status import (
    TopicStatus,
    status_json,
    status_of,
    status_text,
    yesterday_began,
)
from focuscrawl.output.jobs.timetable import TurnPlan
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.kinds.runs import RunRow, RunStart
from focuscrawl.stores.results.results import Results
from tests.clock import NOON, StandingClock

if TYPE_CHECKING:
    from pathlib import Path

HOUR = 3600.0
ZONE = ZoneInfo("Asia/Shanghai")
KINDS = Kinds.load(ROWS)


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def config(tmp_path: Path, clock: StandingClock) -> Config:
    found = read_config(Settings({"FOCUSCRAWL_DATA_DIR": str(tmp_path)}), {}, None)
    return replace(found, clock=clock)


def ran(config: Config, clock: StandingClock, reason: str = "finished", status: int = 0) -> None:
    """Let a run of five minutes end, or go on without a sign when it has no reason."""
    with_results = Results.open(
        config.data_dir / "news.db", "news", kinds=KINDS, clock=clock, timezone="UTC"
    )
    with_results.begin_run(RunStart("one", "{}", {}), alone=True)
    clock.now += 300.0
    if reason:
        with_results.end_run(reason, "", status, RunRow(pages=7), is_last=True)
    with_results.close()


def status(config: Config, plan: TurnPlan) -> TopicStatus:
    return status_of(config, "news", plan, KINDS, Settings(), ZONE)


def test_a_topic_that_was_never_crawled_says_so(config: Config) -> None:
    found = status(config, TurnPlan(HOUR))
    assert (found.running, found.last_run, found.why) == (False, None, "was never crawled")
    assert found.late == 0


def test_one_that_ended_well_is_due_again_an_hour_after_it_began(
    config: Config, clock: StandingClock
) -> None:
    ran(config, clock)
    found = status(config, TurnPlan(HOUR))
    assert found.last_run == NOON
    assert found.next_turn == NOON + HOUR
    assert (found.reason, found.exit, found.pages, found.why) == ("finished", 0, 7, "")
    clock.now = NOON + HOUR + 360.0
    assert status(config, TurnPlan(HOUR)).late == 0, "a tenth is no delay: it may wait for a place"
    clock.now = NOON + 2 * HOUR
    late = status(config, TurnPlan(HOUR))
    assert late.late == HOUR
    assert late.why.startswith("no process runs it")


def test_one_without_every_is_never_late(config: Config, clock: StandingClock) -> None:
    ran(config, clock)
    clock.now += 1000 * HOUR
    found = status(config, TurnPlan())
    assert (found.late, found.next_turn, found.why) == (0, None, "")


def test_one_whose_last_run_has_no_end_has_crashed(config: Config, clock: StandingClock) -> None:
    ran(config, clock, reason="")
    found = status(config, TurnPlan(HOUR))
    assert found.reason == "crashed"
    assert found.why.startswith("crashed: its last run has no end")


def test_one_that_is_to_stay_and_does_not_is_late_since_it_ended(
    config: Config, clock: StandingClock
) -> None:
    ran(config, clock, reason="shutdown")
    clock.now += HOUR
    found = status(config, TurnPlan(stays=True))
    assert found.late == HOUR
    assert "no process runs it" in found.why


def test_one_that_is_to_stay_and_was_ended_by_its_limit_says_so(
    config: Config, clock: StandingClock
) -> None:
    ran(config, clock, reason="limit_pages")
    clock.now += HOUR
    assert status(config, TurnPlan(stays=True)).why.startswith("a limit has ended it (limit_pages)")


def test_a_bad_end_is_the_reason_where_there_is_no_graver_one(
    config: Config, clock: StandingClock
) -> None:
    ran(config, clock, reason="sites_unreachable", status=4)
    assert status(config, TurnPlan()).why == "its last run ended with status 4"


def test_yesterday_begins_at_midnight_of_the_topics_time() -> None:
    assert NOON - yesterday_began(NOON, ZONE) == 36 * HOUR


def test_how_a_run_ended_is_told_in_the_language_of_the_table() -> None:
    statuses = [TopicStatus("metro", last_run=NOON, reason="sites_unreachable")]
    assert status_text(statuses).splitlines()[1].split()[1] == "sites_unreachable"
    set_message_language(IN_CHINESE)
    try:
        assert status_text(statuses).splitlines()[1].split()[1] == "网站均无应答"
    finally:
        set_message_language(IN_ENGLISH)


def test_a_table_has_those_in_trouble_first_and_json_the_same_for_programs() -> None:
    statuses = [
        TopicStatus("metro", "成都地铁", True, ("host:12",), NOON, pages=3, new=5, timezone="Asia/Shanghai"),
        TopicStatus("food", "food", False, (), NOON, NOON, "empty", 3, late=7200.0, why="no process runs it"),
        TopicStatus("silent", last_run=NOON, reason="finished", needs=2),
        TopicStatus("x" * 90, reason="sites_unreachable", failed=7, next_turn=NOON, new=12345),
    ]  # fmt: skip
    told = status_text(statuses).splitlines()
    assert " ".join(told[0].split()) == "topic state last run new needs next turn"
    assert told[1].split()[:4] == ["food", "empty", "11-20", "04:00"]
    assert told[2] == "    late by 2 h · no process runs it"
    assert told[3].split() == ["silent", "finished", "11-20", "04:00", "-", "2", "-"]
    assert told[4].split() == ["metro", "running", "11-20", "12:00", "5", "-", "-"]
    assert told[5] == "    成都地铁"
    assert told[7] == "    7 failed, to be tried again"
    assert max(map(len, told)) <= 80
    metro, food, *_rest = json.loads(status_json(statuses))
    assert metro["workers"] == ["host:12"]
    assert food["last_run"] == "2026-11-20T04:00:00.000Z"
    assert (metro["title"], metro["needs"]) == ("成都地铁", None)


def test_what_needs_the_user_is_counted_of_the_last_run(
    config: Config, clock: StandingClock
) -> None:
    ran(config, clock)
    assert status(config, TurnPlan()).needs == 0
    found = [{"kind": "dead", "number": 1, "examples": ["http://a.cn/"], "where": "timeout"}]
    with_results = Results.open(config.data_dir / "news.db", "news", kinds=KINDS, clock=clock)
    with_results.begin_run(RunStart("two", "{}", {}), alone=True)
    with_results.end_run("finished", "", 0, RunRow(counters={"unrecognised": found}), is_last=True)
    with_results.close()
    assert status(config, TurnPlan()).needs == 1
