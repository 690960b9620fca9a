"""Sites are left in peace across workers, with a delay that is longer than a lease and than all looks for the dead.

With a shorter one the lease itself is the pause, and the test would see nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.crawls.test_shared import Workers, until, workers

if TYPE_CHECKING:
    from tests.programs import Running
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.B1, pytest.mark.of_a_file]
__all__ = ["workers"]  # a fixture

HOSTS = [f"{letter}.test" for letter in "abcdefghijklmnop"]
DELAY = 8.0
"""Seconds. With three, a machine with twenty other processes took the sites over when it had passed."""

LEASE = "1.5s"
PAGES = 50
"""Of a site: nine were all fetched before three workers stood, beside twenty other processes."""


def held_by(workers: Workers, running: Running) -> set[str]:
    """Return the sites that a worker may ask."""
    return {host for host in HOSTS if f":{running.pid}" in workers.who_holds(host)}


def last_asked(web: Web, hosts: set[str]) -> dict[str, float]:
    """Return when each site was asked for the last time."""
    return {one.host: one.at for one in web.asked() if one.host in hosts}


def was_asked_just_now(web: Web, hosts: set[str]) -> bool:
    latest = max(last_asked(web, hosts).values(), default=0.0)
    return time.monotonic() - latest < DELAY / 10


def test_a_worker_that_takes_sites_from_one_that_left_and_one_that_died_leaves_them_for_their_delay(
    project: Project, web: Web, workers: Workers
) -> None:
    """They are taken long before their delay is over: that is seen first."""
    for host in HOSTS:
        pages = [f"http://{host}/news/{number}.html" for number in range(PAGES)]
        web.board(f"http://{host}/", *pages)
        for number, page in enumerate(pages):
            web.article(page, number)
    sources = " ".join(f"http://{host}/" for host in HOSTS)
    workers.topic(f'[politeness]\ndelay = "{DELAY:g}s"\nrobots = false\n[settings]\n', sources)
    three = [workers.start(FOCUSCRAWL_LEASE=LEASE) for _ in range(3)]
    until(lambda: len(workers.held()) == 3 and len(web.asked()) >= len(HOSTS))
    until(lambda: max(workers.held().values()) - min(workers.held().values()) <= 1)
    left, died, stays = three
    parts = {"left": held_by(workers, left), "died": held_by(workers, died)}
    until(lambda: all(was_asked_just_now(web, hosts) for hosts in parts.values()))
    left.terminate()
    died.kill()
    until(lambda: [*workers.held().values()] == [64])
    taken = time.monotonic()
    before = last_asked(web, parts["left"] | parts["died"])
    soon = {host for host, at in before.items() if taken - at < 0.8 * DELAY}
    for what, hosts in parts.items():
        assert hosts & soon, f"no site of the worker that {what} was taken while it was to be left"
    until(lambda: all(at > before[host] for host, at in last_asked(web, soon).items()))
    stays.kill()
    assert "Traceback" not in stays.communicate()[0]
    gaps = {host: min(web.gaps(host)) for host in HOSTS if web.gaps(host)}
    assert min(gaps.values()) > 0.95 * DELAY, gaps
