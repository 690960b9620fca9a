"""What a crawl says and writes beside its results: lines, summary, feeds, exit status."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
FEEDS = """
[output.feeds."out/%(name)s.csv"]
[output.feeds."out/lines.jsonl"]
items = ["article", "page"]
[output.feeds."out/all.json"]
options = { overwrite = true }
fields = { title = "标题", url = "网址" }
[output.feeds."out/all.xml"]
options = { overwrite = true }
"""
OFTEN = """
import focuscrawl.extensions

focuscrawl.extensions.MINUTE = 1.0
"""


class Told(NamedTuple):
    """Two runs over news with files of every kind, the second of them with one more article."""

    urls: set[str]
    first: Ended
    once: Project
    second: Ended
    project: Project

    @property
    def out(self) -> Path:
        return self.project.folder / "out"


@pytest.fixture(scope="module")
def told(new_project: Callable[[], Project]) -> Told:
    project = new_project()
    web = project.web
    urls = web.news(3)
    web.article(f"{HOME}news/3.html", 3, more='<p>=SUM(A1) 逗号,引号"</p>')
    web.pause = 0.8
    project.spider("", OFTEN)
    project.topic(FEEDS)
    project.stands_in = "below/here"
    (project.folder / project.stands_in).mkdir(parents=True)
    first = project.crawl()
    assert first.status == 0, first.said
    once = project.as_it_is()
    web.pause = 0.0
    web.article(f"{HOME}news/4.html", 4)
    web.board(HOME, "/news/4.html", *sorted(urls))
    return Told(urls, first, once, project.crawl(), project)


def test_the_first_line_says_where_data_are_what_waits_and_when_it_ends(told: Told) -> None:
    database = told.project.data / "news.db"
    assert told.first.line("topic news").endswith(
        f"topic news: data {database}, by proxy http://127.0.0.1:{told.project.port}, new, due 0, waiting 1, failed 0; ends when nothing is left to do"
    )
    assert "continued, due 1, waiting 1" in told.second.line("topic news")


def test_the_figures_of_each_minute_are_a_line_and_a_series_by_name(told: Told) -> None:
    minute = told.first.line("progress topic=news ").partition("progress ")[2]
    figures = dict(pair.split("=") for pair in minute.split(" "))
    assert list(figures) == [
        "topic", "seconds", "pages", "articles", "waiting", "in_flight", "failed", "errors",
        "refused", "sites", "per_minute",
    ]  # fmt: skip
    series = {row["name"] for row in told.once.rows("SELECT DISTINCT name FROM series")}
    assert {"pages", "articles", "waiting", "level_1_len"} <= series


def test_the_summary_says_how_it_ended_what_came_and_where_it_is(told: Told) -> None:
    assert "news: Finished: nothing was left to fetch." in told.first.said
    assert "articles   3 new, 0 changed" in told.first.said
    assert f"results    {told.project.data / 'news.db'}" in told.first.said
    assert "articles   1 new, 0 changed" in told.second.said


def test_the_summary_names_every_feed(told: Told) -> None:
    said = told.first.said.splitlines()
    feeds = {line.split()[-1] for line in said if line.startswith("  feed ")}
    files = ("news.csv", "lines.jsonl", "all.json", "all.xml")
    assert feeds == {str(told.out / name) for name in files}


def test_feeds_have_the_fields_they_name_and_chinese_as_it_is(told: Told) -> None:
    text = (told.once.folder / "out/all.json").read_text("utf-8")
    assert {row["网址"] for row in json.loads(text)} == told.urls
    assert "第3批食品抽检结果公布" in text
    assert (told.once.folder / "out/all.xml").read_text("utf-8").count("<title>第") == 3


def test_a_feed_has_every_kind_of_item_it_names(told: Told) -> None:
    text = (told.once.folder / "out/lines.jsonl").read_text("utf-8")
    assert len([json.loads(line) for line in text.splitlines()]) == 3 + 4


def test_a_csv_feed_of_two_runs_has_one_mark_and_one_head(told: Told) -> None:
    raw = (told.out / "news.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert raw.count(b"\xef\xbb\xbf") == 1
    rows = list(csv.DictReader(raw.decode("utf-8-sig").splitlines()))
    assert [row["url"] for row in rows].count("url") == 0
    assert {row["url"] for row in rows} == told.urls | {f"{HOME}news/4.html"}
    assert len(rows) == 4


def test_a_feed_that_is_overwritten_has_the_last_run_alone(told: Told) -> None:
    assert len(json.loads((told.out / "all.json").read_text("utf-8"))) == 1


def test_nothing_is_written_where_the_command_is_typed(told: Told) -> None:
    typed_in = told.project.folder / told.project.stands_in
    assert not (typed_in / "out").exists()
    assert not (typed_in / "crawls").exists()


def test_an_empty_crawl_says_why_and_ends_with_3(project: Project, web: Web) -> None:
    web.news(3)
    project.topic()
    ended = project.crawl("-a", 'topic.keywords=["航天"]')
    assert ended.status == 3
    assert "Ended without a single article, record or thread." in ended.said
    assert (
        "3 pages were judged irrelevant: none of topic.keywords occurs (航天: 0 of 3 pages)"
        in ended.said
    )
    assert project.last_run()["end_reason"] == "empty"
    reasons = json.loads(project.last_run()["counters"])["empty_reasons"]
    assert reasons
    assert all(f"    - {one}" in ended.said for one in reasons)
    assert project.last_run()["exit_code"] == 3
    web.article(f"{HOME}news/4.html", 4)
    web.board(HOME, "/news/4.html")
    assert project.crawl().status == 0
    ended = project.crawl()
    assert ended.status == 0, "an earlier run found something"
    assert "Nothing new this time; earlier runs did find something." in ended.said


def test_a_crawl_that_no_site_answers_ends_with_4_and_loses_nothing(
    project: Project, web: Web
) -> None:
    urls = web.news(2, "a.test")
    home = web.answers[HOME]
    web.fail_first(HOME, times=99, fault="drop")
    web.refuses.add("127.0.0.1:9")
    project.topic(sources="http://a.test/ http://127.0.0.1:9/")
    ended = project.crawl(no_proxy="127.0.0.1", FOCUSCRAWL_RETRY_WAITS="1h")
    assert ended.status == 4
    assert "Ended because no site answered." in ended.said
    assert "a.test" in ended.line("Ended because no site answered.")
    assert "no fetch got a page" in ended.said
    assert project.last_run()["end_reason"] == "sites_unreachable"
    assert {row["state"] for row in project.rows("SELECT state FROM sites")} == {"unreachable"}
    assert project.stored_rows() == 2
    web.answers[HOME] = home
    ended = project.crawl(no_proxy="127.0.0.1", FOCUSCRAWL_SHIFT="4000")
    assert ended.status == 0, ended.said
    assert project.articles() == urls


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_crawl_whose_every_answer_is_an_error_ends_with_4_unless_something_is_stored(
    project: Project, web: Web, status: int
) -> None:
    urls = web.news(2)
    home = web.answers[HOME]
    web.answers[HOME] = web.say("<p>不行</p>", status=status)
    project.topic('[revisit]\ngone_after = 1\ngone_within = "0s"\n')
    ended = project.crawl(FOCUSCRAWL_RETRY_WAITS="1s")
    assert ended.status == 4, ended.said
    assert f"a.test: http {status}" in ended.line("Ended because every answer was an error.")
    assert project.last_run()["end_reason"] == "only_errors"
    assert project.last_run()["exit_code"] == 4
    web.answers[HOME] = home
    assert project.crawl(FOCUSCRAWL_SHIFT="4000").status == 0
    assert project.articles() == urls
    web.answers = {}
    ended = project.crawl(FOCUSCRAWL_SHIFT="200000")
    assert ended.status == 0, "earlier runs have stored something"


def test_a_crawl_that_robots_txt_forbids_is_empty_and_no_error(project: Project, web: Web) -> None:
    web.news(2)
    web.robots("a.test", "User-agent: *\nDisallow: /")
    project.topic()
    assert project.crawl().status == 3
    assert project.crawl(FOCUSCRAWL_SHIFT="90000").status == 3, "and so is the next one"
    web.robots("a.test", "User-agent: *\nAllow: /")
    ended = project.crawl(FOCUSCRAWL_SHIFT="180000")
    assert ended.status == 0, ended.said
    assert len(project.articles()) == 2
