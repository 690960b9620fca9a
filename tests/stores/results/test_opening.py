"""Which databases are opened, made or refused; what is refused stays byte for byte as it was."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, inspect

from focuscrawl.stores.results.database import ResultsError, connect, network_kind, place_of
from focuscrawl.stores.results.meanings import MEANINGS
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.schema import META, SCHEMA_VERSION
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state.protocol import StoreError
from focuscrawl.values import Article, Page, SystemClock
from tests.kinds import KINDS
from tests.tables import each_row

if TYPE_CHECKING:
    from tests.databases import Database

MakePage = Callable[..., Page]
MakeArticle = Callable[..., Article]


def open_file(path: Path, busy_timeout: float = 30.0) -> Results:
    return Results.open(path, "food", kinds=KINDS, clock=SystemClock(), busy_timeout=busy_timeout)


def refused(path: Path) -> str:
    """Open a file that must be refused, check that it is left alone, return the message."""
    before = path.read_bytes()
    with pytest.raises(ResultsError) as caught:
        open_file(path)
    assert path.read_bytes() == before
    assert isinstance(caught.value, StoreError)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_new_database_has_every_table_column_index_and_view(database: Database) -> None:
    database.open().close()
    engine = create_engine(database.url)
    looked_at = inspect(engine)
    for table in (META, MEANINGS, *KINDS.tables.values()):
        columns = {column["name"] for column in looked_at.get_columns(table.name)}
        assert columns == set(table.columns.keys())
        indexes = {index["name"] for index in looked_at.get_indexes(table.name)}
        assert indexes == {index.name for index in table.indexes}
        key = looked_at.get_pk_constraint(table.name)["constrained_columns"]
        assert key == [column.name for column in table.primary_key]
    views = {"news", "today", "hot_stories", "what_changed", "site_health", "series_total"}
    assert set(looked_at.get_view_names()) == (set() if database.is_mariadb else views)
    engine.dispose()


def test_topic_is_the_first_column_of_every_key() -> None:
    for table in (META, *KINDS.tables.values()):
        if table.name != "meta":
            assert next(iter(table.primary_key)).name == "topic"


def test_opening_again_keeps_the_rows_and_when_it_was_made(
    database: Database, make_page: MakePage
) -> None:
    with database.open() as results:
        results.write(ResultBatch(pages=[make_page()]))
    made = database.ask("SELECT name, value FROM meta ORDER BY name")
    database.clock.now += 1000
    database.open().close()
    assert database.ask("SELECT name, value FROM meta ORDER BY name") == made
    assert database.ask("SELECT count(*) FROM pages") == [(1,)]
    assert ("schema", str(SCHEMA_VERSION)) in made


def test_missing_tables_columns_and_indexes_are_added(
    database: Database, make_article: MakeArticle
) -> None:
    with database.open() as results:
        results.write(ResultBatch(articles=[make_article()]))
    for view in ("today", "news", "hot_stories", "site_health"):
        database.tell(f"DROP VIEW IF EXISTS {view}")
    database.tell("DROP TABLE stories")
    database.tell(f"DROP INDEX pages_next{' ON pages' if database.is_mariadb else ''}")
    database.tell("ALTER TABLE sites DROP COLUMN delay_from")
    database.tell("ALTER TABLE files DROP COLUMN fetched")
    test_a_new_database_has_every_table_column_index_and_view(database)
    assert database.ask("SELECT count(*) FROM articles") == [(1,)]


def test_a_newer_schema_is_refused(database: Database) -> None:
    database.open().close()
    database.tell("UPDATE meta SET value = '99' WHERE name = 'schema'")
    with pytest.raises(ResultsError, match=r"newer focuscrawl \(schema 99, this one knows 3"):
        database.open()
    assert database.ask("SELECT value FROM meta WHERE name = 'schema'") == [("99",)]


def test_a_making_that_was_cut_off_behind_its_first_table_goes_on(
    postgresql_database: Database,
) -> None:
    """In PostgreSQL and SQLite a making is one transaction; MySQL makes each table by itself."""
    engine = postgresql_database.engine()
    META.create(engine)
    engine.dispose()
    with postgresql_database.open() as results:
        assert not results.ever_found()
    assert postgresql_database.ask("SELECT value FROM meta WHERE name = 'schema'")


def test_tables_of_somebody_else_are_refused(database: Database) -> None:
    database.tell("CREATE TABLE pages (number integer)")
    with pytest.raises(ResultsError, match=r"another program|pages there are not focuscrawl's"):
        database.open()
    engine = create_engine(database.url)
    assert inspect(engine).get_table_names() == ["pages"]
    engine.dispose()


def test_another_table_called_meta_is_refused(database: Database) -> None:
    database.tell("CREATE TABLE meta (number integer)")
    with pytest.raises(ResultsError, match=r"another program|meta there are not focuscrawl's"):
        database.open()


def test_a_text_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "food.db"
    path.write_text("not a database, but a person's notes " * 50)
    assert "no SQLite database" in refused(path)


def test_a_foreign_database_is_refused_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "food.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE accounts (money integer)")
    database.execute("INSERT INTO accounts VALUES (1)")
    database.commit()
    database.close()
    assert "another program" in refused(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "food.db"
    open_file(path).close()
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 5000, 60, 16):
        path.write_bytes(whole[:size])
        assert "truncated" in refused(path)
    path.write_bytes(whole)
    open_file(path).close()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "food.db"
    open_file(path).close()
    whole = bytearray(path.read_bytes())
    whole[100:4096] = b"\xff" * 3996
    path.write_bytes(whole)
    assert "damaged" in refused(path)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "food.db"
    path.touch()
    open_file(path).close()
    assert path.stat().st_size > 0


def test_the_folder_is_made_and_may_hold_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "数据 50%?#&x=1" / "四川 食品.db"
    with open_file(path) as results:
        assert results.place == str(path)
    open_file(path).close()
    assert path.exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="FOCUSCRAWL_DATA_DIR"):
        open_file(tmp_path / "file" / "food.db")


def test_a_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "food.db").mkdir()
    with pytest.raises(ResultsError, match=r"food\.db"):
        open_file(tmp_path / "food.db")


KILLED = """
import os, sys
from pathlib import Path
from focuscrawl.features import ROWS
from focuscrawl.stores.results.kind import Kinds
from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.values import Article, SystemClock
results = Results.open(Path(sys.argv[1]), "food", kinds=Kinds.load(ROWS), clock=SystemClock())
for number in range(50):
    key = f"{number:032}"
    results.write(ResultBatch(articles=[Article(key, "http://x/", "x", "题", "文", fetched=1.0)]))
