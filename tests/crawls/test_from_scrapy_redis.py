"""A project made for scrapy-redis runs here after the steps of docs/from-scrapy-redis.md."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.servers.redis_server import RedisServer
    from tests.web import Web

pytestmark = [pytest.mark.B1, pytest.mark.program]

PAGES = 12
KEY, ITEMS = "mycrawler:start_urls", "mycrawler:items"
PIPELINE = """
class ExamplePipeline:
    def process_item(self, item):
        return {**item, "seen_by": "mine"}
"""
STANDING_IN = "DOWNLOAD_DELAY = 0.2\nRETRY_TIMES = 0\n"


@pytest.fixture
def example(project: Project) -> Project:
    """The example project of scrapy-redis with the settings and the spider of the page."""
    page = (project.root / "docs/from-scrapy-redis.md").read_text("utf-8")
    settings, spider = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    project.write("scrapy.cfg", "[settings]\ndefault = example.settings\n")
    project.write("example/__init__.py", "")
    project.write("example/settings.py", settings + STANDING_IN)
    project.write("example/pipelines.py", PIPELINE)
    project.write("example/spiders/__init__.py", "")
    project.write("example/spiders/mycrawler.py", spider)
    return project


def test_the_example_project_of_scrapy_redis_loses_nothing_when_it_is_killed(
    example: Project, web: Web, redis_of_tests: RedisServer
) -> None:
    paths = [f"http://a.test/{number}.html" for number in range(PAGES)]
    for number, url in enumerate(paths):
        following = paths[(number + 1) % PAGES]
        links = f'<title>page {number}</title><a href="{following}">on</a>'
        web.answers[url] = web.page(links)
    client = redis_of_tests.client()
    client.delete(KEY, ITEMS)
    client.lpush(KEY, paths[0])
    command = ("crawl", "mycrawler", "-s", f"REDIS_URL={redis_of_tests.url}")

    example.run(*command, kill=lambda: len(web.asked()) > PAGES // 2, traceback=True)
    assert len(web.asked()) < PAGES, "it had ended before it was killed"
    ended = example.run(*command)

    assert ended.status == 0, ended.said
    stored: Any = client.lrange(ITEMS, 0, -1)
    items = {item["url"]: item for item in map(json.loads, stored)}
    # The start page is its spider's `parse`, which gives no item.
    assert sorted(items) == sorted(paths[1:])
    assert items[paths[1]]["name"] == "page 1"
    assert items[paths[1]]["seen_by"] == "mine"
    assert client.llen(KEY) == 0
