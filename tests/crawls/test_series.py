"""Numbers by minute for charts: also a run of seconds leaves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.crawls.conftest import Project, Web


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
