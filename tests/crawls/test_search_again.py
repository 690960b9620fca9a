"""Whole crawls over two search cycles: what engines and sites show no more (C8)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.web import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.C8

LATER = str(8 * 86_400)
QUERY = "http://s.test/s?q=%E9%A3%9F%E5%93%81"
TOPIC = """
[topic]
keywords = ["食品"]
[search]
engines = ["own"]
queries = ["食品"]
delay = "0s"
{search}
[search.engine.own]
url = "http://s.test/s?q={{query}}"
results = "css:.r"
link = "css:a::attr(href)"
[follow]
layers = ["通告"]
[explore]
enabled = false
[revisit]
policy = "off"
[politeness]
delay = "0s"
[settings]
RETRY_TIMES = 0
"""


def engine(web: Web, *hosts: str) -> None:
    """Let the engine show the first pages of some hosts."""
    rows = "".join(f'<div class="r"><a href="http://{host}/">食品</a></div>' for host in hosts)
    web.answers[QUERY] = web.say(f"<html>{rows}</html>")


def site(web: Web, host: str, *numbers: int) -> None:
    """Let a host list some articles, by their numbers."""
    urls = [f"http://{host}/{number}.html" for number in numbers]
    for number, url in zip(numbers, urls, strict=True):
        web.article(url, number)
    web.board(f"http://{host}/", *urls)


@pytest.fixture(scope="module")
def cycles(new_project: Callable[[], Project]) -> tuple[Project, Ended]:
    """Two cycles of searches; the second finds one of two sites, with an article less and one more."""
    project = new_project()
    web = project.web
    engine(web, "a.test", "b.test")
    site(web, "a.test", 1, 2, 3)
    site(web, "b.test", 4, 5)
    project.write("topics/news.toml", TOPIC.format(search=""))
    assert project.crawl().status == 0
    assert len(project.articles()) == 5
    engine(web, "a.test")
    site(web, "a.test", 3, 6)
    del web.answers["http://a.test/1.html"], web.answers["http://b.test/5.html"]
    ended = project.crawl(FOCUSCRAWL_SHIFT=LATER)
    assert ended.status == 0
    return project.as_it_is(), ended


GONE = {"http://a.test/1.html", "http://b.test/5.html"}


def test_a_second_cycle_reads_what_is_new(cycles: tuple[Project, Ended]) -> None:
    project, _ = cycles
    assert len(project.articles()) == 6  # what is gone keeps its row
    assert project.web.times("http://a.test/6.html") == 1


def test_a_second_cycle_looks_once_at_what_no_list_shows_any_more(
    cycles: tuple[Project, Ended],
) -> None:
    names = ("a.test/1", "a.test/2", "b.test/4")
    assert {cycles[0].web.times(f"http://{name}.html") for name in names} == {2}


def test_what_a_second_cycle_does_not_find_is_gone_is_told_and_keeps_its_row(
    cycles: tuple[Project, Ended],
) -> None:
    project, _ = cycles
    outcomes = project.outcomes()
    assert {url for url, (outcome, _) in outcomes.items() if outcome == "gone"} == GONE
    told = project.rows("SELECT url, what FROM changes WHERE kind = 'gone'")
    assert {(row["url"], row["what"]) for row in told} == {(url, "article") for url in GONE}
    kept = project.rows("SELECT url FROM articles WHERE gone_at IS NOT NULL")
    assert {row["url"] for row in kept} == GONE


def test_a_seed_that_no_search_finds_is_missing(cycles: tuple[Project, Ended]) -> None:
    rows = cycles[0].rows("SELECT url, missing_since FROM seeds")
    assert {row["url"] for row in rows if row["missing_since"]} == {"http://b.test/"}


def test_the_summary_counts_what_a_cycle_confirmed(cycles: tuple[Project, Ended]) -> None:
    line = cycles[1].line("still there")
    assert "1 new, 2 known, 5 missing (2 gone, 3 still there)" in line


def skipped(project: Project) -> set[str]:
    """Return the hosts of the seeds that the coin has skipped in this cycle."""
    rows = project.rows("SELECT url FROM seeds WHERE state = 'skipped'")
    return {urlsplit(row["url"]).netloc for row in rows}


def hosts_of(urls: set[str]) -> set[str]:
    return {urlsplit(url).netloc for url in urls}


def test_a_strict_cycle_deletes_what_its_walks_have_not_reached(project: Project, web: Web) -> None:
    hosts = [f"n{number}.test" for number in range(10)]
    engine(web, *hosts)
    for number, host in enumerate(hosts):
        site(web, host, 2 * number, 2 * number + 1)
    project.write("topics/news.toml", TOPIC.format(search="strict = true"))
    assert project.crawl().status == 0
    before = project.articles()
    for number, host in enumerate(hosts):
        site(web, host, 2 * number)
    asked = len(web.asked())
    ended = project.crawl(FOCUSCRAWL_SHIFT=LATER)
    assert ended.status == 0
    walked = hosts_of({one.url for one in web.asked()[asked:]}) - {"s.test"}
    assert walked == {*hosts} - skipped(project)
    assert skipped(project) & hosts_of(before), "nobody has looked for these"
    gone = {url for number, host in enumerate(hosts) if host in walked
            if (url := f"http://{host}/{2 * number + 1}.html") in before}  # fmt: skip
    assert gone
    reached = {one.url for one in web.asked()[asked:] if one.url.endswith(".html")}
    assert project.articles() == (before - gone) | reached
    told = project.rows("SELECT url FROM changes WHERE kind = 'gone'")
    assert {row["url"] for row in told} == gone
    assert f"{len(gone)} articles" in ended.line("not reached any more")


RECORDS = """
[record.company]
key = ["name"]
[record.company.fields]
name = { labels = "公司名称", required = true }
address = { labels = "地址", type = "address", required = true }
phone = { labels = "电话", type = "phone" }
"""
COMPANY = (
    "<h3>联系我们</h3><p>公司名称：{0}</p><p>地址：成都市样例路1号</p><p>电话：028-8555{1:04}</p>"
)


@pytest.mark.parametrize("strict", ["", "strict = true"])
def test_in_a_new_cycle_no_page_is_fetched_twice_and_nothing_of_seeds_that_were_skipped_goes(
    project: Project, web: Web, strict: str
) -> None:
    hosts = [f"n{number}.test" for number in range(10)]
    engine(web, *hosts)
    for number, host in enumerate(hosts):
        urls = [f"http://{host}/{one}.html" for one in (1, 2)]
        for one, url in enumerate(urls):
            name = f"四川第{number}{one}食品有限公司"
            web.answers[url] = web.page(COMPANY.format(name, 10 * number + one))
        web.board(f"http://{host}/", *urls)
    shown = web.answers[QUERY]
    assert isinstance(shown, Answer)
    web.answers[QUERY] = lambda _: replace(shown, delay=0.5)  # visits have time to come first
    topic = TOPIC.format(search=strict).replace('[revisit]\npolicy = "off"\n', "") + RECORDS
    project.write("topics/news.toml", topic)
    assert project.crawl().status == 0
    records = "SELECT url FROM records"
    before = {row["url"] for row in project.rows(records)}
    assert len(before) >= 8
    dropped = {f"http://{host}/2.html" for host in hosts} & before
    for host in hosts:
        web.board(f"http://{host}/", f"http://{host}/1.html")
        if not strict:
            del web.answers[f"http://{host}/2.html"]
    asked = len(web.asked())
    ended = project.crawl(FOCUSCRAWL_SHIFT=LATER)
    assert ended.status == 0, ended.said
    times = Counter(one.url for one in web.asked()[asked:])
    assert not {url: count for url, count in times.items() if count > 1}
    told = {row["url"] for row in project.rows("SELECT url FROM changes WHERE kind = 'gone'")}
    kept = {row["url"] for row in project.rows(f"{records} WHERE gone_at IS NULL")}
    if strict:
        passed = skipped(project)
        assert passed & hosts_of(before), "the coin has skipped seeds that were walked before"
        assert not {url: n for url, n in times.items() if passed & hosts_of({url})}, (
            "they are not walked"
        )
        dropped = {url for url in dropped if not passed & hosts_of({url})}
    assert told == dropped
    assert before - kept == dropped


COUNTED = """
from focuscrawl.scheduler import Scheduler


