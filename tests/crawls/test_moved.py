"""A crawl moves from its file into a Redis, is gone on with there, and comes back."""

from __future__ import annotations

import shutil
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawls.test_partitions import HOSTS, TOPIC, found, linked
from tests.crawls.test_shared import SOURCES, told_together, until

if TYPE_CHECKING:
    from tests.in_process import Ended
    from tests.project import Project
    from tests.servers.redis_server import RedisServer
    from tests.web import Web

pytestmark = [pytest.mark.B1, pytest.mark.of_a_file]


def move(project: Project, to: str, *more: str) -> Ended:
    return project.run("topic", "move", "news", "--to", to, *more)


def moved(project: Project, to: str) -> str:
    ended = move(project, to)
    assert ended.status == 0, ended.said
    return ended.said


@pytest.fixture
def server(redis_of_tests: RedisServer) -> RedisServer:
    redis_of_tests.client().flushall()
    return redis_of_tests


@pytest.mark.program
def test_a_crawl_that_moves_into_a_redis_and_back_finds_what_one_that_stays_finds(
    project: Project, web: Web, server: RedisServer
) -> None:
    linked(web)
    project.topic(TOPIC, "stays", sources=SOURCES)
    assert project.crawl(name="stays").status == 0
    project.topic(TOPIC, sources=SOURCES)
    web.pause = 0.02
    before = len(web.asked())
    project.crawl_killed(30)
    said = moved(project, server.url)
    assert "URLs that wait" in said
    assert not (project.data / "news.crawl.db").exists()
    begun = len(web.asked())
    project.server = server
    project.crawl_killed(30)
    project.server = None
    assert len(web.asked()) > begun
    ended = move(project, "file")
    assert ended.status == 2
    assert "say where the Redis is" in ended.said
    until(lambda: not server.client().zcount("news:focuscrawl:workers", _now(server), "+inf"))
    ended = move(project, "file", "-s", f"REDIS_URL={server.url}")
    assert ended.status == 0, ended.said
    assert project.crawl().status == 0
    assert found(project) == found(project, "stays")
    stories = "SELECT articles, copies FROM stories ORDER BY articles, copies"
    assert sorted(map(tuple, project.rows(stories))) == sorted(
        map(tuple, project.rows(stories, "stays"))
    )
    assert {*HOSTS[:3]} <= {one.host for one in web.asked()[before:]}


def _now(server: RedisServer) -> int:
    seconds, micro = server.client().time()
    return int(seconds) * 1000 + int(micro) // 1000


def test_a_second_run_of_a_moved_crawl_tells_nothing_anew(
    crawled: Project, web: Web, server: RedisServer
) -> None:
    web.news(3)
    moved(crawled, server.url)
    crawled.server = server
    ended = crawled.crawl()
    assert ended.status == 0, ended.said
    assert "continued" in ended.line("topic news: data")
    assert "articles   0 new, 0 changed" in ended.said
    assert len(crawled.rows("SELECT * FROM story_members")) == 3


@pytest.mark.program
def test_a_crawl_in_a_redis_is_backed_up_looked_over_and_brought_back(
    crawled: Project, web: Web, server: RedisServer
) -> None:
    web.news(3)
    crawled.topic()
    assert moved(crawled, server.url)
    crawled.server = server
    redis = ("-s", f"REDIS_URL={server.url}")
    web.pause = 0.5
    running = crawled.start("crawl", "news", *redis)
    until(lambda: bool(server.client().zcard("news:focuscrawl:workers")))
    refused = crawled.run("topic", "backup", "news", "saved", *redis)
    assert (refused.status, "this is done only while no worker runs" in refused.said) == (2, True)
    said, _ = running.communicate()
    assert running.returncode == 0, said
    looked = crawled.run("topic", "check-data", "news", *redis)
    assert (looked.status, "nothing is wrong with its data" in looked.said) == (0, True), (
        looked.said
    )
    saved = crawled.run("topic", "backup", "news", "saved", *redis)
    assert saved.status == 0, saved.said
    assert "run scrapy topic move news" in saved.said
    before, asked = crawled.articles(), len(web.asked())
    server.client().flushall()
    shutil.rmtree(crawled.data)
    with zipfile.ZipFile(crawled.folder / "saved.zip") as file:
        assert sorted(file.namelist()) == ["news.crawl.db", "news.db"]
        file.extractall(crawled.data)
    moved(crawled, server.url)
    ended = crawled.crawl()
    assert ended.status == 0, ended.said
    assert crawled.articles() == before
    again = {one.url for one in web.asked()[asked:]}
    assert not again & before, "it goes on from there"


