"""A blog whose tags, months and authors show what its own list shows: few are read in the first crawl, all in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, article, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.refused_links

POSTS, A_PAGE = 30, 5
TAGS = [f"{HOME}tag/{name}/" for name in ("one", "two", "three", "four", "five", "six", "seven")]
MONTHS = [f"{HOME}archive/2026/{month}/" for month in range(1, 8)]


def in_pages(web: Web, url: str, numbers: list[int], more: str = "") -> None:
    """Put a list of posts, five a page, each page with a link to the next."""
    for first in range(0, len(numbers), A_PAGE):
        page = first // A_PAGE + 1
        last = first + A_PAGE >= len(numbers)
        onward = "" if last else f'<p><a href="{url}?page={page + 1}">下一页</a></p>'
        place = url if page == 1 else f"{url}?page={page}"
        web.board(place, *map(article, numbers[first : first + A_PAGE]), more=more + onward)


def blog(web: Web, own: int = 0) -> set[str]:
    """Put a blog; ``own`` is a post that the fifth tag alone shows."""
    numbers = list(range(1, POSTS + 1))
    for number in numbers:
        web.article(article(number), number)
    links = "".join(f'<a href="{url}">列表{url}</a>' for url in TAGS + MONTHS)
    in_pages(web, HOME, numbers, links)
    for place, url in enumerate(TAGS + MONTHS):
        feed = f'<p><a href="{url}feed/rss/">RSS</a></p>'
        mine = [own] if own and place == 4 else []
        in_pages(web, url, mine + [one for one in numbers if one % 4 == place % 4], feed)
        items = "".join(f"<item><link>{article(one)}</link></item>" for one in numbers[:3])
        web.xml(f"{url}feed/rss/", f'<rss version="2.0"><channel>{items}</channel></rss>')
    return set(map(article, numbers))


def test_of_lists_that_show_nothing_new_few_are_read_in_the_first_crawl(
    project: Project, web: Web
) -> None:
    posts = blog(web)
    project.topic()
    assert run_on(project, 0).status == 0
    assert posts <= project.articles()
    lists = [one.url for one in web.asked() if "/news/" not in one.url and "page=" not in one.url]
    assert sum("tag" in one or "archive" in one for one in lists) <= 20, "of 14 lists and 14 feeds"
    assert sum("/?page=" in one.url for one in web.asked()) <= 5 + 6, (
        "five of its own, 14 of others"
    )
    assert ("parked", "rule:trap:lists") in project.outcomes().values()


def test_each_list_that_was_put_off_is_read_within_days(project: Project, web: Web) -> None:
    blog(web)
    project.topic()
    day = 0
    while not {*TAGS, *MONTHS} <= {one.url for one in web.asked()}:
        run_on(project, day)
        day += 1
    assert 2 <= day <= 14, "some were put off, each for a fortnight at most"


def test_news_on_a_known_list_bring_those_that_were_put_off(project: Project, web: Web) -> None:
    blog(web)
    project.topic()
    run_on(project, 0)
    web.article(article(99), 99)
    web.article(article(98), 98)
    blog(web, own=99)
    web.board(HOME, article(98), *map(article, range(1, 5)))
    run_on(project, 1)
    assert {article(98), article(99)} <= project.articles()


def test_news_are_told_though_a_list_that_was_put_off_shows_them_too(
    project: Project, web: Web
) -> None:
    blog(web)
    project.topic()
    run_on(project, 0)
    web.article(article(98), 98, date="2026-11-20")
    for place, url in enumerate([*TAGS, *MONTHS]):
        web.board(url, article(98), article(place + 1))
    web.board(HOME, article(98), *map(article, range(1, 5)))
    run_on(project, 1)
    new = {row["url"] for row in project.rows("SELECT url FROM changes WHERE kind = 'new'")}
    assert article(98) in new
