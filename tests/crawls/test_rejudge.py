"""A topic whose words or fields have changed: offered, judged anew, read anew, nothing deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.changed_words

HOME = "http://a.test/"
FOOD = [f"{HOME}food/{number}.html" for number in range(3)]
METRO = [f"{HOME}metro/{number}.html" for number in range(2)]
THINGS = [
    "桥梁",
    "学校",
    "河流",
    "医院",
    "山路",
    "仓库",
    "码头",
    "果园",
    "工厂",
    "球场",
    "书店",
    "车站",
    "公园",
    "农田",
    "邮局",
    "剧院",
]


def told(word: str, number: int) -> str:
    """Return a text that says of the word what no other text says."""
    mine = THINGS[number * 3 : number * 3 + 3]
    return "".join(
        f"<p>{word}通报：{one}附近的{word}情况由{one}管理处负责，{one * 3}。</p>"
        for one in mine * 2
    )


def a_web(web: Web) -> None:
    for first, urls, word in ((0, FOOD, "食品"), (3, METRO, "地铁")):
        for number, url in enumerate(urls, start=first):
            title = f"{word}通报：{THINGS[number * 3]}"
            web.answers[url] = web.page(
                f"<title>{title}</title><h1>{title}</h1>{told(word, number)}"
            )
    web.board(HOME, *FOOD, *METRO)


def with_words(project: Project, words: str) -> None:
    project.topic()
    path = project.folder / "topics/news.toml"
    path.write_text(path.read_text("utf-8").replace('keywords = ["食品"]', words), "utf-8")


@pytest.mark.of_a_file
def test_other_words_judge_what_is_stored_anew(project: Project, web: Web) -> None:
    a_web(web)
    project.topic("[explore]\nenabled = false\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {*FOOD}

    with_words(project, 'keywords = ["地铁"]')
    ended = project.crawl()
    assert "3 stored articles can be judged anew by their texts: scrapy topic rejudge news" in ended.said  # fmt: skip
    assert "2 pages that were refused are not fetched again" in ended.said
    assert project.articles() == {*FOOD}, "no change deletes anything by itself"
    assert all(web.times(url) == 1 for url in METRO)
    assert "judged anew" not in project.crawl().said, "once is enough"

    ended = project.run("topic", "rejudge", "news", "--refetch")
    assert ended.status == 0, ended.said
    assert "3 articles judged anew" in ended.said
    assert "3 do not belong to it any more, but stay stored" in ended.said
    assert "2 pages that were refused are fetched anew" in ended.said
    judged = project.rows("SELECT a.score, p.relevant FROM articles a JOIN pages p USING (url_key)")
    assert {tuple(row) for row in judged} == {(0.0, 0)}
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {*FOOD, *METRO}
    assert all(web.times(url) == 2 for url in METRO)
    assert not project.rows("SELECT url FROM articles WHERE NOT known"), "they were there before"
    assert project.run("topic", "check-data", "news").status == 0


@pytest.mark.both_stores
def test_pages_are_read_anew_when_a_person_asks_for_it(project: Project, web: Web) -> None:
    a_web(web)
    project.topic()
    project.crawl()
    for url in FOOD:
        assert web.times(url) == 1
    project.topic('[record.notice]\npages = "all"\nkey = ["name"]\n[record.notice.fields]\nname = { labels = "名称", required = true }\n')  # fmt: skip
    web.answers[FOOD[0]] = web.page(f"<title>食品通报</title><p>名称：甲公司</p>{told('食品', 0)}")
    ended = project.run("topic", "reread", "news")
    assert ended.status == 0, ended.said
    assert "3 pages are due now; there is no archive of them" in ended.said
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert "the fields of records have changed" in ended.said
    assert all(web.times(url) == 2 for url in FOOD)
    assert all(web.times(url) == 1 for url in METRO)
    assert [row["record_type"] for row in project.rows("SELECT record_type FROM records")] == [
        "notice"
    ]


@pytest.mark.both_stores
def test_links_that_wait_have_another_score_when_words_change(project: Project, web: Web) -> None:
    links = [
        (f"http://b{one}.test/", text) for one, text in enumerate(("食品抽检", "地铁开通", "天气"))
    ]
    web.board("http://a.test/", *links)
    explore = '[follow]\nscope = "web"\n[explore]\nsteps = 3\n'
    project.topic(explore)
    assert project.crawl("-a", "limits.pages=1").status == 0
    waiting = project.stored_rows()
    assert waiting
    ended = project.crawl("-a", "topic.keywords=地铁", "-a", "limits.pages=1")
    assert "the words of the topic have changed: 2 waiting links have another score" in ended.said
    assert ended.status == 0, ended.said
