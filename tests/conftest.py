"""What all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.programs import Launcher
from tests.servers.mariadb_server import is_installed
from tests.servers.postgresql_server import SHARED, PostgreSQLServer
from tests.servers.redis_server import RedisServer

pytest_plugins = ["tests.databases", "tests.measures", "tests.tables"]

# What is told is compared in English, whatever the language of whoever runs the tests.
os.environ["LANGUAGE"] = "en"

# A thousand processes start in a run of all tests: each would compile the package by itself, .4 s of a crawl's 2.5.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The machine that runs the tests is often busy: how long one example takes says nothing.
# Each run tries the same examples: with a hundred of them, as is usual, they took 80 s of CPU.
settings.register_profile("focuscrawl", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("focuscrawl")

# Nor do they depend on which modules are imported by then, whose numbers and texts Hypothesis would try: to look
# for them in 600 files took each worker 8 s of CPU in a clean checkout.
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the options where crawls of ``tests/crawls`` are kept, in a file each or on a Redis, and whether pages
    of the docs that tests compare with real runs are written anew."""
    parser.addoption("--store", choices=["file", "redis"], default="file")
    parser.addoption("--write", action="store_true")


def pytest_configure(config: pytest.Config) -> None:
    """Name the folder that all PostgreSQL servers of this run share."""
    if SHARED not in os.environ:
        os.environ[SHARED] = tempfile.mkdtemp(prefix="postgresql-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(SHARED)))


NOT_RUN = (
    "not run, for there is no mariadbd here (Debian: apt install mariadb-server): tests/stores/results/test_mariadb.py, and"
    " what tests/stores/results, tests/output/export and tests/output/notify ask of every database, in MariaDB"
)
OF_EVERY_DATABASE = ("tests/stores/results/", "tests/output/export/", "tests/output/notify/")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in the last lines what did not run, since this machine lacks something."""
    found = [one for some in terminalreporter.stats.values() for one in some]
    nodes = (getattr(one, "nodeid", "") for one in found)
    if not is_installed() and any(node.startswith(OF_EVERY_DATABASE) for node in nodes):
        terminalreporter.write_line(NOT_RUN, yellow=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes, but with ``--store redis`` (``make test-crawls STORE=redis``); begin with whole runs."""
    if config.getoption("store") != "redis":
        long = [item for item in items if any(item.iter_markers("long_form"))]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
        items[:] = whole_runs_first(items, workers)


def pytest_collection_finish() -> None:
    """Leave all tests and what they import out of every look for cycles: a tenth of the CPU."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # as a crawl has it


WHOLE_RUNS = ("tests/benchmarks/", "tests/crawls/", "tests/demo/", "tests/deploy/")
"""Tests that start processes and wait for them."""

WAITING = ("shared", "terminals", "away", "moved", "scrapyd", "fortnight")
"""Of which files they wait most: for leases, beats, servers that come back, and days."""


def whole_runs_first(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return tests so that each of some workers begins with whole runs and ends with short tests, which are shared
    out evenly in the end: with the order of folders the processors stood a third idle in the last four minutes.

    Workers begin with so many parts of the list that are equally long; files stay whole, for they share crawls.
    Those that wait most begin: where they came last, four of them left half of the processors idle for two minutes.
    """
    files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[item.nodeid.partition("::")[0]].append(item)
    whole = [name for name in files if name.startswith(WHOLE_RUNS)]
    whole.sort(key=lambda name: not any(word in name for word in WAITING))
    short = (item for name in files if name not in whole for item in files[name])
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        ordered += (item for name in whole[worker::workers] for item in files[name])
        end = len(items) * (worker + 1) // workers
        ordered += islice(short, max(0, end - len(ordered)))
    return [*ordered, *short]


@pytest.fixture(scope="session")
def postgresql_socket() -> Iterator[Path]:
    """A PostgreSQL server of this test process; the folder of its socket."""
    base = Path(tempfile.mkdtemp(prefix="results-"))
    base.chmod(0o755)
    server = PostgreSQLServer(base)
    try:
        server.start()
        yield base
    finally:
        server.stop()
        shutil.rmtree(base)


@pytest.fixture
def own_postgresql() -> Iterator[PostgreSQLServer]:
    """A PostgreSQL server of one test, which it may stop and start."""
    base = Path(tempfile.mkdtemp(prefix="away-"))
    base.chmod(0o755)
    server = PostgreSQLServer(base)
    try:
        yield server.start()
    finally:
        server.stop(kill=True)
        shutil.rmtree(base)


@pytest.fixture(scope="session")
def redis_of_tests() -> Iterator[RedisServer]:
    """A Redis of this test process; each test takes keys, or a name of a topic, of its own."""
    folder = Path(tempfile.mkdtemp(prefix="redis-"))
    server = RedisServer(folder).start()
    yield server
    server.stop(kill=True)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def launcher(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Launcher]:
    """Make ready to start commands as programs."""
    made = Launcher(pytestconfig.rootpath, tmp_path_factory.mktemp("said"))
    yield made
    made.close()
