import sys
import tomllib
from importlib.resources import files
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from focuscrawl.demo.report import Finding, read_log
from focuscrawl.demo.running import Outcome
from focuscrawl.demo.tour import DELAY, plan, tour
from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.politeness.table import PolitenessTable
from focuscrawl.template.load import load
from focuscrawl.verbs.demo import show_log, show_tour

HANGING = """
import os, sys, time, urllib.request
assert os.environ["FOCUSCRAWL_TOPICS"].endswith("topics") and os.path.exists("topics/demo.toml")
if os.path.exists("started"):
    print("second try")
    sys.exit(int(os.environ.get("STATUS", "0")))
open("started", "w").close()
for number in range(3):
    urllib.request.urlopen("http://news.example/tiyu/").read()
time.sleep(60)
"""


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(1, "small")


def topic_text() -> str:
    return files("focuscrawl.demo").joinpath("demo.toml").read_text("utf-8")


def test_the_topic_loads_and_warns_only_of_its_short_delay() -> None:
    loaded = load(topic_text())
    assert [problem.text for problem in loaded.warnings] == [
        '[politeness] delay = "50ms": under 1 s; many sites block that'
    ]
    assert loaded.template.of(PolitenessTable).delay == DELAY


def test_the_topics_hosts_are_those_of_the_web() -> None:
    full = DemoWeb(1)
    assert set(tomllib.loads(topic_text())["follow"]["sites"]) < set(full.hosts)
    expected = plan(full).expected
    assert {owner.contact_url for owner in full.companies} <= expected.keys()
    assert len(expected) > 500


def test_the_plan_stays_inside_scope_robots_and_traps(web: DemoWeb) -> None:
    what = plan(web)
    assert not any("giant.example" in url or "calendar." in url for url in what.expected)
    assert "http://moved.example/private/" in what.forbidden
    assert not set(what.forbidden) & what.expected.keys()
    assert what.delays == {"bbs.example": 0.1, "blog.example": 0.2}


def run(folder: Path, web: DemoWeb) -> Outcome:
    told: list[str] = []
    outcome = tour(
        folder,
        web,
        lambda pages, doing: told.append(f"{pages} {doing}"),
        kill_after=3,
        command=[sys.executable, "-c", HANGING],
        size="small",
    )
    assert "0 crawls" in told
    assert "3 goes on after the kill" in told
    return outcome


@pytest.mark.program
def test_a_crawl_is_killed_once_and_what_it_missed_is_lost(web: DemoWeb, tmp_path: Path) -> None:
    outcome = run(tmp_path, web)
    assert outcome.killed_at is not None
    assert outcome.requests_before_kill == 3
    assert outcome.exit_status == 0
    assert not outcome.good
    reached = next(finding for finding in outcome.findings if finding.name == "pages reached")
    assert (reached.right, reached.total - reached.right) == (1, len(reached.misses))
    assert {request.url for request in read_log(tmp_path / "access.jsonl")} == {
        "http://news.example/tiyu/"
    }
    assert (tmp_path / "crawl-2.log").read_text() == "second try\n"


@pytest.mark.program
def test_a_crawl_that_fails_after_the_kill_fails_the_demo(
    web: DemoWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATUS", "4")
    outcome = run(tmp_path, web)
    assert outcome.exit_status == 4
    written = StringIO()
    show_log(tmp_path, Console(file=written, width=100))
    assert "second try" in written.getvalue()


def shown(*findings: Finding, status: int = 0, killed_at: float | None = 1.0) -> str:
    written = StringIO()
    outcome = Outcome(findings, status, killed_at, 250, 41.0)
    show_tour(outcome, Console(file=written, width=100))
    return written.getvalue()


def test_a_miss_shows_as_a_miss() -> None:
    misses = tuple(f"http://news.example/{number}" for number in range(8))
    text = shown(Finding("pages reached", 2, 10, misses, fatal=True))
    assert "LOST 8" in text
    assert "pages reached: http://news.example/4" in text
    assert "news.example/5" not in text
    assert "and 3 more" in text
    assert "SOMETHING WAS LOST" in text


def test_a_wrong_class_is_shown_but_loses_nothing() -> None:
    text = shown(Finding("page class right", 9, 10, ("http://a.example/ (other, is board)",)))
    assert "1 wrong" in text
    assert "killed after 250 answers: nothing was lost" in text


def test_a_crawl_that_failed_or_was_too_quick_says_so() -> None:
    assert "exit status 3" in shown(status=3)
    assert "ended before it could be killed" in shown(killed_at=None)