os.kill(os.getpid(), 9)
"""


@pytest.mark.program
def test_what_was_written_before_a_kill_is_there(tmp_path: Path) -> None:
    path = tmp_path / "food.db"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -9
    with open_file(path) as results:
        assert results.ever_found()
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM articles").fetchone() == (50,)
    database.close()


def test_a_reader_does_not_block_the_crawl(tmp_path: Path, make_page: MakePage) -> None:
    path = tmp_path / "food.db"
    with open_file(path, busy_timeout=0.05) as results:
        results.write(ResultBatch(pages=[make_page()]))
        reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM pages").fetchone() == (1,)
        results.write(ResultBatch(pages=[make_page(url_key="a" * 32)]))
        assert reader.execute("SELECT count(*) FROM pages").fetchone() == (1,)
        reader.close()


@each_row(
    ("url", "words"),
    [
        ("food.db", "no database URL"),
        ("postgres://u:secret@h/d", "no such database|driver is missing"),
        ("oracle://u:secret@h/d", "no such database"),
        ("sqlite://", "name a file"),
        ("sqlite:///:memory:", "name a file"),
        ("mysql+nosuchdriver://u:secret@h/d", "driver is missing.*focuscrawl.mysql"),
        ("postgresql+nosuchdriver://u:secret@h/d", "driver is missing.*focuscrawl.postgresql"),
        ("postgresql+psycopg://u:secret@127.0.0.1:1/d?connect_timeout=2", "does not answer"),
    ],
)
def test_an_address_that_cannot_work_is_told_without_its_password(url: str, words: str) -> None:
    with pytest.raises(ResultsError, match=words) as caught:
        Results.open(url, "food", kinds=KINDS, clock=SystemClock())
    assert "secret" not in str(caught.value)


def test_a_place_shows_no_password() -> None:
    engine = connect("postgresql+psycopg://u:secret@h/d", synchronous="NORMAL", busy_timeout=1)
    assert place_of(engine) == "postgresql+psycopg://u:***@h/d"


MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /mnt/share rw,relatime shared:2 - nfs4 server:/export rw
31 22 0:41 / /mnt/share/local rw shared:3 - xfs /dev/sdb1 rw
32 22 0:42 / /mnt/with\040space rw - cifs //server/share rw
broken line
"""


@each_row(
    ("path", "kind"),
    [
        ("/data/food.db", ""),
        ("/mnt/share/food.db", "nfs4"),
        ("/mnt/share/a/b/food.db", "nfs4"),
        ("/mnt/shared/food.db", ""),
        ("/mnt/share/local/food.db", ""),
        ("/mnt/with space/food.db", "cifs"),
    ],
)
def test_a_network_folder_is_known_by_its_longest_mount(path: str, kind: str) -> None:
    assert network_kind(Path(path), MOUNTS) == kind


def test_a_network_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 1 0:1 / {tmp_path} rw - nfs4 server:/export rw\n")
    monkeypatch.setattr("focuscrawl.stores.results.database.MOUNTS", mounts)
    with pytest.raises(ResultsError, match=r"lies on a network \(nfs4"):
        open_file(tmp_path / "food.db")
    assert not (tmp_path / "food.db").exists()
