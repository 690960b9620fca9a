"""A feature of a user's own in a project of their own: its items become rows, lines and a feed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

FEATURES = '{"mine.Prices": 500}'
FEEDS = '{"out/prices.jsonl": {"format": "jsonl", "item_classes": ["mine.Price"]}}'
PRICED = '[output.feeds."out/priced.csv"]\nitems = ["price"]\nfields = ["amount"]\n'
HOME = "http://a.test/"


def written(project: Project) -> None:
    """Put the feature of docs/features.md into a project, as its reader would."""
    page = (project.root / "docs/features.md").read_text("utf-8")
    code = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
    assert sum(map(bool, code.splitlines())) <= 40, "as its heading says"
    project.write("mine.py", code)


class Found(NamedTuple):
    """A crawl with a feature of the user's own, a look at its data, and what is forgotten of it."""

    ended: Ended
    project: Project
    looked: Ended
    forgotten: Ended


@pytest.fixture(scope="module")
def found(new_project: Callable[[], Project]) -> Found:
    project = new_project()
    web = project.web
    web.board(HOME, f"{HOME}1.html", f"{HOME}2.html")
    web.article(f"{HOME}1.html", 1, "<p>每份只要 120 €，欢迎品尝。</p>")
    web.article(f"{HOME}2.html", 2, "<p>每份只要 80.5 €，欢迎品尝。</p>")
    project.topic('[prices]\nunit = "€"\n')
    written(project)
    ended = project.crawl("-s", f"FEEDS={FEEDS}", FOCUSCRAWL_FEATURES=FEATURES)
    assert ended.status == 0, ended.said
    crawled = project.as_it_is()
    looked = project.run("topic", "check-data", "news", FOCUSCRAWL_FEATURES=FEATURES)
    forgotten = project.run(
        "topic", "forget", "news", "--site", "a.test", "--yes", FOCUSCRAWL_FEATURES=FEATURES
    )
    return Found(ended, crawled, looked, forgotten)


@pytest.mark.of_a_file
def test_what_it_finds_is_stored(found: Found) -> None:
    rows = found.project.rows("SELECT amount FROM prices ORDER BY 1")
    assert [tuple(row) for row in rows] == [(80.5,), (120.0,)]


@pytest.mark.of_a_file
def test_what_it_finds_is_counted_and_said(found: Found) -> None:
    assert "  prices     2 new" in found.ended.said
    assert "  currency   €" in found.ended.said
    assert json.loads(found.project.last_run()["counters"])["prices_new"] == 2


@pytest.mark.of_a_file
def test_what_it_finds_is_a_line_of_its_feed(found: Found) -> None:
    lines = (found.project.folder / "out/prices.jsonl").read_text("utf-8").splitlines()
    assert sorted(json.loads(line)["amount"] for line in lines) == [80.5, 120.0]
    assert json.loads(lines[0])["seen"].endswith("Z")


@pytest.mark.of_a_file
def test_what_it_has_found_is_looked_over_and_forgotten(found: Found) -> None:
    assert found.looked.status == 0, found.looked.said
    assert "2 prices" in found.forgotten.said


def test_its_table_is_checked_described_and_unknown_without_it(project: Project) -> None:
    project.topic("[prices]\nunit = 3\n")
    written(project)
    checked = project.run("topic", "check", "news", FOCUSCRAWL_FEATURES=FEATURES)
    assert checked.status == 2, checked.said
    assert "[prices] unit = 3: a text" in checked.said
    without = project.run("topic", "check", "news")
    assert "[prices]: unknown table" in without.said
    assert (
        "What stands behind a price."
        in project.run("topic", "schema", FOCUSCRAWL_FEATURES=FEATURES).said
    )


def test_a_feed_of_a_template_takes_its_items_by_their_name(project: Project, web: Web) -> None:
    web.board(HOME, f"{HOME}1.html")
    web.article(f"{HOME}1.html", 1, "<p>每份只要 120 元，欢迎品尝。</p>")
    written(project)
    project.topic(PRICED.replace("price", "cost"))
    checked = project.run("topic", "check", "news", FOCUSCRAWL_FEATURES=FEATURES)
    assert checked.status == 2
    assert 'items = "cost": one of' in checked.said
    assert '"price"' in checked.said
    project.topic(PRICED)
    ended = project.crawl(FOCUSCRAWL_FEATURES=FEATURES)
    assert ended.status == 0, ended.said
    [feed] = project.folder.rglob("priced.csv")
    assert feed.read_text("utf-8-sig").split() == ["amount", "120.0"]


def test_one_that_cannot_be_imported_is_named_and_the_topics_are_listed(project: Project) -> None:
    project.topic()
    listed = project.run("list", FOCUSCRAWL_FEATURES='{"nowhere.Prices": 500}')
    assert "news" in listed.said
    assert "nowhere" in listed.said
    ended = project.crawl(FOCUSCRAWL_FEATURES='{"nowhere.Prices": 500}')
    assert ended.status == 2
    assert "nowhere" in ended.said


def test_ours_do_without_one_that_is_switched_off(project: Project, web: Web) -> None:
    web.board(HOME, f"{HOME}1.html")
    web.article(f"{HOME}1.html")
    project.topic()
    ended = project.crawl(FOCUSCRAWL_FEATURES='{"focuscrawl.revisit.Revisit": null}')
    assert ended.status == 0, ended.said
    assert len(project.rows("SELECT url FROM articles")) == 1
