"""Every item's way through the pipelines ends, so that a crawl that stays does not grow by what it told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawls.days import article, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

COUNT = """
from focuscrawl.kernel.feature import Feature


class Count(Feature):
    name = "count"

    def __init__(self, kernel):
        self._kernel = kernel

    def summary(self):
        items, flights = self._kernel.items.under_way, len(self._kernel.flights)
        yield "left", f"{items} items, {flights} URLs"
"""
FEATURES = '{"mine.Count": 500}'


def left(project: Project, day: float) -> str:
    """Return what is under way when a run ends."""
    ended = run_on(project, day, FOCUSCRAWL_FEATURES=FEATURES)
    assert ended.status == 0
    return ended.line("  left ").partition("left")[2].strip()


def test_nothing_is_under_way_when_new_changed_and_gone_articles_were_told(
    project: Project, web: Web
) -> None:
    project.write("mine.py", COUNT)
    web.news(4)
    project.topic('[revisit]\ngone_after = 1\ngone_within = "0s"\n')
    assert left(project, 0) == "0 items, 0 URLs"
    web.news(6)
    web.article(article(1), 77)
    web.answers[article(2)] = web.say("", 404)
    assert left(project, 3.1) == "0 items, 0 URLs"
    told = {change["kind"] for change in project.rows("SELECT kind FROM changes")}
    assert {"new", "major", "gone"} <= told
