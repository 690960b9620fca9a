"""Tests that tests/test_opened.py runs: some leave a database open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.opened import closed_at_end


@pytest.fixture(scope="module")
def of_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path_factory.mktemp("all") / "x.db")) as database:
        yield database


def test_of_all_first(of_all: sqlite3.Connection) -> None:
    of_all.execute("SELECT 1")


def test_of_all_second(of_all: sqlite3.Connection) -> None:
    of_all.execute("SELECT 1")


def test_closes(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")):
        pass


def test_holds(tmp_path: Path) -> None:
    closed_at_end(SQLiteStore(tmp_path / "x.crawl.db")).own()


def test_fails_before_it_closes(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.db") as database:
        assert database is None


def test_leaves(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "x.db")


def test_owns(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "x.crawl.db").own()
