"""Insert-or-update on the key, in each database's own words (rule 1), compiled once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, bindparam, case, func
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from focuscrawl.stores.results.columns import MYSQL
from focuscrawl.stores.results.database import Unfit

if TYPE_CHECKING:
    from sqlalchemy import Connection, Insert, Table
    from sqlalchemy.engine import Dialect

NAMED_PLACE = re.compile(r"%\((\w+)\)s")
"""Where psycopg puts a value."""

OF_VALUES = (TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
"""What a value raises that is none of its column."""

Columns = ReadOnlyColumnCollection[str, Any]
Merge = Callable[[Columns, Columns], ColumnElement[Any]]
"""Gives a column's new value from the columns of the stored row and of the written row."""


# Rules ------------------------------------------------------------------------------------------


def first(name: str) -> Merge:
    """What was known stays."""
    return lambda old, new: func.coalesce(old[name], new[name])


def last(name: str) -> Merge:
    """The new value holds; where it is empty the old one stays."""
    return lambda old, new: func.coalesce(new[name], old[name])


def as_it_was(name: str) -> Merge:
    """A row is never changed; some databases require one column at least."""
    return lambda old, new: old[name]


def most(name: str) -> Merge:
    """The greater number holds."""
    return lambda old, new: case((new[name] > old[name], new[name]), else_=old[name])


# Statements -------------------------------------------------------------------------------------


class Upsert:
    """One compiled statement over ``columns`` of a table.

    A row that exists takes the written values, except its key and ``keep``, and ``merge`` for those
    that follow a rule. Rules see the row as it was; in MySQL a rule may read only columns that no
    rule before it sets, for MySQL assigns from left to right. With ``leaves`` it stays as it is.
    """

    def __init__(
        self,
        table: Table,
        columns: Sequence[str],
        dialect: Dialect,
        *,
        keep: Collection[str] = (),
        merge: Mapping[str, Merge] | None = None,
        leaves: bool = False,
    ) -> None:
        if leaves:
            keep, merge = columns, {}
        statement = _statement(table, columns, dialect.name, keep, merge or {})
        compiled = statement.compile(dialect=dialect)
        self.table = table.name
        is_server = dialect.name != "sqlite"
        self._keys = [one.name for one in table.primary_key] if is_server else []
        self.sql = str(compiled)
        self._order = compiled.positiontup
        names = list(columns) if self._order is None else self._order
        self._converters = [
            (name, table.c[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in names
        ]

    def parameters(self, row: Mapping[str, Any]) -> Any:
        """Return one row as the driver takes it: a tuple or a dict by the driver's style.

        Raises Unfit for a value its column cannot take.
        """
        try:
            values = [
                convert(row[name]) if convert is not None else row[name]
                for name, convert in self._converters
            ]
        except OF_VALUES as error:
            raise self._unfit(row, error) from error
        if self._order is not None:
            return tuple(values)
        return dict(zip((name for name, _ in self._converters), values, strict=True))

    def write(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write the rows in one call of the driver, in their order.

        Those of a server in the order of their keys: two writers of the same rows in opposite order would
        wait for each other.
        """
        if self._keys:
            rows = sorted(rows, key=lambda row: [str(row[name]) for name in self._keys])
        parameters = [self.parameters(row) for row in rows]
        if not parameters:
            return
        # psycopg's executemany begins a pipeline, which one row does not pay.
        values = parameters[0] if len(parameters) == 1 else parameters
        try:
            connection.exec_driver_sql(self.sql, values)
        except TypeError as error:  # PyMySQL's own, of what it cannot write down
            raise Unfit(f"{self.table}: {error}") from error

    def _unfit(self, row: Mapping[str, Any], error: Exception) -> Unfit:
        """Return what to raise for a row, with the column that is to blame."""
        for name, convert in self._converters:
            try:
                _ = convert(row[name]) if convert is not None else None
            except OF_VALUES:
                kind = type(row[name]).__name__
                return Unfit(f"{self.table}.{name} cannot take this {kind} ({error})")
        return Unfit(f"{self.table}: {error}")


class AtOnce:
    """Statements that PostgreSQL is given as one: a round trip costs as much as a row.

    Each writes other rows than the rest, and none sees what another writes.
    """

    def __init__(self) -> None:
        self._statements: list[str] = []
        self._words: dict[str, Any] = {}

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._statements)

    def add(self, sql: str, words: Mapping[str, Any]) -> None:
        """Take an INSERT, whose places are named by ``words``."""
        place = len(self._statements)
        self._statements.append(sql)
        self._words.update((f"{place}_{name}", word) for name, word in words.items())

    def write(self, connection: Connection) -> None:
        """Write what was taken, if anything was."""
        statements, words = tuple(self._statements), self._words
        if statements:
            self._statements, self._words = [], {}
            connection.exec_driver_sql(_as_one(statements), words)


@cache
def _as_one(statements: tuple[str, ...]) -> str:
    *rest, last = (NAMED_PLACE.sub(rf"%({place}_\1)s", sql) for place, sql in enumerate(statements))
    before = ", ".join(f"part{place} AS ({sql})" for place, sql in enumerate(rest))
    return f"WITH {before} {last}" if before else last


def _statement(
    table: Table,
    columns: Sequence[str],
    dialect: str,
    keep: Collection[str],
    merge: Mapping[str, Merge],
) -> Insert:
    keys = [column.name for column in table.primary_key]
    values = {name: bindparam(name, type_=table.c[name].type) for name in columns}
    plain = [name for name in columns if name not in {*keys, *keep, *merge}]
    if dialect in MYSQL:
        into = mysql.insert(table).values(values)
        new = into.inserted
        rules = [(name, rule(table.c, new)) for name, rule in merge.items()]
        if not rules and not plain:  # INSERT IGNORE would cut what does not fit
            rules = [(keys[0], table.c[keys[0]])]
        return into.on_duplicate_key_update(rules + [(name, new[name]) for name in plain])
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    statement = insert(table).values(values)
    fresh = statement.excluded
    changes = {name: rule(table.c, fresh) for name, rule in merge.items()}
    changes.update({name: fresh[name] for name in plain})
    if not changes:
        return statement.on_conflict_do_nothing(index_elements=keys)
    return statement.on_conflict_do_update(index_elements=keys, set_=changes)
