"""What a person orders while several workers crawl a topic: each hears of it with its next beat (D5)."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from focuscrawl.explore.ledger import BAN_ORDER
from focuscrawl.store.redis.workers import give_order, is_followed
from focuscrawl.store.topic_store import server_of
from tests.crawls.test_partitions import HOSTS
from tests.crawls.test_shared import Workers, slow, two, until, workers

if TYPE_CHECKING:
    from tests.crawls.conftest import Ended, Project, Web

__all__ = ["workers"]
pytestmark = [pytest.mark.D5, pytest.mark.of_a_file]


def order(project: Project, workers: Workers, verb: str, *hosts: str) -> Ended:
    return project.run("topic", verb, workers.name, *hosts, "-s", f"REDIS_URL={workers.server.url}")


def one_of_each(workers: Workers) -> tuple[str, str]:
    """Return a site of each worker, the first of those that sources name."""
    by_worker = {workers.who_holds(host): host for host in reversed(HOSTS[:3])}
    by_worker |= {workers.who_holds(host): host for host in reversed(HOSTS)}
    first, second = by_worker.values()
    return first, second


def asked(web: Web, host: str) -> list[float]:
    return [one.at for one in web.asked() if one.host == host]


def test_a_ban_is_heard_by_whoever_has_the_site_and_no_page_of_it_is_asked_for_again(
    project: Project, web: Web, workers: Workers
) -> None:
    slow(web, workers, delay="700ms")
    first, second = two(web, workers)
    banned = one_of_each(workers)
    until(lambda: all(len(asked(web, host)) > 2 for host in banned))
    said = order(project, workers, "ban", *banned)
    after = time.time()
    assert said.status == 0, said.said
    for host in banned:
        assert (
            f"{host}: banned until it is unbanned, as the 2 workers at work have heard" in said.said
        )
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
    slow(web, workers, delay="700ms")
    first, second = two(web, workers)
    host = HOSTS[0]
    until(lambda: len(asked(web, host)) > 1)
    is_first = f":{first.pid}:" in workers.who_holds(host)
    dies, left = (first, second) if is_first else (second, first)
    dies.send_signal(signal.SIGSTOP)
    before = len(asked(web, host))
    with closing(server_of(workers.name, Settings({"REDIS_URL": workers.server.url}))) as server:
        order = give_order(server, host, BAN_ORDER)
        dies.kill()
        dies.communicate()
        assert not is_followed(server, host, order)
        ended = workers.ended(left)
        assert ended.status == 0
        assert is_followed(server, host, order)
    assert len(asked(web, host)) == before
    assert f"{host} is banned by hand: nothing of it is asked for" in ended.said
