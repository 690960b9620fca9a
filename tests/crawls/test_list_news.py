"""A blog whose front page shows all that is new: its many other lists are not read by every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawls.days import run_on

if TYPE_CHECKING:
    from tests.crawls.conftest import Project, Web

HOME = "http://a.test/"
TAGS = [f"{HOME}tag/{number}/" for number in range(12)]


def post(number: int) -> str:
    return f"{HOME}news/{number}.html"


def show(web: Web, latest: int, column: tuple[int, ...] = ()) -> None:
    """Let the blog have its posts up to ``latest``, and a column some that its front page has not."""
    for number in (*range(1, latest + 1), *column):
        web.article(post(number), number)
    newest = [post(number) for number in range(latest, max(0, latest - 20), -1)]
    web.board(HOME, *newest, *TAGS, f"{HOME}column/")
    for place, tag in enumerate(TAGS):
        web.board(tag, *(url for number, url in enumerate(newest) if number % 12 == place), HOME)
    web.board(f"{HOME}column/", *map(post, column), post(1), HOME)


def test_lists_that_only_repeat_the_front_page_rest_and_nothing_new_is_missed(
    project: Project, web: Web
) -> None:
    show(web, 20)
    project.topic()
    assert project.crawl().status == 0
    assert all(web.times(tag) == 1 for tag in TAGS)

    show(web, 30, column=(501,))  # who shows what is new is found out
    assert run_on(project, 1).status == 0
    assert all(web.times(tag) == 2 for tag in TAGS)

    for day in range(2, 9):
        column = (501, 502) if day > 4 else (501,)
        show(web, 29 + day, column)
        ended = run_on(project, day)
        assert ended.status == 0, ended.said
        expected = {post(number) for number in (*range(1, 30 + day), *column)}
        assert expected <= project.articles(), f"day {day}"
    assert web.times(HOME) == web.times(f"{HOME}column/") == 9
    times = [web.times(tag) for tag in TAGS]
    assert sum(times) < 4 * len(TAGS), times  # of nine runs
    assert run_on(project, 11).status == 0
    assert min(web.times(tag) for tag in TAGS) >= 3, "none rests longer than nine days"


def test_in_the_published_form_every_run_reads_every_list(project: Project, web: Web) -> None:
    show(web, 20)
    project.topic("[revisit]\nstrict = true\n")
    for day in range(3):
        show(web, 20 + day)
        assert run_on(project, day).status == 0
    assert all(web.times(tag) == 3 for tag in TAGS)
