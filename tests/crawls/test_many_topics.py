"""``focuscrawl run``: many topics in one process, polite together, each with an end of its own."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.web import Answer, Web

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.programs import Running
    from tests.project import Project
    from tests.servers.redis_server import RedisServer

DELAYS = {"brisk": 0.1, "slow": 0.5, "middle": 0.3}
SLACK = 0.02
PATIENCE = 300.0


def wait(condition: Callable[[], bool], running: Running) -> None:
    """Wait for something that a program does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, running.said()
        assert running.poll() is None, running.said()
        time.sleep(0.02)


def has_answered(web: Web, goal: int) -> bool:
    return len(web.asked()) >= goal


def topics(project: Project, **delays: float) -> None:
    """Write topics that share a site."""
    for name, delay in delays.items():
        project.topic(f'[politeness]\ndelay = "{round(delay * 1000)}ms"\n', name=name)


def test_topics_share_a_site_as_the_strictest_of_them_wants_robots_txt_included(
    project: Project, web: Web
) -> None:
    wanted = web.news(3)
    topics(project, **DELAYS)
    ended = project.run("run", "--all")
    assert ended.status == 0, ended.said
    for name in DELAYS:
        assert project.articles(name) == wanted
        assert project.last_run(name)["end_reason"] == "finished"
        assert f"ended topic={name} reason=finished exit=0 pages=4 new=3" in ended.said
    gaps = [later.at - sooner.at for sooner, later in pairwise(web.log)]
    assert min(gaps) >= max(DELAYS.values()) - SLACK, gaps
    assert web.most_at_once("a.test") == 1
    order = [asked.url for asked in web.asked()]
    assert len(order) == 4 * len(DELAYS)


def test_each_topic_has_its_own_end_and_the_gravest_is_the_process_s(
    project: Project, web: Web
) -> None:
    web.news(1)
    web.board("http://empty.test/")
    project.topic(name="good")
    project.topic(name="empty", sources="http://empty.test/")
    project.topic("[politeness]\ndelay = 5\n", name="broken")
    project.write("crawls/spoilt.crawl.db", b"this is no crawl file" * 100)
    project.topic(name="spoilt")
    ended = project.run("run", "--all", "--jobs", "2")
    assert ended.status == 1, ended.said
    assert project.articles("good")
    told = ended.said[ended.said.index("run: how each topic ended") :]
    assert "spoilt  exit 1, store_error" in told
    assert "broken  exit 2, cannot_begin" in told
    assert "empty   exit 3, empty" in told
    assert "good    exit 0, finished, 2 pages, 1 new" in told
    assert "topic broken: cannot be crawled, the others go on" in ended.said
    assert "run: 3 topics, 2 at once; ends when each has been crawled once" in ended.said


def test_lines_of_the_log_name_their_topic(project: Project, web: Web) -> None:
    web.news(1)
    web.news(1, host="b.test")
    project.topic(name="one")
    project.topic(name="two", sources="http://b.test/")
    ended = project.run("run", "one", "two")
    ours = [line for line in ended.said.splitlines() if "[scrapy.core.engine] INFO" in line]
    assert len(ours) >= 4
    for name in ("one", "two"):
        assert [line for line in ours if f"INFO: {name}: Spider closed (finished)" in line]
        assert f"INFO: {name}: Finished: nothing was left" in ended.said
    assert "one: two:" not in ended.said
    assert "two: one:" not in ended.said


@pytest.mark.program
def test_a_topic_comes_again_by_its_file_as_it_is_then_and_one_signal_ends_all_cleanly(
    project: Project, web: Web
) -> None:
    web.news(2)
    project.topic(name="again")
    path = project.folder / "topics/again.toml"
    path.write_text(
        path.read_text("utf-8").replace("[topic]\n", '[topic]\nevery = "1s"\n'), "utf-8"
    )
    project.topic(name="once", sources="http://b.test/")
    web.news(1, host="b.test")
    running = project.start("run", "again", "once")
    wait(lambda: len(project_runs(project, "again")) >= 2, running)
    assert "1 come again (again every 1 s)" in running.said()
    assert "ends when it is stopped" in running.said()
    web.article("http://a.test/news/new.html", 9)
    text = path.read_text("utf-8").replace("http://a.test/", "http://a.test/more/")
    web.board("http://a.test/more/", "http://a.test/news/new.html")
    draft = path.with_suffix(".new")
    draft.write_text(text, "utf-8")
    draft.replace(path)  # else it is read while it is empty, and put off for a minute
    wait(lambda: "http://a.test/news/new.html" in project.articles("again"), running)
    running.terminate()
    said, _ = running.communicate()
    assert running.returncode == 0, said
    assert "Traceback" not in said
    assert len(project_runs(project, "once")) == 1
    assert all(row["ended"] for row in project_runs(project, "again"))
    assert "again  exit 0" in said


