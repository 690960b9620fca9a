"""A crawl that ends writes its report: what is new, and how it went."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.crawls.hostile_pages import write_hostile_pages
from tests.output.report.conftest import check_page

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web


@pytest.fixture
def project(project: Project) -> Project:
    """A project whose crawls write reports."""
    project.reports = True
    return project


@pytest.mark.both_stores
def test_a_crawl_ends_with_a_report_in_which_what_pages_say_is_text(
    project: Project, web: Web
) -> None:
    write_hostile_pages(web)
    project.topic()
    assert project.crawl().status == 0
    extra = "http://a.test/news/99.html"
    web.article(extra, 99)
    web.board("http://a.test/", extra, "http://a.test/news/0.html")
    ended = project.crawl(LANGUAGE="zh_CN")
    assert ended.status == 0, ended.said
    page = project.data / "news.report.html"
    (named,) = [line for line in ended.said.splitlines() if str(page) in line]
    assert named.split() == ["报告", str(page)]
    seen = check_page(page.read_text("utf-8"))
    assert "第99批食品抽检结果公布" in seen.text
    assert "已完成" in seen.text
    assert "<script>document.title='食品'</script>" in seen.text


def test_a_topic_may_do_without_a_report_or_name_its_file(project: Project, web: Web) -> None:
    web.news(1)
    project.topic("[output]\nreport = false\n")
    assert project.crawl().status == 0
    assert not [*project.data.glob("*.html")]
    project.topic('[output]\nreport = "pages/morning.html"\n')
    ended = project.crawl()
    assert ended.status == 0, ended.said
    check_page((project.data / "pages" / "morning.html").read_text("utf-8"))


def test_a_report_that_cannot_be_written_is_told_and_costs_the_crawl_nothing(
    project: Project, web: Web
) -> None:
    web.news(1)
    project.topic('[output]\nreport = "taken/morning.html"\n')
    project.write("crawls/taken", "a file")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "The report could not be written" in ended.said
    assert "scrapy report news" in ended.said
    assert len(project.articles()) == 1


def test_the_command_tells_what_is_new_while_nobody_crawls(project: Project, web: Web) -> None:
    web.news(2)
    project.topic()
    assert project.crawl().status == 0
    web.article("http://a.test/news/3.html", 3)
    web.board("http://a.test/", *(f"http://a.test/news/{number}.html" for number in (1, 2, 3)))
    assert project.crawl().status == 0
    said = json.loads(project.run("report", "news", "--json").said)
    (topic,) = said["topics"]
    listings = topic["news"][0]["listings"]
    assert [row["title"]["url"] for row in listings["articles"]["rows"]] == [
        "http://a.test/news/3.html"
    ]
    listed = project.run("report", "news", "--list", "articles").said
    assert listed.count("http://a.test/news/") == 1
    written = project.run("report", "--since", "24h", "--lang", "zh", "--output", "here.html")
    assert written.status == 0, written.said
    check_page(Path(project.folder, "here.html").read_text("utf-8"))
