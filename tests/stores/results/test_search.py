"""The full-text index: Chinese words of any length, kept with the articles, in either database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from focuscrawl.features.articles.rows import text_index
from focuscrawl.features.articles.rows.text_index import search_index
from focuscrawl.stores.results.database import ResultsError
from focuscrawl.stores.results.kind import TextKept
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.databases import Database

pytestmark = pytest.mark.of_views

MakeArticle = Callable[..., Article]
BODY = "四川成都一批食品抽检不合格，已经下架。"


def key(number: int) -> str:
    return f"{number:032x}"


def opened(database: Database, topic: str = "food", text: TextKept = "full") -> Results:
    return Results.open(
        database.url, topic, kinds=KINDS, clock=database.clock, text=text, text_index=True
    )


@pytest.fixture
def indexed(database: Database) -> Iterator[Results]:
    with opened(database) as results:
        yield results


@pytest.mark.parametrize(
    "query", ["成都", "川", "都", "抽检不合格", "成都 下架", "ＡＢＣ", "abc 食品", "四川成都"]
)
def test_words_of_any_length_are_found(
    indexed: Results, make_article: MakeArticle, query: str
) -> None:
    other = make_article(url_key=key(2), title="天气", text="今天多云。")
    indexed.write(ResultBatch(articles=[make_article(title="Abc通报", text=BODY), other]))
    assert indexed.search(query) == [make_article().url_key]


@pytest.mark.parametrize("query", ["", "  ", "。", "成川", "都一 食安", "bc", "检抽", "架今"])
def test_what_is_not_there_is_not_found(
    indexed: Results, make_article: MakeArticle, query: str
) -> None:
    indexed.write(ResultBatch(articles=[make_article(title="Abc通报", text=BODY)]))
    assert indexed.search(query) == []


@pytest.mark.parametrize(
    "query", ['"', "'", "成都'", '成都" OR "x', "a:*", "\\", "(成都", "成都 -下架"]
)
def test_no_query_is_a_command(indexed: Results, make_article: MakeArticle, query: str) -> None:
    indexed.write(ResultBatch(articles=[make_article(title="'\"\\:*", text=BODY)]))
    assert len(indexed.search(query)) <= 1


def test_a_changed_article_is_found_by_its_new_words_only(
    indexed: Results, make_article: MakeArticle, database: Database
) -> None:
    for _ in range(2):
        indexed.write(ResultBatch(articles=[make_article(text=BODY)]))
    assert indexed.search("下架") == [make_article().url_key]
    indexed.write(ResultBatch(articles=[make_article(text="绵阳一批火锅底料被召回。")]))
    assert indexed.search("下架") == []
    assert indexed.search("火锅底料") == [make_article().url_key]
    indexed.write(ResultBatch(articles=[make_article(title="泸州来信", text="绵阳一批火锅底料被召回。")]))  # fmt: skip
    assert indexed.search("泸州") == [make_article().url_key]
    assert database.ask("SELECT count(*) FROM articles") == [(1,)]


def test_topics_of_one_database_search_for_themselves(
    indexed: Results, make_article: MakeArticle, database: Database
) -> None:
    indexed.write(ResultBatch(articles=[make_article(text=BODY)]))
    with opened(database, topic="star") as other:
        assert other.search("成都") == []
        other.write(ResultBatch(articles=[make_article(url_key=key(9), text=BODY)]))
        assert other.search("成都") == [key(9)]
    assert indexed.search("成都") == [make_article().url_key]


def test_the_latest_found_come_first_and_no_more_than_asked_for(
    indexed: Results, make_article: MakeArticle
) -> None:
    articles = [make_article(url_key=key(n), text=BODY, fetched=1000.0 + n) for n in range(1, 6)]
    indexed.write(ResultBatch(articles=articles))
    assert indexed.search("成都", most=3) == [key(5), key(4), key(3)]


def test_articles_stored_before_the_index_are_taken_in(
    database: Database, make_article: MakeArticle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "AT_ONCE", 4)
    with database.open() as results:
        many = [make_article(url_key=key(n), title="", text=BODY) for n in range(10)]
        results.write(ResultBatch(articles=many))
        with pytest.raises(ResultsError, match="set FOCUSCRAWL_TEXT_INDEX"):
            results.search("成都")
    with opened(database) as results:
        assert len(results.search("成都")) == 10
    with database.open() as results:
        results.write(ResultBatch(articles=[make_article(url_key=key(1), text="绵阳来信。")]))
    with opened(database) as results:
        assert results.search("绵阳") == [key(1)]
        assert len(results.search("下架")) == 9


@pytest.mark.parametrize(("kept", "finds"), [("lead", True), ("none", False)])
def test_only_what_is_stored_of_a_text_is_indexed(
    database: Database, make_article: MakeArticle, kept: TextKept, finds: bool
) -> None:
    with opened(database, text=kept) as results:
        results.write(ResultBatch(articles=[make_article(text=BODY + "甲" * 400 + "，末尾乙丙。")]))
        assert bool(results.search("四川成都")) is finds
        assert results.search("乙丙") == []
        assert results.search(make_article().title), "titles are always stored"


def test_a_very_long_and_a_hostile_text_are_indexed(
    indexed: Results, make_article: MakeArticle
) -> None:
    long = make_article(url_key=key(1), text=BODY + "食品安全" * 100_000)
    odd = make_article(url_key=key(2), title="成都\x00\ud800'\"", text="\x00成都\u202e\ufffe" * 50)
    indexed.write(ResultBatch(articles=[long, odd]))
    assert indexed.search("成都") == [key(1), key(2)]


def test_mysql_has_no_index_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert search_index("mysql") is None
    assert "FOCUSCRAWL_TEXT_INDEX: there is no index for mysql" in caplog.text
