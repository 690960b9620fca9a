"""What a crawl says and writes beside its results: lines, summary, feeds, exit status."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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


def test_lines_feeds_and_summary_tell_what_came(project: Project, web: Web) -> None:
    urls = web.news(3)
    web.article(f"{HOME}news/3.html", 3, more='<p>=SUM(A1) 逗号,引号"</p>')
    web.pause = 0.8
    project.spider("", OFTEN)
    project.topic(FEEDS)
    project.stands_in = "below/here"
    (project.folder / project.stands_in).mkdir(parents=True)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    database = project.data / "news.db"
    assert ended.line("topic news").endswith(
        f"topic news: data {database}, by proxy http://127.0.0.1:{project.port}, new, due 0, waiting 1, failed 0; ends when nothing is left to do"
    )
    minute = ended.line("progress topic=news ").partition("progress ")[2]
    figures = dict(pair.split("=") for pair in minute.split(" "))
    assert list(figures) == [
        "topic", "seconds", "pages", "articles", "waiting", "in_flight", "failed", "errors",
        "refused", "sites", "per_minute",
    ]  # fmt: skip
    assert "news: Finished: every page it knows of was dealt with." in ended.said
    assert "articles   3 new, 0 changed" in ended.said
    assert f"results    {database}" in ended.said
    feeds = {line.split()[-1] for line in ended.said.splitlines() if line.startswith("  feed ")}
    files = ("news.csv", "lines.jsonl", "all.json", "all.xml")
    assert feeds == {str(project.folder / "out" / name) for name in files}
    series = {row["name"] for row in project.rows("SELECT DISTINCT name FROM series")}
    assert {"pages", "articles", "waiting", "level_1_len"} <= series

    out = project.folder / "out"
    assert {row["网址"] for row in json.loads((out / "all.json").read_text("utf-8"))} == urls
    assert "第3批食品抽检结果公布" in (out / "all.json").read_text("utf-8")
    assert (out / "all.xml").read_text("utf-8").count("<title>第") == 3
    lines = [json.loads(line) for line in (out / "lines.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 3 + 4

    web.pause = 0.0
    web.article(f"{HOME}news/4.html", 4)
    web.board(HOME, "/news/4.html", *sorted(urls))
    ended = project.crawl()
    assert "continued, due 1, waiting 1" in ended.line("topic news")
    assert "articles   1 new, 0 changed" in ended.said
    raw = (out / "news.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert raw.count(b"\xef\xbb\xbf") == 1
    rows = list(csv.DictReader(raw.decode("utf-8-sig").splitlines()))
    assert [row["url"] for row in rows].count("url") == 0
    assert {row["url"] for row in rows} == urls | {f"{HOME}news/4.html"}
    assert len(rows) == 4
    assert len(json.loads((out / "all.json").read_text("utf-8"))) == 1, "overwrite"
    assert not (project.folder / project.stands_in / "out").exists()
    assert not (project.folder / project.stands_in / "crawls").exists()


def test_an_empty_crawl_says_why_and_ends_with_3(project: Project, web: Web) -> None:
    web.news(3)
    project.topic()
    ended = project.crawl("-a", 'topic.keywords=["航天"]')
    assert ended.status == 3
    assert "Ended without a single article, record or thread." in ended.said
    assert (
        "3 pages were judged irrelevant: none of topic.keywords is there (航天: 0 of 3 pages)"
        in ended.said
    )
    assert project.last_run()["end_reason"] == "empty"
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
