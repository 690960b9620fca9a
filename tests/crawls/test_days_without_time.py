"""A date without a time is that day wherever it goes: in the database, JSON lines, a workbook and the report."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import openpyxl
import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.article_date]

ATOM = "{http://www.w3.org/2005/Atom}"
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
    stored = project.rows("SELECT published, published_date FROM articles ORDER BY url")
    assert [tuple(row) for row in stored] == [
        ("2026-11-17T16:00:00.000Z", DAY),
        ("2026-11-19T00:30:00.000Z", "2026-11-19T08:30+08:00"),
    ]
    for name in ("a.jsonl", "a.csv", "a.xlsx"):
        ended = project.run("topic", "export", "news", "-o", name)
        assert ended.status == 0, ended.said
    lines = (project.data / "a.jsonl").read_text("utf-8").splitlines()
    published = sorted(json.loads(line)["published"] for line in lines if "published" in line)
    assert published == [DAY, "2026-11-19T00:30:00.000Z"]
    assert "2026-11-17" not in (project.data / "a.csv").read_text("utf-8-sig")
    rows = [*openpyxl.load_workbook(project.data / "a.xlsx").worksheets[0].rows]
    place = [cell.value for cell in rows[0]].index("发布时间")
    dates = [(row[place].value, row[place].number_format) for row in rows[1:]]
    assert sorted(dates) == [
        (datetime(2026, 11, 18), "yyyy-mm-dd"),
        (datetime(2026, 11, 19, 8, 30), "yyyy-mm-dd hh:mm"),
    ]
    report = (project.data / "news.report.html").read_text("utf-8")
    assert f">{DAY}<" in report
    assert f"{DAY} 00:00" not in report


def test_a_feed_has_that_day_with_the_zone_that_it_is_of(project: Project, web: Web) -> None:
    urls = [f"http://a.test/news/{number}.html" for number in range(1, 5)]
    for number, date in ((3, DAY), (4, MINUTE)):
        web.article(urls[number - 1], number)
        web.answers[urls[number - 1]] = web.page(
            web.body(urls[number - 1]).replace("2026-11-18 08:00", date)
        )
    web.board("http://a.test/", *urls)
    project.crawl()
    project.run("topic", "export", "news", "-o", "a.atom")
    feed = ET.fromstring((project.data / "a.atom").read_bytes())
    published = sorted(one.text or "" for one in feed.iter(f"{ATOM}published"))
    assert published == [f"{DAY}T00:00:00+08:00", "2026-11-19T00:30:00.000Z"]


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC"])
def test_a_condition_takes_a_day_without_a_time_for_that_day(project: Project, zone: str) -> None:
    """The first second of the day stands in the database, which is of the day before by UTC."""
    topic = (project.folder / "topics/news.toml").read_text("utf-8")
    zoned = topic.replace("[topic]\n", f'[topic]\ntimezone = "{zone}"\n', 1)
    project.write("topics/news.toml", zoned)
    for condition, found in (
        (f"published = {DAY}", [1]),
        (f"published != {DAY}", [2]),
        (f"published >= {DAY}", [1, 2]),
        (f"published > {DAY}", [2]),
        (f"published <= {DAY}", [1]),
        ("published < 2026-11-19", [1]),
        ("published >= 2026-11-19", [2]),
        ("published >= 2026-11-19 and published < 2026-11-20", [2]),
    ):
        project.run("topic", "export", "news", "-o", "a.jsonl", "--where", condition)
        lines = (project.data / "a.jsonl").read_text("utf-8").splitlines()
        rows = [row for line in lines if "published" in (row := json.loads(line))]
        assert sorted(int(row["url"][-6]) for row in rows) == found, condition
