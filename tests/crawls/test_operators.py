"""What operators' programs read of a crawl: its log, by logparser and as JSON, its numbers, its monitors."""

from __future__ import annotations

import json
import shutil
import socket
import time
from typing import TYPE_CHECKING
from urllib.request import ProxyHandler, build_opener

import pytest
from logparser import parse

from tests.deploy.test_scrapyd import free_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project
    from tests.web import Web

PATIENCE = 300.0


def test_logparser_reads_the_log_of_a_crawl_to_its_end(project: Project, web: Web) -> None:
    web.news(3)
    web.answers["http://a.test/news/3.html"] = web.say("gone", 500)
    project.topic()
    ended = project.crawl("-s", "LOG_FILE=job.log")
    assert ended.status == 0, ended.said
    log = (project.folder / "job.log").read_text("utf-8")
    read = parse(log, 50, 50)
    stats = read["crawler_stats"]
    assert read["finish_reason"] == "finished"
    assert read["shutdown_reason"] == "N/A"
    assert stats["focuscrawl/end_reason"] == "finished"
    assert stats["focuscrawl/pages"] == 3
    assert stats["downloader/response_status_count/500"] >= 1
    assert read["pages"] == stats["response_received_count"]
    assert read["latest_matches"]["latest_stat"] or read["datas"] is not None
    last = [line for line in log.splitlines() if " ended topic=" in line]
    # One of several workers says its name before.
    assert [line.partition("ended ")[2] for line in last] == [
        "topic=news reason=finished exit=0 pages=3 new=2"
    ]


def test_the_mistakes_of_a_job_stand_in_its_log(project: Project, web: Web) -> None:
    project.topic("[politeness]\ndelay = 5\n")
    ended = project.crawl("-s", "LOG_FILE=job.log")
    assert ended.status == 2
    log = (project.folder / "job.log").read_text("utf-8")
    for said in (ended.said, log):
        assert "[politeness] delay = 5" in said
        assert "Traceback" not in said


def test_each_line_of_the_log_is_json_where_that_is_wanted(project: Project, web: Web) -> None:
    web.news(1)
    web.news(1, host="b.test")
    project.topic(name="one")
    project.topic(name="two", sources="http://b.test/")
    ended = project.run("run", "--all", "-s", "LOG_FILE=job.log", FOCUSCRAWL_LOG="json")
    assert ended.status == 0, ended.said
    text = (project.folder / "job.log").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[0]["message"].startswith("Scrapy 2")
    assert all({"time", "level", "logger", "topic", "message"} <= line.keys() for line in lines)
    assert not any("spider" in line for line in lines)
    ended_of = {
        line["topic"]: line["message"].partition("ended ")[2]
        for line in lines
        if "ended topic=" in line["message"]
    }
    assert ended_of == {
        name: f"topic={name} reason=finished exit=0 pages=2 new=1" for name in ("one", "two")
    }
    assert "成都" not in text or "\\u6210" not in text


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("FOCUSCRAWL_LOG", "yaml", "FOCUSCRAWL_LOG = 'yaml': write one of text, json"),
        ("FOCUSCRAWL_PROMETHEUS", "here", "FOCUSCRAWL_PROMETHEUS = 'here': write a port"),
    ],
)
def test_a_setting_that_cannot_be_is_told(
    project: Project, web: Web, name: str, value: str, said: str
) -> None:
    project.topic()
    ended = project.crawl("-s", f"{name}={value}")
    assert ended.status == 2
    assert said in ended.said


@pytest.mark.program
def test_prometheus_reads_the_numbers_of_all_topics_from_a_port_and_from_a_file(
    project: Project, web: Web
) -> None:
    web.news(2)
    web.news(2, host="b.test")
    web.pause = 1.2
    project.topic(name="one")
    project.topic(name="two", sources="http://b.test/")
    port = free_port()
    running = project.start("run", "--all", "-s", f"FOCUSCRAWL_PROMETHEUS={port}")
    opener, said, end = build_opener(ProxyHandler({})), "", time.monotonic() + PATIENCE
    while not ('topic="one"' in said and 'topic="two"' in said):
        assert time.monotonic() < end, running.said()
        time.sleep(0.1)
        try:
            with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                said = answer.read().decode()
        except OSError:
            continue
    assert 'focuscrawl_exit_status{topic="one"} -1.0' in said
    running.terminate()
    running.communicate()
    web.pause = 0.0
    ended = project.run("run", "--all", "-s", "FOCUSCRAWL_PROMETHEUS=numbers.prom")
    assert ended.status == 0, ended.said
    written = (project.folder / "numbers.prom").read_text("utf-8")
    for name in ("one", "two"):
        assert f'focuscrawl_exit_status{{topic="{name}"}} 0.0' in written
        assert f'focuscrawl_pages_total{{topic="{name}"}}' in written


def test_a_port_that_is_taken_costs_the_numbers_and_not_the_crawl(
    project: Project, web: Web
) -> None:
    web.news(1)
    project.topic()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = project.crawl("-s", f"FOCUSCRAWL_PROMETHEUS={port}")
    assert ended.status == 0, ended.said
    assert "nothing is shown, since 127.0.0.1:" in ended.said


def test_the_monitors_of_the_example_tell_a_crawl_that_went_well_from_one_that_did_not(
    project: Project, web: Web, pytestconfig: pytest.Config
) -> None:
    wanted: Path = pytestconfig.rootpath / "examples/spidermon/monitors.py"
    shutil.copy(wanted, project.folder / "monitors.py")
    project.write(
        "mine/settings.py",
        "from focuscrawl.settings import *\n"
        'EXTENSIONS = {**EXTENSIONS, "spidermon.contrib.scrapy.extensions.Spidermon": 500}\n'
        "SPIDERMON_ENABLED = True\n"
        'SPIDERMON_SPIDER_CLOSE_MONITORS = ("monitors.TopicSuite",)\n',
    )
    project.write("mine/__init__.py", "")
    project.write("scrapy.cfg", "[settings]\ndefault = mine.settings\n")
    web.news(2)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "[Spidermon]" in ended.said
    assert "FAILED (failures" not in ended.said
    broken = [f"http://a.test/news/{number}.html" for number in range(10, 20)]
    web.answers |= dict.fromkeys(broken, web.say("out of order", 500))
    web.board("http://a.test/", *broken)
    ended = project.crawl(traceback=True)
    assert "few fetches failed" in ended.said
    assert "FAILED (failures" in ended.said


def test_the_first_line_names_the_database_that_is_really_used_and_no_password(
    project: Project, web: Web
) -> None:
    web.news(1)
    project.topic(
        f'[request]\nproxy = "http://me:secret@127.0.0.1:{project.port}"\n[politeness]\ndelay = "0s"\n'
    )
    ended = project.crawl("-s", "FOCUSCRAWL_RESULTS=sqlite:///elsewhere.db")
    line = ended.line("topic news: data")
    assert str(project.folder / "elsewhere.db") in line
    assert f"by proxy http://me:***@127.0.0.1:{project.port}" in line
    assert "secret" not in ended.said
