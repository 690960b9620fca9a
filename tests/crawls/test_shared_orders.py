"""What a person orders while several workers crawl a topic: each hears of it with its next beat (D5)."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from focuscrawl.features.explore.ledger import BAN_ORDER
from focuscrawl.stores.redis.workers import crawl_seen, give_order, is_followed
from focuscrawl.stores.state.protocol import PARTITIONS
from focuscrawl.stores.state.topic_store import server_of
from tests.crawls.test_partitions import HOSTS
from tests.crawls.test_shared import MANY, Workers, slow, two, until, workers

if TYPE_CHECKING:
    from focuscrawl.stores.redis.server import Server
    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

__all__ = ["workers"]
pytestmark = [pytest.mark.program, pytest.mark.D5, pytest.mark.of_a_file]


def order(project: Project, workers: Workers, verb: str, *hosts: str) -> Ended:
    return project.run("topic", verb, workers.name, *hosts, "-s", f"REDIS_URL={workers.server.url}")


def one_of_each(workers: Workers) -> tuple[str, str]:
    """Return a site of each worker, the first of those that sources name."""
    by_worker = {workers.who_holds(host): host for host in reversed(HOSTS[:3])}
    by_worker |= {workers.who_holds(host): host for host in reversed(HOSTS)}
    first, second = by_worker.values()
    return first, second


LOOKS_APART = 100.0
"""Milliseconds: a beat that also looks who is there renews its lease twice."""


def lease(workers: Workers, worker: str) -> float:
    """Return until when a worker has its partitions, in milliseconds: each beat moves it on."""
    return float(workers.server.client().zscore(f"{workers.name}:focuscrawl:workers", worker) or 0)


def server_there(workers: Workers) -> Server:
    return server_of(workers.name, Settings({"REDIS_URL": workers.server.url}))


def asked(web: Web, host: str) -> list[float]:
    return [one.at for one in web.asked() if one.host == host]


def test_a_ban_is_heard_by_whoever_has_the_site_and_no_page_of_it_is_asked_for_again(
    project: Project, web: Web, workers: Workers
) -> None:
    slow(web, workers, "700ms", MANY)
    first, second = two(web, workers)
    banned = one_of_each(workers)
    until(lambda: all(len(asked(web, host)) > 2 for host in banned))
    said = order(project, workers, "ban", *banned)
    after = time.monotonic()
    assert said.status == 0, said.said
    for host in banned:
        assert f"{host}: banned until it is unbanned, and the 2 workers at work know" in said.said
    assert [workers.ended(one).status for one in (first, second)] == [0, 0]
    for host in banned:
        assert max(asked(web, host)) < after
        assert len(asked(web, host)) < 10
    others = set(HOSTS[:3]) - set(banned)
    assert all(len(asked(web, host)) > 10 for host in others), "the crawl went on"
    listed = order(project, workers, "sites").said
    assert listed.count("banned by hand until it is unbanned") == 2, listed
    lifted = order(project, workers, "unban", *banned)
    assert lifted.said.count("no longer banned") == 2, "nobody works on it: it is done at once"


def test_an_order_outlives_the_worker_that_has_not_heard_it(
    project: Project, web: Web, workers: Workers
) -> None:
    slow(web, workers, "700ms", MANY)
    first, second = two(web, workers)
    host = HOSTS[0]
    until(lambda: len(asked(web, host)) > 1)
    is_first = f":{first.pid}:" in workers.who_holds(host)
    dies, left = (first, second) if is_first else (second, first)
    dies.send_signal(signal.SIGSTOP)
    before = len(asked(web, host))
    with closing(server_of(workers.name, Settings({"REDIS_URL": workers.server.url}))) as server:
        give_order(server, host, BAN_ORDER)
        dies.kill()
        dies.communicate()
        assert not is_followed(server, host, BAN_ORDER)
        ended = workers.ended(left)
        assert ended.status == 0
        assert is_followed(server, host, BAN_ORDER)
    assert len(asked(web, host)) == before
    assert f"{host} is banned by hand: nothing of it is asked for" in ended.said


def test_the_last_order_counts_though_nobody_has_heard_the_one_before(
    project: Project, web: Web, workers: Workers
) -> None:
    urls = slow(web, workers, "100ms", MANY)
    running = workers.start()
    until(lambda: len(asked(web, HOSTS[0])) > 1)
    running.send_signal(signal.SIGSTOP)
    with closing(server_there(workers)) as server:
        give_order(server, HOSTS[0], BAN_ORDER)
        running.kill()
        running.communicate()
        until(lambda: not any(one.left >= 0 for one in crawl_seen(server, PARTITIONS).workers))
    said = order(project, workers, "unban", HOSTS[0]).said
    assert f"{HOSTS[0]}: was not banned" in said, "no crawl has heard that it is"
    assert workers.ended(workers.start()).status == 0
    assert {one.url for one in web.asked()} >= urls


def test_no_page_is_begun_after_the_second_beat_that_follows_the_order(
    project: Project, web: Web, workers: Workers
) -> None:
    """Beats are watched in Redis, so that a machine that stands still for a while is no slow crawl."""
    slow(web, workers, "100ms", MANY)
    host = HOSTS[0]
    urls = [f"http://{host}/more/{number}.html" for number in range(400)]
    web.board(f"http://{host}/", *urls)
    for number, url in enumerate(urls):
        web.article(url, 1000 + number)
    running = two(web, workers)
    until(lambda: len(asked(web, host)) > 10)
    holder = workers.who_holds(host)
    with closing(server_there(workers)) as server:
        give_order(server, host, BAN_ORDER)
        for _ in range(2):
            before = lease(workers, holder)
            while lease(workers, holder) <= before + LOOKS_APART:
                time.sleep(0.005)
        heard = time.monotonic()
        until(lambda: is_followed(server, host, BAN_ORDER))
    elsewhere = len(web.asked()) - len(asked(web, host))
    until(lambda: len(web.asked()) - len(asked(web, host)) > elsewhere + 10)
    assert max(asked(web, host)) <= heard
    for one in running:
        one.kill()
        one.communicate()


def test_a_page_that_waits_for_a_robots_txt_is_not_asked_for_when_its_site_is_banned_meanwhile(
    project: Project, web: Web, workers: Workers
) -> None:
    slow(web, workers)
    host = HOSTS[0]
    robots = f"http://{host}/robots.txt"
    web.robots(host, "User-agent: *\nAllow: /\n")
    web.fail_first(robots, fault="hold", status=200)
    running = workers.start()
    until(lambda: web.times(robots) > 0)
    with closing(server_there(workers)) as server:
        give_order(server, host, BAN_ORDER)
        until(lambda: is_followed(server, host, BAN_ORDER))
    web.is_holding = False
    ended = workers.ended(running)
    assert ended.status == 0, ended.said
    assert asked(web, host) == []
