"""Lines that a site repeats beside its articles: they are cut, and cutting them is told of no page as a change."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.crawls.days import run_on

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.A2

HOME = "http://a.test/"
SECTIONS = ("地铁", "隧道", "桥梁")
WITHOUT = {"FOCUSCRAWL_FEATURES": '{"focuscrawl.site_layouts.Layouts": null}'}
PLACES = "东西南北中上下左右内外前后高低远近新旧"
WORDS = [
    f"{first}{second}"
    for first in (
        "施工",
        "隧道",
        "车站",
        "围挡",
        "道路",
        "夜间",
        "居民",
        "工地",
        "出口",
        "站台",
        "线路",
        "桥梁",
    )
    for second in (
        "部门",
        "公告",
        "安排",
        "结果",
        "单位",
        "进展",
        "措施",
        "标准",
        "检查",
        "协商",
        "费用",
    )
]
TOPIC = """[topic]
keywords = ["施工"]

[[source]]
urls = ["http://a.test/"]

[relevance]
threshold = 0

[revisit]
policy = "fixed"

[revisit.article]
first = "1d"
min = "1d"
max = "1d"
"""


def sentences(number: int) -> list[str]:
    """Return the paragraphs of a post, of which no two posts have one in common."""
    draw = Random(number)
    return ["，".join("".join(draw.choices(WORDS, k=4)) for _ in range(5)) + "。" for _ in range(4)]


def post(web: Web, number: int, *, lines: list[str] | None = None, section: str = "") -> str:
    """Put a post on the web, with its section between heading and text; returns its address."""
    url, name = f"{HOME}posts/{number}.html", section or SECTIONS[number % 3]
    title = f"{PLACES[number % 19]}{PLACES[number // 19]}站施工见闻"
    text = "".join(f"<p>{line}</p>" for line in lines or sentences(number))
    web.answers[url] = web.page(
        f"<html><head><title>{title}</title></head><body><section class='body'><article><header><h1>{title}</h1></header>"
        f"<div class='entry-content'><div class='kind'>归在 <a href='{HOME}kind/{name}.html'>{name}</a> 一栏</div>"
        f"{text}</div></article></section></body></html>"
    )
    return url


def put_posts(web: Web, count: int) -> list[str]:
    urls = [post(web, number) for number in range(count)]
    web.board(HOME, *((url, f"施工见闻第{number}篇") for number, url in enumerate(urls)))
    return urls


def texts(project: Project) -> dict[str, str]:
    return {row["url"]: row["text"] for row in project.rows("SELECT url, text FROM articles")}


def test_the_section_above_each_text_is_cut_from_all_of_them(project: Project, web: Web) -> None:
    urls = put_posts(web, 15)
    project.write("topics/news.toml", TOPIC)
    assert project.crawl().status == 0
    expected = {url: "\n".join(sentences(number)) for number, url in enumerate(urls)}
    assert texts(project) == expected
    changes = project.rows("SELECT kind FROM changes")
    assert not [row for row in changes if row["kind"] != "new"]


def test_pages_stored_with_such_lines_are_corrected_by_their_visits_without_a_change(
    project: Project, web: Web
) -> None:
    urls = put_posts(web, 15)
    project.write("topics/news.toml", TOPIC)
    project.crawl(**WITHOUT)
    assert any("归在" in text for text in texts(project).values()), "the page alone does not tell"
    for day in (1, 2):
        assert run_on(project, day).status == 0
    looked = project.rows("SELECT url FROM pages WHERE outcome IN ('stored', 'unchanged')")
    assert looked
    assert not project.rows("SELECT kind FROM changes WHERE kind IN ('minor', 'major')")
    left = [url for url, text in texts(project).items() if "归在" in text]
    assert len(left) < len(urls) / 2


def test_an_edit_of_a_page_that_was_stored_with_such_a_line_is_told_without_it(
    project: Project, web: Web
) -> None:
    urls = put_posts(web, 15)
    project.write("topics/news.toml", TOPIC)
    project.crawl(**WITHOUT)
    for number in range(len(urls)):
        post(
            web,
            number,
            lines=[*sentences(number), "竣工的日子改在冬天，因为春天的雨水太多，水泵不够用。"],
        )
    for day in (1, 2):
        run_on(project, day)
    diffs = [row["diff"] for row in project.rows("SELECT diff FROM changes WHERE diff <> ''")]
    assert diffs
    told_of_line = [one for one in diffs if "归在" in one]
    assert len(told_of_line) <= 2, "the first pages are read before the others have taught"


@pytest.mark.parametrize("last", ["联系电话：010-5550123。", "收费标准为每度0.5元。"])
def test_a_number_that_one_notice_of_a_form_changes_is_told(
    project: Project, web: Web, last: str
) -> None:
    forms = [[*sentences(number)[: 1 + number % 4], last] for number in range(48)]
    urls = [post(web, number, lines=lines) for number, lines in enumerate(forms)]
    web.board(HOME, *((url, f"施工见闻第{number}篇") for number, url in enumerate(urls)))
    project.write("topics/news.toml", TOPIC)
    project.crawl()
    assert all(text.endswith(last) for text in texts(project).values())
    post(web, 7, lines=[*sentences(7), last.replace("5", "6", 1)])
    for day in (1, 2):
        run_on(project, day)
    changed = project.rows("SELECT url, diff FROM changes WHERE kind IN ('minor', 'major')")
    assert [row["url"] for row in changed] == [urls[7]]
    assert last.replace("5", "6", 1)[:8] in changed[0]["diff"]


def redesigned(web: Web, number: int) -> None:
    """Show a post in another design."""
    url = f"{HOME}posts/{number}.html"
    title = f"{PLACES[number % 19]}{PLACES[number // 19]}站施工见闻"
    text = "".join(f"<p class='line'>{line}</p>" for line in sentences(number))
    web.answers[url] = web.page(
        f"<html><head><title>{title}</title></head><body class='wide'><main class='shell'><div class='story'><h1 class='big'>"
        f"{title}</h1><div class='copy'>{text}</div></div><div class='foot'>本站内容</div></main></body></html>"
    )


def test_a_new_design_is_told_once_and_as_a_change_of_no_page(project: Project, web: Web) -> None:
    urls = put_posts(web, 8)
    project.write("topics/news.toml", TOPIC)
    project.crawl()
    for number in range(len(urls)):
        redesigned(web, number)
    for day in (1, 2, 3):
        assert run_on(project, day).status == 0
    changes = project.rows("SELECT kind, what, url FROM changes WHERE kind <> 'new'")
    assert [(*row,) for row in changes] == [("redesign", "site", HOME)]
    listed = project.run("report", "news", "--since", "10d", "--list", "redesigned").said
    assert "a.test" in listed
