"""Opens the results database: connects, makes what is missing, refuses what is newer or not ours."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import (
    BigInteger,
    Connection,
    Engine,
    MetaData,
    Table,
    create_engine,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
    update,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from focuscrawl.results.columns import (
    LARGEST_SMALL,
    MYSQL,
    TABLE_OPTIONS,
    Count,
    LineColumn,
    json_text,
    key_column,
    must,
    time_text,
)
from focuscrawl.results.errors import OF_DRIVERS, UNFIT, ResultsError, Unfit, explained
from focuscrawl.results.file import check_file
from focuscrawl.results.views import view_statements, zone_of_views
from focuscrawl.store.sqlite_file import open_read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlalchemy import URL, Column

    from focuscrawl.results.kind import Kinds
    from focuscrawl.results.views import Fields

_T = TypeVar("_T")

logger = logging.getLogger(__name__)

_EXAMPLES = (
    "write for example postgresql+psycopg://user:password@host/database,"
    " mysql+pymysql://user:password@host/database or sqlite:////folder/results.db"
)
EXTRAS = {"postgresql": "focuscrawl[postgresql]", "mysql": "focuscrawl[mysql]"}
SCHEMA_VERSION = 1
"""Kept as ``schema`` in the table meta; a new version only adds tables and columns."""

META = Table(
    "meta",
    MetaData(),
    key_column("name", LineColumn(40)),
    must("value", LineColumn(200)),
    comment="Version and facts of this database.",
    **TABLE_OPTIONS,
)

SCHEMA_LOCK = 6_278_301_114
"""PostgreSQL's advisory lock under which topics that start together make the tables."""


def connect(place: str | Path, *, synchronous: str, busy_timeout: float) -> Engine:
    """Return an engine for a results URL, or for the path of a SQLite file.

    ``busy_timeout`` (seconds) is how long a write waits for another program. Nothing is opened
    yet, but a SQLite file is looked at first. Raises ResultsError.
    """
    url = _url(place)
    backend = url.get_backend_name()
    if backend not in {"sqlite", "postgresql", *MYSQL}:
        raise ResultsError(f"FOCUSCRAWL_RESULTS = {_shown(url)!r}: no such database; {_EXAMPLES}")
    if backend in MYSQL:
        url = url.update_query_dict({"charset": "utf8mb4"})
    if backend == "sqlite":
        if not url.database or url.database == ":memory:":
            raise ResultsError(f"FOCUSCRAWL_RESULTS = {_shown(url)!r}: name a file; {_EXAMPLES}")
        check_file(Path(url.database).absolute())
    try:
        engine = create_engine(url, json_serializer=json_text, pool_size=1, pool_recycle=1800)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        extra = EXTRAS.get(backend.replace("mariadb", "mysql"), "its driver")
        raise ResultsError(
            f"FOCUSCRAWL_RESULTS = {_shown(url)!r}: the driver is missing ({error}):"
            f' install it with pip install "{extra}"'
        ) from error
    if backend == "sqlite":
        _prepare_sqlite(engine, synchronous, busy_timeout)
    elif backend == "postgresql":
        _prepare_postgresql(engine, busy_timeout)
    return engine


def _url(place: str | Path) -> URL:
    if isinstance(place, Path):
        return make_url("sqlite://").set(database=str(place.absolute()))
    try:
        return make_url(place)
    except ArgumentError as error:
        # the text may hold a password, so it is not repeated
        raise ResultsError(f"FOCUSCRAWL_RESULTS is no database URL; {_EXAMPLES}") from error


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


def place_of(engine: Engine) -> str:
    """Return where the results are, for people: a file's path, or the URL without password."""
    if engine.dialect.name == "sqlite" and engine.url.database:
        return str(Path(engine.url.database).absolute())
    return _shown(engine.url)