def project_runs(project: Project, name: str) -> list[sqlite3.Row]:
    try:
        return [*project.rows("SELECT * FROM crawl_runs WHERE ended IS NOT NULL", name)]
    except sqlite3.OperationalError:  # it is only being made
        return []


@pytest.mark.program
def test_nothing_is_lost_when_the_whole_process_is_killed(project: Project, web: Web) -> None:
    hosts = {"one": "a.test", "two": "b.test", "three": "c.test"}
    wanted = {name: web.news(6, host=host) for name, host in hosts.items()}
    for name, host in hosts.items():
        project.topic(name=name, sources=f"http://{host}/")
    web.pause = 0.03
    for answers in (7, 5):
        goal = len(web.asked()) + answers
        ended = project.run("run", "--all", kill=partial(has_answered, web, goal))
        assert ended.status == -signal.SIGKILL, ended.said
    ended = project.run("run", "--all")
    assert ended.status == 0, ended.said
    for name in hosts:
        assert project.articles(name) == wanted[name]
        assert project.last_run(name)["end_reason"] == "finished"


@pytest.mark.program
def test_two_signals_end_the_process_at_once(project: Project, web: Web) -> None:
    web.news(2)
    web.pause = 60.0
    project.topic(name="one")
    running = project.start("run", "one")
    wait(lambda: len(web.log) > 0, running)
    began = time.monotonic()
    running.terminate()
    wait(lambda: "shutting down gracefully" in running.said(), running)
    running.terminate()
    running.communicate()
    assert time.monotonic() - began < 10.0


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (["run"], 2, "focuscrawl run NAME …, or focuscrawl run --all"),
        (["run", "--all", "one"], 2, "focuscrawl run NAME …, or focuscrawl run --all"),
        (["run", "--all", "--jobs", "0"], 2, "--jobs 0: write 1 or more"),
        (["run", "nosuch"], 2, "no topic 'nosuch'"),
        (["run", "--all", "--jobs", "1"], 2, "stay"),
    ],
)
def test_what_cannot_be_run_is_told(
    project: Project, web: Web, command: list[str], status: int, said: str
) -> None:
    web.news(1)
    project.topic(name="one")
    project.topic("[revisit]\ncontinuous = true\n", name="stays")
    if command[1:] == ["--all", "--jobs", "1"]:
        said = "1 topic with revisit.continuous keep their places for good (stays): write --jobs 2 or more"
    ended = project.run(*command)
    assert ended.status == status, ended.said
    assert said in ended.said


def test_where_there_is_no_topic_nothing_is_run(project: Project, web: Web) -> None:
    (project.folder / "topics").mkdir(exist_ok=True)
    ended = project.run("run", "--all")
    assert ended.status == 2
    assert "there is no topic in " in ended.said
    project.topic("[politeness]\ndelay = 5\n")
    ended = project.run("run", "--all")
    assert (ended.status, "[politeness] delay = 5" in ended.said) == (2, True)


class Status(NamedTuple):
    """What is said of three topics, one crawled, one never and one with a mistake; and the files before and after."""

    ended: Ended
    found: dict[str, dict[str, Any]]
    text: Ended
    before: dict[str, bytes]
    after: dict[str, bytes]


@pytest.fixture(scope="module")
def status(new_project: Callable[[], Project]) -> Status:
    project = new_project()
    project.web.news(2)
    project.topic(name="done")
    project.topic(name="never")
    project.topic("[politeness]\ndelay = 5\n", name="broken")
    project.crawl(name="done")
    path = project.folder / "topics/done.toml"
    path.write_text(
        path.read_text("utf-8").replace("[topic]\n", '[topic]\nevery = "1h"\n'), "utf-8"
    )
    before = project.files()
    two_and_a_half_hours = "9000"
    ended = project.run("topic", "status", "--json", FOCUSCRAWL_SHIFT=two_and_a_half_hours)
    found = {one["topic"]: one for one in json.loads(ended.said)}
    text = project.run("topic", "status", "done")
    return Status(ended, found, text, before, project.files())


