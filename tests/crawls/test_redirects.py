"""Redirects and the pages they lead to, over a SIGKILL in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.program

HOME = "http://a.test/"


@pytest.fixture
def moved(web: Web) -> Web:
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
    return web


@pytest.mark.both_stores
def test_every_redirect_ends_and_its_page_is_kept_once(project: Project, moved: Web) -> None:
    project.topic()
    project.crawl(kill=lambda: moved.times(f"{HOME}older") > 0)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {
        f"{HOME}news/1.html",
        f"{HOME}news/2.html",
        f"{HOME}news/3.html",
        f"{HOME}secure.html",
    }
    outcomes = project.outcomes()
    assert outcomes[f"{HOME}news/2.html"] == ("stored", "")
    assert outcomes[f"{HOME}known"] == ("alias", "")
    assert moved.times(f"{HOME}news/3.html") == 1
    assert outcomes[f"{HOME}away"] == ("refused", "scope")
    assert not moved.asked("b.test")
    assert outcomes[f"{HOME}file"] == ("error", "http 302")
    for endless in ("itself", "ring"):
        assert outcomes[f"{HOME}{endless}"] == ("error", "redirects")
        assert 0 < moved.times(f"{HOME}{endless}") < 30
    assert project.last_run()["end_reason"] == "finished"
    before = len(moved.asked())
    assert project.crawl().status == 0
    assert [asked.url for asked in moved.asked()[before:]] == [HOME]
