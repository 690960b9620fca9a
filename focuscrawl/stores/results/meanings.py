"""What tables, views and columns mean: defined beside each of them, written into the table ``columns``, and
printed as docs/results.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from sqlalchemy import JSON, Boolean, LargeBinary, MetaData, String, Table, select

from focuscrawl.stores.results.columns import (
    TABLE_OPTIONS,
    UNIT_INFO,
    Count,
    Figure,
    LineColumn,
    TextColumn,
    Time,
    key_column,
    may,
    must,
)
from focuscrawl.stores.results.upsert import Upsert

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection

    from focuscrawl.stores.results.schema import View

MEANINGS = Table(
    "columns",
    MetaData(),
    key_column("table", LineColumn(64), "The table or view."),
    key_column("column", LineColumn(64), "The column; empty: the table itself."),
    must("meaning", TextColumn, "What it holds, in a sentence."),
    may("unit", LineColumn(20), "The unit of its numbers, or the zone of its times."),
    comment="What every table, view and column means.",
    **TABLE_OPTIONS,
)

Description = tuple[str, str, str, str]
"""A row of MEANINGS: table, column, meaning, unit."""


def descriptions(tables: Iterable[Table], views: Mapping[str, View]) -> list[Description]:
    """Return what all tables and views mean, and their columns."""
    found: list[Description] = []
    for table in tables:
        found.append((table.name, "", table.comment or "", ""))
        found += [
            (table.name, one.name, one.doc or "", one.info.get(UNIT_INFO, ""))
            for one in table.columns
        ]
    for name, view in views.items():
        found.append((name, "", view.about, ""))
        found += [(name, column, *said) for column, said in view.columns.items()]
    return found


def explain_columns(connection: Connection, wanted: Iterable[Description]) -> None:
    """Write what has changed of the meanings; what other topics have of their own stays."""
    names = [one.name for one in MEANINGS.columns]
    there = {tuple(row) for row in connection.execute(select(MEANINGS))}
    rows = [dict(zip(names, (*one[:3], one[3] or None), strict=True)) for one in wanted]
    changed = [row for row in rows if tuple(row.values()) not in there]
    if changed:
        Upsert(MEANINGS, names, connection.dialect).write(connection, changed)


# The page of the docs ---------------------------------------------------------------------------

ABOUT_RESULTS = """# Results: tables, views, columns

What a crawl leaves behind: `NAME.db`, a SQLite file, or the database of `FOCUSCRAWL_RESULTS` (PostgreSQL, MySQL).
Names and meanings are an interface; a new version adds tables and columns, and takes none away. All of this stands
in the database, too: `SELECT * FROM columns`. `make columns` prints this page.

- Times are UTC: `2026-11-20T01:30:00.000Z`, which sorts as text; in PostgreSQL `timestamptz`. Views show the
  topic's own time.
- Keys are MD5 in 32 hexadecimal digits. In every key the topic comes first, so that topics may share a database.
- JSON keeps Chinese as it is: `hits LIKE '%食品%'` finds it; in SQLite `json_extract` reads it.
- **New** is what was found later than the baseline, `known` = false. What stood there when the topic, or a source
  of it, was read for the first time is known, and so is what only a changed template admits; it is news only when it
  says to be younger than that reading. Nothing in `changes` calls new what is known.
- SQLite's file may be read while the crawl goes on: `sqlite3 'file:NAME.db?mode=ro'`.
"""

ABOUT_VIEWS = """
# Views

For people, in SQLite and PostgreSQL; made anew at each start, since the template's fields and zone may be others.
"""


def page_of_results(tables: Iterable[Table], views: Mapping[str, View]) -> str:
    """Return docs/results.md."""
    lines = [ABOUT_RESULTS, "# Tables", ""]
    for table in tables:
        lines += [f"## {table.name}", "", table.comment or "", ""]
        lines += ["| column | is | means | unit |", "|---|---|---|---|"]
        lines += [_line(one) for one in table.columns]
        lines.append("")
    lines += [ABOUT_VIEWS.strip(), ""]
    for name, view in views.items():
        lines += [f"## {name}", "", view.about, "", "| column | means | unit |", "|---|---|---|"]
        lines += [f"| {one} | {_cell(said[0])} | {said[1]} |" for one, said in view.columns.items()]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _line(column: Column[object]) -> str:
    name = f"**{column.name}**" if column.primary_key else str(column.name)
    words = " ".join(_type_in_words(column))
    return f"| {name} | {words} | {_cell(column.doc or '')} | {column.info.get(UNIT_INFO, '')} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _type_in_words(column: Column[object]) -> Iterator[str]:
    words = {
        Time: "time",
        Count: "whole number",
        Figure: "number",
        TextColumn: "text",
        LineColumn: "line",
        Boolean: "true or false",
        JSON: "JSON",
        LargeBinary: "bytes",
        String: "key",
    }
    kind = type(column.type)
    yield next((word for known, word in words.items() if issubclass(kind, known)), "whole number")
    if not column.nullable and not column.primary_key:
        yield "(always)"
