"""A real MariaDB for tests, where one is installed: no wheel brings it."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

STARTED_WITHIN = 60.0

SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/libexec")
"""Where systems put servers, which not everybody's PATH has."""


def program_named(name: str) -> str | None:
    """Return where a program of MariaDB is; None: it is not installed."""
    folders = os.pathsep.join((os.environ.get("PATH", ""), *SYSTEM_FOLDERS))
    return shutil.which(name, path=folders)


def is_installed() -> bool:
    """Whether there is a server, and what makes its folder."""
    return bool(program_named("mariadbd") and program_named("mariadb-install-db"))


class MariaDBServer:
    """A server whose socket stands in ``folder``; it reads no settings of the system's, and writes nothing
    elsewhere.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._socket = folder / "mariadb.sock"
        self._user: list[str] = [f"--user={_user()}"]
        self._process: subprocess.Popen[bytes] | None = None
        subprocess.run(
            [
                *(_needed("mariadb-install-db"), "--no-defaults", *self._user),
                *(f"--datadir={folder / 'data'}", "--auth-root-authentication-method=normal"),
                "--skip-test-db",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def url_of(self, database: str) -> str:
        """Return the URL of a database."""
        return f"mysql+pymysql://root@localhost/{database}?unix_socket={self._socket}"

    def start(self) -> MariaDBServer:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *(_needed("mariadbd"), "--no-defaults", *self._user, "--skip-networking"),
                *(f"--datadir={self.folder / 'data'}", f"--socket={self._socket}"),
                *(f"--pid-file={self.folder / 'mariadb.pid'}", "--innodb-buffer-pool-size=32M"),
                *("--innodb-flush-log-at-trx-commit=0", "--innodb-log-file-size=16M"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + STARTED_WITHIN
        # Not by its client, which leaves a socket open when nobody answers.
        while not self._answers():
            assert time.monotonic() < end, "mariadbd does not answer"
            time.sleep(0.05)
        return self

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(1)
            try:
                asked.connect(str(self._socket))
                return bool(asked.recv(1))
            except OSError:
                return False

    def stop(self, *, kill: bool = False) -> None:
        """Stop it in order; ``kill``: at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
            self._process.wait(60)
            self._process = None


def _user() -> str:
    """Return as whom it runs: as root it insists on being told."""
    return getpass.getuser()


def _needed(name: str) -> str:
    found = program_named(name)
    if found is None:
        raise RuntimeError(f"no {name}: install MariaDB (apt install mariadb-server)")
    return found
