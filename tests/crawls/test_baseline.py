"""The baseline in whole crawls: what stood there is known, what came later is news, through kills and limits."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
import pytest

from focuscrawl.values import Waiting
from tests.clock import NOON
from tests.crawls.days import HOME, article, run_on
from tests.web import Answer

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.baseline

FEED = '[output.feeds."./changes.jsonl"]\nformat = "jsonl"\nitems = ["change"]\noptions = { overwrite = false }\n'


NO_DATE = "?"


def day(number: int) -> str:
    """Return the date so many days after today."""
    return f"{datetime.fromtimestamp(NOON, UTC) + timedelta(days=number):%Y-%m-%d}"


def put(web: Web, *numbers: int, host: str = HOME, date: str = "") -> None:
    """Put articles on a host, without a date or with one."""
    for number in numbers:
        url = f"{host}news/{number}.html"
        web.article(url, number, date=date or NO_DATE)
        answer = web.answers[url]
        if not date and isinstance(answer, Answer):
            web.answers[url] = web.page(str(answer.body).replace(f"发布时间:{NO_DATE} 08:00", ""))


def lead(web: Web, *numbers: int, host: str = HOME) -> None:
    web.board(host, *(f"{host}news/{number}.html" for number in numbers))


def news(project: Project) -> set[str]:
    rows = project.rows("SELECT url, known FROM articles")
    assert all(row["known"] in (0, 1) for row in rows)
    found = {row["url"] for row in rows if not row["known"]}
    told = {row["url"] for row in project.rows("SELECT url FROM changes WHERE kind = 'new'")}
    assert told == found
    assert {row["address"] for row in project.rows("SELECT address FROM news")} == found
    return found


@pytest.mark.program
@pytest.mark.both_stores
def test_a_first_crawl_that_is_killed_and_goes_on_finds_no_news(project: Project, web: Web) -> None:
    project.topic(FEED + '[politeness]\ndelay = "0s"\nconcurrency = 1\n')
    put(web, *range(1, 9))
    lead(web, *range(1, 9))
    project.crawl(kill=lambda: len(web.asked()) >= 5)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {article(number) for number in range(1, 9)}
    assert news(project) == set()

    put(web, 9)
    put(web, 10, date="2020-01-15")
    lead(web, *range(1, 11))
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert news(project) == {article(9), article(10)}, "found later, whatever its date"
    lines = (project.folder / "changes.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["url"] for line in lines} == {article(9), article(10)}
    assert {row["url"] for row in project.rows("SELECT url FROM today")} == news(project)


def test_what_is_dated_after_the_start_is_news_in_a_baseline_that_limits_have_cut(
    project: Project, web: Web
) -> None:
    project.topic()
    put(web, 1, 2, 3, 4)
    lead(web, 1, 2, 3, 4)
    ended = project.crawl("-a", "limits.pages=2")
    assert ended.status == 0, ended.said
    (read,) = project.articles()
    late = article(next(number for number in (2, 3, 4) if article(number) != read))
    put(web, int(late.rpartition("/")[2].split(".")[0]), date=day(1))
    ended = run_on(project, 2)
    assert ended.status == 0, ended.said
    assert len(project.articles()) == 4
    assert news(project) == {late}


@pytest.mark.both_stores
def test_the_first_walk_of_a_source_that_was_added_later_finds_no_news(
    project: Project, web: Web
) -> None:
    other = "http://b.test/"
    put(web, 1, 2)
    lead(web, 1, 2)
    project.topic()
    project.crawl()
    put(web, 3)
    lead(web, 1, 2, 3)
    put(web, 4, 5, host=other)
    lead(web, 4, 5, host=other)
    project.topic(sources=f"{HOME} {other}")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert f"{other}news/4.html" in project.articles()
    assert news(project) == {article(3)}, "an old source goes on to tell what is new"
    put(web, 6, host=other)
    lead(web, 4, 5, 6, host=other)
    project.crawl()
    assert news(project) == {article(3), f"{other}news/6.html"}


def test_old_pages_that_a_changed_template_admits_are_no_news(project: Project, web: Web) -> None:
    put(web, *range(1, 7))
    lead(web, 1, 2, 3)
    project.topic('[follow]\ndeny = ["/news/2.html", "/news/3.html"]\n')
    project.crawl()
    assert project.articles() == {article(1)}
    put(web, 4)
    put(web, 5, date=day(1))
    lead(web, 1, 2, 3, 4, 5)
    project.topic()
    ended = run_on(project, 2)
    assert ended.status == 0, ended.said
    assert project.articles() == {article(number) for number in range(1, 6)}
    assert news(project) == {article(5)}, (
        "of what has no date nobody can tell since when it is there"
    )
    lead(web, *range(1, 7))
    run_on(project, 3)
    assert news(project) == {article(5), article(6)}


@pytest.mark.of_a_file
def test_what_an_earlier_version_has_left_waiting_and_stored_is_no_news(
    project: Project, web: Web
) -> None:
    put(web, *range(1, 6))
    lead(web, 1, 2, 3, 4)
    project.topic()
    project.crawl("-a", "limits.pages=2")
    forget_the_baseline(project)
    with pytest.raises(sqlite3.OperationalError, match="known"):
        project.rows("SELECT known FROM articles")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert [row["known"] for row in project.rows("SELECT known FROM articles ORDER BY known")] == [None, 1, 1, 1]  # fmt: skip
    assert not project.rows("SELECT * FROM news")
    lead(web, *range(1, 6))
    project.crawl()
    assert [row["address"] for row in project.rows("SELECT address FROM news")] == [article(5)]


def forget_the_baseline(project: Project) -> None:
    """Make crawl file and results such as a version has left them that knew no baseline."""
    with closing(sqlite3.connect(project.data / "news.crawl.db")) as database, database:
        database.execute("DELETE FROM facts WHERE kind = 'baseline'")
        for sequence, body in database.execute("SELECT sequence, body FROM urls").fetchall():
            waiting, *rest = msgspec.msgpack.decode(body)
            assert Waiting._fields[len(waiting) - 1] == "baseline"
            assert waiting[-1]
            earlier = msgspec.msgpack.encode([waiting[:-1], *rest])
            database.execute("UPDATE urls SET body = ? WHERE sequence = ?", (earlier, sequence))
    with closing(sqlite3.connect(project.data / "news.db")) as database, database:
        views = database.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()
        for (view,) in views:
            database.execute(f"DROP VIEW {view}")
        for table in ("articles", "records", "threads", "posts"):
            database.execute(f"ALTER TABLE {table} DROP COLUMN known")
        database.execute("DROP TABLE columns")
        database.execute("UPDATE meta SET value = '2' WHERE name = 'schema'")


def test_an_old_page_that_was_read_as_a_list_first_is_no_news_when_it_is_read_as_an_article(
    project: Project, web: Web
) -> None:
    old = range(1, 20)
    put(web, *old)
    lead(web, *old)
    whole = web.answers[article(3)]
    web.board(article(3), *map(article, (1, 2)), *(f"{HOME}b/{number}/" for number in range(30)))
    project.topic()
    run_on(project, 0)
    assert project.articles() == {*map(article, old)} - {article(3)}
    web.answers[article(3)] = whole
    put(web, 20)
    lead(web, *old, 20)
    run_on(project, 1.1)
    run_on(project, 2.2)
    assert project.articles() == {*map(article, old), article(20)}, "their form was learnt"
    assert news(project) == {article(20)}
