"""Words cut in another way than before: hashes are made anew, and no change is told that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from focuscrawl.values import PageState
from tests.crawls import days
from tests.web import Answer

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.other_engine

DICTIONARY = '[topic]\ndictionary = ["食品安全抽检", "立即下架并召回"]\n'
MADE_BY = "words"


def states(project: Project) -> dict[str, PageState]:
    """Return the states of the crawl file by the end of their address."""
    return {url.rpartition("/")[2]: state for url, state in project.states().items()}


def changes(project: Project) -> list[tuple[str, str, int | None]]:
    rows = project.rows("SELECT kind, url, distance FROM changes WHERE kind != 'new' ORDER BY url")
    return [(row["kind"], row["url"].rpartition("/")[2], row["distance"]) for row in rows]


def run_on(project: Project, day: float) -> None:
    ended = days.run_on(project, day)
    assert ended.status == 0, ended.said


@pytest.mark.both_stores
def test_a_dictionary_that_changes_makes_hashes_anew_and_tells_only_what_has_changed(
    project: Project, web: Web
) -> None:
    web.news(3)
    project.topic()
    run_on(project, 0)
    first = states(project)
    assert MADE_BY not in first["1.html"].facts, "the first engine of a crawl needs no number"

    path = "topics/news.toml"
    written = (project.folder / path).read_text(encoding="utf-8")
    project.write(path, written.replace("[topic]\n", DICTIONARY))
    before = web.answers["http://a.test/news/2.html"]
    assert isinstance(before, Answer)
    assert isinstance(before.body, str)
    web.answers["http://a.test/news/2.html"] = web.page(before.body.replace("昨日", "前日", 1))
    run_on(project, 1.1)
    second = states(project)
    assert changes(project) == [("minor", "2.html", None)], "hashes of two engines are not compared"
    for name in ("1.html", "2.html", "3.html"):
        assert second[name].facts[MADE_BY] == 1
        assert second[name].simhash not in (None, first[name].simhash)
    assert second["1.html"].digest == first["1.html"].digest
    assert second["1.html"].times_changed == 0

    project.write(path, written)
    run_on(project, 4)
    third = states(project)
    assert changes(project) == [("minor", "2.html", None)]
    assert third["1.html"].simhash == first["1.html"].simhash
    assert MADE_BY not in third["1.html"].facts
    assert len(project.facts("words")) == 1
