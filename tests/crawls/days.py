"""A topic crawled on several days over the news of one site."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec

from focuscrawl.values import PageState

if TYPE_CHECKING:
    from tests.crawls.conftest import Ended, Project

HOME = "http://a.test/"
DAY = 86_400


def article(number: int | str) -> str:
    return f"{HOME}news/{number}.html"


def run_on(project: Project, day: float, *arguments: str, **options: Any) -> Ended:
    """Crawl on a day, counted from today."""
    return project.crawl(*arguments, FOCUSCRAWL_SHIFT=str(day * DAY), **options)


def states(project: Project) -> dict[str, PageState]:
    """Return the states of the crawl file by address."""
    with closing(sqlite3.connect(project.data / "news.crawl.db")) as database:
        found = database.execute("SELECT body FROM pages").fetchall()
    decoded = [msgspec.msgpack.decode(body, type=PageState) for (body,) in found]
    return {state.url: state for state in decoded}
