"""A search cycle over the demo web's engines, as a crawl drives it."""

import json
from typing import Any

import pytest

from focuscrawl.demo.engine import ADS, ENGINE, STRICT_ENGINE
from focuscrawl.demo.web import DemoWeb
from focuscrawl.features.search.cycle import SEARCH_FACT, SEED_FACT, SearchCycle, SearchStep
from focuscrawl.features.search.plan import SearchRequest
from focuscrawl.features.search.seeds import Seed, SeedState
from focuscrawl.readers.pages.content import Fetched
from focuscrawl.template.load import load
from focuscrawl.template.template import Template
from focuscrawl.urls.canonical import Canonicalizer

pytestmark = pytest.mark.C2

DAY = 86_400.0
TEMPLATE = """[topic]
name = "food"
[search]
engines = [{engines}]
queries = ["食品|召回"]
areas = ["四川"]
results = 30
every = "7d"
strict = {strict}
"""
ENGINE_TABLE = """
[search.engine.{name}]
url = "http://{host}/s?wd={{query}}&pn={{first}}"
results = "css:div.result"
link = "css:h3 a::attr(href)"
title = "css:h3"
snippet = "css:.abstract"
date = "css:.date"
"""


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb(seed=1)


class Crawl:
    """Drives cycles and keeps their facts, as the scheduler and the store do."""

    def __init__(self, web: DemoWeb, engines: str = '"open"', strict: str = "false") -> None:
        text = TEMPLATE.format(engines=engines, strict=strict)
        text += ENGINE_TABLE.format(name="open", host=ENGINE)
        text += ENGINE_TABLE.format(name="captcha", host=STRICT_ENGINE)
        self.template: Template = load(text).template
        self.web = web
        self.stored: dict[tuple[str, str], Any] = {}
        self.queued: list[Seed] = []
        self.lost: list[Seed] = []
        self.said: list[str] = []
        self.asked: list[str] = []

    def cycle(self, now: float) -> SearchCycle:
        seeds = {key: plain for (kind, key), plain in self.stored.items() if kind == SEED_FACT}
        state = self.stored.get((SEARCH_FACT, ""))
        return SearchCycle(self.template, Canonicalizer(), seeds, state, now)

    def take(self, cycle: SearchCycle, taken: SearchStep) -> list[SearchRequest]:
        self.queued += taken.seeds
        self.lost += taken.lost
        self.said += [taken.said] if taken.said else []
        for key, value in cycle.facts().items():
            self.stored[key] = json.loads(json.dumps(value))
        return list(taken.requests)

    def fetched(self, request: SearchRequest, day: float) -> Fetched:
        host = request.url.split("/")[2]
        page = self.web.sites[host].page(request.url, day)
        assert page is not None
        self.asked.append(request.url)
        return Fetched(request.url, 200, page.body, "", day * DAY)

    def run(self, now: float, most: int = 1000) -> SearchCycle:
        """Search until nothing is left or so many requests are made."""
        cycle = self.cycle(now)
        waiting = self.take(cycle, cycle.start(now))
        while waiting and most:
            request = waiting.pop(0)
            most -= 1
            taken = cycle.answered(request, self.fetched(request, now / DAY))
            waiting += self.take(cycle, taken)
        return cycle


def test_organic_results_become_seeds_and_advertisements_do_not(web: DemoWeb) -> None:
    crawl = Crawl(web)
    cycle = crawl.run(2 * DAY)
    assert cycle.plan.done
    assert len(crawl.queued) == len({seed.url for seed in crawl.queued}) > 30
    assert not [seed for seed in crawl.queued if ADS in seed.url or ENGINE in seed.url]
    priorities = {seed.rank: cycle.seeds.priority(seed) for seed in crawl.queued}
    assert priorities[1] > priorities[10] > priorities[30]
    assert all(find.title and find.snippet for seed in crawl.queued for find in seed.finds)


def test_a_run_that_ends_in_the_middle_is_continued(web: DemoWeb) -> None:
    whole, parts = Crawl(web), Crawl(web)
    whole.run(2 * DAY)
    for _ in range(20):
        parts.run(2 * DAY, most=1)
    assert parts.asked == whole.asked
    assert [seed.url for seed in parts.queued] == [seed.url for seed in whole.queued]


