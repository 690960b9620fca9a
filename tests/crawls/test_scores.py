"""``scrapy topic score`` and ``train`` on pages of a small web."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.in_process import Ended
    from tests.project import Project
    from tests.web import Web

pytestmark = pytest.mark.explained_scores

HOME = "http://a.test/"
FOOD = f"{HOME}news/1.html"
POLITE = '[politeness]\ndelay = "0s"\n[settings]\nRETRY_TIMES = 0\n'
OTHER = "昨晚的足球比赛吸引了许多球迷到场,主队在最后一分钟打进关键一球,第{}轮积分榜随之改变,教练{}赛后表示满意。"


def match_report(web: Web, url: str, number: int) -> None:
    """Put an article about something else somewhere."""
    web.article(url, number)
    answer = web.answers[url]
    assert not callable(answer)
    text = "".join(f"<p>{OTHER.format(number, number + part)}</p>" for part in range(4))
    body = f"<html><head><title>第{number}轮比赛</title></head><body><h1>第{number}轮比赛</h1><div>{text}</div></body></html>"
    web.answers[url] = replace(answer, body=body)


def label(project: Project, **labels: str) -> None:
    """Judge pages as a person does: by what is in the address."""
    with closing(sqlite3.connect(project.data / "news.db")) as database, database:
        for part, word in labels.items():
            database.execute("UPDATE pages SET label = ? WHERE url LIKE ?", (word, f"%/{part}/%"))


ADDRESSES = [FOOD, f"{HOME}sport/1.html", f"{HOME}private/1.html", f"{HOME}none.html"]


@pytest.fixture(scope="module")
def scored(new_project: Callable[[], Project]) -> tuple[Project, Ended]:
    """The scores of an article, of a page about something else, of one that is forbidden and of none."""
    project = new_project()
    web = project.web
    web.article(FOOD)
    match_report(web, f"{HOME}sport/1.html", 1)
    web.article(f"{HOME}private/1.html")
    web.robots("a.test", "User-agent: *\nDisallow: /private/\n")
    project.write("topics/token.txt", "secret-token\n")
    project.topic('[request]\nheaders = { X-Token = "file:token.txt" }\n')
    ended = project.run("topic", "score", "news", *ADDRESSES)
    assert ended.status == 0, ended.said
    return project, ended


def test_a_score_is_explained_by_where_words_stand_and_their_weight(
    scored: tuple[Project, Ended],
) -> None:
    _, ended = scored
    assert "in the title" in ended.line("+ 0.")
    assert ended.line("+ 0.").endswith("weight 1")


def test_a_score_says_whether_a_page_is_relevant_and_why_not(
    scored: tuple[Project, Ended],
) -> None:
    _, ended = scored
    assert "relevant: " in ended.said
    assert "not relevant: none of topic.keywords occurs in it" in ended.said


def test_what_cannot_be_scored_is_told_with_the_reason(scored: tuple[Project, Ended]) -> None:
    _, ended = scored
    assert "refused (robots)" in ended.said
    assert "status 404" in ended.said


def test_addresses_are_fetched_as_the_topic_would(scored: tuple[Project, Ended]) -> None:
    project, ended = scored
    assert {asked.url for asked in project.web.asked()} == {*ADDRESSES} - {ADDRESSES[2]}
    assert {asked.headers.get("x-token") for asked in project.web.asked()} == {"secret-token"}
    assert "secret-token" not in ended.said


def test_addresses_are_scored_without_any_data(scored: tuple[Project, Ended]) -> None:
    assert not scored[0].data.exists()


def test_the_class_of_a_page_is_said_with_its_score(project: Project, web: Web) -> None:
    web.article(FOOD)
    links = [f"{HOME}news/{number}.html" for number in range(2, 9)]
    lists = [f"{HOME}list/", f"{HOME}other/"]
    for url in lists:
        web.board(url, *links, more="<p>这里是食品安全抽检的通告，每周更新一次，欢迎查阅。</p>")
    project.topic('[follow]\narticles = ["/other/"]\n')
    ended = project.run("topic", "score", "news", FOOD, *lists)
    assert ended.status == 0, ended.said
    blocks = ended.said.split("http://")[1:]
    assert [block.partition("class ")[2].split()[0] for block in blocks] == [
        "article",
        "board:",
        "article",
    ]
    assert "name such addresses in follow.articles" in blocks[1]
    assert "食品: " in blocks[1], "its text is scored all the same"
    assert [web.times(url) for url in lists] == [1, 1]


def test_stored_pages_nearest_to_the_threshold_are_listed_best_first(
    project: Project, web: Web
) -> None:
    articles = web.news(3)
    match_report(web, f"{HOME}sport/1.html", 1)
    web.board(HOME, *articles, f"{HOME}sport/1.html")
    project.topic()
    before = project.run("topic", "score", "news", "--near")
    assert before.status == 2
    assert "news.db is not there: no results yet; run scrapy crawl news" in before.said
    project.crawl()
    near = project.run("topic", "score", "news", "--near", "-a", "relevance.threshold=0.2")
    assert near.status == 0, near.said
    scores = [float(line.split()[0]) for line in near.said.splitlines() if line[0].isdigit()][:-1]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 4
    assert "irrelevant (keywords)" in near.said
    assert "3 pages at or above 0.2, 1 below; relevance.threshold = 0.2" in near.said
    stored = {row["score"] for row in project.rows("SELECT score FROM articles")}
    assert {round(score, 3) for score in stored} == set(scores) - {0.0}


class Judge(NamedTuple):
    """A judge that is trained from labels, without and with texts, and asked for its scores."""

    refused: Ended
    trained: Ended
    scored: Ended
    food: str
    sport: str


@pytest.fixture(scope="module")
def judge(new_project: Callable[[], Project]) -> Judge:
    project = new_project()
    food = [f"{HOME}news/{number}.html" for number in range(20)]
    sport = [f"{HOME}sport/{number}.html" for number in range(20)]
    for number, (one, other) in enumerate(zip(food, sport, strict=True)):
        project.web.article(one, number)
        match_report(project.web, other, number)
    project.web.board(HOME, *food, *sport)
    project.topic()
    project.crawl()
    label(project, news="irrelevant", sport="relevant")
    refused = project.run("topic", "train", "news")
    trained = project.run("topic", "train", "news", "--fetch")
    project.topic('[relevance]\nmodel = "news.model"\n')
    scored = project.run("topic", "score", "news", food[0], sport[0])
    return Judge(refused, trained, scored, food[0], sport[0])


def test_too_few_labels_with_a_text_are_refused_with_the_way_out(judge: Judge) -> None:
    assert judge.refused.status == 2
    told = "too few labels: 0 relevant and 20 irrelevant pages with a text"
    assert told in judge.refused.said
    assert "20 labelled pages without a stored text left out (--fetch" in judge.refused.said


def test_a_judge_is_trained_from_labels_whose_pages_are_fetched(judge: Judge) -> None:
    assert judge.trained.status == 0, judge.trained.said
    assert "topics/news.model written: trained on 20 relevant and 20" in judge.trained.said
    assert "warning: few labels" in judge.trained.said


def test_a_trained_judge_judges_as_its_labels_say(judge: Judge) -> None:
    assert judge.scored.status == 0, judge.scored.said
    first, second = (line for line in judge.scored.said.splitlines() if line[0].isdigit())
    assert (first.split()[1], second.split()[1]) == (judge.food, judge.sport)
    assert float(first.split()[0]) < 0.3 < float(second.split()[0])


def test_a_score_of_a_trained_judge_is_explained_by_it(judge: Judge) -> None:
    assert "relevance.model" in judge.scored.said


def test_a_crawl_whose_model_is_not_there_says_so_before_it_begins(
    project: Project, web: Web
) -> None:
    project.topic('[relevance]\nmodel = "news.model"\n')
    checked = project.run("topic", "check", "news")
    assert checked.status == 2
    assert "scrapy topic train NAME writes it" in checked.said
    assert project.crawl().status == 2
    assert not web.log


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.test/x"], "'a.test/x': no address; write it whole"),
        ([f"{HOME}{number}" for number in range(201)], "201 addresses; at most 200"),
        ([], "scrapy topic score NAME URL"),
        ([HOME, "--near"], "scrapy topic score NAME URL"),
    ],
)
def test_what_cannot_be_scored_is_said(
    arguments: list[str], message: str, project: Project, web: Web
) -> None:
    project.topic()
    ended = project.run("topic", "score", "news", *arguments)
    assert ended.status == 2
    assert message in ended.said
    assert not web.log
