"""A topic crawled on several days over the news of one site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.in_process import Ended
    from tests.project import Project

HOME = "http://a.test/"
DAY = 86_400


def article(number: int | str) -> str:
    return f"{HOME}news/{number}.html"


def run_on(project: Project, day: float, *arguments: str, **options: Any) -> Ended:
    """Crawl on a day, counted from today."""
    return project.crawl(*arguments, FOCUSCRAWL_SHIFT=str(day * DAY), **options)
