"""What a database says becomes what a person can do; and the statements of MySQL, unseen by one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.dialects import mysql
from sqlalchemy.engine import Engine
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.schema import CreateIndex, CreateTable

from focuscrawl.stores.results.database import ResultsError, Unfit, advice, explained, is_unfit
from focuscrawl.stores.results.kind import Upserts
from focuscrawl.stores.results.kinds.pages import PAGES
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.schema import META
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article, SystemClock
from tests.kinds import KINDS
from tests.tables import each_row

MakeArticle = Callable[..., Article]


def open_file(path: Path) -> Results:
    return Results.open(path, "food", kinds=KINDS, clock=SystemClock(), busy_timeout=0.05)


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """A database SQLite itself keeps from growing, as a full disk does."""

    def limit(connection: Any, _record: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + 4}")

    open_file(tmp_path / "food.db").close()
    event.listen(Engine, "connect", limit)
    yield tmp_path / "food.db"
    event.remove(Engine, "connect", limit)


def test_a_full_disk_is_told_and_loses_nothing(small_disk: Path, make_article: MakeArticle) -> None:
    with open_file(small_disk) as results:
        results.write(ResultBatch(articles=[make_article()]))
        with pytest.raises(ResultsError, match=r"food\.db: the disk is full"):
            results.write(
                ResultBatch(articles=[make_article(url_key="a" * 32, text="长" * 99_999)])
            )
        results.write(ResultBatch(articles=[make_article(url_key="b" * 32)]))
    database = sqlite3.connect(small_disk)
    assert database.execute("SELECT count(*) FROM articles").fetchone() == (2,)
    database.close()


def test_a_locked_database_is_told_and_works_afterwards(
    tmp_path: Path, make_article: MakeArticle
) -> None:
    path = tmp_path / "food.db"
    with open_file(path) as results:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ResultsError, match="another program has it locked"):
            results.write(ResultBatch(articles=[make_article()]))
        with pytest.raises(ResultsError, match="another program has it locked"):
            open_file(path)
        other.execute("COMMIT")
        other.close()
        assert results.write(ResultBatch(articles=[make_article()])).of("articles").new


def test_a_table_that_went_away_is_told(tmp_path: Path, make_article: MakeArticle) -> None:
    path = tmp_path / "food.db"
    with open_file(path) as results:
        other = sqlite3.connect(path)
        other.execute("DROP VIEW today")
        other.execute("DROP TABLE articles")
        other.close()
        with pytest.raises(ResultsError, match="no such table: articles"):
            results.write(ResultBatch(articles=[make_article()]))


class ServerError(Exception):
    """What psycopg and PyMySQL raise, as far as it is looked at."""

    def __init__(self, *said: object, sqlstate: str | None = None) -> None:
        super().__init__(*said)
        if sqlstate:
            self.sqlstate = sqlstate


@each_row(
    ("error", "words"),
    [
        (ServerError("x", sqlstate="53100"), "disk is full"),
        (ServerError("x", sqlstate="42501"), "GRANT"),
        (ServerError("x", sqlstate="28P01"), "user and password"),
        (ServerError("x", sqlstate="3D000"), "createdb"),
        (ServerError("x", sqlstate="57P03"), "shutting down"),
        (ServerError("x", sqlstate="40P01"), "blocked each other"),
        (ServerError("x", sqlstate="99999"), "message of the database"),
        (ServerError(1045, "Access denied"), "user and password"),
        (ServerError(1045, "Access denied", sqlstate="28000"), "user and password"),
        (ServerError(1205, "Lock wait timeout", sqlstate="HY000"), "locked by another program"),
        (ServerError(2003, "Can't connect", sqlstate="HY000"), "does not answer"),
        (ServerError(9999, "?"), "message of the database"),
        (ServerError("connection failed: refused"), "does not answer"),
        (ServerError("password authentication failed"), "user and password"),
        (ServerError("?"), "message of the database"),
        (ServerError(), "message of the database"),
    ],
)
def test_what_servers_say_becomes_advice(error: Exception, words: str) -> None:
    assert words in advice(error)


@each_row(
    ("error", "unfit"),
    [
        (DataError("", {}, ServerError(1264, "Out of range value")), True),
        (IntegrityError("", {}, ServerError(1048, "Column 'host' cannot be null")), True),
        (OperationalError("", {}, ServerError(1366, "Incorrect string value")), True),
        (OperationalError("", {}, ServerError(3157, "JSON exceeds the maximum depth")), True),
        (OperationalError("", {}, ServerError(1153, "max_allowed_packet")), True),
        (OperationalError("", {}, ServerError(1153, "packet", sqlstate="08S01")), True),
        (OperationalError("", {}, ServerError(4025, "CONSTRAINT failed", sqlstate="23000")), True),
        (ProgrammingError("", {}, ServerError("nan can not be used with MySQL")), True),
        (OperationalError("", {}, ServerError(1114, "The table is full")), False),
        (OperationalError("", {}, ServerError(1205, "Lock wait timeout")), False),
        (OperationalError("", {}, ServerError(2006, "server has gone away")), False),
        (OperationalError("", {}, ServerError("x", sqlstate="54000")), True),
        (ProgrammingError("", {}, ServerError("x", sqlstate="42804")), True),
        (ProgrammingError("", {}, ServerError("x", sqlstate="42P01")), False),
        (OperationalError("", {}, ServerError("x", sqlstate="53100")), False),
    ],
)
def test_a_value_to_blame_is_told_from_a_database_that_fails(
    error: DBAPIError, unfit: bool
) -> None:
    assert is_unfit(error) is unfit
    assert isinstance(explained(error, "x"), Unfit) is unfit


def test_a_server_that_closed_the_connection_is_asked_again(
    postgresql_database: Any, make_article: MakeArticle
) -> None:
    with postgresql_database.open() as results:
        results.write(ResultBatch(articles=[make_article()]))
        postgresql_database.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert (
            results.write(ResultBatch(articles=[make_article(url_key="a" * 32)])).of("articles").new
        )
    assert postgresql_database.ask("SELECT count(*) FROM articles") == [(2,)]


def test_a_table_a_person_has_locked_is_told_and_waited_for_no_longer_than_a_file(
    postgresql_database: Any, make_article: MakeArticle
) -> None:
    with Results.open(
        postgresql_database.url, "food", kinds=KINDS, clock=SystemClock(), busy_timeout=0.2
    ) as results:
        engine = postgresql_database.engine()
        with engine.begin() as person:
            person.exec_driver_sql("LOCK TABLE articles")
            with pytest.raises(ResultsError, match="locked by another program: end it"):
                results.write(ResultBatch(articles=[make_article()]))
        engine.dispose()
        assert results.write(ResultBatch(articles=[make_article()])).of("articles").new


def test_what_postgresql_refuses_is_told(postgresql_database: Any) -> None:
    with pytest.raises(ResultsError, match="no such database"):
        Results.open(
            postgresql_database.url.replace("/postgres?", "/none?"),
            "food",
            kinds=KINDS,
            clock=SystemClock(),
        )


def test_mysql_counts_a_visit_before_it_overwrites_what_tells_visits_apart() -> None:
    assigned = Upserts(KINDS, mysql.dialect())["pages"].sql.partition("ON DUPLICATE KEY UPDATE ")[2]
    order = [assigned.index(f"{name} = ") for name in ("visits", "run_id", "last_fetched")]
    assert order == sorted(order)
    assert "first_seen = " not in assigned
    assert "url_key = " not in assigned


def test_mysql_leaves_rows_as_they_are_where_only_missing_ones_are_made() -> None:
    sql = Upserts(KINDS, mysql.dialect()).missing("records").sql
    assert sql.partition("ON DUPLICATE KEY UPDATE ")[2] == "topic = records.topic"


def test_mysql_gets_tables_that_hold_all_chinese_and_long_texts() -> None:
    dialect = mysql.dialect()
    for table in (META, *KINDS.tables.values()):
        made = str(CreateTable(table).compile(dialect=dialect))
        assert "CHARSET=utf8mb4" in made
        assert "COLLATE utf8mb4_bin" in made
        for index in table.indexes:
            str(CreateIndex(index).compile(dialect=dialect))
    assert "url LONGTEXT NOT NULL" in str(CreateTable(PAGES).compile(dialect=dialect))


def test_mysql_keys_fit_into_its_index_limit() -> None:
    for table in (META, *KINDS.tables.values()):
        for columns in [table.primary_key.columns, *(index.columns for index in table.indexes)]:
            size = sum(4 * (getattr(column.type, "length", None) or 6) for column in columns)
            assert size <= 3072
