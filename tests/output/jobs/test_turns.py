"""What becomes of a topic's turn in ``focuscrawl run`` when its crawl has ended, in whatever way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from focuscrawl.kernel.figures import EXIT_DONE, EXIT_STORE
from focuscrawl.output.jobs.timetable import TurnPlan
from focuscrawl.verbs.jobs import run
from focuscrawl.verbs.jobs.run import BROKEN_AGAIN, TopicEnd, Topics
from tests.clock import StandingClock

HOUR = 3600.0


class EndedTask:
    """One that has ended as it should."""

    def cancelled(self) -> bool:
        return False

    def exception(self) -> None:
        return None


def topics_of(**plans: TurnPlan) -> Topics:
    """Return topics that are being crawled."""
    process = SimpleNamespace(is_told_to_stop=asyncio.Event(), settings={})
    config: Any = SimpleNamespace(clock=StandingClock(), data_dir=Path("crawls"), topics=())
    made = Topics(process, config, [], 9, {})  # type: ignore[arg-type]
    for name, plan in plans.items():
        made._table.expect(name, plan, config.clock.wall())
        made._table.begin(config.clock.wall())
    return made


def seconds_until_next(topics: Topics) -> float:
    return topics._table.seconds(topics._config.clock.wall())


def end(topics: Topics, name: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a crawl end."""
    monkeypatch.setattr(run, "_end_of", lambda _: TopicEnd(status, "said"))
    task: Any = EndedTask()
    topics._tasks[task] = name
    plan = topics._table.plans[name]
    crawler: Any = None
    topics._ended(name, crawler, plan, topics._config.clock.wall(), task)


@pytest.mark.parametrize(
    ("plan", "status", "seconds"),
    [
        (TurnPlan(HOUR), EXIT_DONE, HOUR),
        (TurnPlan(HOUR), EXIT_STORE, BROKEN_AGAIN),
        (TurnPlan(10.0), EXIT_STORE, 10.0),
        (TurnPlan(), EXIT_STORE, BROKEN_AGAIN),
        (TurnPlan(stays=True), EXIT_STORE, BROKEN_AGAIN),
        (TurnPlan(HOUR, stays=True), EXIT_DONE, HOUR),
        (TurnPlan(), EXIT_DONE, float("inf")),
        (TurnPlan(stays=True), EXIT_DONE, float("inf")),
    ],
)
def test_a_store_that_failed_is_tried_again_soon_where_others_come_again(
    plan: TurnPlan, status: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = topics_of(others=TurnPlan(HOUR), this=plan)
    end(topics, "this", status, monkeypatch)
    assert seconds_until_next(topics) == seconds


def test_where_nothing_comes_again_a_store_that_failed_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topics = topics_of(this=TurnPlan())
    end(topics, "this", EXIT_STORE, monkeypatch)
    assert topics._table.is_over()


def test_a_file_that_has_become_wrong_does_not_begin_a_topic_twice() -> None:
    topics = topics_of(this=TurnPlan(HOUR))
    topics._cannot_begin("this", OSError("it is gone"))
    assert seconds_until_next(topics) == float("inf")
    assert "this" not in topics.ends


@pytest.mark.parametrize("plan", [TurnPlan(HOUR), TurnPlan(stays=True)])
def test_a_topic_that_comes_again_is_tried_again_soon_when_its_file_cannot_be_read(
    plan: TurnPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while an editor writes it, though it is the only one."""
    topics = topics_of(this=plan)

    def unread(name: str) -> None:
        raise OSError("half of a file")

    monkeypatch.setattr(topics, "_spider", unread)
    topics._begin("this")
    assert not topics._table.is_over()
    assert seconds_until_next(topics) == BROKEN_AGAIN
    assert topics._table.plans["this"] == plan
    assert topics.ends["this"].reason == "cannot_begin"


def test_a_topic_that_does_not_come_again_ends_it_when_its_file_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    topics = topics_of(this=TurnPlan())

    def unknown(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(topics, "_spider", unknown)
    topics._begin("this")
    assert topics._table.is_over()


def test_two_files_of_one_name_do_not_let_go_of_a_topic_that_comes_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when somebody copies a file to change it, and has not yet given the copy another name."""
    topics = topics_of(this=TurnPlan(HOUR))
    topics._table.ended("this", topics._config.clock.wall())
    (tmp_path / "this.toml").touch()
    (tmp_path / "copy.toml").write_text("topic.name = 'this'", "utf-8")
    monkeypatch.setattr(run, "topics_folders", lambda *_: [tmp_path])
    asyncio.run(topics._look())
    assert topics.ends["this"].reason == "cannot_begin"
    assert seconds_until_next(topics) == BROKEN_AGAIN
    assert topics._table.plans["this"] == TurnPlan(HOUR)
