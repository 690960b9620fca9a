"""A crawl for records: from home pages over two clicks to the contact pages, into rows and files."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.C7

HOME = "http://a.test/"
POLITE = '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n'
DIRECTORY = f"""
extends = "directory"
[topic]
name = "news"
{POLITE}
[follow]
scope = "web"
[explore]
enabled = false
[output.feeds."out/companies.csv"]
items = ["company"]
[output.feeds."out/all.jsonl"]
items = ["company", "page"]
"""
SOURCE = f'[[source]]\nurls = ["{HOME}", "http://b.test/"]\n'
ENGINE = """
[search]
engines = ["own"]
queries = ["软件公司"]
delay = "0s"
[search.engine.own]
url = "http://s.test/s?q={query}&p={page}"
results = "css:.r"
link = "css:a::attr(href)"
title = "css:a"
"""


def company(web: Web, host: str, name: str, phone: str, *, about: bool = True) -> None:
    """Put the site of a company somewhere: contact page behind the about page, or beside it."""
    contact = "<ul><li><a href='/contact.html'>联系我们</a></li><li><a href='/'>首页</a></li></ul>"
    menu = "<ul><li><a href='/about.html'>关于我们</a></li><li><a href='/p.html'>产品</a></li></ul>"
    web.answers[f"http://{host}/"] = web.page(menu if about else menu + contact)
    web.answers[f"http://{host}/about.html"] = web.page(f"<p>{name}的简介。</p>{contact}")
    web.answers[f"http://{host}/p.html"] = web.page(
        "<p>产品</p><p>电话：028-55500000 邮编：610000</p>"
    )
    web.answers[f"http://{host}/contact.html"] = web.page(
        f"<h3>联系我们</h3><p>公司名称：{name}</p><p>地址：成都市样例路1号</p><p>电话：{phone}</p>"
    )


def told(project: Project, query: str) -> list[dict[str, object]]:
    """Ask the results."""
    return [dict(row) for row in project.rows(query)]


@pytest.mark.both_stores
def test_companies_become_rows_a_view_and_files(project: Project, web: Web) -> None:
    company(web, "a.test", "云杉软件有限公司", "028-55501111")
    company(web, "b.test", "青禾软件有限公司", "028-55502222 / 028-55503333", about=False)
    project.write("topics/news.toml", DIRECTORY + SOURCE)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "records    2 new, 0 changed" in ended.said
    rows = told(project, "SELECT name, phone, complete, host FROM record_company ORDER BY name")
    assert rows == [
        {"name": "云杉软件有限公司", "phone": "028-55501111", "complete": 1, "host": "a.test"},
        {"name": "青禾软件有限公司", "phone": "028-55502222、028-55503333", "complete": 1, "host": "b.test"},
    ]  # fmt: skip
    pages = told(project, "SELECT page_class, outcome FROM pages WHERE url LIKE '%contact.html'")
    assert pages == [{"page_class": "record", "outcome": "stored"}] * 2
    assert told(project, "SELECT records_new FROM crawl_runs") == [{"records_new": 2}]
    out = project.folder / "out"
    with (out / "companies.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert {line["name"] for line in lines} == {"云杉软件有限公司", "青禾软件有限公司"}
    assert list(lines[0])[:3] == ["name", "address", "phone"]
    assert list(lines[0])[-3:] == ["url", "host", "complete"]
    kinds = [json.loads(line) for line in (out / "all.jsonl").read_text("utf-8").splitlines()]
    assert sum("address" in one and bool(one.get("address")) for one in kinds) == 2


def test_a_crawl_that_finds_no_record_is_empty(project: Project, web: Web) -> None:
    web.board(HOME, (f"{HOME}contact.html", "联系我们"))
    web.answers[f"{HOME}contact.html"] = web.page("<p>没有人在</p>")
    project.write("topics/news.toml", DIRECTORY + SOURCE)
    ended = project.crawl()
    assert ended.status == 3, ended.said


def test_a_seed_that_led_to_a_record_is_useful(project: Project, web: Web) -> None:
    company(web, "one.test", "云杉软件有限公司", "028-55501111")
    web.answers["http://two.test/"] = web.page("<p>没有人在</p>")
    shown = "".join(
        f"<div class='r'><a href='http://{host}/'>{host}</a></div>" for host in ("one.test", "two.test")
    )  # fmt: skip
    web.anything["s.test"] = web.page(shown)
    project.write("topics/news.toml", DIRECTORY + ENGINE)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert told(project, "SELECT url, state, useful FROM seeds ORDER BY url") == [
        {"url": "http://one.test/", "state": "useful", "useful": 1},
        {"url": "http://two.test/", "state": "useless", "useful": 0},
    ]


def test_a_trial_shows_what_it_found(project: Project, web: Web) -> None:
    company(web, "a.test", "云杉软件有限公司", "028-55501111")
    project.write("topics/news.toml", DIRECTORY + SOURCE)
    ended = project.run("topic", "try", "news")
    assert "company" in ended.said
    assert "name: 云杉软件有限公司  (公司名称)" in ended.said
    assert "phone: 028-55501111  (电话)" in ended.said
