"""Redirects and the pages they lead to, over a SIGKILL in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.programs import Programs
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.program

HOME = "http://a.test/"


class Redirected(NamedTuple):
    """A crawl of a site whose pages have moved, killed once, and a run more."""

    ended: Project
    again: list[str]
    """What the run more asked for."""


@pytest.fixture(scope="module")
def redirected(new_project: Callable[[], Project], programs_of_module: Programs) -> Redirected:
    project = new_project()
    project.programs = programs_of_module
    web = project.web
    write_web(web)
    project.topic()
    project.crawl(kill=lambda: web.times(f"{HOME}older") > 0)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    finished = project.as_it_is()
    before = len(web.asked())
    assert project.crawl().status == 0
    return Redirected(finished, [asked.url for asked in web.asked()[before:]])


def write_web(web: Web) -> None:
    """Write a site whose pages have moved in every way there is."""
    for number in (1, 2, 3):
        web.article(f"{HOME}news/{number}.html", number)
    web.redirect(f"{HOME}old", f"{HOME}older")
    web.redirect(f"{HOME}older", f"{HOME}news/2.html", status=301)
    web.redirect(f"{HOME}known", f"{HOME}news/3.html")
    web.redirect(f"{HOME}itself", f"{HOME}itself")
    web.redirect(f"{HOME}ring", f"{HOME}gnir")
    web.redirect(f"{HOME}gnir", f"{HOME}ring")
    web.redirect(f"{HOME}away", "http://b.test/")
    web.redirect(f"{HOME}file", "ftp://a.test/file")
    web.redirect(f"{HOME}secure.html", "https://a.test/secure.html")
    web.article("https://a.test/secure.html", 4)
    web.board(
        HOME,
        *(f"/{name}" for name in ("news/1.html", "old", "known", "itself", "ring", "away", "file")),
        "/secure.html",
        "/news/3.html",
    )


@pytest.mark.both_stores
def test_a_page_that_redirects_lead_to_is_kept_once_and_they_are_its_aliases(
    redirected: Redirected,
) -> None:
    project = redirected.ended
    assert project.articles() == {
        f"{HOME}news/1.html",
        f"{HOME}news/2.html",
        f"{HOME}news/3.html",
        f"{HOME}secure.html",
    }
    assert project.outcomes()[f"{HOME}news/2.html"] == ("stored", "")
    assert project.outcomes()[f"{HOME}known"] == ("alias", "")
    assert project.web.times(f"{HOME}news/3.html") == 1


@pytest.mark.both_stores
def test_a_redirect_that_leads_to_no_page_of_the_crawl_ends(redirected: Redirected) -> None:
    """It leads out of scope, to what is no page of the web, or to itself."""
    outcomes, web = redirected.ended.outcomes(), redirected.ended.web
    assert outcomes[f"{HOME}away"] == ("refused", "scope")
    assert not web.asked("b.test")
    assert outcomes[f"{HOME}file"] == ("error", "http 302")
    for endless in ("itself", "ring"):
        assert outcomes[f"{HOME}{endless}"] == ("error", "redirects")
        assert 0 < web.times(f"{HOME}{endless}") < 30


@pytest.mark.both_stores
def test_a_crawl_of_redirects_finishes_and_the_next_run_reads_the_list_alone(
    redirected: Redirected,
) -> None:
    assert redirected.ended.last_run()["end_reason"] == "finished"
    assert redirected.again == [HOME]
