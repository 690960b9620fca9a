"""Connects to the results: a SQLite file that is looked at first, or a server; reading.

A file that is not ours is neither changed nor deleted.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
    StatementError,
)

from focuscrawl.locale.messages import N_, _
from focuscrawl.stores.results.columns import MYSQL, json_text
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.stores.state.sqlite_file import open_read_only

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import URL


# Errors of a database, with what the user can do -----------------------------------------------

LONGEST_SAID = 1_000
"""Characters of a driver's message that are shown: it may repeat all it was to write."""


class ResultsError(StoreError):
    """The results cannot be read or written; the message says what, where and what to do."""


class Unfit(ResultsError):
    """A value, not the database, is why something cannot be written."""


SQLITE_ADVICE: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: N_("the disk is full: free some space and start again, nothing is lost"),
    sqlite3.SQLITE_BUSY: N_(
        "another program has it locked: close what writes to it (readers should open it with"
        " mode=ro) and start again"
    ),
    sqlite3.SQLITE_LOCKED: N_("another program has it locked: close it and start again"),
    sqlite3.SQLITE_READONLY: N_(
        "it may not be written: change the owner or the rights of the file and its folder"
    ),
    sqlite3.SQLITE_CANTOPEN: N_(
        "it cannot be opened: check that its folder exists and may be written"
    ),
    sqlite3.SQLITE_PERM: N_("it may not be opened: change the owner or the rights of the file"),
    sqlite3.SQLITE_IOERR: N_(
        "the disk failed while reading or writing: check the disk and its space"
    ),
    sqlite3.SQLITE_CORRUPT: N_(
        "the file is damaged: copy it away, try `sqlite3 FILE .recover`, or move it aside to"
        " begin a new one"
    ),
    sqlite3.SQLITE_NOTADB: N_("the file is no SQLite database: move it away or name another one"),
}
"""What to do, by SQLite's primary result code."""

POSTGRESQL_ADVICE: Mapping[str, str] = {
    "53100": N_("the server's disk is full: free some space there and start again"),
    "53300": N_("the server has no connection left: raise max_connections or close some"),
    "42501": "the user may not do this: GRANT CREATE, SELECT, INSERT, UPDATE, DELETE to it",
    "28": N_("the server refuses the login: check user and password in FOCUSCRAWL_RESULTS"),
    "3D000": N_("there is no such database: create it with `createdb NAME`"),
    "08": N_("the server does not answer: check host, port and that it runs"),
    "57": N_("the server is shutting down or starting: start again when it runs"),
    "55P03": N_("a table is locked by another program: end it and start again"),
    "40": N_("two writers blocked each other: start again"),
}
"""What to do, by PostgreSQL's SQLSTATE or its first two characters."""

MYSQL_ADVICE: Mapping[int, str] = {
    1044: N_("the user may not use this database: GRANT the rights on it"),
    1045: N_("the server refuses the login: check user and password in FOCUSCRAWL_RESULTS"),
    1049: "there is no such database: create it with CREATE DATABASE",
    1114: N_("a table or the server's disk is full: free some space there and start again"),
    1205: N_("a row is locked by another program: end it and start again"),
    2002: N_("the server does not answer: check host, port and that it runs"),
    2003: N_("the server does not answer: check host, port and that it runs"),
}
"""What to do, by MySQL's error number."""

UNFIT = N_("a value does not fit into its column")

UNFIT_IN_WORDS = ("binding parameter", "cannot adapt type", "can not be used with mysql")
"""What sqlite3, psycopg and PyMySQL (of NaN and infinity) say of a value before a database has seen it."""

OF_DRIVERS = (OverflowError, UnicodeError)
"""What a driver raises by itself for a value it cannot hand on."""

UNFIT_IN_POSTGRESQL = ("22", "23", "54", "42804")
"""How the SQLSTATE begins of what a value is to blame for: data, a constraint, a limit of the server
(an index row, the depth of JSON), a type."""

