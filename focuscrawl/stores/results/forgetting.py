"""Deleting addresses from the results: what was not seen for long (``output.keep``), and what a person
wants forgotten.

An address is forgotten as a whole: its page and all rows that are of it, so that no row is left whose
parent is gone. It was last seen when it was last fetched or, once it is gone, when that was found out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, exists, func, not_, or_, select

from focuscrawl.stores.results.database import AT_A_TIME, parts_of
from focuscrawl.stores.results.kind import Forgotten
from focuscrawl.stores.results.kinds.pages import PAGES

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table

    from focuscrawl.stores.results.kind import Kinds, RowKind
    from focuscrawl.stores.results.transactions import Transactions


MOST_AT_ONCE = 100_000  # rows that are deleted at the end of one run; the next goes on

Choose = Callable[["Connection", "Kinds", str, float, str], tuple[list[str], str]]


# Choosing ---------------------------------------------------------------------------------------


def addresses_of_site(connection: Connection, kinds: Kinds, topic: str, site: str) -> list[str]:
    """Return all addresses of a site."""
    found: set[str] = set()
    for table in (PAGES, *(kind.table for kind in kinds.finds)):
        if "host" not in table.c:  # a user's own kind need not have it: the log book has its page
            continue
        query = select(table.c.url_key).where(table.c.topic == topic, table.c.host == site)
        found.update(connection.scalars(query))
    return sorted(found)


def with_further_pages(connection: Connection, topic: str, keys: Sequence[str]) -> list[str]:
    """Return addresses and those of the further pages of their articles."""
    found, looked_at = list(keys), list(keys)
    while looked_at:
        query = select(PAGES.c.url_key).where(
            PAGES.c.topic == topic,
            PAGES.c.parent_key.in_(looked_at),
            PAGES.c.page_class == "article_paging",
        )
        looked_at = [key for key in connection.scalars(query) if key not in found]
        found += looked_at
    return found


def addresses_not_seen_since(
    connection: Connection, kinds: Kinds, topic: str, before: float, after: str = ""
) -> tuple[list[str], str]:
    """Return the next addresses of which nothing was seen at or after a date, and where to go on.

    Keys ascend; the second value is the ``after`` of the next call, "" when there is no more.
    """
    fetched = func.coalesce(PAGES.c.gone_at, PAGES.c.last_fetched, PAGES.c.first_seen)
    young = [
        exists().where(
            kind.table.c.topic == topic,
            kind.table.c[kind.address] == PAGES.c.url_key,
            _seen(kind) >= before,
        )
        for kind in kinds.finds
    ]
    query = (
        select(PAGES.c.url_key)
        .where(PAGES.c.topic == topic, PAGES.c.url_key > after, fetched < before)
        .where(not_(or_(*young)))
        .order_by(PAGES.c.url_key)
        .limit(AT_A_TIME)
    )
    keys = list(connection.scalars(query))
    confirmed = _confirmed(connection, kinds, topic, keys, before)
    return [key for key in keys if key not in confirmed], _following(keys)


def addresses_without_page(
    connection: Connection, kinds: Kinds, topic: str, before: float, after: str = ""
) -> tuple[list[str], str]:
    """Return what is as old and has no row in the log book: a parser of the user's own made it."""
    found: set[str] = set()
    for kind in kinds.finds:
        key = kind.table.c[kind.address]
        query = select(key).where(
            kind.table.c.topic == topic,
            key > after,
            _seen(kind) < before,
            ~exists().where(PAGES.c.topic == topic, PAGES.c.url_key == key),
        )
        found.update(connection.scalars(query.order_by(key).distinct().limit(AT_A_TIME)))
    keys = sorted(found)[:AT_A_TIME]
    held = _confirmed(connection, kinds, topic, keys, before)
    for kind in kinds.finds:
        key = kind.table.c[kind.address]
        young = (kind.table.c.topic == topic, key.in_(keys), _seen(kind) >= before)
        held.update(connection.scalars(select(key).where(*young)))
    return [key for key in keys if key not in held], _following(keys)


def _seen(kind: RowKind) -> ColumnElement[Any]:
    """Return when a row was last seen."""
    return func.coalesce(kind.table.c.gone_at, kind.table.c[kind.seen])


