"""Looks at a SQLite file before it is opened for writing, so that a file not ours stays as it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from focuscrawl.results.errors import ResultsError, explained

MAGIC = b"SQLite format 3\x00"
_HEADER = 100
"""Bytes of the header of a SQLite file."""

NETWORK = frozenset(
    {
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "glusterfs", "lustre",
        "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse", "fuse.glusterfs", "fuse.davfs",
        "davfs", "vboxsf", "drvfs",
    }
)  # fmt: skip
"""File systems whose locks SQLite cannot trust (rule 10)."""

MOUNTS = Path("/proc/self/mountinfo")


def check_file(path: Path) -> None:
    """Make the folder of a results file and refuse what cannot or must not be written.

    Raises ResultsError: the folder cannot be made, lies on a network, or the file there is
    truncated, no SQLite file, or somebody else's. Such a file is neither changed nor deleted.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        size = path.stat().st_size if path.exists() else 0
        mounts = MOUNTS.read_text(errors="replace") if MOUNTS.exists() else ""
    except OSError as error:
        raise ResultsError(
            f"results in {path}: the folder cannot be used ({error.strerror}): set"
            " FOCUSCRAWL_DATA_DIR to a folder that may be written"
        ) from error
    kind = network_kind(path.resolve(), mounts)
    if kind:
        raise ResultsError(
            f"results in {path}: the folder lies on a network ({kind}), where SQLite loses data:"
            " set FOCUSCRAWL_DATA_DIR to a local disk, or FOCUSCRAWL_RESULTS to"
            " postgresql+psycopg://user:password@host/database"
        )
    if size:
        _check_header(path, size)
        _check_tables(path)


def network_kind(path: Path, mounts: str) -> str:
    """Return the network file system ``path`` lies on, "" when it is local.

    ``mounts`` is the text of /proc/self/mountinfo, where the last and longest mount point wins.
    """
    longest, kind = -1, ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = Path(_unescape(fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= longest:
            longest, kind = len(point.parts), right.split(" ")[0]
    return kind if kind in NETWORK else ""


def _unescape(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def _check_header(path: Path, size: int) -> None:
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER)
    except OSError as error:
        raise ResultsError(
            f"results in {path}: the file cannot be read ({error.strerror}): change its owner or"
            " rights, or move it away"
        ) from error
    if not header.startswith(MAGIC):
        raise ResultsError(
            f"results in {path}: the file is no SQLite database (nothing was changed): move it"
            " away, or set FOCUSCRAWL_DATA_DIR to another folder"
        )
    page_size = int.from_bytes(header[16:18], "big")
    page_size = 65536 if page_size == 1 else page_size
    pages = int.from_bytes(header[28:32], "big")
    pages_counted = header[24:28] == header[92:96]
    log = _beside(path, "-wal")
    unwritten = log.exists() and log.stat().st_size > 0
    if len(header) < _HEADER or (pages_counted and not unwritten and pages * page_size > size):
        raise ResultsError(
            f"results in {path}: the file is truncated, {size} of {pages * page_size} bytes are"
            " there (nothing was changed): restore it from a copy, or move it away and a new one"
            " is begun"
        )


def _check_tables(path: Path) -> None:
    """Refuse a database that holds tables but not our ``meta``; reads without touching the file."""
    still = "" if _beside(path, "-wal").exists() else "&immutable=1"
    database = sqlite3.connect(f"file:{quote(str(path))}?mode=ro{still}", uri=True)
    try:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        ours = not tables or (
            "meta" in tables
            and database.execute("SELECT 1 FROM meta WHERE name = 'schema'").fetchone() is not None
        )
    except sqlite3.OperationalError as error:
        if (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_ERROR:
            raise explained(error, str(path)) from error
        ours = False  # a table meta with other columns
    except sqlite3.Error as error:
        raise explained(error, str(path)) from error
    finally:
        database.close()
    if not ours:
        raise ResultsError(
            f"results in {path}: the file is a SQLite database of another program (nothing was"
            " changed): move it away, or set FOCUSCRAWL_DATA_DIR to another folder"
        )


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
