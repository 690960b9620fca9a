"""What only the embedded store promises: its file, its lock, its versions."""

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from focuscrawl.stores.state import migrations
from focuscrawl.stores.state.protocol import (
    PARKED,
    PARTITIONS,
    WAITING,
    Changes,
    Row,
    StoreBusy,
    StoreError,
)
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.stores.state.sqlite_file import copy_database, open_read_only
from focuscrawl.values import Waiting


def rows(count: int) -> list[Row]:
    return [
        Row(number, Waiting(f"http://a.example/{number}", b"k", "a.example", 3, 3))
        for number in range(1, count + 1)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "topic.crawl.db"
    store = SQLiteStore(path)
    store.own()
    store.commit({0: Changes(added=rows(300), seen=list(range(300)))})
    store.release()
    return path


def refused(path: Path) -> str:
    before = path.read_bytes()
    with pytest.raises(StoreError) as refusal:
        SQLiteStore(path).own()
    assert path.read_bytes() == before
    return str(refusal.value)


def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {migrations.VERSION + 1}")
    database.close()
    assert "newer focuscrawl" in refused(path)


def test_a_foreign_sqlite_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    assert "not one of focuscrawl's crawls" in refused(path)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    path.write_bytes(b"not a database at all " * 100)
    assert "cannot be read as a crawl file" in refused(path)


@pytest.mark.parametrize("size", [700, 4096, 9000])
def test_a_truncated_file_is_refused_and_left_alone(path: Path, size: int) -> None:
    os.truncate(path, size)
    assert "cannot be read as a crawl file" in refused(path)


def test_a_damaged_page_is_noticed_when_the_crawl_starts(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 * 4 :] = os.urandom(len(content) - 4096 * 4)
    path.write_bytes(content)
    store = SQLiteStore(path)

    def read_all() -> None:
        store.own()
        asyncio.run(store.load(range(PARTITIONS)))
        assert len(list(store.rows(WAITING))) == 300

    with pytest.raises(StoreError, match="cannot be read"):
        read_all()
    store.release()


def test_an_older_file_is_copied_and_migrated_step_by_step(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = migrations.VERSION
    monkeypatch.setattr(migrations, "VERSION", version + 2)
    steps = {
        version: "CREATE TABLE first_step (x); INSERT INTO first_step SELECT count(*) FROM urls",
        version + 1: "CREATE TABLE second_step AS SELECT x FROM first_step",
    }
    monkeypatch.setattr(migrations, "STEPS", {**migrations.STEPS, **steps})
    store = SQLiteStore(path)
    store.own()
    assert len(list(store.rows(WAITING))) == 300
    store.release()
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT x FROM second_step").fetchone() == (300,)
        assert database.execute("PRAGMA user_version").fetchone() == (version + 2,)
    database.close()
    backup = path.with_name(f"{path.name}.v{version}.bak")
    with sqlite3.connect(backup) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (version,)
        assert database.execute("SELECT count(*) FROM urls").fetchone() == (300,)
    database.close()


def test_every_version_has_its_step() -> None:
    assert sorted(migrations.STEPS) == list(range(1, migrations.VERSION))


def test_an_unwritable_folder_is_told(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    with pytest.raises(StoreError, match="FOCUSCRAWL_DATA_DIR"):
        SQLiteStore(in_the_way / "crawls" / "topic.crawl.db").own()


def test_the_lock_names_its_owner(path: Path) -> None:
    store = SQLiteStore(path)
    store.own()
    with pytest.raises(StoreBusy, match=f":{os.getpid()}"):
        SQLiteStore(path).own()
    store.release()


def test_a_row_is_read_with_the_next_ones_that_wait_in_its_level(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "topic.crawl.db")
    store.own()
    levels = [row._replace(waiting=row.waiting._replace(level=row[0] % 2 + 1)) for row in rows(300)]
    levels[6] = levels[6]._replace(state=PARKED)
    store.commit({0: Changes(added=levels)})
    asked: list[str] = []
    store._file.connection().set_trace_callback(asked.append)
    together = [3, 5, 9, 11, 13]
    assert [store.read(number, 2) for number in together] == [levels[n - 1] for n in together]
    assert len(asked) == 1
    assert all(store.read(number, 2) == levels[number - 1] for number in range(15, 101, 2))
    assert len(asked) < 5
    assert store.read(7, 2) == levels[6]
    assert store.read(4, 2) == levels[3]  # asked for under another level: it comes all the same
    assert store.read(3, 0) == levels[2]
    store.release()


HOLD = """
import sys, time
from pathlib import Path
from focuscrawl.stores.state.sqlite import SQLiteStore
store = SQLiteStore(Path(sys.argv[1]))
store.own()
print("owned", flush=True)
time.sleep(60)
"""


@pytest.mark.program
def test_a_killed_owner_leaves_no_lock_behind(path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "owned\n"
    with pytest.raises(StoreBusy):
        SQLiteStore(path).own()
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    store = SQLiteStore(path)
    store.own()
    store.release()


@contextmanager
def owned_elsewhere(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process own a crawl file, and kill it in the end."""
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "owned\n"
    try:
        yield owner
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()


@pytest.mark.program
def test_who_deletes_the_lock_file_of_a_crawl_that_runs_cannot_run_it_twice(path: Path) -> None:
    lock = path.with_suffix(".lock")
    with owned_elsewhere(path):
        for _ in range(2):
            lock.unlink(missing_ok=True)
            with pytest.raises(StoreBusy, match="already running"):
                SQLiteStore(path).own()
    lock.unlink()
    store = SQLiteStore(path)
    store.own()  # the killed owner has left nothing behind
    store.release()


@pytest.mark.program
def test_the_lock_holds_while_others_read_the_file_and_this_process_does(path: Path) -> None:
    store = SQLiteStore(path)
    store.own()
    with closing(open_read_only(path)) as reading:
        assert reading.execute("SELECT count(*) FROM urls").fetchone() == (300,)
    copy_database(path, path.with_name("copy.db"))
    path.with_suffix(".lock").unlink()
    contender = subprocess.run(
        [sys.executable, "-c", HOLD, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert "StoreBusy" in contender.stderr, contender
    store.commit({0: Changes(facts={("kind", "key"): 1})})
    store.release()


def test_a_file_that_was_replaced_while_it_is_open_takes_no_commit_for_done(path: Path) -> None:
    store = SQLiteStore(path)
    store.own()
    aside = path.with_name("aside.db")
    path.rename(aside)
    with pytest.raises(StoreError, match="moved, deleted or replaced"):
        store.commit({0: Changes(facts={("kind", "key"): 1})})
    shutil.copy(aside, path)
    with pytest.raises(StoreError, match="moved, deleted or replaced"):
        store.forget([], "a.example", again=True)
    path.unlink()
    aside.rename(path)
    store.commit({0: Changes(facts={("kind", "key"): 1})})
    store.release()


IMPORT_ALL = """
import importlib, pkgutil, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None  # as on Windows
import focuscrawl
for module in pkgutil.walk_packages(focuscrawl.__path__, "focuscrawl."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print("imported")
"""


@pytest.mark.program
def test_the_package_can_be_imported_where_there_are_no_modules_of_posix() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=False
    )
    assert ran.stdout == "imported\n", ran.stderr


WRITE = """
import sys
from pathlib import Path
from focuscrawl.stores.state.protocol import Changes, Row
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import Waiting
store = SQLiteStore(Path(sys.argv[1]))
store.own()
for number in range(1, 10**6):
    row = Row(number, Waiting(f"http://a.example/{number}", b"k", "a.example", 3, 3))
    store.commit({0: Changes(added=[row], seen=[number], removed=[number - 1])})
    if number % 50 == 0:
        print(number, flush=True)
"""


@pytest.mark.program
def test_a_process_killed_while_it_commits_leaves_whole_commits(tmp_path: Path) -> None:
    path = tmp_path / "topic.crawl.db"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    for _ in range(8):
        said = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    store = SQLiteStore(path)
    store.own()
    loaded = asyncio.run(store.load(range(PARTITIONS)))
    (run,) = list(loaded.runs)
    assert run.sequences[-1] >= said
    assert len(b"".join(loaded.seen)) == 8 * run.sequences[-1]
    store.release()
