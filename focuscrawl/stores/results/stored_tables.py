"""The tables that a results database has, for code that reads it.

A database of an earlier version may miss a table or a column: then there is nothing of it, and no error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import inspect, null

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Table


class StoredTables:
    """The tables that are there of those there may be (``tables``, by name); each is looked at once."""

    def __init__(self, connection: Connection, tables: Mapping[str, Table]) -> None:
        self.connection = connection
        self.tables = tables
        self._columns: dict[str, frozenset[str]] = {}

    def has(self, table: str) -> bool:
        """Whether a table is there."""
        return bool(self.columns(table))

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of the columns that a table has; none when it is not there."""
        if table not in self._columns:
            found = inspect(self.connection)
            is_there = table in self.tables and found.has_table(table)
            columns = found.get_columns(table) if is_there else []
            self._columns[table] = frozenset(str(one["name"]) for one in columns)
        return self._columns[table]

    def column(self, table: str, name: str) -> ColumnElement[Any]:
        """Return a column, NULL where it is missing."""
        is_there = name in self.columns(table)
        return self.tables[table].c[name] if is_there else null().label(name)

    def are_whole(self) -> bool:
        """Whether nothing is missing of what this version would make."""
        return all(self.columns(name) >= {*one.columns.keys()} for name, one in self.tables.items())
