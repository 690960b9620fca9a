"""Visits in any Scrapy project: pages that gave items are asked for again, and give those again only once they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from focuscrawl.addon.visits import first_interval
from focuscrawl.config import ConfigError
from tests.crawls.days import DAY, HOME, article, run_on
from tests.crawls.test_addon import ITEMS, items, own

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

NEWS = """
import time

from scrapy import Spider


class Mine(Spider):
    name = "mine"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        yield from response.follow_all(css="a", callback=self.read, cb_kwargs={"list": response.url})

    def read(self, response, list):
        yield {"url": response.url, "title": response.css("h1::text").get(), "list": list}
        yield {"url": response.url, "text": "".join(response.css("div ::text").getall()), "seen": time.time()}
"""
SWITCH = 'FOCUSCRAWL_VISITS = "1d"\nFOCUSCRAWL_VISIT_FIELDS = ["url", "title", "text", "list"]\n'


@pytest.fixture
def mine(project: Project, web: Web) -> Project:
    """Make a project of a user's with four pages."""
    web.news(4)
    own(project, NEWS, SWITCH)
    return project


def given_on(project: Project, day: float) -> list[str]:
    """Crawl on a day; return the addresses of the items it gave."""
    (project.folder / ITEMS).unlink(missing_ok=True)
    ended = run_on(project, day, "-o", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    return [item["url"] for item in items(project)] if (project.folder / ITEMS).exists() else []


def asked_on(project: Project, web: Web, day: float) -> int:
    """Crawl on a day; return how many articles were asked for."""
    before = len(web.asked())
    given_on(project, day)
    return sum("/news/" in one.url for one in web.asked()[before:])


def test_a_page_that_has_changed_gives_all_its_items_again_and_the_others_none(
    mine: Project, web: Web
) -> None:
    assert len(given_on(mine, 0)) == 8
    assert given_on(mine, 0.1) == [], "nothing is due"
    web.article(article(2), 77)
    assert given_on(mine, 1.2) == [article(2)] * 2
    found = items(mine)
    assert found[0]["list"] == HOME, "its callback gets what it got"
    assert given_on(mine, 2.5) == []


def test_pages_that_stay_as_they_are_are_asked_for_ever_less(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    asked = [asked_on(mine, web, day) for day in (1.1, 2.2, 3.3, 4.4, 5.5, 6.6)]
    assert asked[0] == 4
    assert sum(asked) <= 16
    assert sum(asked[3:]) >= 4


def test_a_page_that_changes_each_day_is_asked_for_each_day(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    for day in range(1, 6):
        web.article(article(1), 100 + day)
        assert article(1) in given_on(mine, day * 1.1)


def test_a_page_that_is_gone_is_asked_for_no_more(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    del web.answers[article(3)]
    web.board(HOME, *map(article, (1, 2, 4)))
    for day in (1.1, 2.2, 3.3, 4.4, 5.5, 6.6):
        assert given_on(mine, day) == []
    asked = web.times(article(3))
    assert asked == 4, "once as it was, and three times before it counts as gone"
    given_on(mine, 40)
    assert web.times(article(3)) == asked


def test_what_a_pipeline_failed_on_is_given_again(mine: Project, web: Web) -> None:
    failing = """
class Failing:
    def process_item(self, item):
        if item.get("title", "").startswith("第2批"):
            raise RuntimeError("the database is away")
        return item
"""
    mine.write("mine/pipelines.py", failing)
    own(mine, NEWS, SWITCH + 'ITEM_PIPELINES = {"mine.pipelines.Failing": 300}\n')
    (mine.folder / ITEMS).unlink(missing_ok=True)
    run_on(mine, 0, "-o", ITEMS, name="mine", traceback=True)
    own(mine, NEWS, SWITCH + "FOCUSCRAWL_FRESH = True\n")
    assert given_on(mine, 0.5) == [article(2)] * 2


def test_requests_that_cannot_be_stored_are_told(mine: Project, web: Web) -> None:
    own(mine, NEWS.replace("callback=self.read", "callback=lambda r, list: {'url': r.url}"), SWITCH)
    ended = run_on(mine, 0, "-o", ITEMS, name="mine")
    assert "4 pages are not visited again" in ended.said
    assert len(items(mine)) == 4


@pytest.mark.parametrize(
    ("written", "found"), [(None, 0), (False, 0), (True, DAY), ("6h", DAY / 4), ("7d", 7 * DAY)]
)
def test_the_first_visit_comes_after_what_the_setting_says(written: Any, found: float) -> None:
    assert first_interval(Settings({"FOCUSCRAWL_VISITS": written})) == found


def test_what_is_no_duration_is_refused() -> None:
    with pytest.raises(ConfigError, match="FOCUSCRAWL_VISITS"):
        first_interval(Settings({"FOCUSCRAWL_VISITS": "daily"}))
