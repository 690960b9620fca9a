"""A real scrapyd: deploy, list, schedule with an argument and a setting, cancel, go on."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from sqlalchemy import create_engine, text

from tests.deploy.conftest import Gate
from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.program

PROJECT = "focuscrawl"
PATIENCE = 300.0
"""Seconds until a test gives up waiting for the server or a job, on a machine that others use, too."""

LOOK_EVERY = 0.25
"""Seconds between two looks at it: with twenty looks a second it did little but answer them."""

CONFIGURATION = """[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.25
max_proc = 1
items_dir = {items}
"""


class Scrapyd:
    """A running server in a folder of its own, and its web interface, for one project."""

    def __init__(self, folder: Path, port: int, project: str = PROJECT) -> None:
        self.folder = folder
        self.port = port
        self.project = project
        self.address = f"http://127.0.0.1:{port}/"

    def ask(self, service: str, **values: Any) -> dict[str, Any]:
        """POST where there are values (GET for listings); the answer, which must be ok."""
        query = urlencode(values, doseq=True)
        if service.startswith(("list", "daemon")):
            answer = urlopen(f"{self.address}{service}?{query}", timeout=PATIENCE)
        else:
            answer = urlopen(self.address + service, query.encode(), timeout=PATIENCE)
        with answer:
            result: dict[str, Any] = json.load(answer)
        assert result["status"] == "ok", result
        return result

    def schedule(self, job: str, **values: Any) -> None:
        """Queue a job of the topic ``food``."""
        self.ask("schedule.json", project=self.project, spider="food", jobid=job, **values)

    def schedule_inline(self, job: str, template: str) -> None:
        """Queue a job of a topic that travels with it."""
        self.ask(
            "schedule.json", project=self.project, spider="topic", jobid=job, template=template
        )

    def finished(self, job: str) -> bool:
        """Tell whether a job has ended."""
        jobs = self.ask("listjobs.json", project=self.project)["finished"]
        return job in {entry["id"] for entry in jobs}

    def log(self, job: str, spider: str = "food") -> str:
        """Return what a job logged so far."""
        file = self.folder / "logs" / self.project / spider / f"{job}.log"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def items(self, job: str) -> list[dict[str, Any]]:
        """Return the items scrapyd collected of a job."""
        file = self.folder / "items" / self.project / "food" / f"{job}.jl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def articles(data: Path) -> list[tuple[str, str]]:
    """Return address and title of all stored articles."""
    with closing(sqlite3.connect(data / "food.db")) as database:
        return database.execute("SELECT url, title FROM articles ORDER BY url").fetchall()


def wait(condition: Callable[[], bool], what: str, log: Callable[[], str] = str) -> None:
    """Wait until something is true; fail with the log when it takes too long."""
    give_up = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < give_up, f"{what} did not happen in {PATIENCE} s\n{log()}"
        time.sleep(LOOK_EVERY)


def free_port() -> int:
    """Find a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(server: Scrapyd) -> bool:
    """Tell whether the server is up."""
    try:
        server.ask("daemonstatus.json")
    except URLError:
        return False
    return True


@contextmanager
def running(folder: Path, environment: Mapping[str, str], items: str = "") -> Iterator[Scrapyd]:
    """Run a server in a folder; ``items`` is where it keeps what jobs found, if it does."""
    port = free_port()
    (folder / "scrapyd.conf").write_text(CONFIGURATION.format(port=port, items=items))
    # A job is to import its egg, and no checkout that the caller's path names.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with (folder / "scrapyd.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapyd"],
            cwd=folder,
            env=own | dict(environment),
            stdout=log,
            stderr=log,
        )
        server = Scrapyd(folder, port)
        try:
            wait(lambda: answers(server), "scrapyd's start", (folder / "scrapyd.log").read_text)
            yield server
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory, topics: Path) -> Iterator[Scrapyd]:
    """Start scrapyd as docs/deploy.md says: topics and data are folders of the server."""
    folder = tmp_path_factory.mktemp("scrapyd")
    places = {"FOCUSCRAWL_TOPICS": str(topics), "FOCUSCRAWL_DATA_DIR": str(folder / "crawls")}
    with running(folder, places, items="items") as server:
        yield server


@pytest.fixture(scope="module")
def deployed(scrapyd: Scrapyd, checkout: Path) -> Scrapyd:
    """Deploy the checkout with scrapyd-deploy."""
    deploy(checkout, "focuscrawl.settings", scrapyd)
    return scrapyd


