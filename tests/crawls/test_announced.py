"""Changes are items: they pass a user's pipelines, go out in feeds, and survive kills in between."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawls.days import DAY, HOME, article
from tests.crawls.test_parts import lines, numbered, put, put_article

if TYPE_CHECKING:
    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.announced, pytest.mark.usefixtures("all_is_news")]

TOPIC = """
[revisit]
gone_after = 2
gone_within = "1d"
[output.feeds."./changes.jsonl"]
items = ["change"]
[output.feeds."./articles.jsonl"]
"""
PIPELINE = """
import os
import signal

from scrapy.exceptions import DropItem

from focuscrawl.values import Article, PageChange


def is_first(name):
    if os.path.exists(name):
        return False
    open(name, "w").close()
    return True


class Watches:
    def process_item(self, item):
        if isinstance(item, Article) and "第88批" in item.title:
            raise DropItem("another one of these")
        if isinstance(item, PageChange) and item.kind != "new":
            with open("seen.txt", "a") as file:
                print(item.kind, item.url, file=file)
            if item.url.endswith("/3.html"):
                raise DropItem("nobody wants to know")
            if item.url.endswith("/4.html") and is_first("failed"):
                raise ValueError("not at the first time")
            if item.kind == "back" and is_first("killed"):
                os.kill(os.getpid(), signal.SIGKILL)
        return item
"""


def run_on(project: Project, day: float, **options: Any) -> Ended:
    return project.crawl(FOCUSCRAWL_SHIFT=str(day * DAY), traceback=True, **options)


def told(project: Project) -> list[tuple[str, str]]:
    rows = project.rows("SELECT kind, url FROM changes WHERE kind != 'new' ORDER BY at, url")
    return [(row["kind"], row["url"]) for row in rows]


def seen(project: Project) -> list[tuple[str, str]]:
    """Return the changes that reached the user's pipeline since the last call, by their address."""
    path = project.folder / "seen.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    path.write_text("")
    return sorted((line.split()[0], line.split()[1]) for line in lines)


def fed(project: Project, name: str) -> list[dict[str, Any]]:
    """Return the lines of a feed since the last call."""
    path = project.folder / name
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("")
    return lines


@pytest.mark.program
def test_every_change_passes_the_users_pipelines_once_whatever_becomes_of_its_article(
    project: Project, web: Web
) -> None:
    web.news(6)
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Watches': 400})\n")
    project.topic(TOPIC)
    run_on(project, 0)
    assert len(fed(project, "articles.jsonl")) == 6
    assert {line["kind"] for line in fed(project, "changes.jsonl")} == {"new"}
    for number, other in ((1, 77), (2, 88), (3, 99), (4, 66)):
        web.article(article(number), other)
    whole = web.answers.pop(article(5))
    run_on(project, 1.1)
    assert seen(project) == [("major", article(number)) for number in (1, 2, 3, 4)]
    assert told(project) == [("major", article(1)), ("major", article(2))]
    assert sorted(line["url"] for line in fed(project, "changes.jsonl")) == [article(1), article(2)]
    kept = {
        article(1): 2,
        article(2): 1,
        article(3): 2,
        article(4): 1,
        article(5): 1,
        article(6): 1,
    }
    rows = project.rows("SELECT url, version FROM articles")
    assert {row["url"]: row["version"] for row in rows} == kept
    assert {line["url"] for line in fed(project, "articles.jsonl")} == {article(1), article(3)}
    assert project.outcomes()[article(4)] == ("error", "pipeline: ChangeFailed")

    run_on(project, 2.3)
    assert seen(project) == [("gone", article(5)), ("major", article(4))]
    assert told(project)[2:] == [("major", article(4)), ("gone", article(5))]
    lines = {line["kind"]: line for line in fed(project, "changes.jsonl")}
    assert set(lines) == {"gone", "major"}
    assert lines["major"]["diff"]
    assert lines["gone"]["at"].endswith("Z")

    web.answers[article(5)] = whole
    killed = run_on(project, 4)
    assert killed.status == -signal.SIGKILL
    assert len(told(project)) == 4, "it is told with the end of its page"
    assert run_on(project, 4).status == 0
    assert seen(project) == [("back", article(5))] * 2
    assert told(project)[4:] == [("back", article(5))]
    (row,) = project.rows(f"SELECT gone_at FROM articles WHERE url = '{article(5)}'")
    assert row["gone_at"] is None
    assert project.stored_rows() == 0


def test_an_article_of_several_pages_that_is_dropped_is_told_of_once(
    project: Project, web: Web
) -> None:
    url = put_article(web, "long", 3)
    web.board(HOME, url)
    project.spider(PIPELINE, "ITEM_PIPELINES.update({'mine.spiders.Watches': 400})\n")
    project.topic(f'{TOPIC}[revisit.article]\nmax = "1d"\n')
    run_on(project, 0)
    put(web, url, "第88批长篇记", [*lines("long", 1), *lines("new", 9)], numbered("long", 1, 3))
    for day in (1.1, 2.2, 3.3):
        run_on(project, day)
    (page,) = project.rows(f"SELECT visits, changes FROM pages WHERE url = '{url}'")
    assert page["visits"] == 4
    assert seen(project) == told(project) == [("major", url)]


def test_gone_and_back_carry_the_title_of_what_is_stored_and_lists_are_not_told(
    project: Project, web: Web
) -> None:
    web.news(2)
    board = f"{HOME}list/"
    web.board(board, article(2))
    web.board(HOME, article(1), board)
    topic = TOPIC.replace("gone_after = 2", "gone_after = 1").replace('"1d"', '"0s"')
    project.topic(topic, sources=f"{HOME} {board}")
    assert run_on(project, 0).status == 0
    fed(project, "changes.jsonl")
    whole = {url: web.answers.pop(url) for url in (article(1), board)}
    run_on(project, 1.1)
    assert {row["url"] for row in project.rows("SELECT url FROM pages WHERE gone_at > 0")} == {
        article(1),
        board,
    }
    (line,) = fed(project, "changes.jsonl")
    title = "第1批食品抽检结果公布"
    assert (line["kind"], line["url"], line["title"]) == ("gone", article(1), title)
    web.answers |= whole
    run_on(project, 3)
    (line,) = fed(project, "changes.jsonl")
    assert (line["kind"], line["url"], line["title"]) == ("back", article(1), title)
    rows = project.rows("SELECT kind, title FROM changes WHERE kind IN ('gone', 'back')")
    assert sorted((row["kind"], row["title"]) for row in rows) == [("back", title), ("gone", title)]
    assert not [row for row in project.rows("SELECT gone_at FROM pages") if row["gone_at"]]
