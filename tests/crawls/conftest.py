"""Crawls of a small web whose answers a test writes, inside its process; those that are marked start programs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.programs import Launcher, Programs
from tests.project import Project, made_project
from tests.servers.redis_server import RedisServer
from tests.web import Web

ALL_IS_NEWS = """
from focuscrawl.kernel.feature import Feature


class AllIsNews(Feature):
    name = "all_is_news"
    after = ("baseline",)

    def correct_url(self, flight):
        flight.waiting = flight.waiting._replace(baseline=0)
"""
FILE, REDIS = "file", "redis"
BOTH_STORES, OF_A_FILE = "both_stores", "of_a_file"
SERVERS = ("server_of_module", "crawl_server")
"""Fixtures that are a Redis or None: of the crawls of a module, or of a test."""


@pytest.fixture
def all_is_news(project: Project) -> None:
    """Let what a first crawl finds be told as new, for tests of how it is told."""
    tell_all(project)


def tell_all(project: Project) -> None:
    """Let what a first crawl of a project finds be told as new."""
    project.write("all_is_news.py", ALL_IS_NEWS)
    project.features = '{"all_is_news.AllIsNews": 9000}'


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a certificate for https on loopback."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a.test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def programs(request: pytest.FixtureRequest) -> Iterator[Programs | None]:
    """What starts commands as programs, for tests that are marked so; None for all others."""
    if not request.node.get_closest_marker("program"):
        yield None
        return
    launcher, certificate = (request.getfixturevalue(name) for name in ("launcher", "certificate"))
    with Programs(launcher, certificate) as made:
        yield made


@pytest.fixture(scope="module")
def programs_of_module(launcher: Launcher, certificate: Path) -> Iterator[Programs]:
    """What starts commands as programs, for crawls that several tests look at."""
    with Programs(launcher, certificate) as made:
        yield made


@pytest.fixture
def web() -> Web:
    """A web that a test writes."""
    return Web()


@pytest.fixture
def project(
    tmp_path: Path,
    web: Web,
    programs: Programs | None,
    pytestconfig: pytest.Config,
    crawl_server: RedisServer | None,
) -> Project:
    """Make an empty project over the small web."""
    made = made_project(tmp_path, web, pytestconfig.rootpath, programs)
    made.server = crawl_server
    return made


@pytest.fixture
def crawl_server(request: pytest.FixtureRequest) -> RedisServer | None:
    """An empty Redis for the crawls of a test; None where they have crawl files (``pytest_generate_tests``)."""
    if getattr(request, "param", FILE) == FILE:
        return None
    server: RedisServer = request.getfixturevalue("redis_of_tests")
    server.client().flushall()
    return server


@pytest.fixture(scope="module")
def server_of_module(request: pytest.FixtureRequest) -> RedisServer | None:
    """A Redis for crawls that several tests look at; None where they have crawl files."""
    if getattr(request, "param", FILE) == FILE:
        return None
    server: RedisServer = request.getfixturevalue("redis_of_tests")
    return server


@pytest.fixture(scope="module")
def new_project(
    tmp_path_factory: pytest.TempPathFactory,
    pytestconfig: pytest.Config,
    server_of_module: RedisServer | None,
) -> Callable[[], Project]:
    """Make empty projects, each over a web of its own, whose crawls several tests look at.

    The crawls of one project end before the next is made: they share the Redis. What they leave there is looked at
    through ``Project.as_it_is``.
    """

    def made() -> Project:
        project = made_project(tmp_path_factory.mktemp("project"), Web(), pytestconfig.rootpath)
        project.server = server_of_module
        if server_of_module:
            server_of_module.client().flushall()
        return project

    return made


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over a crawl file, over Redis, or over both, as its markers and ``--store`` say."""
    name = next((one for one in SERVERS if one in metafunc.fixturenames), "")
    if not name:
        return
    marked = {mark.name for mark in metafunc.definition.iter_markers()}
    both = [FILE, REDIS] if BOTH_STORES in marked else [FILE]
    stores = both if metafunc.config.getoption("store") == FILE else [REDIS]
    if stores != [FILE]:
        metafunc.parametrize(name, stores, indirect=True, ids=str)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--store redis`` leave out what is about crawl files here; tests elsewhere know what they do with it."""
    if config.getoption("store") == FILE:
        return
    here = Path(__file__).parent
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        is_one = any(name in getattr(item, "fixturenames", ()) for name in SERVERS)
        of_a_file = any(item.iter_markers(OF_A_FILE))
        is_kept = not item.path.is_relative_to(here) or (is_one and not of_a_file)
        (kept if is_kept else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """Crawl three articles once; the data folder of it."""
    web = Web()
    web.news(3)
    project = made_project(tmp_path_factory.mktemp("finished"), web, pytestconfig.rootpath)
    project.topic()
    assert project.crawl().status == 0
    return project.data


@pytest.fixture
def crawled(project: Project, finished: Path) -> Project:
    """Make a project whose topic has been crawled once."""
    project.topic()
    project.time.jump(3_600.0)  # the crawl before was as early as this project is
    if project.server:
        web = Web()
        web.news(3)
        assert replace(project, web=web).crawl().status == 0
    else:
        shutil.copytree(finished, project.data)
    return project


@pytest.fixture
def elapsed(project: Project) -> Callable[[], float]:
    """Return the seconds since the test began: of its own time, or of the machine's where it starts programs."""
    began, own = time.monotonic(), project.time.steady
    return lambda: time.monotonic() - began if project.programs else project.time.steady - own
