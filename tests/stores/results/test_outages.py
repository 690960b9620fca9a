"""A server that is away is waited for by whoever may wait; what was done meanwhile is done once."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pymysql
import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import OperationalError

from focuscrawl.stores.results import transactions as transactions_module
from focuscrawl.stores.results.database import ResultsError, connect
from focuscrawl.stores.results.kinds.runs import MinuteFigure, RunRow, RunStart
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.transactions import Transactions, is_away
from focuscrawl.stores.results.writing import ResultBatch
from tests.databases import Database
from tests.servers.postgresql_server import PostgreSQLServer
from tests.tables import each_row

if TYPE_CHECKING:
    from focuscrawl.values import Article, Page


pytestmark = pytest.mark.program  # a PostgreSQL that dies


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSQLServer]:
    """A server that a test may stop, and starts again."""
    base = Path(tempfile.mkdtemp(prefix="outage-"))
    base.chmod(0o755)
    started = PostgreSQLServer(base)
    try:
        yield started.start()
    finally:
        started.stop(kill=True)
        shutil.rmtree(base)


def opened(server: PostgreSQLServer) -> tuple[Engine, Transactions]:
    engine = connect(server.url, synchronous="NORMAL", busy_timeout=30.0)
    transactions = Transactions(engine)
    transactions.waits = True
    return engine, transactions


def one(connection: Any) -> int:
    return int(connection.scalar(text("SELECT 1")))


def test_a_server_that_says_nothing_any_more_is_away(
    server: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(transactions_module, "ANSWERED_WITHIN", 1.0)
    engine, transactions = opened(server)
    stopped: list[int] = []

    def work(connection: Any) -> int:
        if not stopped:
            stopped.append(int(connection.scalar(text("SELECT pg_backend_pid()"))))
            os.kill(stopped[0], signal.SIGSTOP)
        return one(connection)

    try:
        assert transactions(work) == 1
    finally:
        os.kill(stopped[0], signal.SIGCONT)
    engine.dispose()
    assert all("answers" not in record.getMessage() for record in caplog.records), (
        "another connection was answered at once"
    )


def test_all_threads_wait_for_a_server_and_one_says_so(
    server: PostgreSQLServer, caplog: pytest.LogCaptureFixture
) -> None:
    engine, transactions = opened(server)
    found: list[int] = []
    server.stop(kill=True)
    threads = [threading.Thread(target=lambda: found.append(transactions(one))) for _ in range(5)]
    for thread in threads:
        thread.start()
    while not transactions.outage.is_on:
        time.sleep(0.01)
    assert not found
    server.start()
    for thread in threads:
        thread.join(30)
    engine.dispose()
    assert found == [1] * 5
    assert not transactions.outage.is_on
    said = [record.getMessage() for record in caplog.records]
    assert len([line for line in said if "does not answer" in line]) == 1
    assert len([line for line in said if "answers again" in line]) == 1


def test_nobody_waits_whom_others_wait_for(server: PostgreSQLServer) -> None:
    engine, transactions = opened(server)
    server.stop(kill=True)

    async def ask() -> int:
        return transactions(one)

    with pytest.raises(ResultsError, match="does not answer"):
        asyncio.run(ask())
    transactions.outage.stop(0.0)
    with pytest.raises(ResultsError, match="the run is to stop"):
        transactions(one)
    server.start()
    engine.dispose()


def test_what_waiting_does_not_mend_is_told_at_once(server: PostgreSQLServer) -> None:
    engine, transactions = opened(server)
    with pytest.raises(ResultsError, match="no_such_table"):
        transactions(lambda connection: connection.execute(text("SELECT * FROM no_such_table")))
    engine.dispose()
    nobody = connect(server.url.replace("crawl@", "nobody_known@"), synchronous="", busy_timeout=1)
    asked = Transactions(nobody)
    asked.waits = True
    with pytest.raises(ResultsError, match="nobody_known"):
        asked(one)
    nobody.dispose()


@each_row(
    ("said", "is_one"),
    [
        ("connection failed: FATAL: the database system is starting up", True),
        ("could not translate host name: Temporary failure in name resolution", True),
        ("FATAL: sorry, too many clients already", True),
        ("FATAL: password authentication failed for user crawl", False),
        ('FATAL: database "news" does not exist', False),
    ],
)
def test_what_is_said_of_a_connection_tells_whether_its_server_is_away(
    said: str, is_one: bool
) -> None:
    error = OperationalError("", {}, psycopg.OperationalError(said))
    assert is_away(error) == is_one


@pytest.mark.parametrize(
    ("number", "state", "is_one"),
    [
        (2013, "HY000", True),
        (1053, "08S01", True),
        (1290, "HY000", True),
        (1045, "28000", False),
        (1146, "42S02", False),
    ],
)
def test_mysql_tells_by_numbers_whether_it_is_away_whatever_else_it_says(
    number: int, state: str, is_one: bool
) -> None:
    said = pymysql.err.OperationalError(number, "said", sqlstate=state)
    assert is_away(OperationalError("", {}, said)) == is_one


def test_a_window_whose_fate_nobody_knows_is_written_once(
    postgresql_database: Database,
    make_page: Callable[..., Page],
    make_article: Callable[..., Article],
) -> None:
    """Each transaction is committed, and the answer is lost: so each is done twice."""
    is_lost = True

    def lose(connection: Any) -> None:
        """Commit, and cut the connection before anybody hears of it."""
        nonlocal is_lost
        if is_lost:
            is_lost = False
            connection.connection.dbapi_connection.commit()
            connection.connection.dbapi_connection.close()

    with postgresql_database.open() as results:
        event.listen(_engine_of(results), "commit", lose)
        results.begin_run(RunStart("run-1", "{}", {}))
        is_lost = True
        batch = ResultBatch(
            pages=[make_page()],
            articles=[make_article()],
            series=[MinuteFigure(postgresql_database.clock.wall(), "pages", 3.0)],
            run=RunRow(pages=1),
        )
        results.write(batch)
        assert not is_lost, "an answer was lost"
    ask = postgresql_database.ask
    assert ask("SELECT run_id, pages FROM crawl_runs") == [("run-1", 1)]
    assert ask("SELECT visits FROM pages") == [(1,)]
    assert ask("SELECT version FROM articles") == [(1,)]
    assert ask("SELECT name, value FROM series") == [("pages", 3.0)]


def _engine_of(results: Results) -> Engine:
    return results._engine


def test_a_server_that_only_reads_is_waited_for(server: PostgreSQLServer) -> None:
    engine, transactions = opened(server)
    transactions(lambda connection: connection.execute(text("CREATE TABLE kept (n int)")))

    def only_reads(is_so: str) -> None:
        with psycopg.connect(server.url.replace("+psycopg", ""), autocommit=True) as keeper:
            keeper.execute("SET default_transaction_read_only = off")
            keeper.execute(f"ALTER DATABASE postgres SET default_transaction_read_only = {is_so}")

    only_reads("on")
    engine.dispose()  # those that are open have begun before
    write = text("INSERT INTO kept VALUES (1)")
    writer = threading.Thread(target=lambda: transactions(lambda one: one.execute(write)))
    writer.start()
    while not transactions.outage.is_on:
        time.sleep(0.01)
    only_reads("off")
    writer.join(30)
    assert not writer.is_alive()
    assert transactions(lambda one: one.scalar(text("SELECT count(*) FROM kept"))) == 1
    engine.dispose()
