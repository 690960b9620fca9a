"""A crawl on Redis is backed up, looked over and made to forget, as one in its file is."""

from __future__ import annotations

import shutil
import zipfile
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from focuscrawl.urls.canonical import Canonicalizer
from tests.crawls.test_shared import until
from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

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
    assert "values of this crawl, which are gone" in ended.said
    assert "pages in the results are unknown to the crawl" in ended.said
    assert not client.keys("news:focuscrawl:seen:*"), "who only looks changes nothing"
    for key, value in before.items():
        client.restore(key, 0, value)
    assert verb(there, "check-data").status == 0


class Forgotten(NamedTuple):
    """A crawl on Redis that forgets an address, one that is to be fetched anew, and a site."""

    asked: Ended
    """It was only asked what would be forgotten."""
    is_untouched: bool
    for_good: Ended
    without: Project
    checked: list[int]
    crawled: Project
    again: Ended
    waits: Project
    fetched: Project
    site: Ended
    last: Project


@pytest.fixture(scope="module")
def forgotten(new_project: Callable[[], Project], redis_of_tests: RedisServer) -> Forgotten:
    project = new_project()
    web = project.web
    redis_of_tests.client().flushall()
    project.server = redis_of_tests
    project.topic()
    web.news(3)
    assert project.crawl().status == 0
    before = snapshot(redis_of_tests)
    asked = verb(project, "forget", "--url", NEWS)
    is_untouched = snapshot(redis_of_tests) == before
    for_good = verb(project, "forget", "--url", NEWS, "--yes")
    without = project.as_it_is()
    checked = [verb(project, "check-data").status]
    assert project.crawl().status == 0
    crawled = project.as_it_is()
    web.article(OTHER, 77)
    web.board(HOME)  # nothing leads to it any more
    again = verb(project, "forget", "--url", OTHER, "--again", "--yes")
    waits = project.as_it_is()
    assert project.crawl().status == 0
    fetched = project.as_it_is()
    site = verb(project, "forget", "--site", "a.test", "--again", "--yes")
    last = project.as_it_is()
    checked.append(verb(project, "check-data").status)
    return Forgotten(
        asked, is_untouched, for_good, without, checked, crawled, again, waits, fetched, site, last
    )  # fmt: skip


def test_nothing_on_redis_is_forgotten_before_a_person_says_yes(forgotten: Forgotten) -> None:
    assert forgotten.asked.status == 0, forgotten.asked.said
    assert forgotten.asked.said.rstrip().endswith("Nothing was changed: add --yes to do it.")
    assert forgotten.is_untouched


def test_an_address_on_redis_is_forgotten_for_good(forgotten: Forgotten) -> None:
    told = "deleted in the results: 1 articles" in forgotten.for_good.said
    assert (forgotten.for_good.status, told) == (0, True)
    assert forgotten.without.articles() == {OTHER, f"{HOME}news/3.html"}
    address = Canonicalizer().address(NEWS)
    assert address is not None
    assert address.key not in dict(forgotten.without.in_redis("pages", "news"))
    web = forgotten.crawled.web
    assert (web.times(NEWS), web.times(OTHER)) == (1, 1)


def test_an_address_on_redis_is_forgotten_to_be_fetched_anew(forgotten: Forgotten) -> None:
    told = "wait to be fetched anew" in forgotten.again.said
    assert (forgotten.again.status, told) == (0, True), forgotten.again.said
    assert forgotten.waits.stored_rows() == 1
    web = forgotten.fetched.web
    assert (web.times(NEWS), web.times(OTHER)) == (1, 2)
    (row,) = forgotten.fetched.rows(f"SELECT text, version FROM articles WHERE url = '{OTHER}'")
    assert ("第77批" in row["text"], row["version"]) == (True, 1)


def test_a_site_on_redis_is_forgotten_with_all_its_articles(forgotten: Forgotten) -> None:
    assert forgotten.site.status == 0, forgotten.site.said
    assert not forgotten.last.articles()
    assert forgotten.checked == [0, 0], "nothing is wrong with what is left"


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