UNFIT_IN_MYSQL = frozenset(
    {1048, 1118, 1139, 1153, 1264, 1265, 1292, 1366, 1406, 1411, 4025, *range(3140, 3161)}
)
"""Numbers of the same in MySQL, some of which come as OperationalError; the last ones are of JSON, and so is 4025
in MariaDB, which takes none that is nested too deeply."""

_UNKNOWN = N_("see the message of the database")


def explained(error: SQLAlchemyError | sqlite3.Error, place: str) -> ResultsError:
    """Return the error to raise for a driver's error about the database at ``place``."""
    original = getattr(error, "orig", None) or error
    said = " ".join(str(original).split())[:LONGEST_SAID] or type(original).__name__
    if is_unfit(error):
        return Unfit(f"results in {place}: {_(UNFIT)} ({said})")
    return ResultsError(
        _("results in {place}: {advice} ({said})").format(
            place=place, advice=advice(original), said=said
        )
    )


def is_unfit(error: SQLAlchemyError | sqlite3.Error) -> bool:
    """Whether a value is to blame for an error, so that without its row the rest can be written."""
    if isinstance(error, DataError | IntegrityError):
        return True
    original = getattr(error, "orig", None) or error
    number = original.args[0] if original.args else None
    if isinstance(number, int):  # MySQL's, which PyMySQL 1.2 tells with a SQLSTATE
        return number in UNFIT_IN_MYSQL
    state = getattr(original, "sqlstate", None)
    if isinstance(state, str):
        return state.startswith(UNFIT_IN_POSTGRESQL)
    if any(words in str(original).lower() for words in UNFIT_IN_WORDS):
        return True
    return isinstance(error, StatementError) and isinstance(
        original, TypeError | ValueError | ArithmeticError
    )


def advice(original: BaseException) -> str:
    """Say what to do about a driver's exception."""
    code = getattr(original, "sqlite_errorcode", None)
    if code is not None:
        return _(SQLITE_ADVICE.get(code & 0xFF, _UNKNOWN))
    number = original.args[0] if original.args else None
    if isinstance(number, int):  # MySQL's, which PyMySQL 1.2 tells with a SQLSTATE
        return _(MYSQL_ADVICE.get(number, _UNKNOWN))
    state = getattr(original, "sqlstate", None)
    if state is not None:
        return _(POSTGRESQL_ADVICE.get(state) or POSTGRESQL_ADVICE.get(state[:2], _UNKNOWN))
    return _(_advice_by_words(str(original).lower()))


def _advice_by_words(said: str) -> str:
    """A connection that never came about has no code, only words."""
    if "authentication failed" in said:
        return POSTGRESQL_ADVICE["28"]
    if "database" in said and "does not exist" in said:
        return POSTGRESQL_ADVICE["3D000"]
    if "connect" in said:
        return POSTGRESQL_ADVICE["08"]
    return _UNKNOWN


# Connecting ------------------------------------------------------------------------------------

_T = TypeVar("_T")

