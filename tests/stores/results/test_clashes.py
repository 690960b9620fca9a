"""Several workers write into one database: what gets into each other's way is repeated, and nothing ends."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from focuscrawl.features.articles.rows.articles import stored_by_gone
from focuscrawl.stores.results.database import ResultsError, connect
from focuscrawl.stores.results.kinds.runs import RunStart
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.transactions import Transactions, longest_pause
from focuscrawl.stores.results.writing import ResultBatch
from tests.databases import DATABASES, Database

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from focuscrawl.values import Page


@pytest.fixture(params=DATABASES[1:])
def server_database(request: pytest.FixtureRequest) -> Database:
    """An empty database on each kind of server."""
    found: Database = request.getfixturevalue(f"{request.param}_database")
    return found


def together(*work: Callable[[], None]) -> list[BaseException]:
    """Do things at once; returns what they raised."""
    raised: list[BaseException] = []

    def guarded(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def crossed(database: Database, runs: int) -> tuple[list[BaseException], int]:
    """Change two rows in opposite orders at once; returns errors, and how often a transaction was begun."""
    database.tell("CREATE TABLE crossed (id integer PRIMARY KEY, n integer)")
    database.tell("INSERT INTO crossed VALUES (1, 0), (2, 0)")
    engine = database.engine()
    meet = threading.Barrier(2)
    begun = 0

    def change(first: int, second: int) -> Callable[[], None]:
        def work(connection: Any) -> None:
            nonlocal begun
            begun += 1
            update = text("UPDATE crossed SET n = n + 1 WHERE id = :id")
            connection.execute(update, {"id": first})
            try:
                meet.wait(1)
            except threading.BrokenBarrierError:
                meet.reset()
            connection.execute(update, {"id": second})

        def changed() -> None:
            for _ in range(runs):
                Transactions(engine)(work)

        return changed

    raised = together(change(1, 2), change(2, 1))
    engine.dispose()
    return raised, begun


def test_transactions_that_wait_for_each_other_are_repeated(server_database: Database) -> None:
    raised, begun = crossed(server_database, 3)
    assert raised == []
    assert begun > 6, "some were broken off"
    assert server_database.ask("SELECT n FROM crossed") == [(6,), (6,)]


def test_one_that_always_clashes_is_told_after_some_times(
    server_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.stores.results.transactions.MOST_CLASHES", 0)
    raised, _ = crossed(server_database, 3)
    assert raised
    assert isinstance(raised[0], ResultsError)


def test_who_has_clashed_waits_longer_each_time_and_as_long_as_its_work_takes() -> None:
    assert [longest_pause(clashes, 0.1) for clashes in (1, 2, 3, 9)] == [0.04, 0.08, 0.16, 1.0]
    assert [longest_pause(clashes, 4.0) for clashes in (1, 2, 9)] == [1.0, 2.0, 8.0]
    assert longest_pause(13, 600.0) == 30.0


def test_workers_that_find_the_same_pages_in_opposite_orders_write_them_all(
    server_database: Database, make_page: Callable[..., Page]
) -> None:
    pages = [make_page(url_key=f"{number:032x}") for number in range(300)]

    def write(results: Results, found: list[Page]) -> Callable[[], None]:
        def written() -> None:
            for _ in range(10):
                results.write(ResultBatch(pages=found))

        return written

    with server_database.open() as one, server_database.open() as other:
        raised = together(write(one, pages), write(other, pages[::-1]))
    assert raised == []
    assert server_database.ask("SELECT count(*) FROM pages") == [(300,)]


def test_what_only_looks_waits_for_nobody_who_writes(tmp_path: Path) -> None:
    engine = connect(tmp_path / "x.db", synchronous="OFF", busy_timeout=0.1)
    transactions = Transactions(engine)
    transactions(lambda one: one.exec_driver_sql("CREATE TABLE t (a INTEGER)"))
    with engine.begin() as writes:
        writes.exec_driver_sql("INSERT INTO t VALUES (1)")
        count = "SELECT count(*) FROM t"
        assert transactions(lambda one: one.exec_driver_sql(count).scalar(), looks=True) == 0
        with pytest.raises(ResultsError, match="locked"):
            transactions(lambda one: one.exec_driver_sql(count).scalar())
    engine.dispose()


@pytest.mark.timed
def test_nobody_waits_for_a_worker_that_stands_still_while_it_writes(
    server_database: Database,
) -> None:
    with server_database.open() as stands_still, server_database.open() as other:
        stands_still.begin_run(RunStart("run-1", "", {}, worker="host:1"))
        other.begin_run(RunStart("run-2", "", {}, worker="host:2"), alone=False)
        engine = server_database.engine()
        with engine.begin() as writes:
            writes.execute(text("UPDATE crawl_runs SET pages = 7 WHERE run_id = 'run-1'"))
            begun = time.monotonic()
            other.ask_and_write(partial(stored_by_gone, "host:1"))
            assert time.monotonic() - begun < 5
        engine.dispose()
        asked = server_database.ask("SELECT end_reason FROM crawl_runs WHERE run_id = 'run-1'")
        assert asked == [(None,)]
        other.ask_and_write(partial(stored_by_gone, "host:1"))
        asked = server_database.ask("SELECT end_reason FROM crawl_runs WHERE run_id = 'run-1'")
        assert asked == [("crashed",)]
