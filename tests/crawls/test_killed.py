"""A topic's crawl killed at several moments: nothing is lost, nothing is stored twice."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.programs import Programs
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.program

HOME = "http://a.test/"
ARTICLES = 24
FRAME = 4096 + 24
"""Bytes of a page in SQLite's log, with its head."""
KILLING = '''
import os
import signal
from pathlib import Path

from focuscrawl.values import Article


class Kills:
    """Kills the crawl once when the article of an address is about to be stored, or has been taken."""

    def process_item(self, item):
        marked = Path(__file__).with_name(item.url.rpartition("/")[2])
        is_wanted = isinstance(item, Article) and item.url.endswith(self.ending)
        if is_wanted and not marked.exists():
            marked.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item


class Before(Kills):
    ending = "/17.html"


class After(Kills):
    ending = "/20.html"
'''


def write_web(web: Web) -> set[str]:
    """Write a board of three pages; some of what it leads to fails at first, one has moved."""
    urls = sorted(web.news(ARTICLES), key=len)
    for page in (1, 2, 3):
        address = HOME if page == 1 else f"{HOME}list_{page}.html"
        more = f'<a href="/list_{page + 1}.html">下一页</a>' if page < 3 else ""
        web.board(address, *urls[(page - 1) * 8 : page * 8], more=more)
    web.fail_first(urls[3], status=500)
    web.fail_first(urls[11], fault="drop")
    web.fail_first(urls[17], status=503)
    web.article(f"{HOME}moved/5.html", 50)
    web.redirect(urls[4], f"{HOME}moved/5.html")
    return {*urls[:4], f"{HOME}moved/5.html", *urls[5:]}


class Killed(NamedTuple):
    """A crawl that is killed five times and then ends, and one more."""

    expected: set[str]
    ended: Project
    later: Project


@pytest.fixture(scope="module")
def killed(new_project: Callable[[], Project], programs_of_module: Programs) -> Killed:
    project = new_project()
    project.programs = programs_of_module
    web = project.web
    expected = write_web(web)
    web.pause = 0.02
    project.spider(
        KILLING, "ITEM_PIPELINES.update({'mine.spiders.Before': 800, 'mine.spiders.After': 950})\n"
    )
    project.topic('[output.feeds."out/news.jsonl"]\n')
    project.crawl_killed(1)
    project.crawl_killed(10)
    assert project.crawl().status < 0, "killed before an article was stored"
    assert project.crawl().status < 0, "killed after an article was taken"
    web.pause = 0.5  # one request may be all that is left: it is not over before the kill
    project.crawl_killed(1)
    web.pause = 0.0
    ended = project.crawl()
    assert ended.status == 0, ended.said
    finished = project.as_it_is()
    project.crawl()
    return Killed(expected, finished, project.as_it_is())


@pytest.mark.both_stores
def test_no_article_is_lost_or_stored_twice_whenever_a_crawl_is_killed(killed: Killed) -> None:
    assert killed.ended.articles() == killed.expected
    rows = killed.ended.rows("SELECT url, version, text FROM articles")
    assert len(rows) == ARTICLES
    assert {row["version"] for row in rows} == {1}
    assert all("食品安全抽检结果" in row["text"] for row in rows)
    lines = (killed.ended.folder / "out/news.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["url"] for line in lines} <= killed.expected, "nor fed and not stored"


@pytest.mark.both_stores
def test_no_url_is_lost_whenever_a_crawl_is_killed(killed: Killed) -> None:
    web = killed.ended.web
    assert killed.expected <= {asked.url for asked in web.asked()}
    assert web.times(f"{HOME}list_3.html") >= 1
    assert killed.ended.stored_rows() == 0


@pytest.mark.both_stores
def test_runs_that_were_killed_have_crashed_in_the_results(killed: Killed) -> None:
    runs = killed.ended.rows("SELECT end_reason, exit_code FROM crawl_runs ORDER BY rowid")
    assert [row["end_reason"] for row in runs] == ["crashed"] * 5 + ["finished"]
    assert runs[-1]["exit_code"] == 0


@pytest.mark.both_stores
def test_the_run_after_those_that_were_killed_reads_lists_alone(killed: Killed) -> None:
    asked = Counter(asked.url for asked in killed.ended.web.asked())
    again = Counter(asked.url for asked in killed.later.web.asked()) - asked
    assert set(again) <= {HOME, f"{HOME}list_2.html", f"{HOME}list_3.html"}
    assert len(killed.later.articles()) == ARTICLES


@pytest.mark.of_a_file
def test_results_whose_log_was_cut_by_a_power_cut_get_their_articles_again(
    project: Project, web: Web
) -> None:
    """The crawl file kept its commits, the results did not: two files have no order on a disk."""
    urls = web.news(ARTICLES)
    web.pause = 0.1
    project.topic()

    seen: list[set[str]] = []

    def has_stored_twice() -> bool:
        """Whether the crawl file has its part of the first window, too: that comes before the next one."""
        with suppress(sqlite3.OperationalError):  # there are no tables yet
            stored = project.articles()
            if len(stored) > 3 and stored not in seen:
                seen.append(stored)
        return len(seen) > 1

    assert project.crawl(kill=has_stored_twice).status == -signal.SIGKILL
    log = project.data / "news.db-wal"
    while project.articles() >= seen[0]:
        os.truncate(log, log.stat().st_size - FRAME)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "not all of it" in ended.said
    assert project.articles() == urls
