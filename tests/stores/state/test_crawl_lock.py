"""The lock of a crawl file: who comes second is told so, and keeps nothing locked."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from focuscrawl.stores.state.crawl_lock import LOCKED_BYTE, CrawlLock, advice_on, holder_of
from focuscrawl.stores.state.protocol import StoreBusy, StoreError
from focuscrawl.stores.state.sqlite import SQLiteStore

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="locks as Linux describes them")

LOCK = struct.Struct("hhqqi4x")


@contextmanager
def held_by_another(path: Path) -> Iterator[None]:
    """Lock the byte of a crawl file through an open file, which is to this process as another process's lock."""
    file = os.open(path, os.O_RDWR)
    try:
        lock = LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0)
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
        yield
    finally:
        os.close(file)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "news.crawl.db"
    path.touch()
    return path


def test_who_lost_its_lock_file_is_met_all_the_same_and_then_nothing_is_locked(path: Path) -> None:
    second = CrawlLock(path)
    with held_by_another(path), pytest.raises(StoreBusy):
        second.take()
    first = CrawlLock(path)
    first.take()  # what the second took of the lock file was given back
    first.release()


def test_who_has_the_lock_file_keeps_others_away(path: Path) -> None:
    first, second = CrawlLock(path), CrawlLock(path)
    first.take()
    with pytest.raises(StoreBusy):
        second.take()
    first.release()
    second.take()
    second.release()


def test_a_crawl_file_that_another_holds_cannot_be_held(path: Path) -> None:
    lock = CrawlLock(path)
    lock.take()
    with held_by_another(path), pytest.raises(StoreBusy):
        lock.hold()
    lock.hold()
    lock.release()


def test_a_crawl_file_that_is_not_there_cannot_be_held_and_what_to_do_is_said(path: Path) -> None:
    path.unlink()
    with pytest.raises(StoreError, match=r"cannot be locked .*FOCUSCRAWL_DATA_DIR"):
        CrawlLock(path).hold()


def test_a_crawl_file_that_was_replaced_is_noticed_and_one_that_is_not_held_is_not_asked(
    path: Path,
) -> None:
    lock = CrawlLock(path)
    lock.check()
    lock.hold()
    lock.check()
    path.rename(path.with_name("old.db"))
    with pytest.raises(StoreError, match="was moved, deleted or replaced"):
        lock.check()
    path.touch()
    with pytest.raises(StoreError, match="was moved, deleted or replaced"):
        lock.check()
    lock.release()
    lock.check()


def test_nobody_holds_a_crawl_file_that_is_free_or_not_there(path: Path) -> None:
    assert holder_of(path) == ""
    path.unlink()
    assert holder_of(path) == ""


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSYS, "knows no locks"),
        (errno.ENOLCK, "knows no locks"),
        (errno.EMFILE, "ulimit -n"),
        (errno.ENOSPC, "free some space"),
        (errno.EROFS, "make the folder writable"),
    ],
)
def test_what_the_system_refuses_is_told_with_what_to_do(
    path: Path, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StoreError, match=advice) as told:
        SQLiteStore(path).own()
    assert str(path.parent) in str(told.value)


def test_a_disk_with_room_that_takes_no_further_file_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = SimpleNamespace(f_files=1000, f_favail=0, f_bavail=9)
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    assert "inode" in advice_on(OSError(errno.ENOSPC, ""), path.parent)


def test_a_process_that_may_open_no_further_file_is_told_how_to_allow_it(path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    store = SQLiteStore(path)
    lowest = os.open(os.devnull, os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + 1, limits[1]))  # enough for the lock alone
    try:
        with pytest.raises(StoreError, match="ulimit -n"):
            store.own()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
