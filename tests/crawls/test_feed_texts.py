"""A feed that shows whole articles says of each that it is as it is known: no young one is looked at for that."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

import pytest

from focuscrawl.features.revisit.agenda import FRESH_WITHIN
from tests.crawls.days import HOME, article, asked_each_day, asked_since, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.feed_texts

FEED = f"{HOME}rss.xml"
NAMED = f'<link rel="alternate" type="application/rss+xml" href="{FEED}">'
NUMBERS = range(1, 9)
DAYS = range(1, 5)


def entry(web: Web, number: int, share: float) -> str:
    """Return the entry of a post, with a share of its text."""
    body = web.body(article(number))
    title = re.search("<h1>(.*?)</h1>", body)
    text = re.search("<div>(.*?)</div>", body)
    assert title
    assert text
    shown = text[1][: int(len(text[1]) * share)]
    return f"<item><title>{title[1]}</title><link>{article(number)}</link><description>{escape(shown)}</description></item>"


def write_feed(web: Web, share: float = 1.0) -> None:
    entries = "".join(entry(web, number, share) for number in NUMBERS)
    web.xml(FEED, f"<rss><channel>{entries}</channel></rss>")


def blog(web: Web, share: float = 1.0) -> None:
    """Put a blog of young posts whose feed shows a share of the text of each."""
    for number in NUMBERS:
        web.article(article(number), number)
    web.board(HOME, *map(article, NUMBERS), more=NAMED)
    write_feed(web, share)


def looks(project: Project, web: Web) -> int:
    """Return how often posts were asked for on the quiet days behind the first crawl."""
    assert run_on(project, 0).status == 0
    return sum(asked_each_day(project, web, DAYS, "/news/"))


def test_posts_that_a_feed_shows_whole_are_not_looked_at_on_quiet_days(
    project: Project, web: Web
) -> None:
    blog(web)
    project.topic()
    assert run_on(project, 0).status == 0
    first, second, *others = asked_each_day(project, web, DAYS, "/news/")
    assert first == len(NUMBERS) / FRESH_WITHIN, "its site names the feed: the second run reads it"
    assert first + second <= len(NUMBERS)
    assert sum(others) == 0


def test_a_feed_that_is_named_as_a_source_vouches_from_the_first_day(
    project: Project, web: Web
) -> None:
    blog(web)
    project.topic(sources=f"{HOME} {FEED}")
    assert looks(project, web) == 0


def test_a_feed_that_came_unchanged_shows_what_it_showed(project: Project, web: Web) -> None:
    blog(web)
    web.keep_versions(FEED)
    project.topic(sources=f"{HOME} {FEED}")
    assert looks(project, web) == 0
    assert web.times(FEED) == 1 + len(DAYS)


def test_an_edit_that_the_feed_shows_is_found_on_its_day_or_the_next(
    project: Project, web: Web
) -> None:
    blog(web)
    project.topic(sources=f"{HOME} {FEED}")
    assert looks(project, web) == 0
    web.article(article(3), 77)
    write_feed(web)
    before = len(web.asked())
    for day in (5, 6):
        run_on(project, day)
    assert asked_since(web, before, "/news/3.html") >= 1
    changes = project.rows("SELECT url, kind FROM changes")
    assert [tuple(change) for change in changes] == [(article(3), "major")]


def test_a_post_that_has_left_the_feed_is_looked_at_again(project: Project, web: Web) -> None:
    blog(web)
    project.topic(sources=f"{HOME} {FEED}")
    assert looks(project, web) == 0
    web.xml(FEED, "<rss><channel></channel></rss>")
    before = len(web.asked())
    for day in range(5, 10):  # they are older than a week by then
        run_on(project, day)
    assert asked_since(web, before, "/news/") >= len(NUMBERS)


def test_what_an_edit_adds_behind_an_excerpt_is_found_as_ever(project: Project, web: Web) -> None:
    blog(web, 0.4)
    project.topic(sources=f"{HOME} {FEED}")
    assert looks(project, web) >= len(NUMBERS)


@pytest.mark.parametrize("table", ["strict = true", "signals = false", 'policy = "fixed"'])
def test_forms_that_do_not_go_by_signals_look_as_often_as_they_say(
    project: Project, web: Web, table: str
) -> None:
    blog(web)
    project.topic(f"[revisit]\n{table}\n", sources=f"{HOME} {FEED}")
    assert looks(project, web) >= len(NUMBERS)
