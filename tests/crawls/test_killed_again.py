"""Revisits killed at several moments: every page stays on the schedule, every change is told once."""

from __future__ import annotations

import signal
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.crawls.days import DAY, HOME, article

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.programs import Programs
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.program, pytest.mark.visit_states]

AT_ONCE = '[revisit]\ngone_after = 1\ngone_within = "0s"\n'
ARTICLES = 8

KILLING = '''
import asyncio
import os
import signal
from pathlib import Path

from focuscrawl.values import PageChange


class Kills:
    """Kills the crawl once, when a change has been on its way for longer than commits are apart."""

    async def process_item(self, item):
        marked = Path(__file__).with_name("marked")
        is_changed = isinstance(item, PageChange) and item.kind in ("minor", "major")
        if is_changed and not marked.exists():
            marked.touch()
            await asyncio.sleep(1.5)
            os.kill(os.getpid(), signal.SIGKILL)
        return item
'''


def shifted(day: float) -> dict[str, str]:
    return {"FOCUSCRAWL_SHIFT": str(day * DAY)}


def told(project: Project) -> Counter[tuple[str, str]]:
    """Return how often each change of each address was told."""
    rows = project.rows("SELECT kind, url FROM changes WHERE kind <> 'new'")
    return Counter((row["kind"], row["url"]) for row in rows)


def write_parts(web: Web, number: int) -> None:
    """Put an article of two pages somewhere; the second says which version it is."""
    web.article(article("long"), 40, more='<a href="/news/long_2.html">下一页</a>')
    web.article(article("long_2"), number)


class Cycle(NamedTuple):
    """A crawl, a cycle of visits that is killed four times, and a later one."""

    first: Project
    ended: Project
    asked: set[str]
    """What the cycle asked for."""
    later: Project


URLS = [*map(article, range(1, ARTICLES + 1)), article("long")]


@pytest.fixture(scope="module")
def cycle(new_project: Callable[[], Project], programs_of_module: Programs) -> Cycle:
    project = new_project()
    project.programs = programs_of_module
    web = project.web
    web.news(ARTICLES)
    write_parts(web, 41)
    web.board(HOME, *URLS)
    web.pause = 0.05
    project.topic(AT_ONCE)
    assert project.crawl().status == 0
    first = project.as_it_is()

    for number in (1, 2, 3):
        web.article(article(number), 70 + number)
    write_parts(web, 90)
    del web.answers[article(4)]
    before = len(web.asked())
    for answers in (1, 3, 4, 2):
        project.crawl_killed(answers, **shifted(1.1))
    ended = project.crawl(**shifted(1.1))
    assert ended.status == 0, ended.said
    asked = {one.url for one in web.asked()[before:]}
    cycle = project.as_it_is()
    assert project.crawl(**shifted(3)).status == 0
    return Cycle(first, cycle, asked, project.as_it_is())


def test_a_cycle_of_visits_that_is_killed_again_and_again_asks_for_all_that_is_due(
    cycle: Cycle,
) -> None:
    assert cycle.asked >= {HOME, *URLS, article("long_2")}
    assert cycle.ended.stored_rows() == 0


def test_a_cycle_of_visits_that_is_killed_again_and_again_loses_no_page(cycle: Cycle) -> None:
    assert set(cycle.first.states()) == {HOME, *URLS}
    kept = cycle.ended.states()
    assert set(kept) == {HOME, *URLS}
    assert [url for url, state in kept.items() if state.reserved is not None] == []
    assert {url for url, state in kept.items() if state.next_visit is None} == {article(4)}
    visits = [state.visits for url, state in kept.items() if url != article(4)]
    assert visits == [2] * (ARTICLES + 1)


def test_a_cycle_of_visits_that_is_killed_again_and_again_tells_each_change_once(
    cycle: Cycle,
) -> None:
    found = told(cycle.ended)
    changed = [url for kind, url in found.elements() if kind in ("minor", "major")]
    assert sorted(changed) == sorted([*map(article, (1, 2, 3)), article("long")])
    assert found.total() == len(changed) + found["gone", article(4)] == 5
    assert told(cycle.later) == found, "nor is what was told before a kill told again later"


def test_an_article_of_several_pages_is_whole_after_a_cycle_that_was_killed(cycle: Cycle) -> None:
    query = f"SELECT version, complete FROM articles WHERE url = '{article('long')}'"
    (row,) = cycle.ended.rows(query)
    assert tuple(row) == (2, 1)


@pytest.mark.gone_links
def test_a_page_that_may_be_back_is_looked_at_though_a_kill_came_after_its_list(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic(AT_ONCE)
    assert project.crawl().status == 0
    whole = web.answers.pop(article(1))
    assert project.crawl(**shifted(1.1)).status == 0
    assert told(project) == {("gone", article(1)): 1}

    web.answers[article(1)] = whole
    read = project.states()[HOME].last_fetched
    ended = project.crawl(kill=lambda: project.states()[HOME].last_fetched > read, **shifted(2.2))
    assert ended.status == -signal.SIGKILL, ended.said
    assert project.crawl(**shifted(2.2)).status == 0
    assert told(project) == {("gone", article(1)): 1, ("back", article(1)): 1}


@pytest.mark.both_stores
@pytest.mark.parts_stored
def test_a_change_that_was_on_its_way_when_a_kill_came_is_told_by_the_next_run(
    project: Project, web: Web
) -> None:
    web.news(ARTICLES)
    write_parts(web, 41)
    web.board(HOME, article("long"), *map(article, range(1, ARTICLES + 1)))
    web.pause = 0.1
    project.spider(KILLING, "ITEM_PIPELINES.update({'mine.spiders.Kills': 800})\n")
    project.topic()
    assert project.crawl().status == 0
    write_parts(web, 90)
    assert project.crawl(**shifted(1.1)).status == -signal.SIGKILL, "one change was on its way"
    assert not told(project)
    assert project.crawl(**shifted(1.1)).status == 0
    assert [url for _, url in told(project).elements()] == [article("long")]
    (row,) = project.rows(f"SELECT version, text FROM articles WHERE url = '{article('long')}'")
    assert row["version"] == 2
    assert "第90批" in row["text"]
