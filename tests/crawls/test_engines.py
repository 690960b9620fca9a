"""Words cut in another way than before: hashes are made anew, and no change is told that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from focuscrawl.values import PageState
from tests.crawls import days

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project

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


NAMES = ("1.html", "2.html", "3.html")


class Cuts(NamedTuple):
    """Days over three articles, whose words are cut in one way, in another, and in the first again."""

    first: Project
    second: Project
    third: Project


@pytest.fixture(scope="module")
def cuts(new_project: Callable[[], Project]) -> Cuts:
    project = new_project()
    web = project.web
    web.news(3)
    project.topic()
    run_on(project, 0)
    first = project.as_it_is()
    path = "topics/news.toml"
    written = (project.folder / path).read_text(encoding="utf-8")
    project.write(path, written.replace("[topic]\n", DICTIONARY))
    body = web.body("http://a.test/news/2.html")
    web.answers["http://a.test/news/2.html"] = web.page(body.replace("昨日", "前日", 1))
    run_on(project, 1.1)
    second = project.as_it_is()
    project.write(path, written)
    run_on(project, 4)
    return Cuts(first, second, project.as_it_is())


@pytest.mark.both_stores
def test_a_dictionary_that_changes_tells_only_what_has_changed(cuts: Cuts) -> None:
    """Hashes of two engines are not compared."""
    assert changes(cuts.second) == [("minor", "2.html", None)]
    assert changes(cuts.third) == [("minor", "2.html", None)]


@pytest.mark.both_stores
def test_a_dictionary_that_changes_makes_hashes_anew_and_their_pages_have_not_changed(
    cuts: Cuts,
) -> None:
    first, second = states(cuts.first), states(cuts.second)
    assert MADE_BY not in first["1.html"].facts, "the first engine of a crawl needs no number"
    for name in NAMES:
        assert second[name].facts[MADE_BY] == 1
        assert second[name].simhash not in (None, first[name].simhash)
    assert second["1.html"].digest == first["1.html"].digest
    assert second["1.html"].times_changed == 0


@pytest.mark.both_stores
def test_a_dictionary_that_is_taken_out_makes_the_first_hashes_again(cuts: Cuts) -> None:
    first, third = states(cuts.first)["1.html"], states(cuts.third)["1.html"]
    assert third.simhash == first.simhash
    assert MADE_BY not in third.facts
    assert len(cuts.third.facts("words")) == 1
