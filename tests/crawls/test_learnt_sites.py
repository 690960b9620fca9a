"""``scrapy topic sites NAME HOST`` and ``scrapy explain`` say what a crawl has learnt of a site from its own pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import run_on
from tests.crawls.test_repeated_lines import HOME, TOPIC, put_posts, redesigned
from tests.crawls.test_withheld import WALL

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.A2, pytest.mark.both_stores]

POSTS, WALLED = 15, 11


@pytest.fixture
def crawled_posts(project: Project, web: Web) -> Project:
    """Crawl posts with a section above each text, and one that something stands in front of the next day."""
    urls = put_posts(web, POSTS)
    project.write("topics/news.toml", TOPIC)
    assert project.crawl().status == 0
    for number in range(8):
        redesigned(web, number)
    web.answers[urls[WALLED]] = web.say(WALL.format(7))
    for day in (1, 2):
        assert run_on(project, day).status == 0
    return project


def said_of(project: Project, *arguments: str) -> str:
    ended = project.run(*arguments)
    assert ended.status == 0, ended.said
    return str(ended.said)


def test_what_a_site_has_taught_is_said_of_it_and_of_its_pages(crawled_posts: Project) -> None:
    """One crawl of three days, at which all of it is looked."""
    project = crawled_posts
    said = said_of(project, "topic", "sites", "news", "a.test")
    assert "layout 1: " in said
    assert "read as article 15; such as http://a.test/posts/" in said
    assert "of 15 pages of its layout, such as '归在 " in said
    assert "8 pages of them were built otherwise before" in said
    assert "redesigns: reported on 20" in said
    assert "withheld: cloudflare 1" in said

    (plain,) = json.loads(said_of(project, "topic", "sites", "news", "a.test", "--json"))
    assert plain["site"] == "a.test"
    assert plain["withheld"] == {"cloudflare": 1}
    assert len(plain["redesigns"]) == 1
    by_class = {next(iter(one["classes"])): one for one in reversed(plain["layouts"])}
    assert by_class["board"]["boilerplate"] == []
    (new,) = [one for one in plain["layouts"] if one["is_told"]]
    assert new["told_at"] == pytest.approx(plain["redesigns"][0], abs=0.01), (
        "a database has it to a thousandth"
    )

    moved = said_of(project, "explain", "news", f"{HOME}posts/3.html")
    assert "a new design of its site, reported once and of no page, on 20" in moved
    cut = said_of(project, "explain", "news", f"{HOME}posts/14.html")
    assert "its site's, so it was cut and not compared" in cut
    assert "of 15 pages of its layout, such as '归在 " in cut


def test_a_host_that_is_not_known_is_refused_with_those_near_it(project: Project, web: Web) -> None:
    web.news(2)
    project.topic()
    project.crawl()
    ended = project.run("topic", "sites", "news", "www.a.test")
    assert ended.status == 2
    assert "news knows no site www.a.test; near it: a.test" in ended.said
    ended = project.run("topic", "sites", "news", "zzzz.example")
    assert ended.status == 2
    assert "none near it; the most pages are of a.test" in ended.said
