"""Young articles that no sign speaks of: a daily run looks at half of those of the last week and at a fifth of the others,
and at all once one has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focuscrawl.features.revisit.agenda import FEWEST_YOUNG, FRESH_WITHIN, YOUNG_WITHIN
from tests.crawls.days import HOME, article, asked_each_day, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.young_pages

PAGES = 36


def looks(project: Project, web: Web, day: float, home: str = HOME) -> int:
    """Return how many articles of a site a run asks for."""
    before = len(web.asked())
    assert run_on(project, day).status == 0
    asked = {one.url for one in web.asked()[before:]} & web.answers.keys()
    return sum(url.startswith(f"{home}news/") for url in asked)


def test_half_of_the_fresh_are_looked_at_by_a_daily_run_and_each_within_two_days(
    project: Project, web: Web
) -> None:
    urls = web.news(PAGES)
    project.topic()
    run_on(project, 0)
    asked = asked_each_day(project, web, (1.1, 2.1), "/news/")
    assert max(asked) <= PAGES / FRESH_WITHIN + 2
    visits = [state.visits for state in project.states().values() if state.url in urls]
    assert len(visits) == PAGES
    assert min(visits) == 2


def test_a_fifth_of_those_older_than_a_week_is_looked_at_and_each_within_five_days(
    project: Project, web: Web
) -> None:
    urls = web.news(PAGES)
    for number, url in enumerate(sorted(urls)):
        web.article(url, number, date="2026-11-08")
    project.topic()
    run_on(project, 0)
    asked = asked_each_day(project, web, (1.1, 2.1, 3.1, 4.1, 5.1), "/news/")
    assert max(asked) <= PAGES / YOUNG_WITHIN + 3
    visits = [state.visits for state in project.states().values() if state.url in urls]
    assert len(visits) == PAGES
    assert min(visits) >= 2


def test_all_are_looked_at_by_the_run_that_finds_one_of_them_changed(
    project: Project, web: Web
) -> None:
    web.news(PAGES)
    project.topic()
    run_on(project, 0)
    for number in range(1, PAGES + 1, 4):  # of any ten one
        web.article(article(number), 100 + number)
    assert looks(project, web, 1.1) == PAGES


def test_a_change_on_one_site_says_nothing_of_another(project: Project, web: Web) -> None:
    for host in ("a.test", "b.test"):
        web.news(PAGES, host)
    project.topic(sources=f"{HOME} http://b.test/")
    run_on(project, 0)
    for number in range(1, PAGES + 1):
        web.article(article(number), 100 + number)
    before = len(web.asked())
    assert looks(project, web, 1.1) == PAGES
    others = {one.url for one in web.asked()[before:] if one.host == "b.test"}
    assert len(others) <= 2 * PAGES / FRESH_WITHIN


def test_what_waits_for_a_feed_is_seen_as_soon_as_what_has_none(project: Project, web: Web) -> None:
    urls = web.news(PAGES) | web.news(PAGES, "b.test")
    for number in range(1, PAGES + 1):
        web.article(f"http://b.test/news/{number}.html", 200 + number)
    web.xml(
        f"{HOME}rss.xml",
        f"<rss><channel><item><title>抽检</title><link>{article(1)}</link></item></channel></rss>",
    )
    project.topic(sources=f"{HOME} {HOME}rss.xml http://b.test/")
    run_on(project, 0)
    for day in (1.1, 2.1, 3.1):
        run_on(project, day)
    visits = {state.url: state.visits for state in project.states().values() if state.url in urls}
    assert len(visits) == 2 * PAGES
    assert min(visits.values()) >= 2


@pytest.mark.parametrize(
    ("pages", "day", "table", "expected"),
    [
        (FEWEST_YOUNG, 1.1, "", FEWEST_YOUNG),
        (PAGES, 2.1, "", PAGES),
        (PAGES, 1.1, 'policy = "fixed"', PAGES),
        (PAGES, 1.1, "strict = true", PAGES),
        (PAGES, 1.1, "old = 0", PAGES),
    ],
    ids=["few", "after two days", "fixed", "strict", "old"],
)
def test_all_are_looked_at_where_they_are_few_or_that_is_asked_for(
    project: Project, web: Web, pages: int, day: float, table: str, expected: int
) -> None:
    web.news(pages)
    project.topic(f"[revisit]\n{table}\n")
    run_on(project, 0)
    assert looks(project, web, day) == expected
