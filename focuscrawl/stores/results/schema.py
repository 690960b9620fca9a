"""Makes what is missing of tables, columns, indexes and views; refuses what is newer or not ours.

A kind of rows gives the text of each view behind ``CREATE VIEW name AS``; views are made anew at each start
(SQLite and PostgreSQL). In it ``{local:column}`` is a time of the topic's zone, ``{words:column}`` the words
of a column of hits; ``{midnight}``,
``{yesterday}``, ``{two_days_ago}`` and ``{week_ago}`` are moments, ``{false}`` is a truth value.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from sqlalchemy import (
    BigInteger,
    Connection,
    Engine,
    MetaData,
    Table,
    create_mock_engine,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateColumn

from focuscrawl.locale.messages import _
from focuscrawl.stores.results.columns import (
    LARGEST_SMALL,
    MYSQL,
    TABLE_OPTIONS,
    Count,
    LineColumn,
    key_column,
    must,
    time_text,
)
from focuscrawl.stores.results.database import ResultsError, explaining, place_of
from focuscrawl.stores.results.meanings import (
    MEANINGS,
    descriptions,
    explain_columns,
    page_of_results,
)

if TYPE_CHECKING:
    from sqlalchemy import Column
    from sqlalchemy.engine import Dialect

    from focuscrawl.stores.results.kind import Kinds

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 3
"""Kept as ``schema`` in the table meta. A new version adds tables and columns, or columns to a key: 2 has the
worker in that of series, by which earlier ones could not write any more; 3 has what is known (baseline)."""

META = Table(
    "meta",
    MetaData(),
    key_column("name", LineColumn(40), "The name of a fact: schema, created, time_zone_of_views."),
    must("value", LineColumn(200), "The fact."),
    comment="Version and facts of this database.",
    **TABLE_OPTIONS,
)

SCHEMA_LOCK = 6_278_301_114
"""PostgreSQL's advisory lock under which topics that start together make the tables."""


def make_ready(engine: Engine, kinds: Kinds, *, now: float, timezone: str, records: Fields) -> None:
    """Make missing tables, columns, indexes and the views, in one transaction where possible.

    Raises ResultsError when a newer focuscrawl wrote the database, or tables of these names are
    another program's; then nothing is changed.
    """
    place = place_of(engine)
    with explaining(place), engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")
        existing = set(inspect(connection).get_table_names())
        tables = {META.name: META, MEANINGS.name: MEANINGS, **kinds.tables}
        version = _version(connection, existing, tables, place)
        if version > SCHEMA_VERSION:
            raise ResultsError(
                _(
                    "results in {place}: written by a newer focuscrawl (schema {version}, this one knows"
                    " {known}): update focuscrawl, or name another database"
                ).format(place=place, version=version, known=SCHEMA_VERSION)
            )
        add_tables(connection, {META.name: META})  # it says whose the others are
        if version == 0:
            put_meta(connection, "schema", str(SCHEMA_VERSION))
            put_meta(connection, "created", time_text(now))
        add_tables(connection, {name: one for name, one in tables.items() if one is not META})
        if 0 < version < SCHEMA_VERSION:
            put_meta(connection, "schema", str(SCHEMA_VERSION))
        views = views_of(kinds, engine.dialect.name, timezone, now, records)
        make_views(connection, views)
        explain_columns(connection, descriptions(tables.values(), views))
        zone = zone_of_views(engine.dialect.name, timezone, now)
        put_meta(connection, "time_zone_of_views", zone)


def statements_of(table: Table, dialect: Dialect) -> Sequence[str]:
    """Return what makes a table: itself, then its indexes and comments.

    It is compiled once a process: the statements of all tables took 20 ms of each opening.
    """
    key = f"statements in {dialect.name}"
    if key not in table.info:
        texts: list[str] = []

        def note(statement: Any, *values: Any) -> None:
            texts.append(str(statement.compile(dialect=dialect)).strip())

        table.create(
            create_mock_engine(f"{dialect.name}+{dialect.driver}://", note), checkfirst=False
        )
        table.info[key] = texts
    made: Sequence[str] = table.info[key]
    return made


