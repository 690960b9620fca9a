"""Real databases for the results: SQLite files, a PostgreSQL server from its wheel, MariaDB where it is installed.

A plugin of tests/conftest.py: each test that takes a ``database`` runs in each kind of it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from sqlalchemy import URL, Engine, create_engine, text

from focuscrawl.stores.results.columns import json_text
from focuscrawl.stores.results.results import Results
from tests.clock import StandingClock
from tests.kinds import KINDS
from tests.servers.mariadb_server import MariaDBServer, is_installed

pytest_plugins = ["tests.opened"]


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Let results in SQLite share a dialect and the statements that it has compiled.

    By itself each engine compiles them anew, and tests open many: 7 % of the CPU of a day's crawl.
    """
    first = create_engine("sqlite://", json_serializer=json_text)
    with first.connect():  # which makes its dialect ready
        pass
    first.dispose()

    def engine(url: URL, **options: Any) -> Engine:
        made = create_engine(url, **options)
        if made.dialect.name == "sqlite":
            made.dialect, made._compiled_cache = first.dialect, first._compiled_cache
        return made

    with patch("focuscrawl.stores.results.database.create_engine", engine):
        yield


def plain(value: object) -> object:
    """Return what all databases mean by a value."""
    if isinstance(value, datetime):
        return value.timestamp() if value.tzinfo else value.isoformat(" ")
    if isinstance(value, str) and len(value) == 24 and value.endswith("Z"):
        return datetime.fromisoformat(value).timestamp()
    if isinstance(value, str) and value[:1] in {"[", "{"}:
        return json.loads(value)
    return value


@dataclass
class Database:
    """One results database, to open as a crawl does and to look into as a person does."""

    url: str
    clock: StandingClock = field(default_factory=StandingClock)

    @property
    def is_mariadb(self) -> bool:
        """Whether it has no views and no index of words of ours."""
        return self.url.startswith("mysql")

    def open(self, topic: str = "food") -> Results:
        return Results.open(
            self.url, topic, kinds=KINDS, clock=self.clock, timezone="Asia/Shanghai"
        )

    def engine(self) -> Engine:
        return create_engine(self.url)

    def ask(self, question: str, **values: object) -> list[tuple[object, ...]]:
        """Ask as a person does; times come as seconds, JSON as values, in every database."""
        engine = self.engine()
        try:
            with engine.connect() as connection:
                rows = connection.execute(text(question), values).all()
            return [tuple(plain(value) for value in row) for row in rows]
        finally:
            engine.dispose()

    def tell(self, statement: str) -> None:
        engine = self.engine()
        try:
            with engine.begin() as connection:
                connection.execute(text(statement))
        finally:
            engine.dispose()


@pytest.fixture
def sqlite_database(tmp_path: Path) -> Database:
    return Database(f"sqlite:///{tmp_path / 'food.db'}")


@pytest.fixture
def postgresql_database(postgresql_socket: Path) -> Database:
    """A schema of its own, which costs less time than a database."""
    name = f"test_{uuid4().hex}"
    server = f"postgresql+psycopg://crawl@/postgres?host={postgresql_socket}"
    Database(server).tell(f"CREATE SCHEMA {name}")
    return Database(f"{server}&options=-csearch_path%3D{name}")


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDBServer]:
    """A MariaDB of this test process."""
    folder = Path(tempfile.mkdtemp(prefix="mariadb-"))
    server = MariaDBServer(folder)
    try:
        yield server.start()
    finally:
        server.stop(kill=True)
        shutil.rmtree(folder)


@pytest.fixture
def mariadb_database(mariadb_server: MariaDBServer) -> Database:
    """A database of its own."""
    name = f"test_{uuid4().hex}"
    Database(mariadb_server.url_of("")).tell(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    return Database(mariadb_server.url_of(name))


DATABASES = ("sqlite", "postgresql", *(["mariadb"] if is_installed() else []))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what takes a database with each kind of it, but ``of_views`` where there are such things."""
    if "database" in metafunc.fixturenames:
        without = {"mariadb"} if metafunc.definition.get_closest_marker("of_views") else set()
        kinds = [name for name in DATABASES if name not in without]
        metafunc.parametrize("database", kinds, indirect=True)


SERVERS = ("postgresql", "mariadb")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks a database server: a program, whose tests take four times as long as those of a file."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        values = parameters.params.values() if parameters else ()
        fixtures = getattr(item, "fixturenames", ())
        if any(value in SERVERS for value in values if isinstance(value, str)) or any(
            server in name for name in fixtures for server in SERVERS
        ):
            item.add_marker("server")


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Database:
    """An empty database of each kind; every rule of the results holds in all."""
    found: Database = request.getfixturevalue(f"{request.param}_database")
    return found
