"""A disk that is full: it is told, and nothing that was committed is lost."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from focuscrawl.stores.state.protocol import WAITING, Changes, StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore
from tests.stores.state.test_sqlite import rows


@pytest.mark.program
def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:  # only root may mount: a limit on the size of files tells the same
        _fill_by_limit(tmp_path)
        return
    try:
        store = SQLiteStore(disk / "topic.crawl.db")
        store.own()
        committed = _commit_until_full(store)
        shutil.copytree(disk, tmp_path / "copy")
        store.release()
        _check_nothing_lost(tmp_path / "copy" / "topic.crawl.db", committed)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _commit_until_full(store: SQLiteStore) -> int:
    for batch in range(1000):
        added = [row._replace(sequence=batch * 300 + row.sequence) for row in rows(300)]
        try:
            store.commit({0: Changes(added=added)})
        except StoreError as error:
            if "disk is full" not in str(error):
                raise
            return batch * 300
    raise AssertionError("the disk never filled")


def _check_nothing_lost(path: Path, committed: int) -> None:
    store = SQLiteStore(path)
    store.own()
    assert len(list(store.rows(WAITING))) == committed > 0
    store.release()


FILL = """
import resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
from focuscrawl.stores.state.protocol import Changes, Row, StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore
from focuscrawl.values import Waiting
store = SQLiteStore(Path(sys.argv[1]))
store.own()
done = 0
while True:
    rows = [Row(done + n, Waiting("http://a.example/", b"k", "a.example", 3, 3)) for n in range(1, 101)]
    try:
        store.commit({0: Changes(added=rows)})
    except StoreError as error:
        print(done, error)
        break
    done += 100
"""


def _fill_by_limit(tmp_path: Path) -> None:
    path = tmp_path / "limited.crawl.db"
    said = subprocess.run(
        [sys.executable, "-c", FILL, str(path)], capture_output=True, text=True, check=True
    ).stdout
    _check_nothing_lost(path, int(said.split()[0]))