def add_tables(connection: Connection, tables: Mapping[str, Table]) -> None:
    """Make what is missing of tables: themselves, columns, columns of keys, indexes."""
    dialect = connection.dialect
    texts = _texts_in_sqlite(connection) if dialect.name == "sqlite" else {}
    existing = set(texts or inspect(connection).get_table_names())
    statements = {name: statements_of(one, dialect) for name, one in tables.items()}
    _run(connection, [text for name in tables if name not in existing for text in statements[name]])
    others = {
        name: table
        for name, table in tables.items()
        if name in existing
        and not (
            texts.get(name) == statements[name][0]
            and all(index.name in texts for index in table.indexes)
        )
    }
    if not others:
        return
    _add_missing(connection, others)
    _widen_keys(connection, others)
    if dialect.name != "sqlite":  # whose integers have 64 bits in every column
        _widen(connection, others)


def _texts_in_sqlite(connection: Connection) -> dict[str, str]:
    """Return what made each table, index and view: SQLite keeps it word for word."""
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {str(name): str(text) for name, text in rows}


def _run(connection: Connection, statements: Sequence[str]) -> None:
    """Run statements without values; PostgreSQL takes all at once, which saves two hundred round trips."""
    if connection.dialect.name == "postgresql" and statements:
        whole = ";\n".join(statements) % ()  # as the driver would: SQLAlchemy has doubled each %
        connection.exec_driver_sql(whole, execution_options={"no_parameters": True})
        return
    for statement in statements:
        connection.exec_driver_sql(statement)


def _version(
    connection: Connection, existing: set[str], tables: Mapping[str, Table], place: str
) -> int:
    """Return the schema version of the database, 0 when it holds nothing of ours."""
    ours = sorted(existing & tables.keys())
    if not ours:
        return 0
    text = None
    if META.name in existing:
        columns = {column["name"] for column in inspect(connection).get_columns(META.name)}
        if columns >= {"name", "value"}:
            if (
                ours == [META.name]
                and connection.scalar(select(func.count()).select_from(META)) == 0
            ):
                return 0  # a kill came before the other tables: MySQL makes each by itself
            text = connection.scalar(select(META.c.value).where(META.c.name == "schema"))
    if text is None or not text.isdecimal():
        raise ResultsError(
            _(
                "results in {place}: the tables {ours} there are not focuscrawl's (nothing was"
                " changed): name another database in FOCUSCRAWL_RESULTS"
            ).format(place=place, ours=", ".join(ours))
        )
    return int(text)


