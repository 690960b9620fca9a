"""A pipeline of a user's that notes every change, and does with some what a test wants."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.crawls.days import DAY

if TYPE_CHECKING:
    from collections.abc import Collection

    from tests.in_process import Ended
    from tests.project import Project

FEEDS = """
[output.feeds."./changes.jsonl"]
items = ["change"]
[output.feeds."./articles.jsonl"]
"""
PIPELINE = '''
import asyncio
import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

from scrapy.exceptions import DropItem

from focuscrawl.values import PageChange

WANTS = json.loads(os.environ.get("WANTS", "{}"))
STORED = set(json.loads(os.environ.get("STORED", "[]")))


def stored():
    with closing(sqlite3.connect("file:crawls/news.db?mode=ro", uri=True)) as database:
        return {url for (url,) in database.execute("SELECT url FROM articles")}


def is_first(name):
    path = Path(name)
    if path.exists():
        return False
    path.touch()
    return True


class Watches:
    """Notes each change, and does with it what WANTS says for the end of its address.

    It kills when the articles of STORED are stored.
    """

    async def process_item(self, item):
        if not isinstance(item, PageChange):
            return item
        with open("seen.jsonl", "a") as file:
            print(json.dumps([item.change_id, item.kind, item.what, item.url]), file=file)
        wanted = next((WANTS[end] for end in WANTS if item.url.endswith(end)), "")
        if wanted == "drop":
            raise DropItem("nobody wants to know")
        if wanted == "fail" and is_first("failed"):
            raise ValueError("not at the first time")
        if wanted == "kill" and is_first("killed"):
            await asyncio.sleep(1.2)  # time for a commit, which must not have this one
            while not STORED <= stored():  # what is told and not stored yet is told again
                await asyncio.sleep(0.02)
            os.kill(os.getpid(), signal.SIGKILL)
        if wanted == "linger":
            await asyncio.sleep(0.4)
        return item
'''


class Seen(NamedTuple):
    change_id: str
    kind: str
    what: str
    url: str


def key_of(project: Project, url: str) -> str:
    (row,) = project.rows(f"SELECT url_key FROM pages WHERE url = '{url}'")
    return str(row["url_key"])


def watch(project: Project, topic: str = "") -> None:
    """Put the pipeline into the project."""
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Watches': 400})\n")
    project.topic(FEEDS + topic)


def crawl(
    project: Project,
    *arguments: str,
    day: float = 0,
    stored: Collection[str] = (),
    **wants: str,
) -> Ended:
    """Crawl on a day; the pipeline wants something with the changes of pages by their names.

    ``stored`` are addresses of articles that must be stored before it kills.
    """
    ends = {f"/{name.strip('_')}.html": wanted for name, wanted in wants.items()}
    shift = str(day * DAY)
    environment = {
        "FOCUSCRAWL_SHIFT": shift,
        "WANTS": json.dumps(ends),
        "STORED": json.dumps(sorted(stored)),
    }
    return project.crawl(*arguments, traceback=True, **environment)


def lines(project: Project, name: str) -> list[Any]:
    """Return the lines of a file since the last call."""
    path = project.folder / name
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    if found:
        path.write_text("")
    return found


def seen(project: Project) -> list[Seen]:
    """Return the changes that reached the pipeline since the last call."""
    return sorted(Seen(*line) for line in lines(project, "seen.jsonl"))


def rows(project: Project) -> list[Seen]:
    """Return the rows of changes."""
    return sorted(
        Seen(row["change_id"], row["kind"], row["what"], row["url"])
        for row in project.rows("SELECT * FROM changes")
    )


def urls_of(changes: list[Seen]) -> list[str]:
    return sorted(change.url for change in changes)


def members(project: Project) -> set[str]:
    """Return the addresses of the articles that are in stories."""
    found = project.rows(
        "SELECT url FROM articles a JOIN story_members m"
        " ON m.topic = a.topic AND m.url_key = a.url_key"
    )
    (count,) = project.rows("SELECT count(*) AS members FROM story_members")
    assert count["members"] == len(found), "no member without an article"
    return {row["url"] for row in found}
