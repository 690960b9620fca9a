"""A clock that runs ahead and is set right again: every page is visited when it is due."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import DAY, HOME, article, run_on
from tests.crawls.test_returning import DAILY, FAST, asked_for, told

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.clock_ahead

PAGES = (HOME, article(1), article(2))
BY_FILE = """
import time
from pathlib import Path


class ByFile:
    def wall(self):
        return time.time() + float(Path("shift").read_text() or "0")

    def steady(self):
        return time.monotonic()


clock = ByFile()
"""


@pytest.mark.parametrize("ahead", [10, 40, 900])
def test_a_run_whose_clock_was_ahead_takes_no_page_out_of_reach(
    project: Project, web: Web, ahead: int
) -> None:
    web.news(2)
    project.topic(DAILY)
    run_on(project, 0)
    run_on(project, ahead)
    before = len(web.asked())
    run_on(project, 0.1)
    assert asked_for(web, before) == {HOME: 1}
    soon = project.time.wall + 1.3 * DAY
    assert all((one.next_visit or soon) < soon for one in project.states().values())
    before = len(web.asked())
    run_on(project, 1.4)
    assert asked_for(web, before) == dict.fromkeys(PAGES, 1)


def test_a_page_that_went_when_the_clock_was_ahead_may_come_back(
    project: Project, web: Web
) -> None:
    web.news(2)
    project.topic(FAST)
    run_on(project, 0)
    whole = web.answers.pop(article(1))
    for day in (20.0, 22.0):
        run_on(project, day)
    assert told(project, "gone") == [("gone", "article", article(1))]
    web.answers[article(1)] = whole
    for day in (1.0, 2.2):
        run_on(project, day)
    assert told(project, "back") == [("back", "article", article(1))]


def test_a_fetch_that_failed_when_the_clock_was_ahead_is_tried_again_in_its_time(
    project: Project, web: Web
) -> None:
    urls = web.news(2)
    web.fail_first(article(1), status=500)
    project.topic()
    waits = {"FOCUSCRAWL_RETRY_WAITS": "20m", "FOCUSCRAWL_LINGER": "1s"}
    run_on(project, 10, **waits)
    assert project.articles() == {article(2)}
    run_on(project, 0, **waits)
    assert project.articles() == urls


@pytest.mark.program
def test_a_run_that_stays_hears_that_its_clock_is_set_back(project: Project, web: Web) -> None:
    web.news(2)
    project.write("byfile.py", BY_FILE)
    shift = project.write("shift", "0")
    project.topic(DAILY.replace("[revisit]", "[revisit]\ncontinuous = true"))
    days = [40.0, 0.0, 1.4]
    went_on, waited_until = 0, 0.0
    given_up = time.monotonic() + 40.0

    def is_over() -> bool:
        """Set the clock when all pages were asked for once more, and some seconds have passed."""
        nonlocal went_on, waited_until
        now = time.monotonic()
        asked = asked_for(web, 0)
        if went_on == len(days) and min(asked[url] for url in PAGES) >= 3:
            return True
        if went_on < len(days) and min(asked[url] for url in PAGES) >= (1, 2, 2)[went_on]:
            waited_until = waited_until or now + 3.0
            if now > waited_until:
                shift.write_text(str(days[went_on] * DAY))
                went_on, waited_until = went_on + 1, 0.0
        return now > given_up

    project.crawl(kill=is_over, FOCUSCRAWL_CLOCK="byfile:clock")
    assert min(asked_for(web, 0)[url] for url in PAGES) >= 3


@pytest.mark.parametrize(
    ("wall", "said"), [(3_600.0, "1970-01-01"), (4_102_444_800.0, "2100-01-01")]
)
def test_a_clock_that_cannot_be_right_is_said(
    project: Project, web: Web, wall: float, said: str
) -> None:
    web.news(2)
    project.topic()
    ended = project.crawl(FOCUSCRAWL_SHIFT=str(wall - project.time.wall))
    assert ended.status == 0, ended.said
    assert f"the clock of this machine says {said}" in ended.said
    assert "the clock of this machine says" not in project.crawl().said
