"""What a database says, told so that a person knows what to do."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from sqlalchemy.exc import DataError, IntegrityError, StatementError

from focuscrawl.store.protocol import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.exc import SQLAlchemyError

LONGEST_SAID = 1_000
"""Characters of what a driver says that are told: it may repeat all it was to write."""


class ResultsError(StoreError):
    """The results cannot be read or written; the message says what, where and what to do."""


class Unfit(ResultsError):
    """A value, not the database, is why something cannot be written."""


SQLITE_ADVICE: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space and start again, nothing is lost",
    sqlite3.SQLITE_BUSY: "another program has it locked: close what writes to it (readers should"
    " open it with mode=ro) and start again",
    sqlite3.SQLITE_LOCKED: "another program has it locked: close it and start again",
    sqlite3.SQLITE_READONLY: "it may not be written: change the owner or the rights of the file"
    " and its folder",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: check that its folder exists and may be written",
    sqlite3.SQLITE_PERM: "it may not be opened: change the owner or the rights of the file",
    sqlite3.SQLITE_IOERR: "the disk failed while reading or writing: check the disk and its space",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: copy it away, try `sqlite3 FILE .recover`, or"
    " move it aside to begin a new one",
    sqlite3.SQLITE_NOTADB: "the file is no SQLite database: move it away or name another one",
}
"""What to do, by SQLite's primary result code."""

POSTGRESQL_ADVICE: Mapping[str, str] = {
    "53100": "the server's disk is full: free some space there and start again",
    "53300": "the server has no connection left: raise max_connections or close some",
    "42501": "the user may not do this: GRANT CREATE, SELECT, INSERT, UPDATE, DELETE to it",
    "28": "the server refuses the login: check user and password in FOCUSCRAWL_RESULTS",
    "3D000": "there is no such database: create it with `createdb NAME`",
    "08": "the server does not answer: check host, port and that it runs",
    "57": "the server is shutting down or starting: start again when it runs",
    "55P03": "a table is locked by another program: end it and start again",
    "40": "two writers blocked each other: start again",
}
"""What to do, by PostgreSQL's SQLSTATE or its first two characters."""

MYSQL_ADVICE: Mapping[int, str] = {
    1044: "the user may not use this database: GRANT the rights on it",
    1045: "the server refuses the login: check user and password in FOCUSCRAWL_RESULTS",
    1049: "there is no such database: create it with CREATE DATABASE",
    1114: "a table or the server's disk is full: free some space there and start again",
    1205: "a row is locked by another program: end it and start again",
    2002: "the server does not answer: check host, port and that it runs",
    2003: "the server does not answer: check host, port and that it runs",
}
"""What to do, by MySQL's error number."""

UNFIT = "a value does not fit into its column"

UNFIT_IN_WORDS = ("binding parameter", "cannot adapt type")
"""What sqlite3 and psycopg say of a value before a database has seen it."""

OF_DRIVERS = (OverflowError, UnicodeError)
"""What a driver raises by itself for a value it cannot hand on."""

UNFIT_IN_POSTGRESQL = ("22", "23", "54", "42804")
"""How the SQLSTATE begins of what a value is to blame for: data, a constraint, a limit of the server
(an index row, the depth of JSON), a type."""

UNFIT_IN_MYSQL = frozenset(
    {1048, 1118, 1139, 1153, 1264, 1265, 1292, 1366, 1406, 1411, *range(3140, 3161)}
)
"""Numbers of the same in MySQL, some of which come as OperationalError; the last ones are of JSON."""

_UNKNOWN = "see the message of the database"


def explained(error: SQLAlchemyError | sqlite3.Error, place: str) -> ResultsError:
    """Return the error to raise for what a driver said about the database at ``place``."""
    original = getattr(error, "orig", None) or error
    said = " ".join(str(original).split())[:LONGEST_SAID] or type(original).__name__
    if is_unfit(error):
        return Unfit(f"results in {place}: {UNFIT} ({said})")
    return ResultsError(f"results in {place}: {advice(original)} ({said})")


def is_unfit(error: SQLAlchemyError | sqlite3.Error) -> bool:
    """Whether a value is to blame for an error, so that without its row the rest can be written."""
    if isinstance(error, DataError | IntegrityError):
        return True
    original = getattr(error, "orig", None) or error
    state = getattr(original, "sqlstate", None)
    if isinstance(state, str):
        return state.startswith(UNFIT_IN_POSTGRESQL)
    if any(words in str(original) for words in UNFIT_IN_WORDS):
        return True
    number = original.args[0] if original.args else None
    if isinstance(number, int):
        return number in UNFIT_IN_MYSQL
    return isinstance(error, StatementError) and isinstance(
        original, TypeError | ValueError | ArithmeticError
    )


def advice(original: BaseException) -> str:
    """Say what to do about a driver's exception."""
    code = getattr(original, "sqlite_errorcode", None)
    if code is not None:
        return SQLITE_ADVICE.get(code & 0xFF, _UNKNOWN)
    state = getattr(original, "sqlstate", None)
    if state is not None:
        return POSTGRESQL_ADVICE.get(state) or POSTGRESQL_ADVICE.get(state[:2], _UNKNOWN)
    number = original.args[0] if original.args else None
    if isinstance(number, int):
        return MYSQL_ADVICE.get(number, _UNKNOWN)
    return _advice_by_words(str(original).lower())


def _advice_by_words(said: str) -> str:
    """A connection that never came about has no code, only words."""
    if "authentication failed" in said:
        return POSTGRESQL_ADVICE["28"]
    if "database" in said and "does not exist" in said:
        return POSTGRESQL_ADVICE["3D000"]
    if "connect" in said:
        return POSTGRESQL_ADVICE["08"]
    return _UNKNOWN
