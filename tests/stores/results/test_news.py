"""What is news since a moment, in both databases."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from focuscrawl.stores.results.news import News, SinceError, moment_of
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoryState
from focuscrawl.values import Article, PageChange, Record, Thread, change_key
from tests.clock import NOON
from tests.databases import Database
from tests.kinds import KINDS
from tests.tables import each_row

SHANGHAI = ZoneInfo("Asia/Shanghai")
STORY, SWALLOWED = "5" * 32, "6" * 32


def story(story_id: str, into: str = "", sites: tuple[str, ...] = ("a", "b", "c")) -> StoryState:
    return StoryState(
        story_id, "抽检", "0" * 32, "a", NOON - 60, NOON, 4, 1, sites, merged_into=into
    )


@each_row(
    ("text", "moment"),
    [
        ("last", NOON - 5),
        ("24h", NOON - 86400),
        ("7d", NOON - 7 * 86400),
        ("1h30m", NOON - 5400),
        ("2026-11-19", datetime(2026, 11, 19, tzinfo=SHANGHAI).timestamp()),
        ("2026-11-19 08:00", datetime(2026, 11, 19, 8, tzinfo=SHANGHAI).timestamp()),
        ("2026-11-19T08:00Z", datetime(2026, 11, 19, 16, tzinfo=SHANGHAI).timestamp()),
    ],
)
def test_since_is_a_moment_of_the_topics_zone(text: str, moment: float) -> None:
    assert moment_of(text, now=NOON, zone=SHANGHAI, last=NOON - 5) == moment


def test_since_last_is_all_that_is_new_where_nobody_was_told_yet() -> None:
    assert moment_of("last", now=NOON, zone=SHANGHAI, last=None) == 0.0


@each_row("text", ["yesterday", "", "24", "2026-13-01", "9999-01-01", "-3h"])
def test_a_moment_that_cannot_be_read_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(SinceError, match="--since"):
        moment_of(text, now=NOON, zone=SHANGHAI, last=None)


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_a_clear_error(text: str) -> None:
    with suppress(SinceError):
        assert moment_of(text, now=NOON, zone=SHANGHAI, last=None) <= NOON


def test_new_articles_come_by_story_and_those_that_are_known_do_not(
    results: Results, make_article: Callable[..., Article]
) -> None:
    def article(number: int, story_id: str = "", **more: object) -> Article:
        return make_article(url_key=f"{number:032x}", story_id=story_id, **more)

    results.write(
        ResultBatch(
            articles=[
                article(1, STORY, host="a", fetched=NOON - 9, known=True),
                article(2, STORY, host="b", fetched=NOON + 2, source_name="新华社"),
                article(3, SWALLOWED, host="c", fetched=NOON + 1, medium="市监局"),
                article(4, host="d", fetched=NOON + 5, title="独家"),
                article(5, host="e", fetched=NOON - 99),
            ],
            stories=[story(STORY), story(SWALLOWED, STORY)],
        )
    )

    def look(connection: Connection, topic: str) -> None:
        news = News(connection, KINDS.tables, topic, NOON - 50)
        found = news.stories()
        assert found.total == 2
        first, alone = found.rows
        assert (first.story_id, first.sites, first.copies, first.is_new) == (STORY, 3, 1, False)
        assert [one.medium for one in first.new.rows] == ["市监局", "新华社"]
        assert first.new.total == 2
        assert first.newest == NOON + 2
        assert (alone.title, alone.sites, alone.is_new) == ("独家", 1, True)
        assert alone.new.rows[0].medium == "d"
        assert alone.new.rows[0].hits == {"食品": 2}
        bounded = news.stories(most=1, most_of_one=1)
        assert (len(bounded.rows), bounded.total) == (1, 2)
        assert (len(bounded.rows[0].new.rows), bounded.rows[0].new.total) == (1, 2)
        latest = news.articles(most=2)
        assert ([int(one.url_key, 16) for one in latest.rows], latest.total) == ([4, 2], 3)
        assert News(connection, KINDS.tables, topic, 0.0, NOON).articles().total == 1

    results.ask(look)


def test_new_articles_stand_in_the_order_of_their_dates_whenever_they_were_found(
    results: Results, make_article: Callable[..., Article]
) -> None:
    days = {1: NOON - 60, 2: None, 3: NOON - 900 * 86_400, 4: NOON - 30}
    results.write(
        ResultBatch(
            articles=[
                make_article(url_key=f"{n:032x}", host="a", fetched=NOON + n, published=at)
                for n, at in days.items()
            ]
        )
    )

    def look(connection: Connection, topic: str) -> None:
        found = News(connection, KINDS.tables, topic, 0.0).articles()
        assert [int(one.url_key, 16) for one in found.rows] == [2, 4, 1, 3]

    results.ask(look)


def test_rows_of_earlier_versions_are_known(
    database: Database, make_article: Callable[..., Article]
) -> None:
    with database.open() as opened:
        opened.write(ResultBatch(articles=[make_article()]))
    database.tell("UPDATE articles SET known = NULL")
    with database.open() as opened:
        assert opened.ask(lambda one, topic: News(one, KINDS.tables, topic, 0).stories()).total == 0


def test_a_database_of_an_earlier_version_that_nothing_has_written_to_yet_has_no_news(
    sqlite_database: Database, make_article: Callable[..., Article], tmp_path: Path
) -> None:
    with sqlite_database.open() as opened:
        opened.write(ResultBatch(articles=[make_article()]))
    for view in ("today", "news", "what_changed", "hot_stories"):
        sqlite_database.tell(f"DROP VIEW IF EXISTS {view}")
    sqlite_database.tell("ALTER TABLE articles DROP COLUMN known")
    engine = sqlite_database.engine()
    with engine.connect() as connection:
        news = News(connection, KINDS.tables, "food", 0.0)
        assert news.stories() == ((), 0)
        assert news.articles() == ((), 0)
    engine.dispose()


def test_what_changed_is_told_by_kind(results: Results) -> None:
    def change(number: int, kind: str, what: str = "article", **more: object) -> PageChange:
        key = f"{number:032x}"
        made = PageChange(
            change_key(key, kind, 1), NOON + number, key, f"http://a/{number}", kind, what
        )
        for name, value in more.items():
            setattr(made, name, value)
        return made

    results.write(
        ResultBatch(
            changes=[
                change(1, "major", diff="- 旧", title="改了"),
                change(2, "minor"),
                change(3, "gone"),
                change(4, "gone", "record"),
                change(5, "back"),
                change(6, "minor", "record", fields={"电话": ["1", "2"]}),
                change(7, "reply", "thread", diff="顶"),
                change(8, "moved", fields={"url": ["http://a/0", "http://a/8"]}),
            ]
        )
    )

    def look(connection: Connection, topic: str) -> None:
        news = News(connection, KINDS.tables, topic, NOON + 2)
        assert [one.kind for one in news.changed_articles().rows] == ["minor"]
        assert [one.fields for one in news.moved().rows] == [{"url": ["http://a/0", "http://a/8"]}]
        assert [one.what for one in news.gone().rows] == ["record", "article"]
        assert len(news.gone(1).rows) == 1
        assert news.gone(1).total == 2
        assert [one.fields for one in news.changed_records().rows] == [{"电话": ["1", "2"]}]
        assert [one.diff for one in news.replies().rows] == ["顶"]
        assert news.back().total == 1
        whole = News(connection, KINDS.tables, topic, 0.0)
        assert [(one.title, one.diff) for one in whole.changed_articles().rows[1:]] == [
            ("改了", "- 旧")
        ]

    results.ask(look)


def test_new_records_and_threads_are_told_and_those_that_are_known_are_not(
    results: Results,
) -> None:
    def record(number: int, *, known: bool) -> Record:
        key, url = f"{number:032x}", f"http://a/{number}"
        data = {"name": f"公司{number}"}
        return Record("company", key, "a", key, url, data, fetched=NOON, known=known)

    def thread(number: int, *, known: bool, **more: object) -> Thread:
        key = f"{number:032x}"
        return Thread(key, f"http://a/{number}", "a", "求助", fetched=NOON, known=known, **more)  # type: ignore[arg-type]

    results.write(
        ResultBatch(
            records=[record(1, known=True), record(2, known=False)],
            threads=[
                thread(1, known=True),
                thread(2, known=False, replies_seen=3),
                thread(3, known=False, replies=9),
            ],
        )
    )

    def look(connection: Connection, topic: str) -> None:
        news = News(connection, KINDS.tables, topic, 0.0)
        assert [one.data for one in news.new_records().rows] == [{"name": "公司2"}]
        assert news.new_records().total == 1
        assert [one.replies for one in news.new_threads().rows] == [2, 9]
        assert news.new_threads(1).total == 2

    results.ask(look)


def test_what_is_found_again_stays_as_known_as_it_was(
    results: Results, make_article: Callable[..., Article], database: Database
) -> None:
    results.write(ResultBatch(articles=[make_article(known=True)]))
    results.write(ResultBatch(articles=[make_article(known=False, text="另一段。")]))
    assert database.ask("SELECT version FROM articles WHERE known") == [(2,)]