def test_a_cycle_that_is_done_is_not_asked_again_before_its_time(web: DemoWeb) -> None:
    crawl = Crawl(web)
    crawl.run(2 * DAY)
    asked, queued = len(crawl.asked), len(crawl.queued)
    crawl.run(8.8 * DAY)
    assert (len(crawl.asked), len(crawl.queued)) == (asked, queued)
    cycle = crawl.run(9.1 * DAY)
    assert cycle.seeds.cycle == 2
    assert len(crawl.asked) > asked
    first, second = crawl.queued[:queued], crawl.queued[queued:]
    assert len({seed.key for seed in second}) == len(second)
    assert {seed.key for seed in first} & {seed.key for seed in second}  # walked anew (C8)


def test_what_is_no_longer_found_is_to_be_confirmed(web: DemoWeb) -> None:
    crawl = Crawl(web)
    crawl.run(2 * DAY)
    cycle = crawl.run(20 * DAY)
    missing = {
        seed.key
        for seed in cycle.seeds.seeds.values()
        if any(find.missing_since for find in seed.finds)
    }
    assert missing
    assert {seed.key for seed in crawl.lost} == missing


def test_a_captcha_is_said_and_the_other_engine_goes_on(web: DemoWeb) -> None:
    crawl = Crawl(web, '"captcha", "open"')
    cycle = crawl.run(2 * DAY)
    assert list(cycle.plan.stopped) == ["captcha"]
    assert [line for line in crawl.said if "captcha is not asked any more" in line]
    assert crawl.queued
    assert not cycle.plan.refused


def test_a_cycle_without_any_answer_is_refused(web: DemoWeb) -> None:
    crawl = Crawl(web, '"captcha"')
    cycle = crawl.run(2 * DAY)
    assert cycle.plan.refused
    assert not crawl.queued


def test_the_run_after_a_refused_one_asks_again(web: DemoWeb) -> None:
    crawl = Crawl(web, '"captcha"')
    crawl.run(2 * DAY)
    cycle = crawl.run(3 * DAY)
    assert len(crawl.asked) == 2
    assert cycle.plan.begun == 3 * DAY
    assert cycle.plan.refused


def test_robots_that_forbid_stop_an_engine_without_a_request(web: DemoWeb) -> None:
    crawl = Crawl(web)
    cycle = crawl.cycle(0.0)
    crawl.take(cycle, cycle.start(0.0))
    crawl.take(cycle, cycle.not_answered("open", "robots.txt forbids its result pages", 0.0))
    assert cycle.plan.refused
    assert crawl.said == [
        "open is not asked any more in this cycle: robots.txt forbids its result pages"
    ]


def test_strict_draws_one_seed_after_the_other_once_all_are_known(web: DemoWeb) -> None:
    crawl = Crawl(web, strict="true")
    cycle = crawl.run(2 * DAY)
    assert not crawl.queued
    drawn = []
    while seed := cycle.seeds.draw():
        assert cycle.seeds.draw() is None
        drawn.append(seed)
        cycle.seeds.led_to(seed.key, len(drawn) % 2)
        cycle.seeds.finished(seed.key)
        crawl.take(cycle, SearchStep())
        cycle = crawl.cycle(2 * DAY)  # each time in a run of its own
    states = [seed.state for seed in cycle.seeds.order]
    assert set(states) == {SeedState.USEFUL, SeedState.USELESS, SeedState.SKIPPED}
    assert states.count(SeedState.SKIPPED) + len(drawn) == len(states)
    assert states[:10].count(SeedState.SKIPPED) < states[-10:].count(SeedState.SKIPPED)


def test_other_searches_begin_a_cycle_of_their_own(web: DemoWeb) -> None:
    crawl = Crawl(web)
    crawl.run(2 * DAY)
    crawl.template = load(
        TEMPLATE.format(engines='"open"', strict="false").replace("食品|召回", "中毒")
        + ENGINE_TABLE.format(name="open", host=ENGINE)
    ).template
    cycle = crawl.run(3 * DAY)
    assert cycle.seeds.cycle == 2
    assert any("%E4%B8%AD%E6%AF%92" in url for url in crawl.asked)
