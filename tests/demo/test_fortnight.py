"""The days of the demo: the web moves on, is crawled again, and what was told is judged."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path

import pytest

from focuscrawl.demo import days
from focuscrawl.demo.fortnight import Days, reporting
from focuscrawl.demo.report import Finding, read_log, read_results
from focuscrawl.demo.running import Outcome, topic_text, write_topics
from focuscrawl.demo.threads import read_threads
from focuscrawl.demo.told import Told, read_changes
from focuscrawl.demo.tour import plan
from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.revisit.table import DAY, RevisitTable
from focuscrawl.template.load import load
from focuscrawl.values import PageClass
from tests.demo.served import served_inside
from tests.output.notify.receivers import Hook, served_hook
from tests.servers.redis_server import RedisServer

pytestmark = [pytest.mark.fortnight, pytest.mark.timed]

SEED, DAYS_SHORT = 102, 2
"""A web in which something of nearly every kind happens on its first two days."""


NOTIFY = """
[[notify]]
to = "{url}"
what = ["new", "changed", "gone"]
every = "1s"
quiet = ["Sat-Sun"]
"""


def tell_of_topics(folder: Path, url: str) -> None:
    """Let the topic of the days tell an address what is new, but at weekends."""
    topic = folder / "topics" / "days.toml"
    topic.write_text(topic.read_text("utf-8") + NOTIFY.format(url=url), "utf-8")


def write_patient_topics(folder: Path, *names: str) -> None:
    """Leave sites alone for so long that a crawl of 80 pages lasts until both workers have some."""
    write_topics(folder, *names)
    topic = folder / "topics" / "days.toml"
    before, after = 'delay   = "5ms"', 'delay   = "150ms"'
    assert before in topic.read_text("utf-8")
    topic.write_text(topic.read_text("utf-8").replace(before, after), "utf-8")


told_by_hook: dict[Path, Hook] = {}
"""What each of these crawls has told."""


@pytest.fixture(scope="module")
def lived(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Path, Outcome]:
    """The days as crawls inside this process lived them, or with ``--store redis`` two workers."""
    folder = tmp_path_factory.mktemp("days")
    crawl = partial(
        days.days_tour,
        folder,
        DemoWeb(SEED, "small"),
        lambda pages, doing: None,
        days=DAYS_SHORT,
        runs_a_day=1,
        size="small",
    )
    is_shared = request.config.getoption("store") == "redis"
    write = write_patient_topics if is_shared else write_topics

    def write_telling_topics(folder: Path, *names: str) -> None:
        write(folder, *names)
        tell_of_topics(folder, hook.url)

    with served_hook() as hook, pytest.MonkeyPatch.context() as patch:
        hook.answers = [500]
        patch.setattr(days, "write_topics", write_telling_topics)
        told_by_hook.update({folder: hook})
        if not is_shared:
            return folder, crawl(serve=served_inside)
        redis = RedisServer(folder / "redis").start()
        try:
            outcome = crawl(workers=2, redis=redis.url)
        finally:
            redis.stop(kill=True)
    with closing(sqlite3.connect(folder / "days.db")) as database:
        pages = [pages for (pages,) in database.execute("SELECT pages FROM crawl_runs") if pages]
    assert len(pages) > len(list(folder.glob("crawl-*.0.log"))), (
        "on some days both had something to do"
    )
    return folder, outcome


@cache
def what_happened() -> Days:
    """Return what these days were to tell."""
    web = DemoWeb(SEED, "small")
    steps = [float(day) for day in range(8)]
    last = plan(web, steps[-1]).expected
    return Days(web, DAYS_SHORT, steps, [len(last)] * len(steps), last, days.PATIENCE)


def judged(folder: Path, told: Sequence[Told]) -> dict[str, Finding]:
    """Judge the same crawls as if they had told other things."""
    database = folder / "days.db"
    findings = reporting(
        what_happened(),
        read_log(folder / "access.jsonl"),
        read_results(database, days.TOPIC),
        read_threads(database, days.TOPIC),
        told,
    )
    return {finding.name: finding for finding in findings}


def test_the_days_topic_is_that_of_the_demo_and_its_bounds_are_those_that_are_judged(
    tmp_path: Path,
) -> None:
    for name in days.TOPIC_FILES:
        (tmp_path / name).write_text(topic_text(name), "utf-8")
    template = load(tmp_path / "days.toml").template
    assert template.topic.name == days.TOPIC
    assert template.sources == load(tmp_path / "demo.toml").template.sources
    article = template.of(RevisitTable).times[PageClass.ARTICLE]
    assert article.max + template.of(RevisitTable).gone_within == days.PATIENCE * DAY


def test_two_days_are_told_once_and_as_they_were(lived: tuple[Path, Outcome]) -> None:
    folder, outcome = lived
    missed = [miss for finding in outcome.findings for miss in finding.misses]
    assert outcome.good, missed or (folder / "crawl-0.0.0.log").read_text()


def test_in_these_days_things_happened_of_most_kinds(lived: tuple[Path, Outcome]) -> None:
    _, outcome = lived
    numbers = {finding.name: finding.total for finding in outcome.findings}
    for name in ("new articles found within a day", "removals told", "changed records told", "replies told"):  # fmt: skip
        assert numbers[name] > 0, name


def test_the_days_cost_less_than_half_of_reading_everything_each_time(
    lived: tuple[Path, Outcome],
) -> None:
    _, outcome = lived
    cost = outcome.findings[-1]
    assert 0 < cost.right < cost.total / 2
    assert "answered 304" in cost.note


@pytest.fixture
def told(lived: tuple[Path, Outcome]) -> list[Told]:
    """What was told in these days."""
    folder, _ = lived
    return list(read_changes(folder / "days.db", days.TOPIC))


def lost(folder: Path, told: Sequence[Told]) -> list[str]:
    """Return the names of what is amiss with what was told."""
    return [name for name, finding in judged(folder, told).items() if finding.lost]


def test_with_all_that_was_told_nothing_is_amiss(
    lived: tuple[Path, Outcome], told: list[Told]
) -> None:
    assert lost(lived[0], told) == []


@pytest.mark.parametrize(
    ("kind", "name"), [("gone", "removals told"), ("reply", "replies told")], ids=str
)
def test_what_was_not_told_is_a_miss(
    kind: str, name: str, lived: tuple[Path, Outcome], told: list[Told]
) -> None:
    assert name in lost(lived[0], [row for row in told if row.kind != kind])


def test_what_was_told_twice_is_a_miss(lived: tuple[Path, Outcome], told: list[Told]) -> None:
    gone = next(row for row in told if row.kind == "gone")
    assert lost(lived[0], [*told, gone]) == ["rows that tell nothing twice"]


def test_what_was_told_and_has_not_happened_is_a_miss(
    lived: tuple[Path, Outcome], told: list[Told]
) -> None:
    gone = next(row for row in told if row.kind == "gone")
    new = next(row for row in told if row.kind == "new" and row.url != gone.url)
    false = [*told, new._replace(kind="minor", day=new.day + 1)]
    assert lost(lived[0], false) == ["rows that tell of what has happened"]


def test_an_article_that_was_found_late_is_named(lived: tuple[Path, Outcome]) -> None:
    folder, _ = lived
    log = folder / "access.jsonl"
    whole = log.read_text("utf-8")
    try:
        late = whole.replace('"day": 1.0}', '"day": 7.0}').replace('"day": 2.0}', '"day": 7.0}')
        log.write_text(late, "utf-8")
        found = judged(folder, read_changes(folder / "days.db", days.TOPIC))
    finally:
        log.write_text(whole, "utf-8")
    assert found["new articles found within a day"].lost
    assert "days)" in found["new articles found within a day"].misses[0]


def test_a_crawl_that_fails_ends_the_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(days, "TOPIC", "another")
    outcome = days.days_tour(
        tmp_path,
        DemoWeb(SEED, "small"),
        lambda pages, doing: None,
        days=1,
        size="small",
        serve=served_inside,
    )
    assert outcome.exit_status == 2
    assert not outcome.good
    assert [finding.name for finding in outcome.findings] == ["results database"]


def test_what_was_told_in_these_days_is_what_has_happened_once_and_never_at_weekends(
    lived: tuple[Path, Outcome],
) -> None:
    folder, _ = lived
    hook = told_by_hook[folder]
    with closing(sqlite3.connect(folder / "days.db")) as database:
        happened = {
            change
            for (change,) in database.execute(
                "SELECT change_id FROM changes c LEFT JOIN articles a ON a.url_key = c.url_key"
                " WHERE c.kind IN ('major', 'reply', 'gone')"
                " OR (c.kind = 'new' AND coalesce(a.is_copy, 0) = 0)"
            )
        }
        notices = database.execute(
            "SELECT target_key, sent FROM notices WHERE on_what = 'change'"
        ).fetchall()
        pages = dict(database.execute("SELECT change_id, url_key FROM changes").fetchall())
    assert happened
    assert Counter(change for change, _ in notices) == dict.fromkeys(happened, 1)
    sent = {change: at for change, at in notices if at}
    told = Counter(
        hook.changes
    )  # one entry a page, whatever has happened to it since the last message
    assert told == dict.fromkeys(told, 1)
    assert {*told} <= {*sent}
    assert {pages[change] for change in told} == {pages[change] for change in sent}
    assert len(set(hook.keys)) == len(hook.keys) > 1
    days_sent = {
        (datetime.fromisoformat(at) + timedelta(hours=8)).weekday() for at in sent.values()
    }
    assert not days_sent & {5, 6}
