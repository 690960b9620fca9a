"""Files that are damaged, removed or replaced: a crawl says so, and what to do; doing it works."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import pytest

from focuscrawl.stores.state.sqlite_file import APPLICATION_ID
from tests.crawls.days import DAY, article
from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Asked, Web

pytestmark = [pytest.mark.crawl_file, pytest.mark.of_a_file]


def harm(project: Project, statement: str) -> None:
    with closing(sqlite3.connect(project.data / "news.crawl.db")) as database, database:
        database.execute(statement)


def harm_results(project: Project, statement: str) -> None:
    with closing(sqlite3.connect(project.data / "news.db")) as database, database:
        database.execute(statement)


def next_day(project: Project, day: int = 1) -> Ended:
    return project.crawl(traceback=True, FOCUSCRAWL_SHIFT=str(day * DAY))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE pages SET body = x'c1'",
        "UPDATE story_articles SET body = x'c1'",
        "DROP TABLE story_terms",
        "UPDATE facts SET value = x'c1'",
    ],
)
def test_a_damaged_crawl_file_ends_the_run_wherever_it_is_found(
    project: Project, web: Web, statement: str
) -> None:
    web.news(4)
    project.topic()
    assert project.crawl().status == 0
    kept = project.articles()
    harm(project, statement)
    urls = web.news(6)
    web.article(article(1), 9)
    ended = next_day(project)
    assert ended.status == 1, ended.said
    assert "cannot be read as a crawl file" in ended.said
    assert "Restore it from a backup, or move it away to start anew" in ended.said
    assert kept <= project.articles()

    for path in project.data.glob("news.crawl.db*"):
        path.rename(path.with_name(f"old-{path.name}"))
    ended = next_day(project, 2)
    assert ended.status == 0, ended.said
    assert project.articles() == urls


def test_a_crawl_file_that_was_never_finished_is_made_anew(project: Project, web: Web) -> None:
    urls = web.news(3)
    project.topic()
    project.data.mkdir()
    with closing(sqlite3.connect(project.data / "news.crawl.db")) as database:
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls


@pytest.mark.program
def test_a_disk_that_is_full_while_the_files_are_made_is_told_and_leaves_nothing_half(
    project: Project, web: Web
) -> None:
    urls = web.news(3)
    project.topic()
    for room in (30_000, 100_000):
        ended = project.crawl(largest_file=room)
        assert ended.status == 1, ended.said
        assert "disk" in ended.said
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls


def test_a_row_that_cannot_be_read_when_it_is_taken_ends_the_run(
    project: Project, web: Web
) -> None:
    web.news(8)
    project.topic("[limits]\npages = 3\n")
    assert project.crawl().status == 0
    assert project.stored_rows() > 3
    harm(project, "UPDATE urls SET body = x'c1'")
    project.topic()
    ended = project.crawl(traceback=True)
    assert ended.status == 1, ended.said
    assert "a row of it is broken" in ended.said


MISSED = "the last run of this crawl is not in them"


class Removed(NamedTuple):
    """Days over a crawl whose results are removed after the second; its file is moved away after the fourth."""

    urls: set[str]
    whole: list[Ended]
    missed: Ended
    again: Project
    next_said: str
    crawl: Path
    """The file of the crawl."""
    anew: Ended
    begun_anew: Project
    last: Project


@pytest.fixture(scope="module")
def removed(new_project: Callable[[], Project]) -> Removed:
    project = new_project()
    urls = project.web.news(4)
    project.topic()
    whole = [project.crawl(), next_day(project)]
    for path in project.data.glob("news.db*"):
        path.unlink()
    missed = next_day(project, 2)
    again = project.as_it_is()
    next_said = next_day(project, 2).said
    crawl = project.data / "news.crawl.db"
    crawl.rename(crawl.with_name("old.db"))
    anew = next_day(project, 3)
    begun_anew = project.as_it_is()
    assert project.crawl(FOCUSCRAWL_SHIFT=str(4 * DAY)).status == 0
    last = project.as_it_is()
    return Removed(urls, whole, missed, again, next_said, crawl, anew, begun_anew, last)


def test_results_that_are_there_are_not_missed(removed: Removed) -> None:
    for ended in removed.whole:
        assert MISSED not in ended.said


def test_results_that_were_removed_are_missed_and_what_to_do_is_said(removed: Removed) -> None:
    assert removed.missed.status == 0, removed.missed.said
    assert f"or move {removed.crawl} away" in removed.missed.line(MISSED)


def test_what_results_lost_comes_again_and_is_told_once(removed: Removed) -> None:
    """Visits are planned to all of them."""
    assert removed.again.articles() == removed.urls
    assert "4 pages missing from the results were fetched again" in removed.missed.said
    assert "had lost" not in removed.next_said


def test_a_crawl_whose_file_was_moved_away_as_was_said_begins_anew(removed: Removed) -> None:
    assert removed.anew.status == 0, removed.anew.said
    assert MISSED not in removed.anew.said
    assert removed.begun_anew.articles() == removed.urls
    assert removed.last.articles() == removed.urls


def test_an_older_copy_of_the_results_is_noticed_and_putting_them_back_is_enough(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic()
    assert project.crawl().status == 0
    older, newer = project.data / "older", project.data / "newer"
    shutil.copy(project.data / "news.db", older)
    urls = web.news(5)
    assert next_day(project).status == 0
    assert project.articles() == urls
    shutil.move(project.data / "news.db", newer)
    shutil.move(older, project.data / "news.db")
    assert "the last run of this crawl is not in them" in next_day(project, 2).said
    assert project.articles() == urls, "visits are planned to all of them"
    shutil.move(newer, project.data / "news.db")
    ended = next_day(project, 3)
    assert ended.status == 0, ended.said
    assert project.articles() == urls


@pytest.mark.parametrize("policy", ["index", "off"])
def test_results_that_have_lost_their_last_commits_are_noticed_and_their_pages_come_again(
    project: Project, web: Web, policy: str
) -> None:
    """As a power cut leaves them: the run has its row there, and what it found last is gone."""
    urls = web.news(5)
    project.topic("" if policy == "index" else '[revisit]\npolicy = "off"\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    harm_results(project, "DELETE FROM articles WHERE url LIKE '%/1.html'")
    harm_results(project, "UPDATE crawl_runs SET commits = 0, found = 4")
    ended = next_day(project)
    assert "the last run of this crawl is not in them, or not all of it" in ended.said
    if policy == "index":
        assert project.articles() == urls
    else:
        assert "articles or records cannot be fetched again" in ended.said
    assert "not all of it" not in next_day(project, 2).said, "it is told once"


def test_a_crawl_file_that_was_put_back_beside_newer_results_needs_no_advice(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic()
    assert project.crawl().status == 0
    older = project.data / "older"
    shutil.copy(project.data / "news.crawl.db", older)
    urls = web.news(5)
    assert next_day(project).status == 0
    shutil.move(older, project.data / "news.crawl.db")
    ended = next_day(project, 2)
    assert ended.status == 0, ended.said
    assert "the last run of this crawl is not in them" not in ended.said
    assert project.articles() == urls


def test_results_that_are_removed_while_a_crawl_runs_end_it_and_come_again(
    project: Project, web: Web
) -> None:
    urls = web.news(9)
    web.pause = 1.0  # longer than from one commit to the next
    whole = web.answers[article(5)]

    def answer(asked: Asked) -> Answer:
        for file in project.data.glob("news.db*"):
            file.unlink()
        web.answers[article(5)] = whole
        assert isinstance(whole, Answer)
        return whole

    web.answers[article(5)] = answer
    project.topic("[politeness]\nconcurrency = 1\n")
    ended = project.crawl(traceback=True)
    assert ended.status == 1, ended.said
    assert "news.db: was moved, deleted or replaced while the crawl was running" in ended.said
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert MISSED in ended.said
    assert project.articles() == urls


DROPS = """
import os
import sqlite3
from contextlib import closing


