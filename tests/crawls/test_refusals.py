"""Clear errors, and nothing lost or deleted, when something is wrong from the start."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from focuscrawl.stores.state.crawl_lock import CrawlLock
from focuscrawl.stores.state.migrations import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
GOOD = (
    '[topic]\nkeywords = ["食品"]\n[[source]]\nurl = "http://a.test/"\n[politeness]\ndelay = "0s"\n'
)
MISTAKES = """[topic]
keyword = ["食品"]
colour = "red"
[[source]]
url = "a.test"
keywords = ["食品"]
[politeness]
delay = 2
hours = "22-6"
[follow]
allow = "\\\\d+\\\\.html"
"""


class Wrong(NamedTuple):
    """What a project says whose topics are good and wrong, command by command."""

    listed: Ended
    seven: Ended
    quotes: Ended
    gbk: Ended
    no_topic: Ended
    argument: Ended
    untouched: bool
    """Whether nothing was written or asked for by then."""
    marked: Ended
    articles: set[str]


@pytest.fixture(scope="module")
def wrong(new_project: Callable[[], Project]) -> Wrong:
    project = new_project()
    project.web.news(2)
    project.write("topics/good.toml", GOOD)
    project.write("topics/marked.toml", b"\xef\xbb\xbf" + GOOD.encode())
    project.write("topics/seven.toml", MISTAKES)
    project.write(
        "topics/quotes.toml", GOOD.replace('url = "http://a.test/"', "url = “http://a.test/”")
    )
    project.write("topics/gbk.toml", GOOD.replace("食品", "食品安全").encode("gb18030"))
    listed = project.run("list")
    seven, quotes, gbk, no_topic = (
        project.crawl(name=name) for name in ("seven", "quotes", "gbk", "god")
    )
    argument = project.crawl("-a", "limits.pags=3", name="good")
    untouched = not project.data.exists() and not project.web.asked()
    marked = project.crawl(name="marked")
    articles = project.articles("marked")
    return Wrong(listed, seven, quotes, gbk, no_topic, argument, untouched, marked, articles)


def test_wrong_topics_hide_no_other(wrong: Wrong) -> None:
    assert wrong.listed.status == 0
    assert {"good", "marked"} <= set(wrong.listed.said.split("\n"))
    for name in ("seven", "quotes", "gbk"):
        assert f"{name}.toml" in wrong.listed.said


def test_the_mistakes_of_a_topic_are_told_all_at_once_with_their_lines(wrong: Wrong) -> None:
    assert wrong.seven.status == 2
    assert "7 problems" in wrong.seven.said
    told = re.findall(r"^  line (\d+) ", wrong.seven.said, re.MULTILINE)
    assert [int(line) for line in told] == [2, 3, 5, 6, 8, 9, 11]


def test_chinese_quotes_are_shown_with_their_line(wrong: Wrong) -> None:
    assert wrong.quotes.status == 2
    assert "“" in wrong.quotes.said
    assert "line 4" in wrong.quotes.said


def test_a_topic_that_is_not_in_utf_8_is_told_how_to_save_it(wrong: Wrong) -> None:
    assert wrong.gbk.status == 2
    assert "save it as UTF-8 (Notepad: 另存为 → 编码 UTF-8)" in wrong.gbk.said


def test_a_topic_that_is_not_there_is_told_with_the_nearest_name(wrong: Wrong) -> None:
    assert wrong.no_topic.status == 2
    assert "god" in wrong.no_topic.said
    assert "good" in wrong.no_topic.said


def test_an_argument_that_is_no_key_is_told_with_the_nearest_one(wrong: Wrong) -> None:
    assert wrong.argument.status == 2
    assert "-a  [limits] pags: unknown key; nearest: pages" in wrong.argument.said


def test_what_is_wrong_from_the_start_writes_and_asks_for_nothing(wrong: Wrong) -> None:
    assert wrong.untouched


def test_a_topic_with_a_byte_order_mark_is_crawled(wrong: Wrong) -> None:
    assert wrong.marked.status == 0, wrong.marked.said
    assert len(wrong.articles) == 2


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 7}")


def newer_results(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE meta SET value = '99' WHERE name = 'schema'")


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def no_database(path: Path) -> None:
    path.write_bytes(b"this is a letter to my grandmother" * 300)


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE urls (mine TEXT)")
        database.execute("CREATE TABLE pages (mine TEXT)")


@pytest.mark.of_a_file
@pytest.mark.parametrize(
    ("file", "spoil", "words"),
    [
        ("news.crawl.db", newer, "written by a newer focuscrawl"),
        ("news.crawl.db", truncated, "cannot be read as a crawl file"),
        ("news.crawl.db", no_database, "cannot be read as a crawl file"),
        ("news.crawl.db", foreign, "not one of focuscrawl's crawls"),
        ("news.db", newer_results, "newer"),
        ("news.db", truncated, "the file is truncated, 5000 of"),
        ("news.db", no_database, "the file is no SQLite database"),
        ("news.db", foreign, "news.db"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_file_that_is_not_ours_or_damaged_is_left_as_it_is(
    crawled: Project, web: Web, file: str, spoil: object, words: str
) -> None:
    assert callable(spoil)
    path = crawled.data / file
    spoil(path)
    before = crawled.files()
    asked = len(web.asked())
    ended = crawled.crawl()
    assert ended.status == 1, ended.said
    assert words in ended.said
    assert str(path) in ended.said
    assert "store_error" in ended.said
    assert len(web.asked()) == asked, "nothing is fetched"
    after = crawled.files()
    assert after[file] == before[file]
    if file == "news.crawl.db":
        assert after["news.db"] == before["news.db"]


@pytest.mark.of_a_file
def test_a_run_that_cannot_begin_empties_no_feed(crawled: Project) -> None:
    crawled.topic('[output.feeds."out/all.jsonl"]\noptions = { overwrite = true }\n')
    feed = crawled.write("out/all.jsonl", '{"url": "of an earlier run"}\n')
    before = feed.read_bytes()
    running = CrawlLock(crawled.data / "news.crawl.db")
    running.take()
    ended = crawled.crawl()
    running.release()
    assert ended.status == 5, ended.said
    assert "this topic is already running" in ended.said
    assert feed.read_bytes() == before


@pytest.mark.of_a_file
def test_the_folder_of_scrapys_own_queue_is_ignored_and_why_is_said(
    project: Project, web: Web
) -> None:
    urls = web.news(1)
    project.topic()
    ended = project.crawl("-s", "JOBDIR=queue")
    assert ended.status == 0, ended.said
    assert f"JOBDIR is ignored: the crawl is kept in {project.data}" in ended.said
    assert project.articles() == urls


@pytest.mark.program
@pytest.mark.of_a_file
def test_a_topic_that_is_running_is_not_run_twice(project: Project, web: Web) -> None:
    urls = web.news(3)
    web.fail_first(f"{HOME}news/2.html", fault="hold")
    project.topic('[output.feeds."out/all.jsonl"]\noptions = { overwrite = true }\n')
    first = project.start("crawl", "news")
    feed = project.folder / "out/all.jsonl"
    while not web.times(f"{HOME}news/2.html") or not (feed.exists() and feed.stat().st_size):
        time.sleep(0.05)
    written = feed.read_bytes()
    assert written.count(b"\n") == 1
    asked = len(web.asked())
    ended = project.crawl()
    assert ended.status == 5, ended.said
    assert "this topic is already running" in ended.said
    assert str(first.pid) in ended.said
    assert len(web.asked()) == asked
    assert feed.read_bytes() == written, "a feed that is overwritten is not emptied"
    web.is_holding = False
    said, _ = first.communicate(timeout=180)
    assert first.returncode == 0, said
    assert project.articles() == urls
    assert feed.read_bytes().count(b"\n") == 3


@pytest.mark.program
@pytest.mark.of_a_file
def test_a_topic_that_is_running_is_not_run_twice_when_its_lock_file_was_deleted(
    project: Project, web: Web
) -> None:
    urls = web.news(3)
    web.fail_first(f"{HOME}news/2.html", fault="hold")
    project.topic()
    first = project.start("crawl", "news")
    while not web.times(f"{HOME}news/2.html"):
        time.sleep(0.05)
    (project.data / "news.crawl.lock").unlink()
    asked = len(web.asked())
    ended = project.crawl()
    assert ended.status == 5, ended.said
    assert "this topic is already running" in ended.said
    assert len(web.asked()) == asked
    web.is_holding = False
    said, _ = first.communicate(timeout=180)
    assert first.returncode == 0, said
    assert project.articles() == urls


@pytest.mark.of_a_file
def test_a_data_folder_that_cannot_be_made_is_told(project: Project, web: Web) -> None:
    web.news(1)
    project.topic()
    project.write("crawls", "a file in the way")
    ended = project.crawl()
    assert ended.status == 1, ended.said
    assert f"{project.data}: cannot write here" in ended.said
    assert "FOCUSCRAWL_DATA_DIR" in ended.said
    assert project.data.read_text() == "a file in the way"
    assert not web.asked()


@pytest.mark.program
@pytest.mark.of_a_file
def test_a_full_disk_ends_the_run_and_loses_nothing(project: Project, web: Web) -> None:
    urls = web.news(30)
    for number in range(1, 31):
        web.article(f"{HOME}news/{number}.html", number, more=f"<p>{'食品安全。' * 3000}</p>")
    project.topic()
    project.crawl("-a", "limits.pages=3")
    web.pause = 0.05
    ended = project.crawl(largest_file=600_000)
    assert ended.status == 1, ended.said
    assert "Ended because the store or the results could not be written." in ended.said
    assert "check the disk and its space" in ended.said
    assert str(project.data) in ended.said
    stored = project.articles()
    assert stored < urls
    web.pause = 0.0
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls


@pytest.mark.program
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_log_that_takes_nothing_is_told_before_anything_is_asked(
    project: Project, web: Web
) -> None:
    urls = web.news(1)
    project.topic()
    ended = project.crawl("-s", "LOG_FILE=/dev/full", traceback=True)
    assert ended.status == 2, ended.said
    assert "LOG_FILE: /dev/full cannot be written (No space left on device)" in ended.said
    assert not web.asked()
    assert project.crawl().status == 0
    assert project.articles() == urls
