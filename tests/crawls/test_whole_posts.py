"""A list that shows its posts whole: it is nobody's original, and what is right of it is not advised away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.crawls.test_stories import page, text_of

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.D2, pytest.mark.A2]

HOME = "http://a.test/"
ALL = f"{HOME}blog/2026/all.html"
POSTS = {f"{HOME}p/{number}.html": f"食品见闻之{name}" for number, name in enumerate("甲乙丙丁")}


def paragraphs(number: int) -> str:
    return "".join(f"<p>{one}。</p>" for one in text_of(number).split("。") if one)


def blog(web: Web, *, first: str = "") -> None:
    """Put a blog whose page of all posts shows them whole, without a link that stands in a post."""
    for number, (url, title) in enumerate(POSTS.items()):
        web.answers[url] = page(web, title, text_of(number))
    whole = "".join(
        f"<h2>{title}</h2>{paragraphs(number)}" for number, title in enumerate(POSTS.values())
    )
    side = "".join(f'<li><a href="{url}">{title}</a></li>' for url, title in POSTS.items())
    title = first or "一个食品博客的见闻"
    web.answers[ALL] = web.say(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div>{whole}</div>"
        f"<ul>{side}</ul></body></html>"
    )


@pytest.mark.parametrize("title", ["", "食品见闻之甲"])
def test_posts_that_a_page_read_as_an_article_shows_whole_are_all_stored(
    project: Project, web: Web, title: str
) -> None:
    blog(web, first=title)
    web.board(HOME, (ALL, "食品见闻"))
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert set(POSTS) <= project.articles()
    assert not project.rows("SELECT url FROM articles WHERE is_copy")
    stories = project.rows("SELECT url, story_id FROM articles")
    assert len({row["story_id"] for row in stories}) == len(stories)


def test_a_list_that_led_to_articles_is_not_advised_to_be_one(project: Project, web: Web) -> None:
    posts = [f"{HOME}archives/{number}" for number in range(1, 41)]
    for number, url in enumerate(posts, start=1):
        web.article(url, number)
    lists = posts[6::10]
    for place, url in enumerate(lists):
        web.board(url, *(f"{HOME}archives/{1000 + 20 * place + number}" for number in range(14)))
        for number in range(14):
            web.article(f"{HOME}archives/{1000 + 20 * place + number}", 100 + 20 * place + number)
    web.board(HOME, *posts)
    project.topic("[article]\nmin_length = 0\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "read as lists" not in ended.said
    assert len(project.articles()) == 36 + 4 * 14


def excerpt(number: int) -> str:
    return f"<p>{text_of(number)[:60]}…</p>"


def first_whole(number: int) -> str:
    return paragraphs(number) if number == 0 else excerpt(number)


Form = Callable[[int, str, str], str]
HEADLESS: dict[str, Form] = {
    "after one another": lambda number, url, title: f"<hr>{paragraphs(number)}",
    "with a day each": lambda number, url, title: f"<p>11月1{number}日</p>{paragraphs(number)}",
    "read more": lambda number, url, title: (
        f"<div class=post>{paragraphs(number)}<p><a href='{url}'>阅读全文</a></p></div>"
    ),
    "the first whole, read more": lambda number, url, title: (
        f"<div class=post>{first_whole(number)}<p><a href='{url}'>阅读全文</a></p></div>"
    ),
    "labels": lambda number, url, title: (
        f"<div class=card><a href='{url}' aria-label='{title}'></a>{paragraphs(number)}</div>"
    ),
    "the first whole, labels": lambda number, url, title: (
        f"<div class=card><a href='{url}' aria-label='{title}'></a>{first_whole(number)}</div>"
    ),
    "the day leads there": lambda number, url, title: (
        f"<div class=entry><p><a href='{url}'>2026-11-1{number} 08:00</a></p>{paragraphs(number)}</div>"
    ),
}
WITHOUT_LINKS = {"after one another", "with a day each"}
LISTS = {*HEADLESS} - WITHOUT_LINKS - {"the day leads there"}


@pytest.mark.parametrize("form", HEADLESS)
@pytest.mark.parametrize("place", [HOME, ALL])
def test_posts_that_a_page_shows_without_their_headings_are_all_stored(
    project: Project, web: Web, place: str, form: str
) -> None:
    """The first one whole, a month as plain text: the page is nobody's original, whatever it is read as."""
    for number, (url, title) in enumerate(POSTS.items()):
        web.answers[url] = page(web, title, text_of(number))
    shown = [HEADLESS[form](n, url, title) for n, (url, title) in enumerate(POSTS.items())]
    links = "".join(f'<li><a href="{url}">第{n}篇</a></li>' for n, url in enumerate(POSTS))
    side = f"<ul>{links}</ul>" if form in WITHOUT_LINKS else ""
    title = "一个食品博客的见闻"
    web.board(HOME, (ALL, "食品见闻"))
    web.answers[place] = web.say(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div>{''.join(shown)}</div>{side}</body></html>"
    )
    project.topic()
    project.crawl()
    assert set(POSTS) <= project.articles()
    assert not project.rows("SELECT url FROM articles WHERE is_copy")
    if form in LISTS:
        assert project.articles() == {*POSTS}
