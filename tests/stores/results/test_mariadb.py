"""What MariaDB alone does; what it does as all others is tested with them (``database``)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from focuscrawl.stores.results.database import ResultsError, Unfit, connect
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.transactions import Transactions
from focuscrawl.stores.results.writing import ResultBatch
from tests.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from focuscrawl.values import Article
    from tests.databases import Database

LOCK_WAIT = 1205


def test_who_has_waited_too_long_for_a_row_tries_again(mariadb_database: Database) -> None:
    mariadb_database.tell("CREATE TABLE waited (id integer PRIMARY KEY, n integer)")
    mariadb_database.tell("INSERT INTO waited VALUES (1, 0)")
    engine = connect(mariadb_database.url, synchronous="", busy_timeout=1)
    codes: list[int] = []
    is_held, is_told = threading.Event(), threading.Event()

    def hold(connection: Any) -> None:
        connection.execute(text("UPDATE waited SET n = n + 1"))
        is_held.set()
        assert is_told.wait(30)

    def change(connection: Any) -> None:
        try:
            connection.execute(text("UPDATE waited SET n = n + 10"))
        except Exception as error:
            codes.append(error.orig.args[0])  # type: ignore[attr-defined]
            is_told.set()
            raise

    holder = threading.Thread(target=Transactions(mariadb_database.engine()), args=(hold,))
    holder.start()
    assert is_held.wait(30)
    Transactions(engine)(change)
    holder.join(30)
    engine.dispose()
    assert codes == [LOCK_WAIT]
    assert mariadb_database.ask("SELECT n FROM waited") == [(11,)]


def test_a_table_a_person_has_locked_is_waited_for_as_long_as_a_file_and_told(
    mariadb_database: Database, make_article: Callable[..., Article], monkeypatch: Any
) -> None:
    monkeypatch.setattr("focuscrawl.stores.results.transactions.MOST_CLASHES", 0)
    url, clock = mariadb_database.url, mariadb_database.clock
    with Results.open(url, "food", kinds=KINDS, clock=clock, busy_timeout=1) as results:
        results.write(ResultBatch(articles=[make_article()]))
        engine = mariadb_database.engine()
        with engine.begin() as person:
            person.exec_driver_sql("SELECT * FROM articles FOR UPDATE")
            with pytest.raises(ResultsError, match="locked by another program: end it"):
                results.write(ResultBatch(articles=[make_article()]))
        engine.dispose()


def test_a_row_larger_than_the_server_takes_is_told_before_the_server_hangs_up(
    mariadb_database: Database, make_article: Callable[..., Article]
) -> None:
    ((largest,),) = mariadb_database.ask("SELECT @@max_allowed_packet")
    assert isinstance(largest, int)
    with mariadb_database.open() as results:
        results.wait_when_away()  # else it would be waited for, for ever
        large = make_article(url_key="a" * 32, text="长" * (largest // 3))
        written = results.write(ResultBatch(articles=[make_article(), large]))
    assert written.of("articles").new == {make_article().url_key}
    (left,) = written.left_out
    assert "max_allowed_packet" in left.why
    engine = connect(mariadb_database.url, synchronous="", busy_timeout=1)
    with pytest.raises(Unfit, match="more than the server takes at once"), engine.begin() as one:
        one.execute(text("SELECT length(:value)"), {"value": "'" * (largest // 2)})
    with engine.begin() as one:
        assert one.scalar(text("SELECT length(:value)"), {"value": "a" * (largest // 2)})
    engine.dispose()


def test_a_server_that_was_started_anew_is_asked_again(
    mariadb_database: Database, make_article: Callable[..., Article]
) -> None:
    with mariadb_database.open() as results:
        results.write(ResultBatch(articles=[make_article()]))
        for (number,) in mariadb_database.ask(
            "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND user = 'root'"
        ):
            mariadb_database.tell(f"KILL {number}")
        another = ResultBatch(articles=[make_article(url_key="a" * 32)])
        assert results.write(another).of("articles").new == {"a" * 32}
    assert mariadb_database.ask("SELECT count(*) FROM articles") == [(2,)]
