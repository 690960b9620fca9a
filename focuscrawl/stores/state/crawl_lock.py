"""Who may write a crawl file: one process at a time, whatever becomes of the names of files.

Two locks are held. The lock file beside the crawl file is what others look at first, and names the
process that holds it. A user may delete it, and the next process would lock a new file of that name. So a
byte of the crawl file itself is locked as well. The kernel gives both back when a process ends, however it
ends.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import struct
import sys
from pathlib import Path

from filelock import FileLock, Timeout

from focuscrawl.locale.messages import _
from focuscrawl.stores.state.protocol import StoreBusy, StoreError

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be deleted
    fcntl = None  # type: ignore[assignment]

_LOCK = "hhqqi4x"
"""A lock as Linux describes it: kind, from where, first byte, how many, by which process."""

LOCKED_BYTE = 1 << 62
"""Far behind the end of every file, and no byte that SQLite locks (those begin at 2 ** 30)."""


_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


def advice_on(error: OSError, folder: Path) -> str:
    """Return what is to be done where the system refuses a file in a folder."""
    if error.errno in _NO_LOCKS:
        return _(
            "its file system knows no locks (some network folders do not): set FOCUSCRAWL_DATA_DIR to a folder on a disk"
            " of this machine"
        )
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return _("this process may open more files only if you allow it: ulimit -n, or LimitNOFILE")
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        with contextlib.suppress(OSError, AttributeError):
            room = os.statvfs(folder)
            if room.f_files and not room.f_favail and room.f_bavail:
                return _(
                    "there is room, but no further file (inode) can be made: delete many small ones (df -i)"
                )
        return _("free some space and run again (nothing that was stored is lost)")
    return _("make the folder writable or set FOCUSCRAWL_DATA_DIR to another one")


def no_handle() -> OSError | None:
    """Return why this process can open no file at all: SQLite says of each that it cannot, and not why."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error
    return None


def process_name() -> str:
    """Return the name by which users find this process: its host, and its number there."""
    return f"{socket.gethostname()}:{os.getpid()}"


def holder_of(path: Path) -> str:
    """Return the process that works on the crawl file at ``path``, as host:number; "": none.

    It takes no lock, not even for a moment. Where that cannot be asked, the lock file's text is returned.
    Ask before this process opens the file: what it has locked there goes with the handle closed here.
    """
    if fcntl is None or sys.platform != "linux":
        with contextlib.suppress(OSError):
            return path.with_suffix(".lock").read_text("utf-8", errors="replace").strip()
        return ""
    question = (fcntl.F_WRLCK, os.SEEK_SET, LOCKED_BYTE, 1, 0)
    try:
        with path.open("rb") as file:
            answer = fcntl.fcntl(file, fcntl.F_GETLK, struct.pack(_LOCK, *question))
    except OSError:
        return ""
    kind, *_, number = struct.unpack(_LOCK, answer)
    return "" if kind == fcntl.F_UNLCK else f"{socket.gethostname()}:{number}"


class CrawlLock:
    """The lock of the crawl file at ``path``; it can be taken again after it was released."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._notice = path.with_suffix(".lock")
        # Of the process, not of a thread, since windows are written by threads; and never the
        # soft lock of a file system without locks, which a killed process would leave behind.
        self._lock = FileLock(self._notice, thread_local=False, fallback_to_soft=False)
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock. Raises StoreBusy when another process has it, OSError when none can be taken."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise self._busy() from error
        except NotImplementedError as error:  # the library's error where there are no locks
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from error
        try:
            # A process that runs although the lock file was deleted is met before anything is opened.
            # Closing the file gives this lock back: SQLite is about to do that as well.
            with contextlib.suppress(
                OSError
            ):  # no file yet, or none that SQLite could write either
                os.close(self._lock_byte())
            with contextlib.suppress(OSError):  # only information for others
                self._notice.write_text(process_name(), encoding="utf-8")
        except BaseException:
            self.release()
            raise

    def hold(self) -> None:
        """Lock the crawl file itself; SQLite has it open from now until ``release``.

        Raises StoreError. The lock is one of POSIX: it would go with the first handle of the file
        that this process closes, which SQLite puts off while it has a connection.
        """
        try:
            self._file = self._lock_byte()
        except OSError as error:
            raise StoreError(
                _("{path}: cannot be locked ({reason}); {advice}").format(
                    path=self.path,
                    reason=error.strerror,
                    advice=advice_on(error, self.path.parent),
                )
            ) from error

    def check(self) -> None:
        """Raise StoreError when the crawl file is no longer the one that was locked."""
        if self._file is None:
            return
        held = os.fstat(self._file)
        try:
            there = self.path.stat()
        except OSError:
            there = None
        if there is None or (there.st_dev, there.st_ino) != (held.st_dev, held.st_ino):
            raise StoreError(
                _(
                    "{path}: was moved, deleted or replaced while the crawl was running; nothing more is"
                    " written. Put the file back where it was, or leave what is there, and run again"
                ).format(path=self.path)
            )

    def release(self) -> None:
        """Give the lock back; no connection to the file may be open any more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._lock.release()

    def _lock_byte(self) -> int:
        file = os.open(self.path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        try:
            if fcntl is not None:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, LOCKED_BYTE)
        except BlockingIOError as error:
            os.close(file)
            raise self._busy() from error
        except BaseException:
            os.close(file)
            raise
        return file

    def _busy(self) -> StoreBusy:
        owner = ""
        with contextlib.suppress(OSError):
            owner = self._notice.read_text("utf-8", errors="replace").strip()
        return StoreBusy(
            _(
                "{name}: this topic is already running ({owner}); wait for it to end, or stop it"
            ).format(name=self.path.name, owner=owner or _("another process"))
        )
