"""One page under many addresses: index files, sessions, endless copies, sitemaps without end."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.crawls.test_actions import refused, text

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Answer, Asked, Web

pytestmark = pytest.mark.A8

HOME = "http://a.test/"


def article(web: Web, number: int, more: str = "") -> Answer:
    return web.say(
        f"<html><head><title>第{number}批食品抽检结果公布</title></head><body><h1>第{number}批食品抽检"
        f"结果公布</h1><p>发布时间:2026-11-18 08:00</p>{text(number)}{more}</body></html>"
    )


# X/ and X/index.html ----------------------------------------------------------------------------


def with_index_files(web: Web, folders: int, *, differ: str = "") -> None:
    """Put a site whose menu names folders, and whose pages name their index files."""
    both = "".join(
        f'<li><a href="/f{n}/">文件夹{n}</a></li><li><a href="/f{n}/index.html">索引{n}</a></li>'
        for n in range(folders)
    )
    menu = f'<ul><li><a href="/">首页</a></li><li><a href="/index.html">首页</a></li>{both}</ul>'

    def answer(asked: Asked) -> Answer:
        path = urlsplit(asked.url).path
        folder = path.removesuffix("index.html")
        if folder == "/":
            first = '<li><a href="/f0/">文件夹0</a></li><li><a href="/f0/index.html">索引0</a></li>'
            return web.say(f'<ul>{first}<li><a href="/index.html">首页</a></li></ul>')
        number = 100 + int(folder[2:-1])
        if folder == differ and path != folder:
            number += 1000
        return article(web, number, menu)

    web.anything["a.test"] = answer


def test_a_folder_and_its_index_file_are_one_page_once_two_have_shown_it(
    project: Project, web: Web
) -> None:
    with_index_files(web, 12)
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    paths = [urlsplit(one.url).path for one in web.asked()]
    folders = {path.removesuffix("index.html") for path in paths}
    assert folders == {"/", *(f"/f{n}/" for n in range(12))}, "nothing is lost"
    assert len(paths) == len(folders) + 2, "home and one folder twice, all others once"
    assert project.site_record("a.test")["same_pages"]["files"] == ["index.html"]
    asked = len(web.asked())
    web.board(HOME, *(f"/n{n}/index.html" for n in range(3)), *(f"/n{n}/" for n in range(3)))
    assert project.crawl(FOCUSCRAWL_SHIFT="86400").status == 0
    new = [one.url for one in web.asked()[asked:] if "/n" in one.url]
    assert sorted(new) == [f"{HOME}n{n}/index.html" for n in range(3)], "it is still known"


@pytest.mark.both_stores
def test_where_one_folder_differs_from_its_index_file_both_are_read(
    project: Project, web: Web
) -> None:
    with_index_files(web, 6, differ="/f0/")
    project.topic()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert {f"{HOME}f0/", f"{HOME}f0/index.html"} <= project.articles()
    assert len(web.asked()) == 2 + 2 * 6


# Sessions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "name"), [("show.asp?id={}&sid={}a1", "sid"), ("s/{1}a1/{0}.html", "/2")]
)
def test_a_number_that_is_new_on_every_page_is_found_out(
    project: Project, web: Web, form: str, name: str
) -> None:
    luck = random.Random(5)

    def number_in(url: str) -> int:
        found = re.search(r"[=/](\d+)(?:&|\.html)", url)
        return int(found[1]) if found else 0

    def answer(asked: Asked) -> Answer:
        links = "".join(
            f'<li><a href="/{form.format(n, f"{luck.getrandbits(40):010x}")}">通告{n}</a></li>'
            for n in range(1, 11)
        )
        return article(web, number_in(asked.url), f"<ul>{links}</ul>")

    web.anything["a.test"] = answer
    project.topic()
    ended = project.crawl("-a", "limits.pages=400")
    assert ended.status == 0, ended.said
    numbers = {number_in(one.url) for one in web.asked()}
    assert numbers >= set(range(1, 11)), "nothing is lost"
    assert project.site_record("a.test")["same_pages"]["dropped"] == [name]
    assert project.last_run()["end_reason"] == "finished"
    assert len(web.asked()) < 170


# Copies -----------------------------------------------------------------------------------------


def test_endless_copies_of_a_site_cost_a_bounded_share_and_its_articles_are_read(
    project: Project, web: Web
) -> None:
    urls = {f"{HOME}news/{number}.html" for number in range(1, 31)}
    luck = random.Random(7)

    def answer(asked: Asked) -> Answer:
        path = urlsplit(asked.url).path
        if path.startswith("/news/"):
            return article(web, int(path[6:-5]))
        endless = "".join(f'<li><a href="/go/{luck.getrandbits(48):012x}z9">转到</a></li>' for _ in range(12))  # fmt: skip
        news = "".join(f'<li><a href="{url}">通告</a></li>' for url in sorted(urls))
        place = sum(map(ord, path)) % 3
        return web.say(f"<title>第{place}页</title><p>本站第{place}个入口,欢迎光临本网站,请继续浏览</p><ul>{endless}{news}</ul>")  # fmt: skip

    web.anything["a.test"] = answer
    project.topic("[follow]\ndepth = 50\n")
    ended = project.crawl("-a", "limits.pages=1500")
    assert ended.status == 0, ended.said
    assert project.articles() == urls
    assert project.last_run()["end_reason"] == "finished"
    assert "trap:copies" in ended.said
    assert refused(project)["trap:copies"] > 100
    assert len(web.asked()) < 400
    assert ("parked", "rule:trap:copies") in project.outcomes().values()


def test_what_was_set_aside_as_a_copy_is_looked_at_again_in_the_next_run(
    project: Project, web: Web
) -> None:
    urls = {f"{HOME}news/{number}.html" for number in range(1, 121)}
    out_of_order = {"is": True}

    def answer(asked: Asked) -> Answer:
        path = urlsplit(asked.url).path
        if path == "/":
            items = "".join(f'<li><a href="{url}">通告</a></li>' for url in sorted(urls))
            return web.say(f"<ul>{items}</ul>")
        if out_of_order["is"]:
            return web.say(
                "<title>导航</title><p>请在左边选择一个栏目，这里还没有内容，谢谢您的理解</p>"
            )
        return article(web, int(path[6:-5]))

    web.anything["a.test"] = answer
    project.topic()
    assert project.crawl().status == 3, "nothing was found"
    assert any(one.endswith("copies") for _, one in project.outcomes().values())
    tried = {one.url for one in web.asked()}
    assert len(tried) < 121
    out_of_order["is"] = False
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() >= urls - tried, "what had not been asked for is read now"
    assert "copies" not in json.dumps(project.site_record("a.test").get("copies") or {})


# Sitemaps ---------------------------------------------------------------------------------------


def test_sitemap_indexes_inside_each_other_end(project: Project, web: Web) -> None:
    def index(asked: Asked) -> Answer:
        name = urlsplit(asked.url).path.removesuffix(".xml")
        if not name.startswith("/map"):
            return article(web, 1)
        maps = "".join(f"<sitemap><loc>{HOME[:-1]}{name}-{n}.xml</loc></sitemap>" for n in range(3))
        return web.page(f'<?xml version="1.0"?><sitemapindex>{maps}</sitemapindex>', "text/xml")

    web.anything["a.test"] = index
    project.topic("[follow]\ndepth = 50\n", sources=f"{HOME}map.xml")
    ended = project.crawl("-a", "limits.pages=200")
    assert len(web.asked()) == 1 + 3 + 9
    assert refused(project)["trap:sitemaps"] == 27
    assert "trap:sitemaps 27" in ended.line("  refused")


def test_a_sitemap_index_inside_another_still_leads_to_its_pages(
    project: Project, web: Web
) -> None:
    for number in (1, 2):
        web.article(f"{HOME}news/{number}.html", number)
    web.xml(f"{HOME}map.xml", f"<sitemapindex><sitemap><loc>{HOME}inner.xml</loc></sitemap></sitemapindex>")  # fmt: skip
    web.xml(f"{HOME}inner.xml", f"<sitemapindex><sitemap><loc>{HOME}pages.xml</loc></sitemap></sitemapindex>")  # fmt: skip
    pages = "".join(f"<url><loc>{HOME}news/{number}.html</loc></url>" for number in (1, 2))
    web.xml(f"{HOME}pages.xml", f"<urlset>{pages}</urlset>")
    project.topic(sources=f"{HOME}map.xml")
    assert project.crawl().status == 0
    assert project.articles() == {f"{HOME}news/{number}.html" for number in (1, 2)}
