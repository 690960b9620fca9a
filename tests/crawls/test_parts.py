"""Articles of several pages, crawled: one row each, whole, in order, whatever goes wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.crawls.conftest import Project, Web

HOME = "http://a.test/"
ARTICLE = f"{HOME}news/7.html"
TITLE = "食品抽检长篇调查"
SENTENCE = "第{}页第{}段:市场监管部门在食品安全抽检中发现样品不合格,已经责令有关企业立即下架并且召回全部产品,后续处理结果将向社会公布。"


def address(number: int) -> str:
    return ARTICLE if number == 1 else f"{HOME}news/7_{number}.html"


def lines(number: int) -> list[str]:
    return [SENTENCE.format(number, paragraph) for paragraph in range(1, 5)]


def text(numbers: Sequence[int]) -> str:
    return "\n".join(line for number in numbers for line in lines(number))


def numbered(number: int, last: int) -> str:
    """Link to every page by its number, and to the next one."""
    links = [f'<a href="{address(page)}">{page}</a>' for page in range(1, last + 1)]
    links[number - 1] = str(number)
    return " ".join([*links, following(number, last)])


def following(number: int, last: int) -> str:
    return f'<a href="{address(number + 1)}">下一页</a>' if number < last else ""


def put(web: Web, url: str, paragraphs: Sequence[str], more: str = "", title: str = TITLE) -> None:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    web.answers[url] = web.page(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<p>发布时间:2026-11-18 08:00 来源:四川日报</p><div>{text}</div>"
        f'<div class="pages">{more}</div></body></html>'
    )


def put_article(web: Web, last: int, pager: object = numbered) -> None:
    """Put an article of so many pages on the small web, beside one of one page."""
    assert callable(pager)
    for number in range(1, last + 1):
        put(web, address(number), lines(number), pager(number, last))
    web.article(f"{HOME}news/1.html", 1)
    web.board(HOME, ARTICLE, f"{HOME}news/1.html")


def rows(project: Project) -> dict[str, tuple[str, int, bool, int]]:
    """Return of each stored article its text, pages, whether it is complete, and its version."""
    found = project.rows("SELECT url, text, page_count, complete, version FROM articles")
    return {row["url"]: (row["text"], row["page_count"], bool(row["complete"]), row["version"]) for row in found}  # fmt: skip


@pytest.mark.parametrize("pager", [numbered, following])
def test_an_article_of_five_pages_is_one_row_and_one_line(
    project: Project, web: Web, pager: object
) -> None:
    put_article(web, 5, pager)
    project.topic('[output.feeds."out/news.jsonl"]\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert set(rows(project)) == {ARTICLE, f"{HOME}news/1.html"}
    assert rows(project)[ARTICLE] == (text(range(1, 6)), 5, True, 1)
    written = (project.folder / "out/news.jsonl").read_text("utf-8").splitlines()
    whole = [line for line in map(json.loads, written) if line["url"] == ARTICLE]
    assert [line["text"] for line in whole] == [text(range(1, 6))]
    assert project.last_run()["articles_new"] == 2
    assert {project.outcomes()[address(number)][0] for number in range(2, 6)} == {"part"}
    assert project.facts("article_parts") == []
