"""A date without a time is that day wherever it goes: in the database, JSON lines, a workbook and the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.article_date]

DAY, MINUTE = "2026-11-18", "2026-11-19 08:30"


@pytest.fixture
def project(project: Project, web: Web) -> Project:
    """A project that has crawled an article of a day and one of a minute."""
    urls = [f"http://a.test/news/{number}.html" for number in (1, 2)]
    for number, url in enumerate(urls, start=1):
        web.article(url, number)
        web.answers[url] = web.page(
            web.body(url).replace("2026-11-18 08:00", DAY if number == 1 else MINUTE)
        )
    web.board("http://a.test/", *urls)
    project.topic('[stories]\ncopies = "off"\n')
    project.reports = True
    assert project.crawl().status == 0
    return project


def test_a_day_without_a_time_is_that_day_wherever_it_goes(project: Project) -> None:
    rows = project.rows("SELECT published, published_date FROM articles ORDER BY url")
    assert [tuple(row) for row in rows] == [
        ("2026-11-17T16:00:00.000Z", DAY),
        ("2026-11-19T00:30:00.000Z", "2026-11-19T08:30+08:00"),
    ]
    for name in ("a.jsonl", "a.csv", "a.xlsx"):
        ended = project.run("topic", "export", "news", "-o", name)
        assert ended.status == 0, ended.said
    lines = (project.folder / "a.jsonl").read_text("utf-8").splitlines()
    published = sorted(json.loads(line)["published"] for line in lines if "published" in line)
    assert published == [DAY, "2026-11-19T00:30:00.000Z"]
    assert "2026-11-17" not in (project.folder / "a.csv").read_text("utf-8-sig")
    with ZipFile(project.folder / "a.xlsx") as book:
        cells = "".join(book.read(name).decode() for name in book.namelist() if "xml" in name)
    assert f">{DAY}<" in cells
    assert f">{MINUTE}<" in cells
    assert f"{DAY} 00:00" not in cells
    report = (project.data / "news.report.html").read_text("utf-8")
    assert f">{DAY}<" in report
    assert f"{DAY} 00:00" not in report
