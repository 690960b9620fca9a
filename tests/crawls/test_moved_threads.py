"""A thread that its forum has moved stays one thread: its row, its posts, its visits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.test_forums import BOARD, TOPIC, Forum, address, crawl_on
from tests.crawls.test_returning import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.usefixtures("all_is_news"), pytest.mark.A9, pytest.mark.B1]

FAST = '[revisit]\ngone_after = 2\ngone_within = "1d"\n'
DAYS = (1.1, 2.3, 3.5)


def new_address(number: int) -> str:
    return f"http://bbs.test/t/{number}.html"


def by_redirect(web: Web) -> None:
    """The old addresses lead to the new ones; the board still names the old."""
    for number in (1, 2):
        web.answers[new_address(number)] = web.answers[address(number)]
        web.redirect(address(number), new_address(number), 301)


def by_redirect_and_board(web: Web) -> None:
    """As before, and the board names the new addresses."""
    by_redirect(web)
    board = web.body(BOARD)
    for number in (1, 2):
        board = board.replace(address(number), new_address(number))
    web.answers[BOARD] = web.page(board)


def by_its_own_word(web: Web) -> None:
    """Both addresses show the threads, the old ones say that they stand at the new ones, which the board names."""
    by_redirect_and_board(web)
    for number in (1, 2):
        said = f'<head><link rel="canonical" href="{new_address(number)}">'
        web.answers[address(number)] = web.page(
            web.body(new_address(number)).replace("<head>", said)
        )


def without_a_word(web: Web) -> None:
    """The old addresses answer 404, the board names the new ones."""
    by_redirect_and_board(web)
    for number in (1, 2):
        del web.answers[address(number)]


def of_threads(project: Project) -> dict[str, tuple[str, int, int]]:
    """Return url, posts that are stored and those that are counted of each thread, by its key; none is gone."""
    rows = project.rows(
        "SELECT url_key, url, replies_seen, gone_at,"
        " (SELECT count(*) FROM posts WHERE thread_key = url_key) AS posts FROM threads"
    )
    assert {row["gone_at"] for row in rows} == {None}
    return {row["url_key"]: (row["url"], row["posts"], row["replies_seen"]) for row in rows}


@pytest.mark.parametrize(
    "move", [by_redirect, by_redirect_and_board, by_its_own_word, without_a_word]
)
def test_a_thread_that_has_moved_keeps_its_row_and_is_told_to_have_moved_once(
    project: Project, web: Web, move: Callable[[Web], None]
) -> None:
    forum = Forum(web)
    for number, posts in ((1, 3), (2, 5)):
        forum.write(number, posts)
    project.write("topics/news.toml", TOPIC + FAST)
    crawl_on(project, web, 0)
    key_1, key_2 = sorted(of_threads(project), key=lambda key: of_threads(project)[key])
    move(web)
    for day in DAYS:
        crawl_on(project, web, day)
    forum.write(1, 4)
    forum.write(2, 5)
    move(web)
    for day in (5, 6.2):
        crawl_on(project, web, day)
    assert of_threads(project) == {
        key_1: (new_address(1), 4, 4),
        key_2: (new_address(2), 5, 5),
    }
    kinds = [(kind, url) for kind, _, url in told(project) if kind != "new"]
    moved = [("moved", new_address(number)) for number in (1, 2)]
    assert sorted(kinds) == [*moved, ("reply", new_address(1))]
    assert len(told(project, "new")) == 2


def test_two_threads_that_open_with_the_same_words_are_two(project: Project, web: Web) -> None:
    """Somebody asks the same on another board: both are there, and both are kept."""
    forum = Forum(web)
    forum.write(1, 3)
    project.write("topics/news.toml", TOPIC + FAST)
    crawl_on(project, web, 0)
    forum.write(2, 4)
    page = web.body(address(2)).replace("食品帖子2", "食品帖子1")
    web.answers[address(2)] = web.page(page)
    for day in DAYS:
        crawl_on(project, web, day)
    assert sorted(of_threads(project).values()) == [(address(1), 3, 3), (address(2), 4, 4)]
    assert [kind for kind, _, _ in told(project)] == ["new", "new"]