@pytest.mark.program
def test_what_cannot_be_moved_is_left_as_it_is_and_why_is_said(
    crawled: Project, web: Web, server: RedisServer
) -> None:
    assert "write --to redis://host" in move(crawled, "somewhere").said
    assert "cret" not in move(crawled, "rdis://me:cret@host/0").said
    assert "nothing is lost" in move(crawled, "redis://127.0.0.1:1/0").said
    crawled.topic(name="never")
    ended = crawled.run("topic", "move", "never", "--to", server.url)
    assert (ended.status, "never was never crawled here" in ended.said) == (2, True)
    ended = crawled.run("topic", "move", "never", "--to", "file", "-s", f"REDIS_URL={server.url}")
    assert (ended.status, "has no crawl never" in ended.said) == (2, True)
    assert not server.client().keys("never:*"), "a refusal has left something"

    web.news(3)
    web.pause = 1.0
    running = crawled.start("crawl", "news")
    until(lambda: bool(web.asked()))
    ended = move(crawled, server.url)
    assert (ended.status, "already running" in ended.said) == (2, True)
    running.terminate()
    running.communicate()
    web.pause = 0.0

    moved(crawled, server.url)
    ended = crawled.crawl()
    assert ended.status != 0
    assert "was moved to a Redis" in ended.said
    kept = crawled.data / "news.crawl.db.moved"
    (crawled.data / "news.crawl.db").write_bytes(kept.read_bytes())
    ended = move(crawled, server.url)
    assert (ended.status, "has a crawl news already" in ended.said) == (2, True)
    ended = move(crawled, "file", "-s", f"REDIS_URL={server.url}")
    assert (ended.status, "is there already" in ended.said) == (2, True)
    crawled.server = server
    ended = crawled.crawl()
    assert ended.status != 0
    assert "pages are known in" in ended.said


def test_a_move_that_was_cut_off_is_made_whole_by_the_next_and_nobody_begins_meanwhile(
    crawled: Project, server: RedisServer
) -> None:
    client = server.client()
    path = crawled.data / "news.crawl.db"
    what = f"from {path} to Redis at {server.url.removeprefix('unix://')}"
    client.hset("news:focuscrawl:run", mapping={"moving": what, "version": "1"})
    client.hset("news:focuscrawl:rows:1", "half of a row", "is nothing")
    crawled.server = server
    path.rename(crawled.data / "aside")
    ended = crawled.crawl()
    assert ended.status != 0
    assert "this crawl is being moved (from" in ended.said
    (crawled.data / "aside").rename(path)
    said = moved(crawled, server.url)
    assert "0 URLs that wait" in said
    assert not client.hgetall("news:focuscrawl:rows:1")
    ended = crawled.crawl()
    assert "continued" in ended.line("topic news: data")


@pytest.mark.program
def test_a_crawl_that_three_workers_went_on_with_and_that_came_back_tells_what_one_alone_does(
    project: Project, web: Web, server: RedisServer
) -> None:
    linked(web)
    project.topic(TOPIC, "stays", sources=SOURCES)
    assert project.crawl(name="stays").status == 0
    alone = [told(project, "stays"), project.outcomes("stays")]
    project.topic(TOPIC, sources=SOURCES)
    web.pause = 0.3
    project.crawl_killed(30)
    moved(project, server.url)
    before = len(web.asked())
    words = ("crawl", "news", "-s", f"REDIS_URL={server.url}")
    three = [project.start(*words, FOCUSCRAWL_LEASE="3s") for _ in range(3)]
    until(lambda: _owners(server) == 3 and len(web.asked()) >= before + 20)
    for one in three:
        one.terminate()
    for one in three:
        said, _ = one.communicate()
        assert one.returncode == 0, said
        assert "Traceback" not in said
    assert {*project.outcomes()} < {*alone[1]}, "stopped half-way"
    ended = move(project, "file", "-s", f"REDIS_URL={server.url}")
    assert ended.status == 0, ended.said
    assert project.crawl().status == 0
    assert [told(project, "news"), project.outcomes()] == alone
    assert found(project) == found(project, "stays")


def told(project: Project, name: str) -> set[frozenset[str]]:
    """Return the stories by the pages they have."""
    return told_together(project.rows("SELECT story_id, url_key FROM story_members", name))


def _owners(server: RedisServer) -> int:
    """Count the workers that hold partitions."""
    owners: Any = server.client().hgetall("news:focuscrawl:owners")
    return len({owner.partition(b":")[2] for owner in owners.values()} - {b"", b"?"})