LIMITS_IN_POSTGRESQL = {
    "connect_timeout": 10,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""How soon a connection is given up whose other end says nothing, as when a cable is pulled: by itself the system
takes two hours. The last is in milliseconds."""

_ADDRESS_EXAMPLES = N_(
    "write for example postgresql+psycopg://user:password@host/database,"
    " mysql+pymysql://user:password@host/database or sqlite:////folder/results.db"
)
EXTRAS = {"postgresql": "focuscrawl[postgresql]", "mysql": "focuscrawl[mysql]"}
AT_A_TIME = 200  # keys of one query; SQLite took 999 values in one before 3.32

MAGIC = b"SQLite format 3\x00"
_HEADER = 100  # bytes of the header of a SQLite file

NETWORK = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre",
        "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs", "fuse.davfs",
        "davfs", "vboxsf", "drvfs",
    }
)  # fmt: skip
"""File systems whose locks SQLite cannot trust (rule 10)."""

MOUNTS = Path("/proc/self/mountinfo")


def connect(place: str | Path, *, synchronous: str, busy_timeout: float) -> Engine:
    """Return an engine for a results URL, or for the path of a SQLite file.

    ``busy_timeout`` (seconds) is how long a write waits for another program. Nothing is opened
    yet, but a SQLite file is looked at first. Raises ResultsError.
    """
    url = _url(place)
    backend = url.get_backend_name()
    if backend not in {"sqlite", "postgresql", *MYSQL}:
        raise ResultsError(
            _("FOCUSCRAWL_RESULTS = {shown!r}: no such database; {examples}").format(
                shown=_shown(url), examples=_(_ADDRESS_EXAMPLES)
            )
        )
    if backend in MYSQL:
        url = url.update_query_dict({"charset": "utf8mb4"})
    if backend == "sqlite":
        if not url.database or url.database == ":memory:":
            raise ResultsError(
                _("FOCUSCRAWL_RESULTS = {shown!r}: name a file; {examples}").format(
                    shown=_shown(url), examples=_(_ADDRESS_EXAMPLES)
                )
            )
        check_file(Path(url.database).absolute())
    limits = LIMITS_IN_POSTGRESQL if url.drivername.startswith("postgresql+psycopg") else {}
    limits = {name: limit for name, limit in limits.items() if name not in url.query}
    try:
        engine = create_engine(
            url, json_serializer=json_text, pool_size=1, pool_recycle=1800, connect_args=limits
        )
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        extra = EXTRAS.get(backend.replace("mariadb", "mysql"), "its driver")
        raise ResultsError(
            _(
                "FOCUSCRAWL_RESULTS = {shown!r}: the driver is missing ({error}): install it with"
                ' pip install "{extra}"'
            ).format(shown=_shown(url), error=error, extra=extra)
        ) from error
    if backend == "sqlite":
        _prepare_sqlite(engine, synchronous, busy_timeout)
    elif backend == "postgresql":
        _prepare_postgresql(engine, busy_timeout)
    else:
        _prepare_mysql(engine, busy_timeout)
    return engine


def _url(place: str | Path) -> URL:
    if isinstance(place, Path):
        return make_url("sqlite://").set(database=str(place.absolute()))
    try:
        return make_url(place)
    except ArgumentError as error:
        # the text may hold a password, so it is not repeated
        raise ResultsError(
            _("FOCUSCRAWL_RESULTS is no database URL; {examples}").format(
                examples=_(_ADDRESS_EXAMPLES)
            )
        ) from error


def file_of(place: str | Path) -> Path | None:
    """Return the file that a place of results names, whichever way it is written; None: it is a server, or no
    place at all, which ``connect`` reports."""
    try:
        url = _url(place)
    except ResultsError:
        return None
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database)).absolute()


def missing_file(place: str | Path) -> Path | None:
    """Return the file in which results should be and that is not there yet; None: there are some, or a server
    says itself what it has. An empty one, as of a killed `cp` or a `touch`, is none."""
    file = file_of(place)
    return file if file and not (file.exists() and file.stat().st_size) else None


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)


ONLY_LOOKS = "looks"
"""The option of a connection that only reads."""

LOCKED = "locked"
"""The option of a connection to PostgreSQL that begins with a lock: its number."""


def place_of(engine: Engine) -> str:
    """Return where the results are, for people: a file's path, or the URL without password."""
    if engine.dialect.name == "sqlite" and engine.url.database:
        return str(Path(engine.url.database).absolute())
    return _shown(engine.url)


def file_number(engine: Engine) -> tuple[int, int] | None:
    """Return what tells the file of the results from another one in its place; None: there is none."""
    if engine.dialect.name != "sqlite" or not engine.url.database:
        return None
    try:
        found = Path(engine.url.database).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare_sqlite(engine: Engine, synchronous: str, busy_timeout: float) -> None:
    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # BEGIN is ours, below
        connection.execute(f"PRAGMA busy_timeout = {round(busy_timeout * 1000)}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        # A transaction that reads first and writes later would fail at once when another writes. What only looks
        # need not wait for writers: workers of one machine looked for copies behind each other's windows.
        looks = connection.get_execution_options().get(ONLY_LOOKS)
        connection.exec_driver_sql("BEGIN" if looks else "BEGIN IMMEDIATE")


def _prepare_postgresql(engine: Engine, busy_timeout: float) -> None:
    """Wait for the locks of others no longer than for a file: else a person's forgotten transaction
    holds a crawl up for ever, and what it finds meanwhile grows in memory. Begin with a lock where one is wanted:
    by itself the driver asks for the one and then for the other.
    """

    # It warns of each connection that was lost, besides what it raises.
    logging.getLogger("psycopg").setLevel(logging.ERROR)

    begins_itself = engine.driver != "psycopg"  # others commit nothing that they have not begun

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        before, connection.autocommit = connection.autocommit, True  # a rollback would undo it
        cursor = connection.cursor()
        cursor.execute(f"SET lock_timeout = {round(busy_timeout * 1000)}")
        cursor.close()
        if begins_itself:
            connection.autocommit = before

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        # Not where the driver begins, as it does at a level of isolation that was asked for.
        driver: Any = connection.connection
        statements = ["BEGIN"] if driver.autocommit else []
        number = connection.get_execution_options().get(LOCKED)
        if number is not None:
            # A statement by itself, so that the next one sees what was written before it got the lock.
            statements.append(f"SELECT pg_advisory_xact_lock({number:d})")
        if statements:
            connection.exec_driver_sql("; ".join(statements))


LARGEST_OF_CHARACTER = 8
"""Bytes that a character takes at most in a statement of MySQL: four, each of which may be escaped."""


def _prepare_mysql(engine: Engine, busy_timeout: float) -> None:
    """Wait for the locks of others no longer than for a file, and refuse rows that are too large before they
    are sent: the server hangs up in the midst of them, as if it were away (MariaDB 10.11, error 2006).
    """

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, record: Any) -> None:
        cursor = connection.cursor()
        # Of the session, so that no rollback undoes it; seconds, and one at least.
        cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {max(1, round(busy_timeout))}")
        cursor.execute("SELECT @@max_allowed_packet")
        record.info["largest"] = int(cursor.fetchone()[0])
        cursor.close()

    @event.listens_for(engine, "before_cursor_execute")
    def _on_execute(
        connection: Connection, cursor: Any, sql: str, values: Any, _context: Any, many: bool
    ) -> None:
        largest = connection.connection.info["largest"]
        for row in values if many else (values,):
            if _could_be_larger(sql, row, largest):
                size = len(cursor.mogrify(sql, row).encode("utf-8", "surrogatepass"))
                if size >= largest:
                    raise Unfit(
                        f"{_(UNFIT)}: {size:,} bytes are more than the server takes at once"
                        f" (max_allowed_packet = {largest:,}; raise it there)"
                    )


def _could_be_larger(sql: str, row: Any, largest: int) -> bool:
    values = row.values() if isinstance(row, dict) else row or ()
    long = sum(len(value) for value in values if isinstance(value, str | bytes))
    return (len(sql) + long) * LARGEST_OF_CHARACTER >= largest


@contextmanager
def explaining(place: str) -> Iterator[None]:
    """Turn what the driver raises into a ResultsError about ``place``."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise explained(error, place) from error
    except OF_DRIVERS as error:
        raise Unfit(f"results in {place}: {_(UNFIT)} ({error})") from error


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


@contextmanager
def results_transaction(place: str | Path, *, synchronous: str = "FULL") -> Iterator[Connection]:
    """Open results for one transaction beside whatever a crawl does; ``place`` as for Results.open.

    Raises ResultsError.
    """
    engine = connect(place, synchronous=synchronous, busy_timeout=30.0)
    try:
        with explaining(place_of(engine)), engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def parts_of(keys: Sequence[_T], size: int = AT_A_TIME) -> Iterator[Sequence[_T]]:
    """Go through keys a query at a time."""
    return (keys[start : start + size] for start in range(0, len(keys), size))


# The file of a SQLite database -----------------------------------------------------------------


def check_file(path: Path) -> None:
    """Make the folder of a results file and refuse what cannot or must not be written.

    Raises ResultsError: the folder cannot be made, lies on a network, or the file there is
    truncated, no SQLite file, or another program's. Such a file is neither changed nor deleted.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size if path.exists() else 0
        mounts = MOUNTS.read_text(errors="replace") if MOUNTS.exists() else ""
    except OSError as error:
        raise ResultsError(
            _(
                "results in {path}: the folder cannot be used ({reason}): set FOCUSCRAWL_DATA_DIR to"
                " a folder that may be written"
            ).format(path=path, reason=error.strerror)
        ) from error
    kind = network_kind(path.resolve(), mounts)
    if kind:
        raise ResultsError(
            _(
                "results in {path}: the folder lies on a network ({kind}), where SQLite loses data:"
                " set FOCUSCRAWL_DATA_DIR to a local disk, or FOCUSCRAWL_RESULTS to"
                " postgresql+psycopg://user:password@host/database"
            ).format(path=path, kind=kind)
        )
    if size:
        _check_header(path, size)
        _check_tables(path)


def network_kind(path: Path, mounts: str) -> str:
    """Return the network file system ``path`` lies on, "" when it is local.

    ``mounts`` is the text of /proc/self/mountinfo, where the last and longest mount point wins.
    """
    longest, kind = -1, ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = Path(_unescape(fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= longest:
            longest, kind = len(point.parts), right.split(" ")[0]
    return kind if kind in NETWORK else ""


def _unescape(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def _check_header(path: Path, size: int) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise ResultsError(
            _(
                "results in {path}: the file cannot be read ({reason}): change its owner or rights,"
                " or move it away"
            ).format(path=path, reason=error.strerror)
        ) from error
    if not header.startswith(MAGIC):
        raise ResultsError(
            _(
                "results in {path}: the file is no SQLite database (nothing was changed): move it"
                " away, or set FOCUSCRAWL_DATA_DIR to another folder"
            ).format(path=path)
        )
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    pages_counted = header[24:28] == header[92:96]
    log = _beside(path, "-wal")
    unwritten = log.exists() and log.stat().st_size > 0
    if len(header) < _HEADER or (pages_counted and not unwritten and pages * page_size > size):
        raise ResultsError(
            _(
                "results in {path}: the file is truncated, {size} of {whole} bytes are there"
                " (nothing was changed): restore it from a copy, or move it away and a new one is"
                " begun"
            ).format(path=path, size=size, whole=pages * page_size)
        )


def _check_tables(path: Path) -> None:
    """Refuse a database that holds tables but not our ``meta``; reads without touching the file."""
    still = "" if _beside(path, "-wal").exists() else "&immutable=1"
    database = sqlite3.connect(f"file:{quote(str(path))}?mode=ro{still}", uri=True)
    try:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        ours = not tables or (
            "meta" in tables
            and database.execute("SELECT 1 FROM meta WHERE name = 'schema'").fetchone() is not None
        )
    except sqlite3.OperationalError as error:
        if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_ERROR:
            raise explained(error, str(path)) from error
        ours = False  # a table meta with other columns
    except sqlite3.Error as error:
        raise explained(error, str(path)) from error
    finally:
        database.close()
    if not ours:
        raise ResultsError(
            _(
                "results in {path}: the file is a SQLite database of another program (nothing was"
                " changed): move it away, or set FOCUSCRAWL_DATA_DIR to another folder"
            ).format(path=path)
        )


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