def _confirmed(
    connection: Connection, kinds: Kinds, topic: str, keys: Sequence[str], before: float
) -> set[str]:
    """Return addresses that another page has confirmed since."""
    found: set[str] = set()
    for kind in kinds.finds:
        if kind.confirmed is not None:
            found |= kind.confirmed(connection, topic, keys, before)
    return found


def _following(keys: Sequence[str]) -> str:
    return keys[-1] if len(keys) == AT_A_TIME else ""


# Deleting ---------------------------------------------------------------------------------------


def count_rows(
    connection: Connection, kinds: Kinds, topic: str, keys: Sequence[str]
) -> Counter[str]:
    """Return how many rows of each table addresses have, as ``delete_addresses`` would."""
    counts: Counter[str] = Counter()
    for some in parts_of(keys):
        for table, condition in _conditions(connection, kinds, topic, some):
            found = select(func.count()).select_from(table).where(condition)
            counts[table.name] += connection.scalar(found) or 0
    return +counts


def delete_addresses(
    connection: Connection, kinds: Kinds, topic: str, keys: Sequence[str], *, retell: bool = False
) -> Counter[str]:
    """Delete all rows of addresses; returns how many of each table.

    ``retell``: stories are written anew, without these members. Else they stay as they were.
    """
    counts: Counter[str] = Counter()
    for some in parts_of(keys):
        forgotten = Forgotten(connection, topic, some, retell, counts)
        with ExitStack() as around:
            for kind in kinds:
                if kind.forgetting is not None:
                    around.enter_context(kind.forgetting(forgotten))
            for table, condition in _conditions(connection, kinds, topic, some):
                counts[table.name] += connection.execute(delete(table).where(condition)).rowcount
    return +counts


def _conditions(
    connection: Connection, kinds: Kinds, topic: str, keys: Sequence[str]
) -> list[tuple[Table, ColumnElement[bool]]]:
    """Return what is an address's in each table: some rows have keys of their own, by which others
    call them."""
    called, found = list(keys), []
    for kind in sorted((one for one in kinds if one.address), key=lambda one: not one.own_key):
        table = kind.table.c
        condition = and_(table.topic == topic, table[kind.address].in_(called))
        if kind.own_key:
            condition = and_(table.topic == topic, table[kind.address].in_(keys))
            called += connection.scalars(select(table[kind.own_key]).where(condition))
        found.append((kind.table, condition))
    return found


def forget_old(
    transaction: Transactions, kinds: Kinds, topic: str, before: float, most: int = MOST_AT_ONCE
) -> Counter[str]:
    """Delete what was last seen before a date, a few addresses in each transaction.

    After about ``most`` rows the rest is left to the next time. Returns how many rows of each table
    were deleted.
    """
    counts: Counter[str] = Counter()

    def delete_some(choose: Choose, after: str) -> tuple[Counter[str], str]:
        def work(connection: Connection) -> tuple[Counter[str], str]:
            keys, following = choose(connection, kinds, topic, before, after)
            return delete_addresses(connection, kinds, topic, keys), following

        return transaction(work)

    for choose in (addresses_not_seen_since, addresses_without_page):
        after, is_over = "", False
        while not is_over and counts.total() < most:
            deleted, after = delete_some(choose, after)
            counts += deleted
            is_over = not after
    while counts.total() < most:
        deleted = transaction(lambda connection: _delete_aged(connection, kinds, topic, before))
        if not deleted:
            break
        counts += deleted
    return counts


def _delete_aged(connection: Connection, kinds: Kinds, topic: str, before: float) -> Counter[str]:
    """Delete some of the rows that grow old by themselves; returns how many of each table."""
    counts: Counter[str] = Counter()
    for kind in kinds:
        if not kind.ages:
            continue
        table, keys = kind.table, list(kind.table.primary_key)
        old = select(*keys).where(table.c.topic == topic, table.c[kind.ages] < before)
        for row in connection.execute(old.limit(AT_A_TIME)).all():
            this = and_(*(key == value for key, value in zip(keys, row, strict=True)))
            counts[table.name] += connection.execute(delete(table).where(this)).rowcount
    return +counts
