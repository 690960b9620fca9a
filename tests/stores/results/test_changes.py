"""Rows of the feed of changes: what the crawl tells, when writing it makes it so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from focuscrawl.features.articles.rows.articles import ARTICLES
from focuscrawl.features.records.rows import merged_record, record_change, record_row
from focuscrawl.features.revisit.change.comparison import first_change
from focuscrawl.stores.results.kind import RowContext
from focuscrawl.stores.results.results import Results, has_rows
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article, PageChange, Record, change_key

if TYPE_CHECKING:
    from tests.databases import Database

    MakeArticle = Callable[..., Article]

NOON = 1_795_147_200.0
ID = "1" * 32


def told(article: Article, complete: bool | None) -> PageChange:
    """Return what a crawl tells that believes this of what is stored."""
    change = first_change(article, complete, NOON)
    assert change is not None
    return change


def company(phone: str, at: float = NOON) -> Record:
    said = {"value": phone, "raw": phone, "label": "电话", "url": "http://a.cn/1", "at": at}
    return Record(
        *("company", ID, "a.cn", "2" * 32, "http://a.cn/1"),
        data={"phone": phone},
        evidence={"phone": said},
        fetched=at,
    )


def becomes(before: Record | None, now: Record, visit: int | None) -> PageChange | None:
    """Return what becomes of a record that was stored so, or not at all."""
    row = record_row(now, RowContext("", None, NOON, "full"))
    if before is None:
        return record_change(None, row, visit)
    stored = record_row(before, RowContext("", None, NOON, "full"))
    return record_change(stored, merged_record(stored, row), visit)


def rows(database: Database) -> list[tuple[object, ...]]:
    return database.ask("SELECT kind, what, version FROM changes ORDER BY kind, what")


def test_what_is_new_is_a_row_only_as_the_crawl_has_told_it(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    other = make_article(url_key=ID)
    results.write(ResultBatch(articles=[make_article(), other], changes=[told(other, None)]))
    assert database.ask("SELECT url_key, kind, title FROM changes") == [(ID, "new", other.title)]


def test_an_article_that_was_stored_meanwhile_is_not_new_though_it_is_told_so(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    article = make_article()
    results.write(ResultBatch(articles=[article]))
    results.write(ResultBatch(articles=[article], changes=[told(article, None)]))
    assert rows(database) == []


def test_an_article_is_completed_once_and_only_where_it_missed_a_part(
    database: Database, results: Results, make_article: MakeArticle
) -> None:
    part, whole = make_article(complete=False), make_article(text="第一段。\n第二段。\n第三段。")
    completed = told(whole, complete=False)
    results.write(ResultBatch(articles=[part], changes=[told(part, None), completed]))
    assert rows(database) == [("completed", "article", 1), ("new", "article", 1)], (
        "told of what waited for the same commit"
    )
    database.tell("DELETE FROM changes")
    for _ in range(2):
        results.write(ResultBatch(articles=[whole], changes=[completed]))
        assert rows(database) == [("completed", "article", 1)]
    database.tell("DELETE FROM changes")
    results.write(ResultBatch(articles=[whole], changes=[completed]))
    assert rows(database) == [], "it is whole already"


def test_a_record_is_told_when_it_is_new_and_when_its_page_says_something_else() -> None:
    new = becomes(None, company("1"), None)
    assert new is not None
    assert (new.kind, new.what, new.url_key, new.version) == ("new", "record", ID, 1)
    assert new.change_id == change_key(f"company/{ID}", "new", 1)
    changed = becomes(company("1"), company("2"), 3)
    assert changed is not None
    assert (changed.kind, changed.fields, changed.version) == ("major", {"phone": ["1", "2"]}, 2)
    assert changed.change_id == change_key(f"company/{ID}", "major", 3)
    assert becomes(company("1"), company("2"), None) is None, "pages complete each other"
    assert becomes(company("1"), company("1"), 3) is None


def test_a_change_of_a_record_is_a_row_only_where_writing_has_made_it_so(
    database: Database, results: Results
) -> None:
    visits = {("company", ID): 2}
    new, changed = becomes(None, company("1"), None), becomes(company("1"), company("2"), 2)
    assert new is not None
    assert changed is not None
    results.write(ResultBatch(records=[company("1")]))
    results.write(ResultBatch(records=[company("1")], changes=[new, changed], record_visits=visits))
    assert rows(database) == []
    later = company("2", NOON + 1)
    results.write(ResultBatch(records=[later], changes=[changed], record_visits=visits))
    assert rows(database) == [("major", "record", 2)]


def test_what_the_results_have_of_an_article_is_told_before_it_is_written(
    results: Results, make_article: MakeArticle
) -> None:
    article = make_article(complete=False)
    assert not results.ask(has_rows, ARTICLES)
    assert results.text(article.url_key) is None
    assert results.is_complete(article.url_key) is None
    results.write(ResultBatch(articles=[article]))
    assert results.ask(has_rows, ARTICLES)
    text = article.text
    assert results.text(article.url_key) == (article.title, text, False, len(text))
    assert results.is_complete(article.url_key) is False
    results.write(ResultBatch(articles=[replace(article, complete=True)]))
    assert results.is_complete(article.url_key) is True
