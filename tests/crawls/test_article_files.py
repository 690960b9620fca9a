"""Whole crawls that fetch the attachments and images of articles (A2)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.A2

HOME = "http://a.test/"
ARTICLE = f"{HOME}news/1.html"
PDF, SHEET = f"{HOME}f/list.pdf", "http://files.test/b.xlsx"
BODIES = {PDF: b"%PDF-1.7 \x00 list", SHEET: b"PK\x03\x04 sheet"}


@pytest.fixture
def attached(web: Web) -> None:
    """Put two articles somewhere, one with two attachments, one about something else with one."""
    web.board(HOME, ARTICLE, (f"{HOME}news/2.html", "球赛"))
    links = "".join(f'<a href="{url}">附件</a>' for url in (*BODIES, f"{HOME}f/login.pdf"))
    web.article(ARTICLE, 1, more=f"{links}<a href='{HOME}f/no.zip'>包</a>")
    sport = "昨晚的球赛观众很多，主队赢得了比赛，大家都很高兴地回家了。" * 9
    web.answers[f"{HOME}news/2.html"] = web.page(
        f"<title>球赛</title><h1>球赛</h1><p>{sport}</p><a href='{HOME}f/sport.pdf'>附件</a>"
    )
    for url, body in BODIES.items():
        web.answers[url] = web.page(body, "application/octet-stream")
    web.answers[f"{HOME}f/login.pdf"] = web.page("<!DOCTYPE html><p>请先登录</p>")


@pytest.mark.usefixtures("attached")
@pytest.mark.parametrize("strict", [False, True])
def test_the_files_of_a_stored_article_are_fetched_first_and_have_a_row_each(
    project: Project, web: Web, *, strict: bool
) -> None:
    project.topic(f'[article]\nfiles = ["pdf", "xlsx"]\n[queues]\nstrict = {str(strict).lower()}\n')
    assert project.crawl().status == 0
    files = {
        row["url"]: row
        for row in project.rows(
            "SELECT f.*, p.status, p.level, p.page_class, p.outcome, a.url AS article FROM files f "
            "JOIN pages p USING (topic, url_key) JOIN articles a ON a.url_key = f.parent_key".replace(
                "USING (topic, url_key)", "ON p.url_key = f.file_key"
            )
        )
    }
    assert set(files) == set(BODIES)
    for url, body in BODIES.items():
        row = files[url]
        assert (row["article"], row["status"], row["level"]) == (ARTICLE, 200, 5)
        assert (row["page_class"], row["outcome"]) == ("file", "stored")
        assert (row["bytes"], row["sha256"]) == (len(body), hashlib.sha256(body).hexdigest())
    ((listed,),) = project.rows(
        f"SELECT json_array_length(files) FROM articles WHERE url = '{ARTICLE}'"
    )
    assert listed == 3
    asked = {one.url for one in web.asked()}
    assert not asked & {f"{HOME}f/no.zip", f"{HOME}f/sport.pdf"}
    assert project.outcomes()[f"{HOME}f/login.pdf"][0] == "refused"
    assert project.crawl(FOCUSCRAWL_SHIFT="90000").status == 0
    assert web.times(PDF) == 1, "a file is fetched once"


@pytest.mark.usefixtures("attached")
def test_without_the_key_no_file_is_asked_for(project: Project, web: Web) -> None:
    project.topic()
    assert project.crawl().status == 0
    assert not {one.url for one in web.asked()} & set(BODIES)
    assert not project.rows("SELECT * FROM files")
