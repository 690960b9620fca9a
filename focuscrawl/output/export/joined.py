"""Records that are one row: those of one company, say, that stand on several pages and sites.

Rows come in the order of what they share, so that no more than those of one row stand in memory.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from focuscrawl.output.export.sheets import LINK, RECORD_SHEET, TIME

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select

    from focuscrawl.output.export.sheets import ResultTables, SheetColumn

_KEYS = 2
"""Columns behind those of a sheet: the type of a record, and what it shares with others."""

_OF_ONE = frozenset({"record_id", "evidence", "extra", "version", "label", "missing"})
"""Columns that say something of one record: the row has those of its first one."""


def by_shared_value(query: Select[Any], results: ResultTables, name: str) -> Select[Any]:
    """Return the question for records in the order of a column's values, with what ``joined_rows`` needs behind them.

    Of those that share a value, the complete ones come first, then the latest.
    """
    own = results.tables[RECORD_SHEET.name].c
    shared: ColumnElement[Any] = results.expression(RECORD_SHEET, name)
    if name not in own:  # a field, in the column of JSON
        shared = own.data[name].as_string()
    order = (own.record_type, shared, own.complete.desc(), own.found.desc(), own.record_id)
    return (
        query.add_columns(own.record_type.label("_type"), shared.label("_shared"))
        .order_by(None)
        .order_by(*order)
    )


def joined_rows(
    rows: Iterable[Sequence[Any]], columns: Sequence[SheetColumn]
) -> Generator[Sequence[Any]]:
    """Go through the rows of ``by_shared_value``, those of one value as one; without a value each stays one."""
    for shared, some in groupby(rows, key=lambda row: tuple(row[-_KEYS:])):
        if shared[-1] in (None, "", "[]", "null"):
            yield from (row[:-_KEYS] for row in some)
        else:
            values = zip(*(row[:-_KEYS] for row in some), strict=True)
            yield [_joined(column, of) for column, of in zip(columns, values, strict=True)]


def _joined(column: SheetColumn, values: Sequence[Any]) -> Any:
    """Return what a row says in a column: all that its records say, each once."""
    said = [one for one in values if one is not None]
    if not said:
        return None
    if column.name == "gone_at":  # it is gone with the last of them
        return max(said) if len(said) == len(values) else None
    if column.holds == TIME:
        return min(said) if column.name == "found" else max(said)
    if column.name == "complete":
        return any(said)
    if column.holds == LINK or column.name in _OF_ONE:
        return said[0]
    parts = [part for one in said for part in (one if isinstance(one, list) else [one])]
    each = [part for at, part in enumerate(parts) if part not in parts[:at]]
    return each[0] if len(each) == 1 and not isinstance(said[0], list) else each
