"""Connects to the results: a SQLite file that is looked at first, or a server; transactions, and reading.

A file that is not ours is neither changed nor deleted.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from focuscrawl.results.columns import MYSQL, json_text
from focuscrawl.results.errors import OF_DRIVERS, UNFIT, ResultsError, Unfit, explained
from focuscrawl.store.sqlite_file import open_read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import URL

_T = TypeVar("_T")

_EXAMPLES = (
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


def parts_of(keys: Sequence[_T], size: int = AT_A_TIME) -> Iterator[Sequence[_T]]:
    """Go through keys a query at a time."""
    return (keys[start : start + size] for start in range(0, len(keys), size))


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


# The file of a SQLite database -----------------------------------------------------------------


def check_file(path: Path) -> None:
    """Make the folder of a results file and refuse what cannot or must not be written.

    Raises ResultsError: the folder cannot be made, lies on a network, or the file there is
    truncated, no SQLite file, or somebody else's. Such a file is neither changed nor deleted.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size if path.exists() else 0
        mounts = MOUNTS.read_text(errors="replace") if MOUNTS.exists() else ""
    except OSError as error:
        raise ResultsError(
            f"results in {path}: the folder cannot be used ({error.strerror}): set"
            " FOCUSCRAWL_DATA_DIR to a folder that may be written"
        ) from error
    kind = network_kind(path.resolve(), mounts)
    if kind:
        raise ResultsError(
            f"results in {path}: the folder lies on a network ({kind}), where SQLite loses data:"
            " set FOCUSCRAWL_DATA_DIR to a local disk, or FOCUSCRAWL_RESULTS to"
            " postgresql+psycopg://user:password@host/database"
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
            f"results in {path}: the file cannot be read ({error.strerror}): change its owner or"
            " rights, or move it away"
        ) from error
    if not header.startswith(MAGIC):
        raise ResultsError(
            f"results in {path}: the file is no SQLite database (nothing was changed): move it"
            " away, or set FOCUSCRAWL_DATA_DIR to another folder"
        )
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    pages_counted = header[24:28] == header[92:96]
    log = _beside(path, "-wal")
    unwritten = log.exists() and log.stat().st_size > 0
    if len(header) < _HEADER or (pages_counted and not unwritten and pages * page_size > size):
        raise ResultsError(
            f"results in {path}: the file is truncated, {size} of {pages * page_size} bytes are"
            " there (nothing was changed): restore it from a copy, or move it away and a new one"
            " is begun"
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
            f"results in {path}: the file is a SQLite database of another program (nothing was"
            " changed): move it away, or set FOCUSCRAWL_DATA_DIR to another folder"
        )


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
