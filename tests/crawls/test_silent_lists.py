"""A blog whose old tags show nothing new for months: they are not read by every run."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from tests.clock import NOON
from tests.crawls.days import run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.silent_lists

HOME = "http://a.test/"
LATELY, LONG_AGO = f"{HOME}tag/lately/", f"{HOME}tag/long-ago/"
OLD = range(100, 106)


def day(days: float) -> str:
    """Return the date so many days after today."""
    now = datetime.fromtimestamp(NOON, ZoneInfo("Asia/Shanghai")) + timedelta(days=days)
    return now.strftime("%Y-%m-%d")


def post(number: int) -> str:
    return f"{HOME}news/{number}.html"


def show(web: Web, url: str, posts: dict[int, float], *links: str) -> None:
    """Put a list of posts somewhere: numbers, and the days they are from."""
    for number, days in posts.items():
        web.article(post(number), number, date=day(days))
    rows = "".join(
        f'<li><a href="{post(number)}">第{number}批食品抽检结果公布</a> <span>{day(days)}</span></li>'
        for number, days in posts.items()
    )
    further = "".join(f'<li><a href="{link}">标签的列表</a></li>' for link in links)
    web.answers[url] = web.page(
        f"<html><head><title>列表</title></head><body><ul>{rows}</ul><ul>{further}</ul></body></html>"
    )


@pytest.fixture
def blog(web: Web) -> Web:
    show(web, HOME, dict.fromkeys(range(1, 7), -2.0), LATELY, LONG_AGO)
    show(web, LATELY, dict.fromkeys(range(3, 9), -5.0))
    show(web, LONG_AGO, dict.fromkeys(OLD, -150.0))
    return web


def test_a_list_that_was_silent_for_months_is_not_read_by_every_run(
    project: Project, blog: Web
) -> None:
    project.topic()
    for number in (0, 1, 4):
        assert run_on(project, number).status == 0
    assert blog.times(HOME) == 3
    assert blog.times(LATELY) == 2, "while the front page shows nothing new it rests, for days"
    assert blog.times(LONG_AGO) == 2, "so does this one; its dates show now how long it was silent"
    assert run_on(project, 7).status == 0
    assert blog.times(LONG_AGO) == 2
    assert run_on(project, 14).status == 0
    assert blog.times(LONG_AGO) == 3


def test_a_list_that_speaks_again_is_read_by_every_run(project: Project, blog: Web) -> None:
    project.topic()
    for number in range(2):
        assert run_on(project, number).status == 0
    show(blog, LONG_AGO, {300: 3.0, **dict.fromkeys(OLD, -150.0)})
    assert run_on(project, 10).status == 0
    assert post(300) in project.articles()
    assert run_on(project, 10.5).status == 0
    assert blog.times(LONG_AGO) == 4, "twice at first, nine days later and with the run after it"


def test_in_the_published_form_every_run_reads_every_list(project: Project, blog: Web) -> None:
    project.topic("[revisit]\nstrict = true\n")
    for number in range(2):
        assert run_on(project, number).status == 0
    assert blog.times(LONG_AGO) == 2
