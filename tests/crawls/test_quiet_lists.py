"""A site whose front page and feed show nothing new: its other lists rest, ever longer, and come with the first news."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, article, asked_each_day, asked_since, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.silent_lists

TAGS = [f"{HOME}tag/{number}/" for number in range(10)]


def blog(web: Web, *numbers: int, tagged: int = 0) -> None:
    """Put a blog whose posts stand on its front page; each tag lists two, the third also ``tagged``. Nothing has a date."""
    for number in numbers:
        web.article(article(number), number)
    web.board(
        HOME, *map(article, numbers), more="".join(f'<a href="{tag}">标签{tag}</a>' for tag in TAGS)
    )
    for place, tag in enumerate(TAGS):
        own = [tagged] if tagged and place == 3 else []
        web.board(tag, *map(article, own), article(1 + place % 6), article(1 + (place + 1) % 6))


def test_lists_rest_on_quiet_days_and_ever_longer(project: Project, web: Web) -> None:
    blog(web, *range(1, 7))
    project.topic()
    run_on(project, 0)
    asked = asked_each_day(project, web, range(1, 19), "/tag/")
    assert asked[0] <= 1, "one of those that the first crawl has put off"
    assert sum(asked[:7]) >= len(TAGS), "each within a week"
    assert sum(asked[:9]) > sum(asked[-9:])
    assert sum(asked[-9:]) >= len(TAGS), "none longer than nine days"
    assert max(asked) <= len(TAGS) * 0.7, "nor all on one day"


def test_the_run_that_sees_something_new_reads_what_has_rested(project: Project, web: Web) -> None:
    blog(web, *range(1, 7))
    project.topic()
    run_on(project, 0)
    blog(web, *range(1, 8), tagged=9)
    web.article(article(9), 9)
    before = len(web.asked())
    run_on(project, 1)
    assert asked_since(web, before, "/tag/") == len(TAGS)
    assert {article(7), article(9)} <= project.articles()


def test_a_list_that_shows_what_the_front_page_does_not_is_read_by_every_run(
    project: Project, web: Web
) -> None:
    blog(web, *range(1, 7))
    project.topic()
    run_on(project, 0)
    web.article(article(9), 9)
    blog(web, *range(1, 7), tagged=9)
    day = 1
    while article(9) not in project.articles():
        run_on(project, day)
        day += 1
    assert day <= 5, "what no other list says is found within days"
    before = len(web.asked())
    run_on(project, day)
    assert TAGS[3] in {one.url for one in web.asked()[before:]}


SECTIONS = [f"{HOME}section{number}/" for number in range(6)]


def portal(web: Web, newest: int = 0) -> None:
    """Put a front page that leads to sections alone; each lists articles with their days, the last one ``newest``, too."""
    for place, section in enumerate(SECTIONS):
        numbers = [100 * (place + 1) + day for day in range(1, 9)]
        if newest and section == SECTIONS[-1]:
            numbers.append(newest)
        rows = "".join(
            f'<li><a href="{article(number)}">关于第{number}批食品抽检的通告</a> 2026-11-{number % 100 + 2:02}</li>'
            for number in numbers
        )
        web.answers[section] = web.page(f"<title>栏目</title><ul>{rows}</ul>")
        for number in numbers:
            web.article(article(number), number, date=f"2026-11-{number % 100 + 2:02}")
    web.board(HOME, *((section, "栏目") for section in SECTIONS))


def test_a_front_page_that_shows_no_news_says_nothing_of_its_sections(
    project: Project, web: Web
) -> None:
    portal(web)
    project.topic()
    for day in range(3):
        run_on(project, day)
    portal(web, newest=620)
    run_on(project, 3)
    assert article(620) in project.articles()


def test_after_days_without_a_run_lists_wait_for_the_next_one(project: Project, web: Web) -> None:
    blog(web, *range(1, 7))
    project.topic()
    run_on(project, 0)
    asked = asked_each_day(project, web, (1, 2, 7, 8), "/tag/")
    assert asked[2] <= 1, (
        "all posts are due; of those that the first crawl has put off one has its turn"
    )
    assert asked[3] >= 3


def test_further_feeds_of_a_site_that_show_nothing_of_late_are_not_read_by_every_run(
    project: Project, web: Web
) -> None:
    own, beside = f"{HOME}rss.xml", f"{HOME}gallery/rss.xml"
    links = "".join(f'<a href="{url}">栏目{url}</a>' for url in (f"{HOME}gallery/", *TAGS))
    head = '<link rel="alternate" type="application/rss+xml" href="{}">'
    for number in range(1, 7):
        web.article(article(number), number)
    web.board(HOME, *map(article, range(1, 7)), more=head.format(own) + links)
    web.board(f"{HOME}gallery/", *TAGS[:4], more=head.format(beside))
    items = "".join(f"<item><link>{article(one)}</link></item>" for one in range(1, 7))
    for url in (own, beside):
        web.xml(url, f'<rss version="2.0"><channel>{items}</channel></rss>')
    project.topic()
    run_on(project, 0)
    feeds = [own, beside]
    for day in range(1, 5):
        before = len(web.asked())
        run_on(project, day)
        feeds += [one.url for one in web.asked()[before:] if one.url in (own, beside)]
    assert feeds.count(own) - 1 == 4
    assert feeds.count(beside) - 1 == 1, "once it is read, it rests for days"


def test_a_page_in_the_middle_of_a_blog_is_not_read_by_every_run_for_having_been_read_first(
    project: Project, web: Web
) -> None:
    middle = f"{HOME}index-3.html"
    web.board(HOME, *map(article, (1, 2)), more=f'<a href="{middle}">专栏文章汇编</a>')
    web.board(middle, *map(article, range(3, 13)))
    for number in range(1, 13):
        web.article(article(number), number, date="2026-09-01")
    project.topic()
    assert run_on(project, 0).status == 0
    read = asked_each_day(project, web, (1, 2, 3, 4.1, 5.1, 6.1), "index-3")
    assert read[:3] == [1, 1, 1], "it may be a section with news of its own"
    assert sum(read[3:]) == 1
    web.board(middle, article(50), *map(article, range(3, 13)))
    web.article(article(50), 50)
    assert sum(asked_each_day(project, web, (9, 12), "index-3")) >= 1
    assert article(50) in project.articles()
    assert asked_each_day(project, web, (13, 14, 15), "index-3") == [1, 1, 1]
