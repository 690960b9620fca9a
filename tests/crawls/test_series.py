"""Numbers by minute for charts: also a run of seconds leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl import extensions

if TYPE_CHECKING:
    import pytest

    from tests.project import Project
    from tests.web import Web


def test_a_run_leaves_its_numbers_of_the_last_minute(crawled: Project) -> None:
    rows = crawled.rows("SELECT minute, name, value FROM series")
    figures = {row["name"]: row["value"] for row in rows}
    assert (figures["pages"], figures["articles"], figures["waiting"]) == (4, 3, 0)
    assert figures["due"] == 0
    assert {"relevant", "in_flight", "errors", "level_1_len", "level_5_len"} <= figures.keys()
    assert all(row["minute"].endswith(":00.000Z") for row in rows)


def test_pages_that_are_due_and_wait_for_the_budget_are_counted(project: Project, web: Web) -> None:
    web.news(3)
    project.topic()
    assert project.crawl().status == 0
    project.topic('[revisit]\ncontinuous = true\nbudget = "1/h"\n[limits]\ntime = "3s"\n')
    assert project.crawl(FOCUSCRAWL_SHIFT=str(5 * 86_400)).status == 0
    rows = project.rows("SELECT value FROM series WHERE name = 'due' ORDER BY minute")
    assert 3 <= rows[-1]["value"] <= 4, "all articles; on a slow machine the list is under way"


LATE = """
import asyncio

from focuscrawl.scheduler import Scheduler
from scrapy.utils.defer import deferred_from_coro


class Late(Scheduler):
    \"\"\"Lets minutes pass between the last window of a run and its end.\"\"\"

    def close(self, reason):
        async def closed():
            await self._close(reason)
            await asyncio.sleep(0.5)

        return deferred_from_coro(closed())
"""


def test_a_minute_that_is_over_after_the_last_window_writes_nothing(
    project: Project, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 50 topics of one process that ended about the same minute five failed: their stores were closed."""
    for name in ("TICK", "MINUTE"):
        monkeypatch.setattr(extensions, name, 0.05)
    urls = web.news(2)
    project.spider(LATE, 'SCHEDULER = "mine.spiders.Late"\n')
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == urls
