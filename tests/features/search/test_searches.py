"""Searching put on a run: seeds in a frontier and a store, and what came of each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from focuscrawl.features.search.cycle import STILL, Searches
from focuscrawl.features.search.plan import SearchRequest
from focuscrawl.features.search.seeds import SeedCount
from focuscrawl.features.search.walks import SOURCE, UrlEnd
from focuscrawl.readers.links.admission_rules import AdmissionRules
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.stores.state.protocol import WAITING
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.template.load import load
from focuscrawl.values import Waiting
from tests.clock import StandingClock
from tests.features.search.cycles import opened
from tests.frontiers import frontier_over

DAY = 86_400.0
TOPIC = """
[topic]
name = "x"
keywords = ["食品"]
[search]
engines = ["own"]
queries = ["食品"]
every = "1d"
delay = "3s"
{more}
[search.engine.own]
url = "http://s.cn/s?q={{query}}&p={{page}}"
results = "css:.r"
link = "css:a::attr(href)"
title = "css:a"
"""


def answer(*urls: str) -> bytes:
    if not urls:
        return "<html><body><p>抱歉，没有找到相关的网页。</p></body></html>".encode()
    rows = "".join(f'<div class="r"><a href="{url}">食品通告</a></div>' for url in urls)
    return f"<html><body>{rows}</body></html>".encode()


def end(searching: Searches, waiting: Waiting, *, gone: bool = False) -> None:
    """End a URL that was found or is gone."""
    there = not gone
    ending = UrlEnd(waiting.url, waiting.key, answered=there, read=there, gone=gone)
    searching.ended(waiting, ending)


class Runs:
    """Runs of one topic over one store; the clock stands until it is told otherwise."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "x.crawl.db"
        self.clock = StandingClock(1.7e9)
        self.more = ""
        self.store = SQLiteStore(self.path)
        self.asked: list[SearchRequest] = []

    def begin(self, *, is_shared: bool = False) -> Searches:
        """Begin a run; what the one before had not committed is lost."""
        self.store.release()
        self.store = SQLiteStore(self.path)
        template = load(TOPIC.format(more=self.more)).template
        self.frontier = frontier_over(self.store)
        self.frontier.load(asyncio.run(self.store.load(self.store.own())), self.clock.now)
        rules = AdmissionRules.from_template(template, self.clock.now)
        now = self.clock.now
        facts = opened(self.store)
        searching = Searches(template, rules, self.frontier, facts, now, is_shared=is_shared)
        waiting = (row.waiting for row in self.store.rows(WAITING))
        self.asked = [*searching.begin(waiting, now).requests]
        return searching

    def answer(self, searching: Searches, *urls: str) -> None:
        """Let the engine answer the first request."""
        asked = self.asked.pop(0)
        kind = "text/html; charset=utf-8"
        read = Fetched(asked.url, 200, answer(*urls), kind, self.clock.now)
        step = searching.cycle.answered(asked, read)
        self.asked += searching.take(step).requests

    def commit(self, searching: Searches) -> list[dict[str, object]]:
        rows = searching.note()
        self.store.commit(self.frontier.drain())
        self.frontier.committed()
        return rows

    def take(self) -> Waiting | None:
        row = self.frontier.take(self.clock.now, self.clock.now)
        if row is None:
            return None
        self.frontier.acknowledge(row.sequence, self.clock.now)
        return row.waiting


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.store.release()


def test_results_wait_by_their_rank_below_returned_pages(runs: Runs) -> None:
    searching = runs.begin()
    runs.answer(searching, "http://a.cn/1", "http://b.cn/1", "http://a.cn/1#top")
    seeds = [runs.take(), runs.take(), runs.take()]
    assert [seed and seed.url for seed in seeds] == ["http://a.cn/1", "http://b.cn/1", None]
    assert all(seed is None or seed.source_id == SOURCE + seed.key.hex() for seed in seeds)
    assert len(runs.asked) == 1


def test_a_run_that_was_killed_asks_again_what_was_not_committed(runs: Runs) -> None:
    first = runs.begin()
    runs.answer(first, "http://a.cn/1")
    runs.commit(first)
    runs.answer(first, "http://b.cn/1")
    second = runs.begin()
    assert [asked.page for asked in runs.asked] == [2]
    assert [seed.url for seed in (runs.take(), runs.take()) if seed] == ["http://a.cn/1"]
    runs.answer(second, "http://b.cn/1")
    assert [seed.url for seed in (runs.take(),) if seed] == ["http://b.cn/1"]


def test_nothing_is_asked_before_searches_are_due_again(runs: Runs) -> None:
    first = runs.begin()
    runs.answer(first)
    runs.commit(first)
    assert not first.cycle.plan.stopped
    runs.clock.now += 0.8 * DAY
    runs.begin()
    assert not runs.asked
    runs.clock.now += 0.2 * DAY - 60  # a timer at the same hour may be a little early
    runs.begin()
    assert [asked.page for asked in runs.asked] == [1]


