"""Pages without a date that stood there from the beginning: a share of them is looked at each day."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, asked_each_day, asked_since, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.looks_back

PAGES, FEW = 30, 10


def wiki(web: Web, pages: int) -> list[str]:
    """Put a wiki whose pages say nothing of dates."""
    urls = sorted(web.news(pages))
    for url in urls:
        web.answers[url] = web.page(re.sub("<p>发布时间.*?</p>", "", web.body(url)))
    return urls


def test_pages_of_unknown_age_are_seen_again_within_three_weeks_and_not_all_at_once(
    project: Project, web: Web
) -> None:
    wiki(web, PAGES)
    project.topic()
    run_on(project, 0)
    asked = asked_each_day(project, web, range(1, 18), "/news/")
    assert max(asked) <= PAGES / 10, "a tenth a day, and what its list costs is part of it"
    assert sum(asked) >= PAGES
    assert all(state.visits >= 2 for state in project.states().values())


def test_one_that_came_later_is_visited_on_the_next_day(project: Project, web: Web) -> None:
    urls = wiki(web, FEW)
    web.board(HOME, *urls[1:])
    project.topic()
    run_on(project, 0)
    web.board(HOME, *urls)
    run_on(project, 1)
    run_on(project, 2.1)
    assert project.states()[urls[0]].visits == 2


@pytest.mark.parametrize("table", ['policy = "fixed"', "old = 0", "strict = true"])
def test_other_forms_visit_all_on_the_next_day(project: Project, web: Web, table: str) -> None:
    wiki(web, FEW)
    project.topic(f"[revisit]\n{table}\n")
    run_on(project, 0)
    before = len(web.asked())
    run_on(project, 1.1)
    assert asked_since(web, before, "/news/") == FEW
