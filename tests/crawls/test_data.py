"""What people do with the data of a crawl: back it up, look it over, have some of it forgotten."""

from __future__ import annotations

import shutil
import sqlite3
import time
import zipfile
from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import open_read_only
from focuscrawl.stores.state.sqlite_maintenance import CrawlLook
from focuscrawl.verbs.call import Call
from focuscrawl.verbs.data import backup, disagreements, results_problems, told
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.backup, pytest.mark.of_a_file]

HOME = "http://a.test/"


def tell(project: Project, statement: str, file: str = "news.db") -> None:
    with closing(sqlite3.connect(project.data / file)) as database, database:
        database.execute(statement)


def problems(project: Project) -> str:
    """Look as ``check-data`` does, without a command's start."""
    with closing(open_read_only(project.data / "news.crawl.db")) as database:
        crawl = CrawlLook(database)
    with results_to_read(project.data / "news.db") as connection:
        found = results_problems(connection, KINDS, "news")
        differences = disagreements(connection, "news", crawl)
    found += [told(len(urls), what, urls) for what, urls in differences.items()]
    return "\n".join(found + crawl.problems)


def test_a_backup_brings_a_crawl_back(crawled: Project, web: Web) -> None:
    web.news(3)
    crawled.topic()
    ended = crawled.run("topic", "backup", "news", "saved")
    assert ended.status == 0, ended.said
    assert f"{crawled.folder / 'saved.zip'} written" in ended.said
    again = crawled.run("topic", "backup", "news", "saved.zip")
    assert (again.status, "already there" in again.said) == (2, True)
    before = crawled.articles()
    shutil.rmtree(crawled.data)
    with zipfile.ZipFile(crawled.folder / "saved.zip") as file:
        assert sorted(file.namelist()) == ["news.crawl.db", "news.db"]
        file.extractall(crawled.data)
    assert crawled.articles() == before
    assert crawled.run("topic", "check-data", "news").status == 0
    ended = crawled.crawl()
    assert ended.status == 0, ended.said
    assert all(not web.times(url) for url in before), "it goes on from there"


@pytest.mark.program
def test_a_backup_can_be_made_while_the_crawl_runs(project: Project, web: Web) -> None:
    urls = web.news(12)
    held = max(urls)
    web.fail_first(held, fault="hold")
    project.topic()
    running = project.start("crawl", "news")
    while not web.times(held) and running.poll() is None:
        time.sleep(0.01)
    ended = project.run("topic", "backup", "news", "during.zip")
    assert running.poll() is None, "the crawl goes on"
    web.is_holding = False
    said, _ = running.communicate()
    assert (running.returncode, ended.status) == (0, 0), said + ended.said
    shutil.rmtree(project.data)
    with zipfile.ZipFile(project.folder / "during.zip") as file:
        file.extractall(project.data)
    looked = project.run("topic", "check-data", "news")
    assert looked.status == 0, looked.said
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls, "what the backup had not is fetched again"


def test_a_backup_between_two_commits_of_a_crawl_waits_for_the_second(
    crawled: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a crawl whose results know pages that its file does not know yet."""
    crawled.topic()
    path = crawled.data / "news.crawl.db"
    later = path.read_bytes()
    path.unlink()
    store = SQLiteStore(path)
    store.own()
    store.release()
    pauses: list[float] = []

    def commit(pause: float) -> None:
        pauses.append(pause)
        path.write_bytes(later)

    monkeypatch.setattr("focuscrawl.verbs.data.time.sleep", commit)
    settings = Settings(
        {
            "FOCUSCRAWL_DATA_DIR": str(crawled.data),
            "FOCUSCRAWL_TOPICS": str(crawled.folder / "topics"),
        }
    )
    backup(Call(settings, Namespace(arguments=[])), ["news", str(crawled.folder / "saved.zip")])
    assert len(pauses) == 1
    with zipfile.ZipFile(crawled.folder / "saved.zip") as file:
        file.extractall(crawled.data)
    assert problems(crawled) == ""


def test_there_is_no_backup_of_a_damaged_file(crawled: Project) -> None:
    crawled.topic()
    path = crawled.data / "news.crawl.db"
    content = bytearray(path.read_bytes())
    content[8192:12288] = b"\xff" * 4096
    path.write_bytes(content)
    ended = crawled.run("topic", "backup", "news", "saved")
    assert (ended.status, "no backup was made" in ended.said) == (2, True)
    assert sorted(one.name for one in crawled.folder.iterdir() if "saved" in one.name) == []
    looked = crawled.run("topic", "check-data", "news")
    assert (looked.status, "crawl file: damaged" in looked.said) == (1, True)


def test_data_that_are_as_they_should_be_are_said_to_be(crawled: Project) -> None:
    crawled.topic()
    before = crawled.files()
    ended = crawled.run("topic", "check-data", "news")
    assert ended.status == 0, ended.said
    assert "nothing is wrong with its data (0 URLs to do" in ended.said
    assert crawled.files() == before, "looking changes nothing"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM articles WHERE url LIKE '%1.html'", "1 pages are called stored, but their articles are not there"),
        ("DELETE FROM pages WHERE url LIKE '%1.html'", "1 articles have no page in the log book"),
        ("INSERT INTO story_members (topic, story_id, url_key, relation, at) VALUES ('news', 'x', 'y', 'first', '2026-11-20T01:30:00.000Z')", "1 members are of no story"),
        ("INSERT INTO posts (topic, thread_key, post_no, found) VALUES ('news', 'x', 1, '2026-11-20T01:30:00.000Z')", "1 posts are of no thread"),
        ("INSERT INTO versions (topic, url_key, version, kind, encoding, at) VALUES ('news', 'x', 1, 'article', 'zlib', '2026-11-20T01:30:00.000Z')", "1 earlier versions are of nothing that is stored"),
        ("INSERT INTO pages SELECT topic, substr(url_key, 1, 24) || '00000000', 'http://a.test/unknown', host, page_class, level, step, source_id, parent_key, anchor, first_seen, first_fetched, last_fetched, last_changed, next_visit, visits, changes, status, 'list', reason, score, relevant, label, title, content_type, bytes, encoding, gone_at, run_id FROM pages WHERE url LIKE '%1.html'", "1 pages in the results are unknown to the crawl"),
    ],
)  # fmt: skip
def test_rows_that_lost_their_other_half_are_told(
    crawled: Project, statement: str, said: str
) -> None:
    tell(crawled, statement)
    assert said in problems(crawled)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO urls VALUES (99, 77, 3, 0, NULL, 0, x'00', 0)", "1 URLs cannot be read"),
        ("UPDATE pages SET body = x'c1'", "pages cannot be read"),
        ("UPDATE seen SET numbers = x''", "pages in the results are unknown to the crawl"),
    ],
)
def test_rows_of_the_crawl_file_are_read_one_by_one(
    crawled: Project, statement: str, said: str
) -> None:
    tell(crawled, statement, "news.crawl.db")
    assert said in problems(crawled)


def test_a_topic_that_was_never_crawled_has_no_data(project: Project) -> None:
    project.topic()
    for verb in ("backup", "check-data"):
        ended = project.run("topic", verb, "news")
        assert (ended.status, "was never crawled here" in ended.said) == (2, True)