def test_searches_are_made_again_though_the_clock_ran_ahead_then(runs: Runs) -> None:
    runs.clock.now += 40 * DAY
    first = runs.begin()
    runs.answer(first)
    runs.commit(first)
    runs.clock.now -= 39 * DAY
    runs.begin()
    assert [asked.page for asked in runs.asked] == [1]


def test_a_seed_is_told_by_what_it_led_to_when_its_last_page_has_ended(runs: Runs) -> None:
    searching = runs.begin()
    runs.answer(searching, "http://a.cn/1", "http://b.cn/1", "http://c.cn/1")
    seeds = [seed for seed in (runs.take(), runs.take(), runs.take()) if seed]
    searching.walks.admitted(seeds[0], 1)
    end(searching, seeds[0])
    searching.led_to(seeds[0])
    states = {row["url"]: row["state"] for row in runs.commit(searching)}
    assert states["http://a.cn/1"] == "taken"
    end(searching, seeds[0]._replace(url="http://a.cn/2", key=b"2" * 16))
    end(searching, seeds[1])
    end(searching, seeds[2], gone=True)
    end(searching, seeds[2]._replace(source_id="source"))
    rows = {row["url"]: (row["state"], row["useful"]) for row in runs.commit(searching)}
    assert rows == {
        "http://a.cn/1": ("useful", 1),
        "http://b.cn/1": ("useless", 0),
        "http://c.cn/1": ("gone", 0),
    }
    assert not runs.commit(searching)


def test_seeds_that_others_read_too_end_when_nothing_of_them_waits_for_a_while(runs: Runs) -> None:
    searching = runs.begin(is_shared=True)
    runs.answer(searching, "http://a.cn/1", "http://b.cn/1")
    seeds = [seed for seed in (runs.take(), runs.take()) if seed]
    first, second = (seed.key.hex() for seed in seeds)

    def states(counts: dict[str, SeedCount], now: float) -> list[tuple[str, int]]:
        searching.judge(counts, now)
        found = searching.cycle.seeds.seeds
        return [(found[one].state.value, found[one].useful) for one in (first, second)]

    walked = {first: SeedCount(useful=2), second: SeedCount(gone=1)}
    assert states(walked, 0.0) == [("taken", 2), ("taken", 0)], "their walks are not at their end"
    for seed in seeds:
        end(searching, seed)
    assert states({first: SeedCount(1, 2), second: SeedCount(gone=1)}, 5.0) == [
        ("taken", 2),
        ("taken", 0),
    ]
    assert states({first: SeedCount(1, 2), second: SeedCount(2)}, 10.0) == [
        ("taken", 2),
        ("taken", 0),
    ]
    assert states(walked, 15.0) == [("taken", 2), ("taken", 0)]
    assert states(walked, 15.0 + STILL) == [("useful", 2), ("gone", 0)]
    late = {first: SeedCount(useful=1), second: SeedCount(useful=1)}
    assert states(late, 99.0) == [("useful", 2), ("useful", 1)], (
        "a link was on its way all the time"
    )
    assert len(runs.commit(searching)) == 2
    searching.judge(late, 100.0)
    assert not runs.commit(searching)


def test_a_seed_that_seemed_useless_and_whose_page_turns_out_to_be_gone_is_gone(runs: Runs) -> None:
    searching = runs.begin(is_shared=True)
    runs.answer(searching, "http://a.cn/1")
    seed = runs.take()
    assert seed is not None
    end(searching, seed)
    searching.judge({}, 0.0, after=0.0)
    assert [row["state"] for row in runs.commit(searching)] == ["useless"]
    searching.judge({seed.key.hex(): SeedCount(gone=1)}, 1.0)
    assert [row["state"] for row in runs.commit(searching)] == ["gone"]


def test_strict_one_seed_is_under_way_at_a_time(runs: Runs) -> None:
    runs.more = "strict = true"
    searching = runs.begin()
    urls = [f"http://n{number}.cn/1" for number in range(12)]
    runs.answer(searching, *urls)
    assert runs.take() is None
    runs.answer(searching)
    taken = []
    while (seed := runs.take()) is not None:
        taken.append(seed.url)
        assert runs.take() is None
        end(searching, seed)
    states = [row["state"] for row in runs.commit(searching)]
    assert 0 < len(taken) < len(urls)
    assert states.count("useless") == len(taken)
    assert states.count("skipped") == len(urls) - len(taken)


def test_an_engine_that_cannot_be_asked_is_told_and_asked_no_more(
    runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    searching = runs.begin()
    with caplog.at_level(logging.WARNING):
        step = searching.cycle.not_answered("own", "Forbidden by robots.txt", runs.clock.now)
        searching.take(step)
    assert searching.cycle.plan.refused
    assert searching.cycle.plan.stopped == {"own": "Forbidden by robots.txt"}
    assert "Forbidden by robots.txt" in caplog.text
    runs.answer(searching, "http://a.cn/1")
    assert runs.take() is None
