"""What is new or complete passes a user's pipelines before it is a row, and a kill loses none of it."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from focuscrawl.values import change_key
from tests.crawls.days import HOME, article
from tests.crawls.test_parts import put_article
from tests.crawls.test_stories import page, text_of
from tests.crawls.watched import (
    FEEDS,
    PIPELINE,
    Seen,
    crawl,
    key_of,
    lines,
    members,
    rows,
    seen,
    urls_of,
    watch,
)

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = [pytest.mark.announced_first, pytest.mark.usefixtures("all_is_news")]


@pytest.mark.program
def test_what_is_new_passes_the_users_pipelines_before_it_is_a_row(
    project: Project, web: Web
) -> None:
    urls = web.news(6)
    watch(project)
    others = urls - {article(4)}
    killed = crawl(project, _2="drop", _3="fail", _4="kill", _5="linger", stored=others)
    assert killed.status == -signal.SIGKILL
    first = seen(project)
    assert article(4) not in project.articles(), "it is told before it is stored"
    assert article(4) in urls_of(first)
    stored = project.articles()
    members(project)
    ended = crawl(project, "-o", "all.jsonl", _2="drop", _3="fail", _4="kill", _5="linger")
    assert ended.status == 0, ended.said
    assert project.articles() == urls == members(project)
    second = seen(project)
    assert stored.isdisjoint(urls_of(second)), "what is stored is not told again"
    expected = {
        Seen(change_key(key_of(project, url), "new", 1), "new", "article", url) for url in urls
    }
    assert {*first, *second} == expected
    assert rows(project) == sorted(one for one in expected if one.url != article(2))
    again = urls_of(first + second)
    assert {url: again.count(url) for url in urls} == dict.fromkeys(urls, 1) | {
        article(3): 2,  # the page comes again, when the pipeline has failed
        article(4): 2,
    }
    assert project.outcomes()[article(3)] == ("stored", "")
    assert project.stored_rows() == 0

    fed = lines(project, "changes.jsonl")
    assert {line["kind"] for line in fed} == {"new"}
    assert len(lines(project, "articles.jsonl")) + len(lines(project, "all.jsonl")) >= len(urls)
    for day in (1, 2):
        assert crawl(project, day=day * 1.5).status == 0
        assert seen(project) == []
    assert all("text" in line for line in lines(project, "articles.jsonl"))


def test_feeds_that_do_not_ask_for_changes_hold_none(project: Project, web: Web) -> None:
    urls = web.news(3)
    watch(project)
    assert crawl(project, "-o", "all.jsonl").status == 0
    assert {line["url"] for line in lines(project, "all.jsonl") if "text" in line} == urls
    assert not (project.folder / "changes.jsonl").exists(), "-o replaces the feeds of the topic"
    assert urls_of(seen(project)) == sorted(urls)
    project.topic(FEEDS, name="other")
    assert project.crawl(name="other").status == 0
    assert [line["title"] for line in lines(project, "articles.jsonl") if "kind" in line] == []
    assert {line["url"] for line in lines(project, "changes.jsonl")} == urls


@pytest.mark.program
def test_kills_at_any_moment_tell_nothing_twice_that_is_stored(project: Project, web: Web) -> None:
    urls = web.news(30)
    web.pause = 0.03
    watch(project)
    told: list[Seen] = []
    for answers in (4, 9, 7):
        stored = project.articles() if project.data.exists() else set()
        project.crawl_killed(answers)
        told += (now := seen(project))
        assert stored.isdisjoint(urls_of(now))
    stored = project.articles()
    assert crawl(project).status == 0
    told += (now := seen(project))
    assert stored.isdisjoint(urls_of(now))
    assert project.articles() == urls == members(project)
    assert rows(project) == sorted({*told})
    assert urls_of(rows(project)) == sorted(urls)


def test_a_copy_is_not_new_whoever_is_waited_for(project: Project, web: Web) -> None:
    hosts = ("http://a.test/", "http://b.test/", "http://c.test/")
    for host in hosts:
        web.answers[f"{host}1.html"] = page(web, "火锅底料食品调查", text_of(0))
        web.board(host, f"{host}1.html")
    watch(project)
    project.topic(FEEDS, sources=" ".join(hosts))
    assert crawl(project, _1="linger").status == 0
    (original,) = project.articles()
    assert urls_of(seen(project)) == urls_of(rows(project)) == [original]


@pytest.mark.of_a_file
def test_a_crawl_file_that_is_lost_makes_nothing_new(project: Project, web: Web) -> None:
    urls = web.news(4)
    watch(project)
    assert crawl(project).status == 0
    before = rows(project)
    assert len(seen(project)) == len(before) == 4
    (project.data / "news.crawl.db").unlink()
    web.news(6)
    assert crawl(project).status == 0
    more = {article(5), article(6)}
    assert urls_of(seen(project)) == sorted(more)
    assert urls_of(rows(project)) == sorted(urls | more)
    assert {*before} < {*rows(project)}


@pytest.mark.program
def test_an_article_is_complete_when_its_last_part_comes_in_a_later_run(
    project: Project, web: Web
) -> None:
    for name in ("torn", "worn"):
        put_article(web, name, 4)
        web.fail_first(article(f"{name}_3"), status=500)
    web.board(HOME, article("torn"), article("worn"))
    watch(project, '[stories]\ncopies = "off"\n')
    later = {"FOCUSCRAWL_RETRY_WAITS": "20s", "FOCUSCRAWL_LINGER": "1s"}
    assert project.crawl(**later).status == 0
    both = [article("torn"), article("worn")]
    assert sorted(one[1:] for one in seen(project)) == [("new", "article", url) for url in both]
    assert {row["complete"] for row in project.rows("SELECT complete FROM articles")} == {0}
    wants = json.dumps({"torn.html": "kill", "worn.html": "drop"})
    killed = project.crawl(FOCUSCRAWL_SHIFT="60", WANTS=wants)
    assert killed.status == -signal.SIGKILL
    assert urls_of(rows(project)) == both
    assert project.crawl(FOCUSCRAWL_SHIFT="60", WANTS=wants).status == 0
    told = [one for one in seen(project) if one.url == article("torn")]
    assert {one.kind for one in told} == {"completed"}
    assert len(told) == 2
    assert len({one.change_id for one in told}) == 1
    complete = project.rows("SELECT url, version FROM articles WHERE complete ORDER BY url")
    assert [tuple(row) for row in complete] == [(url, 1) for url in both]
    kinds = [(one.kind, one.url) for one in rows(project)]
    assert sorted(kinds) == [("completed", both[0]), *(("new", url) for url in both)]
    assert project.crawl(FOCUSCRAWL_SHIFT="120").status == 0
    assert seen(project) == []


def test_an_article_a_pipeline_has_dropped_until_it_was_whole_is_new_then(
    project: Project, web: Web
) -> None:
    web.board(HOME, put_article(web, "torn", 4))
    web.fail_first(article("torn_3"), status=500)
    watch(project)
    whole = "from focuscrawl.values import Article\n\n\nclass Whole:\n    def process_item(self, item):\n        if isinstance(item, Article) and not item.complete:\n            raise DropItem('a part is missing')\n        return item\n"
    project.write("mine/spiders.py", PIPELINE + "\n\n" + whole)
    with (project.folder / "mine/settings.py").open("a") as file:
        file.write("ITEM_PIPELINES['mine.spiders.Whole'] = 300\n")
    later = {"FOCUSCRAWL_RETRY_WAITS": "20s", "FOCUSCRAWL_LINGER": "1s"}
    project.crawl(**later)
    assert seen(project) == []
    assert project.crawl(FOCUSCRAWL_SHIFT="60").status == 0
    assert [one.kind for one in seen(project)] == [one.kind for one in rows(project)] == ["new"]
