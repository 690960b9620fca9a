"""The row of a run, the numbers by minute and the views, in SQLite and PostgreSQL alike."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from time import time
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.features.articles.rows.articles import count_stored_by, stored_by_gone
from focuscrawl.stores.results.kinds.runs import MinuteFigure, RunRow, RunStart, SiteRow, new_run_id
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.schema import offset_minutes, views_of, zone_of_views
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryState
from focuscrawl.values import Article
from tests.kinds import KINDS
from tests.stores.results.conftest import KEY

if TYPE_CHECKING:
    from tests.clock import StandingClock
    from tests.databases import Database

NOON = 1_795_147_200.0
DAY = 86_400.0
START = RunStart("run-1", 'name = "食品"', {"focuscrawl": "0.1.0"}, job="7", worker="host:1")


def test_a_run_id_is_its_start_and_random_bits() -> None:
    assert new_run_id(NOON + 0.9, 0xA1B2C3) == "20261120T040000-a1b2c3"
    assert new_run_id(NOON, 2**30 + 5) == "20261120T040000-000005"


def test_a_run_from_begin_to_end(
    database: Database, results: Results, clock: StandingClock
) -> None:
    results.begin_run(START)
    clock.now += 60
    so_far = RunRow(requests=12, pages=9, counters={"refused/允许": 3})
    results.write(ResultBatch(run=so_far))
    clock.now += 30
    results.end_run("limit_pages", "500 pages were allowed.", 0, RunRow(requests=13, bytes=2**40))
    assert database.ask(
        "SELECT topic, run_id, job, worker, started, heartbeat, ended, end_reason, end_detail,"
        " exit_code, template_hash, template, versions, requests, pages, bytes, counters"
        " FROM crawl_runs"
    ) == [
        (
            "food",
            "run-1",
            "7",
            "host:1",
            NOON,
            NOON + 90,
            NOON + 90,
            "limit_pages",
            "500 pages were allowed.",
            0,
            hashlib.md5('name = "食品"'.encode()).hexdigest(),
            'name = "食品"',
            {"focuscrawl": "0.1.0"},
            13,
            0,
            2**40,
            {},
        )
    ]


def test_a_batch_carries_the_counters_and_is_a_heartbeat(
    database: Database, results: Results, clock: StandingClock
) -> None:
    results.begin_run(START)
    clock.now += 5
    results.write(ResultBatch(run=RunRow(pages=3)))
    assert database.ask("SELECT pages, heartbeat, ended FROM crawl_runs") == [(3, NOON + 5, None)]


def test_an_article_names_the_run_that_wrote_it(
    database: Database, results: Results, make_article: Callable[..., Article]
) -> None:
    results.begin_run(START)
    results.write(ResultBatch(articles=[make_article()]))
    assert database.ask("SELECT run_id FROM articles") == [("run-1",)]


def test_a_run_must_have_begun(results: Results) -> None:
    with pytest.raises(RuntimeError, match="begin_run"):
        results.write(ResultBatch(run=RunRow()))


def test_a_run_without_an_end_is_called_crashed_by_the_next(
    database: Database, results: Results, clock: StandingClock
) -> None:
    results.begin_run(START)
    with database.open() as again:
        again.begin_run(RunStart("run-2", "", {}))
        again.end_run("finished", "", 0)
        again.begin_run(RunStart("run-3", "", {}))
    assert database.ask("SELECT run_id, end_reason, ended FROM crawl_runs ORDER BY run_id") == [
        ("run-1", "crashed", None),
        ("run-2", "finished", NOON),
        ("run-3", None, None),
    ]


def test_beside_other_workers_only_a_silent_run_has_crashed(
    database: Database, results: Results, clock: StandingClock
) -> None:
    results.begin_run(RunStart("silent", "", {}))
    clock.now += 290
    with database.open() as alive:
        alive.begin_run(RunStart("alive", "", {}), alone=False)
        clock.now += 20
        with database.open() as third:
            third.begin_run(RunStart("third", "", {}), alone=False)
    assert database.ask("SELECT run_id, end_reason FROM crawl_runs ORDER BY run_id") == [
        ("alive", None),
        ("silent", "crashed"),
        ("third", None),
    ]


def test_a_run_that_was_silent_and_goes_on_has_not_crashed(
    database: Database, results: Results, clock: StandingClock
) -> None:
    results.begin_run(START)
    clock.now += 400
    with database.open() as other:
        other.begin_run(RunStart("run-2", "", {}), alone=False)
    results.write(ResultBatch(run=RunRow(pages=3)))
    assert database.ask("SELECT end_reason, end_detail, pages FROM crawl_runs WHERE pages = 3") == [
        (None, None, 3)
    ]
    results.end_run("finished", "", 0)
    assert database.ask("SELECT end_reason FROM crawl_runs WHERE run_id = 'run-1'") == [
        ("finished",)
    ]


def test_the_last_of_several_workers_calls_those_crashed_that_have_no_end(
    database: Database, results: Results
) -> None:
    with database.open() as killed, database.open() as ended, database.open("chips") as chips:
        for opened, run_id in ((killed, "killed"), (ended, "ended"), (chips, "chips")):
            opened.begin_run(RunStart(run_id, "", {}), alone=False)
        results.begin_run(RunStart("last", "", {}), alone=False)
        ended.end_run("finished", "", 0)
        assert database.ask("SELECT 1 FROM crawl_runs WHERE end_reason = 'crashed'") == []
        results.end_run("finished", "", 0, is_last=True)
    found = database.ask("SELECT run_id, end_reason FROM crawl_runs ORDER BY run_id")
    assert found == [
        ("chips", None),
        ("ended", "finished"),
        ("killed", "crashed"),
        ("last", "finished"),
    ]


def test_another_topics_run_is_left_alone(database: Database, results: Results) -> None:
    results.begin_run(START)
    with database.open("chips") as chips:
        chips.begin_run(RunStart("run-2", "", {}))
    assert database.ask("SELECT end_reason FROM crawl_runs WHERE topic = 'food'") == [(None,)]


def test_series_are_by_minute_and_written_twice_are_once(
    database: Database, results: Results
) -> None:
    for _ in range(2):
        numbers = [MinuteFigure(NOON + 59.9, "pages", 3.5), MinuteFigure(NOON + 60, "pages", 4)]
        results.write(ResultBatch(series=numbers))
    assert database.ask("SELECT minute, name, value FROM series ORDER BY minute") == [
        (NOON, "pages", 3.5),
        (NOON + 60, "pages", 4.0),
    ]


def test_series_become_hourly_after_two_weeks(
    database: Database, results: Results, clock: StandingClock
) -> None:
    old, recent = NOON - 20 * DAY, NOON - 13 * DAY
    numbers = [MinuteFigure(old + 60 * minute, "pages", float(minute)) for minute in range(120)]
    numbers += [MinuteFigure(old + 60, "due", 8.0), MinuteFigure(recent + 60, "due", 1.0)]
    results.write(ResultBatch(series=numbers))
    expected = [
        (old, "due", 8.0),
        (old, "pages", 29.5),
        (old + 3600, "pages", 89.5),
        (recent + 60, "due", 1.0),
    ]
    for gone in (118, 0):
        assert results.thin_series() == gone
        found = database.ask("SELECT minute, name, value FROM series ORDER BY minute, name")
        assert found == expected


@pytest.mark.of_views
def test_numbers_of_several_workers_are_added_up(database: Database, results: Results) -> None:
    numbers = [
        MinuteFigure(NOON, "waiting", 7.0, "a:1"),
        MinuteFigure(NOON + 1, "waiting", 5.0, "b:2"),
        MinuteFigure(NOON + 60, "waiting", 8.0, "b:2"),
    ]
    for number in numbers:
        results.write(ResultBatch(series=[number]))
    assert len(database.ask("SELECT * FROM series")) == 3
    found = database.ask("SELECT name, value, workers FROM series_total ORDER BY time")
    assert found == [("waiting", 12.0, 2), ("waiting", 8.0, 1)]
    database.clock.now += 20 * DAY
    assert results.thin_series() == 2
    assert database.ask("SELECT minute, value, worker FROM series") == [(NOON, 10.0, "")]


def test_series_of_an_earlier_version_get_the_worker_into_their_key(
    database: Database, clock: StandingClock
) -> None:
    database.open().close()
    moment = "timestamptz" if "postgresql" in database.url else "varchar(24)"
    columns = f"topic varchar(64), minute {moment}, name varchar(40), value float NOT NULL"
    for statement in (
        "DROP VIEW IF EXISTS series_total",
        "DROP TABLE series",
        f"CREATE TABLE series ({columns}, PRIMARY KEY (topic, minute, name))",
        "INSERT INTO series VALUES ('food', '2026-11-20T04:00:00.000Z', 'waiting', 3)",
        "CREATE VIEW of_somebody AS SELECT name, value FROM series",
        "UPDATE meta SET value = '1' WHERE name = 'schema'",
    ):
        database.tell(statement)
    for _ in range(2):
        with database.open() as results:
            for worker in ("a:1", "b:2"):
                results.write(ResultBatch(series=[MinuteFigure(NOON, "waiting", 2.0, worker)]))
    assert database.ask("SELECT worker, value FROM series ORDER BY worker") == [
        ("", 3.0),
        ("a:1", 2.0),
        ("b:2", 2.0),
    ]
    if not database.is_mariadb:
        assert database.ask("SELECT value, workers FROM series_total") == [(7.0, 3)]
    assert database.ask("SELECT sum(value) FROM of_somebody") == [(7.0,)]
    assert database.ask("SELECT value FROM meta WHERE name = 'schema'") == [("3",)]


@pytest.mark.of_views
def test_today_shows_what_was_found_since_local_midnight(
    database: Database, results: Results, make_article: Callable[..., Article]
) -> None:
    clock = database.clock
    midnight = (time() + 8 * 3600) // DAY * DAY - 8 * 3600
    clock.now = midnight + 1
    results.write(
        ResultBatch(
            articles=[
                make_article(fetched=midnight + 1, title="今天"),
                make_article(url_key="a" * 32, fetched=midnight - 1, title="昨天"),
                make_article(url_key="b" * 32, fetched=midnight + 2, title="抄来的"),
                make_article(url_key="c" * 32, fetched=midnight + 2, title="早就有", known=True),
                make_article(url_key="d" * 32, fetched=midnight + 2, title="旧版本的"),
            ]
        )
    )
    database.tell("UPDATE articles SET is_copy = true WHERE title = '抄来的'")
    database.tell("UPDATE articles SET known = NULL WHERE title = '旧版本的'")
    (row,) = database.ask("SELECT title, site, story_size, hits, time FROM today")
    assert row[:4] == ("今天", "news.example", 1, {"食品": 2})
    assert str(row[4]).endswith("00:00:01")


@pytest.mark.of_views
def test_news_are_what_a_person_wants_to_know_of_new_articles(
    database: Database, results: Results, make_article: Callable[..., Article]
) -> None:
    story = StoryState("5" * 32, "抽检", "a" * 32, "a", NOON, NOON, 3, 1, ("a", "b"))
    results.write(
        ResultBatch(
            stories=[story],
            articles=[
                make_article(
                    title="有人报道",
                    medium="新华社",
                    story_id="5" * 32,
                    hits={"食品": 2, "抽检": 1},
                ),
                make_article(url_key="a" * 32, title="独家", source_name="日报", fetched=NOON + 1),
                make_article(url_key="b" * 32, title="没署名", fetched=NOON + 2, hits={}),
                make_article(url_key="c" * 32, title="早就有", known=True),
            ],
        )
    )
    found = database.ask("SELECT title, medium, story, sites, words FROM news")
    assert found[:2] == [
        ("没署名", "news.example", None, 1, None),
        ("独家", "日报", None, 1, "食品"),
    ]
    title, medium, *told, words = found[2]
    assert (title, medium, told) == ("有人报道", "新华社", ["抽检", 2])
    assert set(str(words).split("、")) == {"食品", "抽检"}
    assert len(found) == 3
    ((moment, address),) = database.ask("SELECT time, address FROM news WHERE sites > 1")
    assert str(moment).startswith("2026-11-20 12:00:00")
    assert address == "http://news.example/a.html"


@pytest.mark.of_views
def test_site_health_shows_only_sites_in_trouble(database: Database, results: Results) -> None:
    now = time()
    results.write(
        ResultBatch(
            sites=[
                SiteRow("well.example", pages=90, errors=10, last_ok=now),
                SiteRow("old.example", pages=90, errors=30, last_ok=now - 3 * DAY),
                SiteRow("never.example", errors=5),
                SiteRow("banned.example", state="banned", until=NOON, pages=20, last_ok=now),
                SiteRow("bad.example", pages=1, errors=3, last_ok=now),
            ]
        )
    )
    found = database.ask("SELECT host, error_percent, banned_until FROM site_health ORDER BY host")
    assert [(host, float(str(share)), until) for host, share, until in found] == [
        ("bad.example", 75.0, None),
        ("banned.example", 0.0, "2026-11-20 12:00:00"),
        ("never.example", 100.0, None),
        ("old.example", 25.0, None),
    ]


@pytest.mark.of_views
def test_what_changed_shows_a_week_in_local_time(database: Database, results: Results) -> None:
    now = time()
    for number, age in enumerate((0, 6 * DAY, 8 * DAY)):
        moment = datetime.fromtimestamp(now - age, UTC)
        database.tell(
            "INSERT INTO changes (topic, change_id, at, url_key, url, kind, what, title, version)"
            f" VALUES ('food', '{number:032}', '{moment:%Y-%m-%dT%H:%M:%S}.000Z', 'k', 'http://a.cn/',"
            f" 'major', 'article', '第{number}条', 2)"
        )
    found = database.ask("SELECT title, kind, what, url, version, time FROM what_changed")
    assert [row[0] for row in found] == ["第0条", "第1条"], "the newest first"
    assert found[0][1:5] == ("major", "article", "http://a.cn/", 2)
    local = datetime.fromtimestamp(now, ZoneInfo("Asia/Shanghai"))
    assert str(found[0][5]).startswith(f"{local:%Y-%m-%d %H:%M}")


@pytest.mark.of_views
def test_what_an_earlier_version_called_new_is_no_news_in_what_changed(
    database: Database, results: Results, make_article: Callable[..., Article]
) -> None:
    moment = datetime.fromtimestamp(time(), UTC)
    results.write(ResultBatch(articles=[make_article(known=False), make_article(url_key="a" * 32)]))
    database.tell(f"UPDATE articles SET known = NULL WHERE url_key = '{'a' * 32}'")
    for number, (key, kind) in enumerate([(KEY, "new"), ("a" * 32, "new"), ("a" * 32, "gone")]):
        database.tell(
            "INSERT INTO changes (topic, change_id, at, url_key, url, kind, what)"
            f" VALUES ('food', '{number:032}', '{moment:%Y-%m-%dT%H:%M:%S}.000Z', '{key}', 'http://a.cn/',"
            f" '{kind}', 'article')"
        )
    told = database.ask("SELECT kind FROM what_changed ORDER BY kind")
    assert told == [("gone",), ("new",)]


@pytest.mark.of_views
def test_views_follow_a_new_time_zone(database: Database) -> None:
    database.open().close()
    assert "Asia/Shanghai" in str(database.ask("SELECT value FROM meta WHERE name LIKE 'time%'"))
    Results.open(
        database.url, "food", kinds=KINDS, clock=database.clock, timezone="Europe/Berlin"
    ).close()
    assert "Europe/Berlin" in str(database.ask("SELECT value FROM meta WHERE name LIKE 'time%'"))


def test_the_offset_of_sqlite_views_is_that_of_the_season() -> None:
    summer = NOON - 140 * DAY
    assert [offset_minutes("Europe/Berlin", now) for now in (NOON, summer)] == [60, 120]
    assert zone_of_views("sqlite", "America/St_Johns", NOON) == "America/St_Johns (UTC-03:30)"
    assert zone_of_views("postgresql", "Asia/Shanghai", NOON) == "Asia/Shanghai"
    assert views_of(KINDS, "mysql", "Asia/Shanghai", NOON) == {}


@given(st.integers(0, 4_000_000_000), st.integers(0, 2**40))
def test_run_ids_sort_by_their_start(started: int, bits: int) -> None:
    assert new_run_id(started, bits)[:15] < new_run_id(started + 1, 0)[:15]


def test_what_a_worker_has_stored_first_in_its_last_run_is_counted(
    database: Database, clock: StandingClock, make_article: Callable[..., Article]
) -> None:
    def stored(worker: str, run_id: str, *keys: int) -> None:
        clock.now += 60
        with database.open() as results:
            results.begin_run(replace(START, run_id=run_id, worker=worker))
            articles = [make_article(url_key=f"{key:032x}", fetched=clock.now) for key in keys]
            results.write(ResultBatch(articles=articles))

    stored("host:1", "run-1", 1, 2)
    stored("host:1", "run-2", 2, 3, 4, 5)
    stored("host:2", "run-3", 5, 6)
    with database.open() as results:
        counts = [results.ask(count_stored_by, f"host:{number}") for number in (1, 2, 3)]
    assert counts == [2, 1, 0], "3 and 4, since another has 5 by now; 6"


def test_who_was_taken_for_gone_writes_nothing_of_what_it_had_and_then_goes_on(
    database: Database, clock: StandingClock, make_article: Callable[..., Article]
) -> None:
    def batch(key: int) -> ResultBatch:
        made = ResultBatch(articles=[make_article(url_key=f"{key:032x}", fetched=clock.now)])
        made.unless_gone = True
        return made

    gone = partial(stored_by_gone, "host:1")
    with database.open() as stands_still, database.open() as other:
        stands_still.begin_run(replace(START, run_id="run-1", worker="host:1"))
        other.begin_run(replace(START, run_id="run-2", worker="host:2"), alone=False)
        assert not stands_still.write(batch(1)).was_gone
        assert other.ask_and_write(gone)[0] == 1
        refused = stands_still.write(batch(2))
        assert refused.was_gone
        assert not refused.outcomes
        assert other.ask(count_stored_by, "host:1") == 1
        assert not stands_still.write(batch(3)).was_gone, "it was begun after that"
        assert other.ask(count_stored_by, "host:1") == 2
        assert not other.write(batch(4)).was_gone


def test_a_run_that_has_ended_is_not_taken_for_gone(database: Database) -> None:
    with database.open() as results:
        results.begin_run(replace(START, worker="host:1"))
        results.end_run("finished", "", 0)
        results.ask_and_write(partial(stored_by_gone, "host:1"))
    assert database.ask("SELECT end_reason FROM crawl_runs") == [("finished",)]
