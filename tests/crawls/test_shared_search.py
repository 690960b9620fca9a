"""Searches of one crawl on several workers: what became of each seed is said of all of them together (C2, C8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focuscrawl.urls.sites import partition_of
from tests.crawls.test_search_again import TOPIC, engine, site
from tests.crawls.test_shared import NOTHING_LEFT, Workers, two, until, workers

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

__all__ = ["workers"]
pytestmark = [pytest.mark.C2, pytest.mark.of_a_file, pytest.mark.program]

HOSTS = [f"{letter}.test" for letter in "abcdefgh"]
USELESS, GONE = ("c.test", "f.test"), ("d.test", "g.test")
TEXT = TOPIC.format(search="")


def searched(web: Web) -> None:
    """Let an engine show eight sites, of which two have nothing to say, and two are gone."""
    engine(web, *HOSTS)
    for place, host in enumerate(HOSTS):
        site(web, host, *range(10 * place, 10 * place + 5))
    for host in USELESS:
        web.answers[f"http://{host}/"] = web.say("<html><p>敬请期待</p></html>")
    for host in GONE:
        del web.answers[f"http://{host}/"]


def seeds(project: Project, name: str) -> dict[str, tuple[str, int]]:
    """Return what became of each seed."""
    rows = project.rows("SELECT url, state, useful FROM seeds", name=name)
    return {row["url"]: (row["state"], row["useful"]) for row in rows}


EXPECTED = {f"http://{host}/": ("useful", 5) for host in HOSTS}
EXPECTED |= {f"http://{host}/": ("useless", 0) for host in USELESS}
EXPECTED |= {f"http://{host}/": ("gone", 0) for host in GONE}


def test_seeds_of_two_workers_end_as_those_of_one(
    project: Project, web: Web, workers: Workers
) -> None:
    searched(web)
    project.write("topics/alone.toml", TEXT)
    assert project.crawl(name="alone").status == 0
    assert seeds(project, "alone") == EXPECTED
    project.write(f"topics/{workers.name}.toml", TEXT)
    web.pause = 0.3
    first, second = two(web, workers)
    assert [workers.ended(one).status for one in (first, second)] == [0, 0]
    assert seeds(project, workers.name) == EXPECTED
    assert workers.left() == NOTHING_LEFT


@pytest.mark.parametrize("who", ["the one that leads", "the other"])
def test_seeds_of_a_worker_that_is_killed_are_not_forgotten(
    project: Project, web: Web, workers: Workers, who: str
) -> None:
    searched(web)
    project.write(f"topics/{workers.name}.toml", TEXT)
    first, second = two(web, workers)
    web.pause = 0.4
    shown = [f"http://{host}/" for host in HOSTS if partition_of(host) != 0]
    until(lambda: sum(web.times(url) for url in shown) >= 4)
    until(lambda: any(state == "taken" for state, _ in seeds(project, workers.name).values()))
    killed, left = (first, second) if who == "the one that leads" else (second, first)
    killed.kill()
    killed.communicate()
    assert workers.ended(left).status == 0
    assert seeds(project, workers.name) == EXPECTED