class Drops:
    def process_item(self, item):
        if table := os.environ.pop("DROP", ""):
            with closing(sqlite3.connect("crawls/news.db")) as database:
                database.execute("DROP VIEW today")
                database.execute(f"DROP TABLE {table}")
        return item
"""


CLOSES = """
import sqlite3
from contextlib import closing


class Closes:
    def close_spider(self):
        with closing(sqlite3.connect("crawls/news.db")) as database:
            database.execute("DROP TABLE crawl_runs")

    def process_item(self, item):
        return item
"""


def test_a_database_that_fails_with_the_last_words_of_a_run_ends_it_with_an_error(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.spider(CLOSES, "ITEM_PIPELINES.update({'mine.spiders.Closes': 300})\n")
    project.topic()
    ended = project.crawl(traceback=True)
    assert ended.status == 1, ended.said
    assert "no such table: crawl_runs" in ended.said


def test_a_database_that_fails_while_an_item_asks_it_ends_the_run(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.spider(DROPS, "ITEM_PIPELINES.update({'mine.spiders.Drops': 300})\n")
    project.topic()
    assert project.crawl().status == 0
    web.article(article(1), 9)
    ended = project.crawl(traceback=True, FOCUSCRAWL_SHIFT=str(DAY), DROP="articles")
    assert ended.status == 1, ended.said
    assert "no such table: articles" in ended.said
