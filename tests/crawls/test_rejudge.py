"""A topic whose words or fields have changed: offered, judged anew, read anew, nothing deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
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


class OtherWords(NamedTuple):
    """A crawl whose topic gets other words: what is said and left, run by run."""

    offered: str
    changed: Project
    next_said: str
    judged: Ended
    rejudged: Project
    last: Project
    checked: int
    """With which status the check of its data ends."""


@pytest.fixture(scope="module")
def other_words(new_project: Callable[[], Project]) -> OtherWords:
    project = new_project()
    a_web(project.web)
    project.topic("[explore]\nenabled = false\n")
    ended = project.crawl()
    assert ended.status == 0, ended.said
    assert project.articles() == {*FOOD}

    with_words(project, 'keywords = ["地铁"]')
    offered = project.crawl().said
    changed = project.as_it_is()
    next_said = project.crawl().said
    judged = project.run("topic", "rejudge", "news", "--refetch")
    rejudged = project.as_it_is()
    ended = project.crawl()
    assert ended.status == 0, ended.said
    checked = project.run("topic", "check-data", "news").status
    return OtherWords(offered, changed, next_said, judged, rejudged, project.as_it_is(), checked)


@pytest.mark.of_a_file
def test_other_words_delete_and_fetch_nothing_by_themselves(other_words: OtherWords) -> None:
    assert other_words.changed.articles() == {*FOOD}
    assert all(other_words.changed.web.times(url) == 1 for url in METRO)


@pytest.mark.of_a_file
def test_to_judge_by_other_words_is_offered_once(other_words: OtherWords) -> None:
    offer = "3 stored articles can be judged anew by their texts: scrapy topic rejudge news"
    assert offer in other_words.offered
    assert "2 pages that were refused are not fetched again" in other_words.offered
    assert "judged anew" not in other_words.next_said


@pytest.mark.of_a_file
def test_other_words_judge_what_is_stored_anew_and_leave_it_stored(other_words: OtherWords) -> None:
    assert other_words.judged.status == 0, other_words.judged.said
    assert "3 articles judged anew" in other_words.judged.said
    assert "3 do not belong to it any more, but stay stored" in other_words.judged.said
    query = "SELECT a.score, p.relevant FROM articles a JOIN pages p USING (url_key)"
    assert {tuple(row) for row in other_words.rejudged.rows(query)} == {(0.0, 0)}


@pytest.mark.of_a_file
def test_pages_that_were_refused_are_fetched_anew_where_a_person_asks_for_it(
    other_words: OtherWords,
) -> None:
    assert "2 pages that were refused are fetched anew" in other_words.judged.said
    assert other_words.last.articles() == {*FOOD, *METRO}
    assert all(other_words.last.web.times(url) == 2 for url in METRO)


@pytest.mark.of_a_file
def test_what_was_judged_anew_is_no_news_and_nothing_is_wrong_with_it(
    other_words: OtherWords,
) -> None:
    assert not other_words.last.rows("SELECT url FROM articles WHERE NOT known")
    assert other_words.checked == 0


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