def test_the_status_of_a_topic_says_how_its_last_run_went_and_what_is_left(status: Status) -> None:
    done = status.found["done"]
    assert (done["running"], done["reason"], done["exit"], done["pages"]) == (
        False,
        "finished",
        0,
        3,
    )
    assert (done["waiting"], done["failed"]) == (0, 0)


def test_a_topic_that_should_have_run_is_late_and_why_is_said(status: Status) -> None:
    assert 5300 < status.found["done"]["late"] < 5700
    assert "no process runs it" in status.found["done"]["why"]


def test_the_status_of_a_topic_that_was_never_crawled_says_so(status: Status) -> None:
    assert status.found["never"]["why"] == "was never crawled"


def test_the_status_of_a_topic_with_a_mistake_says_so(status: Status) -> None:
    assert status.ended.status == 2
    assert "delay" in status.found["broken"]["why"] or "broken" in status.found["broken"]["why"]


def test_the_status_of_a_topic_is_a_line_of_a_table(status: Status) -> None:
    assert status.text.status == 0
    head, line = status.text.said.splitlines()[:2]
    assert head.split()[:4] == ["topic", "state", "last", "run"]
    assert line.startswith("done ")
    assert "finished" in line


def test_the_status_of_topics_is_read_without_touching_them(status: Status) -> None:
    def kept(files: dict[str, bytes]) -> set[str]:
        return {name for name in files if not name.endswith(("-wal", "-shm"))}

    assert kept(status.after) == kept(status.before)
    assert status.after["done.db"] == status.before["done.db"]


@pytest.mark.program
def test_the_status_of_a_topic_that_is_being_crawled_says_by_whom(
    project: Project, web: Web
) -> None:
    web.news(5)
    web.pause = 0.3
    project.topic(name="busy")
    running = project.start("run", "busy")
    wait(lambda: len(web.asked()) >= 2, running)
    ended = project.run("topic", "status", "--json")
    (busy,) = json.loads(ended.said)
    assert busy["running"]
    assert busy["workers"][0].endswith(f":{running.pid}")
    assert busy["why"] == ""
    running.communicate()
    assert running.returncode == 0


@pytest.mark.program
@pytest.mark.of_a_file  # with a Redis of its own
def test_topics_on_a_redis_are_crawled_together_and_their_status_is_read_there(
    project: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    redis_of_tests.client().flushall()
    wanted = web.news(3)
    address = ("-s", f"REDIS_URL={redis_of_tests.url}")
    topics(project, one=0.1, two=0.3)
    board = web.answers["http://a.test/"]
    assert isinstance(board, Answer)
    web.answers["http://a.test/"] = replace(board, fault="wait")  # until their status was read
    running = project.start("run", "--all", *address)
    found: dict[str, Any] = {}

    def both_run() -> bool:
        ended = project.run("topic", "status", "--json", *address)
        found.update({one["topic"]: one for one in json.loads(ended.said)})
        return {name for name, one in found.items() if one["running"]} == {"one", "two"}

    wait(both_run, running)
    web.is_holding = False
    assert all(one["workers"][0].endswith(f":{running.pid}") for one in found.values())
    said, _ = running.communicate()
    assert running.returncode == 0, said
    assert project.articles("one") == project.articles("two") == wanted
    # Before the other one has come, whoever is first on Redis asks by its own delay.
    both = [place for place, asked in enumerate(web.log) if asked.url == web.log[0].url][1]
    gaps = [later.at - sooner.at for sooner, later in pairwise(web.log[both:])]
    assert len(gaps) >= 3
    assert min(gaps) >= 0.3 - SLACK, gaps
    ended = project.run("topic", "status", "--json", *address)
    over = json.loads(ended.said)
    assert [(one["running"], one["waiting"]) for one in over] == [(False, 0)] * 2
    assert all(one["due"] <= 1 for one in over), "their list alone"
