"""What a test opens is closed at its end, and a test that leaves a database of SQLite open says so.

Python 3.13 warns of an open database when it collects it, which is in whichever test runs by then. Asked at
the end of each test, every Python names the test and the lines. A plugin of tests/databases.py.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import pytest


class Store(Protocol):
    """What holds something until it gives it back."""

    def release(self) -> object: ...


class Opened(NamedTuple):
    """A database, and where it was opened: lines of the tests and the package, the innermost first."""

    database: sqlite3.Connection
    lines: list[str]

    @property
    def is_open(self) -> bool:
        try:
            _ = self.database.total_changes  # the one question that every thread may ask
        except sqlite3.ProgrammingError:
            return False
        return True


_S = TypeVar("_S", bound=Store)

PROJECT = f"{Path(__file__).parents[1]}/"
OURS = tuple(f"{PROJECT}{name}/" for name in ("focuscrawl", "tests", "benchmarks"))

FAILED = pytest.StashKey[bool]()

_connect = sqlite3.connect
_opened: list[Opened] = []
_to_close = ExitStack()


@wraps(_connect)
def _noted(*place: Any, **options: Any) -> sqlite3.Connection:
    database = _connect(*place, **options)
    frame = sys._getframe(1)
    lines: list[str] = []
    while frame:
        if (name := frame.f_code.co_filename).startswith(OURS):
            lines.append(f"{name.removeprefix(PROJECT)}:{frame.f_lineno}")
        frame = frame.f_back  # type: ignore[assignment]  # of the outermost it is None
    _opened.append(Opened(database, lines))
    return database


sqlite3.connect = sqlite3.dbapi2.connect = _noted  # type: ignore[assignment]  # SQLAlchemy takes the second


def closed_at_end(store: _S) -> _S:
    """Return a store that is released when the test ends, however it ends and whatever it did with it."""
    _to_close.callback(store.release)
    return store


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Note which tests fail: they do not come to their last lines, which may be those that close."""
    try:
        return (yield)
    except BaseException:
        item.stash[FAILED] = True
        raise


@pytest.fixture(autouse=True)
def _all_is_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Release what is to be closed at the end; then no database of the test may be open. Fixtures of several tests
    begin before, and theirs may."""
    _opened.clear()
    yield
    _to_close.close()
    left = [one for one in _opened if one.is_open]
    for one in left:
        with suppress(sqlite3.ProgrammingError):  # only the thread that opened it may close it
            one.database.close()
    _opened.clear()
    if left and not request.node.stash.get(FAILED, False):
        lines = "\n".join(" < ".join(one.lines) for one in left)
        pytest.fail(f"databases were left open, which were opened in\n{lines}", pytrace=False)
