"""Copies and events through whole crawls: joined, kept, discarded, and over kills."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Answer, Web

pytestmark = pytest.mark.D4

HOME = "http://a.test/"
SITES = ("http://a.test/", "http://b.test/", "http://c.test/")
SUBJECTS = ("火锅底料", "卤鸭脖", "豆瓣酱", "腊肉", "泡菜坛", "米粉", "菜籽油", "凉粉")


COPIES_ONLY = "[stories]\nevents = false\n"
"""What these few texts of random characters have in common is chance, and another in each order."""


def key_of(url: str) -> str:
    return hashlib.md5(url.encode()).hexdigest()


def text_of(number: int) -> str:
    """Write a text about food that shares no sentence with another number's."""
    luck = random.Random(number)
    subject = SUBJECTS[number % len(SUBJECTS)]
    sentences = []
    for _ in range(8):
        letters = "".join(chr(0x4E00 + luck.randrange(5000)) for _ in range(24))
        sentences.append(f"{subject}{letters}。")
    return f"食品{''.join(sentences)}"


def page(web: Web, title: str, text: str, more: str = "", time: str = "08:00") -> Answer:
    paragraphs = "".join(f"<p>{sentence}。</p>" for sentence in text.split("。") if sentence)
    return web.page(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<p>发布时间:2026-11-18 {time} 来源:四川日报</p><div>{paragraphs}</div>{more}</body></html>"
    )


def write_web(web: Web, *, stories: int = 4, more: str = "") -> None:
    """Three sites tell the same stories: the second shortened, the third with an agency's words."""
    for number, site in enumerate(SITES):
        urls = []
        for story in range(stories):
            text = text_of(story)
            if number == 1:
                text = "。".join(text.split("。")[:6]) + "。"
            if number == 2:
                text = f"据某某通讯社今日早间电。{text}以上内容由编辑整理，版权归原作者所有。"
            url = f"{site}news/{story}.html"
            urls.append(url)
            title = f"{SUBJECTS[story]}食品调查"
            web.answers[url] = page(web, title, text, more, f"0{number + 1}:00")
        web.board(site, *urls)


def ask(project: Project, query: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in project.rows(query)]


@pytest.fixture(scope="module")
def copied(new_project: Callable[[], Project]) -> tuple[Project, Ended]:
    """A crawl of four articles on three sites each."""
    project = new_project()
    write_web(project.web)
    project.topic(COPIES_ONLY, sources=" ".join(SITES))
    ended = project.crawl()
    assert ended.status == 0, ended.said
    return project.as_it_is(), ended


@pytest.mark.both_stores
def test_copies_join_the_first_article_and_leave_no_second_text(
    copied: tuple[Project, Ended],
) -> None:
    project, _ = copied
    assert len(project.articles()) == 4
    assert ask(project, "SELECT articles, copies, hosts FROM stories") == [(3, 2, 3)] * 4
    relations = ask(project, "SELECT relation, count(*) FROM story_members GROUP BY 1 ORDER BY 1")
    assert relations == [("copy", 8), ("first", 4)]


@pytest.mark.both_stores
def test_copies_are_counted_and_each_says_how_much_of_it_is_which_article(
    copied: tuple[Project, Ended],
) -> None:
    project, ended = copied
    outcomes = project.outcomes().values()
    counted = Counter(outcome for outcome, _ in outcomes)
    assert (counted["stored"], counted["copy"]) == (4, 8)
    assert all("% of" in reason for outcome, reason in outcomes if outcome == "copy")
    assert project.last_run()["duplicates"] == 8
    assert "copy 8" in ended.said


@pytest.mark.both_stores
def test_each_article_has_its_story_which_names_the_earliest(
    copied: tuple[Project, Ended],
) -> None:
    project, _ = copied
    stories = {story for (story,) in ask(project, "SELECT story_id FROM articles")}
    assert stories == {story for (story,) in ask(project, "SELECT story_id FROM stories")}
    earliest = ask(project, "SELECT first_host, first_key FROM stories ORDER BY first_key")
    assert earliest == sorted(("a.test", key_of(f"{HOME}news/{n}.html")) for n in range(4))


def test_a_second_run_tells_nothing_anew(project: Project, web: Web) -> None:
    write_web(web, stories=2)
    project.topic(COPIES_ONLY, sources=" ".join(SITES))
    project.crawl()
    before = ask(project, "SELECT * FROM story_members ORDER BY url_key")
    web.answers["http://b.test/news/7.html"] = page(web, "另一标题", text_of(0))
    web.board("http://b.test/", "http://b.test/news/7.html")
    assert project.crawl().status == 0
    after = ask(project, "SELECT * FROM story_members ORDER BY url_key")
    assert set(before) < set(after)
    assert len(after) == len(before) + 1
    assert sorted(ask(project, "SELECT articles FROM stories")) == [(3,), (4,)]


@pytest.mark.parametrize(("copies", "stored", "marked"), [("keep", 12, 8), ("off", 12, 0)])
def test_copies_may_be_kept_and_marked_or_not_looked_for(
    project: Project, web: Web, copies: str, stored: int, marked: int
) -> None:
    write_web(web)
    project.topic(f'[stories]\ncopies = "{copies}"\nevents = false\n', sources=" ".join(SITES))
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert len(project.articles()) == stored
    assert len(project.rows("SELECT 1 FROM articles WHERE is_copy")) == marked


def test_the_published_form_discards_duplicates_and_leaves_their_links(
    project: Project, web: Web
) -> None:
    text = text_of(1)
    web.answers[f"{HOME}1.html"] = page(
        web, "豆瓣酱食品调查", text, '<a href="/from-1.html">甲</a>'
    )
    web.answers[f"{HOME}2.html"] = page(
        web, "豆瓣酱食品调查", text, '<a href="/from-2.html">乙</a>'
    )
    web.board(HOME, f"{HOME}1.html", f"{HOME}2.html")
    for strict in ("true", "false"):
        project.topic(f"[stories]\nstrict = {strict}\n", name=f"strict-{strict}")
        ended = project.crawl(name=f"strict-{strict}")
        assert ended.status == 0, ended.said
    followed = set(project.outcomes("strict-true")) & {f"{HOME}from-1.html", f"{HOME}from-2.html"}
    (article,) = project.articles("strict-true")
    assert followed == {f"{HOME}from-{article[len(HOME)]}.html"}
    assert (
        len(set(project.outcomes("strict-false")) & {f"{HOME}from-1.html", f"{HOME}from-2.html"})
        == 2
    )
    ((because,),) = [
        tuple(row)
        for row in project.rows(
            "SELECT because FROM story_members WHERE relation = 'copy'", "strict-true"
        )
    ]
    assert "at the same rank" in because


@pytest.mark.program
@pytest.mark.stories_killed
def test_stories_are_the_same_whenever_a_crawl_is_killed(project: Project, web: Web) -> None:
    write_web(web, stories=6)
    web.pause = 0.02
    # Kills change the order in which articles come, and that may join two events to one story.
    project.topic("[stories]\nevents = false\n", sources=" ".join(SITES))
    for answers in (4, 6, 3):
        project.crawl_killed(answers)
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert len(project.articles()) == 6
    assert ask(project, "SELECT articles, copies, hosts FROM stories") == [(3, 2, 3)] * 6
    members = ask(project, "SELECT url_key, like_key, relation FROM story_members")
    assert Counter(relation for _, _, relation in members) == {"first": 6, "copy": 12}
    assert all(key != like for key, like, _ in members)
    stored = {key_of(url) for url in project.articles()}
    assert stored == {key for key, _, relation in members if relation == "first"}
