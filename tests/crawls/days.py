"""A topic crawled on several days over the news of one site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
DAY = 86_400


def article(number: int | str) -> str:
    return f"{HOME}news/{number}.html"


def run_on(project: Project, day: float, *arguments: str, **options: Any) -> Ended:
    """Crawl on a day, counted from today."""
    return project.crawl(*arguments, FOCUSCRAWL_SHIFT=str(day * DAY), **options)


def asked_since(web: Web, before: int, part: str) -> int:
    """Return how often addresses with a part in them were asked for after so many requests."""
    return sum(part in one.url for one in web.asked()[before:])


def asked_each_day(project: Project, web: Web, days: Iterable[float], part: str) -> list[int]:
    """Crawl on each day; returns how often addresses with a part in them were asked for on each."""
    asked = []
    for day in days:
        before = len(web.asked())
        assert run_on(project, day).status == 0
        asked.append(asked_since(web, before, part))
    return asked
