"""A crawl on Redis is backed up, looked over and made to forget, as one in its file is."""

from __future__ import annotations

import shutil
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from focuscrawl.urls.canonical import Canonicalizer
from tests.crawls.test_shared import until
from tests.web import Answer

if TYPE_CHECKING:
    from tests.in_process import Ended
    from tests.project import Project
    from tests.servers.redis_server import RedisServer
    from tests.web import Web

pytestmark = [pytest.mark.backup, pytest.mark.of_a_file]

HOME = "http://a.test/"
NEWS = f"{HOME}news/1.html"
OTHER = f"{HOME}news/2.html"


@pytest.fixture
def there(project: Project, web: Web, redis_of_tests: RedisServer) -> Project:
    """Make a project whose topic was crawled on a Redis."""
    redis_of_tests.client().flushall()
    project.server = redis_of_tests
    project.topic()
    web.news(3)
    assert project.crawl().status == 0
    return project


def verb(project: Project, *words: str) -> Ended:
    return project.run("topic", words[0], "news", *words[1:])


def test_a_backup_of_a_crawl_on_redis_brings_it_back_in_a_file_and_on_redis(
    there: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    ended = verb(there, "backup", "saved")
    assert ended.status == 0, ended.said
    assert "run scrapy topic move news" in ended.said
    articles = there.articles()
    shutil.rmtree(there.data)
    redis_of_tests.client().flushall()
    with zipfile.ZipFile(there.folder / "saved.zip") as file:
        assert sorted(file.namelist()) == ["news.crawl.db", "news.db"]
        file.extractall(there.data)
    there.server = None
    looked = verb(there, "check-data")
    assert looked.status == 0, looked.said
    ended = there.crawl()
    assert ended.status == 0, ended.said
    assert there.articles() == articles
    assert [web.times(url) for url in articles] == [1, 1, 1], "it goes on from there"
    assert verb(there, "move", "--to", redis_of_tests.url).status == 0
    there.server = redis_of_tests
    ended = there.crawl()
    assert ended.status == 0, ended.said
    assert [web.times(url) for url in articles] == [1, 1, 1]
    assert len(there.rows("SELECT * FROM story_members")) == 3


def test_what_is_wrong_with_a_crawl_on_redis_is_told(
    there: Project, redis_of_tests: RedisServer
) -> None:
    ended = verb(there, "check-data")
    assert ended.status == 0, ended.said
    assert "nothing is wrong with its data (0 URLs to do" in ended.said
    client: Any = redis_of_tests.client()
    before = {key: client.dump(key) for key in client.keys("news:focuscrawl:seen:*")}
    client.delete(*before)
    ended = verb(there, "check-data")
    assert ended.status == 1, ended.said
    assert "pages in the results are unknown to the crawl" in ended.said
    for key, value in before.items():
        client.restore(key, 0, value)
    assert verb(there, "check-data").status == 0


def test_addresses_of_a_crawl_on_redis_are_forgotten_for_good_or_to_be_fetched_anew(
    there: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    before = snapshot(redis_of_tests)
    ended = verb(there, "forget", "--url", NEWS)
    assert ended.status == 0, ended.said
    assert ended.said.rstrip().endswith("Nothing was changed: add --yes to do it.")
    assert snapshot(redis_of_tests) == before
    ended = verb(there, "forget", "--url", NEWS, "--yes")
    assert (ended.status, "deleted in the results: 1 articles" in ended.said) == (0, True)
    assert there.articles() == {OTHER, f"{HOME}news/3.html"}
    address = Canonicalizer().address(NEWS)
    assert address is not None
    assert address.key not in dict(there.in_redis("pages", "news"))
    assert verb(there, "check-data").status == 0
    assert there.crawl().status == 0
    assert (web.times(NEWS), web.times(OTHER)) == (1, 1)

    web.article(OTHER, 77)
    web.board(HOME)  # nothing leads to it any more
    ended = verb(there, "forget", "--url", OTHER, "--again", "--yes")
    assert (ended.status, "wait to be fetched anew" in ended.said) == (0, True), ended.said
    assert there.stored_rows() == 1
    assert there.crawl().status == 0
    assert (web.times(NEWS), web.times(OTHER)) == (1, 2)
    (row,) = there.rows(f"SELECT text, version FROM articles WHERE url = '{OTHER}'")
    assert ("第77批" in row["text"], row["version"]) == (True, 1)

    ended = verb(there, "forget", "--site", "a.test", "--again", "--yes")
    assert ended.status == 0, ended.said
    assert not there.articles()
    assert verb(there, "check-data").status == 0


def snapshot(server: RedisServer) -> dict[bytes, object]:
    """Return what there is of pages, rows and what is known."""
    client: Any = server.client()
    parts = ("rows", "aside", "pages", "facts", "seen", "sites")
    keys = [key for part in parts for key in client.keys(f"news:focuscrawl:{part}:*")]
    return {key: client.dump(key) for key in keys}


@pytest.mark.program
def test_while_workers_run_it_is_refused_and_so_is_what_was_never_crawled(
    there: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    there.topic(name="never")
    ended = there.run("topic", "backup", "never")
    assert (ended.status, "has no crawl never" in ended.said) == (2, True), ended.said
    assert not redis_of_tests.client().keys("never:*"), "a refusal has left something"
    web.answers["http://b.test/"] = Answer(fault="hold")  # the crawl does not end by itself
    there.topic(sources=f"{HOME} http://b.test/")
    running = there.start("crawl", "news")
    until(lambda: web.times("http://b.test/") > 0)
    for words in (("backup",), ("check-data",), ("forget", "--url", NEWS, "--yes")):
        ended = verb(there, *words)
        assert ended.status == 2, ended.said
        assert "1 workers crawl this topic already, and" in ended.said
        assert "stop them first" in ended.said
    running.kill()
    running.communicate()
    assert NEWS in there.articles()