def deploy(folder: Path, settings: str, server: Scrapyd) -> None:
    """Build the egg of a project and deploy it."""
    (folder / "scrapy.cfg").write_text(
        f"[settings]\ndefault = {settings}\n"
        f"[deploy]\nurl = {server.address}\nproject = {server.project}\n"
    )
    done = subprocess.run(
        [Path(sys.executable).with_name("scrapyd-deploy"), "-v", "1"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    assert (answer["status"], answer["spiders"]) == ("ok", len(scrapyd_spiders(server)))


def scrapyd_spiders(server: Scrapyd) -> list[str]:
    """Return the names the server lists."""
    spiders: list[str] = server.ask("listspiders.json", project=server.project)["spiders"]
    return spiders


def test_topics_in_the_folder_of_the_server_are_listed_by_name(deployed: Scrapyd) -> None:
    assert "food" in scrapyd_spiders(deployed)


def test_a_job_takes_an_argument_and_a_setting_and_its_items_arrive(
    deployed: Scrapyd, requested: list[str]
) -> None:
    deployed.schedule("one", setting="LOG_LEVEL=DEBUG", **{"limits.pages": "5"})
    wait(lambda: deployed.finished("one"), "the end of the job", lambda: deployed.log("one"))

    log = deployed.log("one")
    assert "(bot: deployed)" in log
    assert "DEBUG: Overridden settings" in log
    assert len(requested) == 5, log
    stored = articles(deployed.folder / "crawls")
    assert len(stored) == 4
    assert all("批食品抽检结果公布" in title for _, title in stored)
    collected = {item["url"] for item in deployed.items("one") if "title" in item}
    assert collected >= {url for url, _ in stored}


def test_a_cancelled_job_is_gone_on_with_and_loses_nothing(
    deployed: Scrapyd, requested: list[str], gate: Gate, tmp_path: Path
) -> None:
    place = f"FOCUSCRAWL_DATA_DIR={tmp_path}"
    gate.hold_after(5)
    deployed.schedule("first", setting=place)
    wait(lambda: len(requested) >= 6, "the sixth request", lambda: deployed.log("first"))
    deployed.ask("cancel.json", project=PROJECT, job="first")
    gate.open()
    wait(lambda: deployed.finished("first"), "the end of the cancelled job")
    wanted = {f"/news/{number}.html" for number in range(1, 25)}
    assert set(requested) < wanted | {"/"}, "the job ended before it was cancelled"

    deployed.schedule("second", setting=place)
    wait(lambda: deployed.finished("second"), "the end of the job", lambda: deployed.log("second"))

    fetched = [path for path in requested if path in wanted]
    assert sorted(fetched) == sorted(wanted), deployed.log("second")
    assert len(articles(tmp_path)) == len(wanted)


def test_a_job_without_a_data_folder_refuses_to_start_anew_somewhere(
    deployed: Scrapyd, requested: list[str]
) -> None:
    deployed.schedule("lost", setting="FOCUSCRAWL_DATA_DIR=")
    wait(lambda: deployed.finished("lost"), "the end of the job", lambda: deployed.log("lost"))

    said = (deployed.folder / "scrapyd.log").read_text() + deployed.log("lost")
    assert "FOCUSCRAWL_DATA_DIR is not set" in said
    assert "exitstatus=2" in said
    assert requested == []


def test_a_topic_that_travels_with_a_job_reads_and_writes_only_where_topics_and_data_lie(
    deployed: Scrapyd, template: str, topics: Path, requested: list[str], tmp_path: Path
) -> None:
    (topics / "more.txt").write_text("乳制品\n", "utf-8")
    (tmp_path / "private.txt").write_text("nobodys-business\n", "utf-8")
    text = template.replace('name = "food"', 'name = "inline"')
    wanted = text.replace('"食品安全|抽检"', f'"食品安全|抽检", "@{topics}/more.txt"')
    asks = text.replace('"食品安全|抽检"', f'"食品安全|抽检", "@{tmp_path}/private.txt"')
    asks += f'[output.feeds."{tmp_path}/feed.csv"]\n'

    deployed.schedule_inline("thief", asks)
    wait(lambda: deployed.finished("thief"), "the end of the job")
    said = (deployed.folder / "scrapyd.log").read_text() + deployed.log("thief", "topic")
    assert said.count("FOCUSCRAWL_INLINE_FOLDERS allows more") >= 2
    assert "nobodys-business" not in said
    assert requested == []
    assert not (tmp_path / "feed.csv").exists()

    deployed.schedule_inline("guest", wanted)
    wait(lambda: deployed.finished("guest"), "the end of the job", lambda: said)
    with closing(sqlite3.connect(deployed.folder / "crawls" / "inline.db")) as database:
        (count,) = database.execute("SELECT count(*) FROM articles").fetchone()
    assert count == 24, deployed.log("guest", "topic")


def test_a_feature_of_a_users_own_travels_in_the_egg_and_its_rows_are_stored(
    scrapyd: Scrapyd, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    page = (pytestconfig.rootpath / "docs/features.md").read_text("utf-8")
    code = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
    package = tmp_path / "project" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "mine.py").write_text(code, "utf-8")
    (package / "settings.py").write_text(
        "from focuscrawl.settings import *\n\nFOCUSCRAWL_FEATURES = {'shop.mine.Prices': 500}\n"
    )
    shop = Scrapyd(scrapyd.folder, scrapyd.port, "shop")
    deploy(package.parent, "shop.settings", shop)
    assert "food" in scrapyd_spiders(shop)

    place = f"FOCUSCRAWL_DATA_DIR={tmp_path}"
    shop.schedule("prices", setting=place, **{"prices.unit": "号", "limits.pages": "5"})
    wait(lambda: shop.finished("prices"), "the end of the job", lambda: shop.log("prices"))

    with closing(sqlite3.connect(tmp_path / "food.db")) as database:
        found = database.execute("SELECT url, amount FROM prices").fetchall()
    assert len(found) == 4, shop.log("prices")
    assert all(url.endswith(f"/news/{amount:.0f}.html") for url, amount in found)


@pytest.mark.B1
def test_two_scrapyds_launch_a_worker_each_and_one_goes_on_when_the_others_job_is_cancelled(
    pytestconfig: pytest.Config,
    tmp_path: Path,
    topics: Path,
    redis_of_tests: RedisServer,
    postgresql_socket: Path,
    requested: list[str],
    gate: Gate,
) -> None:
    page = (pytestconfig.rootpath / "docs/many-machines.md").read_text("utf-8")
    (settings,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    package = tmp_path / "project" / "news"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "settings.py").write_text(settings, "utf-8")
    results = f"postgresql+psycopg://crawl@/postgres?host={postgresql_socket}"
    common = {
        "REDIS_URL": redis_of_tests.url,
        "FOCUSCRAWL_RESULTS": results,
        "FOCUSCRAWL_TOPICS": str(topics),
    }
    owners = "food:focuscrawl:owners"

    def held() -> list[int]:
        found: Any = redis_of_tests.client().hgetall(owners)
        names = [owner.partition(b":")[2] for owner in found.values()]
        return sorted(names.count(name) for name in {*names} if name)

    with ExitStack() as servers:
        nodes: list[Scrapyd] = []
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            if nodes:  # what is deployed on one is copied to the other
                shutil.copytree(nodes[0].folder / "eggs", folder / "eggs")
            environment = {**common, "FOCUSCRAWL_DATA_DIR": str(folder / "crawls")}
            node = servers.enter_context(running(folder, environment))
            nodes.append(Scrapyd(folder, node.port, "news"))
            if len(nodes) == 1:
                deploy(package.parent, "news.settings", nodes[0])
        one, two = nodes
        gate.hold_after(2)
        # On a busy machine the second worker takes longer to start than a request is waited for.
        one.schedule("first", setting="DOWNLOAD_TIMEOUT=600", **{"politeness.delay": "500ms"})
        wait(lambda: len(requested) >= 3, "the third request", lambda: one.log("first"))
        two.schedule("second", **{"politeness.delay": "500ms"})
        wait(lambda: held() == [32, 32], "the second worker's share", lambda: two.log("second"))
        one.ask("cancel.json", project="news", job="first")
        gate.open()
        wait(lambda: one.finished("first"), "the end of the cancelled job")
        wait(lambda: two.finished("second"), "the end of the job", lambda: two.log("second"))

    fetched = [path for path in requested if path != "/"]
    wanted = [f"/news/{number}.html" for number in range(1, 25)]
    assert sorted(fetched) == sorted(wanted), two.log("second")
    assert "all workers together: 25 pages" in two.log("second")
    engine = create_engine(results)
    with engine.connect() as database:
        stored = database.execute(text("SELECT count(*) FROM articles WHERE topic = 'food'"))
        assert stored.scalar_one() == 24
    engine.dispose()  # the server waits for all to go
