"""A kill at any step of making, migrating or copying a file: the next run goes on as if nothing was."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from focuscrawl.stores.results.results import Results
from focuscrawl.stores.results.writing import ResultBatch
from focuscrawl.stores.state import migrations
from focuscrawl.stores.state.protocol import PARTITIONS, WAITING, Changes, StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import APPLICATION_ID, SCHEMA
from focuscrawl.values import Article, SystemClock
from tests.kinds import KINDS
from tests.stores.state.test_migrations import VERSION_1
from tests.stores.state.test_sqlite import rows

pytestmark = pytest.mark.crawl_file

SCRIPT = Path(__file__).with_name("killed_steps.py")
CRAWL, RESULTS = "news.crawl.db", "news.db"


@pytest.fixture
def before(tmp_path: Path) -> Path:
    """What lies in the folder before it is worked in."""
    folder = tmp_path / "before"
    folder.mkdir()
    return folder


def killed(work: str, before: Path, fewest: int, every: int = 1) -> Iterator[Path]:
    """Do something in copies of a folder, killed at each step; returns the copies.

    ``every``: of the steps behind the twentieth only so many, for all are of one transaction.
    """
    done = subprocess.run(
        [sys.executable, str(SCRIPT), work, str(before.parent), str(every)],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SCRIPT.parents[3])},
    )
    steps = int(done.stdout)
    assert steps > fewest, done.stderr
    made = sorted(int(one.name) for one in before.parent.iterdir() if one.name.isdecimal())
    assert made[-1] == steps
    yield from (before.parent / str(step) for step in made)


def check_usable(path: Path, already: int = 0) -> None:
    """Write to a crawl file and read it, as a run does."""
    store = SQLiteStore(path)
    store.own()
    asyncio.run(store.load(range(PARTITIONS)))
    added = [row._replace(sequence=row.sequence + 500) for row in rows(3)]
    store.commit({0: Changes(added=added, facts={("a", "b"): 1})})
    assert len(list(store.rows(WAITING))) == 3 + already
    store.release()
    assert not [*path.parent.glob(f"{path.name}.new*"), *path.parent.glob(f"{path.name}-*")]


@pytest.mark.program
def test_a_crawl_file_is_made_anew_after_a_kill_at_any_step_of_its_making(before: Path) -> None:
    for folder in killed("open_crawl", before, 25):
        check_usable(folder / CRAWL)


EARLIER = [
    f"PRAGMA application_id = {APPLICATION_ID}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    *f"BEGIN; {SCHEMA} PRAGMA user_version = 3".split(";"),
]
MAKES = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    database.execute(statement)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.program
@pytest.mark.parametrize("log_is_lost", [False, True])
@pytest.mark.parametrize("statements", [1, 2, 4, 7, len(EARLIER)])
def test_what_an_earlier_focuscrawl_has_left_unfinished_is_made_anew(
    tmp_path: Path, statements: int, log_is_lost: bool
) -> None:
    path = tmp_path / CRAWL
    subprocess.run([sys.executable, "-c", MAKES, path, *EARLIER[:statements]], check=False)
    assert path.exists()
    if log_is_lost:
        path.with_name(path.name + "-wal").unlink(missing_ok=True)
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
    check_usable(path)


def test_a_log_that_is_lost_after_a_kill_leaves_a_crawl_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / CRAWL
    store = SQLiteStore(path)
    store.own()
    store.commit({0: Changes(added=rows(300))})
    lost = tmp_path / "lost" / CRAWL
    lost.parent.mkdir()
    lost.write_bytes(path.read_bytes())
    store.release()
    check_usable(lost)
    check_usable(path, 300)


@pytest.mark.parametrize(
    "harm",
    [
        "DROP TABLE urls",
        "DELETE FROM sites",
        "DELETE FROM used",
        "UPDATE urls SET body = x'c1'",
        "UPDATE sites SET parts = x'c1'",
        "PRAGMA user_version = 0",
        "PRAGMA user_version = -1",
    ],
)
def test_a_damaged_crawl_file_is_refused_with_advice(tmp_path: Path, harm: str) -> None:
    path = tmp_path / CRAWL
    store = SQLiteStore(path)
    store.own()
    store.commit({0: Changes(added=rows(30))})
    store.release()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(harm)

    def use() -> None:
        store.own()
        loaded = asyncio.run(store.load(range(PARTITIONS)))
        assert [*loaded.runs, *loaded.folders, *loaded.places]
        assert store.read(1, 3)

    with pytest.raises(StoreError, match="Restore it from a backup, or move it away"):
        use()
    store.release()


@pytest.mark.program
def test_a_kill_at_any_step_of_a_migration_loses_nothing(before: Path) -> None:
    with closing(sqlite3.connect(before / CRAWL)) as database:
        database.executescript(VERSION_1)
        database.execute("INSERT INTO facts VALUES ('kept', 'key', x'07')")
        database.commit()
    for folder in killed("open_crawl", before, 15):
        path = folder / CRAWL
        check_usable(path)
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("PRAGMA user_version").fetchone() == (migrations.VERSION,)
            assert database.execute("SELECT value FROM facts WHERE kind = 'kept'").fetchone()
        (backup,) = folder.glob("*.v1.bak")
        with closing(sqlite3.connect(backup)) as database:
            assert database.execute("PRAGMA user_version").fetchone() == (1,)
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def check_results(path: Path, already: int = 0) -> None:
    """Write to results and read them, as a run does."""
    with Results.open(path, "news", kinds=KINDS, clock=SystemClock(), text_index=True) as results:
        written = results.write(ResultBatch(articles=[Article("a" * 32, "http://a/", "a", "题", "文")]))  # fmt: skip
        assert not written.left_out
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM articles").fetchone() == (1 + already,)
        assert database.execute("SELECT count(*) FROM today").fetchone() == (1 + already,)


@pytest.mark.program
def test_results_are_made_anew_after_a_kill_at_any_step_of_their_making(before: Path) -> None:
    for folder in killed("open_results", before, 60, 9):
        check_results(folder / RESULTS)


@pytest.mark.program
def test_results_that_gain_columns_survive_a_kill_at_any_step(before: Path) -> None:
    path = before / RESULTS
    with Results.open(path, "news", kinds=KINDS, clock=SystemClock()) as results:
        results.write(ResultBatch(articles=[Article("b" * 32, "http://b/", "b", "题", "文")]))
    with closing(sqlite3.connect(path)) as database:
        for view in ("today", "what_changed"):
            database.execute(f"DROP VIEW {view}")
        database.execute("ALTER TABLE articles DROP COLUMN language")
        database.execute("DROP TABLE threads")
        database.commit()
    for folder in killed("open_results", before, 30, 9):
        check_results(folder / RESULTS, 1)


@pytest.mark.program
def test_a_backup_that_is_killed_leaves_none_or_a_whole_one(before: Path) -> None:
    store = SQLiteStore(before / CRAWL)
    store.own()
    store.commit({0: Changes(added=rows(30))})
    store.release()
    Results.open(before / RESULTS, "news", kinds=KINDS, clock=SystemClock()).close()
    made = 0
    for folder in killed("back_up", before, 12):
        check_usable(folder / CRAWL, 30)
        check_results(folder / RESULTS)
        packed = folder / "kept.zip"
        if packed.exists():
            made += 1
            with zipfile.ZipFile(packed) as file:
                assert file.testzip() is None
                assert {*file.namelist()} == {CRAWL, RESULTS}
                file.extractall(folder / "back")
            check_usable(folder / "back" / CRAWL, 30)
    assert made