def put_meta(connection: Connection, name: str, value: str) -> None:
    """Set one fact of the table meta."""
    changed = connection.execute(update(META).where(META.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(insert(META).values(name=name, value=value))


def _add_missing(connection: Connection, tables: Mapping[str, Table]) -> None:
    looked_at = inspect(connection)
    quote = connection.dialect.identifier_preparer.quote
    columns = looked_at.get_multi_columns(filter_names=[*tables])  # one question of a server
    all_indexes = looked_at.get_multi_indexes(filter_names=[*tables])
    for table in tables.values():
        there = {column["name"] for column in columns[None, table.name]}
        for column in table.columns:
            if column.name not in there:
                connection.exec_driver_sql(
                    f"ALTER TABLE {quote(table.name)} ADD COLUMN {_definition(connection, column)}"
                )
        indexes = {index["name"] for index in all_indexes[None, table.name]}
        for index in table.indexes:
            if index.name not in indexes:
                index.create(connection)


def _widen_keys(connection: Connection, tables: Mapping[str, Table]) -> None:
    """Let keys of earlier databases have the columns that have come to them; "" in rows that are there."""
    keys = inspect(connection).get_multi_pk_constraint(filter_names=[*tables])
    quote = connection.dialect.identifier_preparer.quote
    for name in sorted(tables):
        key = keys[None, name]
        before = key["constrained_columns"] if key else []
        wanted = [column.name for column in tables[name].primary_key]
        if not before or not {*before} < {*wanted}:
            continue
        table = tables[name]
        for column in {*wanted} - {*before}:
            empty = table.c[column].is_(None)
            connection.execute(update(table).where(empty).values({column: ""}))
        columns = ", ".join(map(quote, wanted))
        if connection.dialect.name in MYSQL:
            change = f"DROP PRIMARY KEY, ADD PRIMARY KEY ({columns})"
            connection.exec_driver_sql(f"ALTER TABLE {quote(name)} {change}")
        elif connection.dialect.name == "postgresql":
            change = f"DROP CONSTRAINT {quote(str(key['name']))}, ADD PRIMARY KEY ({columns})"
            connection.exec_driver_sql(f"ALTER TABLE {quote(name)} {change}")
        else:
            _make_anew(connection, table)


def _make_anew(connection: Connection, table: Table) -> None:
    """Make a table of SQLite anew, which cannot change a key."""
    columns = ", ".join(f'"{one.name}"' for one in table.columns)
    # Not by renaming: SQLite would look through the views that users have made.
    for statement in (
        f'CREATE TEMP TABLE made_anew AS SELECT {columns} FROM "{table.name}"',  # noqa: S608 - our names
        f'DROP TABLE "{table.name}"',
        statements_of(table, connection.dialect)[0],
        f'INSERT INTO "{table.name}" ({columns}) SELECT {columns} FROM temp.made_anew',  # noqa: S608 - our names
        "DROP TABLE temp.made_anew",
    ):
        connection.exec_driver_sql(statement)
    for index in table.indexes:
        index.create(connection)


def _widen(connection: Connection, tables: Mapping[str, Table]) -> None:
    """Let columns of earlier databases hold what pages count: they were made as INTEGER.

    A column that a user's view stands on stays: what does not fit into it is left out then.
    """
    columns = inspect(connection).get_multi_columns(filter_names=[*tables])
    prepare = connection.dialect.identifier_preparer
    for name in sorted(tables):
        there = {column["name"]: column["type"] for column in columns[None, name]}
        for column in tables[name].columns:
            wanted = column.type
            if not isinstance(wanted, Count) or wanted.most <= LARGEST_SMALL:
                continue
            if isinstance(there.get(column.name), BigInteger):
                continue
            table, quoted = prepare.quote(name), prepare.quote(column.name)
            if connection.dialect.name in MYSQL:
                change = f"MODIFY {CreateColumn(column).compile(dialect=connection.dialect)}"
            else:
                change = f"ALTER COLUMN {quoted} TYPE BIGINT"
            try:
                with connection.begin_nested():
                    connection.exec_driver_sql(f"ALTER TABLE {table} {change}")
            except DBAPIError as error:
                logger.warning("%s.%s cannot be made BIGINT: %s", name, column.name, error.orig)


def _definition(connection: Connection, column: Column[Any]) -> str:
    """Return the column as ALTER TABLE takes it; rows that exist cannot fill a NOT NULL."""
    definition = str(CreateColumn(column).compile(dialect=connection.dialect))
    return definition.removesuffix(" NOT NULL")


# Views -----------------------------------------------------------------------------------------


Fields = Mapping[str, Sequence[str]]
"""The fields of each kind of record."""


LOCAL = "local time"
"""The unit of times in views: the topic's zone, as meta.time_zone_of_views says."""


class View(NamedTuple):
    """A view for people: its ``text``, what it shows, and what its columns mean, each with its unit."""

    text: str
    about: str = ""
    columns: Mapping[str, tuple[str, str]] = MappingProxyType({})


Views = Callable[["ViewWords", Fields], Mapping[str, View]]
"""Gives the views of a kind by their names."""


class ViewWords:
    """How one database says what views are made of. SQLite knows no time zones: its views use the
    offset that ``timezone`` has at ``now``.
    """

    def __init__(self, dialect: str, timezone: str, now: float) -> None:
        self.is_sqlite = dialect == "sqlite"
        if self.is_sqlite:
            self._words = _sqlite_words(offset_minutes(timezone, now))
        else:
            self._words = _postgresql_words(timezone)

    def fill(self, view: str, **more: str) -> str:
        """Return the text of a view with the words of this database."""
        return view.format_map({**self._words, **more})


class _Local:
    """A column as a local time, or as the names in its JSON: ``{local:column}``, ``{words:column}``."""

    def __init__(self, form: str) -> None:
        self._form = form

    def __format__(self, column: str) -> str:
        return self._form.format(column)


def views(**made: View) -> Views:
    """Return what gives these views, by name."""
    return lambda words, _: {
        name: view._replace(text=words.fill(view.text)) for name, view in made.items()
    }


def views_of(
    kinds: Kinds, dialect: str, timezone: str, now: float, records: Fields = MappingProxyType({})
) -> dict[str, View]:
    """Return all views by name; none for a database without them."""
    if dialect not in {"sqlite", "postgresql"}:
        return {}
    words = ViewWords(dialect, timezone, now)
    return {
        name: view
        for kind in kinds
        if kind.views is not None
        for name, view in kind.views(words, records).items()
    }


def make_views(connection: Connection, made: Mapping[str, View]) -> None:
    """Drop views and make them; one that SQLite has word for word stays."""
    texts = _texts_in_sqlite(connection) if connection.dialect.name == "sqlite" else {}
    statements = {name: f"CREATE VIEW {name} AS {view.text}" for name, view in made.items()}
    changed = {name: text for name, text in statements.items() if texts.get(name) != text}
    for statement in (*(f"DROP VIEW IF EXISTS {name}" for name in changed), *changed.values()):
        connection.exec_driver_sql(statement)


def results_page(kinds: Kinds) -> str:
    """Return docs/results.md: what the tables and views of all kinds mean."""
    views = views_of(kinds, "sqlite", "UTC", 0.0, {"NAME": ["FIELD"]})
    return page_of_results([META, MEANINGS, *kinds.tables.values()], views)


def zone_of_views(dialect: str, timezone: str, now: float) -> str:
    """Return what ``meta.time_zone_of_views`` says."""
    if dialect == "sqlite":
        minutes = offset_minutes(timezone, now)
        sign = "-" if minutes < 0 else "+"
        return f"{timezone} (UTC{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02})"
    return timezone if dialect == "postgresql" else "no views"


def offset_minutes(timezone: str, now: float) -> int:
    """Return how many minutes ``timezone`` is ahead of UTC at ``now`` (seconds since 1970)."""
    offset = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(timezone)).utcoffset()
    return 0 if offset is None else round(offset.total_seconds() / 60)


def _sqlite_words(minutes: int) -> dict[str, Any]:
    here, back = f"'{minutes:+d} minutes'", f"'{-minutes:+d} minutes'"
    text = "'%Y-%m-%dT%H:%M:%fZ'"
    return {
        "local": _Local(f"datetime({{}}, {here})"),
        "words": _Local("(SELECT group_concat(key, '、') FROM json_each({}))"),
        "midnight": f"strftime({text}, 'now', {here}, 'start of day', {back})",
        "yesterday": f"strftime({text}, 'now', '-1 day')",
        "two_days_ago": f"strftime({text}, 'now', '-2 days')",
        "week_ago": f"strftime({text}, 'now', '-7 days')",
        "false": "0",
    }


def _postgresql_words(timezone: str) -> dict[str, Any]:
    zone = "'" + timezone.replace("'", "''") + "'"
    return {
        "local": _Local(f"{{}} AT TIME ZONE {zone}"),
        "words": _Local("(SELECT string_agg(one, '、') FROM jsonb_object_keys({}) AS one)"),
        "midnight": f"(date_trunc('day', now() AT TIME ZONE {zone}) AT TIME ZONE {zone})",
        "yesterday": "now() - interval '1 day'",
        "two_days_ago": "now() - interval '2 days'",
        "week_ago": "now() - interval '7 days'",
        "false": "false",
    }
