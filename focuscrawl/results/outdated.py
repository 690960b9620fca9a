"""Deleting what was not seen for long (``output.keep``), a few rows in each transaction.

An address was last seen when it was last fetched or, once it is gone, when that was found out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, exists, func, not_, or_, select

from focuscrawl.results.forgetting import AT_A_TIME, delete_addresses
from focuscrawl.results.schema import ARTICLES, CHANGES, PAGES, RECORDS, SEEDS, THREADS

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

    from focuscrawl.results.transactions import Transactions

MOST_AT_ONCE = 100_000
"""Rows that are deleted at the end of one run; the next goes on."""

LOOSE = ((CHANGES, CHANGES.c.at), (SEEDS, SEEDS.c.last_found))
"""Tables whose rows also grow old by themselves, with what says how old."""

Choose = Callable[["Connection", str, float, str], tuple[list[str], str]]


# Choosing ---------------------------------------------------------------------------------------


def addresses_not_seen_since(
    connection: Connection, topic: str, before: float, after: str = ""
) -> tuple[list[str], str]:
    """Return the next addresses of which nothing was seen at or after a date, and where to go on.

    Keys ascend; the second value is the ``after`` of the next call, "" when there is no more.
    """
    young = [
        exists().where(
            table.c.topic == topic, table.c.url_key == PAGES.c.url_key, _seen(table) >= before
        )
        for table in (ARTICLES, RECORDS, THREADS)
    ]
    query = (
        select(PAGES.c.url_key)
        .where(PAGES.c.topic == topic, PAGES.c.url_key > after, _seen(PAGES) < before)
        .where(not_(or_(*young)))
        .order_by(PAGES.c.url_key)
        .limit(AT_A_TIME)
    )
    keys = list(connection.scalars(query))
    following = keys[-1] if len(keys) == AT_A_TIME else ""
    confirmed = _confirmed_elsewhere(connection, topic, keys, before)
    return [key for key in keys if key not in confirmed], following


def addresses_without_page(
    connection: Connection, topic: str, before: float, after: str = ""
) -> tuple[list[str], str]:
    """Return what is as old and has no row in the log book: a parser of the user's own made it."""
    queries = [
        select(table.c.url_key).where(
            table.c.topic == topic,
            table.c.url_key > after,
            _seen(table) < before,
            ~exists().where(PAGES.c.topic == topic, PAGES.c.url_key == table.c.url_key),
        )
        for table in (ARTICLES, RECORDS, THREADS)
    ]
    found: set[str] = set()
    for query in queries:
        some = query.order_by("url_key").distinct().limit(AT_A_TIME)
        found.update(connection.scalars(some))
    keys = sorted(found)[:AT_A_TIME]
    confirmed = _confirmed_elsewhere(connection, topic, keys, before)
    young = {
        key
        for table in (ARTICLES, RECORDS, THREADS)
        for key in connection.scalars(
            select(table.c.url_key).where(
                table.c.topic == topic, table.c.url_key.in_(keys), _seen(table) >= before
            )
        )
    }
    following = keys[-1] if len(keys) == AT_A_TIME else ""
    return [key for key in keys if key not in confirmed | young], following


def _seen(table: Table) -> ColumnElement[Any]:
    """Return when a row was last seen."""
    column = table.c
    if table is PAGES:
        return func.coalesce(column.gone_at, column.last_fetched, column.first_seen)
    return func.coalesce(column.gone_at, column.fetched if table is ARTICLES else column.updated)


def _confirmed_elsewhere(
    connection: Connection, topic: str, keys: Sequence[str], before: float
) -> set[str]:
    """Return addresses whose record another page has said since: it is not to go with this one."""
    query = select(RECORDS.c.url_key, RECORDS.c.evidence).where(
        RECORDS.c.topic == topic, RECORDS.c.url_key.in_(keys), RECORDS.c.gone_at.is_(None)
    )
    return {
        row.url_key
        for row in connection.execute(query)
        if any(at >= before for at in _said_at(row.evidence or {}))
    }


def _said_at(evidence: dict[str, Any]) -> Iterator[float]:
    for one in evidence.values():
        for said in (one, *one.get("others", ())):
            yield said.get("at") or 0.0


# Deleting ---------------------------------------------------------------------------------------


def delete_loose(connection: Connection, topic: str, before: float) -> Counter[str]:
    """Delete some of the rows that grow old by themselves; returns how many of each table."""
    counts: Counter[str] = Counter()
    for table, moment in LOOSE:
        keys = list(table.primary_key)
        old = select(*keys).where(table.c.topic == topic, moment < before).limit(AT_A_TIME)
        for row in connection.execute(old).all():
            this = and_(*(key == value for key, value in zip(keys, row, strict=True)))
            counts[table.name] += connection.execute(delete(table).where(this)).rowcount
    return +counts


def forget_old(
    transaction: Transactions,
    topic: str,
    before: float,
    most: int = MOST_AT_ONCE,
) -> Counter[str]:
    """Delete what was last seen before a date, a few addresses in each transaction.

    After about ``most`` rows the rest is left to the next time. Returns how many rows of each table
    were deleted.
    """
    counts: Counter[str] = Counter()

    def delete_some(choose: Choose, after: str) -> tuple[Counter[str], str]:
        def work(connection: Connection) -> tuple[Counter[str], str]:
            keys, following = choose(connection, topic, before, after)
            return delete_addresses(connection, topic, keys), following

        return transaction(work)

    for choose in (addresses_not_seen_since, addresses_without_page):
        after, is_over = "", False
        while not is_over and counts.total() < most:
            deleted, after = delete_some(choose, after)
            counts += deleted
            is_over = not after
    while counts.total() < most:
        deleted = transaction(lambda connection: delete_loose(connection, topic, before))
        if not deleted:
            break
        counts += deleted
    return counts
