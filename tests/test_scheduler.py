"""Which scheduler a command gets, and what it needs of Scrapy; the rest is seen in whole crawls."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler

from focuscrawl.features.explore.ledger import Ledger
from focuscrawl.features.explore.portfolio import Arms, Portfolio, PortfolioRules
from focuscrawl.features.explore.table import ExploreTable
from focuscrawl.frontier.levels import Factor, LevelOrder, LevelRules
from focuscrawl.kernel.run import Run
from focuscrawl.kernel.transport.slots import EngineChanged, Slots, only_looks
from focuscrawl.scheduler import MemoryScheduler, Scheduler
from focuscrawl.template.load import load
from focuscrawl.template.template import Template


class Mine(Spider):
    name = "mine"


class Looking(Spider):
    name = "looking"


async def _start(self: Spider) -> None:
    """Stand for the start that scrapy fetch and parse put into a spider."""


_start.__module__ = "scrapy.commands.fetch"
Looking.start = _start  # type: ignore[assignment, method-assign]


def crawler(tmp_path: Path, spider: type[Spider] = Mine, **settings: object) -> Crawler:
    return get_crawler(spider, {"FOCUSCRAWL_DATA_DIR": str(tmp_path / "data"), **settings})


def test_commands_that_look_at_pages_get_a_plain_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = crawler(tmp_path, DUPEFILTER_CLASS="scrapy.dupefilters.BaseDupeFilter")
    assert only_looks(shell)
    assert isinstance(Scheduler.from_crawler(shell), MemoryScheduler)
    assert isinstance(Scheduler.from_crawler(crawler(tmp_path, Looking)), MemoryScheduler)
    assert isinstance(Scheduler.from_crawler(crawler(tmp_path)), Scheduler)
    monkeypatch.setenv("SCRAPY_CHECK", "true")
    assert isinstance(Scheduler.from_crawler(crawler(tmp_path)), MemoryScheduler)
    assert not (tmp_path / "data").exists()


class OwnScheduler(Scheduler):
    """A project's own: seven levels, and a tunnel of two steps."""

    @staticmethod
    def queues(template: Template) -> LevelOrder:
        return LevelOrder(LevelRules(levels=7), Factor())

    @staticmethod
    def tunnel(table: ExploreTable, ledger: Ledger, random: Random) -> Portfolio:
        return Portfolio(PortfolioRules(steps=2), ledger, Arms(1, random))


EXPLORING = (
    'topic.name = "x"\ntopic.keywords = ["食品"]\nfollow.scope = "web"\n'
    '[[source]]\nurl = "http://a.cn/"\n'
)


@pytest.mark.parametrize(
    ("scheduler", "levels", "steps"),
    [
        (OwnScheduler, 7, 2),
        (f"{__name__}.OwnScheduler", 7, 2),
        (Scheduler, 5, 10),
        ("scrapy.core.scheduler.Scheduler", 5, 10),  # which builds neither: ours does
    ],
)
def test_the_scheduler_of_a_project_builds_its_queues_and_its_tunnel(
    scheduler: object,
    levels: int,
    steps: int,
    tmp_path: Path,
) -> None:
    template = load(EXPLORING).template
    run = Run.begin(crawler(tmp_path, SCHEDULER=scheduler), "x", template)
    order = run.frontier.exploration
    assert run.frontier.rules.levels == levels
    assert isinstance(order, Portfolio)
    assert order.rules.steps == steps


def test_a_plain_queue_gives_back_what_it_got_in_order() -> None:
    queue = MemoryScheduler()
    assert not queue.has_pending_requests()
    assert queue.next_request() is None
    requests = [Request("http://a.cn/") for _ in range(3)]
    assert all(queue.enqueue_request(request) for request in requests)
    assert queue.has_pending_requests()
    assert [queue.next_request() for _ in range(4)] == [*requests, None]


def test_a_scheduler_that_is_not_open_takes_nothing(tmp_path: Path) -> None:
    scheduler = Scheduler.from_crawler(crawler(tmp_path))
    assert not scheduler.has_pending_requests()
    assert not scheduler.enqueue_request(Request("http://a.cn/"))
    assert scheduler.next_request() is None
    assert not (tmp_path / "data").exists()


def test_an_engine_that_hides_its_requests_is_refused(tmp_path: Path) -> None:
    found = crawler(tmp_path)
    found.engine = SimpleNamespace(_slot=None)  # type: ignore[assignment]
    slots = Slots(found)
    with pytest.raises(EngineChanged, match="use Scrapy"):
        slots.open()
    with pytest.raises(EngineChanged):
        slots.in_progress()


def test_either_view_of_unfinished_requests_will_do(tmp_path: Path) -> None:
    first, second, third = (Request(f"http://a.cn/{number}") for number in range(3))
    found = crawler(tmp_path)
    downloader = SimpleNamespace(active={first}, handlers=SimpleNamespace())
    found.engine = SimpleNamespace(  # type: ignore[assignment]
        _slot=SimpleNamespace(inprogress={first}), downloader=downloader
    )
    slots = Slots(found)
    slots.open()
    assert first in slots.in_progress()
    assert second not in slots.in_progress()

    working = SimpleNamespace(active={second}, queue=[(None, third, None)])
    found.engine = SimpleNamespace(  # type: ignore[assignment]
        downloader=downloader, scraper=SimpleNamespace(slot=working)
    )
    slots = Slots(found)
    slots.open()
    assert all(request in slots.in_progress() for request in (first, second, third))
    assert slots.is_with_spider(second)
    assert slots.is_with_spider(third)
    assert not slots.is_with_spider(first)
