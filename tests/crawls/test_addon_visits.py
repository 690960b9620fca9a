"""Visits in any Scrapy project: pages that gave items are asked for again, and give those again only once they changed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from focuscrawl.addon.visits import first_interval, plain
from focuscrawl.config import ConfigError
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.crawls.days import DAY, HOME, article, run_on
from tests.crawls.test_addon import ITEMS, items, own
from tests.web import Answer

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


def run_on_command(project: Project, day: float, *command: str) -> str:
    """Run another command on a day; return what it said."""
    return project.run(*command, FOCUSCRAWL_SHIFT=str(day * DAY)).said


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


def test_what_came_before_a_callback_fails_goes_on_each_time(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    own(mine, NEWS + "        raise KeyError(response.url)\n", SWITCH)
    web.article(article(2), 77)
    run_on(mine, 1.2, "-o", ITEMS, name="mine", traceback=True)
    found = Counter(item["url"] for item in items(mine))
    assert found.keys() == {*map(article, range(1, 5))}
    assert min(found.values()) >= 2, "both, and again with each try of the frontier"
    own(mine, NEWS, SWITCH)
    assert given_on(mine, 2) == [article(2)] * 2, "nothing was learnt of it"


def test_a_page_that_gives_nothing_for_once_has_not_changed(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    own(
        mine,
        NEWS.replace("        yield {", "        if 'news/3' not in response.url: yield {"),
        SWITCH,
    )
    assert given_on(mine, 1.2) == []
    own(mine, NEWS, SWITCH)
    assert given_on(mine, 2.5) == []


def test_a_page_is_known_by_the_address_that_the_spider_asks_for(mine: Project, web: Web) -> None:
    own(mine, NEWS, SWITCH.replace('"url", ', ""))
    given_on(mine, 0)
    web.redirect(article(2), f"{HOME}moved/2.html")
    web.article(f"{HOME}moved/2.html", 77)
    for day, changed in ((1.2, 2), (2.5, 0)):
        before = web.times(article(2))
        assert len(given_on(mine, day)) == changed
        assert web.times(article(2)) == before + 1
    del web.answers[f"{HOME}moved/2.html"]
    for day in range(5, 22, 2):
        given_on(mine, day)
    asked = web.times(article(2))
    given_on(mine, 40)
    assert web.times(article(2)) == asked, "it is gone"


def test_what_the_frontier_tries_again_is_asked_for_once(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    web.answers[article(2)] = Answer(status=503)
    assert asked_on(mine, web, 1.2) >= 4
    before = web.times(article(2))
    given_on(mine, 1.4)
    assert web.times(article(2)) <= before + 2, "its own wait, and no visit beside it"


def test_a_command_that_looks_visits_nothing(mine: Project, web: Web) -> None:
    given_on(mine, 0)
    before = len(web.asked())
    looked = run_on_command(mine, 1.2, "parse", "--spider=mine", "-c", "parse", HOME)
    assert "visits" not in looked
    assert [one.url for one in web.asked()[before:]] == [HOME]


def test_where_another_process_holds_what_is_known_items_go_on_as_they_come(
    mine: Project, web: Web
) -> None:
    given_on(mine, 0)
    store = SQLiteStore(mine.data / "mine.visits.db")
    store.own()
    web.board(HOME, *map(article, range(1, 6)))
    web.article(article(5), 5)
    try:
        (mine.folder / ITEMS).unlink()
        ended = run_on(mine, 1.2, "-o", ITEMS, name="mine")
    finally:
        store.release()
    assert "Visits are switched off" in ended.said
    assert {item["url"] for item in items(mine)} == {article(5)}


def test_a_page_that_the_spider_begins_with_is_asked_for_once_by_each_run(
    mine: Project, web: Web
) -> None:
    counting = 'yield {"url": response.url, "title": response.css("li").get()}\n        yield from'
    own(mine, NEWS.replace("yield from", counting), SWITCH)
    for day, times in ((0, 1), (1.2, 2), (3, 3)):
        given_on(mine, day)
        assert web.times(HOME) == times
    own(mine, NEWS, SWITCH)
    given_on(mine, 5)
    own(mine, NEWS.replace("yield from", counting), SWITCH)
    assert HOME not in given_on(mine, 7)
    assert web.times(HOME) == 5


class Bare:
    """A value that says no more of itself than where it lies in memory."""

    def __init__(self, number: int) -> None:
        self.number = number


def test_values_of_items_say_the_same_in_every_process() -> None:
    assert repr(plain({"a": {"x", "y"}})) == repr(plain({"a": {"y", "x"}}))
    assert repr(plain({(1, 2): 1, "a": 2})) == repr(plain({"a": 2, (1, 2): 1}))
    assert repr(plain([Bare(1)])) == repr(plain([Bare(1)])) != repr(plain([Bare(2)]))
    assert repr(plain({"a": [1, {"b": {2}}]})) != repr(plain({"a": [1, {"b": {3}}]}))


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
