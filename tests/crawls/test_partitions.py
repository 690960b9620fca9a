"""Partitions that are let go of and taken again in the midst of a crawl: nothing shows of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.B1, pytest.mark.of_a_file]

HOSTS = [f"{letter}.test" for letter in "abcdefgh"]
ARTICLES = 12
"""Articles of each site."""

FEWER_ARTICLES, FEWER_HOSTS = 8, HOSTS[:6]
"""With these the tests below take three seconds each."""

LETTING_GO = '''
import asyncio
import random

from focuscrawl.kernel.feature import Feature
from focuscrawl.urls.sites import PARTITION_BITS


class LetsGo(Feature):
    """Lets go of a half of the partitions, again and again, and takes them back a moment later."""

    name = "lets go"

    def __init__(self, kernel):
        super().__init__(kernel)
        self.is_under_way, self.times, self.is_over = False, 0, False
        self.random = random.Random(7)

    def tick(self):
        if not self.is_under_way and not self.is_over and self.kernel.flights:
            self.is_under_way = True
            self.kernel.items.beside(self.let_go)

    async def let_go(self):
        numbers = range(1 << PARTITION_BITS)
        chosen = self.random.sample(numbers, len(numbers) // 2)
        await self.kernel.partitions.release(chosen, 5.0)
        await asyncio.sleep(self.random.random() / 10)
        await self.kernel.partitions.take(chosen, anew=False)
        self.times += 1
        self.is_under_way = False

    def idle(self, *, is_over):
        self.is_over = is_over and not self.is_under_way
        return self.is_under_way

    def summary(self):
        return [("let go", f"{self.times} times")]
'''

LOSING = LETTING_GO.replace(
    "await self.kernel.partitions.release(chosen, 5.0)", "self.kernel.partitions.lose(chosen)"
)

TOPIC = """
[follow]
sites = ["test"]
depth = 40
[explore]
steps = 5
"""


def linked(web: Web, articles: int = ARTICLES, hosts: Sequence[str] = HOSTS) -> None:
    """Put lists on eight sites whose articles lead to each other's."""
    for place, host in enumerate(hosts):
        others = [*hosts[place + 1 :], *hosts[:place]]
        urls = [f"http://{host}/news/{number}.html" for number in range(articles)]
        web.board(f"http://{host}/", *urls[: articles // 2])
        for number, url in enumerate(urls):
            further = "".join(
                f'<p><a href="http://{other}/news/{(number + step) % articles}.html">食品抽检</a></p>'
                for step, other in enumerate(others[:3], start=1)
            )
            web.article(url, 100 * place + number, further)
    long = f"http://{HOSTS[0]}/news/long"
    web.article(f"{long}.html", 901, f'<a href="{long}_2.html">下一页</a>')
    web.article(f"{long}_2.html", 902)
    web.board(f"http://{HOSTS[0]}/", f"{long}.html", f"http://{HOSTS[0]}/news/0.html")
    web.pause = 0.2


def found(
    project: Project, name: str = "news"
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return what a crawl has to show, apart from when it was found."""
    articles = project.rows("SELECT url, title, length(text) FROM articles ORDER BY url", name)
    pages = project.rows("SELECT url, outcome, page_class FROM pages ORDER BY url", name)
    return [tuple(row) for row in articles], [tuple(row) for row in pages]


def crawled(project: Project, web: Web, **environment: str) -> Ended:
    before = len(web.asked())
    ended = project.crawl(**environment)
    assert ended.status == 0, ended.said
    asked = [one.url for one in web.asked()[before:]]
    assert len(asked) == len({*asked}), "no page was asked for twice"
    return ended


def test_a_crawl_that_lets_go_of_partitions_and_takes_them_again_finds_the_same(
    project: Project, web: Web
) -> None:
    linked(web, FEWER_ARTICLES, FEWER_HOSTS)
    web.pause = 0.3
    sources = " ".join(f"http://{host}/" for host in HOSTS[:3])
    project.topic(TOPIC, sources=sources)
    crawled(project, web)
    calm = found(project)
    project.write("letting_go.py", LETTING_GO)
    (project.data / "news.db").unlink()
    (project.data / "news.crawl.db").unlink()
    project.topic(TOPIC, sources=sources)
    ended = crawled(project, web, FOCUSCRAWL_FEATURES='{"letting_go.LetsGo": 500}')
    now = found(project)
    for one, other in zip(now, calm, strict=True):
        assert set(one).symmetric_difference(other) == set()
    assert int(re.findall(r"let go +(\d+) times", ended.said)[0]) > 3, ended.said
    assert len(calm[0]) > 40


def test_a_crawl_that_loses_partitions_goes_on_and_finds_the_same(
    project: Project, web: Web
) -> None:
    linked(web, FEWER_ARTICLES, FEWER_HOSTS)
    sources = " ".join(f"http://{host}/" for host in HOSTS[:3])
    explores = TOPIC.replace('sites = ["test"]\n', "")
    project.topic(explores, sources=sources)
    crawled(project, web)
    calm = found(project)
    (project.data / "news.db").unlink()
    (project.data / "news.crawl.db").unlink()
    web.pause = 0.35
    project.write("losing.py", LOSING)
    ended = project.crawl(FOCUSCRAWL_FEATURES='{"losing.LetsGo": 500}')
    assert ended.status == 0, ended.said
    assert "Traceback" not in ended.said
    assert found(project) == calm
    assert int(re.findall(r"let go +(\d+) times", ended.said)[0]) > 3, ended.said
