"""Copies among the items of a project of a user's own, which takes one pipeline of ours."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.near_duplicates

HOME = "http://a.test/"
ITEMS = "items.jsonl"
NUMBERS = range(8)
SPIDER = """
from dataclasses import dataclass

import attrs
from scrapy import Field, Item, Spider


@dataclass
class Told:
    link: str
    body: str
    headline: str = ""
    copy_of: str = ""


@attrs.define
class Said:
    link: str
    body: str
    copy_of: str = ""


class Written(Item):
    link = Field()
    body = Field()
    copy_of = Field()


@dataclass
class Other:
    price: int


KINDS = [dict, Told, Said, Written]


class Mine(Spider):
    name = "mine"
    start_urls = ["http://a.test/"]

    def parse(self, response):
        yield Other(3)
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.read, priority="first" in link)

    def read(self, response):
        kind = KINDS[int(response.url[-1]) % 4]
        yield kind(link=response.url, body=response.css("p::text").getall())
"""


def text_of(number: int) -> list[str]:
    letters = random.Random(number)
    return ["".join(chr(0x4E00 + letters.randrange(5000)) for _ in range(60)) for _ in range(5)]


def write(web: Web) -> None:
    """Eight texts and a copy of each: shortened, with words of an agency before it."""
    for number in NUMBERS:
        text = text_of(number)
        for name, said in (("first", text), ("copy", ["某某社今日电", *text[:4]])):
            page = "".join(f"<p>{words}</p>" for words in said)
            web.answers[f"{HOME}{name}/{number}"] = web.page(f"<html><body>{page}</body></html>")
    names = [f"/{name}/{number}" for name in ("first", "copy") for number in NUMBERS]
    web.board(HOME, *names)


def settings_of(pytestconfig: pytest.Config) -> str:
    page = (pytestconfig.rootpath / "docs/pieces.md").read_text("utf-8")
    return page.partition("```python\nITEM_PIPELINES")[2].partition("```")[0]


@pytest.fixture
def near(project: Project, web: Web, pytestconfig: pytest.Config) -> Project:
    """A project with Scrapy's own scheduler and the lines of docs/pieces.md."""
    write(web)
    project.spider(SPIDER)
    plain = 'SPIDER_MODULES = ["mine.spiders"]\nCONCURRENT_REQUESTS = 1\nLOG_LEVEL = "INFO"\n'
    project.write("mine/settings.py", f"{plain}ITEM_PIPELINES{settings_of(pytestconfig)}")
    return project


def items(project: Project) -> list[dict[str, object]]:
    lines = (project.folder / ITEMS).read_text("utf-8").splitlines()
    return [item for item in map(json.loads, lines) if "link" in item]


def urls(name: str) -> set[str]:
    return {f"{HOME}{name}/{number}" for number in NUMBERS}


def links(found: Iterable[dict[str, object]]) -> list[str]:
    return sorted(str(item["link"]) for item in found)


def test_copies_among_items_of_all_kinds_are_dropped_in_this_run_and_the_next(
    near: Project, web: Web
) -> None:
    ended = near.crawl("-o", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    assert links(items(near)) == sorted(urls("first"))
    assert (
        "Other is not compared with others: it has nothing in 'link' or 'body', only 'price'"
        in (ended.said)
    )
    assert "'near_duplicates/drop': 8" in ended.said
    assert len(list(near.data.glob("*.crawl.db"))) == 0, "nothing of ours but the copies"

    for number in NUMBERS:  # texts that only the run before has seen
        del web.answers[f"{HOME}first/{number}"]
    ended = near.crawl("-O", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    assert items(near) == []


def test_copies_are_marked_with_what_they_are_copies_of(near: Project) -> None:
    ended = near.crawl("-o", ITEMS, "-s", "FOCUSCRAWL_NEAR_DUPLICATES=mark", name="mine")
    assert ended.status == 0, ended.said
    marked = {str(item["link"]): item.get("copy_of") or "" for item in items(near)}
    expected = {f"{HOME}copy/{number}": f"{HOME}first/{number}" for number in NUMBERS}
    assert marked == dict.fromkeys(urls("first"), "") | expected


def test_a_class_of_items_that_cannot_be_marked_is_told_once_and_loses_nothing(
    near: Project,
) -> None:
    fields = "key=link, text=body, mark=like"
    ended = near.crawl(
        "-o", ITEMS, "-s", "FOCUSCRAWL_NEAR_DUPLICATES=mark",
        "-s", f"FOCUSCRAWL_NEAR_DUPLICATE_FIELDS={fields}", name="mine",
    )  # fmt: skip
    assert ended.status == 0, ended.said
    assert links(items(near)) == sorted(urls("first") | urls("copy"))
    assert ended.said.count("Told is not compared with others: it has no field 'like'") == 1
    assert sum("like" in item for item in items(near)) == 2, "dictionaries take any field"


@pytest.mark.program
def test_what_was_told_before_a_kill_comes_once_more_as_what_it_was(
    near: Project, web: Web
) -> None:
    """Scrapy begins anew after a kill: every first text comes again, and is no copy of itself."""
    near.crawl(
        "-o", ITEMS, name="mine", kill=lambda: web.times(f"{HOME}copy/3") > 0
    )  # fmt: skip
    ended = near.crawl("-O", ITEMS, name="mine")
    assert ended.status == 0, ended.said
    assert links(items(near)) == sorted(urls("first"))


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (
            "FOCUSCRAWL_NEAR_DUPLICATES=remove",
            "FOCUSCRAWL_NEAR_DUPLICATES = 'remove': write one of drop, mark, keep",
        ),
        (
            "FOCUSCRAWL_NEAR_DUPLICATE_FIELDS=txt=body",
            "'txt' = 'body' names no field of your items; write some of key=FIELD, text=FIELD, title",
        ),
    ],
)
def test_a_setting_that_cannot_be_used_says_what_is_allowed(
    near: Project, setting: str, said: str
) -> None:
    ended = near.crawl("-s", setting, name="mine", traceback=True)
    assert ended.status != 0
    assert said in ended.said
