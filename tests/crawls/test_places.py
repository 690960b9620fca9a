"""Where a site has the authors of its articles is learnt in one run and used in the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import HOME, article, run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.article_head

AUTHORS = ("王小明", "李小红", "张大山", "陈思远", "刘一凡", "赵文博", "周子涵")


def signed(web: Web, number: int, author: str) -> None:
    bar = f"<ul><li>分享</li><li>收藏</li></ul><em class=who>{author}</em><i>打印</i>"
    web.article(article(number), number, more=f"<div>{bar}</div>")


def test_an_author_without_a_label_is_read_where_other_pages_of_the_site_name_theirs(
    project: Project, web: Web
) -> None:
    for number, author in enumerate(AUTHORS, start=1):
        signed(web, number, f"作者：{author}")
    web.board(HOME, *(article(number) for number in range(1, len(AUTHORS) + 1)))
    signed(web, 8, "孙晓梅")
    project.topic()
    assert run_on(project, 0).status == 0
    web.board(HOME, *(article(number) for number in range(1, len(AUTHORS) + 2)))
    ended = run_on(project, 1.1)
    assert ended.status == 0, ended.said
    rows = project.rows("SELECT url, author FROM articles")
    assert {row["url"]: row["author"] for row in rows} == {
        article(number): author for number, author in enumerate((*AUTHORS, "孙晓梅"), start=1)
    }