class Counted(Scheduler):
    most = 0

    def next_request(self):
        before = self.run.frontier.counts().parked if self.run.is_open else 0
        request = super().next_request()
        if self.run.is_open:
            self.most = max(self.most, self.run.frontier.counts().parked - before)
        return request

    async def _close(self, reason):
        print(f"most: {self.most}")
        await super()._close(reason)
"""


def test_urls_that_are_set_aside_end_their_seeds_walk_and_hold_up_no_turn_of_the_engine(
    project: Project, web: Web
) -> None:
    engine(web, "a.test")
    web.board("http://a.test/", *(f"http://a.test/no/{number}.html" for number in range(450)))
    project.write("counted.py", COUNTED)
    layers, topic = 'layers = ["通告"]', TOPIC.format(search="")
    project.write("topics/news.toml", topic.replace(layers, ""))
    assert project.crawl("-a", "limits.pages=2").status == 0
    waiting = project.stored_rows()
    assert waiting > 400
    project.write("topics/news.toml", topic.replace(layers, 'deny = ["/no/"]'))
    ended = project.crawl("-s", "SCHEDULER=counted.Counted")
    assert ended.status == 0, ended.said
    parked = [one for one in project.outcomes().values() if one[0] == "parked"]
    assert set(parked) == {("parked", "rule:deny")}
    assert len(parked) > 400
    assert int(ended.line("most: ").partition("most: ")[2]) <= 200
    (seed,) = project.rows("SELECT state FROM seeds")
    assert seed["state"] == "useless", "and no longer under way"
