"""Whole crawls over two search cycles: what engines and sites show no more (C8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.crawls.conftest import Project, Web

LATER = str(8 * 86_400)
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
retries = 0
"""


def engine(web: Web, *hosts: str) -> None:
    """Let the engine show the first pages of some hosts."""
    rows = "".join(f'<div class="r"><a href="http://{host}/">食品</a></div>' for host in hosts)
    web.answers["http://s.test/s?q=%E9%A3%9F%E5%93%81"] = web.say(f"<html>{rows}</html>")


def site(web: Web, host: str, *numbers: int) -> None:
    """Let a host list some articles, by their numbers."""
    urls = [f"http://{host}/{number}.html" for number in numbers]
    for number, url in zip(numbers, urls, strict=True):
        web.article(url, number)
    web.board(f"http://{host}/", *urls)


def test_a_second_cycle_reads_what_is_new_and_confirms_what_is_missing(
    project: Project, web: Web
) -> None:
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
    gone = {"http://a.test/1.html", "http://b.test/5.html"}
    outcomes = project.outcomes()
    assert {url for url, (outcome, _) in outcomes.items() if outcome == "gone"} == gone
    assert len(project.articles()) == 6  # what is gone keeps its row
    assert web.times("http://a.test/6.html") == 1
    assert {web.times(f"http://{name}.html") for name in ("a.test/1", "a.test/2", "b.test/4")} == {
        2
    }
    rows = project.rows("SELECT url, missing_since FROM seeds")
    assert {row["url"] for row in rows if row["missing_since"]} == {"http://b.test/"}
    told = project.rows("SELECT url, what FROM changes WHERE kind = 'gone'")
    assert {(row["url"], row["what"]) for row in told} == {(url, "article") for url in gone}
    kept = project.rows("SELECT url FROM articles WHERE gone_at IS NOT NULL")
    assert {row["url"] for row in kept} == gone
    assert "1 new, 2 known, 5 missing (2 gone, 3 still there)" in ended.line("still there")


def test_a_strict_cycle_deletes_what_it_has_not_reached(project: Project, web: Web) -> None:
    hosts = [f"n{number}.test" for number in range(6)]
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
    reached = {each.url for each in web.asked()[asked:] if each.url.endswith(".html")}
    assert project.articles() == reached
    assert before - reached
    told = project.rows("SELECT url FROM changes WHERE kind = 'gone' AND what = 'article'")
    assert {row["url"] for row in told} == before - reached
    assert f"{len(before - reached)} articles" in ended.line("not reached any more")