def _prepare_sqlite(engine: Engine, synchronous: str, busy_timeout: float) -> None:
    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # BEGIN is ours, below
        connection.execute(f"PRAGMA busy_timeout = {round(busy_timeout * 1000)}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        # a transaction that reads first and writes later would fail at once when another writes
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _prepare_postgresql(engine: Engine, busy_timeout: float) -> None:
    """Wait for the locks of others no longer than for a file: else a person's forgotten transaction
    holds a crawl up for ever, and what it finds meanwhile grows in memory."""

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        before, connection.autocommit = connection.autocommit, True  # a rollback would undo it
        cursor = connection.cursor()
        cursor.execute(f"SET lock_timeout = {round(busy_timeout * 1000)}")
        cursor.close()
        connection.autocommit = before


@contextmanager
def explaining(place: str) -> Iterator[None]:
    """Turn what the driver raises into a ResultsError about ``place``."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise explained(error, place) from error
    except OF_DRIVERS as error:
        raise Unfit(f"results in {place}: {UNFIT} ({error})") from error


@contextmanager
def results_to_read(place: str | Path) -> Iterator[Connection]:
    """Open results as they are at one moment, for reading only; ``place`` as for Results.open.

    Raises ResultsError.
    """
    if isinstance(place, Path):
        engine = create_engine("sqlite://", creator=lambda: open_read_only(place))
        shown = str(place)
    else:
        engine = connect(place, synchronous="NORMAL", busy_timeout=30.0)
        shown = place_of(engine)
        if engine.dialect.name == "sqlite" and engine.url.database:
            with results_to_read(Path(engine.url.database).absolute()) as connection:
                yield connection
            return
    try:
        with explaining(shown), engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")  # one moment, as the driver would not see to
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection
    finally:
        engine.dispose()


class Transactions:
    """Does work, each piece in a transaction of its own; ``place`` says for people where."""

    def __init__(self, engine: Engine) -> None:
        self.place = place_of(engine)
        self._engine = engine

    def __call__(self, work: Callable[[Connection], _T]) -> _T:
        """Do ``work`` in one transaction, once more when the server had closed the connection.

        Raises ResultsError.
        """
        with explaining(self.place):
            try:
                with self._engine.begin() as connection:
                    return work(connection)
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            with self._engine.begin() as connection:
                return work(connection)


def make_ready(engine: Engine, kinds: Kinds, *, now: float, timezone: str, records: Fields) -> None:
    """Make missing tables, columns, indexes and the views, in one transaction where possible.

    Raises ResultsError when a newer focuscrawl wrote the database, or tables of these names are
    somebody else's; then nothing is changed.
    """
    place = place_of(engine)
    with explaining(place), engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")
        existing = set(inspect(connection).get_table_names())
        tables = {META.name: META, **kinds.tables}
        version = _version(connection, existing, tables, place)
        if version > SCHEMA_VERSION:
            raise ResultsError(
                f"results in {place}: written by a newer focuscrawl (schema {version}, this one"
                f" knows {SCHEMA_VERSION}): update focuscrawl, or name another database"
            )
        META.create(connection, checkfirst=True)
        if version == 0:
            put_meta(connection, "schema", str(SCHEMA_VERSION))
            put_meta(connection, "created", time_text(now))
        for name, one in kinds.tables.items():
            if name not in existing:
                one.create(connection)
        _add_missing(connection, tables, existing)
        if engine.dialect.name != "sqlite":  # whose integers have 64 bits in every column
            _widen(connection, tables, existing)
        if 0 < version < SCHEMA_VERSION:
            put_meta(connection, "schema", str(SCHEMA_VERSION))
        for statement in view_statements(kinds, engine.dialect.name, timezone, now, records):
            connection.exec_driver_sql(statement)
        zone = zone_of_views(engine.dialect.name, timezone, now)
        put_meta(connection, "time_zone_of_views", zone)


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
            f"results in {place}: the tables {', '.join(ours)} there are not focuscrawl's (nothing"
            " was changed): name another database in FOCUSCRAWL_RESULTS"
        )
    return int(text)


def put_meta(connection: Connection, name: str, value: str) -> None:
    """Set one fact of the table meta."""
    changed = connection.execute(update(META).where(META.c.name == name).values(value=value))
    if changed.rowcount == 0:
        connection.execute(insert(META).values(name=name, value=value))


def _add_missing(connection: Connection, tables: Mapping[str, Table], existing: set[str]) -> None:
    looked_at = inspect(connection)
    quote = connection.dialect.identifier_preparer.quote
    for table in tables.values():
        if table.name not in existing:
            continue
        there = {column["name"] for column in looked_at.get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                connection.exec_driver_sql(
                    f"ALTER TABLE {quote(table.name)} ADD COLUMN {_definition(connection, column)}"
                )
        indexes = {index["name"] for index in looked_at.get_indexes(table.name)}
        for index in table.indexes:
            if index.name not in indexes:
                index.create(connection)


def _widen(connection: Connection, tables: Mapping[str, Table], existing: set[str]) -> None:
    """Let columns of earlier databases hold what pages count: they were made as INTEGER.

    One that a view of somebody's stands on stays: what does not fit into it is left out then.
    """
    looked_at = inspect(connection)
    prepare = connection.dialect.identifier_preparer
    for name in sorted(existing & tables.keys()):
        there = {column["name"]: column["type"] for column in looked_at.get_columns(name)}
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
