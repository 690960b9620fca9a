"""``scrapy plan``: the next requests, in the order in which a crawl then sends them; ``scrapy explain`` beside it."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project
    from tests.servers.redis_server import RedisServer
    from tests.web import Web

TOPIC = """
[topic]
keywords = ["食品"]
[[source]]
urls = ["http://a.test/", "http://b.test/", "http://c.test/"]
level = 5
[politeness]
delay = "0s"
[settings]
CONCURRENT_REQUESTS = 1
RETRY_TIMES = 0
"""
HOSTS = ("a.test", "b.test", "c.test")
NAMES = itertools.count(1)


def write_web(web: Web) -> set[str]:
    """Write three sites with a board each, and articles that lead nowhere."""
    urls: set[str] = set()
    for number, host in enumerate(HOSTS):
        some = [f"http://{host}/news/{number * 10 + one}.html" for one in range(4)]
        for one, url in enumerate(some):
            web.article(url, number * 10 + one)
        web.board(f"http://{host}/", *some)
        urls |= {*some}
    return urls


def asked_since(web: Web, before: int) -> list[str]:
    """Return what was asked for, but robots.txt."""
    return [one.url for one in web.asked()[before:] if not one.url.endswith("/robots.txt")]


def planned(project: Project, name: str = "news", *more: str) -> list[str]:
    """Return the addresses of a plan, and see that it asks nobody."""
    ended = project.run("plan", name, "--json", "-n", "100", *more)
    assert ended.status == 0, ended.said
    return [one["url"] for one in json.loads(ended.said[ended.said.index("[") :])]


def test_a_first_plan_is_the_sources(project: Project, web: Web) -> None:
    write_web(web)
    project.write("topics/news.toml", TOPIC)
    assert planned(project) == [f"http://{host}/" for host in HOSTS]
    assert not project.data.exists() or not [*project.data.iterdir()]
    assert web.asked() == []


def test_the_order_of_a_plan_is_that_of_the_crawl_that_follows(project: Project, web: Web) -> None:
    urls = write_web(web)
    project.write("topics/news.toml", TOPIC)
    assert project.crawl("-a", "limits.pages=3").status == 0
    before = len(web.asked())
    files = {path: path.read_bytes() for path in project.data.iterdir()}
    plan = planned(project)
    assert len(web.asked()) == before, "a plan asks nobody"
    assert {path: path.read_bytes() for path in project.data.iterdir()} == files
    assert len(plan) > 8
    waiting = next(url for url in plan if url in urls)
    said = project.run("explain", "news", waiting).said
    assert "Not in the table yet because it waits in the queue of level" in said
    assert project.crawl().status == 0
    assert asked_since(web, before) == plan
    assert planned(project) == [f"http://{host}/" for host in HOSTS]


def test_a_plan_leaves_out_what_a_rule_a_robots_txt_or_a_quota_stops(
    project: Project, web: Web
) -> None:
    write_web(web)
    web.robots("b.test", "User-agent: *\nDisallow: /news/\n")
    project.write("topics/news.toml", TOPIC)
    assert project.crawl("-a", "limits.pages=3").status == 0
    more = TOPIC + '[follow]\ndeny = ["a.test/news/"]\n[site."c.test"]\nquota = 2\n'
    project.write("topics/news.toml", more)
    before = len(web.asked())
    plan = planned(project)
    assert project.crawl().status == 0
    assert asked_since(web, before) == plan
    assert not any("/news/" in url for url in plan if "a.test" in url or "b.test" in url)


def test_other_words_say_what_they_would_drop_and_admit_of_what_is_stored(
    project: Project, web: Web
) -> None:
    urls = web.news(2)
    other = "http://a.test/sport/1.html"
    web.answers[other] = web.say(
        f"<html><title>第1轮比赛结果公布</title><body><h1>第1轮比赛结果公布</h1><p>{'主队险胜客队。' * 40}</p></body></html>"
    )
    web.board("http://a.test/", *sorted(urls), (other, "第1轮比赛结果公布"))
    project.topic()
    assert project.crawl().status == 0
    before = (project.data / "news.db").read_bytes()
    topic = (project.folder / "topics" / "news.toml").read_text("utf-8")
    project.write("topics/news.toml", topic.replace('["食品"]', '["比赛"]'))
    ended = project.run("topic", "check", "news", "--against-stored")
    assert ended.status == 0, ended.said
    assert "2 articles stored, 2 would not be" in ended.said
    assert "1 of 1 page that words refused would be stored" in ended.said
    assert "its title has 比赛" in ended.said
    assert (project.data / "news.db").read_bytes() == before


class PlanLine(NamedTuple):
    """A line of a plan, and the one below it."""

    first: str
    why: str


def plan_lines(project: Project, *arguments: str) -> dict[str, PlanLine]:
    """Return the lines of a plan by address."""
    ended = project.run("plan", "news", *arguments)
    assert ended.status == 0, ended.said
    pairs = itertools.pairwise(ended.said.splitlines())
    found = {one.split()[-1]: PlanLine(one, why.strip()) for one, why in pairs if "http://" in one}
    return {url: line for url, line in found.items() if line.first.split()[0].isdigit()}


def test_a_plan_says_when_and_why_each_request_is_made(project: Project, web: Web) -> None:
    write_web(web)
    web.fail_first("http://b.test/", status=500)
    project.write("topics/news.toml", TOPIC.replace('"0s"', '"5s"'))
    failed = project.crawl("-a", "limits.pages=3", FOCUSCRAWL_RETRY_WAITS="1s")
    assert failed.status == 0, failed.said
    found = plan_lines(project)
    again = found["http://b.test/"]
    assert again.why.startswith("tried again after ")
    assert again.why.endswith("; level 5 of 5"), again.why
    (first, *_, last) = (url for url in found if url.startswith("http://a.test/news/"))
    assert found[first].why.startswith("page '关于食品安全抽检的通告 http://a.test/news/")
    assert found[first].why.endswith("found on http://a.test/; level 4 of 5")
    seconds = re.search(r"\+(\d+\.\d) s  http", found[last].first)
    assert seconds, found[last].first
    assert float(seconds[1]) > 10


def test_a_plan_ends_with_what_comes_after_it(project: Project, web: Web) -> None:
    write_web(web)
    project.write("topics/news.toml", TOPIC)
    shortened = project.run("plan", "news", "-n", "2").said
    assert "and so on. What is found on these pages joins them." in shortened
    whole = project.run("plan", "news").said
    assert "then a run would end: nothing else is due or waits for less than it lingers." in whole


def test_an_explained_host_says_what_was_asked_for_and_what_waits(
    project: Project, web: Web
) -> None:
    write_web(web)
    project.write("topics/news.toml", TOPIC + '[follow]\nsites = ["test"]\n')
    assert project.crawl("-a", "limits.pages=3").status == 0
    said = project.run("explain", "news", "a.test").said
    assert "1 page asked for, 0 of them stored; 4 URLs in its queues." in said
    assert re.search(r"^ +4 waiting in level 4$", said, re.MULTILINE), said
    assert re.search(r"^  .* http://a.test/, last read ", said, re.MULTILINE), said
    said = project.run("explain", "news", "nowhere.test").said
    assert "Nothing of this site was ever found: no page that was read links to it." in said


def test_a_title_that_no_page_has_is_told_with_the_way_out(project: Project, web: Web) -> None:
    write_web(web)
    project.write("topics/news.toml", TOPIC)
    project.crawl("-a", "limits.pages=1")
    ended = project.run("explain", "news", "没有这个题目")
    assert ended.status == 2
    assert "no page of news has '没有这个题目' in its title" in ended.said
    assert "give its whole address" in ended.said


@pytest.mark.of_a_file
def test_a_shared_crawl_is_planned_and_explained_as_well(
    project: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    urls = write_web(web)
    name = f"planned{next(NAMES)}"
    project.write(f"topics/{name}.toml", TOPIC)
    shared = ("-s", f"REDIS_URL={redis_of_tests.url}")
    assert project.crawl(*shared, "-a", "limits.pages=3", name=name).status == 0
    before = len(web.asked())
    plan = planned(project, name, *shared)
    waiting = next(url for url in plan if url in urls)
    said = project.run("explain", name, waiting, *shared).said
    assert "Not in the table yet because it waits" in said, said
    assert project.crawl(*shared, name=name).status == 0
    assert sorted(asked_since(web, before)) == sorted(plan)
    stored = project.run("explain", name, waiting, *shared).said
    assert "Stored as an article on" in stored, stored


@pytest.mark.program
@pytest.mark.of_a_file
@pytest.mark.parametrize(
    "command",
    [
        "plan news",
        "explain news http://a.test/news/1.html",
        "report news --text",
        "report news --list articles",
        "report news --output -",
        "topic export news -o - --form csv",
        "topic export news -o - --form jsonl",
        "topic status",
    ],
)
def test_a_command_whose_reader_has_gone_makes_no_complaint(
    command: str, crawled: Project, tmp_path: Path
) -> None:
    complaints = tmp_path / "complaints"
    with complaints.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *command.split()],
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=crawled.folder,
            env={**os.environ, "PYTHONPATH": str(crawled.root)},
        )
        assert process.stdout
        process.stdout.close()  # before there is a word of it
        assert process.wait(60) == 0, complaints.read_text("utf-8")
    assert complaints.read_text("utf-8") == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("explain", "nothing", "x"), "nothing"),
        (("explain", "fresh", "x"), "fresh was never crawled here"),
        (("explain", "news", " "), "say what"),
        (("explain", "news", "x" * 20_000), "no address and no title is so long"),
        (("explain", "news"), "an address, a host, or a part of a title"),
        (("plan", "news", "-n", "0"), "from 1 to 10,000"),
        (("topic", "check", "fresh", "--against-stored"), " here ("),
    ],
)
def test_what_cannot_be_answered_is_told_with_status_2(
    arguments: tuple[str, ...], told: str, project: Project
) -> None:
    project.write("topics/news.toml", TOPIC)
    project.write("topics/fresh.toml", TOPIC)
    if "-n" in arguments or "explain" in arguments:
        project.data.mkdir(exist_ok=True)
        (project.data / "news.crawl.db").touch()
    ended = project.run(*arguments)
    assert ended.status == 2, ended.said
    assert told in ended.said
    assert "Traceback" not in ended.said
