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


@pytest.mark.parametrize(
    "move", [by_redirect, by_redirect_and_board, by_its_own_word, without_a_word]
)
def test_a_thread_that_has_moved_keeps_its_row_and_is_told_to_have_moved_once(
    project: Project, web: Web, move: Callable[[Web], None]
) -> None:
    forum = Forum(web)
    for number, posts in ((1, 3), (2, 5), (3, 2)):
        forum.write(number, posts)
    project.write("topics/news.toml", TOPIC + FAST)
    crawl_on(project, web, 0)
    query = "SELECT url, url_key, found, gone_at, replies_seen FROM threads ORDER BY url_key"
    before = {row["url_key"]: row for row in project.rows(query)}
    move(web)
    for day in DAYS:
        print(day, crawl_on(project, web, day))
        print(told(project))
    rows = {row["url_key"]: row for row in project.rows(query)}
    print([tuple(r) for r in rows.values()])
    assert {*rows} == {*before}
    assert {row["url"] for row in rows.values()} == {*map(new_address, (1, 2)), address(3)}
    assert {row["gone_at"] for row in rows.values()} == {None}
    assert project.rows("SELECT count(*) FROM posts")[0][0] == 10
    kinds = sorted((kind, url) for kind, _, url in told(project) if kind != "new")
    assert kinds == [("moved", new_address(number)) for number in (1, 2)]
    assert len(told(project, "new")) == 3
