"""``scrapy explain NAME ADDRESS --fetch``: what would be made of a page now, asked for as the topic would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

HOME = "http://a.test/"
STORED, NEVER, MISSING = f"{HOME}news/1.html", f"{HOME}news/9.html", f"{HOME}news/none.html"
FORBIDDEN = f"{HOME}private/1.html"
OTHER = "<html><head><title>比赛</title></head><body><h1>比赛</h1><p>{}</p></body></html>"


@pytest.fixture
def asked(crawled: Project, web: Web) -> Project:
    """Make a project that has been crawled once; its site has changed since."""
    web.news(3)
    web.article(NEVER, 9)
    web.article(FORBIDDEN, 8)
    web.robots("a.test", "User-agent: *\nDisallow: /private/\n")
    return crawled


def databases(project: Project) -> dict[str, bytes]:
    """Return what is stored."""
    return {path.name: path.read_bytes() for path in project.data.glob("*.db")}


def said_of(project: Project, url: str, *more: str) -> str:
    """Return what is said of an address, and see that asking has kept nothing."""
    files = databases(project)
    ended = project.run("explain", "news", url, "--fetch", *more)
    assert ended.status == 0, ended.said
    assert databases(project) == files
    return ended.said


def plain_of(project: Project, url: str) -> dict[str, Any]:
    """Return the same as plain values."""
    return dict(json.loads(said_of(project, url, "--json")))


def fact(told: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return a fact of what was found now."""
    return next((one for one in told["now"] if one["kind"] == kind), {})


def test_a_page_that_was_never_seen_is_read_with_the_lists_that_should_show_it(
    asked: Project, web: Web
) -> None:
    told = plain_of(asked, NEVER)
    assert told["verdict"]["fate"] == "not_linked"
    assert fact(told, "answer")["class"] == "article"
    assert fact(told, "answer")["title"] == "第9批食品抽检结果公布"
    assert fact(told, "score")["hits"]["食品"] > 0
    assert fact(told, "would_be")["stored"] is True
    assert told["lists_now"] == [{"url": HOME, "links": False, "nofollow": False}]
    web.board(HOME, STORED, more=f'<a href="{NEVER}" rel="nofollow">第9批食品抽检</a>')
    said = said_of(asked, NEVER)
    assert "asked for now:" in said
    assert "would be stored" in said
    assert f"{HOME}: it links to it, and asks not to follow the link (nofollow)" in said


def test_a_stored_page_is_judged_by_what_stands_there_now(asked: Project, web: Web) -> None:
    web.answers[STORED] = web.page(OTHER.format("昨晚的足球比赛吸引了许多球迷到场,主队险胜。" * 9))
    told = plain_of(asked, STORED)
    assert told["verdict"]["fate"] == "stored"
    assert told["verdict"]["title"] == "第1批食品抽检结果公布"
    assert fact(told, "answer")["title"] == "比赛"
    assert fact(told, "score")["relevant"] is False
    assert fact(told, "would_be")["stored"] is False
    assert told["lists_now"] == []
    assert web.times(STORED) == 1


def test_what_robots_txt_forbids_is_not_asked_for(asked: Project, web: Web) -> None:
    said = said_of(asked, FORBIDDEN)
    assert "refused (robots)" in said.partition("asked for now:")[2]
    assert "would be stored" not in said
    assert web.times(FORBIDDEN) == 0


def test_a_page_that_is_not_there_says_so(asked: Project, web: Web) -> None:
    told = plain_of(asked, MISSING)
    assert "404" in fact(told, "answer")["why"]
    assert not fact(told, "would_be")
    assert web.times(MISSING) == 1
