"""A kind of rows that nobody has heard of: one declaration, and everything else follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.features import ROWS
from focuscrawl.stores.results.columns import (
    KEY_COLUMN,
    Figure,
    LineColumn,
    Time,
    key_column,
    may,
    must,
    table,
)
from focuscrawl.stores.results.database import results_to_read
from focuscrawl.stores.results.kind import (
    Kinds,
    Orphans,
    RowContext,
    RowKind,
    RowOutcome,
    RowValues,
    WriteWindow,
)
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.schema import View, views
from focuscrawl.stores.results.upsert import first
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import FEED_ITEMS
from focuscrawl.verbs.data import results_problems
from tests.clock import NOON, StandingClock
from tests.kinds import KINDS

if TYPE_CHECKING:
    from tests.databases import Database

KEY = "a" * 32


@dataclass
class Price:
    url_key: str
    url: str
    host: str
    amount: float
    seen: float = NOON
    words: list[str] = field(default_factory=list)


def price_row(price: Price, context: RowContext) -> RowValues:
    return {
        "topic": context.topic,
        "url_key": price.url_key,
        "host": price.host,
        "amount": price.amount,
        "found": price.seen,
        "seen": price.seen,
    }


def write_prices(window: WriteWindow, rows: list[RowValues]) -> RowOutcome:
    window.put("prices", rows)
    return RowOutcome(new=frozenset(row["url_key"] for row in rows))


PRICES = RowKind(
    table(
        "prices",
        key_column("url_key", KEY_COLUMN),
        must("host", LineColumn(255)),
        may("amount", Figure),
        may("found", Time),
        may("seen", Time),
        may("gone_at", Time),
        about="What things cost.",
    ),
    price_row,
    item=Price,
    feed="price",
    merge={"found": first("found")},
    besides={"gone_at"},
    counters=("new",),
    write=write_prices,
    views=views(dear=View("SELECT url_key, {local:found} AS time FROM prices WHERE amount > 100")),
    address="url_key",
    seen="seen",
    orphans=(Orphans("prices are of nothing", "url_key", "amount < 0"),),
)
WITH_PRICES = Kinds([*KINDS, PRICES])


def opened(database: Database) -> Results:
    return Results.open(
        database.url, "food", kinds=WITH_PRICES, clock=database.clock, timezone="Asia/Shanghai"
    )


def test_one_declaration_makes_table_view_and_upsert(database: Database) -> None:
    with opened(database) as results:
        assert not results.ever_found()
        dear = Price(KEY, "http://a.cn/1", "a.cn", 120.0)
        assert results.write(ResultBatch(prices=[dear])).of("prices").new == {KEY}
        results.write(ResultBatch(prices=[Price(KEY, "", "a.cn", 130.0, NOON + 60)]))
        assert results.ever_found()
        results.write(ResultBatch(gone={KEY: NOON + 90}))
    assert database.ask("SELECT topic, amount, found, seen, gone_at FROM prices") == [
        ("food", 130.0, NOON, NOON + 60, NOON + 90)
    ]
    if not database.is_mariadb:
        assert database.ask("SELECT url_key, time FROM dear") == [(KEY, "2026-11-20 12:00:00")]


def test_a_value_costs_its_row_and_an_address_takes_its_rows_along(
    database: Database, clock: StandingClock
) -> None:
    with opened(database) as results:
        odd = Price("b" * 32, "", None, 1.0)  # type: ignore[arg-type]
        written = results.write(ResultBatch(prices=[Price(KEY, "", "a.cn", 1.0), odd]))
        assert [(one.table, one.of) for one in written.left_out] == [("prices", "b" * 32)]
        clock.now += 10
        assert not results.forget_old(20)
        assert results.forget_old(5) == {"prices": 1}


def test_what_must_not_be_is_told(tmp_path: Path) -> None:
    path = tmp_path / "r.db"
    with Results.open(path, "food", kinds=WITH_PRICES, clock=StandingClock()) as results:
        results.write(ResultBatch(prices=[Price(KEY, "", "a.cn", -1.0)]))
    with results_to_read(path) as connection:
        assert results_problems(connection, WITH_PRICES, "food") == [
            f"results: 1 prices are of nothing ({KEY})"
        ]


def test_a_database_made_without_a_kind_gains_its_table(database: Database) -> None:
    database.open().close()
    with opened(database) as results:
        results.write(ResultBatch(prices=[Price(KEY, "", "a.cn", 1.0)]))
    assert database.ask("SELECT count(*) FROM prices") == [(1,)]
    database.open().close()
    assert database.ask("SELECT count(*) FROM prices") == [(1,)]


def test_its_items_are_told_apart_and_written_plainly() -> None:
    price = Price(KEY, "", "a.cn", 1.0)
    assert (WITH_PRICES.of(price), KINDS.of(price), KINDS.of("text")) == (PRICES, None, None)
    assert WITH_PRICES.as_plain(price)["seen"] == "2026-11-20T04:00:00.000Z"
    assert WITH_PRICES.feeds["price"].item is Price


def test_every_kind_is_read_from_a_module_named_once() -> None:
    assert len(set(ROWS)) == len(ROWS)
    assert len({kind.part for kind in KINDS}) == len(KINDS)
    assert KINDS[-1].part == "changes", "it asks what has become of the others"
    assert {*KINDS.feeds} == {*FEED_ITEMS}
